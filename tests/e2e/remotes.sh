#!/usr/bin/env bash
# txn.remote: landings that reach a remote, remotes that move, refuse, are gone or hang, and kills.
. "$(dirname "$0")/lib.sh"

# A repository with a bare remote, and somebody else's clone of it.
new_hub() { # push|branch
  new_repo
  git clone -q --bare . "$WORLD/hub.git"
  git remote add origin "$WORLD/hub.git"
  git fetch -q origin
  git branch -q --set-upstream-to=origin/main main
  git config txn.remote "$1"
  git clone -q "$WORLD/hub.git" "$WORLD/other"
}
there() { git -C "$WORLD/hub.git" rev-parse -q --verify "${1:-main}" || echo none; }
other_pushes() { # FILE TEXT
  git -C "$WORLD/other" pull -q --ff-only
  printf '%s\n' "$2" >"$WORLD/other/$1"
  git -C "$WORLD/other" add -A
  git -C "$WORLD/other" commit -qm "somebody else edits $1"
  git -C "$WORLD/other" push -q origin main
}
no_notes() { [ -z "$(ls .git/txn/pushing 2>/dev/null)" ] || fail "notes of pushes left: $(ls .git/txn/pushing)"; }
in_step() {
  assert_eq "$(there)" "$(head_of)" 'the remote and the branch differ'
  no_notes
  assert_sound
}

pushes() {
  new_hub push
  lands 'cat src/f1.txt; echo x >src/new.txt'
  in_step
  assert_eq "$(git rev-parse origin/main)" "$(head_of)"
  assert_clean_checkout
  git config txn.main.remote local
  lands 'echo y >src/local.txt'
  [ "$(there)" != "$(head_of)" ] || fail 'local pushed'
}
test_case 'push: a landing is on the remote when it has landed; local for one branch is local' pushes

remote_ahead() {
  new_hub push
  other_pushes docs/theirs.md theirs
  lands 'echo x >src/new.txt'
  in_step
  assert_file docs/theirs.md theirs
  assert_eq "$(git rev-list --count main)" 3
  assert_clean_checkout
}
test_case 'push: what the remote has more is brought here first, also in the checkout' remote_ahead

stale_by_remote() {
  new_hub push
  agent 'cat src/f1.txt >copy.txt' --no-land
  local id
  id=$(field .txn)
  other_pushes src/f1.txt changed
  exits 1 git txn commit "$id" --json
  assert_eq "$(field '.conflicts[0].subject')" src/f1.txt
  assert_eq "$(there)" "$(head_of)" 
}
test_case 'push: a read is certified against what the remote has' stale_by_remote

# A remote that somebody moves at the moment of the push.
races() {
  new_hub push
  cat >"$WORLD/hub.git/hooks/pre-receive" <<HOOK
#!/bin/sh
[ -e "$WORLD/raced" ] && exit 0
touch "$WORLD/raced"
unset \$(git rev-parse --local-env-vars) GIT_QUARANTINE_PATH
cd "$WORLD/other" && echo raced >docs/raced.md && git add -A && git commit -qm raced && git push -q origin main
HOOK
  chmod +x "$WORLD/hub.git/hooks/pre-receive"
  lands 'echo x >src/new.txt'
  in_step
  git cat-file -e main:docs/raced.md
}
test_case 'push: a remote that moves meanwhile makes it certify again' races

# ... and one that has moved before the push begins, which only the expected value tells.
moves_before() {
  new_hub push
  open_work 'echo x >src/new.txt'
  stopped_at land.before_push git txn commit "$ID" --json
  other_pushes docs/raced.md raced
  kill -CONT "$STOPPED"
  ends 0
  assert_eq "$(field .state)" landed
  in_step
  git cat-file -e main:docs/raced.md
  git cat-file -e main:src/new.txt
}
test_case 'push: what somebody pushed since the remote was asked is never pushed over' moves_before

refuses() {
  new_hub push
  printf '#!/bin/sh\necho "not on a Friday"\nexit 1\n' >"$WORLD/hub.git/hooks/pre-receive"
  chmod +x "$WORLD/hub.git/hooks/pre-receive"
  local before
  before=$(head_of)
  agent 'echo x >src/new.txt'
  assert_eq "$CODE $(field .state) $(field .waiting.reason)" '1 prepared the remote refuses it' "$ERR"
  assert_contains "$(field .waiting.subject)" 'not on a Friday'
  assert_eq "$(head_of) $(there)" "$before $before"
  rm "$WORLD/hub.git/hooks/pre-receive"
  exits 0 git txn commit "$(field .txn)" --json
  in_step
}
test_case 'push: a remote that refuses leaves the branch as it is, with its words' refuses

