#!/usr/bin/env bash
# Workflows: phases that gates guard, and transactions that belong to one.
. "$(dirname "$0")/lib.sh"

# Two phases: the plan is written and reviewed, then built with every transaction done and a test.
TWO='[workflow.feature]
phases = ["plan", "build"]
on_close = { plan = "drop", build = "carry" }

[[workflow.feature.gate]]
phase = "plan"
name = "written"
artifact = "docs/plan.md"

[[workflow.feature.gate]]
phase = "plan"
name = "review"
verdict = "review"

[[workflow.feature.gate]]
phase = "build"
name = "all"
transactions = "complete"

[[workflow.feature.gate]]
phase = "build"
name = "test"
run = "echo ran >>\"$HOME/tests\"; test -e src/new.txt"
'
# Without gates in its phases
PLAIN='[workflow.plain]
phases = ["one", "two", "three"]
on_close = { one = "drop", two = "carry" }
'
w() { git txn workflow "$@"; }
plain_policy() { # it runs nothing, so there is nothing to trust
  printf '%s\n' "$PLAIN" >.gittxn.toml
  git add .gittxn.toml
  git commit -qm 'policy' -- .gittxn.toml
}
create() { exits 0 w create "${1:-feature}" --as "${2:-w-1}"; }
open_phase() {
  exits 0 w status "${1:-w-1}" --json
  field .open
}

two_phases() {
  new_repo
  policy "$TWO"
  create
  agent 'echo "build it" >docs/plan.md' --workflow w-1
  assert_eq "$CODE $(field .state)" '0 landed' "run: $ERR"
  exits 1 w advance w-1
  assert_contains "$OUT" 'gate written  holds'
  assert_contains "$OUT" 'gate review  does not hold'
  assert_eq "$(open_phase)" plan
  exits 0 w verdict w-1 review --fail --note 'too short'
  exits 1 w advance w-1
  exits 0 w verdict w-1 review --pass --actor 'Rae Reviewer'
  exits 0 w advance w-1 --json
  assert_eq "$(field '.moved') $(field .from) $(field .to)" 'true plan build'
  agent 'echo x >src/new.txt' --workflow w-1 --phase build --no-land
  local id
  id=$(field .txn)
  exits 1 w advance w-1
  assert_contains "$OUT" "$id"
  assert_absent "$HOME/tests"  # another gate said no already
  exits 0 git txn commit "$id"
  exits 0 w advance w-1
  assert_eq "$(wc -l <"$HOME/tests")" 1
  assert_contains "$OUT" finished
  exits 3 w advance w-1
  assert_contains "$ERR" 'is finished'
  exits 0 w status w-1
  assert_contains "$OUT" 'pass by Rae Reviewer'
  exits 0 w list
  assert_contains "$OUT" finished
  assert_sound
}
test_case 'a story of two phases, with gates of every kind' two_phases

bad_input() {
  new_repo
  policy "$TWO$PLAIN"
  exits 3 w create nothing
  assert_contains "$ERR" "no workflow 'nothing'"
  exits 3 w create feature --as "w/1"
  exits 3 w create "$(printf 'a\nb')"
  exits 3 w create "$(printf 'x%.0s' $(seq 100))"
  exits 3 w create
  exits 3 w status w-1
  create
  exits 3 w create plain --as w-1
  assert_contains "$ERR" 'there is a workflow w-1 already'
  exits 3 w frobnicate w-1
  exits 3 w status nowhere
  exits 3 w override w-1
  assert_contains "$ERR" 'needs a reason; nothing was changed'
  exits 3 w override w-1 --reason ''
  assert_contains "$ERR" 'hint: give it a value: --reason TEXT'
  exits 3 w override w-1 --reason ' '
  exits 3 w skip w-1 --reason why
  assert_contains "$ERR" 'cannot be skipped'
  exits 3 w rollback w-1 --to plan --reason why
  assert_contains "$ERR" 'that is not back'
  exits 3 w rollback w-1 --to nowhere --reason why
  assert_contains "$ERR" "has no phase 'nowhere'"
  exits 3 w rollback w-1 --reason why
  exits 3 w verdict w-1 review
  exits 3 w verdict w-1 review --pass --fail
  exits 3 w verdict w-1 revue --pass
  assert_contains "$ERR" 'phase plan asks for review'
  exits 1 w advance w-1 --from build
  exits 3 git txn run --phase plan -- true
  exits 3 git txn run --workflow w-2 -- true
  exits 3 git txn run --workflow w-1 --phase build -- true
  assert_contains "$ERR" 'the open one is plan'
  exits 3 git txn run --workflow w-1 --phase nowhere -- true
  git branch side
  exits 3 git txn run --workflow w-1 --onto side -- true
  assert_eq "$(open_phase)" plan
  exits 0 git txn status --json
  assert_eq "$(field '.transactions | length')" 0 'something was begun'
  assert_sound
}
test_case 'what makes no sense is refused by name, and nothing has changed' bad_input

