#!/usr/bin/env bash
# Budgets: what is measured ends a command, what is reported warns, and a bill is compared.
. "$(dirname "$0")/lib.sh"
E2E_JOBS=3  # most of it waits until time is used up

events() { # TYPE: how many there are
  sqlite3 .git/txn/kernel.db "SELECT count(*) FROM events WHERE type = '$1'"
}
used() { # KIND OPTION...: of one
  local kind=$1
  shift
  git txn budget show "$@" --json | jq -r "select(.kind == \"$kind\") | .used"
}

wall() {
  new_repo
  agent 'echo half >src/new.txt; exec sleep 300' --budget wall=2s
  assert_eq "$CODE $(field .state)" '1 open' "$ERR"
  assert_contains "$(field '.notes | tostring')" 'wall budget of txn:'
  local id
  id=$(field .txn)
  [ "$(used wall --txn "$id")" -ge 2000 ] || fail 'its time was not measured'
  assert_eq "$(events budget.exceeded) $(events budget.warning)" '1 1'
  exits 1 git txn exec "$id" -- true
  assert_contains "$ERR" 'is used up'
  exits 0 git txn budget set --txn "$id" wall=none
  exits 0 git txn exec "$id" -- true
  exits 0 git txn commit "$id"
  assert_eq "$(show src/new.txt)" half 'its work is kept'
  agent 'trap "" TERM; sleep 1000 & sleep 1000; exit 0' --budget wall=1s
  assert_eq "$CODE" 1
  lands 'echo y >src/quick.txt' --budget wall=10m --budget calls=5
  assert_sound
}
test_case 'wall time is measured, and ends the command; its work is kept' wall

killed_after() { # SECONDS OPTION...: a git-txn that runs something is killed so long after that began
  local seconds=$1 pid
  shift
  rm -f "$WORLD/ready"
  git-txn "$@" -- bash -c 'touch "$WORLD/ready"; sleep 300' >"$WORLD/killed.out" 2>&1 &
  pid=$!
  wait_for "$WORLD/ready" 60
  sleep "$seconds"
  kill -KILL "$pid"
  wait "$pid" 2>"$WORLD/killed.err" && fail 'it was not killed'
  return 0
}
killed() {
  new_repo
  exits 0 git txn begin --budget wall=20s -q
  local id=$OUT ms
  killed_after 1.5 exec "$id"
  exits 0 git txn exec "$id" -- true
  ms=$(used wall --txn "$id")
  [ "$ms" -ge 1000 ] || fail "of 1.5 s there are $ms ms on record"
  assert_eq "$(events usage.reported)" 2 'the command that was killed, and the one that found it'
  exits 0 git txn exec "$id" -- true
  assert_eq "$(events usage.reported)" 3 'charged once'
  exits 0 git txn budget set --txn "$id" "wall=$(($(used wall --txn "$id") / 1000 + 3))s"
  killed_after 0.8 exec "$id"
  git txn exec "$id" -- sleep 60 >"$WORLD/out" 2>&1 && fail 'it had no 60 s left'
  exits 1 git txn exec "$id" -- true
  assert_contains "$ERR" 'is used up'
  assert_sound
}
test_case 'a command whose git-txn was killed is charged by the next one, once' killed

killed_of_an_owner() {
  new_repo
  killed_after 1.4 run --owner bot
  exits 0 git txn budget set --owner bot wall=1s
  exits 1 git txn run --owner bot -- true
  assert_contains "$ERR" 'the wall budget of owner:bot is used up'
  # Also of one whose worktree is gone before anybody asks.
  killed_after 1.4 run --owner ann
  local id
  id=$(sqlite3 .git/txn/kernel.db 'SELECT id FROM txns ORDER BY begun_seq DESC LIMIT 1')
  exits 0 git txn commit "$id" --json
  assert_eq "$(field .state)" nothing
  exits 0 git txn budget set --owner ann wall=1s
  exits 1 git txn run --owner ann -- true
  assert_contains "$ERR" 'the wall budget of owner:ann is used up'
  killed_after 1.4 run --owner eve
  id=$(sqlite3 .git/txn/kernel.db 'SELECT id FROM txns ORDER BY begun_seq DESC LIMIT 1')
  exits 0 git txn abort "$id"
  exits 0 git txn gc --force
  exits 0 git txn budget set --owner eve wall=1s
  exits 1 git txn run --owner eve -- true
  assert_contains "$ERR" 'the wall budget of owner:eve is used up'
  assert_sound
}
test_case 'what was killed counts for its owner, whichever transaction comes next' killed_of_an_owner

output() {
  new_repo
  agent 'echo x >src/new.txt; yes' --budget bytes=100k
  assert_eq "$CODE $(field .state)" '1 open' "$(tail -c 300 "$WORLD/run.err")"
  assert_contains "$(field '.notes | tostring')" 'bytes budget of txn:'
  [ "$(used bytes --txn "$(field .txn)")" -ge 100000 ] || fail 'not counted'
  git-txn run --budget bytes=1M -- bash -c 'echo to-out; echo to-err >&2; echo x >src/a.txt' \
    >"$WORLD/out" 2>"$WORLD/err"
  assert_contains "$(cat "$WORLD/out")" to-out
  assert_contains "$(cat "$WORLD/err")" to-err
  exits 3 git txn run --budget bytes=1M --keep-running -- true
  assert_sound
}
test_case 'what a command prints is counted, handed on, and ends it' output

