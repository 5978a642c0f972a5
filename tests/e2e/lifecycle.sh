#!/usr/bin/env bash
# States, exit codes, the JSON object, retries, waiting and the commands in steps.
. "$(dirname "$0")/lib.sh"

says_one_line() {
  new_repo
  exits 0 git txn run --name 'fix auth' -- bash -c 'cat src/f1.txt; echo x >src/new.txt'
  local line
  line=$(printf '%s\n' "$OUT" "$ERR" | grep '^landed')
  assert_contains "$line" '"fix auth"'
  assert_contains "$line" 'main'
  assert_contains "$line" "$(git rev-parse --short main)"
  assert_contains "$line" '1 file'
  assert_contains "$line" 'read'
  assert_eq "$(git log -1 --format=%s)" 'fix auth'
}
test_case 'a landing prints one line with name, branch, commits, files and reads' says_one_line

json_object() {
  new_repo
  lands 'cat src/f1.txt >"$WORLD/out"; echo x >src/new.txt; echo to-stdout' --name N
  local key
  for key in txn name state waiting branch base head_before commit isolation read_set writes conflicts \
             repairs gates attempts command_exit duration_ms; do
    [ "$(field "has(\"$key\")")" = true ] || fail "no $key in $OUT"
  done
  assert_eq "$(printf '%s\n' "$OUT" | wc -l)" 1 'stdout holds more than the object'
  assert_contains "$ERR" to-stdout
  assert_eq "$(field .commit)" "$(head_of)"
  assert_eq "$(field .read_set.status)" complete
  assert_eq "$(field '.writes[0].path')" src/new.txt
  assert_eq "$(field .isolation)" semantic
}
test_case 'json: one object on stdout with the documented fields, the output of the agent on stderr' json_object

no_change() {
  new_repo
  local before
  before=$(head_of)
  agent 'cat src/f1.txt'
  assert_eq "$CODE $(field .state) $(field .commit)" '0 nothing null'
  assert_eq "$(head_of)" "$before"
}
test_case 'no change made: nothing, exit 0, commit null' no_change

failed_command_stays_open() {
  new_repo
  agent 'echo half >src/new.txt; exit 7'
  assert_eq "$CODE $(field .state) $(field .command_exit)" '1 open 7'
  assert_contains "$ERR$OUT" "git txn resume $(field .txn)"
  local id
  id=$(field .txn)
  exits 3 git txn commit "$id"
  assert_contains "$ERR" "the command of $id ended with status 7, so its change may be half done"
  assert_contains "$ERR" "git txn commit --accept-unfinished $id lands it as it is"
  exits 0 git txn why "$id"
  assert_contains "$OUT" 'its command ended with 7, so that its change may be half done'
  exits 0 git txn commit --accept-unfinished "$id" --json
  assert_eq "$(field .state)" landed
  assert_eq "$(show src/new.txt)" half
  assert_sound
}
test_case 'a failing command lands nothing and loses nothing, and lands when somebody says so' \
  failed_command_stays_open

in_steps() {
  new_repo
  exits 0 git txn begin --name steps --json
  local id
  id=$(field .txn)
  exits 0 git txn exec "$id" -- bash -c 'cat src/f1.txt; echo one >src/one.txt'
  exits 0 git txn exec "$id" -- bash -c 'echo two >src/two.txt'
  exits 5 git txn exec "$id" -- bash -c 'exit 5'
  exits 0 git txn diff "$id"
  assert_contains "$OUT" '+two'
  exits 0 git txn commit "$id" --json
  assert_eq "$(field .state)" landed
  assert_eq "$(show src/one.txt)$(show src/two.txt)" onetwo
  exits 0 git txn reads "$id" --json
  assert_contains "$OUT" '"subject":"src/f1.txt"'
  exits 0 git txn writes "$id" --json
  assert_contains "$OUT" src/two.txt
  assert_sound
}
test_case 'begin, exec, diff, commit: the same in steps' in_steps

abort_keeps_the_work() {
  new_repo
  agent 'echo x >src/new.txt' --no-land
  local id
  id=$(field .txn)
  exits 0 git txn abort "$id"
  exits 0 git txn show "$id" --json
  assert_eq "$(field .state)" aborted
  assert_eq "$(git show "refs/txn/$id/1:src/new.txt")" x
  exits 0 git txn gc
  assert_eq "$(git show "refs/txn/$id/1:src/new.txt")" x 'gc removed work that is not landed'
}
test_case 'abort and gc keep work that is not landed' abort_keeps_the_work

quarantined_after_retries() {
  new_repo
  agent 'cat src/f1.txt; echo "$RANDOM" >src/new.txt; git -C "$WORLD/repo" commit -q --allow-empty -m tick
         (cd "$WORLD/repo" && date +%N >src/f1.txt && git commit -qam "moved again")' --retries 2
  assert_eq "$CODE $(field .state) $(field .attempts)" '1 quarantined 3'
  local id
  id=$(field .txn)
  git rev-parse -q --verify "refs/txn/$id/1" && git rev-parse -q --verify "refs/txn/$id/3"
  exits 0 git txn why "$id"
  assert_contains "$OUT" src/f1.txt
  assert_contains "$OUT" 'git txn'
  assert_sound
}
test_case 'retries used up: quarantined, every attempt kept, why says what to do' quarantined_after_retries

why_says_what_lands() {
  new_repo
  start_run --name 'copy it' --retries 0 -- 'cat src/f1.txt >copy.txt; meet'
  met
  person_commits src/f1.txt newer
  go_on
  ends 1
  assert_eq "$(field .state)" quarantined
  exits 0 git txn why 'copy it' --json
  local id
  id=$(field .txn)
  exits 0 bash -c "$(field '.next[] | select(startswith("git txn retry "))')"
  assert_eq "$(show copy.txt)" newer
  exits 0 git txn status --json
  assert_eq "$(jq -r '.transactions[].state' <<<"$OUT")" landed 'what was run again stays in status'
  exits 0 git txn status --all --json
  assert_eq "$(field ".transactions[] | select(.txn == \"$id\").state")" aborted
  exits 0 git txn status --all
  assert_contains "$OUT" "aborted     $id"
  git rev-parse -q --verify "refs/txn/$id/1" >"$WORLD/kept"
}
test_case 'the line that why prints for a stale read lands the work' why_says_what_lands

by_name() {
  new_repo
  local id tree
  exits 0 git txn begin --name named
  tree=$(sed -n 's/^  //p' "$WORLD/.out")
  id=$(git txn open named -q --json | jq -r .txn)
  case $id in t-*) ;; *) fail "open told '$id' for an id" ;; esac
  exits 0 git txn exec named --json -- sh -c 'echo x >src/new.txt'
  assert_eq "$(field .txn)" "$id"
  [ -f "$tree/src/new.txt" ] || fail "begin does not lead to the worktree: $tree"
  exits 0 git txn diff named --json
  assert_eq "$(field .txn)" "$id"
}
test_case 'json names a transaction by its id, however it was asked for' by_name

