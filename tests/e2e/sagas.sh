#!/usr/bin/env bash
# Compensations: what undoes the effects that a transaction had elsewhere.
. "$(dirname "$0")/lib.sh"

# work with two effects elsewhere, each with its compensation; left open
EFFECTS='echo one >>"$WORLD/effects"; git txn compensate --name "the first" -- sh -c "echo undo one >>\"$WORLD/effects\""
  echo two >>"$WORLD/effects"; git txn compensate -- sh -c "echo undo two >>\"$WORLD/effects\""
  echo x >src/new.txt'
effects() { tr '\n' ',' <"$WORLD/effects"; }

undone_when_aborted() {
  new_repo
  open_work "$EFFECTS"
  exits 0 git txn show "$ID"
  assert_contains "$OUT" 'compensation 1  registered: the first'
  assert_eq "$(effects)" one,two,
  exits 0 git txn abort "$ID" --reason 'not needed'
  assert_contains "$OUT" 'compensation 2  ran'
  assert_eq "$(effects)" 'one,two,undo two,undo one,'
  exits 0 git txn abort "$ID"
  exits 0 git txn recover
  assert_eq "$(effects)" 'one,two,undo two,undo one,' 'run once'
  exits 0 git txn show "$ID" --json
  assert_eq "$(field '[.compensations[] | .runs, .exit] | join(" ")')" '1 0 1 0'
  exits 0 git txn resume "$ID"
  assert_contains "$ERR" 'compensations 1, 2 ran when it was aborted'
  exits 0 git txn commit "$ID"
  assert_contains "$ERR" 'compensations 1, 2 ran when it was aborted'
  assert_eq "$(effects)" 'one,two,undo two,undo one,'
  assert_sound
}
test_case 'compensations run when the transaction is aborted, once, the last first' undone_when_aborted

kept_when_landed() {
  new_repo
  agent "$EFFECTS"
  assert_eq "$CODE $(field .state)" '0 landed' "run: $ERR"
  exits 0 git txn recover
  assert_eq "$(effects)" one,two,
  open_work "$EFFECTS; echo again >src/again.txt"
  exits 0 git txn commit "$ID"
  assert_eq "$(effects)" one,two,one,two,
  agent 'git txn compensate -- sh -c "echo undo >>\"$WORLD/effects\""; true'
  assert_eq "$(field .state)" nothing
  assert_eq "$(effects)" one,two,one,two,
  assert_sound
}
test_case 'compensations of what landed, or changed nothing, never run' kept_when_landed

given_up() {
  new_repo
  open_work "cat src/f1.txt; $EFFECTS"
  person_commits src/f1.txt changed
  exits 1 git txn commit "$ID" --json
  assert_eq "$(field .state)" quarantined
  assert_eq "$(effects)" one,two, 'it may still land'
  exits 0 git txn abort "$ID"
  assert_eq "$(effects)" 'one,two,undo two,undo one,'
}
test_case 'compensations of a quarantined transaction run when it is given up' given_up

killed_in_between() {
  new_repo
  local point
  for point in api.compensation.started api.compensation.ran api.compensation.ended; do
    rm -f "$WORLD/effects"
    open_work "$EFFECTS"
    killed_at "$point" git-txn abort "$ID"
    exits 0 git txn recover
    case $point in
      *ran) assert_eq "$(effects)" 'one,two,undo two,undo two,undo one,' "$point: at least once" ;;
      *) assert_eq "$(effects)" 'one,two,undo two,undo one,' "$point" ;;
    esac
    exits 0 git txn show "$ID" --json
    case $point in
      *ended) assert_eq "$(field '.compensations[1].runs')" 1 ;;
      *) assert_eq "$(field '.compensations[1].runs')" 2 'a second run is told apart' ;;
    esac
    exits 0 git txn recover
    exits 0 git txn verify --replay
  done
  assert_sound
}
test_case 'compensations whose command was killed are run by recover' killed_in_between

one_fails() {
  new_repo
  open_work 'git txn compensate -- sh -c "echo undone >>\"$WORLD/effects\""
    git txn compensate -- sh -c "echo no; exit 7"
    git txn compensate -- no-such-program-here
    echo x >src/new.txt'
  exits 1 git txn abort "$ID"
  assert_contains "$OUT" 'compensation 2  failed, exit 7'
  assert_contains "$OUT" 'compensation 3  failed, exit 127'
  assert_eq "$(effects)" undone,
  assert_sound
}
test_case 'a compensation that fails is on record, and the others run' one_fails

its_environment() {
  new_repo
  open_work 'git txn compensate -- sh -c "env >\"$HOME/env\"; pwd >\"$HOME/pwd\"; ls -a >\"$HOME/ls\"; cat"; echo x >src/new.txt'
  SECRET_TOKEN=hunter2 exits 0 git txn abort "$ID"
  assert_lacks "$(cat "$HOME/env")" hunter2
  assert_contains "$(cat "$HOME/env")" "GIT_TXN_COMPENSATES=$ID"
  assert_lacks "$(cat "$HOME/env")" GIT_TXN_ID
  assert_eq "$(tr '\n' ' ' <"$HOME/ls")" '. .. '
  assert_absent "$(cat "$HOME/pwd")"
}
test_case 'a compensation runs in an empty directory with the environment of a gate' its_environment

bad_registrations() {
  new_repo
  exits 3 git txn compensate -- true
  assert_contains "$ERR" 'not inside a transaction'
  agent 'git txn compensate; echo $? >"$WORLD/codes"
    git txn compensate -- ""; echo $? >>"$WORLD/codes"
    git txn compensate --name "$(head -c 300 /dev/zero | tr "\0" x)" -- true; echo $? >>"$WORLD/codes"
    GIT_TXN_ID=t-none git txn compensate -- true; echo $? >>"$WORLD/codes"' 2>"$WORLD/said"
  assert_eq "$(tr '\n' ' ' <"$WORLD/codes")" '3 3 3 3 '
  exits 0 git txn show "$(field .txn)"
  assert_lacks "$OUT" compensation
}
test_case 'a compensation that makes no sense is refused' bad_registrations

of_a_workflow() {
  new_repo
  printf '[workflow.plain]\nphases = ["one", "two"]\n' >.gittxn.toml
  git add .gittxn.toml
  git commit -qm policy
  exits 0 git txn workflow create plain --as w-1
  exits 0 git txn workflow advance w-1
  agent "$EFFECTS" --no-land --workflow w-1
  start_run --workflow w-1 -- 'git txn compensate -- sh -c "echo undo live >>\"$WORLD/effects\""; meet; sleep 100'
  met
  exits 0 git txn workflow rollback w-1 --to one --reason 'all wrong'
  assert_eq "$(grep -v live "$WORLD/effects" | tr '\n' ',')" 'one,two,undo two,undo one,'
  ends 1
  assert_contains "$(effects)" 'undo live'
  exits 0 git txn recover
  assert_eq "$(grep -c undo "$WORLD/effects")" 3
  assert_sound
}
test_case 'a workflow that goes back undoes what it cancels' of_a_workflow

finish