refused_inside() {
  new_repo
  plain_policy
  create plain
  agent 'git txn workflow advance w-1 2>"$WORLD/said"; echo $? >>"$WORLD/codes"
    git txn workflow override w-1 --reason x 2>>"$WORLD/said"; echo $? >>"$WORLD/codes"
    git txn workflow create plain 2>>"$WORLD/said"; echo $? >>"$WORLD/codes"
    git txn workflow cancel w-1 2>>"$WORLD/said"; echo $? >>"$WORLD/codes"
    env -u GIT_TXN_ID git txn workflow cancel w-1 2>>"$WORLD/said"; echo $? >>"$WORLD/codes"
    git txn workflow list >>"$WORLD/listed"; echo $? >>"$WORLD/codes"
    git txn workflow status w-1 >>"$WORLD/listed"; echo $? >>"$WORLD/codes"; echo x >src/new.txt' \
    --workflow w-1
  assert_eq "$(tr '\n' ' ' <"$WORLD/codes")" '3 3 3 3 3 0 0 '
  assert_contains "$(cat "$WORLD/said")" 'is refused inside a transaction'
  assert_contains "$(cat "$WORLD/listed")" 'phase one is open'
  assert_eq "$CODE $(field .state)" '0 landed' "run: $ERR"
  assert_eq "$(open_phase)" one
}
test_case 'inside a transaction a workflow is only looked at' refused_inside

override_is_recorded() {
  new_repo
  policy "$TWO"
  create
  exits 0 w override w-1 --reason 'the reviewer is away' --actor 'Olga Owner' --json
  assert_eq "$(field .to)" build
  exits 0 git txn verify --replay
  sqlite3 .git/txn/kernel.db "select payload from events where type = 'phase.overridden'" >"$WORLD/said"
  assert_contains "$(cat "$WORLD/said")" 'the reviewer is away'
  assert_contains "$(cat "$WORLD/said")" 'Olga Owner'
  assert_contains "$(cat "$WORLD/said")" '"failed":["written","review"]'
  exits 0 git txn run --workflow w-1 -- bash -c 'echo x >src/new.txt'
  exits 0 w advance w-1
  assert_sound
}
test_case 'F7: an override has who and why, in the same event' override_is_recorded

killed_while_moving() {
  new_repo
  policy "$TWO$PLAIN"
  create
  local point
  for point in api.workflow.judged store.before_commit store.after_commit api.workflow.moved; do
    create plain "o-$point"
    create plain "r-$point"
    exits 0 w skip "r-$point" --reason x
    killed_at "$point" git-txn workflow rollback "r-$point" --to one --reason back
    case $point in
      *judged | *before*) assert_eq "$(open_phase "r-$point")" two ;;
      *) assert_eq "$(open_phase "r-$point")" one ;;
    esac
    create feature "f-$point"
    killed_at "$point" git-txn workflow override "f-$point" --reason 'killed here'
    local recorded=0
    recorded=$(sqlite3 .git/txn/kernel.db "select count(*) from events
      where type = 'phase.overridden' and subject = 'f-$point'")
    case $(open_phase "f-$point") in
      build) assert_eq "$recorded" 1 'moved without a record' ;;
      plan) assert_eq "$recorded" 0 'recorded without a move' ;;
    esac
    killed_at "$point" git-txn workflow advance "o-$point"
    case $point in
      *judged | *before*) assert_eq "$(open_phase "o-$point")" one ;;
      *) assert_eq "$(open_phase "o-$point")" two ;;
    esac
    exits 0 git txn verify --replay
  done
  assert_sound
}
test_case 'F7: killed between any two steps of a move, it and its record are both there or both not' \
  killed_while_moving 240

