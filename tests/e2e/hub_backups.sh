#!/usr/bin/env bash
# docs/BACKUPS.md, "On PostgreSQL": its commands, run as they stand there, with a hub that is ahead afterwards.
. "$(dirname "$0")/../postgres/here.sh"
. "$(dirname "$0")/lib.sh"

export schema=e2e_$$_$RANDOM url=$SERVER_URL
at() { cd "$WORLD/$1"; }
there() { git -C "$WORLD/hub.git" rev-parse -q --verify "${1:-main}" || echo none; }
# documented NAME: the commands of a block of the page
documented() {
  awk -v name="$1" '$0 == "```sh " name { on = 1; next } /^```$/ { on = 0 } on' "$E2E_ROOT/docs/BACKUPS.md" >"$WORLD/$1.sh"
  [ -s "$WORLD/$1.sh" ] || fail "the page has no block '$1'"
  exits 0 bash -eu "$WORLD/$1.sh"
}
# A hub and two clones of it; ends up in the first.
two_clones() {
  new_repo start
  git clone -q --bare . "$WORLD/hub.git"
  local name
  for name in one two; do
    git clone -q "$WORLD/hub.git" "$WORLD/$name"
    at $name
    git config txn.worktreeRoot "$WORLD/worktrees-$name"
    exits 0 git txn init --store "$url" --hub origin --schema "$schema" --clone $name
  done
  at one
  export backup=$WORLD/backup
  mkdir "$backup"
}
# The line that a refusal names, run as it stands.
put_fence_right() {
  exits 2 git txn recover
  assert_contains "$ERR" 'restored or failed over to an older state'
  assert_contains "$ERR" docs/BACKUPS.md
  grep -o 'git push --force .*' <<<"$ERR" | head -1 >"$WORLD/line"
  exits 0 bash -eu "$WORLD/line"
  exits 0 git txn recover
}

put_back() {
  two_clones
  lands 'echo a >src/a.txt'
  local kept
  kept=$(field .txn)
  documented server-backup
  lands 'echo b >src/b.txt'
  local lost head
  lost=$(field .txn)
  head=$(there)
  exits 0 git txn verify
  documented server-restore
  # Nothing is said to hold that does not; what the log does not know is named, what it knows is not.
  local name
  for name in one two; do
    at $name
    exits 1 git txn verify
    assert_contains "$OUT" "says it is $lost, but the log does not know it"
    assert_contains "$OUT" 'restored or failed over'
    assert_lacks "$OUT" "says it is $kept"
  done
  # It lands nothing, keeps the work, and says how to go on: in the clone that landed nothing too.
  exits 2 git txn run --json -- bash -c 'echo c >src/c.txt'
  assert_contains "$ERR" docs/BACKUPS.md
  assert_eq "$(there)" "$head"
  put_fence_right
  exits 0 git txn verify --replay
  assert_eq "$(there)" "$head"
  ID=$(git for-each-ref --format='%(refname:lstrip=2)' refs/txn | grep '^t-' | cut -d/ -f1 | sort -u)
  exits 0 git txn commit "$ID"
  assert_eq "$(git -C "$WORLD/hub.git" show main:src/c.txt)$(git -C "$WORLD/hub.git" show main:src/b.txt)" cb
  at one
  lands 'cat src/c.txt; echo d >src/d.txt'
  exits 0 git txn log
  assert_contains "$OUT" "$(git rev-parse --short=7 "$head")"
  # Its work is kept here, in the clone that made it, and tells of what was lost until somebody throws it away.
  exits 1 git txn verify
  assert_eq "$(grep -c '^wrong' <<<"$OUT")" 1
  assert_contains "$OUT" "says it is $lost, whose work is kept here"
  export id=$lost
  documented forget-work
  assert_sound
}
test_case 'a copy of a server is put back: verify says what the log lost, the fence holds, and is put right' put_back

# A newer program has taken the store over, and kept the copy. (What it keeps is seen in store/schema_test.cc.)
go_back() {
  two_clones
  lands 'echo a >src/a.txt'
  version=$(psql -qAt -c "SELECT version FROM $schema.layout" "$url")
  export version
  pg_dump --schema="$schema" "$url" | sed "s/\\b$schema\\b/${schema}_v${version}_bak/g" >"$WORLD/copy.sql"
  psql -q -v ON_ERROR_STOP=1 -f "$WORLD/copy.sql" "$url" >"$WORLD/out"
  exits 0 psql -qAt -c "UPDATE $schema.layout SET version = 99" "$url"
  local name
  for name in one two; do
    at $name
    exits 2 git txn run -- true
    assert_contains "$ERR" 'use the git-txn that wrote it'
  done
  documented server-downgrade
  for name in one two; do
    at $name
    exits 0 git txn verify --replay
    lands "echo $name >src/$name.txt"
  done
  assert_eq "$(psql -qAt -c "SELECT version FROM ${schema}_aside.layout" "$url")" 99
  # Without a copy nothing is taken away.
  exits 0 psql -qAt -c "DROP SCHEMA ${schema}_aside CASCADE" "$url"
  if bash -eu "$WORLD/server-downgrade.sh" >"$WORLD/out" 2>&1; then fail 'it went on without a copy'; fi
  exits 0 git txn verify --replay
  assert_sound
}
test_case 'a server whose store a newer program took over is gone back to' go_back

foreign_schema() {
  two_clones
  exits 0 psql -qAt -c "CREATE SCHEMA ${schema}_odd; CREATE TABLE ${schema}_odd.music (song text)" "$url"
  git config txn.storeSchema "${schema}_odd"
  exits 2 git txn status
  assert_contains "$ERR" "'${schema}_odd' is not a git-txn store"
  assert_contains "$ERR" 'git config txn.storeSchema'
  git config txn.storeSchema "$schema"
  exits 0 psql -qAt -c "DROP TABLE $schema.leases" "$url"
  local words
  for words in status 'run -- true' verify 'lease list'; do
    # shellcheck disable=SC2086  # words of a command
    exits 2 git txn $words
    assert_contains "$ERR" "lacks its table 'leases'"
    assert_contains "$ERR" docs/BACKUPS.md
  done
}
test_case 'a schema of something else, and one that lacks a table: named, with the next step' foreign_schema

finish
