#!/usr/bin/env bash
# What commands that look say of a clone of a hub, and of two clones of one.
. "$(dirname "$0")/../postgres/here.sh"
. "$(dirname "$0")/lib.sh"

# clones_of HUB NAME...: clones that have joined it
clones_of() {
  local hub=$1 schema=looks_$$_$RANDOM name
  shift
  new_repo "$WORLD/start-$hub"
  git clone -q --bare . "$WORLD/$hub.git"
  for name; do
    git clone -q "$WORLD/$hub.git" "$WORLD/$name"
    cd "$WORLD/$name"
    git config txn.worktreeRoot "$WORLD/worktrees-$name"
    exits 0 git txn init --store "$SERVER_URL" --hub origin --schema "$schema" --clone "$name"
  done
  cd "$WORLD/$1"
}

doctor_names_both() {
  new_repo alone
  exits 0 git txn doctor
  assert_lacks "$OUT" 'hub  '
  clones_of hub one
  exits 0 git txn doctor
  assert_contains "$OUT" 'hub                origin, as clone one'
  assert_contains "$OUT" "server             ${SERVER_URL%%\?*}"
  # People paste what it prints.
  git config txn.store 'postgresql://pat:secret1@127.0.0.1:1/txn?password=secret2&host=127.0.0.2&sslpassword=secret3'
  exits 1 git txn doctor
  assert_contains "$OUT" 'server             postgresql://pat@127.0.0.1:1/txn?host=127.0.0.2, schema looks_'
  assert_lacks "$OUT$ERR" secret
  git config txn.store 'host=127.0.0.1 port=1 password=secret4'
  exits 1 git txn doctor --json
  assert_contains "$OUT" 'an address that is no URL'
  assert_lacks "$OUT$ERR" secret
}
test_case 'doctor: names the hub, this clone and the server, and no password' doctor_names_both

two_clones_are_one_member() {
  clones_of led one two
  clones_of leading lead lead2
  exits 0 git txn portfolio add ../one
  exits 0 git txn portfolio add ../one
  exits 3 git txn portfolio add ../two
  assert_contains "$ERR" "'$WORLD/two' is another clone of the hub of the member one at '$WORLD/one'"
  assert_contains "$ERR" 'git txn portfolio add ../two --as one'
  exits 0 git txn portfolio
  assert_contains "$OUT" "one at $WORLD/one"
  exits 0 git txn portfolio add ../two --as one
  exits 0 git txn portfolio
  assert_contains "$OUT" "one at $WORLD/two"
  mv ../two ../elsewhere
  exits 0 git txn portfolio add ../elsewhere
  exits 3 git txn portfolio add ../lead2
  assert_contains "$ERR" "'$WORLD/lead2' is another clone of the hub origin"
  assert_lacks "$ERR" 'copy'
}
test_case 'portfolio: two clones of a hub are one member, and a clone of its own hub is none' two_clones_are_one_member
work_of_the_other() {
  clones_of shared one two
  agent 'cat src/f1.txt; echo mine >src/mine.txt' --no-land
  local id
  id=$(field .txn)
  exits 0 git txn status
  assert_contains "$OUT" "git txn commit $id"
  cd "$WORLD/two"
  lands 'echo other >src/f1.txt'  # what it read is another now, and nobody there can tell
  exits 0 git txn status
  assert_contains "$OUT" 'in the clone one'
  assert_lacks "$OUT" "git txn commit $id"
  assert_lacks "$OUT" 'cannot be judged'
  assert_lacks "$OUT" missing
  exits 0 git txn status --json
  assert_eq "$(field ".transactions[] | select(.txn == \"$id\") | .stale | length")" 0
  exits 3 git txn commit "$id"
  assert_contains "$ERR" "$id belongs to the clone one"
  exits 3 git txn budget report "$id" input=5
  assert_contains "$ERR" "$id belongs to the clone one"
  cd "$WORLD/one"
  exits 0 git txn budget report "$id" input=5
  assert_sound
}
test_case 'status: what is in another clone is named as that, and no command that is refused here is advised' work_of_the_other

cancelled_elsewhere() {
  clones_of shared one two
  printf '[workflow.plain]\nphases = ["one", "two"]\n' >.gittxn.toml
  git add .gittxn.toml
  git commit -qm policy
  git push -q origin main
  exits 0 git txn workflow create plain --as w-1
  agent 'echo x >src/new.txt' --no-land --workflow w-1
  local id
  id=$(field .txn)
  cd "$WORLD/two"
  exits 0 git txn workflow cancel w-1 --reason 'made by mistake' --json
  assert_eq "$(field '.unfinished[].txn')" "$id"
  cd "$WORLD/one"
  exits 1 git txn commit "$id"
  assert_contains "$OUT$ERR" 'was cancelled: made by mistake'
  exits 3 git txn run --workflow w-1 -- true
  exits 0 git txn workflow cancel w-1 --json
  assert_eq "$(field .already)" true
}
test_case 'a workflow that one clone cancels is cancelled for all' cancelled_elsewhere

finish
