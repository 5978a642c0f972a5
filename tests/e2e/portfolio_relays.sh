#!/usr/bin/env bash
# Portfolios: events are told to each member once, and pruning waits for that.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/portfolio/here.sh"

put_back() {
  three
  p add ../api >/dev/null
  p add ../web >/dev/null
  exits 0 p relay
  cp -r .git/txn "$WORLD/kept"
  exits 0 git txn workflow override w-r --reason 'lost'
  exits 0 p relay
  rm -rf .git/txn
  cp -r "$WORLD/kept" .git/txn
  exits 0 p remove web
  exits 0 git txn workflow override w-r --reason 'instead of it'
  exits 1 p relay
  assert_contains "$ERR" 'member api was told event'
  assert_contains "$ERR" 'git txn portfolio relay --anew'
  exits 1 p
  assert_contains "$OUT" 'relay --anew'
  exits 0 p relay --anew
  assert_contains "$OUT" 'api was told 1 event'
  exits 0 p
  exits 0 p relay
  assert_contains "$OUT" 'every member knows all'
  assert_eq "$(sqlite3 ../api/.git/txn/kernel.db "SELECT payload FROM events WHERE type = 'portfolio.relayed'
    ORDER BY seq DESC LIMIT 1" | jq -r '"\(.anew) \(.data.reason)"')" 'true instead of it'
  cd ../api
  assert_sound
}
test_case 'after an older copy of the list was put back members are told what is so, and nothing is passed over' put_back

relays() {
  three
  p add ../api >/dev/null
  p add ../web --needs api >/dev/null
  exits 0 p relay
  assert_contains "$OUT" 'api was told 1 event'
  exits 0 p relay
  assert_contains "$OUT" 'every member knows all'
  exits 0 git txn workflow override w-r --reason 'trying'
  exits 0 p
  assert_contains "$OUT" '1 event to tell it'
  lands 'echo 1 >src/one.txt'  # not a move of a workflow
  killed_at api.portfolio.member_told git-txn portfolio relay
  assert_eq "$(told api)" "$(moved_at_home)"
  [ "$(told web)" != "$(moved_at_home)" ] || fail 'it was killed too late'
  local i pids=()
  for i in 1 2 3 4; do
    git-txn portfolio relay >"$WORLD/out.$i" 2>&1 &
    pids+=($!)
  done
  for i in "${pids[@]}"; do wait "$i" || fail "relay: $(cat "$WORLD"/out.*)"; done
  assert_eq "$(told api)" "$(moved_at_home)" 'each once, in order'
  assert_eq "$(told web)" "$(moved_at_home)"
  cd ../web
  exits 0 p
  assert_contains "$OUT" "told by $WORLD/home: phase.overridden of w-r"
  assert_sound
  cd ../api
  assert_sound
  cd ../home
  assert_sound
}
test_case 'events are told once, though it is killed between, or done by many at once' relays

