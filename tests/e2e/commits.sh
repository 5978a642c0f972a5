#!/usr/bin/env bash
# --keep-commits: the agent's own commits, replayed on the head.
. "$(dirname "$0")/lib.sh"

subjects() { git log --reverse --format='%an: %s' "$1"; }

kept_as_they_are() {
  new_repo
  lands 'git config user.name Robot; git config user.email robot@example.org
         echo 1 >src/one; git add -A; git commit -qm "first step

why it was done"
         echo 2 >src/two; git add -A; git commit -qm "second step"' --keep-commits
  assert_eq "$(subjects main~2..main)" $'Robot: first step\nRobot: second step'
  assert_eq "$(git log -1 --format=%b main~1)" 'why it was done'
  assert_contains "$(git log -1 --format=%B main)" "Txn-Id: $(field .txn)"
  assert_lacks "$(git log -1 --format=%B main~1)" Txn-Id
  git cat-file -e main~1:src/one
  git cat-file -e main~1:src/two 2>/dev/null && fail 'the first commit has the second change'
  assert_clean_checkout
  assert_sound
}
test_case 'each commit lands with its author, message and change' kept_as_they_are

one_without_asking() {
  new_repo
  lands 'for i in 1 2 3; do echo $i >src/n$i; git add -A; git commit -qm "step $i"; done'
  assert_eq "$(git rev-list --count main)" 2
}
test_case 'without it they land as one' one_without_asking

moved_head() {
  new_repo
  agent 'echo 1 >src/one; git add -A; git commit -qm one; echo 2 >src/two; git add -A; git commit -qm two' --no-land
  local id
  id=$(field .txn)
  person_commits docs/guide.md newer
  exits 0 git txn commit "$id" --keep-commits --json
  assert_eq "$(subjects main~3..main | cut -d: -f2 | tr '\n' ' ')" ' person edits docs/guide.md  one  two '
  assert_eq "$(git show main~1:docs/guide.md)" newer
  assert_sound
}
test_case 'on a head that has moved each is replayed' moved_head

same_file_on_a_moved_head() {
  new_repo
  printf '%s\n' 'def one():' '    return 1' '' '' 'def two():' '    return 2' '' '' 'def three():' '    return 3' >src/code.py
  git add -A
  git commit -qm code
  agent 'sed -i "s/return 1/return 11/" src/code.py; git commit -qam one
         sed -i "s/return 2/return 22/" src/code.py; git commit -qam two' --no-land
  local id
  id=$(field .txn)
  sed -i 's/return 3/return 33/' src/code.py
  git commit -qam three
  exits 0 git txn commit "$id" --keep-commits --json
  assert_eq "$(subjects main~2..main | cut -d: -f2 | tr '\n' ' ')" ' one  two '
  assert_eq "$(git show main~1:src/code.py | grep return | tr -d ' \n')" return11return2return33
  assert_eq "$(git show main:src/code.py | grep return | tr -d ' \n')" return11return22return33
  assert_sound
}
test_case 'each is replayed in a file that the head changed elsewhere' same_file_on_a_moved_head

left_uncommitted() {
  new_repo
  lands 'echo 1 >src/one; git add -A; git commit -qm one; echo 2 >src/two' --keep-commits --name 'the rest'
  assert_eq "$(git rev-list --count main)" 3
  assert_eq "$(git log -1 --format=%s)" 'the rest'
  assert_eq "$(git show main:src/two)" 2
  assert_sound
}
test_case 'what was left uncommitted is one commit more' left_uncommitted

merges_are_one() {
  new_repo
  lands 'git checkout -qb side; echo 1 >src/one; git add -A; git commit -qm one
         git checkout -q main; echo 2 >src/two; git add -A; git commit -qm two; git merge -q --no-edit side' --keep-commits
  assert_eq "$(git rev-list --count main)" 2
  assert_contains "$ERR$OUT" 'merges among them'
  assert_sound
}
test_case 'with merges among them they land as one, and the run says so' merges_are_one

not_alone() {
  new_repo
  agent 'echo draft >src/new; git add -A; git commit -qm draft; rm src/new; git add -A; echo 2 >src/two; git add -A; git commit -qm better' --no-land --isolation read-committed
  local id
  id=$(field .txn)
  person_commits src/new theirs
  exits 0 git txn commit "$id" --keep-commits --json
  assert_contains "$ERR$OUT" 'does not apply to the head by itself'
  assert_eq "$(git rev-list --count main)" 3
  assert_eq "$(show src/new)" theirs
  assert_sound
}
test_case 'one that does not apply by itself: they land as one' not_alone

killed() {
  new_repo
  local point id
  for point in land.before_landing_lock land.after_prepared land.after_ref_update land.after_checkout; do
    agent "echo a >src/a-$point; git add -A; git commit -qm a; echo b >src/b-$point; git add -A; git commit -qm b" --no-land
    id=$(field .txn)
    GIT_TXN_FAILPOINT=$point git-txn commit "$id" --keep-commits >"$WORLD/.o" 2>&1 && fail "$point: not killed"
    exits 0 git txn commit "$id" --keep-commits --json
    assert_eq "$(field .state)" landed "$point"
    assert_eq "$(git log -2 --format=%s | tr '\n' ' ')" 'b a ' "$point"
    assert_sound
    assert_clean_checkout
  done
}
test_case 'killed at each point: all of them or none' killed 240

finish
