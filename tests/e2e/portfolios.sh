#!/usr/bin/env bash
# Portfolios: what needs what, gates that ask every member, and what a member may be.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/portfolio/here.sh"

listed() {
  three
  exits 0 p
  assert_contains "$OUT" 'no portfolio'
  exits 0 p add ../web
  assert_contains "$OUT" "member web at $WORLD/web"
  exits 0 p add ../api/src --as api
  exits 0 p needs web api
  assert_contains "$OUT" 'needs api'
  assert_eq "$(members)" 'api web' 'what others need is first'
  exits 3 p needs api web
  assert_contains "$ERR" 'api needs web, web needs api'
  assert_contains "$ERR" 'hint: git txn portfolio needs web, and then this again'
  exits 3 p needs api api
  assert_contains "$ERR" 'api needs api'
  assert_contains "$ERR" 'hint: git txn portfolio needs api, and then what it needs besides itself'
  exits 3 p remove api
  assert_contains "$ERR" 'web needs api'
  exits 3 p add ../api --as other
  assert_contains "$ERR" 'this repository is the member api'
  exits 3 p add . --as home
  assert_contains "$ERR" 'keeps the list'
  cp -r "$WORLD/home" "$WORLD/copy"
  exits 3 p add ../copy
  assert_contains "$ERR" 'is a copy of this repository'
  cp -r "$WORLD/web" "$WORLD/web2"
  exits 3 p add ../web2
  assert_contains "$ERR" "is a copy of the member web at '$WORLD/web'"
  assert_contains "$ERR" 'git txn portfolio add ../web2 --as web'
  mkdir "$WORLD/nothing"
  exits 3 p add ../nothing
  assert_contains "$ERR" 'hint: git txn portfolio add PATH'
  exits 3 p add ../nowhere
  assert_contains "$ERR" "there is no '../nowhere'"
  exits 3 p relay --actor me
  assert_contains "$ERR" 'git txn portfolio relay does not take --actor'
  exits 3 p add ../web --needs nobody
  assert_contains "$ERR" 'which is no member'
  exits 3 p add ../web --as no/name
  exits 3 p remove nobody
  exits 0 p needs web
  exits 0 p remove api
  assert_eq "$(members)" web
  assert_sound
}
test_case 'members are listed in topological order; a circle is refused and named' listed

rolls_up() {
  three
  exits 1 git txn workflow advance w-r
  assert_contains "$OUT" 'the portfolio has no member'
  p add ../api >/dev/null
  p add ../web --needs api >/dev/null
  exits 1 git txn workflow advance w-r
  assert_contains "$OUT" "api: it has no workflow 'feature'"
  (cd ../api && git txn workflow create feature --as w-a && git txn workflow advance w-a) >/dev/null
  (cd ../web && git txn workflow create feature --as w-w) >/dev/null
  exits 1 git txn workflow advance w-r
  assert_contains "$OUT" 'web: phase build of w-w is open'
  (cd ../web && git txn workflow advance w-w) >/dev/null
  exits 0 git txn workflow advance w-r
  assert_contains "$OUT" 'gate built-everywhere  holds: done: api (event '
  exits 1 git txn workflow advance w-r
  assert_contains "$OUT" 'api: phase check of w-a is open'
  (cd ../api && git txn workflow advance w-a && cd ../web && git txn workflow advance w-w) >/dev/null
  exits 0 p
  assert_contains "$OUT" 'w-w (feature): finished'
  exits 0 git txn workflow advance w-r
  assert_contains "$OUT" finished
  assert_sound
}
test_case 'a gate holds when every member has got as far' rolls_up

