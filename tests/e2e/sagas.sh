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
  assert_sound
}
test_case 'compensations of what landed never run' kept_when_landed

undone_when_nothing() {
  new_repo
  local effect='echo one >>"$WORLD/effects"; git txn compensate -- sh -c "echo undo >>\"$WORLD/effects\""'
  agent "$effect"
  assert_eq "$CODE $(field .state)" '0 nothing' "run: $ERR"
  assert_eq "$(effects)" one,undo, 'there is no commit that the effect belongs to'
  exits 0 git txn begin --json
  ID=$(field .txn)
  exits 0 git txn exec "$ID" -- bash -c "$effect"
  exits 0 git txn commit "$ID" --json
  assert_eq "$(field .state)" nothing
  assert_eq "$(effects)" one,undo,one,undo,
  open_work "$effect; echo same >src/new.txt"
  person_commits src/new.txt same
  exits 0 git txn commit "$ID" --json
  assert_eq "$(field .state)" nothing
  assert_eq "$(effects)" one,undo,one,undo,one,undo,
  agent 'git txn compensate -- sh -c "exit 7"'
  assert_eq "$CODE $(field .state)" '1 nothing' 'what it did is not undone'
  assert_contains "$OUT" 'compensation 1 failed (exit 7)'
  rm "$WORLD/effects"
  killed_at api.compensation.started git-txn run -- bash -c "$effect"
  exits 0 git txn status
  assert_contains "$OUT" '1 compensation has not ended: git txn recover'
  exits 0 git txn recover
  exits 0 git txn recover
  assert_eq "$(effects)" one,undo,
  assert_sound
}
test_case 'compensations of what had nothing to land run' undone_when_nothing

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
    exits 0 git txn gc
    exits 1 git txn resume "$ID"
    assert_contains "$ERR" "$ID is half undone"
    exits 0 git txn status
    assert_contains "$OUT" 'not ended: git txn recover'
    exits 0 git txn recover
    exits 0 git txn status
    assert_lacks "$OUT" compensation
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

# one that waits in its first run, and is registered after one that does not; left open
WAITS='git txn compensate -- sh -c "echo undo >>\"$WORLD/effects\""
  git txn compensate -- sh -c "[ -e \"$WORLD/again\" ] || { touch \"$WORLD/at\"; sleep 100; }"
  echo x >src/new.txt'
# at_compensation COMMAND...: in the background, until that one waits; its process in $RUN_PID
at_compensation() {
  rm -f "$WORLD/at"
  "$@" >"$WORLD/run.out" 2>"$WORLD/run.err" </dev/null &
  RUN_PID=$!
  wait_for "$WORLD/at"
}
left_over() { find "$XDG_STATE_HOME" -name 'compensation-*'; }

killed_while_it_runs() {
  new_repo
  open_work "$WAITS"
  at_compensation git-txn abort "$ID"
  kill -KILL "$RUN_PID"
  wait "$RUN_PID" || :
  local folder
  folder=$(left_over)
  [ -d "$folder" ] || fail 'it left nothing behind'
  exits 0 git txn gc
  exits 0 git txn gc --force
  assert_eq "$(left_over)" "$folder" 'whoever looks for the reason finds it'
  exits 0 git txn status
  assert_contains "$OUT" '2 compensations have not ended: git txn recover'
  exits 0 git txn show "$ID"
  assert_contains "$OUT" 'next: git txn recover'
  exits 0 git txn why "$ID"
  assert_lacks "$OUT" 'git txn resume'
  exits 0 git txn status --json
  assert_eq "$(field '.transactions[0] | "\(.txn) \(.state) \(.owed.compensations) \(.owed.next)"')" \
    "$ID aborted 2 git txn recover"
  touch "$WORLD/again"
  exits 0 git txn recover
  assert_eq "$(effects)$(left_over)" undo,
  exits 0 git txn status --json
  assert_eq "$(field '.transactions | length')" 0
  # as an older program has left it
  mkdir -p "$folder/tree"
  touch "$folder/trace"
  exits 0 git txn gc
  assert_absent "$folder"
  assert_sound
}
test_case 'a killed compensation is listed, and gc does not trip over what it left' killed_while_it_runs

