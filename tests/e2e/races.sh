#!/usr/bin/env bash
# Two things that must agree while something else happens: the windows between the certifier's look and
# the branch, between two landers, between a state and its event.
. "$(dirname "$0")/lib.sh"

certified_again() {
  new_repo
  open_work 'cat src/f1.txt; echo x >src/new.txt'
  stopped_at land.before_landing_lock git txn commit "$ID" --json --retries 0
  person_commits src/f1.txt 'changed in the window'
  kill -CONT "$STOPPED"
  ends 1
  assert_eq "$(field '.conflicts[0].subject')" src/f1.txt
  assert_absent src/new.txt
  assert_sound
}
test_case 'a commit made between the first look and the critical section is certified against' certified_again

# Their branches have locks of their own: the second to be prepared sees the first in the log, which has one.
window_of_another_branch() { # FAILPOINT COMMAND...: what happens to the branch `other`, which was read, while a landing is at the point
  new_repo
  git branch other
  open_work 'git show other:src/f1.txt >copy.txt'
  local reader=$ID
  agent 'echo y >src/f1.txt' --no-land --onto other
  ID=$(field .txn)
  stopped_at "$1" git txn commit "$reader" --json --retries 0
  shift
  "$@"
  kill -CONT "$STOPPED"
  ends 1
  assert_eq "$(field '.conflicts[0].subject')" refs/heads/other
  assert_sound
}
prepared_in_between() { killed_at land.after_prepared git txn commit "$ID"; }
landed_in_between() { exits 0 git txn commit "$ID"; }
about_to_move() { window_of_another_branch land.before_prepared prepared_in_between; }
has_moved() { window_of_another_branch land.before_prepared landed_in_between; }
test_case 'a branch that was read is about to move when the reader is prepared' about_to_move
test_case 'a branch that was read has moved when the reader is prepared' has_moved

moved_under_the_gate() {
  new_repo
  policy '[[gate]]
name = "meets"
run = "touch \"$HOME/gate-here\"; until test -e \"$HOME/gate-go\"; do sleep 0.05; done; cat docs/guide.md >>\"$HOME/gate-saw\""'
  start_run -- 'echo x >src/new.txt'
  wait_for "$HOME/gate-here"
  person_commits docs/guide.md 'changed under the gate'
  touch "$HOME/gate-go"
  ends 0
  assert_eq "$(tail -n 1 "$HOME/gate-saw")" 'changed under the gate' 'the gate did not see what landed'
  assert_sound
}
test_case 'the head moves while a gate runs: the gate runs again on the new candidate' moved_under_the_gate

moved_after_prepared() {
  new_repo
  git branch side
  agent 'echo x >src/new.txt' --no-land --onto side
  ID=$(field .txn)
  stopped_at land.after_prepared git txn commit "$ID" --json
  local theirs
  theirs=$(git commit-tree -p side -m 'a person was faster' "side^{tree}")
  git update-ref refs/heads/side "$theirs"
  kill -CONT "$STOPPED"
  ends 0
  assert_eq "$(field .state)" landed
  assert_eq "$(git rev-parse side^)" "$theirs" 'the landing sits on what the person did'
  assert_sound
}
test_case 'the branch moves after the landing was prepared: given up, and landed on the new head' moved_after_prepared

one_at_a_time() {
  new_repo
  open_work 'echo x >src/slow.txt'
  stopped_at land.after_prepared git txn commit "$ID" --json
  local before
  before=$(head_of)
  agent 'echo y >src/quick.txt' --wait 1s
  assert_eq "$CODE" 1
  assert_eq "$(head_of)" "$before" 'a second lander was inside'
  [ -n "$(field .waiting.reason)" ] || fail 'waits without a reason'
  local second
  second=$(field .txn)
  kill -CONT "$STOPPED"
  ends 0
  assert_eq "$(field .state)" landed
  exits 0 git txn commit "$second" --json
  assert_eq "$(show src/slow.txt)$(show src/quick.txt)" xy
  assert_sound
}
test_case 'never two in the critical section, even when the first is stopped' one_at_a_time

