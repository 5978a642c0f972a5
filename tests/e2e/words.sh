#!/usr/bin/env bash
# What a person is told of a transaction while it runs, when it fails, and of what became of it.
. "$(dirname "$0")/lib.sh"

nothing_came_of_it() {
  new_repo
  agent 'cat src/f1.txt; exit 7'
  assert_eq "$CODE $(field .state) $(field .command_exit) $(field .next)" '1 nothing 7 null'
  exits 0 git txn status
  assert_contains "$OUT" 'nothing is open'
  agent 'echo half >src/new.txt; exit 7'
  exits 0 git txn show "$(field .txn)"
  assert_contains "$OUT" '  failed
'
  exits 0 git txn status
  assert_contains "$OUT" "failed      $(field .txn)"
  assert_contains "$OUT" 'the command ended with 7; go on with it: git txn resume'
  exits 0 git txn begin --json
  exits 0 git txn status
  assert_contains "$OUT" "nothing has run in it: git txn exec"
}
test_case 'a failing command that changed nothing is over; what is left open says how it came to be' \
  nothing_came_of_it

while_it_runs() {
  new_repo
  start_run -- 'echo x >src/new.txt; meet'
  met
  exits 0 git txn status --json
  ID=$(field '.transactions[0].txn')
  assert_eq "$(field '.transactions[0].process')" "$RUN_PID" 'not the process of git-txn'
  [ "$(field '.transactions[0].last_call')" != null ] || fail 'no time of its last call'
  exits 0 git txn status
  assert_contains "$OUT" "pid $RUN_PID, last call "
  exits 0 git txn show "$ID"
  assert_contains "$OUT" running
  assert_lacks "$OUT" 'git txn commit'
  exits 0 git txn status --json
  assert_eq "$(field '.transactions[0].working | .changed, .tool, .input' | xargs)" '1 null null'
  exits 0 git txn diff "$ID" --json
  assert_contains "$(field .diff)" '+++ b/src/new.txt'
  exits 0 git txn diff "$ID"
  assert_contains "$OUT" '+x'
  exits 3 git txn diff "$ID" --symbols
  assert_contains "$ERR" "$ID is still running; its changes are not recorded yet"
  assert_contains "$ERR" "git txn diff $ID"
  exits 0 git txn why "$ID"
  assert_contains "$OUT" "its command is still running (pid $RUN_PID)"
  assert_contains "$OUT" "git txn stop $ID"
  assert_lacks "$OUT" 'git txn commit'
  exits 0 git txn why "$ID" --json
  assert_eq "$(field .process)" "$RUN_PID"
  exits 1 git txn commit "$ID"
  assert_contains "$ERR" "$ID is still running (pid $RUN_PID)"
  assert_contains "$ERR" "git txn stop $ID"
  exits 0 git txn stop "$ID"
  assert_contains "$OUT" "to go on with it: git txn resume $ID"
  ends 1
  assert_eq "$(field .state)" open
  exits 3 git txn stop "$ID"
  assert_contains "$ERR" "no command of $ID is running"
  exits 0 git txn commit --accept-unfinished "$ID"
  assert_eq "$(show src/new.txt)" x
  assert_sound
}
test_case 'while it runs: status names the process, diff shows what is there, show says that it runs, stop ends it' while_it_runs

where_landings_went() {
  new_repo
  lands 'echo 1 >src/one.txt'
  local one=$(field .commit) id
  lands 'echo 2 >src/two.txt'
  id=$(field .txn)
  git reset -q --hard HEAD~1
  exits 0 git txn log
  assert_contains "$OUT" '(no longer on main)'
  assert_eq "$(grep -c 'no longer on main' <<<"$OUT")" 1
  exits 0 git txn status --json
  assert_eq "$(field ".transactions[] | select(.txn == \"$id\").commit_now")" null
  # Somebody else's commit comes below a landing, as git pull --rebase puts it there.
  git checkout -q -b other HEAD~1
  git commit -q --allow-empty -m theirs
  git checkout -q main
  git rebase -q other
  exits 0 git txn log -n 0 --json
  assert_eq "$(jq -r "select(.commit == \"$one\").commit_now" <<<"$OUT")" "$(head_of)"
  exits 0 git txn status
  assert_contains "$OUT" "(now $(head_of | cut -c 1-7))"
}
test_case 'log and status say what became of a landing that was reset or rebased away' where_landings_went

