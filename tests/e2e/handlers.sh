#!/usr/bin/env bash
# Handlers: commands of the policy that are given events.
. "$(dirname "$0")/lib.sh"
E2E_JOBS=3  # much of it waits for time limits

# handler SCRIPT [LINE...]: a trusted policy whose handler of landings is SCRIPT
handler() {
  new_repo
  git config txn.handlerRetry 0
  printf '%s\n' "$1" >"$WORLD/handler.sh"
  shift
  policy "$(printf '[on."transaction.landed"]\nrun = ["bash", "%s"]\nname = "tell"\n' "$WORLD/handler.sh"
            printf '%s\n' "$@")"
}
runs() { if [ -e "$WORLD/ran" ]; then wc -l <"$WORLD/ran"; else echo 0; fi; }
handled() { git txn events tail --type "handler.$1" | jq -c "[.data.event, .data.attempt${2:-}]"; }

gets_each_landing() {
  handler 'cat >>"$RAN.in"; printf "%s\n" "$GIT_TXN_EVENT" >>"$RAN"; echo told "$GIT_TXN_HANDLER"'
  sed -i "1iRAN=$WORLD/ran" "$WORLD/handler.sh"
  lands 'echo a >src/a.txt'
  assert_eq "$(runs)" 1 'it ran before the command exited'
  lands 'echo b >src/b.txt'
  assert_eq "$(runs)" 2
  assert_eq "$(tail -n 1 "$WORLD/ran" | jq -r .data.new)" "$(head_of)"
  cmp "$WORLD/ran" "$WORLD/ran.in"
  exits 0 git txn events tail --type transaction.landed
  assert_eq "$OUT" "$(cat "$WORLD/ran")" 'in order, as tail prints them'
  assert_eq "$(handled ended ,.data.exit,.data.state | jq -r '.[2:] | join(" ")' | sort -u)" '0 done'
  assert_eq "$(handled started | wc -l)" 2
  local digest
  digest=$(git txn events tail --type handler.ended | tail -n 1 | jq -r .data.output)
  assert_file ".git/txn/artifacts/${digest:0:2}/${digest:2}" 'told tell'
  exits 0 git txn events consumer list --json
  assert_eq "$(field '.name + " " + .handler.state + " " + (.behind | tostring)')" 'on/tell done 0'
  assert_sound
}
test_case 'a handler is given each event of its type, in order, before the command exits' gets_each_landing

untrusted_runs_nothing() {
  new_repo
  printf '[on."transaction.landed"]\nrun = "touch %s/ran"\n' "$WORLD" >.gittxn.toml
  git add .gittxn.toml
  git commit -qm policy
  exits 3 git txn run -- bash -c 'echo a >src/a.txt'
  assert_contains "$ERR" 'git txn trust'
  assert_absent "$WORLD/ran"
  exits 0 git txn trust --json
  assert_contains "$OUT" 'on transaction.landed'
  GIT_TXN_TRUST=$(field .hash) agent 'echo a >src/a.txt'
  assert_eq "$CODE" 0
  GIT_TXN_TRUST=$(git txn trust --json | jq -r .hash) agent 'echo b >src/b.txt'
  [ -e "$WORLD/ran" ] || fail 'a yes for one process counts'
}
test_case 'nothing runs that nobody said yes to' untrusted_runs_nothing

failing_is_seen_and_left() {
  handler 'echo x >>"$RAN"; echo no luck; exit 3'
  sed -i "1iRAN=$WORLD/ran" "$WORLD/handler.sh"
  lands 'echo a >src/a.txt'
  assert_contains "$ERR" 'handler tell failed on event'
  exits 0 git txn status
  assert_contains "$OUT$ERR" 'handler tell failed'
  exits 0 git txn events consumer list
  assert_contains "$OUT" 'failing on event'
  local i
  for i in 1 2 3 4; do exits 0 git txn recover; done
  assert_eq "$(runs)" 5 'five attempts'
  exits 0 git txn recover
  assert_eq "$(runs)" 5 'then it is left for a person'
  exits 0 git txn status
  assert_contains "$OUT$ERR" 'git txn events consumer retry tell'
  lands 'echo b >src/b.txt'
  assert_eq "$(runs)" 5 'what comes after waits for it: in order'
  printf 'RAN=%s\necho ok >>"$RAN"\n' "$WORLD/ran" >"$WORLD/handler.sh"
  exits 0 git txn events consumer retry tell
  assert_eq "$(runs)" 7 'that one and the next'
  exits 3 git txn events consumer retry tell
  exits 0 git txn events consumer list
  assert_contains "$OUT" 'up to date'
  assert_sound
}
test_case 'a handler that fails is tried again, shown, left for a person, and retried' failing_is_seen_and_left