gone() {
  new_hub push
  mv "$WORLD/hub.git" "$WORLD/away.git"
  local before
  before=$(head_of)
  agent 'echo x >src/new.txt'
  assert_eq "$CODE $(field .waiting.reason)" '1 the remote does not answer' "$ERR"
  assert_eq "$(head_of)" "$before"
  local id
  id=$(field .txn)
  exits 0 git txn status
  mv "$WORLD/away.git" "$WORLD/hub.git"
  exits 0 git txn commit "$id" --json
  in_step
}
test_case 'push: a remote that is gone is waited for' gone

hangs() {
  new_hub push
  git config remote.origin.url "ext::sleep 300"
  git config protocol.ext.allow always
  git config txn.remoteTimeout 1s
  agent 'echo x >src/new.txt'
  assert_eq "$CODE $(field .waiting.reason)" '1 the remote does not answer' "$ERR"
  assert_contains "$(field .waiting.subject)" 'no answer'
}
test_case 'push: a remote that hangs is given up after its time' hangs

own_commits() {
  new_hub push
  person_commits README mine
  agent 'echo x >src/new.txt'
  assert_eq "$CODE $(field .waiting.reason)" '1 the branch has commits that the remote has not' "$ERR"
  local id
  id=$(field .txn)
  other_pushes docs/theirs.md theirs
  exits 1 git txn commit "$id" --json
  assert_eq "$(field .waiting.reason)" 'the branch and the remote have diverged'
  git pull -q --rebase && git push -q origin main
  exits 0 git txn commit "$id" --json
  in_step
}
test_case 'push: a person'"'"'s own commits are never pushed for them' own_commits

dirty_behind() {
  new_hub push
  other_pushes README theirs
  echo typed >>README
  agent 'echo x >src/new.txt'
  assert_eq "$CODE $(field .waiting.reason)" '1 the branch cannot be brought to what the remote has' "$ERR"
  assert_contains "$(cat README)" typed
  git checkout -q README
  exits 0 git txn commit "$(field .txn)" --json
  in_step
}
test_case 'push: edits in the way of what the remote has are never touched' dirty_behind

killed() {
  new_hub push
  local point id
  for point in land.before_push land.after_push land.before_landing_lock land.after_prepared \
               land.after_ref_update land.after_checkout land.before_landed land.after_landed; do
    agent "echo $point >src/$point" --no-land
    id=$(field .txn)
    GIT_TXN_FAILPOINT=$point git-txn commit "$id" >"$WORLD/.o" 2>&1 && fail "$point: not killed"
    case $point in land.before_push) ;; *)
      git -C "$WORLD/hub.git" cat-file -e "main:src/$point" || fail "$point: the remote has it not" ;;
    esac
    exits 0 git txn commit "$id" --json
    assert_eq "$(field .state)" landed "$point: $ERR"
    in_step
    assert_eq "$(git log --format=%B main | grep -c "Txn-Id: $id")" 1 "$point"
    assert_clean_checkout
  done
}
test_case 'push: killed at each point, the next commit finishes what the remote has' killed 300

killed_then_others() {
  new_hub push
  agent 'echo mine >src/mine.txt' --no-land
  local id
  id=$(field .txn)
  GIT_TXN_FAILPOINT=land.after_push git-txn commit "$id" >"$WORLD/.o" 2>&1 && fail 'not killed'
  other_pushes docs/theirs.md theirs
  lands 'echo another >src/another.txt'
  exits 0 git txn commit "$id" --json
  assert_eq "$(field .state)" nothing "$ERR"
  assert_contains "$ERR$OUT" "$id"
  assert_eq "$(show src/mine.txt)" mine
  in_step
}
test_case 'push: killed after the push, and others land on top: nothing is landed twice' killed_then_others