died() {
  new_repo
  start_run -- 'cat src/f1.txt; meet'
  met
  exits 0 git txn status --json
  local id
  id=$(field '.transactions[0].txn')
  kill -KILL "$RUN_PID"
  wait "$RUN_PID" || true
  exits 0 git txn show "$id"
  assert_contains "$OUT" '  died
'
  assert_contains "$OUT" 'reads unknown (the command was killed'
  exits 0 git txn show "$id" --json
  assert_contains "$(field .read_set.reason)" 'was killed'
}
test_case 'of a transaction whose process was killed show says that it died, and that its reads are unknown' died

# at_terminal COMMAND: what a terminal shows of it is in $WORLD/.terminal, and standard input is typed. Without
# SHELL, script(1) runs /bin/sh, which does not pass on the functions that bash exports (meet).
at_terminal() { TERM=xterm SHELL=$BASH script -qefc "$1" /dev/null >"$WORLD/.terminal"; }
shown() { # TEXT: once the terminal shows it
  local n=0
  until grep -qF -- "$1" "$WORLD/.terminal"; do n=$((n + 1)); [ $n -lt 300 ] || return 0; sleep 0.1; done
}

asked_again() {
  command -v script >/dev/null || { echo 'SKIP: no script(1)'; return; }
  new_repo
  { met; person_commits src/f1.txt newer; go_on; shown '[k]:'; echo a; shown landed; } |
    at_terminal "git txn run -- bash -c 'cat src/f1.txt >copy.txt; meet'"
  OUT=$(cat "$WORLD/.terminal")
  assert_contains "$OUT" 'src/f1.txt has changed on main since'
  assert_contains "$OUT" 'a  run the command again on the new head of main'
  assert_eq "$(show copy.txt)" newer
  echo dirty >>src/f2.txt
  at_terminal "git txn run --wait 1s -- sh -c 'echo a >>src/f2.txt'" </dev/null || true
  assert_contains "$(cat "$WORLD/.terminal")" 'waiting for you: uncommitted edits in src/f2.txt; commit it or stash it'
}
test_case 'at a terminal a conflict offers to run again, and waiting for a dirty file says what to do' asked_again

full_disk() {
  new_repo
  # A git whose disk is full when the change is taken.
  mkdir "$WORLD/full"
  cat >"$WORLD/full/git" <<EOF
#!/bin/sh
case "\$*" in *'update-index --add'*)
  echo 'fatal: unable to write loose object file: No space left on device' >&2; exit 128 ;;
esac
exec $(type -P git) "\$@"
EOF
  chmod +x "$WORLD/full/git"
  exits 2 env PATH="$WORLD/full:$PATH" git-txn run -- sh -c 'echo x >src/new.txt'
  assert_contains "$ERR" 'No space left on device (transaction t-'
  assert_contains "$ERR" 'hint: free some disk space first; then: git txn commit t-'
}
test_case 'after a full disk the advice is to free space first, then to land what is kept' full_disk

uncommitted_once() {
  new_repo
  echo edit >>src/f1.txt
  agent "cat '$REPO/src/f1.txt' >copy.txt; echo run >>'$WORLD/runs'"
  assert_eq "$CODE $(field .state) $(wc -l <"$WORLD/runs")" '1 quarantined 1' 'it was run again, and read the same'
  exits 0 git txn why "$(field .txn)"
  assert_contains "$OUT" 'was read with an uncommitted edit in it, which is not on the branch; commit it first'
}
test_case 'who read an uncommitted edit is not run again on the head that has not moved' uncommitted_once

completed_ids() {
  new_repo
  lands 'echo 1 >src/one.txt'
  local landed open aborted
  landed=$(field .txn)
  exits 0 git txn begin --json
  aborted=$(field .txn)
  exits 0 git txn abort "$aborted"
  exits 0 git txn begin --json
  open=$(field .txn)
  assert_eq "$(git txn internal ids abort)" "$open"
  assert_eq "$(git txn internal ids stop)" ''
  assert_eq "$(git txn internal ids resume | sort)" "$(printf '%s\n' "$open" "$aborted" | sort)"
  assert_eq "$(git txn internal ids show | sort)" "$(printf '%s\n' "$open" "$aborted" "$landed" | sort)"
}
test_case 'completion offers each transaction once, and where it can be asked for' completed_ids

