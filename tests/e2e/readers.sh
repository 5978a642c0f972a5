#!/usr/bin/env bash
# Reader classes: semantic excuses a change of a file for an agent that was shown it and for an edit that was
# made in it, and for no program that may have computed with it.
. "$(dirname "$0")/lib.sh"
E2E_JOBS=2

new_code() {
  new_repo
  ln -s "$E2E_ROOT/tests/agents/fake-claude" "$WORLD/bin/claude"
  printf '%s\n' 'def area(width, height):' '    return width * height' '' '' 'def edge(width, height):' \
    '    return 2 * (width + height)' '' '' 'def name():' "    return 'rectangle'" >src/shape.py
  git add -A
  git commit -qm code
}
# while_claude SCRIPT: starts an agent whose prompt is the script, up to where it meets
while_claude() {
  RUN_ARGS=(git-txn run --json --retries 0 --repairs 0 -- claude -p "$1")
  "${RUN_ARGS[@]}" >"$WORLD/run.out" 2>"$WORLD/run.err" </dev/null &
  RUN_PID=$!
  met
}
while_shell() {
  start_run --retries 0 -- "$1"
  met
}
# person_edits SED-EXPRESSION: in src/shape.py
person_edits() {
  sed -i "$1" src/shape.py
  git commit -qm 'person edits' -- src/shape.py
  go_on
}
OTHER="s/'rectangle'/'box'/"
LAYOUT='s/2 \* (width + height)/2*(width+height)/'

# lands_merged: what ran lands with both edits, and says which file it merged
lands_merged() {
  ends 0
  assert_eq "$(field .state)" landed
  assert_contains "$(show src/shape.py)" 'height * width'
  assert_contains "$(show src/shape.py)" "'box'"
  exits 0 git txn why --json "$(field .txn)"
  assert_contains "$(field '.excused | tostring')" 'src/shape.py was read and changed'
}
# refused_for WHY READER
refused_for() {
  ends 1
  assert_eq "$(field '[.conflicts[].subject] | unique | join(" ")')" src/shape.py
  assert_contains "$(field '.conflicts[0].hint')" "$1"
  assert_contains "$(field '.conflicts[0].read_by')" "$2"
  local id
  id=$(field .txn)
  exits 0 git txn why "$id"
  assert_contains "$OUT" "$1"
  exits 0 git txn why --admitted "$id"
  assert_contains "$OUT" 'the transaction was refused, so it was not admitted'
}
reader_of() { # of src/shape.py, in a transaction
  git txn reads --json "$1" | jq -r 'select(.subject == "src/shape.py") | .reader // "any"' | sort -u
}

by_tools() {
  new_code
  while_claude 'Read src/shape.py; Edit src/shape.py "width * height" "height * width"; Read src/shape.py; meet'
  person_edits "$OTHER"
  lands_merged
  assert_eq "$(reader_of "$(field .txn)")" shown
  assert_sound
}
test_case 'an agent that reads and edits by its own tools is merged with another edit of the file' by_tools

shown_by_cat() {
  new_code
  while_claude 'Bash "cat src/shape.py"; Bash "sed -n 1,3p src/shape.py"; Edit src/shape.py "width * height" "height * width"; meet'
  person_edits "$OTHER"
  lands_merged
  assert_sound
}
test_case 'an agent that was shown a file by commands of its calls is merged with another edit of it' shown_by_cat

handed_on() {
  new_code
  local command
  for command in 'cat src/shape.py | wc -l' 'cat src/shape.py >"$WORLD/kept"; wc -l <"$WORLD/kept"' \
    'n=$(cat src/shape.py); echo ${#n}'; do
    while_claude "Bash '$command'; Edit src/shape.py 'width * height' 'height * width'; meet"
    person_edits "$OTHER"
    ends 1
    assert_eq "$(field '.conflicts[0].subject')" src/shape.py "$command"
    git reset -q --hard HEAD^
    rm "$WORLD/ready" "$WORLD/go"
  done
}
test_case 'what a command of a call handed on to another program counts in its bytes' handed_on

by_sed() {
  new_code
  while_shell 'sed -i "s/width \* height/height * width/" src/shape.py; meet'
  person_edits "$OTHER"
  lands_merged
  assert_eq "$(reader_of "$(field .txn)")" edits
  git txn reads "$(field .txn)" --explain >"$WORLD/said"
  assert_contains "$(cat "$WORLD/said")" 'read to be edited, so that semantic lets it merge'
  assert_sound
}
test_case 'sed -i is merged with another edit of the file' by_sed

by_patch() {
  new_code
  sed -i 's/width \* height/height * width/' src/shape.py
  git diff >"$WORLD/fix.diff"
  git checkout -q -- src/shape.py
  local command
  for command in 'git apply "$WORLD/fix.diff"' 'patch -s -p1 -i "$WORLD/fix.diff"'; do
    case $command in patch*) [ -x /usr/bin/patch ] || continue ;; esac
    while_shell "$command; meet"
    person_edits "$OTHER"
    lands_merged
    git reset -q --hard HEAD^^
    rm "$WORLD/ready" "$WORLD/go"
  done
}
test_case 'git apply and patch are merged with another edit of the file' by_patch

