#!/usr/bin/env bash
# A hub: clones of two machines with one store on a PostgreSQL server, which land on one remote.
. "$(dirname "$0")/../postgres/here.sh"
. "$(dirname "$0")/lib.sh"
E2E_JOBS=4  # most of it waits for the grace of a connection that was lost

# A story that cuts all connections cuts its own: each has a database.
if [ -n "${E2E_CASE:-}" ]; then
  psql "$SERVER_URL" -qc "CREATE DATABASE e2e_$$"
  SERVER_URL=${SERVER_URL/'/postgres?'//e2e_$$?}
fi
SCHEMA=e2e_$$_$RANDOM
join() { exits 0 git txn init --store "$SERVER_URL" --hub origin --schema "${2:-$SCHEMA}" --clone "$1"; }
# A hub and two clones of it, each with its own home for worktrees; ends up in the first.
two_clones() {
  new_repo start
  git clone -q --bare . "$WORLD/hub.git"
  local name
  for name in one two; do
    git clone -q "$WORLD/hub.git" "$WORLD/$name"
    cd "$WORLD/$name"
    git config txn.worktreeRoot "$WORLD/worktrees-$name"
    join "$name"
  done
  at one
}
at() { cd "$WORLD/$1"; }
there() { git -C "$WORLD/hub.git" rev-parse -q --verify "${1:-main}" || echo none; }
fence() { there refs/txn/fence/main; }
sql() { psql "$SERVER_URL" -qAt -v ON_ERROR_STOP=1 -c "SET search_path TO $SCHEMA; $1"; }
person_pushes() { # FILE TEXT
  cd "$WORLD/start"
  git pull -q --ff-only "$WORLD/hub.git" main
  person_commits "$1" "$2"
  git push -q "$WORLD/hub.git" main
  cd "$OLDPWD"
}
# Both clones agree, and what is on the hub is what the log says.
sound() {
  local name
  for name in one two; do
    at $name
    assert_sound
    assert_lacks "$OUT$ERR" 'does not answer'
  done
  assert_eq "$(sql "SELECT head FROM branches WHERE name = 'refs/heads/main'")" "$(there)" 'log and hub'
  assert_eq "$(sql "SELECT fence FROM branches WHERE name = 'refs/heads/main'")" \
    "$(fence | sed 's/none//')" 'the fence in the log and on the hub'
  assert_eq "$(sql "SELECT new_head FROM landed WHERE txn <> '' ORDER BY seq")" \
    "$(git -C "$WORLD/hub.git" log --reverse --first-parent --grep='^Txn-Id: ' --format=%H main)" 'landings'
  at one
}

together() {
  two_clones
  lands 'cat src/f1.txt; echo x >src/new.txt'
  assert_eq "$(there)" "$(field .commit)"
  assert_eq "$(head_of)" "$(there)" 'the local branch follows'
  assert_clean_checkout
  at two
  assert_absent src/new.txt
  exits 0 git txn log
  assert_contains "$OUT" "$(there | cut -c1-7)"
  lands 'cat src/new.txt >src/copy.txt'
  assert_file src/copy.txt x
  person_pushes docs/theirs.md theirs
  at one
  lands 'cat docs/theirs.md >src/mine.txt'
  assert_file docs/theirs.md theirs
  sound
}
test_case 'two clones land on the hub, begin where it is, and their checkouts follow' together

certified() {
  two_clones
  agent 'cat src/f1.txt >copy.txt' --no-land
  local id
  id=$(field .txn)
  at two
  lands 'echo changed >src/f1.txt'
  exits 3 git txn commit "$id"
  assert_contains "$ERR" "$id belongs to the clone one"
  exits 3 git txn open "$id"
  exits 0 git txn show "$id"
  at one
  exits 1 git txn commit "$id" --json
  assert_eq "$(field '.conflicts[0].subject')" src/f1.txt
  at two
  exits 3 git txn abort "$id"
  at one
  exits 0 git txn abort "$id"
  exits 0 git txn gc --force
  sound
}
test_case 'what a transaction of one clone read, another clone changed: refused; its work stays its own' certified

shared_state() {
  two_clones
  exits 0 git txn lease acquire src --mandatory --ttl 1h --owner somebody --json
  local lease
  lease=$(field .id)
  at two
  exits 1 git txn lease acquire src/f1.txt --owner else
  agent 'echo x >src/f1.txt'
  assert_eq "$CODE $(field .state)" '1 prepared'
  ID=$(field .txn)
  exits 0 git txn sentinel nightly --every 1h
  # The policy is the hub's, whatever the clone's own branch is.
  cd "$WORLD/start"
  printf '[proposals]\nstart = "never"\n' >.gittxn.toml
  git add .gittxn.toml
  git commit -qm policy
  git push -q "$WORLD/hub.git" main
  at two
  exits 0 git txn propose 'write the lexer anew' --score 0.95 --json
  assert_eq "$(field .tier)" start
  local proposal
  proposal=$(field .proposal.id)
  exits 0 git fetch -q
  exits 1 git txn promote "$proposal" --json
  assert_eq "$(field .tier)" person
  at one
  exits 1 git txn sentinel nightly --every 1h
  exits 0 git txn lease release "$lease" --owner somebody
  at two
  exits 0 git txn commit "$ID"
  sound
}
test_case 'leases and sentinels of one clone hold in the other' shared_state

# kill_at POINT LANDED: the first clone dies there, the second finds out and goes on.
kill_at() {
  two_clones
  local point=$1 before landed=no
  before=$(there)
  killed_at "$point" git-txn run -- bash -c "cat src/f2.txt; echo $point >src/f1.txt"
  at two
  exits 0 git txn recover
  assert_contains "$OUT" 'hub'
  [ "$(there)" = "$before" ] || landed=yes
  assert_eq "$landed" "$2" "$point"
  lands "echo $point >src/f3.txt"
  sound
  at one
  exits 0 git txn status --json
  for ID in $(sql "SELECT id FROM txns WHERE state = 'prepared' ORDER BY id"); do
    exits 0 git txn abort "$ID"
  done
  sound
}
kill_when_prepared() { kill_at land.after_prepared no; }
kill_before_the_push() { kill_at hub.before_push no; }
kill_after_the_push() { kill_at hub.after_push yes; }
kill_before_landed() { kill_at land.before_landed yes; }
test_case 'a kill when it is Prepared: nothing landed, told by the other clone' kill_when_prepared
test_case 'a kill before the push: nothing landed, told by the other clone' kill_before_the_push
test_case 'a kill after the push: all landed, told by the other clone' kill_after_the_push
test_case 'a kill between the push and Landed: all landed, told by the other clone' kill_before_landed

# Stopped before its push, cut off from the server, given up by the other clone; its phase is closed by
# then, so it may not land. The branch has not moved: the fence alone speaks against it.
woken_late() {
  two_clones
  cd "$WORLD/start"
  printf '%s\n' '[workflow.plain]' 'phases = ["one", "two"]' 'on_close = { one = "drop" }' >.gittxn.toml
  git add .gittxn.toml
  git commit -qm policy
  git push -q "$WORLD/hub.git" main
  at one
  git pull -q
  exits 0 git txn workflow create plain --as w-1
  local before
  before=$(there)
  stopped_at hub.before_push git txn run --json --workflow w-1 -- bash -c 'echo x >src/late.txt'
  sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'git-txn' AND datname = current_database()" >/dev/null
  at two
  git pull -q
  exits 0 git txn recover
  assert_contains "$OUT" 'did not reach the hub'
  exits 0 git txn workflow skip w-1 --reason 'too slow'
  assert_eq "$(there)" "$before" 'the branch has not moved'
  kill -CONT "$STOPPED"
  ends 1
  assert_eq "$(there)" "$before" 'it landed into a phase that was closed'
  assert_eq "$(field .state)" rejected
  sound
}
test_case 'fencing: a lander that wakes up after its lock was lost and its phase was closed is refused' woken_late

# As a server that loses all its clients.
cut_all() {
  sql "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
    WHERE application_name = 'git-txn' AND datname = current_database()" >/dev/null
}
lost_owners() { sql "SELECT count(*) FROM events WHERE type = 'txn.owner.lost'"; }
# holder OPTION...: a lease on src of a command that runs until $WORLD/end is there
holder() {
  rm -f "$WORLD/ready" "$WORLD/end"
  git-txn lease acquire src --ttl 1h "$@" -- bash -c 'touch "$WORLD/ready"; until [ -e "$WORLD/end" ]; do sleep 0.05; done' \
    >"$WORLD/held" 2>&1 &
  HOLDER=$!
  wait_for "$WORLD/ready"
}

cut_owner() {
  two_clones
  holder --owner ann
  local n
  for n in 1 2 3; do
    cut_all
    at two
    exits 1 git txn lease acquire src --owner bob
    assert_contains "$ERR" 'ann has src'
    assert_contains "$ERR" 'wait for it with --wait 5m'
    at one
    exits 1 git txn lease acquire src --owner bob
  done
  touch "$WORLD/end"
  local got=0
  wait $HOLDER || got=$?
  assert_eq "$got" 0 "the owner went on: $(cat "$WORLD/held")"
  assert_eq "$(sql "SELECT count(*) FROM events WHERE type = 'lease.expired'")" 0
  at two
  exits 0 git txn lease acquire src --owner bob --json
  exits 0 git txn lease release "$(field .id)" --owner bob
  at one
  holder --owner ann
  kill -KILL $HOLDER
  at two
  exits 0 git txn lease acquire src --owner bob
  touch "$WORLD/end"
  lands 'echo x >docs/new.txt'
  sound
}
test_case 'an owner whose connection is cut keeps its lease; one that is dead has none after a grace' cut_owner

robbed() {
  two_clones
  holder --owner ann
  kill -STOP $HOLDER
  cut_all
  at two
  exits 0 git txn lease acquire src --owner bob --ttl 1h
  kill -CONT $HOLDER
  local got=0
  wait $HOLDER || got=$?
  assert_eq "$got" 1
  assert_contains "$(cat "$WORLD/held")" 'the command was ended'
  assert_contains "$(cat "$WORLD/held")" 'bob has src now'
  lands 'echo x >docs/new.txt'
  sound
}
test_case 'an owner that was stopped and cut off is told at once who has its lease' robbed

cut_run() {
  two_clones
  start_run -- 'meet; echo x >src/new.txt'
  met
  cut_all
  at two
  exits 0 git txn recover
  exits 0 git txn status
  assert_eq "$(lost_owners)" 0 'a live run passed for dead'
  cut_all
  at one
  exits 0 git txn recover
  ID=$(sql "SELECT id FROM txns WHERE state = 'open'")
  exits 1 git txn commit "$ID"
  assert_eq "$(lost_owners)" 0 'a live run passed for dead in its own clone'
  go_on
  ends 0
  assert_eq "$(there)" "$(field .commit)"
  start_run -- 'meet 2; sleep 60'
  met 2
  kill -KILL "$RUN_PID"
  at two
  exits 0 git txn recover
  assert_eq "$(lost_owners)" 1 'a dead run is marked after a grace'
  at one
  start_run -- 'meet 3; sleep 60'
  met 3
  kill -KILL "$RUN_PID"
  wait "$RUN_PID" || assert_eq "$?" 137
  exits 0 git txn recover
  assert_contains "$OUT" 'its process exited'
  sound
}
test_case 'a run whose connection is cut goes on and lands; one that is dead is taken for that' cut_run

same_name() {
  two_clones
  git clone -q "$WORLD/hub.git" "$WORLD/three"
  at three
  git config txn.worktreeRoot "$WORLD/worktrees-three"
  exits 3 git txn init --store "$SERVER_URL" --hub origin --schema "$SCHEMA" --clone one
  assert_contains "$ERR" "another clone of this hub is called 'one'"
  assert_contains "$ERR" 'give this one another name with --clone'
  [ -z "$(git config txn.hub)" ] || fail 'joined half'
  join three
  lands 'echo x >src/three.txt'
  # One that stands in for a clone that is gone says so.
  rm -rf "$WORLD/two"
  git clone -q "$WORLD/hub.git" "$WORLD/two"
  at two
  git config txn.worktreeRoot "$WORLD/worktrees-two"
  exits 3 git txn init --store "$SERVER_URL" --hub origin --schema "$SCHEMA" --clone two
  bash -c "$(printf '%s\n' "$ERR" | sed -n "s/.*\(git config txn.cloneNote '[^']*'\).*/\1/p")"
  join two
  lands 'echo x >src/two.txt'
  sound
}
test_case 'two clones cannot have one name; one may stand in for another that is gone' same_name

rewound() {
  two_clones
  printf '#!/bin/sh\nwhile read -r old new ref; do echo "$1 $ref" >>"$HOME/told"; done\n' \
    >.git/hooks/reference-transaction
  chmod +x .git/hooks/reference-transaction
  lands 'echo x >src/new.txt'
  assert_contains "$(cat "$HOME/told" 2>/dev/null || echo nothing)" 'committed refs/heads/main'
  local lost
  lost=$(there)
  git -C "$WORLD/hub.git" update-ref refs/heads/main "$lost^"
  at two
  lands 'echo y >src/other.txt'
  assert_contains "$(field '.notes | tostring')$ERR" "was rewound from ${lost:0:7}"
  assert_sound
}
test_case 'a hub that was rewound is told of; the hook of a clone hears of its own branch' rewound

copied() {
  two_clones
  open_work 'echo x >src/new.txt'
  local verb before
  cp -r "$WORLD/one" "$WORLD/copy"
  at copy
  before=$(sql 'SELECT count(*) FROM events')
  for verb in "abort $ID" 'gc --force' "commit $ID" 'run -- true' 'status' 'recover' 'lease acquire src' 'sentinel n --every 1h'; do
    # shellcheck disable=SC2086
    exits 3 git txn $verb
    assert_contains "$ERR" "this is a copy of the clone 'one'"
    assert_contains "$ERR" '--clone NEWNAME'
  done
  exits 3 git txn init --store "$SERVER_URL" --hub origin --schema "$SCHEMA"
  exits 3 git txn init --store "$SERVER_URL" --hub origin --schema "$SCHEMA" --clone one
  assert_contains "$ERR" "this is a copy of the clone 'one'"
  exits 3 git txn init --store "$SERVER_URL" --hub origin --schema "$SCHEMA" --clone two
  assert_contains "$ERR" "another clone of this hub is called 'two'"
  exits 3 git txn status
  assert_eq "$(sql 'SELECT count(*) FROM events')" "$before" 'the copy wrote something'
  local point
  for point in api.init.noted api.init.claimed; do
    killed_at "$point" git-txn init --store "$SERVER_URL" --hub origin --schema "$SCHEMA" --clone copy
    exits 3 git txn status
  done
  join copy
  exits 3 git txn abort "$ID"
  assert_contains "$ERR" "$ID belongs to the clone one"
  exits 0 git txn gc --force
  git config txn.worktreeRoot "$WORLD/worktrees-copy"
  lands 'echo x >src/copy.txt'
  at one
  exits 0 git txn commit "$ID"
  # A clone that is moved within its file system is the same one.
  mv "$WORLD/one" "$WORLD/moved"
  at moved
  exits 0 git txn status
  mv "$WORLD/moved" "$WORLD/one"
  sound
}
test_case 'a copy of a clone is refused before it changes anything, until it has a name of its own' copied

away() {
  two_clones
  open_work 'echo x >src/new.txt'
  mv "$WORLD/hub.git" "$WORLD/gone.git"
  exits 2 git txn run -- true
  assert_contains "$ERR" 'the hub origin does not answer'
  exits 1 git txn commit "$ID"
  assert_contains "$OUT$ERR" 'the remote does not answer'
  exits 0 git txn status
  mv "$WORLD/gone.git" "$WORLD/hub.git"
  exits 0 git txn commit "$ID"
  sound
}
test_case 'a hub that is away: a clear wait, nothing lost' away

server_away() {
  two_clones
  lands 'echo x >src/new.txt'
  git config txn.store 'postgresql:///postgres?host=/nonexistent'
  exits 2 git txn run -- true
  assert_contains "$ERR" 'cannot be reached'
  exits 2 git txn status
  git config txn.store "$SERVER_URL"
  git config txn.storeSchema "${SCHEMA}_none"
  exits 2 git txn run -- true
  assert_contains "$ERR" 'there is no git-txn store'
  git config txn.storeSchema "$SCHEMA"
  git config txn.log urn:git-txn:log:00000000-0000-4000-8000-000000000000
  exits 3 git txn run -- true
  assert_contains "$ERR" 'another log'
}
test_case 'a server that is away, or has no store, or another log: a clear stop' server_away

initiations() {
  new_repo
  git clone -q --bare . "$WORLD/hub.git"
  exits 3 git txn init
  assert_contains "$ERR" 'needs no init'
  exits 3 git txn init --store "$SERVER_URL"
  exits 3 git txn init --store "$SERVER_URL" --hub origin
  assert_contains "$ERR" "no remote 'origin'"
  git remote add origin "$WORLD/hub.git"
  exits 3 git txn init --store 'postgresql://txn:secret@localhost/txn' --hub origin
  assert_contains "$ERR" '.pgpass'
  assert_lacks "$ERR" secret
  exits 3 git txn init --store 'postgresql://[' --hub origin
  exits 3 git txn init --store "$SERVER_URL" --hub origin --clone 'a b'
  exits 3 git txn init --store "$SERVER_URL" --hub origin --schema 'A;B'
  exits 2 git txn init --store 'postgresql:///postgres?host=/nonexistent' --hub origin
  open_work 'echo x >src/new.txt'
  exits 3 git txn init --store "$SERVER_URL" --hub origin --schema "$SCHEMA"
  assert_contains "$ERR" "$ID"
  exits 0 git txn abort "$ID"
  [ -z "$(git config txn.hub)" ] || fail 'joined half'
  exits 0 git txn init --store "$SERVER_URL" --hub origin --schema "$SCHEMA" --json
  assert_eq "$(field .already)" false
  assert_contains "$(field .clone)" "$(hostname | cut -d. -f1 | cut -c1-8)"
  exits 0 git txn init --store "$SERVER_URL" --hub origin --schema "$SCHEMA" --json
  assert_eq "$(field .already)" true
  exits 3 git txn init --store "$SERVER_URL" --hub origin --schema "${SCHEMA}_b"
  lands 'echo x >src/new.txt'
  # Another store for the same hub, and the same store for another hub.
  git clone -q "$WORLD/hub.git" "$WORLD/two"
  cd "$WORLD/two"
  exits 3 git txn init --store "$SERVER_URL" --hub origin --schema "${SCHEMA}_b"
  assert_contains "$ERR" 'in another log'
  git clone -q --bare . "$WORLD/other.git"
  git remote set-url origin "$WORLD/other.git"
  exits 3 git txn init --store "$SERVER_URL" --hub origin --schema "$SCHEMA"
  assert_contains "$ERR" 'does not know it'
}
test_case 'init: what is refused, and what a second time does' initiations

init_killed() {
  new_repo
  git clone -q --bare . "$WORLD/hub.git"
  git remote add origin "$WORLD/hub.git"
  local point
  for point in api.init.store_made api.init.marked api.init.configured; do
    killed_at "$point" git-txn init --store "$SERVER_URL" --hub origin --schema "$SCHEMA" --clone one
    join one
    git config --unset txn.hub
  done
  join one
  lands 'echo x >src/new.txt'
  assert_eq "$(there)" "$(head_of)"
}
test_case 'init: a kill at each point, and the same again' init_killed

finish
