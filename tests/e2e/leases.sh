#!/usr/bin/env bash
# Leases and sentinels: who has a part of the tree, who waits for it, and what that keeps off.
. "$(dirname "$0")/lib.sh"
E2E_JOBS=3  # much of it waits for others

# lease ARGUMENT...: acquires, its id in $ID
lease() { exits 0 git txn lease acquire "$@" --json; ID=$(field .id); }
events() { # TYPE: how many there are
  sqlite3 .git/txn/kernel.db "SELECT count(*) FROM events WHERE type = '$1'"
}

mandatory_waits() {
  new_repo
  lease src --mandatory --owner bob
  start_run --wait 60s -- 'echo x >src/f1.txt'
  local n=0
  until git txn status --json | jq -e '[.transactions[]?.waiting.reason] | index("lease")' >"$WORLD/waits"; do
    n=$((n + 1)); [ $n -lt 300 ] || fail 'it never waited for the lease'
    sleep 0.1
  done
  exits 0 git txn lease release "$ID" --owner bob
  ends 0
  assert_eq "$(field .state)" landed
}
test_case 'a landing waits for a mandatory lease, and lands when it is over' mandatory_waits

under_a_lease() {
  new_repo
  exits 7 git txn lease acquire src -- bash -c 'echo "$GIT_TXN_LEASE $GIT_TXN_FENCE" >"$WORLD/env"
    git txn lease acquire src --owner bob && echo had >"$WORLD/had"; exit 7'
  assert_absent "$WORLD/had"
  [ -s "$WORLD/env" ] || fail 'the command does not know its lease'
  exits 0 git txn lease list
  assert_eq "$OUT" 'no leases' 'it ends with the command'
  git-txn lease acquire src -- bash -c 'touch "$WORLD/ready"; exec sleep 60' >"$WORLD/held" 2>&1 &
  local holder=$!
  wait_for "$WORLD/ready"
  exits 1 git txn lease acquire src --owner bob
  exits 1 git txn lease acquire src --owner bob --wait 200ms
  assert_eq "$(events lease.queued)" 1
  kill -KILL $holder
  exits 0 git txn lease acquire src --owner bob --wait 10s
  assert_sound
}
test_case 'a lease of a command lives as long as it; a dead owner has nothing' under_a_lease

stopped_owner() {
  new_repo
  git-txn lease acquire src --ttl 6s -- bash -c 'touch "$WORLD/ready"; exec sleep 300' >"$WORLD/held" 2>&1 &
  local holder=$!
  wait_for "$WORLD/ready"
  kill -STOP $holder
  exits 1 git txn lease acquire src --owner bob
  exits 0 git txn lease acquire src --owner bob --wait 60s --ttl 1h
  kill -CONT $holder
  local got=0
  wait $holder || got=$?
  assert_eq "$got" 1
  assert_contains "$(cat "$WORLD/held")" 'the command was ended'
  assert_contains "$(cat "$WORLD/held")" 'bob has src now'
  assert_sound
}
test_case 'F3: an owner that is stopped for longer than its lease is told who has it' stopped_owner

of_a_run() {
  new_repo
  start_run --lease src --lease 'docs/*.md' -- 'meet; echo x >src/f1.txt'
  met
  exits 1 git txn lease acquire src/f1.txt
  assert_contains "$ERR" 't-'
  exits 0 git txn lease list --json
  assert_eq "$(field '.txn == .owner') $(field '.subjects | length')" 'true 2'
  go_on
  ends 0
  exits 0 git txn lease list
  assert_eq "$OUT" 'no leases'
  start_run --lease src -- 'meet 2'
  met 2
  kill -KILL "$RUN_PID"
  exits 0 git txn lease acquire src --wait 10s
  exits 1 git txn run --lease src --wait 100ms -- true
  assert_contains "$ERR" 'has src'
  assert_sound
}
test_case 'run --lease holds it for the transaction, and dies with it' of_a_run

taken_meanwhile() {
  new_repo
  stopped_at land.before_landing_lock git-txn run --json --wait 0 -- bash -c 'echo x >src/f1.txt'
  lease src --mandatory --owner bob
  kill -CONT "$STOPPED"
  ends 1
  assert_eq "$(field .state) $(field .waiting.reason)" 'prepared lease'
  assert_eq "$(git rev-list --count main)" 1
  assert_sound
}
test_case 'a lease that is had while gates run counts where the branch moves' taken_meanwhile

one_in_line_each() {
  new_repo
  local n
  lease src --ttl 1h
  for n in 1 2 3 4; do
    git-txn lease acquire src --owner "w$n" --wait 60s -- bash -c "echo $n >>'$WORLD/order'" &
    local tries=0
    until [ "$(events lease.queued)" = "$n" ]; do
      tries=$((tries + 1)); [ $tries -lt 300 ] || fail "w$n never stood in line"
      sleep 0.05
    done
  done
  exits 0 git txn lease release "$ID"
  wait
  assert_eq "$(tr '\n' ' ' <"$WORLD/order")" '1 2 3 4 '
  assert_sound
}
test_case 'F8: the line is first come, first served' one_in_line_each

sentinel() {
  new_repo
  local n
  for n in 1 2 3 4 5 6 7 8; do
    { git-txn sentinel many --every 1h && echo passed >>"$WORLD/passed"; } >"$WORLD/s$n" 2>&1 &
  done
  wait
  assert_file "$WORLD/passed" passed
  assert_sound
}
test_case 'a sentinel lets one through in an interval, of any number at once' sentinel
finish
