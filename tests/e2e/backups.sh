#!/usr/bin/env bash
# docs/BACKUPS.md: its commands, run as they stand there.
. "$(dirname "$0")/lib.sh"

# documented NAME: the commands of a block of the page
documented() {
  awk -v name="$1" '$0 == "```sh " name { on = 1; next } /^```$/ { on = 0 } on' "$E2E_ROOT/docs/BACKUPS.md" >"$WORLD/$1.sh"
  [ -s "$WORLD/$1.sh" ] || fail "the page has no block '$1'"
  exits 0 bash -eu "$WORLD/$1.sh"
}
# only_wrong PATTERN: verify has nothing to say against the log and the state but this
only_wrong() {
  exits 1 git txn verify --replay
  if printf '%s\n' "$OUT" | grep '^wrong' | grep -vE "$1"; then fail 'verify says more than that'; fi
}
log_of() { sqlite3 "$1" 'SELECT * FROM events ORDER BY seq'; }

put_back() {
  new_repo
  export backup=$WORLD/backup
  lands 'cat README; echo a >src/a.txt' --name kept
  open_work 'cat README; echo b >src/b.txt'
  local open=$ID
  exits 0 git txn events consumer register audit --durable
  documented backup
  log_of "$backup/kernel.db" >"$WORLD/log"
  lands 'echo c >src/c.txt' --name lost
  exits 0 git txn events tail --consumer audit --ack
  local head
  head=$(head_of)
  documented restore
  only_wrong 'the log lost its end'
  assert_eq "$(log_of .git/txn/kernel.db)" "$(cat "$WORLD/log")"
  # What landed meanwhile is a move from outside; what was open lands.
  exits 0 git txn commit "$open"
  assert_eq "$(git merge-base "$head" main)" "$head"
  assert_eq "$(show src/a.txt)$(show src/b.txt)$(show src/c.txt)" abc
  exits 0 git txn events tail --consumer audit --type branch.outside-move
  exits 0 git txn events tail --type branch.outside-move
  assert_eq "$(field .data.new)" "$head"
  lands 'cat src/c.txt; echo d >src/d.txt'
  only_wrong 'the log lost its end'
  git reflog expire --expire=now --all
  assert_sound
}
test_case 'a copy that is kept while others work is put back, and goes on' put_back

# A copy is taken again and again while others write, and put back twice.
while_others_write() {
  new_repo
  export backup=$WORLD/backup
  lands 'echo a >src/a.txt'
  local i n pids=() umask_before
  for i in 1 2 3; do
    n=0
    while [ ! -e "$WORLD/enough" ]; do
      n=$((n + 1))
      git-txn sentinel -q --every 1h -- "writer $i, $n"
    done >"$WORLD/writer.$i" 2>&1 &
    pids+=($!)
  done
  umask_before=$(umask)
  umask 022
  for n in 1 2 3 4 5 6 7 8; do
    documented backup
    assert_eq "$(sqlite3 "$backup/kernel.db" 'PRAGMA integrity_check')" ok
    [ "$(sqlite3 "$backup/kernel.db" 'SELECT count(*) FROM events')" -gt 3 ]
    assert_absent "$backup/kernel.db.part"
  done
  touch "$WORLD/enough"
  # Whoever closes the store has it alone for a moment; here for as long as it takes to notice.
  { printf '%s\n' 'PRAGMA locking_mode = EXCLUSIVE;' 'BEGIN EXCLUSIVE;' 'COMMIT;' ".shell touch $WORLD/alone"; sleep 2; } |
    sqlite3 -cmd '.timeout 30000' .git/txn/kernel.db >"$WORLD/alone.out" 2>&1 &
  pids+=($!)
  wait_for "$WORLD/alone"
  documented backup
  for i in "${pids[@]}"; do wait "$i" || true; done
  chmod -R go+r "$backup"
  documented restore
  documented restore
  umask "$umask_before"
  assert_eq "$(find .git/txn -maxdepth 1 -name 'aside.*' | wc -l)" 2
  assert_eq "$(find .git/txn -maxdepth 1 \( -name kernel.db -o -name 'aside.*' \) -perm /077)" '' 'nobody else reads it'
  assert_eq "$(find "$backup" -maxdepth 1 -type d -perm /022)" ''
  assert_sound
  lands 'echo b >src/b.txt'
  # A copy that is not there takes nothing away.
  mv "$backup/kernel.db" "$backup/elsewhere"
  if bash -eu "$WORLD/restore.sh" >"$WORLD/out" 2>&1; then fail 'it went on without a copy'; fi
  assert_sound
}
test_case 'a copy is whole while others write, and is put back twice, for nobody else to read' while_others_write