verbs_and_flags() {
  three
  p add ../api >/dev/null
  p add ../web --needs api >/dev/null
  exits 3 p needs web --needs api
  assert_contains "$ERR" 'git txn portfolio needs does not take --needs'
  exits 3 p remove web --as other
  exits 3 p relay --needs api
  exits 3 p status --actor me
  exits 3 p --anew
  assert_eq "$(p --json | jq -c '[.members[].needs]')" '[[],["api"]]' 'nothing was changed'
  exits 3 p needs web api --actor $'me\nhint: x'
  # A repository that is refused is left as it was.
  new_repo "$WORLD/new"
  cd ../home
  exits 3 p add ../new --needs nobody
  assert_absent ../new/.git/txn/kernel.db
  exits 3 p add ../new --as api
  assert_absent ../new/.git/txn/kernel.db
  exits 0 p add ../new --needs api
  assert_sound
}
test_case 'a flag of another verb is refused, and so is what cannot be a member, before anything is made' verbs_and_flags

# Each changes what it was asked to: the place, or what is needed. Neither takes the other's back.
at_once() {
  three
  p add ../api >/dev/null
  p add ../web >/dev/null
  local n one other
  for n in $(seq 20); do
    exits 0 p needs web
    git-txn portfolio needs web api >"$WORLD/out.1" 2>&1 &
    one=$!
    git-txn portfolio add ../web >"$WORLD/out.2" 2>&1 &
    other=$!
    wait "$one" && wait "$other" || fail "$(cat "$WORLD"/out.*)"
    assert_eq "$(p --json | jq -c '.members[] | select(.name == "web") | .needs')" '["api"]' "round $n"
  done
  assert_sound
}
test_case 'of two changes of the list at once neither is lost' at_once

damaged() {
  three
  p add ../api >/dev/null
  p add ../web >/dev/null
  local name
  for name in api web; do
    (cd "../$name" && git txn workflow create feature --as w-f && git txn workflow advance w-f) >/dev/null
  done
  cp -r ../web/.git/txn "$WORLD/kept"
  # One that can be opened and not be read, and one whose log is known not to hold.
  sqlite3 ../web/.git/txn/kernel.db "UPDATE workflows SET body = '{'"
  exits 1 p
  assert_contains "$OUT" "api at $WORLD/api"
  assert_contains "$OUT" 'w-f (feature): phase check is open'
  exits 1 git txn workflow advance w-r
  assert_contains "$OUT" 'web: '
  rm -rf ../web/.git/txn
  cp -r "$WORLD/kept" ../web/.git/txn
  sqlite3 ../web/.git/txn/kernel.db 'DROP TRIGGER events_are_never_updated;
    UPDATE events SET subject = "x" WHERE seq = (SELECT max(seq) FROM events)'
  exits 1 p
  assert_contains "$OUT" "member web at '$WORLD/web'"
  assert_eq "$(p --json | jq -r '[.members[].problem != null] | map(tostring) | join(" ")')" 'false true'
  exits 1 git txn workflow advance w-r
  assert_contains "$OUT" "member web at '$WORLD/web'"
  exits 2 p relay
  assert_contains "$ERR" 'restore a backup' 'its own way out, and not that of one that moved'
  rm -rf ../web/.git/txn
  mv "$WORLD/kept" ../web/.git/txn
  exits 0 git txn workflow advance w-r
  assert_sound
}
test_case 'a member whose log is damaged is not believed, and keeps nobody from being looked at' damaged