one_advance() {
  new_repo
  plain_policy
  create plain
  local i pids=()
  for i in 1 2 3 4 5 6 7 8; do
    (code=0; git-txn workflow advance w-1 --from one >"$WORLD/out$i" 2>&1 || code=$?
      echo $code >"$WORLD/code$i") &
    pids+=($!)
  done
  wait "${pids[@]}"
  assert_eq "$(cat "$WORLD"/code? | sort | tr '\n' ' ')" '0 1 1 1 1 1 1 1 '
  assert_eq "$(open_phase)" two
  assert_eq "$(sqlite3 .git/txn/kernel.db "select count(*) from events where type = 'phase.advanced'")" 1
  assert_sound
}
test_case 'invariant 4: of eight advances at a time exactly one succeeds' one_advance

advanced_meanwhile() {
  new_repo
  plain_policy
  create plain
  stopped_at api.workflow.judged git txn workflow advance w-1
  exits 0 w advance w-1
  kill -CONT "$STOPPED"
  ends 1
  assert_contains "$ERR" 'somebody moved w-1 meanwhile'
  assert_eq "$(open_phase)" two
}
test_case 'invariant 4: an advance that was decided on what is not so any more does nothing' advanced_meanwhile

gates_are_enforced() {
  new_repo
  policy "$TWO"
  create
  exits 3 w advance w-1 --disable-gates
  echo plan >docs/plan.md  # in the checkout, and not on the branch
  exits 0 w verdict w-1 review --pass
  exits 1 w advance w-1
  assert_contains "$OUT" 'docs/plan.md is neither on the branch nor stored'
  person_commits docs/plan.md plan
  exits 0 w advance w-1
  exits 0 w override w-1 --reason 'ship it'
  exits 0 w status w-1
  assert_contains "$OUT" "overridden by Pat"
  assert_contains "$OUT" ': ship it'
  assert_contains "$OUT" 'verdict review  pass' 'of the phase as it was left'
  exits 0 w rollback w-1 --to plan --reason 'again'
  exits 0 w status w-1 --json
  assert_eq "$(field '[.phases[] | (.gates + .verdicts | length)] | add')" 0 'what was said before counts no more'
  assert_eq "$(field '[.phases[] | .moved | if . == null then "none" else "\(.what): \(.reason)" end] | join(", ")')" \
    'rolled back to: again, none'
  exits 1 w advance w-1  # the verdict was of an earlier version of the phase
  assert_contains "$OUT" 'nobody has said review yet'
  local said
  said=$(sqlite3 .git/txn/kernel.db "select count(*) from events where type = 'gate.phase-evaluated'
    and payload like '%\"passed\":false%'")
  [ "$said" -ge 2 ] || fail "what the gates said is not on record: $said"
  assert_sound
}
test_case 'invariant 2: gates cannot be switched off; a no is on record; a verdict is of one version' \
  gates_are_enforced

head_moves_under_gates() {
  new_repo
  policy '[workflow.g]
phases = ["a", "b"]
[[workflow.g.gate]]
phase = "a"
name = "meets"
run = "touch \"$HOME/gate-here\"; until test -e \"$HOME/gate-go\"; do sleep 0.05; done; cat docs/guide.md >>\"$HOME/gate-saw\""'
  create g
  git-txn workflow advance w-1 >"$WORLD/run.out" 2>"$WORLD/run.err" &
  RUN_PID=$!
  wait_for "$HOME/gate-here"
  person_commits docs/guide.md 'changed under the gate'
  touch "$HOME/gate-go"
  ends 0
  assert_eq "$(tail -n 1 "$HOME/gate-saw")" 'changed under the gate' 'the gate judged another head'
}
test_case 'the head moves while a gate of the phase runs: it runs again on the new one' head_moves_under_gates

phase_closed() {
  new_repo
  plain_policy
  create plain
  start_run --workflow w-1 --retries 2 -- 'echo run >>"$WORLD/runs"; meet; echo x >src/new.txt'
  met
  exits 0 w advance w-1
  go_on
  ends 1
  assert_eq "$(field .state)" rejected
  assert_eq "$(field '.conflicts[0].kind') $(field '.conflicts[0].subject')" 'kernel phase:w-1/one'
  assert_eq "$(wc -l <"$WORLD/runs")" 1 'running again does not open the phase'
  exits 0 git txn why "$(field .txn)"
  assert_contains "$OUT" 'was left before'
  assert_contains "$OUT" '--workflow w-1'
  assert_absent src/new.txt
  # The second phase carries over.
  rm -f "$WORLD"/ready* "$WORLD"/go*
  start_run --workflow w-1 -- 'meet; echo y >src/late.txt'
  met
  exits 0 w advance w-1
  go_on
  ends 0
  assert_eq "$(field .state)" landed
  exits 0 git txn show "$(field .txn)" --json
  exits 0 git txn reads "$(field .txn)" --json
  assert_contains "$OUT" 'phase:w-1/two'
  assert_eq "$(sqlite3 .git/txn/kernel.db "select count(*) from events where type = 'phase.carried'")" 1
  assert_sound
}
test_case 'B1: a phase that closed before it landed: dropped or carried over, as policy says' phase_closed

closed_in_the_window() {
  local point
  new_repo
  plain_policy
  for point in land.before_landing_lock land.after_index_lock; do
    create plain "w-$point"
    agent "echo x >src/$point.txt" --no-land --workflow "w-$point"
    stopped_at "$point" git txn commit "$(field .txn)" --json
    exits 0 w advance "w-$point"
    kill -CONT "$STOPPED"
    ends 1
    assert_eq "$(field .state)" rejected "$point"
    assert_absent "src/$point.txt"
  done
  # Prepared: the phase waits for the landing.
  create plain w-late
  agent 'echo x >src/late.txt' --no-land --workflow w-late
  stopped_at land.after_prepared git txn commit "$(field .txn)" --json
  w advance w-late >"$WORLD/adv.out" 2>"$WORLD/adv.err" &
  local advancing=$!
  assert_eq "$(open_phase w-late)" one 'left while a landing of it was unresolved'
  kill -CONT "$STOPPED"
  ends 0
  wait "$advancing" || fail "advance: $(cat "$WORLD/adv.err")"
  local order
  order=$(sqlite3 .git/txn/kernel.db "select group_concat(type, ' ') from (select type from events where
    type in ('landing.prepared', 'transaction.landed', 'phase.advanced') order by seq desc limit 3)")
  assert_eq "$order" 'phase.advanced transaction.landed landing.prepared'
  assert_sound
}
test_case 'B1: a phase that closes between the look and the branch is never landed in' closed_in_the_window

gates_changed() {
  new_repo
  policy "$TWO"
  create
  agent 'echo x >src/new.txt' --no-land --workflow w-1
  ID=$(field .txn)
  local was='name = "written"' is='name = "there"'
  policy "${TWO/$was/$is}"
  exits 1 git txn commit "$ID" --json
  assert_eq "$(field .state) $(field '.conflicts[0].subject')" 'rejected gates:w-1/plan'
  assert_sound
}
test_case 'B3: the gates of the phase are others than when it was begun' gates_changed

pending_order() {
  new_repo
  plain_policy
  create plain
  # Sees that nobody works on the phase, and decides to do all of it.
  start_run --workflow w-1 --retries 0 -- \
    'git txn workflow status w-1 >"$WORLD/saw"; meet; echo all >src/all.txt'
  met
  agent 'echo part >src/part.txt' --no-land --workflow w-1
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].kind') $(field '.conflicts[0].subject')" 'kernel pending:w-1/one'
  assert_absent src/all.txt
  assert_sound
}
test_case 'B2: what is pending was looked at and is not so any more' pending_order

