#!/usr/bin/env bash
# Policy, trust, gates, certificates, and the repository's own hooks.
. "$(dirname "$0")/lib.sh"

untrusted_is_refused() {
  new_repo
  printf '[[gate]]\nname = "evil"\nrun = "touch \\"$HOME/ran\\""\n' >.gittxn.toml
  git add -A
  git commit -qm policy
  agent 'echo x >src/new.txt; touch "$WORLD/agent-ran"'
  assert_eq "$CODE" 3
  assert_contains "$ERR" 'git txn trust --yes'
  assert_absent "$WORLD/agent-ran"
  assert_absent "$HOME/ran"
  trust_policy
  lands 'echo x >src/new.txt'
  [ -e "$HOME/ran" ]
}
test_case 'trust: commands of a repository run only after a yes to exactly these' untrusted_is_refused

landing_that_changes_policy() {
  new_repo
  policy '[[gate]]
name = "a"
run = "true"'
  lands 'printf "[[gate]]\nname = \"b\"\nrun = \"touch $HOME/ran-b\"\n" >.gittxn.toml'
  assert_eq "$(field '[.gates[].name] | join(" ")')" a 'judged by the rule it changes'
  agent 'echo x >src/new.txt'
  assert_eq "$CODE" 3
  assert_absent "$HOME/ran-b"
}
test_case 'policy is read from the target branch, and a landing that changes it asks for trust again' \
  landing_that_changes_policy

failing_gate_rejects() {
  new_repo
  policy '[[gate]]
name = "test"
run = "echo checking; test ! -e src/bad.txt"'
  agent 'echo x >src/bad.txt; echo ran >>"$WORLD/runs"'
  assert_eq "$CODE $(field .state) $(field '.gates[0].result')" '1 rejected failed'
  assert_eq "$(wc -l <"$WORLD/runs")" 1 'a failed gate must not retry the agent'
  exits 0 git txn why "$(field .txn)"
  assert_contains "$OUT" test
  assert_absent src/bad.txt
  assert_sound
}
test_case 'a failing gate rejects, never retries, and why names it' failing_gate_rejects

gate_tests_the_person() {
  new_repo
  policy "[[gate]]
name = \"test\"
run = ['cat', '$PWD/src/f1.txt']"
  agent 'echo x >src/new.txt'
  assert_eq "$CODE $(field .state) $(field '.gates[0].result')" '1 rejected failed'
  exits 0 git txn why "$(field .txn)"
  assert_contains "$OUT" "it tested $PWD/src/f1.txt, not the candidate"
  assert_absent src/new.txt
}
test_case 'a gate that tests the checkout of the person does not pass' gate_tests_the_person

slow_gate_times_out() {
  new_repo
  policy '[[gate]]
name = "slow"
run = "sleep 60"
timeout = "1s"'
  agent 'echo x >src/new.txt'
  assert_eq "$CODE $(field '.gates[0].result')" '1 timed out'
  assert_sound
}
test_case 'a gate has a time limit' slow_gate_times_out

gate_is_isolated() {
  new_repo
  policy '[[gate]]
name = "writes"
run = "echo junk >src/f1.txt; echo junk >junk.txt; git commit -qam junk; env | sort >\"$HOME/gate-env\"; ls -l /proc/self/fd >\"$HOME/gate-fds\""'
  SECRET_TOKEN=hunter2 lands 'echo x >src/new.txt'
  assert_eq "$(git diff --name-only main~1 main)" src/new.txt
  assert_lacks "$(cat "$HOME/gate-env")" hunter2
  assert_lacks "$(cat "$HOME/gate-fds")" kernel.db
  assert_sound
}
test_case 'a gate runs in a checkout of its own with a scrubbed environment' gate_is_isolated

certificate_is_for_one_candidate() {
  new_repo
  policy '[[gate]]
name = "count"
run = "cat src/f1.txt docs/guide.md; echo ran >>\"$HOME/count\""'
  agent 'echo x >src/new.txt' --wait 0
  assert_eq "$(wc -l <"$HOME/count")" 1
  lands 'echo z >src/f1.txt'
  assert_eq "$(wc -l <"$HOME/count")" 2 'a certificate counted for another candidate'
  start_run -- 'meet; echo y >src/other.txt'
  met
  person_commits docs/guide.md changed
  go_on
  ends 0
  assert_eq "$(wc -l <"$HOME/count")" 3 'a certificate counted for another candidate'
}
test_case 'no certificate counts for another candidate, where the gate looks at what is different' \
  certificate_is_for_one_candidate

