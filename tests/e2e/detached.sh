#!/usr/bin/env bash
# Runs in the background: git txn run --detach, logs and attach, and what becomes of them when somebody dies.
. "$(dirname "$0")/lib.sh"

# detach SCRIPT [OPTION...]: a run in the background; its id in $ID, the process of git-txn in $PID
detach() {
  local script=$1
  shift
  exits 0 git txn run --detach --json "$@" -- bash -c "$script"
  ID=$(field .txn) PID=$(field .process)
}
# Somebody who follows it in the background; `followed CODE` waits for them.
follow() {
  git-txn attach "$ID" "$@" >"$WORLD/attach.out" 2>"$WORLD/attach.err" </dev/null &
  ATTACHED=$!
}
followed() {
  local got=0
  wait "$ATTACHED" || got=$?
  OUT=$(<"$WORLD/attach.out") ERR=$(<"$WORLD/attach.err")
  [ "$got" = "$1" ] || fail "attach exited $got, not $1; stdout: $OUT; stderr: $ERR"
}
# until_gone PID
until_gone() {
  local n=0
  while kill -0 "$1" 2>/dev/null; do
    n=$((n + 1))
    [ $n -lt 1500 ] || fail "process $1 does not end"
    pause 0.02
  done
}
parent_of() { sed -n 's/^PPid:\t//p' "/proc/$1/status"; }

lands_in_the_background() {
  new_repo
  detach 'cat src/f1.txt >copy.txt; echo said; echo warned >&2; echo also >/dev/stderr; meet; echo more' --name copy
  met
  assert_eq "$(ps -o tty= -p "$PID" | tr -d ' ')" '?' 'it has a terminal'
  assert_eq "$(readlink "/proc/$PID/fd/0")" /dev/null
  exits 0 git txn status
  assert_contains "$OUT" "pid $PID"
  exits 0 git txn logs "$ID"
  assert_contains "$OUT" $'said\nwarned\nalso'
  assert_lacks "$OUT" more
  assert_eq "$(stat -c %a .git/txn/output/"$ID"/0)" 600
  follow
  git txn logs "$ID" -f >"$WORLD/logs" &
  go_on
  followed 0
  assert_contains "$OUT" $'said\nwarned\nalso\nmore\n'
  assert_contains "${OUT##*$'\n'}" "landed  $ID \"copy\"  main"
  wait "$!"
  assert_eq "$(<"$WORLD/logs")" "$OUT" 'two who follow are shown two things'
  assert_eq "$(show copy.txt)" "$(show src/f1.txt)"
  # What has ended is told again, as the run has told it.
  exits 0 git txn attach "$ID" --json
  assert_eq "$(field .txn) $(field .outcome)" "$ID landed"
  assert_contains "$ERR" 'more'
  exits 0 git txn logs "$ID" -n 1
  assert_contains "$OUT" landed
  exits 0 git txn logs "$ID" --json
  assert_eq "$(field .txn)" "$ID"
  assert_sound
}
test_case 'a detached run lands, and is followed by any number from anywhere' lands_in_the_background

ends_as_a_run_ends() {
  new_repo
  detach 'echo x >new.txt; exit 7' --exit-code
  exits 7 git txn attach "$ID"
  assert_contains "$OUT" "git txn resume $ID"
  exits 0 git txn commit --accept-unfinished "$ID"
  exits 7 git txn attach "$ID"
  assert_contains "$ERR" "since then: landed  $ID"
  exits 0 git txn run --detach -q -- true
  assert_eq "$(wc -w <<<"$OUT")" 1
  ID=$OUT
  exits 0 git txn attach "$ID"
  assert_contains "$(git txn show "$ID")" 'nothing'
  # Conflicts are met as in a foreground run without a terminal.
  detach 'cat src/f1.txt >copy.txt; [ -e "$WORLD/go" ] || meet'
  met
  person_commits src/f1.txt changed
  go_on
  exits 0 git txn attach "$ID"
  assert_contains "$OUT" 'running again on the new head'
  assert_eq "$(show copy.txt)" changed
}
test_case 'it ends as a run in the foreground does' ends_as_a_run_ends

cannot_start() {
  new_repo
  exits 3 git txn run --detach -- no-such-program
  assert_contains "$ERR" 'no-such-program'
  assert_eq "$OUT" ''
  exits 3 git txn run --detach --json -- ./not-in-the-worktree
  assert_eq "$(field .error.code)" usage
  assert_contains "$ERR" 'not-in-the-worktree'
  exits 3 git txn run --detach --onto nowhere -- true
  exits 0 git txn status --json
  assert_eq "$(field '.transactions | length')" 0
  exits 0 git txn run --detach --json --key once -- true
  git txn attach "$(field .txn)" >"$WORLD/.out"
  exits 0 git txn run --detach --json --key once -- true
  assert_eq "$(field .process)" null
  # Nowhere to keep what it prints: nothing is run.
  rm -rf .git/txn/output
  echo in the way >.git/txn/output
  exits 2 git txn run --detach -- touch "$WORLD/ran"
  assert_contains "$ERR" '/txn/output'
  assert_absent "$WORLD/ran"
  rm .git/txn/output
  assert_sound
}
test_case 'what cannot be started is told at once, with the exit status of a run' cannot_start

