#!/usr/bin/env bash
# Agents run git themselves. Each command is contained: it works as the agent expects, and touches
# nobody else.
. "$(dirname "$0")/lib.sh"

agent_commits() {
  new_repo
  lands 'echo one >src/a.txt; git add src/a.txt; git commit -qm "feat: first" -m "with a body"
         echo two >src/b.txt; git add -A; GIT_AUTHOR_NAME="An Agent" GIT_AUTHOR_EMAIL=agent@example.org git commit -qm "feat: second"
         echo three >src/c.txt'
  assert_eq "$(git log -1 --format=%s)" 'feat: second' 'the message of the last commit of the agent'
  assert_eq "$(git log -1 --format='%an <%ae> %cn')" 'An Agent <agent@example.org> Pat Person'
  assert_eq "$(git rev-list --count main)" 2 'one landing is one commit'
  assert_eq "$(show src/a.txt)$(show src/b.txt)$(show src/c.txt)" onetwothree
  assert_contains "$(git log -1 --format=%B)" "Txn-Base: "
  assert_sound
}
test_case 'commit: one landing commit, its message and author from the last commit of the agent' agent_commits

agent_stashes() {
  new_repo
  git stash list >"$WORLD/before"
  agent 'echo stashed >src/f1.txt; git stash -q; echo kept >src/new.txt' --keep
  assert_eq "$CODE $(field .state)" '0 landed' "$ERR"
  assert_eq "$(git stash list)" "$(cat "$WORLD/before")" 'a stash leaked into the repository'
  assert_eq "$(show src/f1.txt)" "$(printf 'line one of f1\nline two of f1')" 'a stash was landed'
  assert_sound
}
test_case 'stash: stays in the private git directory and never lands' agent_stashes

agent_moves_branches() {
  new_repo
  git branch other
  local before
  before=$(git for-each-ref --format='%(refname) %(objectname)' refs/heads refs/tags refs/remotes)
  lands 'git branch -f other HEAD~0; git checkout -qb mine; git branch -D other; git tag v9; echo x >src/new.txt
         git commit -qam x --allow-empty; git update-ref refs/heads/extra HEAD; git config user.name Somebody'
  git update-ref refs/heads/main main~1
  assert_eq "$(git for-each-ref --format='%(refname) %(objectname)' refs/heads refs/tags refs/remotes)" "$before"
  assert_eq "$(git config user.name)" 'Pat Person'
}
test_case 'branches, tags and configuration moved by the agent touch nobody else' agent_moves_branches

agent_pushes() {
  new_repo
  git init -q --bare "$WORLD/hub.git"
  git remote add origin "$WORLD/hub.git"
  git push -q origin main
  local before
  before=$(git -C "$WORLD/hub.git" rev-parse main)
  agent 'echo x >src/new.txt; git add -A; git commit -qm x; git push origin HEAD:main 2>"$WORLD/push.err"; echo $? >"$WORLD/push.code"'
  assert_eq "$(git -C "$WORLD/hub.git" rev-parse main)" "$before" 'the push of the agent went through'
  assert_lacks "$(cat "$WORLD/push.code")" 0
  assert_contains "$(cat "$WORLD/push.err")" 'git txn'
  assert_eq "$CODE $(field .state)" '0 landed' "$ERR"
}
test_case 'push: stopped by name with the way to do it right, the change still lands' agent_pushes

agent_fetches() {
  new_repo
  git init -q --bare "$WORLD/hub.git"
  git remote add origin "$WORLD/hub.git"
  git push -q origin main
  git clone -q "$WORLD/hub.git" "$WORLD/other"
  (cd "$WORLD/other" && echo theirs >theirs.txt && git add -A && git commit -qm theirs && git push -q)
  lands 'git fetch -q origin; git cherry-pick origin/main >"$WORLD/.pick"; echo mine >src/mine.txt'
  assert_eq "$(show theirs.txt)" theirs
  assert_eq "$(git rev-parse origin/main)" "$(git rev-parse main~1)" 'the fetch moved a remote branch of the person'
  assert_sound
}
test_case 'fetch and cherry-pick: what was fetched is its own write, the remote branches of the person stay' \
  agent_fetches