back_off() {
  handler 'echo x >>"$RAN"; exit 1'
  sed -i "1iRAN=$WORLD/ran" "$WORLD/handler.sh"
  git config txn.handlerRetry 1h
  lands 'echo a >src/a.txt'
  exits 0 git txn recover
  exits 0 git txn recover
  assert_eq "$(runs)" 1 'not before its pause is over'
}
test_case 'a handler that failed is not tried again at once' back_off

drained() {
  handler 'sleep 2; echo x >>"$RAN"'
  sed -i "1iRAN=$WORLD/ran" "$WORLD/handler.sh"
  lands 'echo a >src/a.txt'
  assert_eq "$(runs)" 1 'what it wrote is there when the command has exited'
  assert_eq "$(handled ended ,.data.exit)" "$(git txn events tail --type transaction.landed |
    jq -r '"[\(.id),1,0]"')"
}
test_case 'F11: no command exits before the handlers that it started' drained

# alive COLUMN NUMBER: the processes whose pid or pgid that is; one that nobody has reaped is none
alive() { ps -eo "$1=,stat=,args=" | awk -v number="$2" '$1 == number && $2 !~ /^Z/'; }
time_limit() {
  handler 'trap "" TERM
           sleep 600 &
           (while :; do sleep 600; done) &
           setsid sleep 600 & echo $! >>"$RAN.left"
           echo $$ >>"$RAN.groups"
           while :; do sleep 600; done' 'timeout = "2s"'
  sed -i "1iRAN=$WORLD/ran" "$WORLD/handler.sh"
  lands 'echo a >src/a.txt'
  assert_contains "$ERR" 'took longer'
  # Two seconds may be too few for it to begin.
  local try number
  for try in 1 2 3; do
    [ ! -e "$WORLD/ran.groups" ] || break
    exits 0 git txn recover
  done
  assert_eq "$(git txn events tail --type handler.ended | jq -r .data.timed_out | sort -u)" true
  exits 0 git txn status
  assert_contains "$OUT" '(took longer than its limit, attempt'
  exits 0 git txn events consumer list
  assert_contains "$OUT" ', took longer than its limit'
  exits 0 git txn events consumer list --json
  assert_eq "$(field .handler.timed_out)" true
  number=$(tail -n 1 "$WORLD/ran.groups")
  assert_eq "$(alive pgid "$number")" '' 'of its group'
  # What has left the group is nobody's to end, as what a handler leaves in the background.
  number=$(tail -n 1 "$WORLD/ran.left")
  assert_contains "$(alive pid "$number")" 'sleep 600'
  kill $(cat "$WORLD/ran.left")
}
test_case 'F11: a handler has a time limit, and nothing of its process group is left, whatever it ignores' time_limit

left_in_the_background() {
  handler '(sleep 300; echo late >>"$RAN") & echo $! >"$RAN.pid"'
  sed -i "1iRAN=$WORLD/ran" "$WORLD/handler.sh"
  lands 'echo a >src/a.txt'
  assert_eq "$(git txn events tail --type handler.ended | jq -r .data.state)" done
  kill "$(cat "$WORLD/ran.pid")"
}
test_case 'F11: the command waits for the handler, and not for what it leaves in the background' \
  left_in_the_background

killed_at_each_step() {
  handler 'jq -r .id >>"$RAN"'
  sed -i "1iRAN=$WORLD/ran" "$WORLD/handler.sh"
  local point n=0
  for point in api.handler.started api.handler.ran api.handler.ended; do
    n=$((n + 1))
    killed_at $point git txn run -- bash -c "echo $n >src/new$n.txt"
    exits 0 git txn recover
    assert_sound
  done
  exits 0 git txn events tail --type transaction.landed
  assert_eq "$(sort -nu "$WORLD/ran")" "$(printf '%s\n' "$OUT" | jq -r .id)" 'each landing at least once'
  assert_eq "$(sort -n "$WORLD/ran")" "$(cat "$WORLD/ran")" 'in order'
  # Before it ran, after it ran and before that was recorded, after that was recorded.
  assert_eq "$(wc -l <"$WORLD/ran")" 4
  assert_eq "$(git txn events tail --type handler.ended | jq -r .data.exit | sort | uniq -c | awk '{print $1 ":" $2}' | tr '\n' ' ')" '2:-1 3:0 '
}
test_case 'F11: what a command that died left, the next one does; what is recorded as done is not done again' \
  killed_at_each_step

one_at_a_time() {
  handler 'exec 9>"$RAN.lock"; flock -n 9 || echo both >>"$RAN.both"; sleep 0.2; jq -r .id >>"$RAN"'
  sed -i "1iRAN=$WORLD/ran" "$WORLD/handler.sh"
  local i pids=()
  for i in 1 2 3 4; do
    git-txn run --json -- bash -c "echo $i >src/p$i.txt" >"$WORLD/p$i.out" 2>&1 </dev/null &
    pids+=($!)
  done
  for i in "${pids[@]}"; do wait "$i"; done
  exits 0 git txn recover
  assert_absent "$WORLD/ran.both"
  exits 0 git txn events tail --type transaction.landed
  assert_eq "$(cat "$WORLD/ran")" "$(printf '%s\n' "$OUT" | jq -r .id)" 'each once, in order'
  assert_sound
}
test_case 'two commands at once: each delivery runs once, one at a time, in order' one_at_a_time

