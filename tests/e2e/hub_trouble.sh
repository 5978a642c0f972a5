#!/usr/bin/env bash
# A hub in trouble: remotes that lead elsewhere, commands that come late, clones that come and go.
. "$(dirname "$0")/../postgres/here.sh"
. "$(dirname "$0")/lib.sh"

SCHEMA=trouble_$$_$RANDOM
join() { git txn init --store "$SERVER_URL" --hub origin --schema "$SCHEMA" --clone "$1"; }
at() { cd "$WORLD/$1"; }
there() { git -C "$WORLD/${2:-hub}.git" rev-parse -q --verify "${1:-main}" || echo none; }
sql() { psql "$SERVER_URL" -qAt -v ON_ERROR_STOP=1 -c "SET search_path TO $SCHEMA; $1"; }
# clone_of HUB NAME: not joined yet
clone_of() {
  git clone -q "$WORLD/$1.git" "$WORLD/$2"
  git -C "$WORLD/$2" config txn.worktreeRoot "$WORLD/worktrees-$2"
}
two_clones() {
  new_repo start
  git clone -q --bare . "$WORLD/hub.git"
  local name
  for name in one two; do
    clone_of hub $name
    at $name
    exits 0 join $name
  done
  at one
}
person_pushes() { # FILE TEXT
  cd "$WORLD/start"
  git pull -q --ff-only "$WORLD/hub.git" main
  person_commits "$1" "$2"
  git push -q "$WORLD/hub.git" main
  cd "$OLDPWD"
}
sound() {
  local name
  for name in one two; do
    at $name
    assert_sound
  done
  assert_eq "$(sql "SELECT head FROM branches WHERE name = 'refs/heads/main'")" "$(there)" 'log and hub'
  assert_eq "$(sql "SELECT fence FROM branches WHERE name = 'refs/heads/main'")" \
    "$(there refs/txn/fence/main)" 'the fence in the log and on the hub'
  at one
}

restarted() {
  two_clones
  local run
  git txn run --wait 60s -- sh -c 'touch "$WORLD/runs"; while [ ! -e "$WORLD/go" ]; do sleep 0.1; done; echo x >src/x.txt' \
    >"$WORLD/out" 2>"$WORLD/err" &
  run=$!
  until [ -e "$WORLD/runs" ]; do sleep 0.1; done
  "$RESTART_SERVER" >"$WORLD/restart" 2>&1 &
  sleep 0.3
  touch "$WORLD/go"
  wait $run || fail "a restart ended the run: $(cat "$WORLD/out" "$WORLD/err")"
  wait
  assert_contains "$(cat "$WORLD/out")" landed
  assert_eq "$(git -C "$WORLD/hub.git" show main:src/x.txt)" x
  sound
}
test_case 'a restart of the server is waited for by run --wait' restarted

# Ends the server and starts it again after a second; what waits meanwhile has nobody to talk to.
away() {
  "$RESTART_SERVER" >"$WORLD/restart" 2>&1 &
  sleep 0.3
}
restarted_in_steps() {
  two_clones
  local id
  away
  exits 0 git txn begin --wait 60s -q
  id=$OUT
  wait
  git txn exec "$id" --wait 60s -- sh -c 'touch "$WORLD/runs"; while [ ! -e "$WORLD/go" ]; do sleep 0.1; done; echo x >src/x.txt' \
    >"$WORLD/out" 2>"$WORLD/err" &
  local run=$!
  until [ -e "$WORLD/runs" ]; do sleep 0.1; done
  away
  touch "$WORLD/go"
  wait $run || fail "a restart ended the command's record: $(cat "$WORLD/out" "$WORLD/err")"
  wait
  away
  exits 0 git txn lease acquire src --wait 60s
  wait
  exits 0 git txn commit "$id" --json
  assert_eq "$(field '.read_set.status')" complete 'the end of its command is on record'
  assert_eq "$(git -C "$WORLD/hub.git" show main:src/x.txt)" x
  sound
}
test_case 'a restart of the server is waited for by begin, exec and lease acquire --wait' restarted_in_steps