agent_merges_the_target() {
  new_repo
  start_run -- 'cat src/f2.txt; echo agent >src/new.txt; git add -A; git commit -qm "agent work"; meet
    git fetch -q txn-target; git merge -q -m "take in main" txn-target/main; cat docs/guide.md; echo more >>src/new.txt'
  met
  person_commits docs/guide.md 'a better guide'
  local moved
  moved=$(head_of)
  go_on
  ends 0
  assert_eq "$(field .state)" landed "$ERR"
  assert_eq "$(git rev-parse main^)" "$moved"
  assert_eq "$(git rev-list --count main)" 3
  assert_eq "$(git log -1 --format=%s)" 'agent work'
  assert_eq "$(show docs/guide.md)" 'a better guide'
  assert_sound
}
test_case 'merge of the target: the base moves with it' agent_merges_the_target

agent_merged_then_target_reverted() {
  new_repo
  start_run -- 'echo agent >src/new.txt; git add -A; git commit -qm work; meet 1
    git fetch -q txn-target; git merge -q -m "take in main" txn-target/main; meet 2'
  met 1
  person_commits mistake.txt 'a mistake'
  go_on 1
  met 2
  git rm -q mistake.txt
  git commit -qm 'revert the mistake'
  go_on 2
  ends 0
  assert_eq "$(git ls-tree --name-only main | grep -c mistake || :)" 0 'what the target reverted came back'
  assert_sound
}
test_case 'merge of the target, which then reverts: what was reverted does not come back' \
  agent_merged_then_target_reverted

agent_takes_back_what_it_merged() {
  new_repo
  start_run -- 'meet; git fetch -q txn-target; git merge -q txn-target/main; cat src/f1.txt; cp "$WORLD/was" src/f1.txt'
  met
  cp src/f1.txt "$WORLD/was"
  person_commits src/f1.txt 'person version'
  go_on
  ends 0
  assert_eq "$(field .state)" landed "$ERR"
  assert_eq "$(show src/f1.txt)" "$(cat "$WORLD/was")" 'it is its snapshot again, and a change of what the branch has'
  assert_sound
}
test_case 'merge of the target, and the file as it was before: a change, not nothing' \
  agent_takes_back_what_it_merged

agent_resets_to_the_target() {
  new_repo
  start_run -- 'echo junk >src/f1.txt; git commit -qam junk; meet
    git fetch -q txn-target; git reset -q --hard txn-target/main; echo good >src/good.txt'
  met
  person_commits src/f1.txt 'person version'
  go_on
  ends 0
  assert_eq "$(show src/f1.txt)" 'person version'
  assert_eq "$(show src/good.txt)" good
  assert_sound
}
test_case 'reset to the target: the base moves with it' agent_resets_to_the_target

agent_hides_a_write() {
  new_repo
  lands 'echo "src/" >>.gitignore; echo hidden >src/hidden.txt; git rm -q --cached README; echo README >>.gitignore'
  assert_eq "$(show src/hidden.txt)" hidden 'a change hid its own writes by editing .gitignore'
  assert_eq "$(show README)" hello
  assert_sound
}
test_case 'gitignore: a change cannot hide its own writes, tracked files are never ignored' agent_hides_a_write

ignored_files_stay_out() {
  new_repo
  lands 'mkdir build; echo out >build/out.o; echo noise >run.log; echo x >src/new.txt'
  assert_eq "$(git diff --name-only main~1 main)" src/new.txt
  assert_eq "$(field '[.writes[].path] | join(" ")')" src/new.txt
}
test_case 'ignored files never land' ignored_files_stay_out

agent_breaks_its_git() {
  new_repo
  lands 'echo x >src/new.txt; rm -f .git/index; touch .git/index.lock'
  assert_eq "$(show src/new.txt)" x
  assert_eq "$(git ls-tree -r --name-only main | wc -l)" 11
  assert_sound
}
test_case 'a lost index and a stale index.lock in the private git directory: the work is still taken' \
  agent_breaks_its_git

git_status_is_no_read() {
  new_repo
  start_run --retries 0 -- 'git status --short; git add -A; meet; echo x >src/new.txt; git add -A; git commit -qm x'
  met
  person_commits src/f6.txt 'changed'
  go_on
  ends 0
  assert_eq "$(field .state)" landed
}
test_case 'git status and git add are not the agent reading every file' git_status_is_no_read

