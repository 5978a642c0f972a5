#!/usr/bin/env bash
# Workflows that are cancelled: what was in them, what is refused then, and what they count for.
. "$(dirname "$0")/lib.sh"

w() { git txn workflow "$@"; }
plain_policy() { # it runs nothing, so there is nothing to trust
  printf '[workflow.plain]\nphases = ["one", "two", "three"]\non_close = { one = "carry" }\n%s\n' "${1:-}" >.gittxn.toml
  git add .gittxn.toml
  git commit -qm 'policy' -- .gittxn.toml
}
create() { exits 0 w create plain --as "${1:-w-1}"; }

told_in_status() { # ID TEXT: it is told within ten seconds
  local i
  for i in $(seq 100); do
    git txn status --json | jq -e --arg id "$1" --arg text "$2" \
      '.transactions[] | select(.txn == $id) | .stale | tostring | contains($text)' >"$WORLD/jq.out" && return
    sleep 0.1
  done
  fail "$1 was not told '$2': $(git txn status)"
}
cancelled() {
  new_repo
  plain_policy
  create
  exits 0 git txn begin --workflow w-1 -q
  local begun=$OUT running
  exits 0 git txn exec "$begun" -- bash -c 'echo y >src/y.txt'
  start_run --workflow w-1 --name works -- 'meet; echo x >src/new.txt'
  met
  exits 0 w cancel w-1 --reason 'made by mistake' --actor 'Olga Owner' --json
  assert_eq "$(field '.already') $(field '.workflow.cancelled | "\(.actor): \(.reason)"')" \
    'false Olga Owner: made by mistake'
  assert_eq "$(field '[.unfinished[].state] | join(" ")') $(field .workflow.phases[0].state)" 'open open cancelled'
  running=$(field '.unfinished[] | select(.name == "works") | .txn')
  told_in_status "$running" 'workflow:w-1'  # and goes on
  go_on
  ends 1
  assert_eq "$(field .state) $(field '.conflicts[0].kind') $(field '.conflicts[0].subject')" \
    'rejected kernel workflow:w-1'
  exits 0 git txn why "$running"
  assert_contains "$OUT" 'workflow w-1 was cancelled: made by mistake'
  assert_contains "$OUT" 'who cancelled it, and why'
  case $OUT in *--workflow* | *rollback*) fail "it advises what is refused: $OUT" ;; esac
  exits 1 git txn commit "$begun"
  assert_contains "$OUT$ERR" 'was cancelled: made by mistake'
  assert_absent src/new.txt
  assert_absent src/y.txt
}
test_case 'a workflow that is cancelled: what runs in it is told, goes on, and does not land' cancelled

cancelled_for_good() {
  new_repo
  plain_policy
  create
  exits 0 w cancel w-1
  assert_contains "$OUT" 'w-1 (plain) on main: cancelled by Pat'
  exits 0 w cancel w-1 --reason 'said later' --json
  assert_eq "$(field .already) $(field '.workflow.cancelled.reason')" 'true ' 'the first is what counts'
  assert_eq "$(sqlite3 .git/txn/kernel.db "select count(*) from events where type = 'workflow.cancelled'")" 1
  local verb
  for verb in advance 'skip --reason x' 'override --reason x' 'rollback --to one --reason x' 'verdict review --pass'; do
    # shellcheck disable=SC2086
    exits 3 w ${verb%% *} w-1 $(test "$verb" = "${verb#* }" || echo "${verb#* }")
    assert_contains "$ERR" 'workflow w-1 was cancelled by Pat'
  done
  exits 3 git txn run --workflow w-1 -- true
  assert_contains "$ERR" 'workflow w-1 was cancelled by Pat'
  assert_contains "$ERR" 'make another one: git txn workflow create plain'
  exits 3 w create plain --as w-1
  assert_contains "$ERR" 'it was cancelled, and an id is used once'
  exits 0 w create plain --json
  exits 0 w status w-1 --json
  assert_eq "$(field '.phases[0].moved | "\(.what) \(.reason)"') $(field .open)" 'cancelled  null'
  exits 0 w status w-1
  assert_contains "$OUT" 'cancelled by Pat'
  exits 0 w list
  assert_contains "$OUT" 'w-1 (plain) on main: cancelled by Pat'
  create w-2
  exits 0 w advance w-2
  exits 0 w advance w-2
  exits 0 w advance w-2
  exits 3 w cancel w-2
  assert_contains "$ERR" 'workflow w-2 is finished: there is nothing to cancel'
  exits 3 w cancel w-none
  exits 3 w cancel
  exits 3 w cancel w-2 --to one
  exits 0 git txn verify --replay
  assert_sound
}
test_case 'a cancelled workflow moves no more; to cancel it again is the same answer' cancelled_for_good

cancelled_in_the_window() {
  local point
  new_repo
  plain_policy
  for point in land.before_landing_lock land.after_index_lock; do
    create "w-$point"
    agent "echo x >src/$point.txt" --no-land --workflow "w-$point"
    stopped_at "$point" git txn commit "$(field .txn)" --json
    exits 0 w cancel "w-$point"
    kill -CONT "$STOPPED"
    ends 1
    assert_eq "$(field .state)" rejected "$point"
    assert_absent "src/$point.txt"
  done
  # Prepared: the end waits for the landing.
  create w-late
  agent 'echo x >src/late.txt' --no-land --workflow w-late
  stopped_at land.after_prepared git txn commit "$(field .txn)" --json
  w cancel w-late >"$WORLD/cancel.out" 2>"$WORLD/cancel.err" &
  local pid=$!
  sleep 1
  assert_eq "$(git txn workflow status w-late --json | jq -r .open)" one
  kill -CONT "$STOPPED"
  ends 0
  wait "$pid" || fail "cancel: $(cat "$WORLD/cancel.err")"
  assert_contains "$(cat "$WORLD/cancel.out")" 'cancelled by'
  assert_sound
}
test_case 'a workflow is cancelled before what was not prepared, and after what was' cancelled_in_the_window


of_a_member() {
  new_repo "$WORLD/api"
  plain_policy
  new_repo "$WORLD/home"
  plain_policy '[[workflow.plain.gate]]
phase = "one"
name = "everywhere"
members = "plain"'
  create w-home
  exits 0 git txn portfolio add ../api
  cd "$WORLD/api" || exit 2
  create w-old
  exits 0 w advance w-old
  exits 0 w advance w-old
  exits 0 w advance w-old
  create w-oops
  cd "$WORLD/home" || exit 2
  exits 1 w advance w-home
  assert_contains "$OUT" 'api: phase one of w-oops is open'
  git -C "$WORLD/api" txn workflow cancel w-oops >"$WORLD/cancel.out" || fail 'cancel failed'
  exits 0 git txn portfolio
  assert_contains "$OUT" 'w-oops (plain): cancelled'
  exits 0 w advance w-home
  # And what is cancelled here is told there.
  exits 0 w cancel w-home
  exits 0 git txn portfolio relay
  assert_eq "$(sqlite3 "$WORLD/api/.git/txn/kernel.db" \
    "SELECT count(*) FROM events WHERE type = 'portfolio.relayed' AND payload LIKE '%workflow.cancelled%'")" 1
  assert_sound
}
test_case 'a gate of members passes over a workflow that was cancelled, and its end is relayed' of_a_member

finish