for_a_pull_request() {
  new_hub branch
  local before id
  before=$(head_of)
  agent 'echo x >src/new.txt' --name 'fix: the Thing'
  assert_eq "$CODE $(field .state) $(field .waiting.reason)" '1 prepared a pull request' "$ERR"
  id=$(field .txn)
  assert_eq "$(field .waiting.subject)" "origin refs/heads/txn/fix-the-Thing-$id"
  assert_eq "$(head_of) $(there)" "$before $before"
  assert_eq "$(git -C "$WORLD/hub.git" show "txn/fix-the-Thing-$id:src/new.txt")" x
  # The head moves: asked again, the branch there is what was certified on it.
  person_commits docs/guide.md newer
  exits 1 git txn commit "$id" --json
  git -C "$WORLD/hub.git" merge-base --is-ancestor "$(head_of)" "txn/fix-the-Thing-$id"
  # Merged there, and pulled.
  git fetch -q origin
  git merge -q --ff-only "origin/txn/fix-the-Thing-$id"
  exits 0 git txn commit "$id" --json
  assert_eq "$(field .state)" nothing
  assert_sound
}
test_case 'branch: pushes txn/NAME for a pull request and lands nothing here' for_a_pull_request

# A person at the hub merges the branch of a pull request, as the button that squashes does: other message, other
# parents, beside what somebody else pushed.
squash_merges() { # BRANCH
  git -C "$WORLD/other" pull -q --ff-only
  git -C "$WORLD/other" fetch -q origin
  git -C "$WORLD/other" merge -q --squash "origin/$1" >"$WORLD/merged" 2>&1 || fail "$(cat "$WORLD/merged")"
  git -C "$WORLD/other" commit -qm 'Merged with a button (#1)'
  git -C "$WORLD/other" push -q origin main
}
merged_pull_request() {
  new_hub branch
  agent 'cat src/f1.txt; echo more >>src/f1.txt; git txn compensate -- touch "$HOME/undone"' --name 'the fix'
  local id branch
  id=$(field .txn) branch=txn/the-fix-$(field .txn)
  assert_eq "$CODE $(field .waiting.reason)" '1 a pull request'
  other_pushes docs/theirs.md theirs
  squash_merges "$branch"
  # Merged there, and not pulled here: it is not pushed a second time.
  exits 1 git txn commit "$id" --json
  assert_eq "$(field .waiting.reason)" 'its pull request was merged there and is not here yet'
  git pull -q --ff-only
  exits 0 git txn commit --all
  assert_contains "$OUT" "merged  $id \"the fix\"  main  its change is there as $(git rev-parse --short=7 main)"
  assert_eq "$(there "refs/heads/$branch")" none 'the branch of the pull request stays'
  exits 0 git txn show "$id" --json
  assert_eq "$(field .outcome) $(field .state) $(field .commit)" "merged nothing $(head_of)"
  assert_absent "$HOME/undone"
  exits 0 git txn gc
  assert_eq "$(git for-each-ref refs/txn/ | grep -v fence)" ''
  assert_sound
}
test_case 'branch: a pull request that was squashed is merged, its branch goes, nothing is undone' merged_pull_request

pull_request_of_theirs() {
  new_hub branch
  agent 'echo more >>src/f1.txt; git commit -qam one; echo yet >>src/f1.txt; git commit -qam two' --keep-commits --name 'two of them'
  local id branch
  id=$(field .txn) branch=txn/two-of-them-$(field .txn)
  squash_merges "$branch"
  git -C "$WORLD/other" push -q origin "main:refs/heads/$branch" --force
  git pull -q --ff-only
  exits 0 git txn commit "$id" --json
  assert_eq "$(field .outcome)" merged
  assert_contains "$(field '.notes | join(" ")')" "has commits of somebody else's, and stays"
  assert_eq "$(there "refs/heads/$branch")" "$(head_of)"
  assert_sound
}
test_case 'branch: several commits squashed into one are merged, and a branch that moved stays' pull_request_of_theirs

bad_settings() {
  new_repo
  git config txn.remote sideways
  agent 'echo x >src/new.txt'
  assert_eq "$CODE" 3 "$OUT$ERR"
  assert_contains "$ERR" sideways
  git config txn.remote push
  agent 'echo x >src/new2.txt'
  assert_eq "$CODE" 3
  assert_contains "$ERR" "no remote 'origin'"
}
test_case 'a setting nobody knows, and a remote that is not there, are refused by name' bad_settings

finish
