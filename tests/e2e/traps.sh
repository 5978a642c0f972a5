#!/usr/bin/env bash
# The traps of the landing order and of its recovery table, each one story.
. "$(dirname "$0")/lib.sh"

landings_of() { git log --format=%B main | grep -c "Txn-Id: $1" || :; }

undone_before_recovery() {
  new_repo
  local base
  base=$(head_of)
  open_work 'echo A >src/new.txt'
  killed_at land.after_ref_update git txn commit "$ID"
  rm -f .git/index.lock
  git reset -q --hard "$base"
  exits 0 git txn recover
  exits 0 git txn recover
  assert_eq "$(head_of)" "$base" 'recovery moved the branch'
  assert_absent src/new.txt
  exits 0 git txn show "$ID" --json
  assert_lacks "$(field .state)" landed
  assert_eq "$(git show "refs/txn/$ID/1:src/new.txt")" A 'the work was lost'
  lands 'echo B >src/other.txt'
  assert_eq "$(landings_of "$ID")" 0 'an undone landing came back'
  assert_sound
}
test_case 'undone before recovery: a landing that was killed and then undone by a person stays undone' \
  undone_before_recovery

undone_after_recovery() {
  new_repo
  local base
  base=$(head_of)
  lands 'echo A >src/new.txt'
  local id
  id=$(field .txn)
  git reset -q --hard "$base"
  lands 'echo B >src/other.txt'
  assert_eq "$(landings_of "$id")" 0 'an undone landing came back'
  assert_absent src/new.txt
  exits 0 git txn log
  assert_contains "$OUT" "$(git rev-parse --short "$base")"
  assert_sound
}
test_case 'undone after it landed: the move is recorded and the landing stays undone' undone_after_recovery

killed_before_the_ref() {
  local point base
  new_repo
  base=$(head_of)
  for point in land.after_prepared refs.after_lock; do
    open_work "echo $point >src/new.txt"
    killed_at "$point" git txn commit "$ID"
    exits 0 git txn recover
    exits 0 git txn recover
    assert_eq "$(head_of)" "$base" "$point: recovery moved the branch"
    assert_clean_checkout
    assert_sound
    exits 0 git txn show "$ID" --json
    assert_lacks "$(field .state)" landed
  done
  exits 0 git txn commit "$ID" --json
  assert_eq "$(field .state)" landed
  assert_sound
}
test_case 'killed before the branch moved: lost, kept, and it lands when its owner asks again' killed_before_the_ref

half_moved_with_an_edit() {
  new_repo
  open_work 'for i in 1 2 3 4; do echo "agent $i" >src/f$i.txt; done'
  killed_at checkout.mid_move git txn commit "$ID"
  local victim
  victim=$(grep -l 'line one' src/f[1-4].txt | head -n 1)
  echo 'the person typed this' >"$victim"
  exits 0 git txn recover
  assert_file "$victim" 'the person typed this'
  local i
  for i in 1 2 3 4; do
    assert_eq "$(show src/f$i.txt)" "agent $i"
    [ "src/f$i.txt" = "$victim" ] || assert_file "src/f$i.txt" "agent $i"
  done
  git commit -qam 'the person goes on'
  assert_eq "$(git diff --name-only HEAD~1)" "$victim" 'a plain commit undid part of the landing'
  assert_sound
}
test_case 'half-moved checkout: the person edited a file in between, it is left and reported, the rest finished' \
  half_moved_with_an_edit

foreign_ref_lock() {
  new_repo
  open_work 'echo A >src/new.txt'
  : >.git/refs/heads/main.lock
  exits 1 git txn commit "$ID" --wait 1s --json
  [ -e .git/refs/heads/main.lock ] || fail "somebody else's lock was removed"
  rm .git/refs/heads/main.lock
  exits 0 git txn commit "$ID" --json
  assert_eq "$(field .state)" landed
  assert_sound
}
test_case 'half-written lock of somebody else: waits with a reason, never removes it' foreign_ref_lock

saved_by_rename_in_the_middle() {
  new_repo
  open_work 'for i in 1 2 3 4; do echo "agent $i" >src/f$i.txt; done'
  stopped_at checkout.mid_move git txn commit "$ID" --json
  local victim
  victim=$(grep -l 'line one' src/f[1-4].txt | head -n 1)
  echo 'saved by rename' >src/.tmp-save
  mv src/.tmp-save "$victim"
  kill -CONT "$STOPPED"
  ends 0
  assert_file "$victim" 'saved by rename'
  assert_contains "$OUT$ERR" "$victim"
  assert_sound
}
test_case 'an editor saves by rename during the swap: the save survives and is reported' saved_by_rename_in_the_middle

saved_in_place_in_the_middle() {
  new_repo
  open_work 'for i in 1 2 3 4; do echo "agent $i" >src/f$i.txt; done'
  exec 7<>src/f1.txt 8<>src/f2.txt 9<>src/f3.txt
  stopped_at checkout.after_move git txn commit "$ID" --json
  printf 'typed into the old inode' >&7
  exec 7>&- 8>&- 9>&-
  kill -CONT "$STOPPED"
  ends 0
  exits 0 git txn status
  local all
  all=$(git show main:src/f1.txt; cat src/f1.txt; grep -rhs 'typed into the old inode' .git/txn || :)
  assert_contains "$all" 'typed into the old inode'
  assert_contains "$OUT$ERR" src/f1.txt
  exits 0 git txn gc
  grep -rqs 'typed into the old inode' .git/txn src || fail 'gc removed what the person typed'
  assert_sound
}
test_case 'an editor writes to the displaced file: the bytes are kept and reported' saved_in_place_in_the_middle

