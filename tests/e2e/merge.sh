#!/usr/bin/env bash
# git txn merge-file, and git txn merge-driver as git calls it.
. "$(dirname "$0")/lib.sh"

BASE='int zero;

int f(void)
{
	return 1;
}
'
# Two functions added at one place: lines conflict, the structure does not.
LEFT="$BASE
int left(void)
{
	return 2;
}
"
RIGHT="$BASE
int right(void)
{
	return 3;
}
"
BOTH="$LEFT
int right(void)
{
	return 3;
}
"

versions() { # BASE LEFT RIGHT [EXTENSION]
  printf %s "$1" >"base.${4:-c}"
  printf %s "$2" >"left.${4:-c}"
  printf %s "$3" >"right.${4:-c}"
}
merge() { git-txn merge-file --base base.c --left left.c --right right.c -o out.c "$@"; }

by_structure() {
  versions "$BASE" "$LEFT" "$RIGHT"
  exits 0 merge
  assert_contains "$OUT" "merged 'out.c': structure (both added to translation_unit"
  printf %s "$BOTH" | cmp - out.c
  exits 0 merge --json
  assert_eq "$(field '"\(.clean) \(.rule) \(.language) \(.conflicts) \(.output)"')" 'true structure c 0 out.c'
  exits 0 merge --lang c -q
  assert_eq "$OUT$ERR" ''
  exits 1 merge --lang text
  assert_contains "$ERR" "git txn: 'out.c', line 8: both sides changed the same lines"
  assert_contains "$(cat out.c)" '<<<<<<< left.c'
}
test_case 'merge-file: what both sides added is there, in a file that lines conflict in' by_structure

conflict() {
  versions $'int a = 1;\n' $'int a = 2;\n' $'int a = 3;\n'
  exits 1 merge --json
  assert_eq "$(field '"\(.clean) \(.rule) \(.conflicts)"')" 'false conflict 1'
  assert_contains "$(field .why)" 'both sides changed'
  git merge-file -p -L left.c -L base.c -L right.c left.c base.c right.c >git.c || [ $? = 1 ]  # one conflict
  cmp git.c out.c
  exits 1 merge --diff3 --marker-size 9 --left-label ours --base-label was --right-label theirs
  assert_file out.c '<<<<<<<<< ours
int a = 2;
||||||||| was
int a = 1;
=========
int a = 3;
>>>>>>>>> theirs'
}
test_case "merge-file: a conflict is git's own text, with a reason" conflict

only_the_declaration() {
  local middle=''
  for i in 1 2 3 4 5 6; do middle+="int x$i(void)"$'\n{\n\treturn '"$i"$';\n}\n\n'; done
  versions "$middle" $'int f(void)\n{\n\treturn 1;\n}\n\n'"${middle/return 3/return 33}" \
    "${middle/return 4/return 44}"$'int f(void)\n{\n\treturn 2;\n}\n'
  git merge-file -p left.c base.c right.c >git.c  # clean, with f twice
  exits 1 merge --json
  assert_contains "$(field .why)" 'function f is there twice'
  assert_eq "$(field .conflicts)" 2
  assert_eq "$(sed -n '1,9p' out.c)" '<<<<<<< left.c
int f(void)
{
	return 1;
}

=======
>>>>>>> right.c
int x1(void)'
  assert_eq "$(tail -n 7 out.c)" '<<<<<<< left.c
=======
int f(void)
{
	return 2;
}
>>>>>>> right.c'
  assert_contains "$(cat out.c)" 'return 33;'
  assert_contains "$(cat out.c)" 'return 44;'
}
test_case 'merge-file: a clean merge of lines that is wrong conflicts where it is wrong' only_the_declaration

in_place() {
  versions "$BASE" "$LEFT" "$RIGHT"
  chmod 755 left.c
  exits 0 git-txn merge-file --base base.c --left left.c --right right.c -o left.c
  printf %s "$BOTH" | cmp - left.c
  assert_eq "$(stat -c %a left.c)" 755
  ln -s right.c link.c
  printf %s "$BASE" >right.c
  exits 0 git-txn merge-file --base base.c --left left.c --right right.c -o link.c
  [ -L link.c ] || fail 'the link is gone'
  printf %s "$BOTH" | cmp - right.c
  assert_eq "$(find . -name '*.tmp-*')" ''
}
test_case 'merge-file: the result may be a side, and a link is written through' in_place