by_verb() {
  three
  policy "$LEADS
[on.\"portfolio.member-set\"]
run = \"jq -r .subject >>$WORLD/heard\""
  exits 0 p add ../api
  assert_file "$WORLD/heard" api
}
test_case 'a change of the list is given to its handlers by the command that made it' by_verb

gone() {
  three
  p add ../api >/dev/null
  p add ../web >/dev/null
  mv ../web ../elsewhere
  exits 2 p relay
  assert_contains "$ERR" "member web at '$WORLD/web'"
  assert_contains "$ERR" 'git txn portfolio add PATH --as web, or: git txn portfolio remove web'
  assert_contains "$OUT" 'api was told 1 event'
  assert_eq "$(told api)" "$(moved_at_home)" 'one that is gone keeps no other from being told'
  mv ../api ../nowhere
  exits 2 p relay --json
  assert_contains "$ERR$OUT" "member api at '$WORLD/api'"
  assert_contains "$ERR$OUT" "member web at '$WORLD/web'"
  assert_contains "$ERR$OUT" 'git txn portfolio remove api'
  mv ../nowhere ../api
  exits 1 p
  assert_contains "$OUT" 'member web at'
  assert_eq "$(p --json | jq -r '[.members[] | .problem != null] | map(tostring) | join(" ")')" 'false true'
  exits 1 git txn workflow advance w-r
  exits 0 p add ../elsewhere
  assert_eq "$(members)" 'api web' 'it is the same one, by its log'
  exits 0 p relay
  new_repo "$WORLD/web"
  exits 0 git txn workflow list
  cd ../home
  exits 3 p add ../web
  assert_contains "$ERR" 'web is another repository'
  rm -rf ../elsewhere
  mv ../web ../elsewhere
  (cd ../elsewhere && git txn run -- true) >/dev/null 2>&1
  exits 2 p relay
  assert_contains "$ERR" 'another repository is there by now'
  sqlite3 ../api/.git/txn/kernel.db 'DROP TRIGGER events_are_never_updated;
    UPDATE events SET subject = "x" WHERE seq = (SELECT max(seq) FROM events)'
  exits 0 git txn workflow override w-r --reason 'trying'
  mv ../elsewhere ../other
  exits 0 p remove web
  exits 2 p relay
  assert_contains "$ERR" 'member api'
  assert_sound
}
test_case 'a member that is gone, moved, another one or damaged is named, and the others are told' gone

elsewhere_for_this_clone() {
  three
  p add ../web --as we.b_ >/dev/null
  mv ../web ../elsewhere
  exits 2 p relay
  exits 0 git config txn.member.we.b_.place ../elsewhere
  exits 0 p relay
  assert_contains "$OUT" 'we.b_ was told 1 event'
  exits 0 p
  assert_contains "$OUT" "we.b_ at $WORLD/elsewhere"
  exits 0 git config txn.member.we.b_.place "$WORLD/nowhere"
  exits 1 p
  assert_contains "$OUT" "member we.b_ at '$WORLD/nowhere'"
  exits 0 git config --unset txn.member.we.b_.place
  exits 1 p
  assert_contains "$OUT" "member we.b_ at '$WORLD/web'" 'the list was not changed'
  assert_sound
}
test_case 'a clone may have a member at a place of its own' elsewhere_for_this_clone

inside() {
  three
  p add ../api >/dev/null
  lands 'git txn portfolio status >"'"$WORLD"'/status"; echo 1 >src/one.txt
    for verb in "add ../api" "needs api" "remove api" relay; do
      git txn portfolio $verb >>"'"$WORLD"'/said" 2>&1; echo "exit $?" >>"'"$WORLD"'/said"
    done'
  assert_contains "$(cat "$WORLD/status")" "api at $WORLD/api"
  assert_eq "$(grep -c '^exit 3$' "$WORLD/said")" 4
  assert_sound
}
test_case 'inside of a transaction it is only looked at' inside

of_two_lists() {
  three
  exits 0 p add ../api
  (cd ../api && exits 0 git txn portfolio add ../web)
  cd ../web
  exits 3 p add ../home
  assert_contains "$ERR" "'$WORLD/api' has this repository as its member web"
  assert_contains "$ERR" "git -C '$WORLD/api' txn portfolio remove web"
  cd ../api
  exits 3 p add ../home --as leads
  assert_contains "$ERR" "'$WORLD/home' has this repository as its member api"
  exits 0 git -C "$WORLD/home" txn portfolio remove api
  exits 0 p add ../home --as leads
  # What cannot be opened is not looked through.
  new_repo "$WORLD/new"
  exits 0 p add ../api
  cd ../home
  exits 3 p add ../new
  assert_contains "$ERR" "'$WORLD/api' has this repository as its member leads"
  mv ../api ../elsewhere
  exits 0 p add ../new
  assert_sound
}
test_case 'a circle over the lists of two repositories is refused' of_two_lists

finish