nested_is_refused() {
  new_repo
  agent 'git txn run -- true 2>"$WORLD/nested"; echo $? >"$WORLD/code"; git txn trust --yes x 2>>"$WORLD/nested"; git txn abort t-0 2>>"$WORLD/nested"; true'
  assert_eq "$(cat "$WORLD/code")" 3
  assert_contains "$(cat "$WORLD/nested")" "$(field .txn)"
}
test_case 'run, trust and abort inside a transaction are refused by name' nested_is_refused

# What a person does, asked for by what runs inside, which hides where it is. One that looks away from its
# parents (a daemon, a process number namespace) is inside as well.
not_by_the_variable_alone() {
  new_repo
  exits 0 git txn propose 'use tabs' --score 0.5
  local id back hide
  id=$(git txn proposals --json | jq -r .id)
  cat >"$WORLD/ask" <<EOF
#!/bin/sh
cd "$PWD"
for asked in 'promote $id --approve' 'budget set --owner me input=5' 'trust --yes x' 'run -- true' \\
  'lease acquire src --owner root' 'workflow verdict w-1 review --pass' 'begin' 'commit t-0000'; do
  git txn \$asked >"$WORLD/said.\$1" 2>&1 && echo "\$1: did \$asked" >>"$WORLD/done"
  grep -q 'inside' "$WORLD/said.\$1" || { echo "\$1: \$asked:"; cat "$WORLD/said.\$1"; } >>"$WORLD/done"
done
echo \$1 >>"$WORLD/asked"
EOF
  chmod +x "$WORLD/ask"
  cat >"$WORLD/agent" <<EOF
#!/bin/sh
env -u GIT_TXN_ID "$WORLD/ask" unset
GIT_TXN_ID=t-none "$WORLD/ask" another
env -i HOME="$HOME" PATH="$PATH" setsid -w "$WORLD/ask" session
(setsid env -u GIT_TXN_ID sh -c 'sleep 0.1; "$WORLD/ask" daemon' >/dev/null 2>&1 &)
env -u GIT_TXN_ID unshare -Urpf --mount-proc "$WORLD/ask" namespaces || echo namespaces >>"$WORLD/asked"
while ! grep -q daemon "$WORLD/asked"; do sleep 0.1; done
EOF
  chmod +x "$WORLD/agent"
  for back in auto off; do
    : >"$WORLD/asked" >"$WORLD/done"
    exits 0 git txn run --trace $back -- "$WORLD/agent"
    assert_file "$WORLD/done" ''
    assert_eq "$(sort "$WORLD/asked" | tr '\n' ' ')" 'another daemon namespaces session unset ' "$back"
  done
  # A repository of its own, as the tests of a program that uses git-txn make one.
  agent 'git init -q "$WORLD/own" && cd "$WORLD/own" && git commit -q --allow-empty -m one &&
    env -u GIT_TXN_ID git txn run -- sh -c "echo x >new"'
  assert_eq "$CODE" 0 "$ERR"
  assert_eq "$(git -C "$WORLD/own" rev-list --count main)" 2
}
test_case 'B6: what runs inside is not a person, whatever its environment says' not_by_the_variable_alone 120