bad_input() {
  versions "$BASE" "$LEFT" "$RIGHT"
  echo kept >out.c
  exits 3 git-txn merge-file --base base.c --left left.c -o out.c
  assert_contains "$ERR" 'needs --right'
  exits 3 git-txn merge-file --base base.c --left left.c --right absent.c -o out.c
  assert_contains "$ERR" 'absent.c'
  exits 3 merge --lang cobol
  assert_contains "$ERR" "'cobol' is not a language"
  assert_contains "$ERR" 'python'
  exits 3 merge --marker-size 0
  mkdir folder
  exits 3 git-txn merge-file --base base.c --left left.c --right folder -o out.c
  assert_contains "$ERR" 'is a directory'
  exits 3 git-txn merge-file --base base.c --left left.c --right right.c -o folder
  exits 3 git-txn merge-file --base base.c --left left.c --right right.c -o /dev/null
  assert_contains "$ERR" 'not a regular file'
  truncate -s 300M big.c
  exits 3 git-txn merge-file --base big.c --left left.c --right right.c -o out.c
  assert_contains "$ERR" '300 MiB'
  mkdir shut
  printf %s "$LEFT" >shut/left.c
  if [ "$(id -u)" != 0 ]; then
    chmod 000 shut/left.c
    exits 2 git-txn merge-file --base base.c --left shut/left.c --right right.c -o out.c
  fi
  exits 3 git-txn merge-file --base base.c --left left.c --right right.c -o absent/out.c
  assert_contains "$ERR" "no directory for 'absent/out.c'"
  for side in base left right; do cp $side.c $side; done
  exits 1 git-txn merge-file --base base --left left --right right -o out  # no language: lines alone
  assert_file out.c kept
  exits 0 git-txn merge-file --base base --left left --right right -o out --lang c
  printf %s "$BOTH" | cmp - out
  # Bytes that are no text conflict, and the left ones stay.
  printf 'a\0b' >base.c; printf 'a\0c' >left.c; printf 'a\0d' >right.c
  exits 1 merge
  cmp left.c out.c
}
test_case 'merge-file: what makes no sense is refused, and the output is as it was' bad_input

# ---- the driver --------------------------------------------------------------------------------------
driver_repo() { # SIDE-OF-THEIRS SIDE-OF-OURS
  git init -q -b main repo
  cd repo
  printf %s "$BASE" >a.c
  printf 'one\n' >notes
  git add -A
  git commit -qm base
  git checkout -qb topic
  printf %s "$1" >a.c
  git commit -qam theirs
  git checkout -q main
  printf %s "$2" >a.c
  git commit -qam ours
  git config merge.txn.name 'git-txn, by structure'
  git config merge.txn.driver 'git txn merge-driver --marker-size %L -- %O %A %B %P'
  echo '* merge=txn' >.git/info/attributes
}

driver_merges() {
  driver_repo "$RIGHT" "$LEFT"
  git -c merge.txn.driver=false merge topic >"$WORLD/plain" 2>&1 && fail 'lines do not conflict here'
  git merge --abort
  exits 0 git merge --no-edit topic
  printf %s "$BOTH" | cmp - a.c
  assert_eq "$(git show HEAD:a.c)" "$(cat a.c)"
  assert_clean_checkout
  git reset -q --hard HEAD~1
  exits 0 git rebase -q topic
  printf %s "$RIGHT" >"$WORLD/right"
  assert_contains "$(cat a.c)" 'int left(void)'
  assert_contains "$(cat a.c)" 'int right(void)'
  assert_clean_checkout
}
test_case 'merge-driver: git merge and rebase put together what lines conflict in' driver_merges

driver_conflicts() {
  driver_repo "${BASE/return 1/return 2}" "${BASE/return 1/return 3}"
  exits 1 git merge topic
  assert_contains "$OUT" 'CONFLICT (content): Merge conflict in a.c'
  assert_contains "$ERR" "git txn: 'a.c', line 5: both sides changed f()"
  assert_eq "$(git ls-files -u | cut -d' ' -f3 | cut -f1 | tr '\n' ' ')" '1 2 3 '
  assert_eq "$(git status --porcelain)" 'UU a.c'
  assert_contains "$(cat a.c)" '<<<<<<< ours'
  assert_contains "$(cat a.c)" '>>>>>>> theirs'
  printf %s "$BASE" >a.c
  git commit -qam resolved
  assert_clean_checkout
}
test_case "merge-driver: a conflict leaves git's usual state" driver_conflicts

driver_shows_conflicts_as_git() {
  driver_repo "${BASE/return 1/return 2}" "${BASE/return 1/return 3}"
  local style
  for style in diff3 zdiff3 merge; do
    git config merge.conflictStyle "$style"
    exits 1 git merge topic
    assert_eq "$(grep -c '^||||||| base' a.c)" "$([ "$style" = merge ] && echo 0 || echo 1)"
    git merge --abort
  done
  git config merge.conflictStyle sideways
  printf '1\n' >base.txt
  printf '2\n' >left.txt
  printf '3\n' >right.txt
  exits 3 git-txn merge-file --base base.txt --left left.txt --right right.txt -o out.txt --lang text
  assert_contains "$ERR" "git's merge.conflictStyle is 'sideways'"
}
test_case "merge-driver: conflicts are shown as git's merge.conflictStyle has it" driver_shows_conflicts_as_git