listed_and_created() {
  new_repo
  plain_policy
  # Sees that there is no workflow, and decides to begin the work by itself.
  start_run --retries 0 -- 'git txn workflow list >"$WORLD/saw"; meet; echo all >src/all.txt'
  met
  create plain
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].kind') $(field '.conflicts[0].subject')" 'kernel workflows'
  local id
  id=$(field .txn)
  exits 0 git txn why "$id"
  assert_contains "$OUT" 'a workflow was created after they were listed'
  assert_absent src/all.txt
  lands 'git txn workflow list >"$WORLD/saw"; echo all >src/all.txt'
  # What the list shows of each is read, too.
  start_run --retries 0 -- 'git txn workflow list >"$WORLD/saw"; meet 2; echo more >src/more.txt'
  met 2
  exits 0 w advance w-1
  go_on 2
  ends 1
  assert_eq "$(field '.conflicts | map(.subject) | tostring')" '["workflow:w-1"]'
  assert_sound
}
test_case 'B2: workflows were listed, and there is another one now' listed_and_created

rolled_back() {
  new_repo
  plain_policy
  create plain
  exits 0 w advance w-1
  agent 'echo kept >src/kept.txt' --no-land --workflow w-1
  ID=$(field .txn)
  exits 0 git txn begin --workflow w-1 --json
  local begun
  begun=$(field .txn)
  echo by-hand >"$(git txn open -q "$begun")/src/hand.txt"
  start_run --workflow w-1 -- 'echo running >src/running.txt; meet 2; sleep 100'
  met 2
  exits 0 w rollback w-1 --to one --reason 'the plan was wrong' --json
  assert_eq "$(field '.cancelled | length')" 3
  ends 1
  assert_eq "$(field .state)" aborted
  assert_eq "$(git show "refs/txn/$(field .txn)/1:src/running.txt")" running 'its work is kept'
  assert_eq "$(git show "refs/txn/$ID/1:src/kept.txt")" kept
  assert_eq "$(git show "refs/txn/$begun/1:src/hand.txt")" by-hand
  exits 0 git txn why "$ID"
  assert_contains "$OUT" 'the plan was wrong'
  exits 1 w advance w-1 --from two
  exits 0 w advance w-1
  assert_eq "$(open_phase)" two
  assert_sound
}
test_case 'rolling back cancels what runs, and keeps its work' rolled_back