timeout_bounds_the_command() {
  new_repo
  agent 'echo x >src/new.txt; sleep 60' --timeout 1s
  assert_eq "$CODE $(field .state)" '1 open'
  assert_contains "$ERR$OUT" 'timed out'
}
test_case 'timeout: ends the command, keeps the work' timeout_bounds_the_command

background_is_ended() {
  new_repo
  lands '(while :; do date >src/ticking.txt; sleep 0.01; done) & echo $! >"$WORLD/child"; sleep 0.2'
  local child
  child=$(cat "$WORLD/child")
  [ ! -d "/proc/$child" ] || { kill "$child"; fail 'a background process outlived the transaction'; }
  assert_sound
}
test_case 'what is left of the process tree is ended before the change is taken' background_is_ended

untracked_are_listed() {
  new_repo
  exits 0 git txn run -- bash -c 'echo x >src/surprise.txt'
  assert_contains "$OUT$ERR" src/surprise.txt
}
test_case 'untracked files that are taken are listed' untracked_are_listed

status_and_stale() {
  new_repo
  agent 'cat src/f1.txt; echo x >src/new.txt' --no-land --name waiting
  exits 0 git txn status
  assert_contains "$OUT" waiting
  person_commits src/f1.txt changed
  exits 0 git txn status
  assert_contains "$OUT" src/f1.txt
  open_work 'cat src/f2.txt; echo mine >src/f2.txt'
  person_commits src/f2.txt theirs
  exits 0 git txn status
  assert_eq "$(printf '%s\n' "$OUT" | grep -c 'stale: src/f2.txt')" 1
  assert_lacks "$OUT" 'can be begun'
  person_commits .gittxn.toml 'this is no policy'
  exits 0 git txn status
  assert_contains "$OUT" 'nothing can be begun on main: .gittxn.toml:1:'
}
test_case 'status: what is open, and what is stale right now' status_and_stale

log_and_show() {
  new_repo
  lands 'echo x >src/new.txt' --name 'first one'
  local id
  id=$(field .txn)
  person_commits src/f1.txt changed 'a person was here'
  exits 0 git txn log
  assert_contains "$OUT" "$id"
  assert_contains "$OUT" 'first one'
  assert_contains "$OUT" 'a person was here'
  exits 0 git txn log --json
  exits 0 git txn show "$id"
  assert_contains "$OUT" src/new.txt
  exits 0 git txn state --at 1 --json
  exits 0 git txn verify
}
test_case 'log tells landings and moves made outside, show tells one, state tells the past' log_and_show

