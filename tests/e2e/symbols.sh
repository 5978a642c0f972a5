#!/usr/bin/env bash
# Two at work on the same code: what lands because they touched different things of it, and what does
# not because one relied on what the other changed.
. "$(dirname "$0")/lib.sh"

new_code() {
  new_repo
  printf '%s\n' 'def area(width, height):' '    return width * height' '' '' 'def edge(width, height):' \
    '    return 2 * (width + height)' '' '' 'def name():' "    return 'rectangle'" >src/shape.py
  printf '%s\n' 'from shape import area' '' '' 'def main():' '    print(area(2, 3))' >src/main.py
  git add -A
  git commit -qm 'code'
}
person_edits() { # FILE SED-EXPRESSION
  sed -i "$2" "$1"
  git commit -qm "person edits $1" -- "$1"
}

different_functions() {
  new_code
  start_run --retries 0 --isolation "$1" -- 'sed -i "s/width \* height/height * width/" src/shape.py; meet'
  met
  person_edits src/shape.py "s/'rectangle'/'box'/"
  go_on
  ends 0
  assert_eq "$(field .state)" landed
  assert_contains "$(show src/shape.py)" 'height * width'
  assert_contains "$(show src/shape.py)" "'box'"
  assert_file src/shape.py "$(show src/shape.py)"
  assert_clean_checkout
  assert_sound
}
at_semantic() { different_functions semantic; }
at_snapshot() { different_functions snapshot; }
test_case 'different functions of one file both land at semantic' at_semantic
test_case 'different functions of one file both land at snapshot' at_snapshot

new_caller() {
  new_code
  start_run --retries 0 --isolation "$1" -- 'meet
    printf "\n\ndef both():\n    return edge(1, 2)\n" >>src/main.py
    sed -i "s/import area/import area, edge/" src/main.py'
  met
  person_edits src/shape.py 's/def edge(width, height)/def edge(width, height, depth)/'
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].kind')" symbol
  assert_contains "$(field '.conflicts[0].hint')" edge
  assert_contains "$(field '.conflicts[0].changed_by')" 'Pat Person'
  exits 0 git txn why "$(field .txn)"
  assert_contains "$OUT" edge
  assert_lacks "$(show src/main.py)" both
  assert_sound
}
caller_at_semantic() { new_caller semantic; }
caller_at_snapshot() { new_caller snapshot; }
test_case 'a new call of a function whose signature changed does not land at semantic' caller_at_semantic
test_case 'a new call of a function whose signature changed does not land at snapshot' caller_at_snapshot

same_function() {
  new_code
  start_run --retries 0 -- 'sed -i "s/width \* height/height * width/" src/shape.py; meet'
  met
  person_edits src/shape.py 's/def area(width, height)/def area(width: int, height: int)/'
  go_on
  ends 1
  assert_contains "$(field '.conflicts[0].subject')" area
  assert_sound
}
test_case 'one body against its own signature does not land' same_function

# Two edits of one body that merge as text: only the gates can say whether the result works.
two_edits_of_one_body() { # LEVEL EXIT, with GATE set: and a gate
  new_code
  printf '%s\n' 'def long():' '    a = 1' '    b = 2' '    c = 3' '    d = 4' '    return a + b + c + d' >src/long.py
  printf '%s\n' 'all:' '	one' '	two' '	three' '	four' '	five' >src/Rules
  git add -A
  git commit -qm 'a long one'
  if [ -n "$3" ]; then policy "[[gate]]
name = \"merged\"
run = \"grep -q 10 src/long.py && grep -q 40 src/long.py && grep -q ONE src/Rules\""; fi
  start_run --retries 0 --isolation "$1" -- 'sed -i "s/a = 1/a = 10/" src/long.py; sed -i s/one/ONE/ src/Rules; meet'
  met
  person_edits src/long.py 's/d = 4/d = 40/'
  person_edits src/Rules 's/five/FIVE/'
  go_on
  ends "$2"
}
with_gates() {
  two_edits_of_one_body snapshot 0 gates
  assert_contains "$(show src/long.py)" 'a = 10'
  assert_contains "$(show src/long.py)" 'd = 40'
  assert_contains "$(show src/Rules)" FIVE
  assert_sound
}
without_gates() {
  two_edits_of_one_body snapshot 1 ''
  assert_contains "$(field '[.conflicts[].subject] | join(" ")')" long
  assert_sound
}
gates_at_semantic() {
  two_edits_of_one_body semantic 1 gates
  assert_sound
}
test_case 'two edits of one body land at snapshot where gates judge them' with_gates
test_case 'two edits of one body do not land without gates' without_gates
test_case 'two edits of one body do not land at semantic' gates_at_semantic

left_to_people() {
  new_code
  printf 'CHANGES merge=union\n*.py -merge\n' >.gitattributes
  printf 'first\n' >CHANGES
  git add -A
  git commit -qm attributes
  start_run --retries 0 -- 'echo agent >>CHANGES; meet'
  met
  person_edits CHANGES '$a person'
  go_on
  ends 0
  assert_eq "$(show CHANGES)" $'first\nperson\nagent'
  start_run --retries 0 -- 'sed -i "s/width \* height/height * width/" src/shape.py; meet 2'
  met 2
  person_edits src/shape.py "s/'rectangle'/'box'/"
  go_on 2
  ends 1
  assert_contains "$(field '(.notes // []) | join(" ")')$ERR" 'not to be merged'
  assert_sound
}
test_case 'what the repository says of merging is what is done' left_to_people

searched() {
  new_code
  start_run --retries 0 -- 'grep -rn rectangle src; sed -i "s/width \* height/height * width/" src/shape.py; meet'
  met
  person_edits src/shape.py "s/'rectangle'/'box'/"
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].kind')" read-stale
  assert_sound
}
test_case 'a search in a file that both changed has to have the same answer' searched
finish
