#!/usr/bin/env bash
# Proposals: the score decides who may begin one, what says the same is refused, and all is on record.
. "$(dirname "$0")/lib.sh"

last() { # TYPE: the payload of its last event
  sqlite3 .git/txn/kernel.db "SELECT payload FROM events WHERE type = '$1' ORDER BY seq DESC LIMIT 1"
}
count() { # TYPE: how many there are
  sqlite3 .git/txn/kernel.db "SELECT count(*) FROM events WHERE type = '$1'"
}
proposed() { # TEXT SCORE [OPTION...]: its id, in $ID
  local text=$1 score=$2
  shift 2
  exits 0 git txn propose "$text" --score "$score" --json "$@"
  ID=$(field .proposal.id)
}
commit_policy() { # TEXT: it runs nothing, so there is nothing to trust
  printf '%s\n' "$1" >.gittxn.toml
  git add .gittxn.toml
  git commit -qm 'policy' -- .gittxn.toml
}
state_of() { git txn proposals show "$1" --json | jq -r '"\(.state) \(.tier)"'; }

tiers() {
  new_repo
  exits 0 git txn proposals
  assert_contains "$OUT" 'nothing is proposed'
  exits 0 git txn propose 'the parser leaks when a file is empty' --score 0.85
  assert_contains "$OUT" 'may start by itself: git txn promote p-1'
  exits 0 git txn promote p-1
  assert_contains "$OUT" 'p-1 is promoted'
  exits 0 git txn proposals
  assert_contains "$OUT" 'nothing waits; git txn proposals --all lists the 1 that was'
  exits 1 git txn promote p-1
  assert_contains "$ERR" 'p-1 was promoted by Pat Person'

  proposed 'split the configuration module in two' 0.62
  exits 1 git txn promote "$ID"
  assert_contains "$OUT" "needs a person: git txn promote $ID --approve"
  exits 1 git txn promote "$ID"
  assert_eq "$(count proposal.refused)" 1 'a loop does not fill the log'
  assert_eq "$(last proposal.refused | jq -c '[.yes, .bounds.start]')" '["itself",800]'
  exits 0 git txn promote "$ID" --approve --became https://example.org/7
  assert_eq "$(state_of "$ID")" 'promoted person'
  assert_eq "$(last proposal.promoted | jq -r '.yes + " " + .actor')" 'person Pat Person <pat@example.org>'

  proposed 'write the lexer anew in assembler' 0.4
  exits 1 git txn promote "$ID"
  exits 1 git txn promote "$ID" --approve
  assert_contains "$OUT" 'is only kept'
  exits 3 git txn promote "$ID" --override
  assert_contains "$ERR" 'needs a reason'
  assert_eq "$(state_of "$ID")" 'open log'
  exits 0 git txn promote "$ID" --override --reason 'a customer asked for it' --json
  assert_eq "$(field '"\(.promoted) \(.tier) \(.proposal.yes)"')" 'true log override'
  assert_eq "$(last proposal.promoted | jq -r .reason)" 'a customer asked for it'

  exits 1 git txn propose 'use tabs' --score 0.1 --json
  assert_eq "$(field '"\(.kept) \(.tier) \(.proposal.state)"')" 'false discard discarded'
  ID=$(field .proposal.id)
  exits 1 git txn promote "$ID" --approve
  exits 0 git txn proposals
  assert_lacks "$OUT" tabs
  exits 0 git txn proposals --all
  assert_contains "$OUT" 'use tabs'
  assert_sound
}
test_case 'F2, invariant 7: the score decides who may begin it; an override says who and why' tiers

inside() {
  new_repo
  # shellcheck disable=SC2016 # it is the agent's own shell that expands it
  lands 'echo 1 >src/one.txt
    git txn propose "the second file is missing" --score 0.9 --source agent
    git txn propose "rewrite all of it" --score 0.6
    for id in $(git txn proposals --json | jq -r .id); do
      git txn promote $id --approve >>"'"$WORLD"'/said" 2>&1; echo "approve $?" >>"'"$WORLD"'/said"
      git txn promote $id --override --reason r >>"'"$WORLD"'/said" 2>&1; echo "override $?" >>"'"$WORLD"'/said"
      git txn promote $id >>"'"$WORLD"'/said" 2>&1; echo "itself $?" >>"'"$WORLD"'/said"
      git txn proposals dismiss $id --reason r >>"'"$WORLD"'/said" 2>&1; echo "dismiss $?" >>"'"$WORLD"'/said"
    done'
  local txn
  txn=$(field .txn)
  assert_eq "$(grep -E '^(approve|override|itself|dismiss) ' "$WORLD/said" | tr '\n' ' ')" \
    'approve 3 override 3 itself 0 dismiss 3 approve 3 override 3 itself 1 dismiss 3 '
  assert_contains "$(cat "$WORLD/said")" "is a person's to do, and this is inside of transaction $txn"
  assert_eq "$(git txn proposals --all --json | jq -rs '[.[] | .txn + " " + .state] | unique | join(", ")')" \
    "$txn open, $txn promoted"
  assert_sound
}
test_case 'invariant 7: nothing that runs in a transaction is a person' inside