log_counts() {
  new_repo
  lands 'echo x >src/new.txt' --name 'first one'
  person_commits src/f1.txt one 'person one'
  person_commits src/f1.txt two 'person two'
  person_commits src/f1.txt three 'person three'
  # Before a command has recorded the move, and after.
  exits 0 git txn log -n 0 --json
  assert_eq "$(printf '%s\n' "$OUT" | jq -r .name | head -n 4 | paste -sd,)" 'person three,person two,person one,first one'
  exits 0 git txn recover
  exits 0 git txn log -n 0 --json
  assert_eq "$(printf '%s\n' "$OUT" | jq -r .name | head -n 4 | paste -sd,)" 'person three,person two,person one,first one'
  assert_eq "$(printf '%s\n' "$OUT" | jq -r .commit | head -n 4 | paste -sd,)" "$(git log -n 4 --format=%H | paste -sd,)"
  person_commits src/f1.txt four 'person four'
  local n
  for n in 1 2 3; do
    exits 0 git txn log -n "$n"
    assert_eq "$(printf '%s\n' "$OUT" | wc -l)" "$n"
  done
}
test_case 'log: each commit of a move from outside, and no line more than asked for' log_counts

outcome_is_named() {
  new_repo
  exits 1 git txn run --json -- sh -c 'echo x >src/new.txt; exit 7'
  assert_eq "$(field .outcome)" command-failed
  exits 7 git txn run --exit-code -- sh -c 'exit 7'
  assert_eq "$(printf '%s\n' "$OUT" | tail -n 1)" 'outcome: command-failed'
  exits 0 git txn run --exit-code -- sh -c 'echo y >src/y.txt'
  assert_lacks "$OUT" 'outcome:'
  exits 0 git txn run --no-land --json -- sh -c 'echo x >src/later.txt'
  assert_eq "$(field .outcome)" open
  # What waits for the person lands when it is asked for, oldest first; what else waits keeps nothing back.
  local one two
  echo edited >>src/f1.txt
  exits 1 git txn run --json -- sh -c 'echo 1 >src/f1.txt'
  assert_eq "$(field .outcome)" waiting
  one=$(field .txn)
  echo edited >>src/f2.txt
  exits 1 git txn run --json -- sh -c 'echo 2 >src/f2.txt'
  two=$(field .txn)
  git checkout -q src/f2.txt
  exits 1 git txn commit --all --json
  assert_eq "$(printf '%s\n' "$OUT" | jq -r '.txn + " " + .outcome' | paste -sd,)" "$one waiting,$two landed"
  git checkout -q src/f1.txt
  exits 0 git txn commit --all
  assert_eq "$(show src/f1.txt)$(show src/f2.txt)" 12
  exits 0 git txn commit --all
  assert_contains "$OUT" 'no transaction waits to land'
  exits 3 git txn commit --all "$one"
  exits 3 git txn commit
  assert_sound
}
test_case 'exit status 1 has a name, --exit-code passes the command'"'"'s own on, commit --all lands what waits' outcome_is_named

# Until mend_store the store takes no event more.
BREAK_STORE='sqlite3 "$WORLD/repo/.git/txn/kernel.db" "CREATE TRIGGER breaks BEFORE INSERT ON events
  BEGIN SELECT there_is_no_such_function(); END"'
mend_store() { sqlite3 .git/txn/kernel.db 'DROP TRIGGER breaks'; }

store_fails_in_the_middle() {
  new_repo
  agent "echo run >>\"\$WORLD/runs\"; echo x >src/new.txt; $BREAK_STORE"
  assert_eq "$CODE" 2
  local said=$ERR hint
  hint=$(field .error.hint)
  exits 0 git txn status --json
  ID=$(field '.transactions[0].txn')
  assert_contains "$said" "transaction $ID is open and its work is kept"
  assert_eq "$hint" "git txn resume $ID, or git txn show $ID"
  mend_store
  exits 0 git txn commit --accept-unfinished "$ID" --json
  assert_eq "$(field .state)" landed
  assert_contains "$(field .read_set.reason)" 'the command was killed, or its end could not be recorded'
  assert_eq "$(show src/new.txt) $(wc -l <"$WORLD/runs")" 'x 1'
  assert_sound
}
test_case 'a store that fails in a run: the error names the transaction and the line that lands it' \
  store_fails_in_the_middle

store_fails_after_the_branch_moved() {
  new_repo
  stopped_at land.after_ref_update git txn run --json -- sh -c 'echo x >src/new.txt'
  eval "$BREAK_STORE"
  kill -CONT "$STOPPED"
  ends 2
  assert_eq "$(field .error.code)" outcome-unknown
  assert_contains "$(field .error.hint)" "refs/heads/main has moved to $(head_of); git txn recover records it"
  assert_lacks "$ERR" 'nothing was changed'
  mend_store
  exits 0 git txn recover
  exits 0 git txn status --json
  assert_eq "$(field '.transactions[0].state')" landed
  assert_sound
}
test_case 'a store that fails when the branch has moved: that is what the error says' \
  store_fails_after_the_branch_moved

