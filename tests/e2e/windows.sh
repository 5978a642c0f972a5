#!/usr/bin/env bash
# Seed 3's windows W1 to W6: what a kill used to leave behind, and what it leaves now.
. "$(dirname "$0")/lib.sh"

recovers() { exits 0 git txn recover; exits 0 git txn recover --json; }

w1_killed_between_two_files() {
  new_repo
  echo 'work in progress' >scratch.txt
  open_work 'echo A >src/f1.txt; echo B >src/f2.txt; echo C >src/f3.txt'
  killed_at checkout.mid_move git txn commit "$ID"
  recovers
  assert_eq "$(cat src/f1.txt src/f2.txt src/f3.txt | tr '\n' ' ')" 'A B C ' 'half of the change'
  assert_eq "$(git log -1 --format=%B | grep -c "Txn-Id: $ID")" 1
  assert_file scratch.txt 'work in progress'
  assert_eq "$(git status --porcelain)" '?? scratch.txt'
  assert_sound
}
test_case 'W1: killed between the first and the last file of a change, all of it is there' \
  w1_killed_between_two_files

w2_killed_after_the_writes() {
  new_repo
  local before
  before=$(head_of)
  start_run -- 'echo A >src/f1.txt; echo B >src/new.txt; meet; sleep 60'
  met
  kill -KILL "$RUN_PID"
  wait "$RUN_PID" || :
  assert_clean_checkout
  assert_eq "$(head_of)" "$before"
  exits 0 git txn status --json
  local id
  id=$(field '.transactions[0].txn')
  exits 0 git txn commit --accept-unfinished "$id" --json
  assert_eq "$(field .state)" landed
  assert_eq "$(show src/new.txt)" B
  assert_sound
}
test_case 'W2: killed with its writes done and nothing landed, the repository is untouched and the work kept' \
  w2_killed_after_the_writes

w3_killed_in_clean_up() {
  new_repo
  echo 'mine' >untracked.txt
  echo 'mine too' >src/f7.txt
  open_work 'echo A >src/new1.txt; echo B >src/new2.txt'
  killed_at land.after_landed git txn commit "$ID"
  recovers
  exits 0 git txn gc
  assert_file untracked.txt mine
  assert_file src/f7.txt 'mine too'
  assert_eq "$(show src/new2.txt)" B
  assert_eq "$(find "$XDG_STATE_HOME" -path "*$ID*" -name new1.txt | wc -l)" 0 'a worktree is left'
  assert_sound
}
test_case 'W3: killed before cleaning up, the next commands clean and never touch what is the person'"'"'s' \
  w3_killed_in_clean_up

w4_killed_before_the_record() {
  new_repo
  open_work 'echo A >src/f1.txt'
  killed_at land.after_ref_update git txn commit "$ID"
  assert_eq "$(git log -1 --format=%B | grep -c "Txn-Id: $ID")" 1 'the branch has moved'
  recovers
  exits 0 git txn show "$ID" --json
  assert_eq "$(field .state)" landed
  assert_clean_checkout
  assert_sound
}
test_case 'W4: killed after the branch moved and before it was recorded, the record is made' \
  w4_killed_before_the_record

w5_truncated_record_is_never_complete() {
  new_repo
  start_run -- 'cat src/f1.txt; echo A >src/new.txt; meet; sleep 60'
  met
  pkill -KILL -P "$RUN_PID"   # the monitor, which writes the record
  ends 1
  local id
  id=$(field .txn)
  assert_eq "$(field .state) $(field .read_set.status)" 'open unknown'
  person_commits docs/guide.md 'something unrelated'
  exits 1 git txn commit --accept-unfinished "$id" --json --retries 0
  assert_eq "$(field .read_set.status)" unknown
  assert_eq "$(field '.conflicts[0].kind')" read-stale
  assert_sound
}
test_case 'W5: a record cut off by a kill is unknown, and any landing since invalidates it' \
  w5_truncated_record_is_never_complete

w6_gate_output_is_whole_or_absent() {
  new_repo
  policy '[[gate]]
name = "chatty"
run = "for i in 1 2 3 4 5; do echo line $i; done; touch \"$HOME/gate-ran\"; sleep 0.2"'
  open_work 'echo A >src/new.txt'
  killed_at store.before_commit git txn commit "$ID"
  recovers
  exits 0 git txn verify --replay
  exits 0 git txn commit "$ID" --json
  assert_eq "$(field .state)" landed
  assert_sound
}
test_case 'W6: killed while evidence was being written, it is whole or absent' w6_gate_output_is_whole_or_absent

finish
