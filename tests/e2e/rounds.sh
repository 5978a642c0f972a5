#!/usr/bin/env bash
# Agents whose change was refused, and whose own conversation goes on with it: told what has changed, in the
# worktree with the branch merged into it. The agents are tests/agents/fake-*; ./dev agents runs the real ones.
. "$(dirname "$0")/lib.sh"

with_claude() { # [POLICY]
  new_repo
  [ -z "${1:-}" ] || policy "$1"
  ln -s "$E2E_ROOT/tests/agents/fake-claude" "$WORLD/bin/claude"
  export FAKE_TOLD=$WORLD/told FAKE_AGAIN=:
}
# works SCRIPT [OPTION...]: the agent in the background, whose prompt is the script
works() {
  local script=$1
  shift
  git-txn run --json "$@" -- claude -p "$script" >"$WORLD/run.out" 2>"$WORLD/run.err" </dev/null &
  AGENT=$!
}
ended() { # CODE STATE
  CODE=0
  wait "$AGENT" || CODE=$?
  OUT=$(tail -n 1 "$WORLD/run.out") ERR=$(<"$WORLD/run.err")
  assert_eq "$CODE $(field .state)" "$1 $2" "$OUT $ERR"
}
rungs() { field '[.repairs[] | "\(.rung) \(.subject): \(.result)"] | join("; ")'; }

kept() {
  with_claude
  works 'Read src/f1.txt; Write decided.txt "from f1"; meet'
  met
  person_commits src/f1.txt 'another line'
  go_on
  ended 0 landed
  assert_eq "$(rungs)" 'resume src/f1.txt: landed'
  assert_eq "$(show decided.txt)" 'from f1'
  local told
  told=$(<"$WORLD/told")
  assert_contains "$told" '+another line'
  assert_contains "$told" 'Read call toolu_1'
  assert_contains "$told" '- decided.txt'
  assert_contains "$told" '- keep: your change is right as it is'
  exits 0 git txn why "$(field .txn)" --admitted
  assert_contains "$OUT" src/f1.txt
  assert_sound
}
test_case 'a conversation goes on after a refusal, is told what has changed, and its change lands' kept

patched() {
  with_claude
  export FAKE_AGAIN='Read src/f1.txt; Write decided.txt "from the other line"'
  works 'Read src/f1.txt; Write decided.txt "from f1"; meet'
  met
  person_commits src/f1.txt 'another line'
  person_commits src/f2.txt 'theirs'
  go_on
  ended 0 landed
  assert_eq "$(show decided.txt) $(rungs)" 'from the other line resume src/f1.txt: landed'
  assert_eq "$(git log --format=%s main | grep -c .)" 4 'one commit of its own'
}
test_case 'what it does again in that round lands in one commit' patched

# A listing lets names that came pass; in its round it looks at them.
listed() {
  with_claude
  export FAKE_AGAIN='Bash "grep -rn guide docs"; Write decided.txt "from both"'
  works 'Bash "ls docs"; Read src/f1.txt; Write decided.txt "from f1"; meet'
  met
  person_commits docs/terms.md theirs
  person_commits src/f1.txt 'another line'
  go_on
  ended 0 landed
  assert_eq "$(show decided.txt) $(rungs)" 'from both resume src/f1.txt: landed'
  assert_contains "$(<"$WORLD/told")" docs/terms.md
  assert_sound
}
test_case 'names that came into a directory that it has listed are told, and may be looked at' listed

markers() {
  with_claude
  export FAKE_AGAIN='if grep -q "still have conflict markers" "$FAKE_TOLD"; then Write src/f2.txt both; fi'
  works 'Edit src/f2.txt "line one" mine; meet'
  met
  person_commits src/f2.txt theirs
  go_on
  ended 0 landed
  assert_eq "$(field '[.repairs[].rung] | join(" ")') $(show src/f2.txt)" 'resume resume both'
  assert_contains "$(<"$WORLD/told")" src/f2.txt
  assert_sound
}
test_case 'one that leaves conflict markers is told so, and nothing with them lands' markers

