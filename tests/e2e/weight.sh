#!/usr/bin/env bash
# The weight of a small run, as counts and never as times: how often it waits for the disk, and how many
# programs it starts. The ceilings are what is reached (docs/design/0046-syncs-and-processes.md has what each
# is for); whoever brings one down writes the new one here.
. "$(dirname "$0")/lib.sh"
E2E_JOBS=2

SYNCS=fsync,fdatasync,syncfs,sync_file_range,msync,sync
# weighs SYNCS PROGRAMS COMMAND...: at most so many, with those that it starts
weighs() {
  local syncs=$1 programs=$2 seen started
  shift 2
  strace -f -o "$WORLD/calls" -e "trace=$SYNCS,execve" "$@" >"$WORLD/.out" 2>"$WORLD/.err" ||
    fail "'$*': $(cat "$WORLD/.err")"
  seen=$(grep -cE "^[0-9]+ +(${SYNCS//,/|})\(" "$WORLD/calls") || :
  started=$(grep -E '^[0-9]+ +execve\(' "$WORLD/calls" | grep -vc ENOENT) || :
  echo "$seen syncs, $started programs: $*"
  [ "$seen" -ge 1 ] || fail 'nothing was counted'
  [ "$seen" -le "$syncs" ] && [ "$started" -le "$programs" ] || {
    grep -E "^[0-9]+ +(${SYNCS//,/|}|execve)\(" "$WORLD/calls" >&2
    fail "'$*': $seen syncs for at most $syncs, $started programs for at most $programs"
  }
}
old_enough() { sleep 0.1; }  # git looks again at files that are as new as its index, and we at its settings

run_and_land() {
  new_repo
  lands 'echo first >first'
  old_enough
  weighs 30 14 git-txn run -- sh -c 'echo x >new'
  assert_file new x
  assert_sound
}
test_case 'weight: a run that adds a file and lands' run_and_land

in_steps() {
  new_repo
  lands 'echo first >first'
  old_enough
  weighs 3 5 git-txn begin
  local id
  id=$(grep -oE 't-[a-z0-9]+' "$WORLD/.out" | head -n 1)
  old_enough
  weighs 12 14 git-txn exec "$id" -- sh -c 'echo x >new'
  old_enough
  weighs 18 11 git-txn commit "$id"
  assert_file new x
  assert_sound
}
test_case 'weight: the same in three commands' in_steps

# The branch names only what is on disk, and nobody is told of it before its name is.
in_order() {
  new_repo
  lands 'echo first >first'
  old_enough
  local calls=$WORLD/calls refs moved
  strace -f -y -o "$calls" -e "trace=$SYNCS,link,rename" git-txn run -- sh -c 'echo x >new' >"$WORLD/.out"
  refs=$(git rev-parse --path-format=absolute --git-path refs/heads)
  moved=$(grep -n "rename(\"$refs/main.lock\"" "$calls" | cut -d: -f1)
  [ -n "$moved" ] || fail 'the branch was not moved by a rename'
  head -n "$moved" "$calls" >"$WORLD/before"
  tail -n "+$moved" "$calls" >"$WORLD/after"
  local draft object
  draft=$(grep -oE "link\(\"[^\"]*\", \"$refs/main.lock\"" "$calls" | cut -d'"' -f2)
  object=$(git rev-parse main | sed 's|^..|&/|')
  local wanted
  for wanted in "$draft" "objects/$object" "objects/${object%%/*}" kernel.db-wal .git/index '/txn/displaced/[^/>]*'; do
    grep -qE "sync\([0-9]+<[^>]*$wanted>" "$WORLD/before" || fail "$wanted was not synced before the branch moved"
  done
  grep -qE "sync\([0-9]+<$refs>" "$WORLD/after" || fail 'the name of the branch was not synced'
}
test_case 'weight: the branch moves when all that it names is on disk' in_order

looking() {
  new_repo
  lands 'echo first >first'
  old_enough
  strace -f -o "$WORLD/calls" -e "trace=$SYNCS" git-txn status >"$WORLD/.out"
  assert_lacks "$(cat "$WORLD/calls")" 'sync('
}
test_case 'weight: who only looks waits for no disk' looking
finish
