#!/usr/bin/env bash
# Leases and sentinels: who has a part of the tree, who waits for it, and what that keeps off.
. "$(dirname "$0")/lib.sh"

# lease ARGUMENT...: acquires, its id in $ID
lease() { exits 0 git txn lease acquire "$@" --json; ID=$(field .id); }
events() { # TYPE: how many there are
  sqlite3 .git/txn/kernel.db "SELECT count(*) FROM events WHERE type = '$1'"
}

had_renewed_and_released() {
  new_repo
  lease src --ttl 1h
  assert_eq "$(field .owner) $(field .sharing) $(field .force) $(field .state)" \
    'pat@example.org exclusive advisory held'
  assert_eq "$(field .fence)" "${ID#l-}"
  exits 1 git txn lease acquire 'src/**/*.txt' --owner bob
  assert_contains "$ERR" "pat@example.org has src ($ID)"
  exits 1 git txn lease acquire docs src --owner bob --json
  assert_eq "$(field .error.code)" busy 'it did not wait'
  assert_contains "$OUT$ERR" 'src is not to be had'
  assert_lacks "$OUT$ERR" 'docs, src is not' 'docs is free'
  exits 1 git txn lease acquire src --owner bob --wait 100ms --json
  assert_eq "$(field .error.code)" timeout
  # One's own lease is in the way like any other; nobody else can give it back.
  exits 1 git txn lease acquire src
  assert_contains "$ERR" "you have it yourself; give it back with: git txn lease release $ID"
  exits 1 git txn lease acquire src --wait 100ms -- true
  assert_contains "$ERR" "note: pat@example.org has src ($ID); you have it yourself"
  exits 0 git txn lease acquire docs --owner bob
  exits 3 git txn lease release "$ID" --owner bob
  assert_contains "$ERR" "pat@example.org's"
  exits 0 git txn lease renew "$ID" --ttl 2h --json
  [ "$(field .left_ms)" -gt 7000000 ] || fail "not renewed: $OUT"
  exits 0 git txn lease transfer "$ID" --to bob --json
  assert_eq "$(field .owner)" bob
  local fence
  fence=$(field .fence)
  exits 3 git txn lease release "$ID"
  # It has been somebody else's, whoever's it is now.
  exits 1 git txn lease renew "$ID" --owner bob --fence "${ID#l-}"
  assert_contains "$ERR" "not ${ID#l-}: it was given on meanwhile"
  exits 3 git txn lease renew "$ID" --owner bob --fence x
  exits 3 git txn lease acquire docs --fence 5
  exits 0 git txn lease release "$ID" --owner bob --fence "$fence"
  exits 1 git txn lease renew "$ID" --owner bob
  assert_contains "$ERR" 'is lost: released'
  exits 0 git txn lease acquire src --shared
  exits 0 git txn lease acquire src/f1.txt --shared --owner bob
  exits 0 git txn status
  assert_contains "$OUT" 'lease on src/f1.txt: bob'
  exits 0 git txn lease list --json
  assert_eq "$(printf '%s\n' "$OUT" | jq -r '.subjects[0]' | sort | tr '\n' ' ')" 'docs src src/f1.txt '
  assert_sound
}
test_case 'a lease is had, renewed, handed on and released, and who has it is named' had_renewed_and_released

bad_input() {
  new_repo
  local bad
  for bad in /etc ../x a/../b a//b .git .git/hooks '' 'a/[bc]*' '**/**/**/x' symbol: symbol:no/such.py/f.; do
    exits 3 git txn lease acquire "$bad"
    [ -n "$ERR" ] || fail "no word about '$bad'"
  done
  for bad in 0 -5m 400d 8d abc 5; do exits 3 git txn lease acquire src "--ttl=$bad"; done
  exits 3 git txn lease acquire
  exits 3 git txn lease acquire src --shared --exclusive
  exits 3 git txn lease acquire src --mandatory --shared
  exits 3 git txn lease renew l-12345
  assert_contains "$ERR" "no lease 'l-12345'"
  exits 3 git txn lease release
  exits 3 git txn lease steal l-1
  exits 3 git txn lease list src
  exits 3 git txn lease acquire src --
  exits 3 git txn lease acquire src -- no-such-program
  exits 0 git txn lease list
  assert_eq "$OUT" 'no leases'
  agent 'git txn lease acquire src; echo $? >"$WORLD/inside"; git txn lease list; echo x >src/new.txt'
  assert_file "$WORLD/inside" 3
}
test_case 'bad leases are refused with the reason, and nothing is leased' bad_input

