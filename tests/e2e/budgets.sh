#!/usr/bin/env bash
# Budgets: what is measured ends a command, what is reported warns, and a bill is compared.
. "$(dirname "$0")/lib.sh"

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

from_its_beginning() {
  new_repo
  exits 0 git txn begin --budget wall=10m --budget calls=5 --json
  local id
  id=$(field .txn)
  assert_eq "$(git txn budget show --txn "$id" --json | jq -r 'select(.limit != null) | "\(.kind) \(.limit)"' | sort)" \
    "$(printf 'calls 5\nwall 600000')"
  # With its beginning or not at all.
  exits 0 git txn events tail --subject "$id" --type txn.begun
  assert_eq "$(events txn.begun) $(events budget.set)" '1 2'
  exits 3 git txn begin --budget wall=soon
  exits 3 git txn begin --budget calls=5 --budget calls=6
  exits 3 git txn begin --budget calls=0
  killed_at api.begin.recorded git txn begin --budget wall=1ms
  assert_eq "$(events txn.begun) $(events budget.set)" '2 3'
  exits 0 git txn begin --budget wall=1ms --budget calls=none -q
  id=$OUT
  git txn exec "$id" -- true >"$WORLD/out" 2>&1 || echo 'ended by it'
  exits 1 git txn exec "$id" -- true
  assert_contains "$ERR" "the wall budget of txn:$id is used up"
  assert_sound
}
test_case 'begin --budget: it holds from the beginning' from_its_beginning

says_that_there_is_none() {
  new_repo
  exits 0 git txn budget show
  assert_eq "$OUT" 'no budgets; set one with: git txn budget set --txn ID KIND=VALUE'
  lands 'echo x >src/new.txt'
  exits 0 git txn budget show
  assert_contains "$OUT" 'no budgets'
  exits 0 git txn budget show --owner nobody
  assert_eq "$OUT" 'it has no budget, and nothing of it was counted yet'
  exits 0 git txn budget show --json
  assert_eq "$OUT" ''
  exits 0 git txn budget show -q
  assert_eq "$OUT" ''
}
test_case 'show says so where there is no budget' says_that_there_is_none

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

owners() {
  new_repo
  lands 'echo 1 >src/one.txt' --owner bot
  local long
  long=$(printf 'x%.0s' $(seq 300))
  printf '{"owner": "a\\u0000b", "cost": 1}\n' >nul
  printf '{"owner": "%s", "cost": 1}\n' "$long" >long
  printf '{"owner": "a\\nb", "cost": 1}\n' >line
  printf '{"workflow": "%s", "cost": 1}\n' "$(head -c 1000000 /dev/zero | tr '\0' x)" >other
  for bill in nul long line other; do
    exits 3 git txn budget reconcile "$bill"
    [ "${#ERR}" -lt 1000 ] || fail "$bill: an error of ${#ERR} bytes"
  done
  local bad
  for bad in "$long" $'a\nb' $'a\001b'; do
    exits 3 git txn run --owner "$bad" -- true
    assert_contains "$ERR" 'the name of the owner'
    exits 3 git txn begin --owner "$bad"
    exits 3 git txn budget set --owner "$bad" cost=1
    exits 3 git txn budget show --owner "$bad"
    exits 3 git txn lease acquire src --owner "$bad"
  done
  exits 0 git txn lease acquire src --owner ann -q
  exits 3 git txn lease transfer "$OUT" --owner ann --to $'a\nb'
  exits 0 git txn verify --replay
  assert_eq "$(events budget.reconciled) $(events budget.set) $(events txn.begun)" '0 0 1'
  assert_sound
}
test_case 'the name of an owner is bounded wherever it comes in' owners

of_a_workflow() {
  new_repo
  printf '[workflow.feature]\nphases = ["plan", "build"]\n' >.gittxn.toml
  git add .gittxn.toml
  git commit -qm policy
  exits 3 git txn budget set --workflow w-feature calls=5
  assert_contains "$ERR" "no workflow is called 'w-feature'"
  exits 0 git txn workflow create feature --as w-feature
  exits 0 git txn budget set --workflow w-feat calls=5 --json
  assert_eq "$(field .of)" workflow:w-feature 'by a unique beginning, as everywhere'
  lands 'echo 1 >src/one.txt' --workflow w-feature
  exits 0 git txn budget report "$(field .txn)" calls=4
  assert_eq "$(used calls --workflow w-feature) $(events budget.warning)" '4 1'
  assert_sound
}
test_case 'a budget of a workflow is of one that there is' of_a_workflow