git_show_is_a_read() {
  new_repo
  start_run --retries 0 -- 'git show HEAD:src/f6.txt; meet; echo x >src/new.txt'
  met
  person_commits src/f6.txt 'changed'
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].subject')" src/f6.txt
}
test_case 'git show HEAD:path is a read of that path' git_show_is_a_read

git_grep_is_a_read() {
  new_repo
  start_run --retries 0 -- 'git grep -c line >"$WORLD/hits"; meet; cp "$WORLD/hits" src/hits'
  met
  person_commits src/another.txt 'a line more'
  go_on
  ends 1
  assert_sound
}
test_case 'git grep is a read of what it searched: a new file with a hit is noticed' git_grep_is_a_read

# What git reads because it was told to. Each command is run in a transaction of its own, which is kept
# and committed after the person changed one file. each_open FILE: the ids, in the order of its lines.
each_open() {
  local i=0 line
  IDS=()
  while IFS= read -r line; do
    i=$((i + 1))
    mkdir -p "$WORLD/copy/$i"
    # Some end with an error, such as that a file is no configuration; they have read it all the same.
    open_work "copy=$WORLD/copy/$i; { $line; } >/dev/null 2>&1 </dev/null; echo $i >out/$i.txt"
    IDS+=("$ID")
  done <"$1"
}
# each_commit CODE FILE: commits them all and says of which commands the exit status was another
each_commit() {
  local i=0 line got wrong=''
  while IFS= read -r line; do
    got=0
    git txn commit "${IDS[i]}" >"$WORLD/.out" 2>&1 || got=$?
    [ "$got" = "$1" ] || wrong+="$line: commit exited $got, not $1: $(cat "$WORLD/.out")"$'\n'
    i=$((i + 1))
  done <"$2"
  assert_eq "$wrong" '' 'commands with another outcome'
}
# The same commands in one transaction, of which nothing that they read will change.
all_together() {
  mkdir -p "$WORLD/copy/all"
  open_work "copy=$WORLD/copy/all; . $WORLD/commands >/dev/null 2>&1 </dev/null; echo all >out/all.txt"
}
with_out() { mkdir out && echo keep >out/keep && git add out && git commit -qm 'a place for results'; }

git_reads_of_a_file() {
  new_repo
  with_out
  cat >"$WORLD/commands" <<'END'
git config -f src/f6.txt -l
git interpret-trailers src/f6.txt
git grep -c -f src/f6.txt -- docs
git commit -q --allow-empty -F src/f6.txt
git add --pathspec-from-file=src/f6.txt
git checkout-index --prefix="$copy/" src/f6.txt
git show HEAD:src/f6.txt
git show @{0}:src/f6.txt
echo s >>src/f7.txt; git stash -q; git show stash@{0}:src/f6.txt
git blame src/f6.txt
git rev-parse HEAD:src/f6.txt
END
  each_open "$WORLD/commands"
  person_commits src/f6.txt 'changed'
  each_commit 1 "$WORLD/commands"
  all_together
  person_commits README 'another word'
  exits 0 git txn commit "$ID"
  assert_sound
}
test_case 'git reads the files that its options and revisions name: a change of them is noticed, others are not' \
  git_reads_of_a_file 240

git_reads_of_everything() {
  new_repo
  with_out
  cat >"$WORLD/commands" <<'END'
git --work-tree="$copy" checkout HEAD -- .
git clone -q . "$copy/clone"
git worktree add -q --detach "$copy/tree" && git worktree remove --force "$copy/tree"
git write-tree
git rev-parse HEAD^{tree}
git ls-tree -r HEAD
git ls-tree -r HEAD^{tree}
git archive HEAD
git archive HEAD^{tree}
git cat-file -p HEAD^{tree}
git diff 4b825dc642cb6eb9a060e54bf8d69288fbee4904 HEAD
git checkout-index -a --prefix="$copy/"
git init -q "$copy/r" && git -C "$copy/r" fetch -q "$PWD"
git bundle create -q "$copy/b" HEAD
END
  each_open "$WORLD/commands"
  person_commits src/f6.txt 'changed'
  each_commit 1 "$WORLD/commands"
  assert_sound
}
test_case 'a copy of the tree, and an id of it, is a read of everything' git_reads_of_everything 240