interrupted_while_it_runs() {
  new_repo
  local signal
  for signal in INT TERM; do
    rm -f "$WORLD/again" "$WORLD/effects"
    open_work "$WAITS; echo $signal >src/new.txt"
    at_compensation git-txn abort "$ID"
    kill "-$signal" "$RUN_PID"
    ends 1
    assert_contains "$ERR" "interrupted: $ID is aborted, and 2 of its 2 compensations have not ended"
    assert_contains "$ERR" 'go on with: git txn recover'
    at_compensation git-txn recover
    kill "-$signal" "$RUN_PID"
    ends 1
    assert_contains "$ERR" '2 of its 2 compensations have not ended'
    exits 1 git txn resume "$ID"
    assert_contains "$ERR" 'half undone: 2 of its 2 compensations have not ended'
    assert_absent "$WORLD/effects"
    touch "$WORLD/again"
    exits 0 git txn recover
    assert_eq "$(effects)" undo,
    exits 0 git txn show "$ID" --json
    assert_eq "$(field '[.compensations[] | .runs] | join(" ")')" '1 3'
    exits 0 git txn resume "$ID"
    exits 0 git txn commit "$ID"
  done
  assert_sound
}
test_case 'an interrupt ends a compensation, and says what is owed' interrupted_while_it_runs 240

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

is_no_person() {
  new_repo
  printf '[workflow.plain]\nphases = ["one", "two"]\n[[workflow.plain.gate]]\nphase = "one"\n%s' \
    'name = "review"
verdict = "review"
' >.gittxn.toml
  git add .gittxn.toml
  git commit -qm policy
  exits 0 git txn workflow create plain --as w-1
  local asks starts other
  exits 0 git txn propose 'rewrite all of it' --score 0.6 --json
  asks=$(field .proposal.id)
  exits 0 git txn propose 'the second file is missing' --score 0.9 --json
  starts=$(field .proposal.id)
  exits 0 git txn begin --json
  other=$(field .txn)
  cat >"$WORLD/undo" <<UNDO
export XDG_STATE_HOME=$XDG_STATE_HOME ASAN_OPTIONS=$ASAN_OPTIONS
cd "$REPO"
tried() { git txn "\$@" >>"$WORLD/said" 2>&1; echo "\$1 \$2 \$?" >>"$WORLD/codes"; }
tried promote $asks --approve --actor Nobody
tried promote $asks --override --reason r
tried promote $asks
tried proposals dismiss $asks --reason r
tried propose --onto other --score 0.7 text
tried workflow verdict w-1 review --pass
tried workflow advance w-1
tried workflow override w-1 --reason r
tried workflow skip w-1 --reason r
tried workflow create plain
tried run -- touch here
tried begin
tried commit $other
tried abort $other
tried exec $other -- true
tried resume $other
tried gc --force
tried recover
tried gate run HEAD
tried trust --yes 0
tried lease acquire src
tried sentinel nightly --every 1d
tried budget set --workflow w-1 wall=8h
tried events prune --before 1
tried events consumer register audit --durable
tried portfolio add "$WORLD"
tried compensate -- true
echo -- >>"$WORLD/codes"
tried show \$GIT_TXN_COMPENSATES
tried log
tried status
tried workflow status w-1
tried proposals
tried propose 'the third file too' --score 0.9
tried promote $starts
UNDO
  open_work 'git txn compensate -- bash "$WORLD/undo"; echo x >src/new.txt'
  local branches
  branches=$(git for-each-ref)
  exits 0 git txn abort "$ID"
  local refused allowed
  refused=$(sed '/^--$/,$d' "$WORLD/codes")
  allowed=$(sed '1,/^--$/d' "$WORLD/codes")
  # without a yes it is asked, and answered with no
  assert_eq "$(grep -v ' 3$' <<<"$refused")" "promote $asks 1" "$(cat "$WORLD/codes" "$WORLD/said")"
  assert_eq "$(grep -v ' 0$' <<<"$allowed")" '' "$(cat "$WORLD/said")"
  assert_contains "$(cat "$WORLD/said")" "this is inside of a compensation of $ID"
  assert_contains "$(cat "$WORLD/said")" "inside a compensation of $ID is not supported"
  exits 0 git txn proposals show "$asks" --json
  assert_eq "$(field .state)" open
  exits 0 git txn workflow status w-1 --json
  assert_eq "$(field .open)" one
  assert_eq "$(git for-each-ref)" "$branches"
  assert_sound
}
test_case 'F2, invariant 7: a compensation is no person, and does what an agent may' is_no_person 240

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
