#!/usr/bin/env bash
# Seed 1's taxonomy of drift, one story a row: what was checked, what changed in between, and what the
# user sees. Rows that need the kernel's workflows or summaries come with them.
. "$(dirname "$0")/lib.sh"

a1_lands_on_moved_head() {
  new_repo
  local base
  base=$(head_of)
  start_run -- 'cat src/f1.txt; meet; echo new >src/added.txt'
  met
  person_commits docs/guide.md 'a better guide'
  local moved
  moved=$(head_of)
  go_on
  ends 0
  assert_eq "$(field .state)" landed
  assert_eq "$(field .base)" "$base" 'the snapshot'
  assert_eq "$(field .head_before)" "$moved" 'the head it landed on'
  assert_eq "$(git rev-parse main^)" "$moved" 'the parent of the landing'
  assert_eq "$(show docs/guide.md)" 'a better guide'
  assert_eq "$(show src/added.txt)" new
  assert_file docs/guide.md 'a better guide'
  assert_file src/added.txt new
  assert_clean_checkout
  assert_sound
}
test_case 'A1 head drift: base recorded, a person commits elsewhere, the landing sits on the new head' \
  a1_lands_on_moved_head

a1_gate_sees_the_candidate() {
  new_repo
  policy '[[gate]]
name = "guide"
run = "test -e src/added.txt && cat docs/guide.md >>\"$HOME/gate-saw\""'
  start_run -- 'meet; echo new >src/added.txt'
  met
  person_commits docs/guide.md 'a better guide'
  go_on
  ends 0
  assert_eq "$(field '.gates[0].result')" passed
  assert_file "$HOME/gate-saw" 'a better guide'
  assert_sound
}
test_case 'A1 head drift: the gate runs on what lands, not on the commit the agent started from' \
  a1_gate_sees_the_candidate

a2_read_file_changed() {
  new_repo
  start_run --retries 0 -- 'cat src/f1.txt; meet; echo "uses f1" >src/user.txt'
  met
  person_commits src/f1.txt 'another f1'
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].kind')" read-stale
  assert_eq "$(field '.conflicts[0].subject')" src/f1.txt
  assert_contains "$(field '.conflicts[0].changed_by')" 'Pat Person'
  assert_eq "$(git log -1 --format=%s)" 'person edits src/f1.txt'
  assert_absent src/user.txt
  exits 0 git txn why "$(field .txn)"
  assert_contains "$OUT" src/f1.txt
  assert_contains "$OUT" '+another f1'
  assert_sound
}
test_case 'A2 file drift: a read file changed, the change is refused and why shows the diff' \
  a2_read_file_changed

a2_retry_reads_again() {
  new_repo
  start_run -- 'n=$(cat src/f1.txt); [ -e "$WORLD/ready" ] || meet; printf "%s" "$n" >src/copy.txt'
  met
  person_commits src/f1.txt 'another f1'
  go_on
  ends 0
  assert_eq "$(field .attempts)" 2
  assert_eq "$(show src/copy.txt)" 'another f1'
  assert_sound
}
test_case 'A2 file drift: the command runs again on the new head and what lands is decided on it' \
  a2_retry_reads_again

a3_lockfile_drift() {
  new_repo
  person_commits deps.lock 'lib 1.0'
  start_run --retries 0 -- 'grep -q 1.0 deps.lock && meet && echo "works with 1.0" >src/note.txt'
  met
  person_commits deps.lock 'lib 2.0'
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].subject')" deps.lock
  assert_sound
}
test_case 'A3 dependency drift: a lock file the agent tested with changed, the change is refused' \
  a3_lockfile_drift

a3_green_on_old_dependencies() {
  new_repo
  person_commits deps.lock 'lib 1.0'
  policy '[[gate]]
name = "deps"
run = "grep -q 1.0 deps.lock || ! test -e src/needs-1.0"'
  lands 'echo other >src/other.txt'
  assert_eq "$(field '.gates[0].result')" passed
  start_run --isolation snapshot -- 'meet; touch src/needs-1.0'
  met
  person_commits deps.lock 'lib 2.0'
  go_on
  ends 1
  assert_eq "$(field .state)" rejected
  assert_eq "$(field '.conflicts[0].kind')" gate
  assert_sound
}
test_case 'A3 dependency drift: a gate that was green on the old lock file does not count on the new one' \
  a3_green_on_old_dependencies

a4_rewritten_history() {
  new_repo
  person_commits secret.txt 'to be forgotten'
  start_run -- 'cat src/f1.txt; meet; echo new >src/added.txt'
  met
  git reset -q --hard HEAD~1
  person_commits docs/guide.md 'rewritten'
  local moved
  moved=$(head_of)
  go_on
  ends 0
  assert_eq "$(git rev-parse main^)" "$moved"
  assert_eq "$(git ls-tree -r --name-only main | grep -c secret.txt || :)" 0 'a removed file came back'
  exits 0 git txn log
  assert_contains "$OUT" "$(git rev-parse --short "$moved")"
  assert_sound
}
test_case 'A4 rewritten history: the base became unreachable, nothing that was removed comes back' \
  a4_rewritten_history

a4_rewritten_under_the_reader() {
  new_repo
  person_commits rule.txt 'old rule'
  start_run --retries 0 -- 'cat rule.txt; meet; echo new >src/added.txt'
  met
  git reset -q --hard HEAD~1
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].subject')" rule.txt
  assert_sound
}
test_case 'A4 rewritten history: a file that was read went with the rewritten commit, refused' \
  a4_rewritten_under_the_reader