git_reads_of_rules() {
  new_repo
  with_out
  printf '%s\n' 'git shortlog -s HEAD' 'git log -1' >"$WORLD/authors"
  each_open "$WORLD/authors"
  person_commits .mailmap 'Pat <pat@example.org>'
  each_commit 1 "$WORLD/authors"
  printf '%s\n' 'echo o >x.log; git clean -fqX' >"$WORLD/rules"
  each_open "$WORLD/rules"
  person_commits .gitignore 'build/'
  each_commit 1 "$WORLD/rules"
  printf '%s\n' 'git rm -q -r docs' 'git mv docs papers' >"$WORLD/directories"
  each_open "$WORLD/directories"
  person_commits docs/more.md 'one more'
  each_commit 1 "$WORLD/directories"
  assert_eq "$(show docs/more.md)" 'one more'
}
test_case '.mailmap, .gitignore of clean, and what else is in a directory that is removed' git_reads_of_rules

git_reads_another_branch() {
  new_repo
  with_out
  git branch other
  printf '%s\n' 'git show other:src/f6.txt' 'git log main..other' 'git diff other' 'git merge other' >"$WORLD/commands"
  each_open "$WORLD/commands"
  person_commits src/f6.txt 'changed'
  git branch -f other main
  each_commit 1 "$WORLD/commands"
  all_together
  person_commits README 'another word'
  exits 0 git txn commit "$ID"
}
test_case 'another branch that is named is read with its value' git_reads_another_branch

git_of_every_day() {
  new_repo
  start_run --retries 0 -- 'git status; git status --short; git diff; git diff --stat HEAD; git log -n 5; git log -p -2; git show
    git show --stat HEAD~0; git rev-parse HEAD; git rev-parse --abbrev-ref HEAD; git branch --show-current; git branch -a
    git ls-files; git worktree list; git stash list; git remote -v; git describe --always; git diff main...HEAD
    git log main..HEAD; git config user.name; git merge-base HEAD main; echo x >src/new.txt; git add -A
    git commit -qm "work of the day"; git status; git diff HEAD~1; git log -n 5; git show; meet'
  met
  person_commits src/f6.txt 'changed'
  person_commits docs/guide.md 'another guide'
  go_on
  ends 0
  assert_eq "$(field .state)" landed
  assert_eq "$(show src/new.txt)" x
}
test_case 'what agents ask git all day is in nobody'"'"'s way' git_of_every_day

persons_checkout_read() {
  new_repo
  start_run --retries 0 -- 'cat "$WORLD/repo/src/f6.txt"; meet; echo x >src/new.txt'
  met
  person_commits src/f6.txt 'changed'
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].subject')" src/f6.txt
}
test_case 'an absolute path into the checkout of the person is a read of that path' persons_checkout_read

sees_its_id() {
  new_repo
  mkdir -p sub/dir && person_commits sub/dir/here 'x'
  cd sub/dir
  agent 'printf "%s|%s|%s" "$GIT_TXN_ID" "${GIT_DIR-none}${GIT_INDEX_FILE-none}" "$(cat here)" >"$WORLD/saw"'
  assert_eq "$(cut -d'|' -f2- "$WORLD/saw")" 'nonenone|x'
  assert_eq "$(cut -d'|' -f1 "$WORLD/saw")" "$(field .txn)"
}
test_case 'the command starts in the same sub-directory and sees its id and no GIT_DIR' sees_its_id

has_a_place_to_observe() {
  new_repo
  agent 'printf "%s\n" "$GIT_TXN_OBSERVED" >"$WORLD/place"; stat -c "%a %F" "$GIT_TXN_OBSERVED" >"$WORLD/mode"
    cd "$GIT_TXN_OBSERVED/../tree" && pwd >"$WORLD/tree"; pwd >new; git rev-parse --show-toplevel >"$WORLD/top"'
  assert_eq "$CODE $(field .state)" '0 landed' "run: $ERR"
  assert_file "$WORLD/mode" '700 directory'
  assert_eq "$(cat "$WORLD/tree")" "$(cat "$WORLD/top")" 'it is beside the worktree'
  assert_absent "$(cat "$WORLD/place")"
}
test_case 'the command has a directory beside its worktree for what its hooks observe' has_a_place_to_observe

finish
