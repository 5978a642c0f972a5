#!/usr/bin/env bash
# Texts that were made from parts of the repository: whoever uses one depends on all of it.
. "$(dirname "$0")/lib.sh"

names() { git txn summary list --json | jq -r '"\(.name) \(.sources) \(.holds)"'; }

stored_and_judged() {
  new_repo
  echo 'the files count to seven' >"$WORLD/notes"
  exits 0 git txn summary add 'overview/of src' "$WORLD/notes" src docs/guide.md
  assert_contains "$OUT" '2 sources'
  exits 0 git txn summary show 'overview/of src'
  assert_eq "$OUT" 'the files count to seven'
  exits 0 git txn summary check
  assert_eq "$OUT" ''
  person_commits README 'another'
  exits 0 git txn summary check
  person_commits src/f3.txt 'changed'
  exits 1 git txn summary check --json
  assert_eq "$(printf '%s\n' "$OUT" | jq -r '"\(.name) \(.stale.source)"')" 'overview/of src src'
  exits 0 git txn summary list
  assert_contains "$OUT" 'stale: src changed'
  git revert --no-edit HEAD >"$WORLD/reverted"
  exits 0 git txn summary check
  assert_sound
}
test_case 'a summary holds while all that it was made from is as it was' stored_and_judged

use_is_a_read() {
  new_repo
  echo 'f1 is about one' >"$WORLD/notes"
  exits 0 git txn summary add facts "$WORLD/notes" src/f1.txt src/f2.txt
  open_work 'git txn summary show facts >src/told'
  assert_eq "$(git txn reads "$ID" --json | jq -r 'select(.kind == "summary") | "\(.subject) \(.strength)"')" 'facts hard'
  assert_eq "$(git txn reads "$ID" --json | jq -r 'select(.kind == "tree" or .kind == "content") | .subject')" ''
  assert_eq "$(git txn show "$ID" --json | jq -r .read_set.status)" complete
  person_commits src/f7.txt 'no business of it'
  exits 0 git txn commit "$ID" --json
  assert_eq "$(field .state)" landed
  open_work 'git txn summary show facts >src/told2'
  person_commits src/f2.txt 'changed'
  exits 1 git txn commit "$ID" --json
  assert_eq "$(field '.conflicts[0].kind') $(field '.conflicts[0].subject')" 'read-stale src/f2.txt'
  assert_contains "$(field '.conflicts[0].hint')" "summary 'facts'"
  exits 0 git txn why "$ID"
  assert_contains "$OUT" src/f2.txt
  assert_sound
}
test_case 'a transaction that was shown a summary depends on its sources' use_is_a_read

stale_is_said() {
  new_repo
  echo 'f1 is about one' >"$WORLD/notes"
  exits 0 git txn summary add facts "$WORLD/notes" src/f1.txt docs
  person_commits src/f1.txt 'changed'
  exits 1 git txn summary show facts
  assert_eq "$OUT" ''
  assert_contains "$ERR" "'facts' is stale: 'src/f1.txt' changed"
  exits 0 git txn summary show facts --stale
  assert_eq "$OUT" "[stale: 'src/f1.txt' changed since this was made]
f1 is about one"
  exits 3 git txn summary list --stale
  # Inside it is judged at the snapshot: refused at once, and the work that follows lands.
  agent 'git txn summary show facts >"$WORLD/told" 2>"$WORLD/refused" || echo $? >"$WORLD/status"; echo x >src/own'
  assert_eq "$CODE $(field .state)" '0 landed' "$ERR"
  assert_file "$WORLD/status" 1
  assert_file "$WORLD/told" ''
  assert_contains "$(cat "$WORLD/refused")" "'src/f1.txt' changed"
  assert_eq "$(git txn show "$(field .txn)" --json | jq -r .read_set.status)" complete
  lands 'git txn summary show facts --stale >"$WORLD/told"; echo y >src/own'
  assert_contains "$(cat "$WORLD/told")" "[stale: 'src/f1.txt' changed"
  assert_eq "$(git txn reads "$(field .txn)" --json | jq -r 'select(.kind == "summary") | .strength')" soft
  # One that holds in the snapshot, and is stale on the branch by now, is shown: the landing is where it fails.
  exits 0 git txn summary add fresh "$WORLD/notes" src/f2.txt
  start_run --retries 0 -- 'meet; git txn summary show fresh >"$WORLD/told"; echo z >src/own'
  met
  person_commits src/f2.txt 'changed'
  go_on
  ends 1
  assert_file "$WORLD/told" 'f1 is about one'
  assert_sound
}
test_case 'a stale summary is not shown as if it held, and the run after it lands' stale_is_said

removed() {
  new_repo
  echo 'f1 is about one' >"$WORLD/notes"
  exits 0 git txn summary add facts "$WORLD/notes" src/f1.txt
  open_work 'git txn summary show facts >src/told; git txn summary remove facts 2>"$WORLD/refused" || echo $? >"$WORLD/status"'
  assert_file "$WORLD/status" 3
  exits 0 git txn summary remove facts
  exits 3 git txn summary show facts
  exits 3 git txn summary remove facts
  assert_eq "$(names)" ''
  person_commits src/f1.txt 'changed'
  exits 1 git txn commit "$ID" --json
  assert_eq "$(field '.conflicts[0].subject')" src/f1.txt
  exits 0 git txn summary add facts "$WORLD/notes" src/f2.txt
  assert_eq "$(names)" 'facts 1 true'
  assert_sound
}
test_case 'a summary that was removed is gone, and still binds who was shown it' removed

