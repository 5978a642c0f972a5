#!/usr/bin/env bash
# Questions to a person at a terminal about a refusal, and what becomes of the answers.
. "$(dirname "$0")/lib.sh"

# at_a_terminal ANSWER COMMAND...: on a terminal of its own, where the first question gets the answer
at_a_terminal() {
  TERM=xterm python3 - "$@" <<'END'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
said, answered = b'', False
while True:
    try:
        more = os.read(fd, 4096)
    except OSError:
        break
    if not more:
        break
    said += more
    if b'[k]:' in said and not answered:
        answered = True
        os.write(fd, sys.argv[1].encode() + b'\n')
sys.stdout.write(said.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
}

asks_at_a_terminal() {
  new_repo
  local script='cp src/f1.txt copy.txt; cd "$WORLD/repo"; [ -e "$WORLD/moved" ] || {
    touch "$WORLD/moved"; echo newer >src/f1.txt; git commit -qam moved; }'
  exits 1 at_a_terminal k git-txn run -- bash -c "$script"
  assert_contains "$OUT" 'src/f1.txt has changed on main since '
  assert_contains "$OUT" 'a  run the command again on the new head of main'
  assert_eq "$(git txn status --json | jq -r '.transactions[].state')" quarantined
  rm "$WORLD/moved"
  echo other >src/f1.txt; git commit -qam other
  exits 0 at_a_terminal a git-txn run -- bash -c "$script"
  assert_eq "$(show copy.txt)" newer
  assert_sound
}
test_case 'at a terminal a conflict asks whether to run the command again' asks_at_a_terminal

opens_a_shell() {
  new_repo
  local script='cp src/f1.txt copy.txt; cd "$WORLD/repo"; echo newer >src/f1.txt; git commit -qam moved'
  printf '#!/bin/sh\ncat src/f1.txt >copy.txt; cat "$PWD/../round.md" >"%s"\n' "$WORLD/told" >"$WORLD/bin/a-shell"
  chmod +x "$WORLD/bin/a-shell"
  exits 0 env SHELL="$WORLD/bin/a-shell" bash -c 'at_a_terminal s git-txn run -- bash -c "$1"' - "$script"
  assert_contains "$OUT" 'exit lands the change, exit 1 keeps it for later'
  assert_contains "$(<"$WORLD/told")" '+newer'
  assert_eq "$(show copy.txt)" newer
  assert_sound
}
export -f at_a_terminal
test_case 'at a terminal a conflict offers a shell where the branch is merged into the work' opens_a_shell

finish
