#!/usr/bin/env bash
# Refused transactions that go on, by the commands that git txn why prints.
. "$(dirname "$0")/lib.sh"

resumed_after_a_refusal() {
  new_repo
  git config merge.conflictStyle diff3
  seq 1 40 >src/long.txt
  git add -A
  git commit -qm long
  open_work 'git txn read src/long.txt:10-12 >"$WORLD/read"; cat src/f1.txt >copy.txt; echo mine >src/f2.txt'
  { echo new && seq 1 40; } >src/long.txt
  echo other >src/f1.txt
  echo theirs >src/f2.txt
  git commit -qam moved
  exits 1 git txn commit "$ID" --json
  assert_eq "$(field .state)" quarantined
  exits 0 git txn why "$ID" --json
  exits 0 bash -c "$(field '.next[0]' | sed 's/    .*//')"  # git txn resume ID
  assert_contains "$OUT" 'conflict markers in src/f2.txt'
  assert_contains "$OUT" '+other'
  exits 3 git txn commit "$ID"
  assert_contains "$ERR" 'there are conflict markers in src/f2.txt'
  exits 0 git txn exec "$ID" -- grep -q '^||||||| base' src/f2.txt  # as git shows conflicts here
  exits 0 git txn exec "$ID" -- sh -c 'echo both >src/f2.txt'
  # Lines are judged from where they were read, wherever they are now.
  sed -i 's/^11$/eleven/' src/long.txt
  git commit -qam 'the lines that were read'
  exits 1 git txn commit "$ID" --json
  assert_eq "$(field '[.conflicts[].subject] | unique | join(" ")')" src/long.txt
  exits 0 git txn resume "$ID" --json
  assert_eq "$(field '[.went_on.stale[] | .subject, .rejudged] | map(tostring) | join(" ")')" 'src/long.txt true'
  exits 0 git txn commit "$ID" --json
  assert_eq "$(field .state) $(show src/f2.txt)" 'landed both'
  assert_sound
}
test_case 'a refused transaction goes on: what changed is shown, conflicts are resolved, and it lands' resumed_after_a_refusal

finish