of_an_owner() {
  new_repo
  git txn run --owner bot -- bash -c 'echo 1 >src/one.txt'
  exits 0 git txn budget set --owner bot wall=1ms --json
  assert_eq "$(field .level)" exceeded
  exits 1 git txn run --owner bot -- bash -c 'echo 2 >src/two.txt'
  assert_contains "$ERR" 'the wall budget of owner:bot is used up'
  lands 'echo 3 >src/three.txt' --owner other
  exits 0 git txn budget set --owner bot wall=none
  lands 'echo 4 >src/four.txt' --owner bot
  assert_sound
}
test_case 'a budget of an owner counts all that is theirs, and is asked before anything runs' of_an_owner

side_by_side() {
  new_repo
  exits 0 git txn budget set --owner bot wall=6s
  local i pids=() ms
  for i in 1 2 3 4; do
    git-txn run --owner bot --json -- bash -c "echo $i >src/$i.txt; exec sleep 300" >"$WORLD/out$i" 2>"$WORLD/err$i" &
    pids+=($!)
  done
  for i in "${pids[@]}"; do wait "$i" && fail 'it had 300 s'; done
  ms=$(used wall --owner bot)
  [ "$ms" -ge 6000 ] || fail "ended after $ms ms of 6000"
  [ "$ms" -lt 12000 ] || fail "6 s were allowed, and $ms ms were used"
  assert_contains "$(jq -r '.notes | tostring' "$WORLD"/out?)" 'the wall budget of owner:bot'
  assert_contains "$(jq -r '.notes | tostring' "$WORLD"/out?)" 'with what runs beside it'
  exits 1 git txn run --owner bot -- true
  assert_contains "$ERR" 'is used up'
  assert_sound
}
test_case 'what runs side by side draws on one budget' side_by_side

reported_ends_nothing() {
  new_repo
  exits 0 git txn begin --budget input=1k --budget calls=1 -q
  local id=$OUT
  exits 0 git txn exec "$id" -- bash -c 'echo 1 >src/one.txt'
  exits 0 git txn budget report "$id" input=50k calls=9
  assert_eq "$(events budget.exceeded)" 2
  assert_eq "$(git txn events tail --type budget.exceeded | jq -r .data.best_effort | sort -u)" true
  exits 0 git txn exec "$id" -- bash -c 'echo 2 >src/two.txt'
  exits 0 git txn commit "$id"
  assert_eq "$(show src/two.txt)" 2
  assert_sound
}
test_case 'F6: a budget of what is reported, used up, ends nothing: the next command runs' reported_ends_nothing

of_an_agent() {
  new_repo
  ln -s "$E2E_ROOT/tests/agents/fake-claude" "$WORLD/bin/claude"
  git txn run --json --budget output=1 -- claude -p 'Read src/f1.txt; Write new.txt hello' \
    >"$WORLD/run.out" 2>"$WORLD/run.err"
  local id lines
  id=$(jq -r .txn "$WORLD/run.out")
  lines=$(git txn budget show --txn "$id" --json)
  [ "$(used output --txn "$id")" -gt 0 ] || fail "no tokens: $lines"
  [ "$(used calls --txn "$id")" -ge 2 ] || fail "no calls: $lines"
  assert_eq "$(events budget.exceeded)" 1
  assert_sound
}
test_case 'what the session file of an agent tells of tokens and calls is reported' of_an_agent

resumed_conversation() {
  new_repo
  ln -s "$E2E_ROOT/tests/agents/fake-claude" "$WORLD/bin/claude"
  exits 0 git txn begin --budget input=1000 -q
  local id=$OUT folder
  folder=$HOME/.claude/projects/$(git txn open -q "$id" | tr -c 'a-zA-Z0-9\n' -)
  mkdir -p "$folder"
  answer() { # ID TIME INPUT
    jq -nc --arg i "$1" --arg t "$2" --argjson n "$3" '{type: "assistant", timestamp: $t, message: {id: $i,
      role: "assistant", model: "claude-fake", content: [{type: "tool_use", id: ("call-" + $i), name: "Read",
      input: {file_path: "x"}}], usage: {input_tokens: $n, output_tokens: 3}}}'
  }
  { answer old 2021-01-05T10:00:00.000Z 900000; answer new 2999-01-05T10:00:00.000Z 100; } \
    >"$folder/11111111-2222-4333-8444-555555555555.jsonl"
  # What has no time counts: all that the program itself writes.
  exits 0 git txn exec "$id" -- claude -p 'Read src/f1.txt'
  assert_eq "$(used input --txn "$id") $(used calls --txn "$id") $(events budget.exceeded)" '107 2 0'
  assert_sound
}
test_case 'what a resumed conversation had used before is not charged to the transaction' resumed_conversation

told_in_a_table() {
  exits 0 git-txn version --enforces
  # A new line in the table of invariants needs a row here.
  local number
  for number in $(sed -n 's/^| \([0-9][0-9]*\) | .*/\1/p' "$E2E_ROOT/docs/ARCHITECTURE.md"); do
    grep -Eq "[ |]A$number(,| \|)" <<<"$OUT" || fail "invariant $number of ARCHITECTURE.md has no row"
  done
  assert_eq "$number" 16 'the table of invariants was read'
  assert_contains "$OUT" '| Wall time of commands (budget wall) | enforced |'
  assert_contains "$OUT" '| Tokens (budgets input, output, cache) | recorded, best effort |'
  exits 0 git-txn version --enforces --json
  assert_eq "$(printf '%s\n' "$OUT" | jq -r '[.[] | select(.since == null or .mechanism == "")] | length')" 0
}
test_case 'what is enforced and what is recorded is one table' told_in_a_table
finish