never_half() {
  new_repo
  export backup=$WORLD/backup
  lands 'echo a >src/a.txt'
  start_run -- 'meet; echo x >src/x.txt'
  met
  documented backup
  go_on
  ends 0
  rm -rf .git/txn
  documented restore
  only_wrong 'the log lost its end'
  # It was open when the copy was made: what it did is there, and lands nothing twice.
  lands 'cat src/x.txt; echo y >src/y.txt'
  only_wrong 'the log lost its end'
}
test_case 'a copy that was taken in the middle of a transaction replaces a folder that was lost' never_half

# A store as the first version's program left it.
old_store() {
  new_repo
  mkdir -p .git/txn/artifacts
  sqlite3 .git/txn/kernel.db <"$E2E_ROOT/src/store/testing/stores/schema-1.sql"
  assert_eq "$(sqlite3 .git/txn/kernel.db 'PRAGMA user_version')" 1
  log_of .git/txn/kernel.db >"$WORLD/log"
  [ -s "$WORLD/log" ]
}

go_back() {
  old_store
  exits 0 git txn lease acquire src
  # The repository that the log is of is not there, nor are its artifacts.
  only_wrong 'is missing|names an artifact'
  assert_eq "$(sqlite3 .git/txn/kernel.db 'PRAGMA user_version')" "$(git txn version --schema -q | sed 's/schema //')"
  assert_eq "$(log_of .git/txn/kernel.db | head -n "$(wc -l <"$WORLD/log")")" "$(cat "$WORLD/log")" 'nothing of the log is lost'
  export version=1
  documented downgrade
  assert_eq "$(sqlite3 .git/txn/kernel.db 'PRAGMA user_version')" 1
  assert_eq "$(log_of .git/txn/kernel.db)" "$(cat "$WORLD/log")"
  sqlite3 .git/txn/aside.*/kernel.db 'PRAGMA integrity_check' | grep -qx ok
  # And forward again.
  exits 0 git txn lease acquire src
  only_wrong 'is missing|names an artifact'
}
test_case 'an older store is taken over, and can be gone back to' go_back

newer_is_left_alone() {
  new_repo
  lands 'echo a >src/a.txt'
  sqlite3 .git/txn/kernel.db 'PRAGMA wal_checkpoint(TRUNCATE); PRAGMA user_version = 99' >"$WORLD/made"
  (cd .git/txn && find . -type f -print0 | sort -z | xargs -0 sha256sum) >"$WORLD/before"
  local refused
  for refused in 'status' 'verify' 'recover' 'lease acquire src' 'begin' 'gc'; do
    # shellcheck disable=SC2086  # words of a command
    exits 2 git txn $refused --json
    assert_eq "$(field .error.code)" newer
    assert_contains "$ERR" 'nothing was touched'
  done
  (cd .git/txn && find . -type f -print0 | sort -z | xargs -0 sha256sum) >"$WORLD/after"
  diff "$WORLD/before" "$WORLD/after"
}
test_case 'invariant 9: a store of a newer program is refused by every command, and not one byte is touched' \
  newer_is_left_alone

# A newer program takes the store over under a run that has it open.
taken_over() {
  new_repo
  lands 'echo a >src/a.txt'
  start_run -- 'meet; echo b >src/b.txt'
  met
  local version head log
  version=$(sqlite3 .git/txn/kernel.db 'PRAGMA user_version')
  head=$(head_of) log=$(log_of .git/txn/kernel.db)
  sqlite3 .git/txn/kernel.db 'PRAGMA user_version = 99'
  go_on
  ends 2
  assert_eq "$(field .error.code)" newer
  assert_contains "$ERR" 'nothing was touched'
  assert_eq "$(head_of)" "$head"
  assert_eq "$(log_of .git/txn/kernel.db)" "$log"
  # The newer one, or the same again, has what the command did.
  sqlite3 .git/txn/kernel.db "PRAGMA user_version = $version"
  exits 0 git txn recover
  exits 0 git txn status --json
  exits 0 git txn commit --accept-unfinished "$(field '.transactions[0].txn')"
  assert_eq "$(show src/b.txt)" b
  assert_sound
}
test_case 'invariant 9: a newer program takes the store over under a run, which then lands nothing' taken_over

finish