elsewhere() {
  two_clones
  lands 'echo x >src/x.txt'
  open_work 'echo y >src/y.txt'
  local before
  before=$(there)
  git clone -q --bare "$WORLD/hub.git" "$WORLD/other.git"
  git remote set-url origin "$WORLD/other.git"
  exits 3 git txn run -- true
  assert_contains "$ERR" 'the hub origin has no refs/txn/log'
  exits 3 git txn commit "$ID"
  assert_eq "$(there main other)" "$before" 'it landed on another repository'
  git remote set-url origin "$WORLD/hub.git"
  git remote set-url --add --push origin "$WORLD/hub.git"
  git remote set-url --add --push origin "$WORLD/other.git"
  exits 3 git txn commit "$ID"
  assert_contains "$ERR" 'what is pushed to the remote origin goes to 2 places'
  assert_eq "$(there) $(there main other)" "$before $before"
  git config --replace-all remote.origin.pushurl "$(git remote get-url origin)"
  exits 0 git txn commit "$ID"
  sound
}
test_case 'a remote that leads elsewhere, or to two places: refused, and nothing lands anywhere' elsewhere

pushed_elsewhere() {
  new_repo start
  git clone -q --bare . "$WORLD/hub.git"
  git clone -q --bare . "$WORLD/fork.git"
  clone_of hub one
  at one
  git config remote.origin.pushurl "$WORLD/fork.git"
  exits 3 join one
  assert_contains "$ERR" 'goes elsewhere than where it is asked'
  assert_eq "$(there refs/txn/log) $(there refs/txn/log fork)" 'none none'
  git config --unset remote.origin.pushurl
  exits 0 join one
  lands 'echo x >src/x.txt'
  assert_eq "$(there)" "$(field .commit)"
}
test_case 'init: a remote that is pushed to elsewhere is no hub' pushed_elsewhere

# Neither knows of the other, and no hub has a mark yet.
two_hubs() {
  local name
  for name in one two; do
    new_repo "$WORLD/start-$name"
    git clone -q --bare . "$WORLD/hub-$name.git"
    clone_of "hub-$name" $name
  done
  at one
  stopped_at api.init.store_made git-txn init --store "$SERVER_URL" --hub origin --schema "$SCHEMA" --clone one
  at two
  exits 0 join two
  kill -CONT "$STOPPED"
  ends 3
  assert_contains "$ERR" 'does not know it'
  assert_eq "$(there refs/txn/log hub-one)" none
  lands 'echo x >src/x.txt'
  at one
  exits 3 join one
  SCHEMA=${SCHEMA}_b
  killed_at api.init.first git-txn init --store "$SERVER_URL" --hub origin --schema "$SCHEMA" --clone one
  at two
  git config --unset txn.hub
  exits 3 join other
  assert_contains "$ERR" 'another'
  at one
  exits 0 join one
  lands 'echo x >src/x.txt'
}
test_case 'init: of two hubs that come to one new store at once, one has it' two_hubs