certificate_is_carried() {
  new_repo
  policy '[[gate]]
name = "count"
run = "cat src/f1.txt; echo ran >>\"$HOME/count\""
[[gate]]
name = "always"
run = "echo ran >>\"$HOME/always\""
carry = false'
  lands 'echo x >src/new.txt'
  person_commits docs/guide.md changed
  lands 'echo y >src/other.txt'
  assert_eq "$(wc -l <"$HOME/count")" 1 'the gate ran again although it would look at the same'
  assert_eq "$(wc -l <"$HOME/always")" 2 'a gate that must run for each candidate did not'
  assert_eq "$(field '.gates[0] | "\(.name) \(.reused) \(.carried_from)"')" "count true $(git rev-parse 'main~2^{tree}')"
  assert_eq "$(field '.gates[1].carried_from')" null
  exits 0 git txn show "$(field .txn)"
  assert_contains "$OUT" 'count passed (carried over)'
  lands 'echo z >src/f1.txt'
  assert_eq "$(wc -l <"$HOME/count")" 2
  exits 0 git txn gate stats --json
  assert_eq "$(field '.gates[] | "\(.name) \(.runs) \(.failed) \(.carried) \(.missed)"' | tr '\n' ' ')" \
    'always 3 0 0 [] count 2 0 1 [{"times":1,"why":"src/f1.txt has changed"}] '
  assert_sound
}
test_case 'a certificate is carried over to a tree where the gate would look at the same' certificate_is_carried

explained() {
  new_repo
  policy '[[gate]]
name = "files"
run = "cat src/f1.txt; ls docs"
[[gate]]
name = "net"
run = "bash -c \"exec 3<>/dev/tcp/127.0.0.1/9\" 2>/dev/null || true"
[[gate]]
name = "history"
run = "git log -1"'
  exits 0 git txn gate explain HEAD files --json
  assert_eq "$(field '.gates[] | "\(.name) \(.verdict) \(.why)"')" 'files runs it has not run before as it is now defined'
  lands 'echo x >src/new.txt'
  exits 0 git txn gate explain HEAD
  assert_contains "$OUT" "counts: it passed on tree $(git rev-parse --short=7 'HEAD^{tree}')"
  assert_contains "$OUT" 'runs: it connected to inet:127.0.0.1:9'
  echo x >docs/added.md
  git add -A
  git commit -qm names
  exits 0 git txn gate explain HEAD
  assert_contains "$OUT" 'docs was listed and has other entries now (docs/added.md)'
  assert_contains "$OUT" 'runs: it asked git for '
  echo other >src/f1.txt
  git commit -qam text
  exits 0 git txn gate explain HEAD files
  assert_contains "$OUT" 'src/f1.txt has changed'
  assert_contains "$OUT" '+other'
  exits 3 git txn gate explain HEAD none
  exits 3 git txn gate explain nothing
  exits 0 git txn gate stats
  assert_contains "$OUT" 'its last run cannot be reused: it connected to inet:127.0.0.1:9'
}
test_case 'gate explain says what keeps a certificate from counting, and gate stats what that came to' explained

# The policy has a gate for each of four directories, which waits for $HOME/go if its file says so.
gates_beside() {
  new_repo
  local i text='' ids=() pids=()
  for i in 1 2 3 4; do
    mkdir "part$i"
    echo passes >"part$i/file"
    text+="[[gate]]
name = \"part$i\"
run = 'grep -q passes part$i/file || { touch \"\$HOME/begun$i\"; until [ -e \"\$HOME/go\" ]; do sleep 0.1; done; }'
"
  done
  printf '%s' "$text" >.gittxn.toml
  git add -A
  git commit -qm parts
  git config txn.gateJobs 4
  trust_policy
  lands 'echo x >src/new.txt'
  for i in 1 2 3 4; do
    open_work "echo waits >part$i/file"
    ids+=("$ID")
  done
  open_work 'echo y >src/other.txt'
  for i in 0 1 2 3; do
    git-txn commit "${ids[i]}" --json >"$WORLD/out$i" 2>"$WORLD/err$i" &
    pids+=($!)
  done
  for i in 1 2 3 4; do wait_for "$HOME/begun$i" 60; done  # all four run at once
  exits 0 git txn queue
  for i in 1 2 3 4; do assert_contains "$OUT" "${ids[i - 1]}  gate part$i"; done
  exits 0 git txn queue --json
  assert_eq "$(jq -s -c 'map(.alive) | unique' <<<"$OUT")" '[true]'
  exits 0 git txn commit "$ID" --json
  assert_eq "$(field .state) $(field '[.gates[].reused] | all')" 'landed true' 'a landing that needs none of these gates'
  touch "$HOME/go"
  for i in 0 1 2 3; do
    wait "${pids[i]}" || fail "commit $i: $(cat "$WORLD/out$i" "$WORLD/err$i")"
    assert_eq "$(tail -n 1 "$WORLD/out$i" | jq -r .state)" landed
  done
  exits 0 git txn queue
  assert_eq "$OUT" 'no transaction is about to land'
  assert_sound
}
test_case 'gates of several landings run beside each other, and keep nobody waiting who needs none' gates_beside

