#!/usr/bin/env bash
# A machine that is killed, or stops for a while, at any step of a rung: nothing is lost, nothing lands twice, and no
# round whose work was done is asked for again. Whoever finds the transaction does what `git txn show` or `why` names
# as next, until it has landed. RUNGS=all takes every step; otherwise some, by SEED.
. "$(dirname "$0")/lib.sh"

# Steps that lie between a refusal and the landing, in git-txn itself. Each is taken at the first time and at the second.
STEPS='api.exec.started api.exec.ended api.take.kept api.take.recorded api.run.taken api.run.repairing api.run.landed
  api.rounds.asking api.rounds.went_on api.go_on.merged api.go_on.told take.before_import take.after_import
  land.after_turn land.before_prepared land.before_durable land.before_landing_lock land.after_prepared
  land.after_ref_update land.before_landed land.after_landed land.after_checkout checkout.after_lock checkout.mid_move
  checkout.after_index refs.after_lock refs.after_rename store.after_artifact store.before_commit store.after_commit
  worktree.before_checkout worktree.after_checkout api.begin.pinned api.begin.checked_out'

with_agent() {
  new_repo
  ln -s "$E2E_ROOT/tests/agents/fake-claude" "$WORLD/bin/claude"
  export FAKE_AGAIN='echo round >>"$WORLD/rounds"; Read src/f1.txt; Write decided.txt "from the other line"'
  : >"$WORLD/rounds"
}
# begins OPTION...: the agent in the background; what it has read changes before it ends, if it comes so far
begins() {
  git-txn run --json "$@" -- claude -p "echo run >>\"\$WORLD/runs\"; Read src/f1.txt; Write decided.txt \"from f1\"
    [ -e \"\$WORLD/again\" ] || { touch \"\$WORLD/again\"; meet; }" >"$WORLD/run.out" 2>"$WORLD/run.err" </dev/null &
  AGENT=$!
  until_either "$WORLD/ready"
  person_commits src/f1.txt 'another line'
}
# until_either [FILE]: the file is there, or the agent's git-txn has ended or stopped
until_either() {
  local n=0
  until [ -e "${1:-/none}" ] || [ ! -d "/proc/$AGENT" ] || grep -q '^State:.[TZ]' "/proc/$AGENT/status" 2>"$WORLD/.state"; do
    n=$((n + 1))
    [ $n -lt 1200 ] || fail "$STEP: neither stopped nor ended"
    pause 0.05
  done
}
# The machine died at the step, or the rung does not come by it and has landed: nothing else may end it.
died_or_landed() {
  local code=0
  wait "$AGENT" || code=$?
  case $code in 0 | 137) ;; *) fail "$STEP: exit $code: $(cat "$WORLD/run.out" "$WORLD/run.err")" ;; esac
  [ "$code" = 0 ] || echo "$STEP" >>"${RUNGS_REACHED:-/dev/null}"
  ID=$(git txn status --all --json | jq -r '[.transactions[] | select(.command | tostring | contains("claude"))][0].txn')
}
state() { git txn show "$ID" --json | jq -r .state; }
# Does what is named as next until it has landed.
follow() {
  local n=0 next
  until [ "$(state)" = landed ]; do
    n=$((n + 1))
    [ $n -le 6 ] || fail "$STEP: still $(state) after: $next: $(cat "$WORLD/next.out"); $(git txn why "$ID")"
    next=$(git txn show "$ID" --json | jq -r '.next // "nothing"')
    case $next in
      'git txn why '*) next=$(git txn why "$ID" --json | jq -r '.next[0]' | sed 's/    .*//') ;;
    esac
    [ "$next" != nothing ] || fail "$STEP: nothing is next of one that is $(state)"
    GIT_TXN_FAILPOINT='' bash -c "$next" >"$WORLD/next.out" 2>&1 || :  # the state says what came of it
  done
}
ended_rounds() { # commands of a later attempt that ended well, by the log
  git txn events tail --type txn.command.ended | jq -s --arg id "$ID" \
    'map(select(.subject == $id and .data.attempt > 1 and .data.exit == 0)) | length'
}
landed_once() { # WANTED
  assert_eq "$(git log --format=%B main | grep -c "Txn-Id: $ID")" 1 "$STEP: its landings"
  case "$(show decided.txt)" in 'from f1' | 'from the other line') ;; *) fail "$STEP: $(show decided.txt)" ;; esac
  assert_eq "$(show src/f1.txt)" 'another line' "$STEP"
  assert_file src/f1.txt 'another line'
  assert_sound
}
# step POINT HOW OPTION...: the machine dies at the point (kill), or is paused there (stop)
step() {
  local point=$1 how=$2 done_rounds asked
  shift 2
  STEP="$how at $point $*"
  with_agent
  if [ "$how" = kill ]; then
    GIT_TXN_FAILPOINT=$point begins "$@"
  else
    GIT_TXN_FAILPOINT=$point=stop begins "$@"
  fi
  go_on
  if [ "$how" = stop ]; then
    until_either
    timeout 2 git txn run -q -- sh -c 'echo beside >src/beside.txt' >"$WORLD/beside" 2>&1 || :  # it may have to wait
    kill -CONT "$AGENT" 2>"$WORLD/.state" || :  # it may have ended
  fi
  died_or_landed
  done_rounds=$(ended_rounds) asked=$(wc -l <"$WORLD/rounds")
  follow
  landed_once
  [ "$done_rounds" = 0 ] || assert_eq "$(wc -l <"$WORLD/rounds")" "$asked" "$STEP: a round that was done was asked for again"
  [ "$(wc -l <"$WORLD/rounds")" -le 2 ] || fail "$STEP: $(wc -l <"$WORLD/rounds") rounds"
}
# mends POINT: a use of a name that the branch renames meanwhile; the machine dies at the point
mends() {
  STEP="mend at $1"
  new_repo
  mkdir shop
  printf '%s\n' 'def check(token):' "    return token != ''" >shop/auth.py
  git add -A
  git commit -qm shop
  GIT_TXN_FAILPOINT=$1 git-txn run --json --retries 0 --repairs 0 -- bash -c '
    name=check
    [ ! -e "$WORLD/runs" ] || name=validate  # it sees what there is
    echo run >>"$WORLD/runs"
    printf "from shop.auth import %s\n\nprint(%s(1))\n" $name $name >shop/new.py
    meet' claude >"$WORLD/run.out" 2>"$WORLD/run.err" </dev/null &
  AGENT=$!
  until_either "$WORLD/ready"
  sed -i 's/check/validate/' shop/auth.py
  git commit -qam 'a person renames check to validate'
  go_on
  died_or_landed
  follow
  assert_eq "$(git log --format=%B main | grep -c "Txn-Id: $ID")" 1 "$STEP: its landings"
  assert_eq "$(show shop/new.py)" 'from shop.auth import validate

print(validate(1))' "$STEP"
  assert_sound
}
total=0
# cases NAME FIRST HOW COUNT OPTION...: so many of the steps behind FIRST, with which the rung begins, or all of them,
# each as a case. One that kills does so at the first time or at the second.
cases() {
  local name=$1 first=$2 how=$3 count=$4 all=() one
  shift 4
  for one in $STEPS; do
    [ "$one" != "$first" ] || continue
    all+=("$one")
    [ "$how" = stop ] || all+=("$one=2")
  done
  [ "${RUNGS:-}" != all ] || count=${#all[@]}
  for one in $(printf '%s\n' "${all[@]}" | shuf -n "$count" --random-source=<(yes "$SEED$name")); do
    if [ "$how" = mends ]; then eval "${how}_$((++total))() { mends '$first>$one'; }"; else
      eval "${how}_$((++total))() { step '$first>$one' $how $*; }"
    fi
    test_case "$name: $one" "${how}_$total"
  done
}
cases 'killed in a round of its agent' api.rounds.asking kill 5 --retries 0
cases 'killed while it is run again' api.run.repairing kill 4 --repairs 0 --retries 2
cases 'killed while it is mended' api.run.taken mends 3
cases 'paused in a round, while others land' api.rounds.asking stop 3 --retries 0

finish
