#!/usr/bin/env bash
# Bad input: a message with the thing, the reason and the next step, the right exit code, nothing changed.
. "$(dirname "$0")/lib.sh"
E2E_JOBS=2  # one waits for a locked store

refused() { # CODE WORD COMMAND...
  local code=$1 word=$2
  shift 2
  exits "$code" "$@"
  assert_contains "$ERR" "$word"
}

not_a_repository() { refused 3 'not a git repository' git-txn run -- true; }
test_case 'refused by name: not a repository' not_a_repository
empty_repository() {
  git init -q repo; cd repo
  refused 3 'no commit' git-txn run -- true
  assert_absent .git/txn/kernel.db
}
test_case 'refused by name: empty repository, unborn branch' empty_repository
sha256_repository() {
  git init -q --object-format=sha256 repo; cd repo
  git commit -q --allow-empty -m x
  refused 3 'SHA-256' git-txn run -- true
}
test_case 'refused by name: SHA-256 objects' sha256_repository
detached_head() {
  new_repo
  git checkout -q --detach
  refused 3 '--onto' git-txn run -- true
  lands 'echo x >src/new.txt' --onto main
  assert_eq "$(git rev-parse HEAD)" "$(git rev-parse main~1)"
}
test_case 'a detached head needs --onto' detached_head
unknown_branch() { new_repo; refused 3 nowhere git-txn run --onto nowhere -- true; }
test_case 'refused by name: an unknown branch' unknown_branch
usage_errors() {
  new_repo
  refused 3 'command' git-txn run
  refused 3 'isolation' git-txn run --isolation chaotic -- true
  refused 3 'frobnicate' git-txn frobnicate
  refused 3 'unknown' git-txn run --no-such-flag -- true
  refused 3 't-none' git-txn show t-none
  refused 3 'confine' git-txn run --confine -- true
  refused 3 'trace' git-txn run --trace magic -- true
  refused 3 'timeout' git-txn run --timeout soon -- true
}
test_case 'usage errors exit 3 and name the thing' usage_errors
missing_program() {
  new_repo
  refused 3 no-such-program git-txn run -- no-such-program
  assert_eq "$(git for-each-ref refs/txn | wc -l)" 0
}
test_case 'a program that does not exist: said before anything happened' missing_program
submodule_change() {
  new_repo
  git init -q "$WORLD/sub"; git -C "$WORLD/sub" commit -q --allow-empty -m s
  agent 'git init -q vendored; git -C vendored commit -q --allow-empty -m s; echo x >src/new.txt'
  assert_eq "$CODE" 3
  assert_contains "$ERR" vendored
  assert_eq "$(git rev-list --count main)" 1
}
test_case 'refused by name: a change to a submodule' submodule_change
unchanged_submodule() {
  new_repo
  git init -q "$WORLD/sub"; git -C "$WORLD/sub" commit -q --allow-empty -m s
  git -c protocol.file.allow=always submodule --quiet add "$WORLD/sub" sub
  git commit -qm 'add a submodule'
  lands 'echo x >src/new.txt'
  assert_contains "$ERR" 'the folders of submodules are empty in the worktree'
  assert_eq "$(git ls-tree main sub | cut -d' ' -f2)" commit
  assert_sound
}
test_case 'works: an unchanged submodule pointer' unchanged_submodule
case_clash() {
  new_repo
  agent 'echo x >src/F1.txt'
  assert_eq "$CODE" 3
  assert_contains "$ERR" 'F1.txt'
}
test_case 'refused by name: paths that differ only in case' case_clash
bare_repository() {
  new_repo
  git clone -q --bare . "$WORLD/bare.git"
  cd "$WORLD/bare.git"
  agent 'echo x >src/new.txt'
  assert_eq "$CODE $(field .state)" '0 landed' "$ERR"
  assert_eq "$(git show main:src/new.txt)" x
}
test_case 'works: bare' bare_repository
shallow_repository() {
  new_repo
  person_commits src/f1.txt two
  person_commits src/f1.txt three
  git clone -q --depth 1 "file://$REPO" "$WORLD/shallow"
  cd "$WORLD/shallow"
  lands 'cat src/f1.txt; git log -1 >"$WORLD/log"; echo x >src/new.txt'
  assert_eq "$(show src/new.txt)" x
  assert_clean_checkout
}
test_case 'works: shallow' shallow_repository
sparse_repository() {
  new_repo
  git sparse-checkout set docs
  git config txn.worktree auto  # the other kinds refuse it by name
  assert_absent src/f1.txt
  lands 'echo better >docs/guide.md'
  assert_file docs/guide.md better
  assert_eq "$(git ls-tree -r --name-only main | wc -l)" 10
  assert_absent src/f1.txt
  assert_clean_checkout
  assert_sound
}
test_case 'works: sparse' sparse_repository
crlf_repository() {
  new_repo
  printf '*.txt text eol=crlf\n' >.gitattributes
  git add -A; git commit -qm crlf
  rm src/*.txt; git checkout -q -- src
  lands 'grep -q "$(printf "\r")" src/f1.txt; printf "new\r\n" >src/new.txt; printf "changed\r\n" >src/f2.txt'
  assert_eq "$(show src/f2.txt)" changed
  assert_eq "$(od -c src/f2.txt | head -1 | grep -c '\\r')" 1
  assert_clean_checkout
  assert_sound
}
test_case 'works: CRLF' crlf_repository
odd_names() {
  new_repo
  lands 'printf x >"src/new
line"; printf y >"$(printf "src/bad-\377\376")"; printf z >"src/$(printf "%0251d" 7)"; printf q >"src/qu\"ote \\ and space"; ln -s /etc/passwd src/link-out'
  assert_eq "$(git ls-tree -r -z --name-only main src | tr '\0' '#' | tr '\n' '_' | tr -dc '#' | wc -c)" 12
  assert_eq "$(git show "main:$(printf 'src/bad-\377\376')")" y
  [ -L src/link-out ]
  assert_clean_checkout
  exits 0 git txn writes "$(field .txn)" --json
  assert_sound
}
test_case 'works: newlines, invalid UTF-8, 255 bytes, quotes, links out of the tree' odd_names
environment_variables() {
  new_repo
  mkdir "$WORLD/elsewhere"; cd "$WORLD/elsewhere"
  GIT_DIR=$REPO/.git GIT_INDEX_FILE=$WORLD/other-index GIT_WORK_TREE=$REPO agent 'echo x >src/new.txt; git status >"$WORLD/st"'
  assert_eq "$CODE $(field .state)" '0 landed' "$ERR"
  assert_absent "$WORLD/other-index"
  cd "$REPO"
  assert_eq "$(show src/new.txt)" x
  assert_clean_checkout
}
test_case 'works: GIT_DIR and GIT_INDEX_FILE set' environment_variables
from_a_hook() {
  new_repo
  printf '#!/bin/sh\ngit txn run --json --onto side -- sh -c "echo x >src/from-hook.txt" >"$WORLD/hook.out" 2>&1\n' >.git/hooks/post-commit
  git branch side
  chmod +x .git/hooks/post-commit
  person_commits src/f1.txt 'triggers the hook'
  assert_eq "$(git show side:src/from-hook.txt)" x
  assert_clean_checkout
}
test_case 'works: run from a hook' from_a_hook
newer_store() {
  new_repo
  lands 'echo x >src/new.txt'
  sqlite3 .git/txn/kernel.db 'pragma user_version = 99; pragma wal_checkpoint(truncate)' >"$WORLD/.sq"
  rm -f .git/txn/kernel.db-wal .git/txn/kernel.db-shm
  local before
  before=$(sha256sum .git/txn/kernel.db)
  refused 2 newer git-txn run -- bash -c 'echo y >src/other.txt'
  refused 2 newer git-txn status
  assert_eq "$(sha256sum .git/txn/kernel.db)" "$before"
  assert_absent .git/txn/kernel.db-wal
}
test_case 'a clear stop: a store from a newer version, untouched' newer_store
corrupt_store() {
  new_repo
  lands 'echo x >src/new.txt'
  rm -f .git/txn/kernel.db-wal .git/txn/kernel.db-shm
  printf 'garbage garbage garbage' | dd of=.git/txn/kernel.db bs=1 conv=notrunc status=none
  refused 2 kernel.db git-txn run -- bash -c 'echo y >src/other.txt'
  assert_eq "$(git rev-list --count main)" 2
}
test_case 'a clear stop: a corrupt store' corrupt_store
truncated_store() {
  new_repo
  lands 'echo x >src/new.txt'
  exits 0 git txn lease acquire src --owner ann --ttl 1h
  sqlite3 .git/txn/kernel.db 'pragma wal_checkpoint(truncate)' >"$WORLD/.sq"
  rm -f .git/txn/kernel.db-wal .git/txn/kernel.db-shm
  truncate -s 20000 .git/txn/kernel.db
  local before
  before=$(sha256sum .git/txn/kernel.db)
  refused 2 kernel.db git-txn lease acquire docs --owner bob
  assert_contains "$ERR" backup
  refused 2 kernel.db git-txn run -- bash -c 'echo y >src/other.txt'
  assert_eq "$(sha256sum .git/txn/kernel.db)" "$before"
  assert_eq "$(git rev-list --count main)" 2
}
test_case 'a clear stop: a truncated store' truncated_store
# put_event TYPE VERSION: appended as a program would that knows it, with its hash
put_event() {
  sqlite3 -json .git/txn/kernel.db 'SELECT seq, time, type, subject, dedup_key, payload, hash FROM events
    ORDER BY seq DESC LIMIT 1' >"$WORLD/last"
  /usr/bin/python3 - "$WORLD/last" "$1" "$2" >"$WORLD/put.sql" <<'PY'
import hashlib, json, sys
event = json.load(open(sys.argv[1]))[0]
before = event.pop("hash")
event.update(seq=event["seq"] + 1, type=sys.argv[2], schema_version=int(sys.argv[3]), dedup_key="foreign", payload="{}",
             prev_hash=before)
text = json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
event["hash"] = hashlib.sha256((before + text).encode()).hexdigest()
columns = list(event)
values = ", ".join("'" + str(event[name]).replace("'", "''") + "'" for name in columns)
print(f"INSERT INTO events ({', '.join(columns)}) VALUES ({values});")
print(f"UPDATE progress SET seq = {event['seq']}, hash = '{event['hash']}';")
PY
  sqlite3 .git/txn/kernel.db <"$WORLD/put.sql"
}
unknown_event() {
  new_repo
  lands 'echo x >src/new.txt'
  put_event lease.borrowed "$1"
  local before count
  count=$(sqlite3 .git/txn/kernel.db 'SELECT count(*) FROM events; PRAGMA wal_checkpoint(truncate)' | head -1)
  before=$(sha256sum .git/txn/kernel.db)
  refused 2 'lease.borrowed' git-txn lease acquire docs --owner ann
  assert_contains "$ERR" newer
  refused 2 'lease.borrowed' git-txn run -- bash -c 'echo y >src/other.txt'
  exits 0 git txn status
  exits 1 git txn verify
  assert_contains "$OUT" "event $count: 'lease.borrowed' of version $1 is not known to this git-txn"
  assert_lacks "$OUT" BACKUPS
  exits 1 git txn verify --replay
  assert_eq "$(printf '%s\n' "$OUT" | grep -c '^wrong')" 1
  assert_eq "$(sha256sum .git/txn/kernel.db)" "$before"
  assert_eq "$(git rev-list --count main)" 2
}
unknown_type() { unknown_event 1; }
unknown_version() { unknown_event 2; }
test_case 'a clear stop: an event of an unknown type at the end of the log' unknown_type
test_case 'a clear stop: an event of an unknown version at the end of the log' unknown_version
edited_event() {
  new_repo
  lands 'echo x >src/new.txt'
  touch .git/txn/kernel.db.v1.bak
  sqlite3 .git/txn/kernel.db "DROP TRIGGER events_are_never_updated; UPDATE events SET payload = '{}' WHERE seq = 2"
  exits 1 git txn verify
  assert_contains "$OUT" 'event 2 was edited'
  assert_contains "$OUT" docs/BACKUPS.md
  assert_contains "$OUT" kernel.db.v1.bak
}
test_case 'verify says the next step after what is wrong with the log' edited_event
lacks_a_table() {
  new_repo
  lands 'echo x >src/new.txt'
  sqlite3 .git/txn/kernel.db 'DROP TABLE leases; PRAGMA wal_checkpoint(truncate)' >"$WORLD/.sq"
  local before words
  before=$(sha256sum .git/txn/kernel.db)
  for words in 'run -- true' 'status' 'verify' 'verify --replay' 'lease list' 'log' 'recover'; do
    # shellcheck disable=SC2086  # words of a command
    refused 2 "lacks its table 'leases'" git-txn $words
    assert_contains "$ERR" docs/BACKUPS.md
  done
  assert_eq "$(sha256sum .git/txn/kernel.db)" "$before"
}
test_case 'a clear stop: a store that lacks a table' lacks_a_table
not_a_store() {
  new_repo
  lands 'echo x >src/new.txt'
  mv .git/txn "$WORLD/kept"
  echo x >.git/txn
  local words
  for words in status verify log 'lease list' recover 'run -- true'; do
    # shellcheck disable=SC2086  # words of a command
    refused 2 'is not a folder' git-txn $words
    assert_contains "$ERR" 'hint: move it away'
  done
  assert_file .git/txn x
  rm .git/txn
  cp -a "$WORLD/kept" .git/txn
  rm -f .git/txn/kernel.db*
  mkfifo .git/txn/kernel.db
  refused 2 'is not a file' timeout 20 git-txn status
  refused 2 'is not a file' timeout 20 git-txn lease acquire src
  rm -r .git/txn
  mv "$WORLD/kept" .git/txn
  assert_sound
}
test_case 'a clear stop: a file where the folder of the store should be, and a FIFO for its file' not_a_store
lost_store() {
  new_repo
  exits 0 git txn verify
  lands 'echo x >src/new.txt'
  open_work 'echo y >src/other.txt'
  rm -rf .git/txn
  exits 1 git txn verify
  assert_contains "$OUT" 'there is no store: it was lost'
  assert_contains "$OUT" "refs/txn/$ID keeps work"
  assert_contains "$OUT" docs/BACKUPS.md
}
test_case 'verify misses a store that is gone, where its landings and its work are there' lost_store
lost_artifact() {
  new_repo
  open_work "$1"
  sqlite3 .git/txn/kernel.db 'DELETE FROM artifacts'
  find .git/txn/artifacts -type f -delete
  refused 2 'is gone' git-txn show "$ID"
  assert_contains "$ERR" 'git txn verify'
  exits 1 git txn verify
  assert_contains "$OUT" 'names an artifact'
  assert_contains "$OUT" docs/BACKUPS.md
}
lost_artifacts() {
  lost_artifact 'cat README; echo x >src/new.txt'
  lost_artifact 'for i in $(seq 400); do echo x >"src/one-of-very-many-files-$i.txt"; done'
}
test_case 'a clear stop: an artifact that is gone, a small one and a large one' lost_artifacts
unreleased_version() {
  new_repo
  lands 'echo x >src/new.txt'
  local version words
  for version in 0 -5; do
    sqlite3 .git/txn/kernel.db "PRAGMA user_version = $version"
    for words in status verify 'run -- true'; do
      # shellcheck disable=SC2086  # words of a command
      refused 2 "kernel.db' has schema version $version, which was never released" git-txn $words
      assert_contains "$ERR" docs/BACKUPS.md
    done
    assert_absent ".git/txn/kernel.db.v$version.bak"
  done
}
test_case 'a clear stop: a version of the layout that never was; nothing is copied' unreleased_version
damaged_page() {
  new_repo
  lands 'echo x >src/new.txt'
  local page
  page=$(sqlite3 .git/txn/kernel.db "SELECT rootpage FROM sqlite_schema WHERE name = '$1'")
  sqlite3 .git/txn/kernel.db 'PRAGMA wal_checkpoint(truncate)' >"$WORLD/.sq"
  rm -f .git/txn/kernel.db-wal .git/txn/kernel.db-shm
  dd if=/dev/zero of=.git/txn/kernel.db bs=4096 seek=$((page - 1)) count=1 conv=notrunc status=none
  exits 1 git txn verify
  assert_contains "$OUT" 'wrong  SQLite: '
  assert_contains "$OUT" docs/BACKUPS.md
  assert_lacks "$OUT" '\n'
  exits 1 git txn verify --replay
}
damaged_log() { damaged_page events; }
damaged_state() { damaged_page sentinels; }
test_case 'verify lists what is wrong where a page of the log is damaged' damaged_log
test_case 'verify lists what is wrong where another page is damaged' damaged_state
unguarded_log() {
  new_repo
  lands 'echo x >src/new.txt'
  local trigger
  trigger=$(sqlite3 .git/txn/kernel.db "SELECT sql FROM sqlite_schema WHERE name = 'events_are_never_updated'")
  sqlite3 .git/txn/kernel.db 'DROP TRIGGER events_are_never_updated'
  exits 1 git txn verify
  assert_contains "$OUT" "'events_are_never_updated' was taken away"
  # A store that verify calls damaged takes nothing more until verify finds it whole.
  refused 2 'has found the store damaged' git-txn run -- bash -c 'echo y >src/other.txt'
  assert_contains "$ERR" docs/BACKUPS.md
  exits 0 git txn status
  sqlite3 .git/txn/kernel.db "$trigger"
  refused 2 'has found the store damaged' git-txn gc
  exits 0 git txn verify
  lands 'echo y >src/other.txt'
}
test_case 'verify misses what guards the log' unguarded_log
no_json() {
  new_repo
  lands 'echo x >src/new.txt'
  sqlite3 .git/txn/kernel.db "DROP TRIGGER events_are_never_updated; UPDATE events SET payload = '{oops' WHERE seq = 3"
  refused 2 'event 3 was edited' git-txn events tail
  assert_contains "$ERR" 'git txn verify'
  assert_eq "$(printf '%s\n' "$OUT" | jq -c .id)" "$(printf '"%s"\n' 1 2)" 'what comes before it is given out'
}
test_case 'events tail stops at an event that is no JSON any more' no_json
# A shell of the database in another terminal, with a transaction that nobody ends.
locked_store() {
  new_repo
  lands 'echo x >src/new.txt'
  mkfifo "$WORLD/shell"
  sqlite3 .git/txn/kernel.db <"$WORLD/shell" >"$WORLD/.sq" 2>&1 &
  local shell=$!
  exec 8>"$WORLD/shell"
  echo "BEGIN IMMEDIATE; SELECT 'locked';" >&8
  until grep -q locked "$WORLD/.sq"; do pause 0.02; done
  exits 0 git txn status
  refused 1 'another program holds it' git-txn lease acquire src --owner ann
  exec 8>&-
  wait $shell
  exits 0 git txn lease list
  assert_lacks "$OUT" ann
  exits 0 git txn lease acquire src --owner ann
  assert_sound
}
test_case 'a clear stop: a store that another program has locked; nothing half done' locked_store
# The store alone, on a disk of its own.
full_store() {
  new_repo
  lands 'echo x >src/new.txt'
  local id
  id=$(field .txn)
  exits 0 git txn verify
  mkdir "$WORLD/small"
  mount -t tmpfs -o size=2m,mode=700 tmpfs "$WORLD/small" 2>"$WORLD/.mount" || { echo "SKIP: cannot mount here: $(cat "$WORLD/.mount")"; return 0; }
  trap 'cd "$WORLD"; umount "$WORLD/small"' EXIT
  cp -a .git/txn/. "$WORLD/small/"
  # The shared memory of the log is made anew by whoever opens the store first, and may be left there or not.
  rm -f "$WORLD/small/kernel.db-shm"
  rm -r .git/txn
  ln -s "$WORLD/small" .git/txn
  head -c 3000000 /dev/zero >"$WORLD/small/filler" 2>"$WORLD/.full" && fail 'the disk is not full'
  refused 2 space git-txn lease acquire src --owner ann
  refused 2 space git-txn budget set --owner ann cost=20
  refused 2 space git-txn events consumer register audit --durable
  # Who only looks needs no space, whatever the one before has left in the log's file.
  local words
  for words in status 'status --json' log "show $id" "diff $id" "reads $id" 'events tail' verify 'verify --replay' \
    'state --at 1' 'lease list' 'budget show' 'workflow list'; do
    # shellcheck disable=SC2086
    exits 0 git txn $words
  done
  exits 0 git txn log
  assert_contains "$OUT" "$id"
  rm "$WORLD/small/filler"
  exits 0 git txn lease list
  assert_lacks "$OUT" ann
  exits 0 git txn lease acquire src --owner ann
  assert_sound
}
test_case 'a clear stop: a store on a full disk; nothing half done' full_store
read_only_store() {
  new_repo
  exits 0 git txn lease acquire src --owner ann --ttl 1h
  mkdir "$WORLD/ro"
  mount --bind "$REPO" "$WORLD/ro" 2>"$WORLD/.mount" && mount -o remount,ro,bind "$WORLD/ro" 2>>"$WORLD/.mount" ||
    { echo "SKIP: cannot mount here: $(cat "$WORLD/.mount")"; return 0; }
  trap 'cd "$WORLD"; umount "$WORLD/ro"' EXIT
  cd "$WORLD/ro"
  local got=0
  for words in 'lease acquire docs --owner bob' 'budget set --owner bob cost=20' 'events consumer register audit --durable'; do
    got=0
    git-txn $words >"$WORLD/.out" 2>"$WORLD/.err" || got=$?
    assert_eq "$got" 2 "$words: $(cat "$WORLD/.err")"
    grep -qiE 'read-only|not writable' "$WORLD/.err" || fail "$words: $(cat "$WORLD/.err")"
  done
  cd "$REPO"
  exits 0 git txn lease list
  assert_contains "$OUT" ann
  assert_lacks "$OUT" bob
  assert_sound
}
test_case 'a clear stop: a read-only store' read_only_store
full_disk() {
  new_repo
  mkdir "$WORLD/small"
  mount -t tmpfs -o size=3m tmpfs "$WORLD/small" 2>"$WORLD/.mount" || { echo "cannot mount here: $(cat "$WORLD/.mount")"; return 0; }
  trap 'umount "$WORLD/small"' EXIT
  git clone -q . "$WORLD/small/repo"
  cd "$WORLD/small/repo"
  local before
  before=$(head_of)
  head -c 200000 /dev/urandom >"$WORLD/filler"
  agent 'for i in $(seq 40); do head -c 100000 /dev/urandom >src/big$i.bin; done'
  assert_eq "$CODE" 2
  assert_contains "$ERR" 'space'
  assert_eq "$(head_of)" "$before"
  assert_clean_checkout
  cd "$WORLD"
}
test_case 'a clear stop: a full disk' full_disk
read_only_repository() {
  new_repo
  mkdir "$WORLD/ro"
  mount --bind "$REPO" "$WORLD/ro" 2>"$WORLD/.mount" && mount -o remount,ro,bind "$WORLD/ro" 2>>"$WORLD/.mount" ||
    { echo "cannot mount here: $(cat "$WORLD/.mount")"; return 0; }
  trap 'cd "$WORLD"; umount "$WORLD/ro"' EXIT
  cd "$WORLD/ro"
  refused 2 'ead-only' git-txn run -- bash -c 'echo x >src/new.txt'
  assert_clean_checkout
}
test_case 'a clear stop: a read-only repository' read_only_repository
policy_errors() {
  new_repo
  printf '[[gate]]\nname = "x"\nrum = "true"\n' >.gittxn.toml
  git add -A; git commit -qm policy
  refused 3 'rum' git-txn run -- true
  assert_contains "$ERR" '.gittxn.toml'
}
test_case 'a mistake in the policy file is named with its place' policy_errors
large_file() {
  new_repo
  lands 'head -c 300000000 /dev/zero >src/large.bin'
  assert_eq "$(git cat-file -s main:src/large.bin)" 300000000
  assert_clean_checkout
}
test_case 'works: a large file' large_file 300

finish