commit_with_editor_open() {
  new_repo
  open_work 'echo A >src/new.txt'
  echo 'person edit' >docs/guide.md
  printf '#!/usr/bin/env bash\ntouch "$WORLD/editing"\nuntil [ -e "$WORLD/edited" ]; do sleep 0.05; done\necho typed >"$1"\n' \
    >"$WORLD/bin/slow-editor"
  chmod +x "$WORLD/bin/slow-editor"
  GIT_EDITOR=slow-editor git commit -qa &
  local committing=$!
  wait_for "$WORLD/editing"
  exits 1 git txn commit "$ID" --wait 1s --json
  assert_contains "$(field .waiting.reason)" index
  touch "$WORLD/edited"
  wait $committing
  assert_eq "$(git log -1 --format=%s)" typed
  exits 0 git txn commit "$ID" --json
  assert_eq "$(field .state)" landed
  assert_eq "$(show docs/guide.md)" 'person edit'
  assert_clean_checkout
  assert_sound
}
test_case 'git commit -a with its editor open: the landing waits, then both are there' commit_with_editor_open

killed_turn_holder() {
  new_repo
  policy '[[gate]]
name = "slow"
run = "if test -e src/slow; then touch \"$HOME/gate-started\"; sleep 60; fi"'
  start_run -- 'touch src/slow'
  wait_for "$HOME/gate-started"
  kill -KILL "$RUN_PID"
  wait "$RUN_PID" || :
  lands 'echo B >src/quick.txt'
  assert_eq "$(show src/quick.txt)" B
  assert_sound
}
test_case 'killed turn holder: the next one lands at once' killed_turn_holder

lock_under_surviving_child() {
  new_repo
  start_run -- 'setsid sleep 300 & echo "$!" >"$WORLD/child"; meet; sleep 60'
  met
  kill -KILL "$RUN_PID"
  wait "$RUN_PID" || :
  lands 'echo B >src/quick.txt'
  exits 0 git txn status --json
  assert_eq "$(field '[.transactions[] | select(.owner_alive)] | length')" 0 'a dead owner counts as alive'
  local child
  child=$(cat "$WORLD/child")
  if [ -d "/proc/$child" ]; then kill "$child"; fi
  assert_sound
}
test_case 'a child survives its killed run: no lock lives on in it' lock_under_surviving_child

dirty_file_waits() {
  new_repo
  echo 'unsaved thought' >src/f1.txt
  local before
  before=$(head_of)
  agent 'echo agent >src/f1.txt' --wait 0
  assert_eq "$CODE" 1
  assert_contains "$(field .waiting.subject)" src/f1.txt
  assert_file src/f1.txt 'unsaved thought'
  assert_eq "$(head_of)" "$before"
  local id
  id=$(field .txn)
  git checkout -q -- src/f1.txt
  exits 0 git txn commit "$id" --json
  assert_file src/f1.txt agent
  assert_sound
}
test_case 'a dirty file: the landing waits for the person and touches nothing' dirty_file_waits

staged_edit_waits() {
  new_repo
  echo 'staged thought' >src/f1.txt
  git add src/f1.txt
  agent 'echo agent >src/f1.txt' --wait 0
  assert_eq "$CODE" 1
  assert_eq "$(git diff --cached --name-only)" src/f1.txt
  assert_file src/f1.txt 'staged thought'
}
test_case 'a staged edit: the landing waits and the index is as it was' staged_edit_waits

untracked_in_the_way() {
  new_repo
  echo 'my notes' >src/new.txt
  agent 'echo agent >src/new.txt' --wait 0
  assert_eq "$CODE" 1
  assert_file src/new.txt 'my notes'
  echo 'ignored log' >trace.log
  agent 'echo agent >trace.log; git add -f trace.log' --wait 0
  assert_eq "$CODE" 1
  assert_file trace.log 'ignored log'
}
test_case 'an untracked or ignored file in the way of an added one: waits, never overwrites' untracked_in_the_way

mid_merge_waits() {
  new_repo
  git checkout -qb side
  person_commits src/f1.txt 'side'
  git checkout -q main
  person_commits src/f1.txt 'main'
  git merge side >"$WORLD/.merge" 2>&1 && fail 'expected a conflict'
  agent 'echo agent >src/new.txt' --wait 0
  assert_eq "$CODE" 1
  assert_contains "$(field .waiting.reason)" merge
  [ -e .git/MERGE_HEAD ] || fail 'the merge was disturbed'
  git merge --abort
  exits 0 git txn commit "$(field .txn)" --json
  assert_eq "$(field .state)" landed
}
test_case 'a merge in progress: waits, and lands after it' mid_merge_waits

zero_length_ref() {
  new_repo
  lands 'echo A >src/new.txt'
  local head
  head=$(head_of)
  : >.git/refs/heads/main
  exits 2 git txn recover
  assert_contains "$ERR" refs/heads/main
  assert_contains "$ERR" "$head"
  assert_contains "$ERR" 'git update-ref'
  printf '%s\n' "$head" >.git/refs/heads/main
  exits 0 git txn recover
  assert_sound
}
test_case 'a zero-length ref: a clear stop with the last value and the command that restores it' zero_length_ref

untouched_edits_stay() {
  new_repo
  echo 'unsaved elsewhere' >src/f7.txt
  echo 'new and mine' >mine.txt
  lands 'echo agent >src/f1.txt'
  assert_file src/f7.txt 'unsaved elsewhere'
  assert_file mine.txt 'new and mine'
  assert_file src/f1.txt agent
  assert_eq "$(git status --porcelain | sort)" "$(printf ' M src/f7.txt\n?? mine.txt' | sort)"
  assert_contains "$ERR$OUT" uncommitted
}
test_case 'uncommitted edits to other files stay as they are, and the run says that they were not seen' \
  untouched_edits_stay

finish