phase_was_left() {
  new_repo
  person_commits .gittxn.toml '[workflow.dropped]
phases = ["one", "two"]
on_close = { one = "drop" }
[workflow.carried]
phases = ["one", "two"]
on_close = { one = "carry" }'
  exits 0 git txn workflow create dropped --as w-1
  exits 0 git txn workflow create carried --as w-2
  agent 'echo x >src/new.txt' --no-land --workflow w-1
  ID=$(field .txn)
  agent 'echo y >src/late.txt' --no-land --workflow w-2
  local carried line
  carried=$(field .txn)
  exits 0 git txn workflow advance w-1
  exits 0 git txn workflow advance w-2
  exits 0 git txn status
  assert_contains "$OUT" "its phase was left: git txn why $ID"
  assert_contains "$OUT" 'stale: phase:w-1/one'
  assert_lacks "$OUT" "git txn commit $ID"
  assert_contains "$OUT" "land it: git txn commit $carried"
  assert_lacks "$OUT" 'stale: phase:w-2'
  exits 0 git txn commit "$carried"
  exits 0 git txn why "$ID"
  assert_contains "$OUT" "git txn retry $ID"
  exits 0 git txn workflow advance w-1
  exits 1 git txn commit "$ID" --json
  assert_eq "$(field .state)" rejected
  exits 0 git txn why "$ID" --json
  assert_contains "$(field '.next | join(" ")')" 'git txn workflow rollback w-1 --to one --reason'
  line=$(field '.next[] | select(startswith("git txn retry "))')
  exits 0 bash -c "$line"
  assert_eq "$(show src/new.txt)" x
}
test_case 'what status and why advise works when the phase was left, or the workflow is finished' phase_was_left

lease_is_not_waited_for() {
  new_repo
  exits 0 git txn lease acquire src --ttl 1h
  exits 1 timeout 30 git txn run --lease src -- touch "$WORLD/ran"
  assert_contains "$ERR" 'pat@example.org has src (l-'
  assert_contains "$ERR" 'give it back with: git txn lease release l-'
  assert_absent "$WORLD/ran"
}
test_case 'run --lease without a terminal and without --wait does not wait for it' lease_is_not_waited_for

asked_twice() {
  new_repo
  exits 0 git txn run --json --key job-7 -- sh -c 'echo ran >>"$1"; echo x >new.txt' - "$WORLD/ran"
  local first
  first=$(field .txn)
  exits 0 git txn run --json --key job-7 -- sh -c 'echo ran >>"$1"; echo x >new.txt' - "$WORLD/ran"
  assert_eq "$(field .txn) $(field .state)" "$first landed"
  assert_contains "$(field '.notes | tostring')" 'nothing was run'
  assert_file "$WORLD/ran" ran
  exits 3 git txn run --key job-7 -- true
  assert_contains "$ERR" 'had another command'
  exits 3 git txn run --key "$(head -c 600 /dev/zero | tr '\0' k)" -- true
  exits 0 git txn begin --json --key job-8
  first=$(field .txn)
  exits 0 git txn begin --json --key job-8
  assert_eq "$(field .txn)" "$first"
  exits 0 git txn begin --json --key job-9
  [ "$(field .txn)" != "$first" ] || fail 'another key is another transaction'
  # The command failed; asked again, that is the answer.
  exits 1 git txn run --json --key job-10 -- sh -c "echo ran >>'$WORLD/ran'; exit 7"
  exits 1 git txn run --json --key job-10 -- sh -c "echo ran >>'$WORLD/ran'; exit 7"
  assert_eq "$(field .state) $(wc -l <"$WORLD/ran")" 'nothing 2'
  assert_sound
}
test_case 'a key that was used gives back what was begun under it' asked_twice

recovered_landing() {
  local before point landed
  new_repo
  for point in land.after_prepared land.after_ref_update land.after_landed; do
    before=$(git rev-parse --short=7 HEAD)
    agent "echo $point >src/new.txt" --no-land
    landed=$(field .txn)
    killed_at "$point" git-txn commit "$landed"
    exits 0 git txn commit "$landed"
    assert_contains "$OUT" "main $before → $(git rev-parse --short=7 main)"
    [ "$before" != "$(git rev-parse --short=7 main)" ] || fail "$point: nothing landed"
  done
  assert_sound
}
test_case 'a landing that was recovered says from where to where it went' recovered_landing

finish