wrong_words() {
  new_repo
  exits 3 git txn run --isolation foo -- true
  assert_contains "$ERR" 'is not one of read-committed, snapshot, semantic, serializable, strict'
  echo 'no = 1' >.gittxn.toml
  git add .gittxn.toml && git commit -qm policy
  exits 3 git txn run -- true
  assert_eq "$(grep -o '\.gittxn\.toml' <<<"$ERR" | wc -l)" 1 "$ERR"
  exits 0 git txn status
  assert_contains "$OUT" 'nothing can be begun on main: .gittxn.toml:1:'
}
test_case 'a wrong level says which there are, a wrong policy names its file once' wrong_words

no_such_program() {
  new_repo
  exits 3 git txn run -- ../serve.sh
  assert_contains "$ERR" "there is no program '../serve.sh' in "
  assert_contains "$ERR" 'give an absolute path'
}
test_case 'a program outside of the repository that is named by a relative path: the error says why' no_such_program

retried_notes() {
  new_repo
  printf 'a\nb\nc\nd\ne\n' >notes.txt
  git add notes.txt && git commit -qm notes
  start_run -- 'cat src/f1.txt >copy.txt; sed -i s/a/A/ notes.txt; meet'
  met
  sed -i s/e/E/ notes.txt
  git commit -qam 'the end'
  person_commits src/f1.txt newer
  go_on
  ends 0
  assert_eq "$(field '.attempts')" 2
  assert_lacks "$ERR$OUT" 'were merged'
}
test_case 'what was merged for an attempt that did not land is not told' retried_notes

quiet_gate() {
  new_repo
  policy '[[gate]]
name = "talks"
run = "echo all is well in $(basename docs)"'
  exits 0 git txn run -- sh -c 'echo x >new.txt'
  assert_lacks "$OUT$ERR" 'all is well in docs'
}
test_case 'what a gate printed that passed is not shown with the landing' quiet_gate

the_dead_are_let_alone() {
  new_repo
  start_run -- 'echo half >half.txt; meet; sleep 60'
  met
  kill -9 "$RUN_PID"
  wait "$RUN_PID" 2>"$WORLD/.err" && fail 'it was killed'
  exits 0 git txn run -- sh -c 'echo x >new.txt'
  assert_lacks "$OUT$ERR" 'what it did is kept'
  assert_lacks "$OUT$ERR" 'half.txt'
  exits 0 git txn status --json
  ID=$(field '.transactions[] | select(.state != "landed") | .txn')
  exits 0 git txn status
  assert_contains "$OUT" 'its process exited'
  git txn commit "$ID" >"$WORLD/.out" 2>&1 || true  # its reads are unknown, and something landed
  assert_lacks "$(cat "$WORLD/.out")" 'land it with'
}
test_case 'of a run that died status tells, and no run after it' the_dead_are_let_alone

said_of_edits() {
  new_repo
  echo edited >src/f1.txt
  exits 1 git txn run --retries 0 -- cp "$PWD/src/f1.txt" copy.txt
  assert_contains "$OUT$ERR" src/f1.txt
  assert_lacks "$OUT$ERR" 'nobody on record'
  exits 0 git txn begin --json
  exits 0 git txn abort "$(field .txn)"
  exits 0 git txn gc
  assert_lacks "$OUT" 'freed 0 bytes'
}
test_case 'nobody on record has changed nothing, and no bytes are not freed' said_of_edits

help_everywhere() {
  new_repo
  local c
  exits 0 git-txn --help
  for c in run begin exec commit abort resume open status log show diff reads writes why gate trust recover \
           verify gc doctor version; do
    exits 0 git-txn $c --help
    assert_contains "$OUT" 'git txn'
  done
  exits 0 git txn help look
  assert_contains "$OUT" 'list what a transaction read'
  exits 0 git txn help --all
  exits 0 git txn lease renew -h
  assert_contains "$OUT" 'git txn lease renew l-120 --ttl 1h'
  assert_contains "$(git txn internal complete -- '')" 'status'
  exits 0 git txn version --cli --schema --events
  exits 0 git txn doctor
}
test_case 'every command has help with examples' help_everywhere

finish