part_in_conflict() {
  versions $'import os\n\n\ndef a(x):\n    return x\n' \
    $'import os\nimport re\n\n\ndef a(x, y):\n    return x\n\n\ndef b():\n    return re.I\n' \
    $'import os\nimport sys\n\n\ndef a(x, z):\n    return x\n\n\ndef c():\n    return sys.path\n' py
  exits 1 git-txn merge-file --base base.py --left left.py --right right.py -o out.py
  assert_eq "$ERR" "git txn: 'out.py', line 6: both sides changed the signature of a()"
  assert_file out.py 'import os
import re
import sys


<<<<<<< left.py
def a(x, y):
=======
def a(x, z):
>>>>>>> right.py
    return x


def b():
    return re.I


def c():
    return sys.path'
}
test_case 'merge-file: what can be merged is, around the one thing that cannot' part_in_conflict

driver_other_files() {
  driver_repo "$RIGHT" "$LEFT"
  git checkout -q topic
  printf 'two\n' >notes
  printf 'b\0theirs' >binary
  git add -A
  git commit -qm 'theirs, too'
  git checkout -q main
  printf 'zero\n' >notes
  printf 'b\0ours' >binary
  git add -A
  git commit -qm 'ours, too'
  exits 1 git merge topic
  assert_eq "$(git status --porcelain)" 'M  a.c
AA binary
UU notes'
  printf 'b\0ours' | cmp - binary
  assert_contains "$(cat notes)" '<<<<<<< ours'
}
test_case 'merge-driver: files in no language are merged as git does, and bytes conflict' driver_other_files

mode_and_edit() {
  new_repo
  agent 'chmod +x src/f1.txt' --retries 0 --no-land
  local mode=$(field .txn)
  person_commits src/f1.txt edited
  exits 0 git txn commit "$mode"
  assert_eq "$(git ls-tree main src/f1.txt | cut -c 1-6) $(show src/f1.txt)" '100755 edited'
  agent 'sed -i s/edited/again/ src/f1.txt' --retries 0 --no-land
  chmod -x src/f1.txt && git commit -qam 'no program'
  exits 0 git txn commit "$(field .txn)"
  assert_eq "$(git ls-tree main src/f1.txt | cut -c 1-6) $(show src/f1.txt)" '100644 again'
  agent 'chmod +x src/f1.txt' --retries 0 --no-land --isolation strict
  person_commits src/f1.txt last
  exits 1 git txn commit "$(field .txn)"
  assert_contains "$OUT" 'src/f1.txt  changed here and by commit'
  assert_sound
}
test_case 'chmod on one side and an edit on the other both land; at strict they are write-write' mode_and_edit

comment_and_edit() {
  new_repo
  printf '// old\n#include "a.h"\n\nint f() { return 1; }\n' >a.c
  git add a.c && git commit -qm code
  agent 'sed -i "s/return 1/return 2/" a.c' --retries 0 --no-land
  sed -i 's/old/new/' a.c && git commit -qam words
  exits 0 git txn commit "$(field .txn)"
  assert_eq "$(show a.c)" "$(printf '// new\n#include "a.h"\n\nint f() { return 2; }')"
}
test_case 'a changed comment above an include binds nobody who edits the file' comment_and_edit

driver_dies() {
  driver_repo "$RIGHT" "$LEFT"
  cp a.c "$WORLD/ours.c"
  GIT_TXN_FAILPOINT=api.merge_file.before_write git merge topic >"$WORLD/.out" 2>&1 && fail 'it merged'
  cmp a.c "$WORLD/ours.c"
  git merge --abort || git reset -q --merge
  assert_clean_checkout
  GIT_TXN_FAILPOINT=api.merge_file.before_write=error git merge topic >"$WORLD/.out" 2>&1 && fail 'it merged'
  cmp a.c "$WORLD/ours.c"
  git merge --abort || git reset -q --merge
  exits 0 git merge --no-edit topic
  printf %s "$BOTH" | cmp - a.c
}
test_case 'merge-driver: one that dies or fails leaves our side as it was' driver_dies

driver_status() {
  versions "$BASE" "$LEFT" "$RIGHT"
  exits 129 git-txn merge-driver base.c left.c absent.c a.c
  assert_contains "$ERR" 'absent.c'
  exits 129 git-txn merge-driver base.c left.c right.c
  exits 129 git-txn merge-driver --no-such-option base.c left.c right.c a.c
  printf %s "$LEFT" | cmp - left.c
  exits 0 git-txn merge-driver -- base.c left.c right.c -a.c
  printf %s "$BOTH" | cmp - left.c
  assert_eq "$OUT$ERR" ''
}
test_case 'merge-driver: an error is no conflict to git, and a result no news' driver_status

finish