no_loops() {
  handler 'n=$(cat "$RAN" 2>/dev/null | wc -l); echo x >>"$RAN"; cd "$REPO"
           git-txn run --onto main -- bash -c "echo $n >src/loop$n.txt" >"$RAN.out" 2>&1'
  sed -i "1iRAN=$WORLD/ran REPO=$REPO" "$WORLD/handler.sh"
  lands 'echo a >src/a.txt'
  assert_eq "$(runs)" 1 'what a handler causes is given out by a later command'
  exits 0 git txn recover
  assert_eq "$(runs)" 2
  new_repo other
  printf '[on."handler.ended"]\nrun = "true"\n' >.gittxn.toml
  git add .gittxn.toml
  git commit -qm policy
  exits 3 git txn run -- true
  assert_contains "$ERR" 'handle themselves'
}
test_case 'handlers make no loop: not of their own events, and not within one command' no_loops

not_inside() {
  handler 'echo x >>"$RAN"'
  sed -i "1iRAN=$WORLD/ran" "$WORLD/handler.sh"
  lands 'git txn status; git txn events tail | tail -n 1; echo a >src/a.txt'
  assert_eq "$(runs)" 1
  exits 3 git txn events consumer remove on/tell
  assert_contains "$ERR" 'the policy of main has the handler tell'
  assert_contains "$ERR" 'git txn events consumer ack on/tell SEQ'
  exits 0 git txn events consumer list
  assert_contains "$OUT" on/tell
  lands 'echo b >src/b.txt'
  assert_eq "$(runs)" 2
}
test_case 'inside of a transaction nothing is given out' not_inside

# A failure is one only while the event still waits for its handler.
passed_over() {
  handler 'printf "first\nno \033[31mluck\n" >&2; exit 3'
  lands 'echo a >src/a.txt'
  local event
  event=$(git txn events tail --type transaction.landed | jq -r .id)
  exits 0 git txn status
  assert_contains "$OUT" "handler tell failed on event $event (exit 3, attempt 1), its last words: no \\x1b[31mluck"
  exits 0 git txn events consumer list --json
  assert_eq "$(field '.handler | "\(.state) \(.exit) \(.timed_out)"')" 'failing 3 false'
  exits 0 git txn events consumer ack on/tell "$event" --json
  assert_eq "$(field .handler)" null
  exits 0 git txn status
  assert_lacks "$OUT" 'handler tell failed' 'it was passed over'
  exits 0 git txn events consumer list
  assert_contains "$OUT" 'up to date'
  exits 3 git txn events consumer retry tell
  assert_contains "$ERR" "event $event was passed over"
  # Out of the policy with a failure, and removed.
  lands 'echo b >src/b.txt'
  exits 0 git txn status
  assert_contains "$OUT" 'handler tell failed'
  echo '# no handler' >.gittxn.toml
  git commit -qm 'policy' -- .gittxn.toml
  exits 0 git txn events consumer remove on/tell
  exits 0 git txn status
  assert_lacks "$OUT" 'handler tell failed' 'it is gone'
  exits 3 git txn events consumer retry tell
  assert_contains "$ERR" "there is no consumer 'on/tell' any more"
  assert_sound
}
test_case 'what a person passed over, or took out, is no failure any more, and is not retried' passed_over

looking_runs_nothing() {
  handler 'echo x >>"$RAN"; exit 3' '[on."txn.begun"]' "run = [\"bash\", \"-c\", \"echo x >>$WORLD/begun\"]"
  sed -i "1iRAN=$WORLD/ran" "$WORLD/handler.sh"
  lands 'echo a >src/a.txt'
  assert_eq "$(runs)" 1
  local look
  for look in 'events tail' 'events consumer list' 'events consumer list --lag' 'events prune --dry-run --before 2' \
    'gate list' 'lease list' 'sentinel list' 'budget show' 'workflow list' 'proposals' 'proposals list --all' \
    'portfolio' 'portfolio status' 'summary list' 'status' 'log' 'verify' 'doctor'; do
    # shellcheck disable=SC2086 # words
    git txn $look >"$WORLD/out" 2>&1 || true  # what it says of the handler is not judged here
    assert_eq "$(runs)" 1 "git txn $look"
  done
  exits 0 git txn recover
  assert_eq "$(runs)" 2 'one that writes tries again'
  assert_eq "$(wc -l <"$WORLD/begun")" 1
  exits 0 git txn begin
  assert_eq "$(wc -l <"$WORLD/begun")" 2 'begin gives out what it appended'
  assert_eq "$(runs)" 3
  assert_sound
}
test_case 'who only looks gives nothing to handlers; who appends does' looking_runs_nothing

finish