b3_gate_criteria_changed() {
  new_repo
  policy '[[gate]]
name = "old"
run = "true"'
  start_run --retries 0 -- 'meet; echo new >src/added.txt'
  met
  policy '[[gate]]
name = "new"
run = "test ! -e src/added.txt"'
  go_on
  ends 1
  assert_absent src/added.txt
  assert_eq "$(git ls-tree -r --name-only main | grep -c added || :)" 0
  assert_lacks "$(field '[.gates[].name] | join(" ")')" old
  assert_sound
}
test_case 'B3 gate drift: the gate was redefined after the snapshot, the new definition decides' \
  b3_gate_criteria_changed

d2_partial_read() {
  new_repo
  start_run --retries 0 -- 'awk NR==1 src/f2.txt; meet; echo "decided on one line" >src/decision.txt'
  met
  printf 'line one of f2\nan invariant further down\n' >src/f2.txt
  git commit -qam 'person states an invariant'
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].subject')" src/f2.txt
  assert_sound
}
d2_shown_again() {
  new_repo
  start_run --retries 0 -- 'head -n 1 src/f2.txt; meet; echo "decided on one line" >src/decision.txt'
  met
  printf 'line one of f2\nan invariant further down\n' >src/f2.txt
  git commit -qam 'person states an invariant'
  go_on
  ends 0
  assert_sound
}
test_case 'D2 partial read: a program that only prints, and prints the same on the branch, has read nothing else' \
  d2_shown_again
test_case 'D2 partial read: only a slice was looked at, a change elsewhere in the file is noticed' d2_partial_read

e1_person_edits_the_same_file() {
  new_repo
  start_run --retries 0 -- 'meet; echo "agent version" >src/f3.txt'
  met
  person_commits src/f3.txt 'person version'
  go_on
  ends 1
  assert_eq "$(show src/f3.txt)" 'person version' 'the commit of the person was reverted'
  assert_file src/f3.txt 'person version'
  local id
  id=$(field .txn)
  assert_eq "$(git show "refs/txn/$id/1:src/f3.txt")" 'agent version' 'the work of the agent was lost'
  assert_sound
}
test_case 'E1 mid-flight edit: a person committed to the same file, neither side is lost' \
  e1_person_edits_the_same_file

f1_write_write() {
  new_repo
  start_run --retries 0 -- 'meet; printf one >src/f4.txt'
  met
  lands 'printf two >src/f4.txt'
  go_on
  ends 1
  assert_contains "$(field '[.conflicts[].kind] | join(" ")')" write-write
  assert_eq "$(show src/f4.txt)" two
  assert_sound
}
test_case 'F1 write-write: two agents rewrote one file, the second does not overwrite the first' f1_write_write

f1_write_write_at_read_committed() {
  new_repo
  start_run --retries 0 --isolation read-committed -- 'meet; printf one >src/f4.txt'
  met
  lands 'printf two >src/f4.txt'
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].kind')" write-write
  assert_eq "$(show src/f4.txt)" two
}
test_case 'F1 write-write: refused at the weakest level too' f1_write_write_at_read_committed

f2_decision_drift() {
  new_repo
  start_run --retries 0 -- 'if grep -q "line one" src/f5.txt; then meet; echo yes >src/answer.txt; fi'
  met
  lands 'echo "something else" >src/f5.txt'
  local first
  first=$(field .txn)
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].kind')" read-stale
  assert_eq "$(field '.conflicts[0].subject')" src/f5.txt
  assert_eq "$(field '.conflicts[0].changed_by')" "$first" 'the witness names the transaction'
  assert_absent src/answer.txt
  assert_sound
}
test_case 'F2 decision drift: B decided on a file that A changed, B is refused and A is named' f2_decision_drift

f2_write_skew_by_level() {
  local level=$1 code=$2
  new_repo
  start_run --retries 0 --isolation "$level" -- 'cat src/f1.txt; meet; echo x >src/f2.txt'
  met
  lands 'cat src/f2.txt; echo y >src/f1.txt'
  go_on
  ends "$code"
  SAID=$OUT$ERR
  assert_sound
}
f2_skew_semantic() { f2_write_skew_by_level semantic 1; }
f2_skew_strict() { f2_write_skew_by_level strict 1; }
f2_skew_serializable() { f2_write_skew_by_level serializable 1; assert_contains "$SAID" 'strict'; }
f2_skew_snapshot() { f2_write_skew_by_level snapshot 0; }
test_case 'F2 write skew: refused at semantic' f2_skew_semantic
test_case 'F2 write skew: refused at strict' f2_skew_strict
test_case 'F2 write skew: serializable runs as strict, says so, and refuses' f2_skew_serializable
test_case 'F2 write skew: allowed at snapshot' f2_skew_snapshot

f2_phantom_file() {
  new_repo
  start_run --retries 0 -- 'set -- docs/*; echo $# >"$WORLD/count"; meet; cp "$WORLD/count" src/count.txt'
  met
  person_commits docs/second.md 'another document'
  go_on
  ends 1
  assert_contains "$(field '[.conflicts[].subject] | join(" ")')" docs
  assert_sound
}
test_case 'F2 phantom: a directory was listed, a file appeared in it, refused' f2_phantom_file

f2_absent_file_appears() {
  new_repo
  start_run --retries 0 -- '[ -e config.ini ] || { meet; echo "no config" >src/found.txt; }'
  met
  person_commits config.ini 'a config'
  go_on
  ends 1
  assert_contains "$(field '[.conflicts[].subject] | join(" ")')" config.ini
  assert_sound
}
test_case 'F2 phantom: a file was looked up and absent, it appeared, refused' f2_absent_file_appears

finish