always_markers() {
  with_claude
  works 'Edit src/f2.txt "line one" mine; meet' --repairs 2
  met
  person_commits src/f2.txt theirs
  go_on
  ended 1 open
  assert_eq "$(field '[.repairs[].rung] | join(" ")') $(show src/f2.txt)" 'resume resume theirs'
  assert_contains "$OUT" 'there are conflict markers in src/f2.txt'
  local id
  id=$(field .txn)
  exits 0 git txn exec "$id" -- sh -c 'echo both >src/f2.txt'
  exits 0 git txn commit "$id"
  assert_eq "$(show src/f2.txt)" both
}
test_case 'one that never resolves them is asked a few times and no more' always_markers

fails_a_gate() {
  with_claude '[[gate]]
name = "tests"
run = ["sh", "-c", "echo it wants good; grep -q good decided.txt"]'
  export FAKE_AGAIN='Write decided.txt good'
  works 'Write decided.txt bad'
  ended 0 landed
  assert_eq "$(rungs)" 'resume tests: landed'
  assert_contains "$(<"$WORLD/told")" 'it wants good'
  assert_eq "$(show decided.txt) $(field .read_set.status)" 'good complete' "$OUT"
  assert_sound
}
test_case 'one whose change fails a gate is told what the gate printed' fails_a_gate

lost() {
  with_claude
  export FAKE_FIRST=$WORLD/first
  works 'if [ -e "$FAKE_FIRST" ]; then Write decided.txt second; else Read src/f1.txt; Write decided.txt first; meet; fi'
  met
  person_commits src/f1.txt 'another line'
  touch "$FAKE_FIRST"
  rm -r "$HOME/.claude/projects"
  go_on
  ended 0 landed
  assert_eq "$(rungs) $(show decided.txt)" 'retry src/f1.txt: landed second'
}
test_case 'one whose conversation is gone is run again from the beginning' lost

breaks_off() {
  with_claude
  export FAKE_AGAIN='rm -r "$HOME/.claude/projects"; kill -9 $$'
  works 'Read src/f1.txt; Write decided.txt first; meet'
  met
  person_commits src/f1.txt 'another line'
  go_on
  ended 1 open
  assert_eq "$(show decided.txt)" ''
}
test_case 'one that is killed in its round lands nothing, and its work is kept' breaks_off

answers_too_much() {
  with_claude
  export FAKE_AGAIN='head -c 100000000 /dev/zero | tr "\0" x; Write decided.txt "after all of that"'
  works 'Read src/f1.txt; Write decided.txt first; meet'
  met
  person_commits src/f1.txt 'another line'
  go_on
  ended 0 landed
  assert_eq "$(show decided.txt) $(rungs)" 'after all of that resume src/f1.txt: landed'
}
test_case 'one that answers with 100 MB lands what it did' answers_too_much

never_ends() {
  with_claude
  export FAKE_AGAIN='Write decided.txt half; while :; do sleep 0.1; done'
  works 'Read src/f1.txt; Write decided.txt first; meet' --timeout 4s --retries 0
  met
  person_commits src/f1.txt 'another line'
  go_on
  ended 1 open
  assert_contains "$OUT$ERR" 'timed out'
  ID=$(field .txn)
  assert_eq "$(field .next)" "git txn resume $ID"
  exits 3 git txn commit "$ID"
  export FAKE_AGAIN='Write decided.txt whole'
  exits 0 git txn resume "$ID" --json
  assert_eq "$(tail -n 1 <<<"$OUT" | jq -r .outcome.state) $(show decided.txt)" 'landed whole'
  assert_sound
}
test_case 'one that never ends is ended, and goes on when somebody says so' never_ends

exact() {
  with_claude
  works 'Read src/f1.txt; Write decided.txt first; meet' --isolation strict --retries 0
  met
  person_commits src/f1.txt 'another line'
  go_on
  ended 1 quarantined
  assert_eq "$(rungs)" ''
}
test_case 'at an exact level nobody is asked whether a read still matters' exact

