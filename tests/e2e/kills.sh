#!/usr/bin/env bash
# What a signal leaves behind. A terminal's ends the command and loses nothing. The program
# killed between two statements of its database (the failpoint db.statement): the store opens,
# the chain verifies, replaying gives the same, and what was asked for is there as a whole or not at all
# and can be asked for again. As the store's own tests do it; what is killed here is the whole program.
. "$(dirname "$0")/lib.sh"

events_of_log() { git txn events tail >"$WORLD/.events"; wc -l <"$WORLD/.events"; }
# killed_at_statements EVENTS COMMAND...: with that many events when it is done
killed_at_statements() {
  local wanted=$1 at=1 before now got kills=0
  shift
  before=$(events_of_log)
  while :; do
    got=0
    { GIT_TXN_FAILPOINT=db.statement=$at "$@" >"$WORLD/.told" 2>&1; } 2>"$WORLD/.killed" || got=$?
    exits 0 git txn verify --replay
    now=$(events_of_log)
    case $((now - before)) in
      0 | "$wanted") ;;
      *) fail "killed at statement $at, '$*' left $((now - before)) events of $wanted" ;;
    esac
    if [ $((now - before)) = "$wanted" ]; then break; fi
    [ $got = 137 ] || fail "at statement $at '$*' exited $got: $(cat "$WORLD/.told")"
    kills=$((kills + 1)) at=$((at + 1))
  done
  [ $kills -ge 3 ] || fail "'$*' was killed $kills times only"
}
leases_budgets_consumers() {
  new_repo
  exits 0 git txn lease acquire docs --owner eve --ttl 1h
  killed_at_statements 1 git-txn lease acquire src --owner ann --ttl 1h
  local id
  id=$(git txn lease list --json | tail -n 1 | jq -r '.. | objects | select(.owner? == "ann") | .id')
  killed_at_statements 1 git-txn lease renew "$id" --owner ann
  killed_at_statements 1 git-txn lease release "$id" --owner ann
  killed_at_statements 1 git-txn budget set --owner ann cost=20
  killed_at_statements 1 git-txn events consumer register audit --durable
  assert_sound
}
test_case 'invariant 1: a kill between two statements of leases, budgets, consumers' leases_budgets_consumers 600
moves() {
  new_repo
  printf '[workflow.plain]\nphases = ["one", "two", "three"]\non_close = { one = "drop", two = "carry" }\n
[[workflow.plain.gate]]\nphase = "two"\nname = "written"\nartifact = "docs/none.md"\n' >.gittxn.toml
  git add .gittxn.toml
  git commit -qm policy -- .gittxn.toml
  exits 0 git txn status
  exits 0 git txn workflow create plain --as w-0
  killed_at_statements 1 git-txn workflow create plain --as w-1
  killed_at_statements 1 git-txn workflow advance w-1
  # What its gate said, and the override.
  killed_at_statements 2 git-txn workflow override w-1 --reason 'the gate is broken'
  killed_at_statements 1 git-txn workflow rollback w-1 --to one --reason 'the plan was wrong'
  killed_at_statements 1 git-txn workflow skip w-1 --reason 'not needed'
  assert_sound
}
test_case 'F7: a kill between two statements of a move leaves it with its record, or neither' moves 600

closed_terminal() {
  new_repo
  start_run -- 'echo x >src/new.txt; meet; sleep 60'
  met
  kill -HUP "$RUN_PID"
  wait "$RUN_PID" || :
  exits 0 git txn status --json
  assert_eq "$(field '.transactions[0].state')" open
  assert_clean_checkout
  assert_sound
}
test_case 'a clear stop: a closed terminal loses nothing' closed_terminal
interrupted() {
  new_repo
  start_run -- 'trap "echo stopping >src/stopped.txt; exit 130" INT; echo x >src/new.txt; meet; while :; do sleep 0.1; done'
  met
  kill -INT "$RUN_PID"
  ends 1
  assert_eq "$(field .state)" open
  assert_eq "$(git show "refs/txn/$(field .txn)/1:src/stopped.txt")" stopping
}
test_case 'interrupted: the command gets the first one, nothing lands, nothing is lost' interrupted

finish