certificate_is_reused() {
  new_repo
  policy '[[gate]]
name = "count"
run = "echo ran >>\"$HOME/count\""'
  echo dirty >src/f1.txt
  agent 'echo agent >src/f1.txt' --wait 0
  assert_eq "$CODE" 1
  git checkout -q src/f1.txt
  exits 0 git txn commit "$(field .txn)" --json
  assert_eq "$(field .state)" landed
  assert_eq "$(field '.gates[0].reused')" true
  assert_eq "$(wc -l <"$HOME/count")" 1 'the gate ran again on the same candidate'
}
test_case 'the same candidate again: its certificate is reused' certificate_is_reused

pre_commit_hook() {
  new_repo
  printf '#!/bin/sh\ngit diff --cached --name-only >"$HOME/hook-saw"\n! git diff --cached | grep -q FORBIDDEN\n' \
    >.git/hooks/pre-commit
  chmod +x .git/hooks/pre-commit
  lands 'echo fine >src/new.txt'
  assert_file "$HOME/hook-saw" src/new.txt
  agent 'echo FORBIDDEN >src/bad.txt'
  assert_eq "$CODE $(field .state)" '1 rejected'
  assert_absent src/bad.txt
  assert_sound
}
test_case 'pre-commit runs on the candidate as a gate' pre_commit_hook

hook_that_edits() {
  new_repo
  printf '#!/bin/sh\nfor f in $(git diff --cached --name-only --diff-filter=A -- "*.txt"); do echo formatted >>"$f"; git add "$f"; done\n' \
    >.git/hooks/pre-commit
  chmod +x .git/hooks/pre-commit
  lands 'echo raw >src/new.txt'
  assert_eq "$(show src/new.txt)" "$(printf 'raw\nformatted')"
  assert_clean_checkout
  assert_sound
}
test_case 'a hook that edits files makes a new candidate' hook_that_edits

commit_msg_hook() {
  new_repo
  printf '#!/bin/sh\ngrep -q "^[A-Z]*-[0-9]" "$1" || { echo "needs a ticket" >&2; exit 1; }\n' >.git/hooks/commit-msg
  chmod +x .git/hooks/commit-msg
  agent 'echo x >src/new.txt' --name 'no ticket'
  assert_eq "$CODE $(field .state)" '1 rejected'
  lands 'echo x >src/new2.txt' --name 'ABC-1 with a ticket'
  assert_sound
}
test_case 'commit-msg judges the message' commit_msg_hook

reference_transaction_hook() {
  new_repo
  local before
  printf '#!/bin/sh\nread -r old new ref; echo "$1 $old $new $ref" >>"$HOME/told"\n' >.git/hooks/reference-transaction
  chmod +x .git/hooks/reference-transaction
  before=$(head_of)
  lands 'echo x >src/new.txt'
  assert_file "$HOME/told" "$(printf '%s %s %s refs/heads/main\n' prepared "$before" "$(head_of)" committed "$before" "$(head_of)")"
  before=$(head_of)
  printf '#!/bin/sh\n[ "$1" != prepared ] || { echo "frozen until Monday" >&2; exit 1; }\n' >.git/hooks/reference-transaction
  exits 1 git txn run --name frozen -- sh -c 'echo y >src/new.txt'
  assert_contains "$OUT" 'the hook reference-transaction says no: frozen until Monday'
  assert_eq "$(head_of)" "$before"
  assert_clean_checkout
  rm .git/hooks/reference-transaction
  exits 0 git txn commit frozen
  assert_eq "$(show src/new.txt)" y
  assert_sound
}
test_case 'reference-transaction is told of the move, and may say no' reference_transaction_hook

post_commit_hook() {
  new_repo
  printf '#!/bin/sh\ngit rev-parse HEAD >"$HOME/post"\n' >.git/hooks/post-commit
  chmod +x .git/hooks/post-commit
  lands 'echo x >src/new.txt'
  assert_file "$HOME/post" "$(head_of)"
}
test_case 'post-commit runs after the landing' post_commit_hook