reported() {
  new_repo
  lands 'echo 1 >src/one.txt'
  local id
  id=$(field .txn)
  exits 0 git txn budget set --txn "$id" input=1k cost=2.50
  exits 0 git txn budget report "$id" input=700 cost=1.25 --key a
  exits 0 git txn budget report "$id" input=700 cost=1.25 --key a
  assert_eq "$(used input --txn "$id") $(events budget.warning)" '700 0'
  [ -z "$ERR" ] || fail "the same again is nothing to tell: $ERR"
  exits 0 git txn budget report "$id" input=500 cost=1 --key a
  assert_contains "$ERR" "input 500 was not taken: 700 was reported as 'a' before, and the larger counts"
  assert_contains "$ERR" "cost 1.000000 was not taken: 1.250000 was reported as 'a' before"
  assert_eq "$(used input --txn "$id")" 700
  lands 'echo 2 >src/two.txt'
  exits 0 git txn budget report "$(field .txn)" input=300 --key a
  assert_eq "$(used input --txn "$(git txn log --json | head -n 1 | jq -r .txn)")" 300 'a key is of its transaction'
  exits 0 git txn budget report "$id" input=100
  assert_eq "$(events budget.warning)" 1
  exits 0 git txn budget report "$id" input=5k
  exits 0 git txn budget report "$id" input=5k
  assert_eq "$(events budget.warning) $(events budget.exceeded)" '1 1'
  assert_eq "$(sqlite3 .git/txn/kernel.db "SELECT payload FROM events WHERE type = 'budget.exceeded'" |
    jq -r '"\(.best_effort) \(.used)"')" 'true 5800'
  exits 0 git txn budget show
  assert_contains "$OUT" 'input 10800 of 1000  as reported  exceeded'
  assert_contains "$OUT" 'cost 1.250000 of 2.500000'
  assert_sound
}
test_case 'F6: what is reported warns once a level, marked best effort' reported

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

bill() {
  new_repo
  lands 'echo 1 >src/one.txt' --owner bot
  exits 0 git txn budget report "$(field .txn)" cost=9.60 input=1000
  printf '%s\n' '{"owner": "bot", "cost": 10, "input": 1001}' >bill
  exits 0 git txn budget reconcile bill
  exits 1 git txn budget reconcile bill --tolerance 1 --json
  assert_eq "$(printf '%s\n' "$OUT" | jq -r 'select(.kind == "cost") | .within')" false
  assert_eq "$(events budget.reconciled)" 4
  local bad
  for bad in '' 'x' '[]' '{}' '{"owner": "bot"}' '{"owner": "bot", "cost": -1}' '{"cost": 1}' \
    '{"owner": "bot", "cost": "1"}' '{"owner": "bot", "shoes": 1}' '{"owner": 1, "cost": 1}' \
    '{"owner": "bot", "txn": "t", "cost": 1}' '{"owner": "bot", "input": 1e300}' '{"owner": "bot", "input": 1.5}'; do
    printf '%s\n' "$bad" >bad
    exits 3 git txn budget reconcile bad
  done
  printf '{"owner": "bot", "cost": 10, "cost": 9.6}\n' >bad
  exits 3 git txn budget reconcile bad
  assert_contains "$ERR" "line 1 of the bill has 'cost' twice"
  printf '{"owner": "bot", "cost": 1}\nx\n' >bad
  exits 3 git txn budget reconcile bad
  assert_contains "$ERR" 'line 2 of the bill is no JSON'
  exits 3 git txn budget reconcile no-such-file
  exits 3 git txn budget reconcile bill --tolerance 101
  assert_eq "$(events budget.reconciled)" 4
  assert_sound
}
test_case 'reconcile compares with a bill, and exits 1 when a figure is too far from it' bill

bad_input() {
  new_repo
  lands 'echo 1 >src/one.txt'
  local id bad
  id=$(field .txn)
  for bad in input=x input= input=-5 input=1.5 shoes=1 input '=5' input=0 wall=5 wall=soon cost=1,5 cost=.5 cost=1. \
    cost=1.1234567 input=99999999999999999999 input=5kk 'input=1 2' cost=nan calls=1e3; do
    exits 3 git txn budget set --txn "$id" "$bad"
    [ -n "$ERR" ] || fail "no word about '$bad'"
    exits 3 git txn run --budget "$bad" -- true
  done
  exits 3 git txn budget set --txn "$id" input=5 input=6
  exits 3 git txn budget set --txn "$id"
  exits 3 git txn budget set input=5
  exits 3 git txn budget set --txn "$id" --owner bot input=5
  exits 3 git txn budget set --txn t-none input=5
  exits 3 git txn budget set --workflow nope calls=5
  assert_contains "$ERR" "no workflow is called 'nope'"
  assert_contains "$ERR" 'git txn workflow list'
  exits 3 git txn budget show --workflow nope
  exits 3 git txn budget set --owner '' calls=5
  exits 3 git txn budget report "$id" wall=5m
  assert_contains "$ERR" 'measured, not reported'
  exits 3 git txn budget report "$id" input=none
  exits 3 git txn budget report "$id" input=1 --owner bot
  assert_contains "$ERR" 'git txn budget report does not take --owner'
  exits 3 git txn budget set --owner bot input=1 --key a
  exits 3 git txn budget report t-none input=5
  exits 3 git txn budget spend
  exits 3 git txn budget show "$id"
  assert_eq "$(events budget.set) $(events usage.reported)" "0 $(events txn.command.ended)"
  agent 'git txn budget set --owner me input=5; echo $? >"$WORLD/inside"; git txn budget show && echo x >src/x.txt'
  assert_file "$WORLD/inside" 3
  assert_sound
}
test_case 'budgets that are none are refused with the reason, and nothing is set' bad_input

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
