#!/usr/bin/env bash
# What a level lets land: updates that several make of one thing at the same time, what is decided on a
# file that others change elsewhere, and commands that changed nothing.
. "$(dirname "$0")/lib.sh"
E2E_JOBS=2  # what runs side by side waits for each other

# all_there N: what an agent script of side_by_side says when it has read: goes on when N of them have
all_there() {
  : >"$WORLD/there$ROUND/$$"
  local n=0 seen
  until seen=("$WORLD/there$ROUND"/*) && [ ${#seen[@]} -ge "$1" ]; do
    n=$((n + 1)); [ $n -lt 3000 ] || fail 'the others never came'
    pause 0.02
  done
}
export -f all_there
ROUND=0
# side_by_side N LEVEL SCRIPT: N runs of it at once, which all have to land
side_by_side() {
  local n=$1 level=$2 pids=() i
  export ROUND=$((ROUND + 1))
  mkdir "$WORLD/there$ROUND"
  for i in $(seq "$n"); do
    git-txn run --json --isolation "$level" --retries 20 -- bash -c "$3" >"$WORLD/out$i" 2>"$WORLD/err$i" </dev/null &
    pids+=($!)
  done
  for i in $(seq "$n"); do
    wait "${pids[i - 1]}" || fail "run $i: $(cat "$WORLD/out$i" "$WORLD/err$i")"
    assert_eq "$(tail -n 1 "$WORLD/out$i" | jq -r .state)" landed "run $i"
  done
}

increments() {
  new_repo
  person_commits c 0
  side_by_side 3 "$1" 'n=$(cat c); all_there 3; echo $((n + 1)) >c'
  assert_eq "$(show c)" 3
  side_by_side 2 "$1" 'all_there 2; echo line >>c'
  assert_eq "$(show c)" "$(printf '3\nline\nline')"
  side_by_side 2 "$1" 'all_there 2; echo line >>new-log'
  assert_eq "$(show new-log)" "$(printf 'line\nline')" 'a file that an append begins'
  side_by_side 2 "$1" 'n=$(ls docs | wc -l); all_there 2; echo taken >docs/$n'
  assert_eq "$(show docs/1) $(show docs/2)" 'taken taken'
  assert_sound
}
at_snapshot() { increments snapshot; }
at_semantic() { increments semantic; }
at_strict() { increments strict; }
test_case 'counters, lines and free numbers: each update of several at once is there, at snapshot' at_snapshot
test_case 'counters, lines and free numbers: each update of several at once is there, at semantic' at_semantic
test_case 'counters, lines and free numbers: each update of several at once is there, at strict' at_strict

skew() { # LEVEL EXIT
  new_repo
  printf '{\n  "x": 50,\n  "y": 50\n}\n' >account.json
  git add -A
  git commit -qm account
  start_run --retries 0 --isolation "$1" -- 'sed -i "s/\"y\": 50/\"y\": -30/" account.json; meet'
  met
  sed -i 's/"x": 50/"x": -30/' account.json
  git commit -qm 'the other withdrawal' -- account.json
  go_on
  ends "$2"
  SAID=$OUT$ERR
  ID=$(field .txn)
  assert_sound
}
skew_strict() {
  skew strict 1
  assert_contains "$SAID" write-write
  assert_contains "$SAID" 'at semantic it would have landed'
}
skew_semantic() {
  skew semantic 0
  assert_contains "$SAID" 'both changes were merged'
  exits 0 git txn why --json "$ID"
  assert_contains "$(field '.excused[0]')" account.json
}
test_case 'two decide on both keys of a file and change one each: refused at strict' skew_strict
test_case 'two decide on both keys of a file and change one each: semantic merges, and says so' skew_semantic

hashed() {
  new_repo
  printf 'a: 1\nb: 1\n' >f.yaml
  git add -A
  git commit -qm data
  start_run --isolation strict -- 'md5sum f.yaml >out; sed -i "s/a: 1/a: 2/" f.yaml; [ -e "$WORLD/met" ] || meet; touch "$WORLD/met"'
  met
  sed -i 's/b: 1/b:   1/' f.yaml
  git commit -qm 'another layout' -- f.yaml
  local was
  was=$(md5sum f.yaml)
  go_on
  ends 0
  assert_eq "$(field .attempts)" 2
  assert_eq "$(show out)" "$was" 'the hash is of a file that was there'
  assert_eq "$(show f.yaml)" "$(printf 'a: 2\nb:   1')"
  assert_sound
}
test_case 'a hash of a file that both change is of one that was there, at strict' hashed

history() { # LEVEL CODE
  local asked
  for asked in 'git log -1' 'git log -p -1' 'git show' 'git rev-parse HEAD'; do
    agent "$asked; echo x >'$asked'" --isolation "$1" --no-land
    ID=$(field .txn)
    git commit -q --allow-empty -m 'somebody else'
    exits "$2" git txn commit "$ID" --json
  done
  [ "$2" = 0 ] || assert_eq "$(field '.conflicts[0].subject')" HEAD
}
history_strict() {
  new_repo
  history strict 1
}
history_semantic() {
  new_repo
  history semantic 0
  exits 0 git txn why --json "$ID"
  assert_contains "$(field '.excused | tostring')" HEAD
}
test_case 'the history that an agent was shown has to be the same at strict' history_strict
test_case 'the history that an agent was shown is excused by name at semantic' history_semantic

# An agent that takes the head into its own work has seen the rest of it before, all the same.
merges_itself() { # SCRIPT LEVEL CODE
  start_run --retries 0 --isolation "$2" -- "$1"
  met
  echo $(($(cat c) + 1)) >c
  git commit -qam 'one more'
  go_on
  ends "$3"
  rm "$WORLD/ready" "$WORLD/go"
}
merged_by_the_agent() {
  new_repo
  person_commits c 1
  local level merge='git fetch -q txn-target && git merge -q txn-target/main'
  for level in semantic strict; do
    merges_itself "n=\$(cat c); meet; $merge; echo \$((n + 1)) >c" $level 1
    assert_eq "$(field '.conflicts[0].subject')" c
    merges_itself "cat c >copy; meet; $merge" $level 1
    assert_eq "$(field '.conflicts[0].subject')" c
    merges_itself "echo x >'new at $level'; meet; $merge; n=\$(cat c); echo \$((n + 1)) >c" $level 0
    assert_eq "$(show c)" "$(($(git show main^:c) + 1))"
  done
  assert_sound
}
test_case 'an agent that merges the head itself is certified for what it read before' merged_by_the_agent

over() {
  new_repo
  agent 'cat src/f1.txt >/dev/null; exit 7'
  assert_eq "$CODE $(field .state) $(field .command_exit)" '1 nothing 7'
  agent 'echo half >added; exit 7'
  assert_eq "$CODE $(field .state) $(field .command_exit)" '1 open 7'
  # A transaction that only looks is not run again because another one landed.
  start_run -- 'cat src/f1.txt; meet'
  met
  person_commits src/f1.txt changed
  go_on
  ends 0
  assert_eq "$(field .state) $(field .attempts)" 'nothing 1'
  assert_sound
}
test_case 'a command that changed nothing is over, whether or not it failed' over

doctor() {
  new_repo
  person_commits .gittxn.toml '[isolation]
default = "strict"'
  git txn doctor >"$WORLD/said" 2>&1 || true  # what this machine cannot do is said as well
  assert_contains "$(cat "$WORLD/said")" 'names strict, which is exact now'
  agent 'cat src/f1.txt; echo x >new'
  assert_eq "$(field .isolation)" strict
}
test_case 'doctor says where a policy names strict' doctor

finish
