#!/usr/bin/env bash
# Spawn limits: how many transactions a policy lets be alive at a time, and how deep.
. "$(dirname "$0")/lib.sh"

# No commands in it, so nothing to trust
policy_of() {
  printf '%s\n' "$1" >.gittxn.toml
  git add .gittxn.toml
  git commit -qm 'policy' -- .gittxn.toml
}

eight_at_once() {
  new_repo
  policy_of '[limits]
concurrent = 3'
  local i pids=()
  for i in 1 2 3 4 5 6 7 8; do
    (code=0; git-txn begin --json >"$WORLD/out$i" 2>"$WORLD/err$i" </dev/null || code=$?
      echo $code >"$WORLD/code$i") &
    pids+=($!)
  done
  wait "${pids[@]}"
  assert_eq "$(cat "$WORLD"/code? | sort | tr '\n' ' ')" '0 0 0 1 1 1 1 1 ' "$(cat "$WORLD"/err?)"
  assert_contains "$(cat "$WORLD"/err?)" 'the policy allows 3 transactions at a time'
  exits 0 git txn status --json
  assert_eq "$(field '.transactions | length')" 3
  exits 0 git txn abort "$(field '.transactions[0].txn')"
  exits 0 git txn begin
  exits 1 git txn begin
  assert_sound
}
test_case 'spawn limits: eight beginnings at once never exceed the limit' eight_at_once

who_is_alive() {
  new_repo
  policy_of '[limits]
concurrent = 1'
  agent 'echo x >src/new.txt; exit 5'
  assert_eq "$(field .state)" open
  start_run -- 'meet; echo y >src/other.txt'  # what the failed one left does not count
  met
  agent 'echo z >src/third.txt'
  assert_eq "$CODE" 1
  assert_contains "$ERR" 'transactions at a time'
  go_on
  ends 0
  lands 'echo z >src/third.txt'
  rm -f "$WORLD"/ready* "$WORLD"/go*
  start_run -- 'meet; sleep 100'
  met
  kill -9 "$RUN_PID"
  lands 'echo w >src/fourth.txt'  # the dead one does not count
  assert_sound
}
test_case 'spawn limits: what counts is what is alive' who_is_alive

per_owner() {
  new_repo
  policy_of '[limits]
per_owner = 1'
  exits 0 git txn begin --owner ann
  exits 1 git txn begin --owner ann
  assert_contains "$ERR" 'transactions of ann'
  exits 0 git txn begin --owner bob
}
test_case 'spawn limits: each owner has as many' per_owner

depth() {
  new_repo
  agent 'git txn begin 2>"$WORLD/said"; echo $? >"$WORLD/code"'
  assert_eq "$(cat "$WORLD/code")" 3
  assert_contains "$(cat "$WORLD/said")" 'is not supported'
  policy_of '[limits]
depth = 1'
  agent 'git txn begin --json >"$WORLD/begun" 2>"$WORLD/said"; echo $? >"$WORLD/code"
    GIT_TXN_ID=$(jq -r .txn "$WORLD/begun") git txn begin 2>"$WORLD/said2"; echo $? >>"$WORLD/code"
    git txn run -- true 2>>"$WORLD/said"; echo $? >>"$WORLD/code"'
  assert_eq "$(tr '\n' ' ' <"$WORLD/code")" '0 3 3 ' "$(cat "$WORLD/said" "$WORLD/said2")"
  assert_contains "$(cat "$WORLD/said2")" 'allows a depth of 1'
  local child parent
  child=$(jq -r .txn "$WORLD/begun")
  parent=$(sqlite3 .git/txn/kernel.db "select json_extract(body, '\$.parent') from txns where id = '$child'")
  assert_eq "$parent" "$(field .txn)"
  exits 0 git txn exec "$child" -- bash -c 'echo x >src/new.txt'
  exits 0 git txn commit "$child"
  assert_sound
}
test_case 'spawn limits: a transaction begun inside of another knows its parent, and no deeper than allowed' depth

bad_limits() {
  new_repo
  local text
  for text in 'concurrent = 0' 'concurrent = "3"' 'per_owner = -1' 'depth = 100' 'dept = 1'; do
    policy_of "[limits]
$text"
    exits 3 git txn begin
    assert_contains "$ERR" .gittxn.toml:2
  done
}
test_case 'spawn limits that make no sense are refused with their line' bad_limits

finish