computed() {
  new_code
  local edit
  edit='import sys; t = open("src/shape.py").read(); open("src/shape.py", "w").write(t.replace("width * height", "height * width"))'
  while_shell "python3 -c '$edit'; meet"
  person_edits "$OTHER"
  refused_for 'both changes merge, but the program that read it may have used all of it' 'python3 -c'
  assert_sound
}
test_case 'a program that computed with a file that both changed is refused, and named' computed

# A script prints it, and nobody knows to whom: it is run again.
printed() {
  new_code
  while_shell 'cat src/shape.py; sed -i "s/width \* height/height * width/" src/shape.py; meet'
  person_edits "$OTHER"
  ends 1
  assert_contains "$(field '.conflicts[0].answer')" '`cat src/shape.py` prints something else now'
}
test_case 'a file that a script printed and both changed is refused by what it prints now' printed

computed_later() {
  new_code
  while_shell 'sed -i "s/width \* height/height * width/" src/shape.py; python3 -c "print(len(open(\"src/shape.py\").read()))" >size; meet'
  person_edits "$OTHER"
  refused_for 'both changes merge, but the program that read it may have used all of it' 'python3 -c'
}
test_case 'a program that computed with a file after an edit that both changed is refused' computed_later

computed_layout() {
  new_code
  while_shell 'python3 -c "print(len(open(\"src/shape.py\").read()))" >size; meet'
  person_edits "$LAYOUT"
  refused_for 'only its layout has changed, but the program that read it may have used all of it' 'python3 -c'
}
test_case 'a program that computed with a file that was only laid out anew is refused, and named' computed_layout

shown_layout() {
  new_code
  printf '%s\n' '[package]' 'name = "x"' '[dependencies]' 'serde = "1.0"' >Cargo.toml
  git add -A
  git commit -qm manifest
  while_claude 'Read src/shape.py; Read Cargo.toml; Write new.txt x; meet'
  sed -i 's/serde = "1.0"/serde   =   "1.0"/' Cargo.toml
  git commit -qam 'the manifest, too'
  person_edits "$LAYOUT"
  ends 0
  exits 0 git txn why --json "$(field .txn)"
  assert_contains "$(field '.excused | tostring')" 'src/shape.py was read, and has only another layout'
  assert_contains "$(field '.excused | tostring')" 'Cargo.toml was read, and has only another layout'
}
test_case 'a file or a manifest that an agent was shown and that was only laid out anew holds' shown_layout

# A run of the tests that imported it is asked again on the branch.
imported() { # WHAT-THE-PERSON-DOES CODE [GATE]
  new_code
  : >src/__init__.py
  printf '%s\n' 'import unittest' 'from src import shape' '' '' 'class Shape(unittest.TestCase):' '    def test(self):' \
    '        self.assertEqual(len(shape.name()), 9)' >test_shape.py
  printf '__pycache__/\n' >>.gitignore
  [ -z "${3:-}" ] || printf '[[gate]]\nname = "tests"\nrun = "python3 -m unittest -q"\n' >.gittxn.toml
  git add -A
  git commit -qm tests
  [ -z "${3:-}" ] || trust_policy
  while_shell 'python3 -m unittest -q && sed -i "s/width \* height/height * width/" src/shape.py; meet'
  person_edits "$1"
  ends "$2"
}
imported_passes() {
  imported "s/'rectangle'/'rectangla'/" 0
  exits 0 git txn why --json "$(field .txn)"
  assert_contains "$(field '.excused | tostring')" 'python3 -m unittest -q` passed, and passed again on the branch'
}
imported_fails() {
  imported "$OTHER" 1
  assert_contains "$(field '.conflicts[0].answer')" 'the test run `python3 -m unittest -q` fails now'
}
imported_gate() {
  imported "s/'rectangle'/'rectangla'/" 0 gate
  exits 0 git txn why --json "$(field .txn)"
  assert_contains "$(field '.excused | tostring')" 'a gate runs it on what lands'
}
# An agent runs them after its edit, once in vain. Each edit changes the size of the file: Python takes bytecode for
# that of a file of the same size and second.
tested_later() {
  new_code
  : >src/__init__.py
  printf '%s\n' 'import unittest' 'from src import shape' '' '' 'class Shape(unittest.TestCase):' '    def test(self):' \
    '        self.assertEqual(shape.area(2, 3), 6)' >test_shape.py
  printf '__pycache__/\n' >>.gitignore
  git add -A
  git commit -qm tests
  while_claude 'Edit src/shape.py "width * height" "height * widdth"; Bash "python3 -m unittest -q || true"
    Edit src/shape.py widdth width; Bash "python3 -m unittest -q"
    Edit src/shape.py "height * width" "height * width * 1"; Bash "python3 -m unittest -q"; meet'
  person_edits "$OTHER"
  lands_merged
}
test_case 'a run of the tests after the edit leaves it one that is merged' tested_later
test_case 'a run of the tests that imported a file which both changed is run again, and passes' imported_passes
test_case 'a run of the tests that imported a file which both changed is run again, and fails' imported_fails
test_case 'a gate answers a run of the tests that imported a file which both changed' imported_gate
finish