trust_of_phase_gates() {
  new_repo
  printf '%s' "$TWO" >.gittxn.toml
  git add .gittxn.toml
  git commit -qm policy
  exits 0 git txn trust
  assert_contains "$OUT" 'workflow feature, phase build, gate test'
  create
  exits 3 w advance w-1
  assert_contains "$ERR" 'git txn trust --yes'
  trust_policy
  exits 1 w advance w-1
}
test_case 'commands of phase gates run only after a yes to exactly these' trust_of_phase_gates

handled() {
  new_repo
  policy "$PLAIN
[on.\"phase.advanced\"]
run = \"jq -r .data.to >>$WORLD/heard\""
  create plain
  exits 0 w advance w-1
  assert_file "$WORLD/heard" two
}
test_case 'a handler of a move is given it by the command that moved' handled

words() {
  new_repo
  printf '%s\n' '[workflow.feature]' 'phases = ["plan", "build"]' '[[workflow.feature.gate]]' 'phase = "build"' \
    'name = "seen"' 'verdict = "review"' >.gittxn.toml
  git add .gittxn.toml
  git commit -qm policy
  exits 3 git txn workflow create featur
  assert_contains "$ERR" 'it has feature; another one is added to .gittxn.toml'
  exits 3 git txn workflow create
  assert_contains "$ERR" 'usage: git txn workflow create [OPTIONS] NAME'
  exits 0 git txn workflow create feature --as w-1
  exits 3 git txn workflow verdict w-1 nonsense --pass
  assert_contains "$ERR" "no gate of phase plan asks for the verdict 'nonsense'"
  assert_contains "$ERR" 'phase plan asks for no verdict'
  exits 1 git txn workflow advance w-1 --from build
  assert_contains "$ERR" 'git txn workflow status w-1'
  exits 3 git txn workflow rollback w-1 --to build --reason x
  assert_contains "$ERR" 'git txn workflow advance w-1'
  # A flag of another verb would be passed over.
  local wrong
  for wrong in 'advance w-1 --pass' 'advance w-1 --to build' 'advance w-1 --reason x' 'list --reason x' \
    'status w-1 --onto main' 'create feature --reason x' 'verdict w-1 review --pass --reason x'; do
    # shellcheck disable=SC2086 # words
    exits 3 git txn workflow $wrong
    assert_contains "$ERR" 'does not take --' "$wrong"
  done
  exits 0 git txn workflow advance w-1
  exits 3 git txn workflow verdict w-1 nonsense --pass
  assert_contains "$ERR" 'phase build asks for review'
  assert_sound
}
test_case 'wrong uses are refused with the reason and the next step' words

asked_twice() {
  new_repo
  plain_policy
  exits 0 w create plain --key ticket-12 --json
  local first
  first=$(field .id)
  exits 0 w create plain --key ticket-12 --json
  assert_eq "$(field .id)" "$first"
  exits 0 w create plain --key ticket-13 --json
  [ "$(field .id)" != "$first" ] || fail 'another key is another workflow'
  assert_eq "$(w list --json | wc -l)" 2
  exits 3 w create plain --key ticket-12 --as w-1
  exits 3 w status "$first" --key ticket-12
  assert_sound
}
test_case 'a workflow is created once under a key' asked_twice

finish