terminal_is_lost() {
  new_repo
  # shellcheck disable=SC2016  # for the shell at the terminal
  SHELL=/bin/bash TERM=xterm script -qec \
    'git-txn run --detach --json -- bash -c "echo x >new.txt; echo first; meet; echo lived" >"$WORLD/id"' /dev/null >"$WORLD/.terminal"
  ID=$(jq -r .txn "$WORLD/id") PID=$(jq -r .process "$WORLD/id")
  met
  kill -HUP "$PID" "$(parent_of "$PID")"
  follow
  until [ -s "$WORLD/attach.out" ]; do pause 0.02; done
  kill -INT "$ATTACHED"
  followed 1
  assert_contains "$ERR" "git txn stop $ID"
  kill -0 "$PID"
  go_on
  exits 0 git txn attach "$ID"
  assert_contains "$OUT" lived
}
test_case 'a lost terminal, a hang-up and a Ctrl-C in attach leave the run alone' terminal_is_lost

# What a person had in a terminal that is gone is kept like that of a Ctrl-C.
foreground_is_lost() {
  new_repo
  cat >"$WORLD/lose.py" <<'EOF'
import os, pty, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
while not os.path.exists(sys.argv[1]):
    time.sleep(0.02)
os.close(fd)
os.waitpid(pid, 0)
EOF
  /usr/bin/python3 "$WORLD/lose.py" "$WORLD/ready" git-txn run -- \
    bash -c 'trap "" HUP; echo x >new.txt; touch "$WORLD/ready"; sleep 60'
  exits 0 git txn status --json
  assert_eq "$(field '.transactions[0] | .state, .process' | xargs)" 'open null'
  ID=$(field '.transactions[0].txn')
  exits 0 git txn commit --accept-unfinished "$ID"
  assert_eq "$(show new.txt)" x
  assert_sound
}
test_case 'a run in the foreground whose terminal is lost ends, and its work is kept' foreground_is_lost

stopped() {
  new_repo
  detach 'echo x >new.txt; echo before; meet'
  met
  follow
  exits 0 git txn stop "$ID" --json
  assert_eq "$(field .state)" open
  followed 1
  assert_contains "$OUT" before
  assert_contains "$OUT" "git txn resume $ID"
  exits 0 git txn commit --accept-unfinished "$ID"
  assert_eq "$(show new.txt)" x
  assert_sound
}
test_case 'stop ends a detached run, and its work is kept' stopped

stopped_in_a_gate() {
  new_repo
  policy "[[gate]]
name = \"slow\"
run = [\"sh\", \"-c\", \"touch '$WORLD/gate'; sleep 100\"]"
  detach 'echo x >new.txt'
  wait_for "$WORLD/gate"
  exits 0 git txn stop "$ID"
  exits 1 git txn attach "$ID" --json
  assert_eq "$(field .txn)" "$ID"
  [ "$(field .state)" != landed ] || fail 'it has landed'
  until_gone "$PID"
}
test_case 'stop ends a detached run whose gates run' stopped_in_a_gate

somebody_dies() {
  new_repo
  detach 'echo x >new.txt; meet 1'
  met 1
  kill -KILL "$(parent_of "$PID")"  # its supervisor: the run ends by itself, and keeps the work
  until_gone "$PID"
  exits 2 git txn attach "$ID"
  assert_contains "$ERR" "the process that ran $ID was killed"
  assert_contains "$ERR" "git txn resume $ID"
  exits 0 git txn commit --accept-unfinished "$ID"
  assert_eq "$(show new.txt)" x
  detach 'echo y >new.txt; meet 2'
  met 2
  local supervisor
  supervisor=$(parent_of "$PID")
  kill -KILL "$PID"
  until_gone "$supervisor"
  exits 2 git txn attach "$ID" --json
  assert_eq "$(field .error.code)" fault
  exits 0 git txn status
  assert_contains "$OUT" 'its process exited'
  exits 0 git txn resume "$ID"
  exits 0 git txn commit "$ID"
  assert_eq "$(show new.txt)" y
  assert_sound
}
test_case 'a supervisor or a run that is killed leaves a transaction that goes on' somebody_dies

bounded() {
  new_repo
  detach 'echo first; head -c 40000000 /dev/zero | tr "\0" x | fold -w 79; echo last'
  exits 0 git txn attach "$ID" -n 2
  [ "$(du -sm .git/txn/output/"$ID" | cut -f 1)" -le 17 ] || fail 'more is kept than 16 MiB'
  git txn logs "$ID" >"$WORLD/logs" 2>"$WORLD/.err"
  assert_contains "$(<"$WORLD/.err")" 'are cut'
  assert_lacks "$(head -n 3 "$WORLD/logs")" first
  assert_contains "$(tail -n 3 "$WORLD/logs")" last
  git txn logs "$ID" | head -n 1 >"$WORLD/.out"
  exits 0 git txn gc
  exits 0 git txn logs "$ID" -n 1
  exits 0 git txn gc --force
  exits 3 git txn logs "$ID"
  assert_contains "$ERR" 'no output of'
}
test_case 'what is kept of much output is bounded, and gc removes it' bounded

not_detached() {
  new_repo
  exits 3 git txn attach t-none
  open_work 'echo x >new.txt'
  exits 3 git txn logs "$ID"
  assert_contains "$ERR" "git txn show $ID"
  exits 3 git txn attach "$ID" --json
  assert_eq "$(field .error.code)" usage
  start_run -- 'echo y >other.txt; meet'
  met
  ID=$(git txn status --json | jq -r '.transactions[] | select(.process != null).txn')
  exits 3 git txn attach "$ID"
  assert_contains "$ERR" 'was not started with --detach'
  assert_contains "$ERR" "git txn diff $ID"
  go_on
  ends 0
}
test_case 'attach and logs say where else to look for what was not detached' not_detached

finish