in_line() { # N: so many tickets are taken
  local n=0
  until [ "$(sql 'SELECT count(*) FROM tickets')" = "$1" ]; do
    n=$((n + 1))
    [ $n -lt 300 ] || fail "never $1 in line: $(cat "$WORLD"/waiter-*)"
    sleep 0.05
  done
}
cut_waiter() {
  two_clones
  stopped_at land.after_turn git-txn run -- bash -c 'echo x >src/a.txt'
  at two
  PGAPPNAME=waiter git-txn run -- bash -c 'echo x >src/b.txt' >"$WORLD/waiter-two" 2>&1 </dev/null &
  local two=$!
  in_line 1
  at one
  git-txn run -- bash -c 'echo x >src/c.txt' >"$WORLD/waiter-one" 2>&1 </dev/null &
  local one=$! n cut=0
  in_line 2
  for n in 1 2 3 4 5 6 7 8; do
    cut=$((cut + $(sql "SELECT count(pg_terminate_backend(pid, 1000)) FROM pg_locks
      JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND application_name = 'waiter'")))
    sleep 0.3
  done
  [ $cut -ge 2 ] || fail "cut off $cut times"
  kill -CONT "$STOPPED"
  ends 0
  wait $two || fail "the one that was cut off: $(cat "$WORLD/waiter-two")"
  wait $one || fail "the one behind it: $(cat "$WORLD/waiter-one")"
  assert_eq "$(sql "SELECT count(*) FROM events WHERE payload LIKE '%its owner died%'")" 0
  sound
}
test_case 'a waiter in line whose connection is cut keeps its place' cut_waiter

late_resolver() {
  two_clones
  lands 'echo x >src/first.txt'
  killed_at hub.before_push git-txn run -- bash -c 'echo x >src/a.txt'
  at two
  stopped_at hub.resolve.asked git-txn recover
  sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'git-txn'" >/dev/null
  at one
  exits 0 git txn recover
  ID=$(sql "SELECT id FROM txns WHERE state = 'prepared'")
  exits 0 git txn commit "$ID"
  lands 'echo x >src/b.txt'
  kill -CONT "$STOPPED"
  ends 0
  assert_lacks "$OUT$ERR" force
  at two
  lands 'echo x >src/c.txt'
  sound
}
test_case 'recover: whoever was held up while others went on looks again, and is no stop' late_resolver

hooks_here() {
  two_clones
  printf '#!/bin/sh\necho "$0" >>%s/hooked\n' "$WORLD" >.git/hooks/post-merge
  chmod +x .git/hooks/post-merge
  lands 'echo x >src/a.txt'
  [ -e "$WORLD/hooked" ] || fail 'the branch followed, and no hook was told'
  rm "$WORLD/hooked"
  person_commits src/mine.txt mine
  lands 'echo x >src/b.txt'
  assert_contains "$OUT$ERR" 'did not follow'
  assert_absent "$WORLD/hooked"
  git reset -q --hard HEAD~1
  lands 'echo x >src/c.txt'
  [ -e "$WORLD/hooked" ] || fail 'no hook was told any more'
  sound
}
test_case 'post-merge is run in a checkout that has followed, and in no other' hooks_here

ignored() {
  two_clones
  lands 'echo x >src/first.txt'
  echo conf.local >>.git/info/exclude
  echo mine >conf.local
  person_pushes conf.local theirs
  lands 'echo x >src/a.txt'
  assert_contains "$OUT$ERR" 'conf.local'
  assert_file conf.local mine
  git -c sequence.editor='sed -i s/^pick/edit/' rebase -q -i HEAD~1 2>"$WORLD/.rebase"
  local head
  head=$(git rev-parse HEAD)
  lands 'echo x >src/b.txt' --onto main
  assert_eq "$(git rev-parse HEAD)" "$head" 'the person was moved in the middle of a rebase'
  git rebase --abort
  sound
}
test_case 'a file that is ignored, and a rebase in progress, are left alone' ignored

left_and_back() {
  two_clones
  at two
  open_work 'echo x >src/x.txt'
  git config --unset txn.hub
  exits 0 join second
  exits 0 git txn gc
  exits 0 git txn gc --force
  exits 3 git txn commit "$ID"
  assert_contains "$ERR" 'belongs to the clone two'
  at one
  lands 'echo x >src/a.txt'
  sound
}
test_case 'gc: what a clone left under another name stops nothing' left_and_back

landed_before() {
  new_repo start
  git clone -q --bare . "$WORLD/hub.git"
  clone_of hub one
  clone_of hub two
  at one
  lands 'echo x >src/a.txt'
  git push -q origin main
  exits 0 join one
  lands 'echo x >src/b.txt'
  at two
  exits 0 join two
  sound
}
test_case 'verify: what landed here before there was a hub is no damage' landed_before

finish