signed_landing() {
  new_repo
  ssh-keygen -q -t ed25519 -N '' -f "$WORLD/key"
  git config gpg.format ssh
  git config user.signingKey "$WORLD/key.pub"
  git config commit.gpgSign true
  printf 'pat@example.org %s\n' "$(cat "$WORLD/key.pub")" >"$WORLD/allowed"
  git config gpg.ssh.allowedSignersFile "$WORLD/allowed"
  lands 'echo x >src/new.txt'
  git verify-commit main 2>"$WORLD/verify" || fail "not signed: $(cat "$WORLD/verify")"
  mv "$WORLD/key" "$WORLD/key.away"
  agent 'echo y >src/second.txt' --wait 0
  assert_eq "$CODE" 1
  assert_contains "$(field .waiting.reason)" sign
  mv "$WORLD/key.away" "$WORLD/key"
  exits 0 git txn commit "$(field .txn)" --json
  assert_eq "$(field .state)" landed
  git verify-commit main 2>"$WORLD/verify"
  assert_sound
}
test_case 'signing: the landing is signed by its owner, and waits for the key when it is absent' signed_landing

worktree_setup() {
  new_repo
  echo 'KEY=1' >.env
  echo .env >>.gitignore
  echo node_modules/ >>.gitignore
  mkdir node_modules
  echo lib >node_modules/lib.js
  git add -A
  git commit -qm ignore
  policy '[worktree]
copy = [".env"]
share = ["node_modules"]
run = ["touch build-was-set-up.log"]
[[gate]]
name = "has-env"
run = "test -e .env && test -e node_modules/lib.js"'
  lands 'cat .env node_modules/lib.js build-was-set-up.log && echo x >src/new.txt; echo hack >node_modules/lib.js || echo denied'
  assert_file node_modules/lib.js lib
  assert_file .env 'KEY=1'
  assert_eq "$(git diff --name-only main~1 main)" src/new.txt
}
test_case 'a fresh worktree gets what the policy says it needs, and cannot write through to the original' worktree_setup

gate_commands() {
  new_repo
  policy '[[gate]]
name = "one"
run = "true"'
  agent 'echo x >src/new.txt' --no-land
  local id
  id=$(field .txn)
  exits 0 git txn gate list
  assert_contains "$OUT" one
  exits 0 git txn gate run "$id"
  assert_contains "$OUT$ERR" passed
}
test_case 'gate list and gate run' gate_commands

# Two landings after each other, of which the second touches what one unit looks at.
gate_of_units() {
  new_repo
  mkdir tests
  echo 'grep -q . out/a' >tests/a
  echo 'grep -q . src/b.txt && test ! -e out/seen && touch out/seen' >tests/b
  echo one >src/a.txt
  echo two >src/b.txt
  echo /out >>.gitignore
  git add -A
  git commit -qm suite
  policy '[[gate]]
name = "suite"
build = "mkdir out && cp src/a.txt out/a"
units = ["tests/*"]
run = ["sh", "{unit}"]'
  lands 'echo x >src/new.txt'
  exits 0 git txn show --json "$(field .txn)"
  assert_eq "$(field '.gates[0].units | "\(.units) \(.ran) \(.failed)"')" '2 2 0'
  lands 'echo three >src/b.txt'
  exits 0 git txn show "$(field .txn)"
  assert_contains "$OUT" 'suite passed, 2 units: 1 run, 1 carried over'
  agent 'printf "" >src/b.txt' --wait 0
  assert_eq "$CODE" 1
  assert_contains "$(field '.conflicts[0].hint')" '1 of 2 units failed, first tests/b'
  assert_contains "$ERR" '== tests/b: exit status 1'
  exits 0 git txn gate explain "$(field .txn)"
  assert_contains "$OUT" '1 of 2 units would run'
  assert_contains "$OUT" 'tests/b: '
  exits 0 git txn gate show suite
  assert_contains "$OUT" 'units    tests/*'
  git txn gate run main >"$WORLD/by-hand" 2>&1 || fail "$(cat "$WORLD/by-hand")"
  assert_contains "$(cat "$WORLD/by-hand")" '2 units: 2 run, 0 carried over'
  [ ! -e out ] || fail 'a unit left something in the checkout'
  assert_sound
}
test_case 'a gate of units runs those that look at what has changed' gate_of_units

# The policy says that names at the top do not count, and they do.
wrongly_carried() {
  new_repo
  policy '[[gate]]
name = "names"
run = "! ls | grep -q extra"
blind = ["list:."]
fresh = 1'
  lands 'echo z >src/new.txt'
  agent 'echo x >extra'
  assert_eq "$(field .state)" landed
  assert_contains "$(field '.notes | tostring')" 'gate names was carried over and fails on what landed'
  exits 0 git txn gate explain main
  assert_contains "$OUT" 'it was carried wrongly before'
  rejects_extra
  exits 0 git txn gate clear names --json
  assert_eq "$(field .name)" names
  exits 3 git txn gate clear names
  assert_sound
}
rejects_extra() {
  agent 'echo more >>src/new.txt' --wait 0
  assert_eq "$CODE" 1
  assert_contains "$(field '.conflicts[0].subject')" names
}
test_case 'a certificate that was carried wrongly is found after the landing, and nothing of its gate is carried' wrongly_carried

finish
