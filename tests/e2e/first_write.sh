#!/usr/bin/env bash
# The hook of an agent's tool call tells it who else has a file, before it changes that for the first time.
. "$(dirname "$0")/lib.sh"

with_claude() { # [POLICY]
  new_repo
  [ -z "${1:-}" ] || { echo "$1" >.gittxn.toml && git add .gittxn.toml && git commit -qm policy; }
  ln -s "$E2E_ROOT/tests/agents/fake-claude" "$WORLD/bin/claude"
}
# The agent, in the background; $told is in $WORLD/told after each `tell`.
works() { # SCRIPT
  git-txn run --json --retries 0 --repairs 0 -- claude -p "tell() { printf '%s' \"\$told\" >\"\$WORLD/told\$1\"; told=''; }
    $1" >"$WORLD/run.out" 2>"$WORLD/run.err" </dev/null &
  AGENT=$!
}
ended() { # CODE STATE
  CODE=0
  wait "$AGENT" || CODE=$?
  OUT=$(tail -n 1 "$WORLD/run.out") ERR=$(<"$WORLD/run.err")
  assert_eq "$CODE $(field .state)" "$1 $2" "$OUT $ERR"
}

told_of_the_branch() {
  with_claude
  works 'meet; Edit src/f1.txt one ONE; tell 1; Edit src/f1.txt ONE 1; tell 2; Edit src/f2.txt one ONE; tell 3'
  met
  exits 0 git txn run -q --name 'change f1' -- sh -c 'echo "another line" >>src/f1.txt'
  go_on
  ended 1 quarantined
  local told
  told=$(<"$WORLD/told1")
  assert_contains "$told" 'git-txn: before you change src/f1.txt:'
  assert_contains "$told" '- main has changed it since your snapshot (t-'
  assert_contains "$told" '"change f1"). The file in your worktree is the old one.'
  assert_contains "$told" '+another line'
  # It may be told meanwhile that what it has read is another one now, which is another matter.
  assert_lacks "$(<"$WORLD/told2")$(<"$WORLD/told3")" 'before you change'
  assert_sound
}
test_case 'before its first edit of a file it is told what the branch has made of it, once' told_of_the_branch

told_of_others() {
  with_claude
  local lease
  exits 0 git txn lease acquire src/f2.txt --owner pat --json
  open_work 'echo theirs >src/f1.txt'
  start_run -- 'echo mine >src/f3.txt; meet 2'
  met 2
  works 'Edit src/f3.txt one ONE; tell 1; Edit src/f2.txt one ONE; tell 2; Edit docs/guide.md a b; tell 3'
  ended 0 landed
  assert_contains "$(<"$WORLD/told1")" 'has changed it in its own worktree and has not landed yet'
  assert_contains "$(<"$WORLD/told2")" '- pat holds a lease on src/f2.txt (l-'
  assert_contains "$(<"$WORLD/told2")" 'advisory'
  assert_file "$WORLD/told3" ''
  go_on 2
  wait "$RUN_PID" || :
}
test_case 'it is told of leases of others, and of whoever changes the file now' told_of_others

denied() {
  with_claude 'first_write = "deny"'
  works 'meet; Edit src/f1.txt one ONE; tell 1; Edit src/f1.txt one ONE; tell 2; Edit src/f2.txt one ONE'
  met
  person_commits src/f1.txt 'by hand'
  go_on
  ended 0 landed
  assert_contains "$(<"$WORLD/told1")" 'the policy of this repository refuses this change as long as that is so'
  assert_contains "$(<"$WORLD/told2")" '- main has changed it since your snapshot (Pat Person'
  assert_eq "$(show src/f1.txt)" 'by hand'
  assert_contains "$(show src/f2.txt)" 'ONE'
}
test_case 'policy has the edit refused' denied

ignored() {
  with_claude 'first_write = "ignore"'
  works 'meet; Edit src/f1.txt one ONE; tell 1'
  met
  exits 0 git txn run -q -- sh -c 'echo "another line" >>src/f1.txt'
  go_on
  ended 1 quarantined
  assert_lacks "$(<"$WORLD/told1")" 'before you change'
}
test_case 'policy has nobody told' ignored

hostile() {
  with_claude
  works 'Edit "src/f1.txt" one ONE
    json="{\"tool_name\":\"Edit\",\"tool_use_id\":\"t\",\"tool_input\":{\"file_path\":\"PATH\",\"old_string\":\"a\"}}"
    for path in /etc/passwd ../../x "$PWD" "$PWD/.git/config" "$(printf "%4000s" | tr " " x)" "$PWD/a/$(printf "%300s" | tr " " y)"; do
      event PreToolUse "${json/PATH/$path}"
    done
    tell 1'
  ended 0 landed
  assert_lacks "$(<"$WORLD/told1")" 'before you change'
  assert_lacks "$ERR" 'no answer'
}
test_case 'paths outside, of the git directory or too long are nobody'"'"'s' hostile

finish