# A branch with boundaries that let everything through, and an agent that looks for one.
another_branch() {
  new_repo
  git checkout -qb lax
  commit_policy '[proposals]
start = 0.1
person = 0.1
log = 0.1'
  git checkout -q main
  proposed 'rewrite all of it' 0.6
  # shellcheck disable=SC2016 # it is the agent's own shell that expands it
  lands 'echo 1 >src/one.txt
    say() { "$@" >>"'"$WORLD"'/said" 2>&1; echo "exit $?" >>"'"$WORLD"'/said"; }
    say git txn promote '"$ID"' --onto lax
    say git txn propose "and then once more" --score 0.6 --onto lax
    git checkout -q -b lax 2>/dev/null
    say git txn promote '"$ID"'
    say git txn propose "from another branch of its own" --score 0.6'
  assert_eq "$(grep ^exit "$WORLD/said" | tr '\n' ' ')" 'exit 3 exit 3 exit 1 exit 0 '
  assert_contains "$(cat "$WORLD/said")" "--onto is a person's to do"
  assert_eq "$(git txn proposals --json | jq -r '.branch + " " + .tier' | sort -u)" 'refs/heads/main person'
  assert_sound
}
test_case "invariant 7: nobody leaves a tier through another branch's policy" another_branch

# Programs of git-txn that are no transactions: the gate of a phase.
in_a_gate() {
  new_repo
  cat >"$WORLD/asks" <<END
#!/usr/bin/env bash
cd "$REPO"
for verb in "promote p-1 --approve" "promote p-1 --override --reason r" "proposals dismiss p-1 --reason r"; do
  git txn \$verb >>"$WORLD/gate" 2>&1
  echo "exit \$?" >>"$WORLD/gate"
done
exit 0
END
  chmod +x "$WORLD/asks"
  policy "[workflow.w]
phases = [\"a\", \"b\"]
[[workflow.w.gate]]
phase = \"a\"
name = \"asks\"
run = \"$WORLD/asks\"
"
  exits 0 git txn workflow create w --as w-1
  # As in a phase's gate, which has no transaction.
  exits 0 git txn propose 'a thing to do' --score 0.6
  sed -i "s/p-1 /$(git txn proposals --json | jq -r .id) /" "$WORLD/asks"
  exits 0 git txn workflow advance w-1
  assert_eq "$(grep -c '^exit 3$' "$WORLD/gate")" 3 "$(cat "$WORLD/gate")"
  assert_contains "$(cat "$WORLD/gate")" 'this is inside of gate asks'
  assert_eq "$(git txn proposals --json | jq -r .state)" open
  assert_sound
}
test_case 'invariant 7: the gate of a phase is no person' in_a_gate

elsewhere() {
  new_repo "$WORLD/api"
  proposed 'something of the other one' 0.6
  cd "$WORLD"
  new_repo
  # shellcheck disable=SC2016 # it is the agent's own shell that expands it
  lands 'echo 1 >src/one.txt
    cd "'"$WORLD"'/api"
    say() { "$@" >>"'"$WORLD"'/said" 2>&1; echo "exit $?" >>"'"$WORLD"'/said"; }
    say git txn proposals
    say git txn propose "and another thing there" --score 0.9
    say git txn promote '"$ID"'
    say git txn promote '"$ID"' --approve'
  assert_eq "$(grep ^exit "$WORLD/said" | tr '\n' ' ')" 'exit 0 exit 0 exit 1 exit 3 ' "$(cat "$WORLD/said")"
  cd "$WORLD/api"
  assert_eq "$(git txn proposals --json | jq -r .txn | sort -u)" null
  assert_sound
}
test_case "in a transaction of another repository proposals are as they are, and nobody is a person" elsewhere

at_once() {
  new_repo
  local i pids=()
  for i in 1 2 3 4 5 6; do
    git-txn propose "the index is read twice$(printf '%*s' $((i % 3)) '' | tr ' ' '.')" --score 0.9 --json \
      >"$WORLD/out.$i" 2>"$WORLD/err.$i" &
    pids+=($!)
  done
  local taken=0 code
  for i in "${pids[@]}"; do
    code=0
    wait "$i" || code=$?
    case $code in 0) taken=$((taken + 1)) ;; 1) ;; *) fail "exit $code: $(cat "$WORLD"/err.*)" ;; esac
  done
  assert_eq "$taken $(git txn proposals --json | wc -l)" '1 1'
  pids=()
  for i in 1 2 3 4; do
    git-txn promote p-1 >/dev/null 2>&1 &
    pids+=($!)
  done
  taken=0
  for i in "${pids[@]}"; do if wait "$i"; then taken=$((taken + 1)); fi; done
  assert_eq "$taken $(count proposal.promoted)" '1 1'
  assert_sound
}
test_case 'of many that propose, or promote, the same at once one does' at_once

handled() {
  new_repo
  cat >"$WORLD/on-proposal" <<END
#!/usr/bin/env bash
id=\$(jq -r .subject)
git txn promote "\$id" --became "auto" >>"$WORLD/handler" 2>&1
git txn promote "\$id" --approve >>"$WORLD/handler" 2>&1
exit 0
END
  chmod +x "$WORLD/on-proposal"
  policy "[on.\"proposal.made\"]
run = \"$WORLD/on-proposal\""
  proposed 'close the descriptor in the error path' 0.9
  assert_eq "$(state_of "$ID")" 'promoted start' "$(cat "$WORLD/handler")"
  proposed 'drop support for old compilers' 0.7
  assert_eq "$(state_of "$ID")" 'open person'
  assert_contains "$(cat "$WORLD/handler")" 'this is inside of handler proposal.made'
  assert_sound
}
test_case 'a handler begins what may start by itself, and nothing else' handled

finish