symbols() {
  new_repo
  printf 'def one():\n    return 1\n\n\ndef two():\n    return 2\n' >src/code.py
  git add -A; git commit -qm code
  local one
  one=$(git txn symbols src/code.py --name one --json | jq -r .symbol)
  lease "symbol:$one" --mandatory --owner bob
  assert_lacks "$ERR" 'no such symbol' 'it is there'
  exits 0 git txn lease acquire 'symbol:src/code.py/onne().'
  assert_contains "$ERR" 'there is no such symbol on main: symbol:src/code.py/onne().'
  exits 0 git txn lease acquire "symbol:$(git txn symbols src/code.py --name two --json | jq -r .symbol)"
  exits 1 git txn lease acquire 'src/*.py'
  lands 'sed -i "s/return 2/return 22/" src/code.py' --owner eve
  agent 'sed -i "s/return 1/return 11/" src/code.py' --owner eve --wait 0
  assert_eq "$CODE $(field .state) $(field .waiting.reason)" '1 prepared lease'
  assert_sound
}
test_case 'a symbol is leased in its file: other functions of the file may be changed' symbols

of_a_transaction() {
  new_repo
  exits 0 git txn begin --json
  local first
  first=$(field .txn)
  exits 0 git txn lease acquire src/nowhere --for "$first"
  assert_contains "$ERR" 'there is no such path on main: src/nowhere'
  exits 0 git txn lease acquire src/f1.txt --mandatory --for "$first" --json
  assert_lacks "$ERR" 'no such path'
  assert_eq "$(field .txn) $(field .owner)" "$first $first"
  agent 'echo theirs >src/f1.txt' --wait 0
  assert_eq "$CODE $(field .state) $(field .waiting.reason)" '1 prepared lease' 'one person, two agents'
  local second
  second=$(field .txn)
  exits 0 git txn exec "$first" -- sh -c 'echo mine >src/other.txt'
  exits 0 git txn commit "$first"
  exits 0 git txn commit "$second" --json
  assert_eq "$(field .state)" landed 'it ended with its transaction'
  exits 3 git txn lease acquire src --for "$first"
  assert_contains "$ERR" "$first is landed"
  assert_sound
}
test_case 'a lease of a transaction keeps the other agents of the same person out, and ends with it' of_a_transaction

mandatory() {
  new_repo
  lease 'src/f*.txt' --mandatory --owner bob
  agent 'echo x >src/f1.txt' --wait 0
  assert_eq "$CODE $(field .state)" '1 prepared'
  local waiting
  waiting=$(field .txn)
  assert_eq "$(field .waiting.reason)" lease
  assert_contains "$(field .waiting.subject)" "$ID of bob on src/f1.txt"
  exits 0 git txn why "$waiting"
  assert_contains "$OUT" 'git txn lease list'
  lands 'echo x >docs/other.md'
  lands 'echo bob >src/f2.txt' --owner bob
  exits 0 git txn lease release "$ID" --owner bob
  exits 0 git txn commit "$waiting" --json
  assert_eq "$(field .state)" landed
  assert_sound
}
test_case 'a mandatory lease keeps others from landing there, and its owner not' mandatory

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

advisory() {
  new_repo
  lease src --owner bob
  lands 'echo x >src/f1.txt'
  assert_contains "$ERR$OUT" "src/f1.txt is leased to bob ($ID, advisory)"
}
test_case 'an advisory lease is told to who writes there' advisory

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

script_has_exited() {
  new_repo
  bash -c 'git txn lease acquire src --ttl 5s' >"$WORLD/script"
  exits 1 git txn lease acquire src --owner bob
  exits 0 git txn lease acquire src --owner bob --wait 60s
  assert_eq "$(events lease.expired)" 1
  assert_sound
}
test_case 'a script that has exited holds its lease until its time is over' script_has_exited

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
  exits 0 git txn sentinel list
  assert_eq "$OUT" 'no intervals run'
  exits 0 git txn lease list
  assert_eq "$OUT" 'no leases'
  exits 0 git txn sentinel nightly --every 1h
  assert_eq "$OUT" 'passed: the next nightly in 1 h'
  exits 1 git txn sentinel nightly --every 1h
  assert_contains "$OUT" 'the next nightly in'
  exits 1 git txn sentinel nightly --every 1h --json
  assert_eq "$(field .passed)" false
  exits 0 git txn sentinel list
  assert_contains "$OUT" nightly
  exits 0 git txn sentinel reset nightly
  exits 3 git txn sentinel reset nightly
  exits 3 git txn sentinel nightly
  exits 3 git txn sentinel nightly --every 0
  exits 3 git txn sentinel list --every 1h
  assert_contains "$ERR" 'git txn sentinel list does not take --every'
  exits 3 git txn sentinel a b --every 1h
  assert_contains "$ERR" "git txn sentinel does not take 'b'"
  exits 3 git txn sentinel reset
  assert_contains "$ERR" 'git txn sentinel reset needs the name of one'
  exits 3 git txn sentinel list nightly
  assert_contains "$ERR" "git txn sentinel list does not take 'nightly'"
  exits 3 git txn sentinel '' --every 1h
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