by_handler() {
  three
  p add ../api >/dev/null
  p add ../web >/dev/null
  (
    cd ../web
    policy "$FOLLOWS
[on.\"portfolio.relayed\"]
run = \"jq -r .data.type >>$WORLD/heard\""
  )
  policy "$LEADS
[on.\"phase.overridden\"]
run = \"git txn portfolio relay\""
  exits 0 git txn workflow override w-r --reason 'trying'
  assert_eq "$(told api)" "$(moved_at_home)"
  cd ../web
  lands 'echo 1 >src/one.txt'  # whoever writes there next gives out what it was told
  assert_contains "$(cat "$WORLD/heard")" phase.overridden
  assert_sound
}
test_case 'a handler relays each move, and a handler of a member hears of it' by_handler

held_back() { git txn events consumer list --lag --json | jq 'select(.name == "member/api") | .holds_back'; }
# Pruning keeps for the members what they were not told, though nobody relayed for long.
keeps_what_is_told() {
  three
  p add ../api >/dev/null
  p add ../web >/dev/null
  exits 0 git txn workflow override w-r --reason 'trying'
  local head
  head=$(git txn events tail --json | tail -n 1 | jq -r .id)
  exits 0 git txn events prune --before "$head" --dry-run
  assert_contains "$OUT" "member api, not told of event $(moved_at_home | cut -d ' ' -f 1) yet (git txn portfolio relay)"
  exits 0 git txn events prune --before "$head"
  git config txn.retention 1ms
  exits 0 git txn gc
  exits 0 git txn events consumer list --lag
  assert_contains "$OUT" 'member/api'
  [ "$(held_back)" -gt 0 ] || fail "member/api holds back $(held_back)"
  local moved
  moved=$(moved_at_home)
  # One that is told and one that is killed before that is written down: it is told once all the same.
  killed_at api.portfolio.member_told git-txn portfolio relay
  mv ../web ../elsewhere
  exits 2 p relay
  assert_eq "$(told api)" "$moved"
  exits 0 git txn gc
  assert_contains "$OUT" "member web, not told of event ${moved%% *} yet"
  mv ../elsewhere ../web
  exits 0 p relay
  assert_eq "$(told web)" "$moved"
  exits 0 git txn gc
  assert_eq "$(moved_at_home)" '' 'all know it, so it may go'
  exits 0 p relay
  assert_contains "$OUT" 'every member knows all'
  exits 0 git txn lease acquire src
  assert_eq "$(held_back)" 0 'nothing waits for it'
  exits 0 p
  # One that comes later is told what comes from then on.
  new_repo "$WORLD/late"
  cd ../home
  exits 0 p add ../late
  exits 0 p relay
  exits 0 git txn workflow override w-r --reason 'again'
  moved=$(moved_at_home)
  exits 0 git txn gc
  exits 0 p relay
  assert_eq "$(told late)" "$moved"
  exits 0 p remove late
  exits 0 git txn events consumer list
  assert_lacks "$OUT" 'member/late'
  assert_sound
}
test_case 'pruning waits until every member was told' keeps_what_is_told

# Added by a program that kept no position for it; its first relay does.
of_an_older_program() {
  three
  p add ../api >/dev/null
  exits 0 git txn events consumer remove member/api
  exits 0 git txn workflow override w-r --reason 'trying'
  local moved
  moved=$(moved_at_home)
  exits 0 git txn events prune --older-than 1ms
  exits 0 p relay
  assert_eq "$(told api)" "$moved"
  exits 0 git txn events consumer list
  assert_contains "$OUT" 'member/api'
  exits 0 git txn events prune --older-than 1ms
  assert_eq "$(moved_at_home)" ''
  exits 0 p
  assert_sound
}
test_case 'a member of an older program holds pruning back too, until it is told' of_an_older_program

# The member went back to before what it was told, and here that is pruned.
member_put_back() {
  three
  p add ../api >/dev/null
  exits 0 p relay
  cp -r ../api/.git/txn "$WORLD/kept"
  exits 0 git txn workflow override w-r --reason 'lost'
  exits 0 p relay
  exits 0 git txn events prune --older-than 1ms
  rm -rf ../api/.git/txn
  mv "$WORLD/kept" ../api/.git/txn
  exits 1 p relay
  assert_contains "$ERR" 'member api does not know event'
  assert_contains "$ERR" 'git txn portfolio relay --anew'
  exits 1 p
  assert_contains "$OUT" 'relay --anew'
  exits 0 p relay --anew
  exits 0 p relay
  exits 0 p
  exits 0 git txn workflow override w-r --reason 'and on'
  exits 0 p relay
  assert_contains "$OUT" 'api was told 1 event'
  assert_sound
}
test_case 'a member that lost what is pruned here is named, and told the rest when that is asked for' member_put_back

anew_after_pruning() {
  three
  p add ../api >/dev/null
  exits 0 p relay
  cp -r .git/txn "$WORLD/kept"
  exits 0 git txn workflow override w-r --reason 'lost'
  exits 0 p relay
  local round
  for round in 1 2; do
    rm -rf .git/txn
    cp -r "$WORLD/kept" .git/txn
    (cd ../api && exits 0 git txn events prune --older-than 1ms)
    exits 0 git txn workflow override w-r --reason "instead $round"
    exits 1 p relay
    exits 0 p relay --anew
    exits 0 p relay
    assert_contains "$OUT" 'every member knows all'
    exits 0 p
    assert_eq "$(sqlite3 ../api/.git/txn/kernel.db "SELECT payload FROM events WHERE type = 'portfolio.relayed'
      ORDER BY seq DESC LIMIT 1" | jq -r .data.reason)" "instead $round"
  done
  # Nothing has happened since: what is told anew is what was so before.
  rm -rf .git/txn
  cp -r "$WORLD/kept" .git/txn
  exits 1 p relay
  exits 0 p relay --anew
  assert_contains "$OUT" 'api was told 1 event'
  exits 0 p relay
  exits 0 p
  assert_eq "$(cd ../api && p --json | jq -r '.relayed[].type')" workflow.created
  cd ../api
  assert_sound
}
test_case 'relay --anew goes on when the member has pruned, and when there is nothing new' anew_after_pruning

nothing_in_place_of_it() {
  new_repo "$WORLD/api"
  new_repo "$WORLD/home"
  commit_policy "$LEADS"
  exits 0 p add ../api
  cp -r .git/txn "$WORLD/kept"
  exits 0 git txn workflow create release --as w-r
  exits 0 p relay
  rm -rf .git/txn
  cp -r "$WORLD/kept" .git/txn
  exits 1 p relay --anew
  assert_contains "$ERR" 'has nothing to tell instead'
  assert_contains "$ERR" 'git txn workflow create'
  exits 0 git txn workflow create release --as w-s
  exits 0 p relay --anew
  assert_contains "$OUT" 'api was told 1 event'
  exits 0 p
  assert_eq "$(cd ../api && p --json | jq -r '.relayed[].subject')" w-s
}
test_case 'relay --anew says so when there is nothing to tell in place of what was told' nothing_in_place_of_it

finish
