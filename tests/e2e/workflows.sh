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
  assert_contains "$OUT" "git txn retry $(field .txn)"
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

finish