confined() {
  new_repo
  export TMPDIR=$WORLD/tmp  # where the world is not below a temporary directory only this one may be written
  mkdir "$TMPDIR"
  echo 'f1 is about one' >"$WORLD/notes"
  exits 0 git txn summary add facts "$WORLD/notes" src/f1.txt
  lands 'git txn summary show facts >"$PWD/src/told" && echo found >note.txt && git txn summary add inside note.txt src/f2.txt' \
    --confine writes
  assert_eq "$(show src/told)" 'f1 is about one'
  assert_eq "$(names | cut -d' ' -f1,3)" 'facts true
inside true'
}
test_case 'summaries are shown and made inside of --confine' confined

made_inside() {
  new_repo
  lands 'cat src/f1.txt docs/guide.md >"$WORLD/saw"; echo made >src/made.txt
    echo "what I found" >"$WORLD/found"; git txn summary add findings "$WORLD/found"
    git txn summary add narrow "$WORLD/found" src/f5.txt src/made.txt'
  assert_eq "$(names | cut -d' ' -f1,3)" 'findings true
narrow true'
  exits 0 git txn summary show findings --json
  assert_eq "$(field .text) $(field .made_by)" "what I found $(git txn log --json | head -n 1 | jq -r .txn)"
  person_commits README 'was not read'
  exits 0 git txn summary check
  person_commits docs/guide.md 'was read'
  exits 1 git txn summary check --json
  assert_eq "$(printf '%s\n' "$OUT" | jq -r '"\(.name) \(.stale.source)"')" 'findings docs/guide.md'
  person_commits src/made.txt 'was written'
  exits 1 git txn summary check narrow
  assert_sound
}
test_case 'a summary made inside is of what the transaction read and wrote, once it landed' made_inside

not_before_it_lands() {
  new_repo
  echo text >"$WORLD/text"
  open_work 'cat src/f1.txt; echo x >new; git txn summary add waiting "$WORLD/text"'
  assert_eq "$(names)" ''
  git txn abort "$ID" >/dev/null
  git txn gc --force >/dev/null
  assert_eq "$(names)" ''
  agent 'cat src/f1.txt; git txn summary add researched "$WORLD/text"'
  assert_eq "$CODE $(field .state)" '0 nothing'
  assert_eq "$(names | cut -d' ' -f1,3)" 'researched true'
}
test_case 'nothing is stored of what does not land, and of what changed nothing it is' not_before_it_lands

killed_before_it_is_stored() {
  new_repo
  echo text >"$WORLD/text"
  killed_at api.summary.stored git-txn run -- bash -c 'cat src/f1.txt; echo x >new; git txn summary add kept "$WORLD/text"'
  assert_eq "$(show new)" x 'it has landed'
  exits 0 git txn recover
  exits 0 git txn gc
  assert_eq "$(names | cut -d' ' -f1,3)" 'kept true'
  exits 0 git txn gc
  assert_eq "$(names | wc -l)" 1
  assert_sound
}
test_case 'a summary of a landing that was killed is stored when it is cleaned up' killed_before_it_is_stored

of_another_transaction() {
  new_repo
  echo text >"$WORLD/text"
  open_work 'cat src/f1.txt; echo x >new'
  exits 0 git txn summary add theirs "$WORLD/text" --reads-of "$ID"
  exits 0 git txn commit "$ID"
  exits 0 git txn summary check
  person_commits src/f1.txt 'changed'
  exits 1 git txn summary check
  agent 'cat src/f2.txt; echo y >other' --trace off --no-land
  exits 3 git txn summary add theirs "$WORLD/text" --reads-of "$(field .txn)"
  assert_contains "$ERR" 'not known'
}
test_case 'a summary can be of what another transaction read' of_another_transaction

bad_input() {
  new_repo
  echo text >"$WORLD/text"
  : >"$WORLD/empty"
  head -c 1100000 /dev/zero >"$WORLD/huge"
  exits 3 git txn summary add nothing "$WORLD/text"
  assert_contains "$ERR" 'made from'
  exits 3 git txn summary add empty "$WORLD/empty" src
  exits 3 git txn summary add huge "$WORLD/huge" src
  exits 3 git txn summary add gone "$WORLD/gone" src
  exits 3 git txn summary add out "$WORLD/text" ../elsewhere
  assert_contains "$ERR" 'not in the worktree'
  exits 3 git txn summary add absent "$WORLD/text" src/none
  exits 3 git txn summary add "$(printf 'two\nlines')" "$WORLD/text" src
  exits 3 git txn summary add unknown "$WORLD/text" --reads-of t-none
  exits 3 git txn summary add short
  exits 3 git txn summary show
  exits 3 git txn summary show nobody
  assert_contains "$ERR" 'summary list'
  exits 3 git txn summary check nobody
  exits 3 git txn summary forget all
  exits 0 git txn summary list
  assert_eq "$OUT" ''
  lands 'git txn summary list 2>"$WORLD/refused" || echo $? >"$WORLD/status"; git txn summary add in "$WORLD/text" ../../out 2>>"$WORLD/refused"
    echo "{\"v\":1,\"name\":\"x\",\"body\":\"../../etc\",\"from\":[]}" >>"$GIT_TXN_OBSERVED/summaries.jsonl"; echo junk >>"$GIT_TXN_OBSERVED/summaries.jsonl"; echo x >new'
  assert_file "$WORLD/status" 3
  assert_contains "$(cat "$WORLD/refused")" 'outside of transactions'
  assert_contains "$(cat "$WORLD/refused")" 'not in the worktree'
  assert_eq "$(names)" ''
  assert_contains "$OUT$ERR" 'was not stored'
  assert_sound
}
test_case 'bad input is refused by name, from an agent too' bad_input

finish