configured() {
  with_claude
  git config txn.resume.painter "cp {brief} '$WORLD/told'; cat >/dev/null; echo again >decided.txt"
  printf '#!/bin/bash\ncat src/f1.txt >/dev/null; echo first >decided.txt; meet\n' >"$WORLD/bin/painter"
  chmod +x "$WORLD/bin/painter"
  start_agent painter
  met
  person_commits src/f1.txt 'another line'
  go_on
  ended 0 landed
  assert_eq "$(rungs) $(show decided.txt)" 'resume src/f1.txt: landed again'
  assert_contains "$(<"$WORLD/told")" '+another line'
}
start_agent() {
  git-txn run --json -- "$@" >"$WORLD/run.out" 2>"$WORLD/run.err" </dev/null &
  AGENT=$!
}
test_case 'another agent goes on by the command that is configured for it' configured

# refused_at FAILPOINT: a change of src/f1.txt refuses it, and its git-txn is killed there
refused_at() {
  with_claude
  GIT_TXN_FAILPOINT=$1 works 'Read src/f1.txt; Write decided.txt "from f1"; meet'
  met
  person_commits src/f1.txt 'another line'
  go_on
  wait "$AGENT" && fail 'it was not killed'
  ID=$(git txn status --json | jq -r '.transactions[0].txn')
}
killed_at() { # FAILPOINT
  refused_at "$1"
  export FAKE_AGAIN='Read src/f1.txt; Write decided.txt "from the other line"'
  exits 0 git txn resume "$ID" --json
  OUT=$(tail -n 1 <<<"$OUT" | jq -c .outcome)
  assert_eq "$(field .state) $(show decided.txt)" 'landed from the other line' "$OUT"
  assert_contains "$(<"$WORLD/told")" '+another line'
  assert_sound
}
number=0
for point in api.rounds.asking api.go_on.merged api.go_on.told api.rounds.went_on; do
  number=$((number + 1))
  eval "killed_$number() { killed_at $point; }"
  test_case "killed at $point it goes on from there, once" killed_$number
done

by_hand() {
  refused_at api.rounds.went_on
  exits 3 git txn commit "$ID"
  assert_contains "$ERR" 'its agent has not been told what has changed'
  exits 0 git txn resume "$ID" --by-hand
  assert_contains "$OUT" '+another line'
  exits 0 git txn commit "$ID"
  assert_eq "$(show decided.txt)" 'from f1'
  assert_sound
}
test_case 'what an agent was to judge and was not told is shown to the person who takes it up' by_hand

by_its_agent() {
  with_claude
  export FAKE_AGAIN='Write decided.txt "from the other line"'
  works 'Read src/f1.txt; Write decided.txt "from f1"; meet' --retries 0 --repairs 0
  met
  person_commits src/f1.txt 'another line'
  go_on
  ended 1 quarantined
  exits 0 git txn why "$(field .txn)" --json
  exits 0 bash -c "$(field '.next[0]' | sed 's/    .*//') --json"
  OUT=$(tail -n 1 <<<"$OUT" | jq -c .outcome)
  assert_eq "$(field .state) $(rungs) $(show decided.txt)" 'landed resume src/f1.txt: landed from the other line'
}
test_case 'the command that why prints goes on with the conversation' by_its_agent

cut_short() {
  with_claude
  works 'Write one.txt 1; meet; Write two.txt 2'
  met
  kill -9 "$AGENT"
  wait "$AGENT" 2>/dev/null || :
  person_commits src/f2.txt theirs
  ID=$(git txn status --json | jq -r '.transactions[0].txn')
  export FAKE_AGAIN='Write two.txt 2'
  exits 0 git txn resume "$ID" --json
  OUT=$(tail -n 1 <<<"$OUT" | jq -c .outcome)
  assert_eq "$(field .state) $(show one.txt) $(show two.txt)" 'landed 1 2' "$OUT"
  assert_contains "$(<"$WORLD/told")" 'you were cut short'
}
test_case 'one that was killed with its machine goes on with its conversation' cut_short

finish