state_and_event() {
  new_repo
  open_work 'echo x >src/new.txt'
  killed_at store.before_commit=2 git txn commit "$ID"
  exits 0 git txn recover
  exits 0 git txn verify --replay
  killed_at store.after_commit git txn commit "$ID"
  exits 0 git txn recover
  exits 0 git txn verify --replay
  assert_sound
}
test_case 'killed around a database commit: a state and its event are both there or both not' state_and_event

edited_event() {
  new_repo
  lands 'echo x >src/new.txt'
  exits 0 git txn verify
  sqlite3 .git/txn/kernel.db "drop trigger events_are_never_updated; update events set payload =
    replace(payload, 'semantic', 'snapshot') where type = 'txn.begun'"
  exits 1 git txn verify
  assert_contains "$OUT$ERR" 'was edited'
}
test_case 'an edited event is found' edited_event

every_failpoint() {
  local point points killed=0 n=0
  git txn internal failpoints >"$WORLD/points"
  points=$(grep -E '^(land|checkout|refs|store|api|gates|repo)\.' "$WORLD/points")
  [ "$(printf '%s\n' "$points" | wc -l)" -ge 10 ] || fail "only these failpoints: $points"
  for point in $points; do
    # What is verified after each is the whole log, which had better stay short.
    if [ $((n % 5)) = 0 ]; then new_repo "$WORLD/repo$n"; fi
    n=$((n + 1))
    open_work "echo $point >src/f1.txt; echo $point >\"src/new-$point\"; rm -f src/old-*; touch \"src/old-$point\""
    local got=0
    GIT_TXN_FAILPOINT=$point git txn commit "$ID" >"$WORLD/.out" 2>"$WORLD/.err" || got=$?
    # Past a point that a commit does not reach, it has landed as any other.
    case $got in 137) killed=$((killed + 1)) ;; 0) assert_file src/f1.txt "$point"; continue ;;
      *) fail "$point: exit $got: $(cat "$WORLD/.err")" ;; esac
    exits 0 git txn recover
    exits 0 git txn recover
    assert_clean_checkout
    local landed
    landed=$(git log --format=%B main | grep -c "Txn-Id: $ID" || :)
    exits 0 git txn show "$ID" --json
    case "$landed $(field .state)" in '1 landed') ;; '1 '*) fail "$point: in the branch and $(field .state)" ;;
      '0 landed') fail "$point: landed in the log and not in the branch" ;; esac
    if [ "$landed" = 0 ]; then exits 0 git txn commit "$ID"; fi
    assert_file src/f1.txt "$point"
    assert_file "src/new-$point" "$point"
    assert_clean_checkout
    assert_sound
  done
  [ $killed -ge 10 ] || fail "only $killed failpoints were reached"
}
test_case 'a kill at every failpoint of commit: all or nothing, and it lands when asked again' every_failpoint 600

begin_and_gc_failpoints() {
  local point n=0
  git txn internal failpoints >"$WORLD/points"
  for point in $(grep -E '^(api|worktree|store)\.' "$WORLD/points"); do
    if [ $((n % 5)) = 0 ]; then new_repo "$WORLD/repo$n"; fi
    n=$((n + 1))
    local got=0
    GIT_TXN_FAILPOINT=$point git txn begin --json >"$WORLD/.out" 2>"$WORLD/.err" || got=$?
    case $got in 0 | 137) ;; *) fail "begin, $point: exit $got: $(cat "$WORLD/.err")" ;; esac
    local begun=$got
    got=0
    GIT_TXN_FAILPOINT=$point git txn gc >"$WORLD/.out" 2>"$WORLD/.err" || got=$?
    case $got in 0 | 137) ;; *) fail "gc, $point: exit $got: $(cat "$WORLD/.err")" ;; esac
    [ "$begun $got" != '0 0' ] || continue
    exits 0 git txn recover
    assert_clean_checkout
    assert_sound
  done
  lands 'echo x >src/new.txt'
  exits 0 git txn gc
}
test_case 'a kill at every failpoint of begin and gc: the next command repairs' begin_and_gc_failpoints 600

finish
