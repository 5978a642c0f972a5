#!/usr/bin/env bash
# Kinds of worktree: overlays over a shared checkout, reflinks, the way into them, and what a kill leaves.
. "$(dirname "$0")/lib.sh"

# Overlays work here, or the case is another machine's.
needs_overlay() {
  exits 0 git txn doctor
  case $(grep 'worktree overlay' <<<"$OUT") in *'not usable'*) echo 'SKIP: no overlay here'; exit 0 ;; esac
}
shared() { ls -d "$XDG_STATE_HOME"/git-txn/*/shared/*-* 2>/dev/null; }

overlay_lands() {
  new_repo
  needs_overlay
  local kind
  for kind in plain overlay; do
    lands "cat src/f1.txt >/dev/null; echo $kind >src/new-$kind.txt; rm src/f$([ $kind = plain ] && echo 2 || echo 3).txt; git mv docs/guide.md docs/$kind.md 2>/dev/null || git mv docs/plain.md docs/$kind.md" \
      --worktree "$kind"
    assert_eq "$(field .read_set.status)" complete "$kind: $ERR"
    assert_eq "$(field '[.writes[].path] | length')" 4
  done
  assert_eq "$(show src/new-overlay.txt)" overlay
  git cat-file -e main:docs/overlay.md
  [ -z "$(grep "$XDG_STATE_HOME" /proc/self/mountinfo)" ] || fail 'something stays mounted'
  assert_clean_checkout
  assert_sound
}
test_case 'overlay: lands what a plain worktree lands, and nothing stays mounted' overlay_lands

overlay_reads() {
  new_repo
  needs_overlay
  agent 'cat src/f1.txt; ls docs >/dev/null; git status --porcelain; echo x >src/new.txt' --no-land --worktree overlay
  local id
  id=$(field .txn)
  exits 0 git txn reads "$id" --json
  assert_contains "$OUT" '"subject":"src/f1.txt"'
  assert_lacks "$OUT" '"subject":"src/f2.txt"'
  person_commits src/f1.txt changed
  exits 1 git txn commit "$id" --json
  assert_eq "$(field '.conflicts[0].subject')" src/f1.txt
}
test_case 'overlay: reads are those of the agent, and a stale one refuses' overlay_reads

steps_and_open() {
  new_repo
  needs_overlay
  git config txn.worktree overlay
  exits 0 git txn begin --json
  local id
  id=$(field .txn)
  exits 0 git txn exec "$id" -- bash -c 'echo one >src/one.txt'
  exits 0 git txn exec "$id" -- bash -c 'cat src/one.txt && echo two >src/two.txt'
  exits 0 git txn open "$id" -- cat src/one.txt README
  assert_eq "$OUT" $'one\nhello'
  exits 7 git txn open "$id" -- sh -c 'exit 7'
  exits 3 git txn open "$id" -- no-such-program
  SHELL=$WORLD/shell
  printf '#!/bin/sh\necho three >src/three.txt\n' >"$SHELL"
  chmod +x "$SHELL"
  export SHELL
  exits 0 git txn open "$id" --shell
  exits 0 git txn commit "$id" --json
  assert_eq "$(field .state)" landed "$ERR"
  assert_eq "$(show src/one.txt)$(show src/two.txt)$(show src/three.txt)" onetwothree
  assert_sound
}
test_case 'overlay in steps: begin, exec, open, a shell, commit' steps_and_open

beside_a_running_agent() {
  new_repo
  needs_overlay
  start_run --worktree overlay --name 'long one' -- 'echo half >src/half.txt; meet; echo whole >src/half.txt'
  met
  exits 0 git txn open 'long one' -- cat src/half.txt
  assert_eq "$OUT" half
  go_on
  ends 0
  assert_eq "$(show src/half.txt)" whole
}
test_case 'a person looks into an overlay while its agent works' beside_a_running_agent

# An editor needs a path that everybody can see.
kept_work_as_plain_files() {
  new_repo
  needs_overlay
  agent 'echo new >src/new.txt; rm src/f2.txt; exit 1' --worktree overlay
  local id path
  id=$(field .txn)
  exits 0 git txn open -q "$id"
  path=$OUT
  assert_eq "$(cat "$path/src/new.txt")" new
  assert_absent "$path/src/f2.txt"
  assert_eq "$(git -C "$path" status --porcelain)" $' D src/f2.txt\n?? src/new.txt'
  echo edited >"$path/src/new.txt"
  exits 0 git txn open -q "$id"
  assert_eq "$OUT" "$path"
  exits 0 git txn exec "$id" -- sh -c 'cat src/new.txt; echo more >>src/new.txt'
  assert_eq "$OUT" edited
  exits 0 git txn commit "$id" --json
  assert_eq "$(field .state)" landed "$ERR"
  assert_eq "$(show src/new.txt)" $'edited\nmore'
  assert_sound
}
test_case 'open makes plain files of kept work in an overlay, and it goes on in them' kept_work_as_plain_files

no_plain_files_while_it_works() {
  new_repo
  needs_overlay
  start_run --worktree overlay --name busy -- 'echo half >src/half.txt; meet'
  met
  exits 1 git txn open -q busy
  assert_contains "$ERR" 'look into it with: git txn open t-'
  go_on
  ends 0
}
test_case 'open makes no plain files of an overlay that an agent works in' no_plain_files_while_it_works

plain_open() {
  new_repo
  agent 'echo x >src/new.txt' --no-land
  exits 0 git txn open "$(field .txn)" -- cat src/new.txt
  assert_eq "$OUT" x
}
test_case 'open with a command enters a plain worktree too' plain_open

killed_anywhere() {
  new_repo
  needs_overlay
  local point id
  for point in shared.making shared.made worktree.after_marker worktree.after_checkout mount.mounted \
               api.begin.checked_out api.begin.started; do
    GIT_TXN_FAILPOINT=$point git-txn begin --worktree overlay >"$WORLD/.out" 2>&1 && fail "$point: not killed"
    exits 0 git txn begin --worktree overlay --json
    id=$(field .txn)
    exits 0 git txn exec "$id" -- bash -c 'cat README && echo x >>README'
    exits 0 git txn diff "$id"
    assert_contains "$OUT" '+x'
    exits 0 git txn abort "$id"
    exits 0 git txn gc --force
  done
  # Of the last one everything was recorded: it is open.
  for id in $(git-txn internal ids); do git txn abort "$id" >"$WORLD/.out" 2>&1; done
  exits 0 git txn gc --force
  [ -z "$(shared)" ] || fail "shared checkouts left: $(shared)"
  assert_sound
}
test_case 'overlay: begin killed at each point leaves what the next command uses or removes' killed_anywhere 240

killed_run_keeps_work() {
  new_repo
  needs_overlay
  start_run --worktree overlay --name work -- 'echo mine >src/mine.txt; rm docs/guide.md; meet'
  met
  kill -KILL "$RUN_PID"
  wait "$RUN_PID" || assert_eq $? 137
  exits 0 git txn commit --accept-unfinished work --json
  assert_eq "$(field .state)" landed "$ERR"
  assert_eq "$(show src/mine.txt)" mine
  exits 128 git cat-file -e main:docs/guide.md
}
test_case 'overlay: a killed run loses nothing; commit takes it without a mount' killed_run_keeps_work

resumed() {
  new_repo
  needs_overlay
  git config txn.worktree overlay
  agent 'echo x >src/new.txt; rm README; exit 1'
  local id
  id=$(field .txn)
  exits 0 git txn gc --force
  exits 0 git txn resume "$id"
  exits 0 git txn exec "$id" -- bash -c 'cat src/new.txt; test ! -e README; echo y >>src/new.txt'
  assert_eq "$OUT" x
  exits 0 git txn commit "$id" --json
  assert_eq "$(show src/new.txt)" $'x\ny'
}
test_case 'overlay: resume brings kept work back into a fresh one' resumed

policy_setup() {
  new_repo
  needs_overlay
  echo secret >.env
  printf '/.env\n/set-up\n' >>.gitignore
  git commit -qam ignore
  policy '[worktree]
copy = [".env"]
run = [["sh", "-c", "cat README .env >set-up"]]'
  lands 'cat set-up >src/got.txt' --worktree overlay
  assert_eq "$(show src/got.txt)" $'hello\nsecret'
  git cat-file -e main:.env 2>/dev/null && fail '.env landed'
  assert_sound
}
test_case 'overlay: what the policy wants in a fresh worktree is done inside it' policy_setup

# A policy that runs nothing, so that there is nothing to trust.
worktree_policy() {
  printf '[worktree]\n%s\n' "$1" >.gittxn.toml
  git add .gittxn.toml
  git commit -qm policy -- .gittxn.toml
}

# A folder of the person's, at its place and not copied, and what is written there is the run's alone.
shared_folder() {
  new_repo
  echo /node_modules >>.gitignore
  git commit -qam ignore
  worktree_policy 'share = ["node_modules"]'
  mkdir -p node_modules/lib
  echo lib >node_modules/lib/index.js
  local kind free
  for kind in plain overlay; do
    agent "cat node_modules/lib/index.js; echo mine >node_modules/mine.js; rm -r node_modules/lib; cat node_modules/*; echo $kind >src/$kind.txt" \
      --worktree $kind --keep
    assert_eq "$CODE $(field .state) $(field .read_set.status)" '0 landed complete' "$ERR"
    assert_eq "$(field '[.writes[].path] | join(" ")')" "src/$kind.txt"
    assert_contains "$ERR" $'lib\nmine'
    assert_eq "$(find node_modules -type f)" node_modules/lib/index.js
    case $ERR in
      *'copied and not mounted'*) ;;
      *) assert_eq "$(find "$XDG_STATE_HOME" -path '*/tree/node_modules/*')" '' 'copied' ;;
    esac
  done
  [ -z "$(grep "$XDG_STATE_HOME" /proc/self/mountinfo)" ] || fail 'something stays mounted'
  assert_sound
}
test_case 'share: a large folder is there in each kind of worktree, without a copy, and stays as it was' shared_folder

shared_in_steps() {
  new_repo
  echo /node_modules >>.gitignore
  git commit -qam ignore
  worktree_policy 'share = ["node_modules"]'
  mkdir node_modules
  echo lib >node_modules/lib.js
  exits 0 git txn begin --json
  local id
  id=$(field .txn)
  exits 0 git txn exec "$id" -- sh -c 'echo mine >node_modules/mine.js'
  exits 0 git txn exec "$id" -- sh -c 'cat node_modules/*.js; echo x >src/x.txt'
  assert_eq "$OUT" $'lib\nmine'
  exits 0 git txn open "$id" -- cat node_modules/mine.js
  assert_eq "$OUT" mine
  exits 0 git txn commit "$id" --json
  assert_eq "$(field .state) $(field '[.writes[].path] | join(" ")')" 'landed src/x.txt' "$ERR"
  assert_absent node_modules/mine.js
}
test_case 'share in steps: what one command writes there the next one sees, and nobody else' shared_in_steps

ports_are_given() {
  new_repo
  worktree_policy 'ports = [22340, 22379]'
  agent 'echo "port=$GIT_TXN_PORT"'
  assert_eq "$CODE" 0 "$ERR"
  case $ERR in *port=223[4-7][0-9]*) ;; *) fail "no port: $ERR" ;; esac
  exits 0 git txn begin --json
  local id first
  id=$(field .txn)
  exits 0 git txn exec "$id" -- sh -c 'echo "$GIT_TXN_PORT"'
  first=$OUT
  exits 0 git txn exec "$id" -- sh -c 'echo "$GIT_TXN_PORT"'
  assert_eq "$OUT" "$first" 'the same transaction has the same ports'
  start_run --name server -- 'echo "$GIT_TXN_PORT" >port; meet'
  met
  exits 0 git txn exec "$id" -- sh -c 'echo "$GIT_TXN_PORT"'
  [ "$OUT" != "$(git txn open server -- cat port)" ] || fail "both have port $OUT"
  go_on
  ends 0
}
test_case 'ports: run and exec give the first of ten, and two at once do not meet' ports_are_given

lacking() {
  new_repo
  printf '/.env\n/node_modules\n' >>.gitignore
  git commit -qam ignore
  echo KEY=1 >.env
  mkdir -p node_modules/lib
  echo lib >node_modules/lib/index.js
  agent 'cat .env node_modules/lib/index.js absent.txt'
  assert_eq "$CODE" 1
  assert_contains "$(field '.notes[]')" '.env, node_modules, which your checkout has and its fresh worktree has not'
  assert_contains "$(field '.notes[]')" '[worktree] copy = [".env"], share = ["node_modules"]'
  assert_lacks "$(field '.notes[]')" absent.txt
  exits 1 git txn run -- cat .env
  assert_contains "$ERR" '[worktree] copy = [".env"]'
  exits 0 git txn begin --json
  exits 1 git txn exec "$(field .txn)" -- cat .env
  assert_contains "$ERR" '[worktree] copy = [".env"]'
  agent 'cat absent.txt'
  assert_lacks "$(field '.notes[]')" 'looked for'
  worktree_policy $'copy = [".env"]\nshare = ["node_modules"]'
  agent 'cat .env node_modules/lib/index.js; exit 1'
  assert_lacks "$(field '.notes[]')" 'looked for'
}
test_case 'a command that failed for want of what git ignores is told so, with the lines that bring it' lacking

retries() {
  new_repo
  needs_overlay
  agent 'cat src/f1.txt >copy.txt; [ -e "$WORLD/once" ] || { touch "$WORLD/once"; cd "$WORLD/repo" && echo moved >src/f1.txt && git commit -qam moved; }' \
    --worktree overlay
  assert_eq "$CODE $(field .state) $(field .attempts)" '0 landed 2' "$ERR"
  assert_eq "$(show copy.txt)" moved
}
test_case 'overlay: a retry has a fresh one over the new head' retries

large_tree() {
  new_repo
  needs_overlay
  git config --unset-all --global txn.worktree || [ $? = 5 ]
  exits 0 git txn begin --json
  assert_lacks "$ERR" 'is an overlay'
  exits 0 git txn abort "$(field .txn)"
  mkdir many
  for n in $(seq 1001); do echo "$n" >"many/$n"; done
  git add many
  git commit -qm many
  exits 0 git txn begin --json
  assert_contains "$ERR" 'its worktree is an overlay'
  [ "$(find "$(field .worktree | xargs dirname)" -type f | wc -l)" -lt 100 ] || fail 'it was written out'
  lands 'cat many/7 >/dev/null; echo changed >many/1000'
  lands 'cat many/1000 >copy.txt'
  assert_eq "$(show copy.txt)" changed
  # The checkout of the second commit has of its own what the first landing changed.
  assert_eq "$(stat -c %i $(shared | sed 's,$,/tree/many/7,') | sort -u | wc -l)" 1
  [ "$(shared | wc -l)" -gt 1 ] || fail "one checkout alone: $(shared)"
  git config txn.worktree plain
  exits 0 git txn begin --json
  assert_lacks "$ERR" 'is an overlay'
  assert_file "$(field .worktree)/many/1000" changed
  assert_sound
}
test_case 'a tree of more than 1,000 files is an overlay by itself, and the next commit costs its change' large_tree

collected() {
  new_repo
  needs_overlay
  lands 'echo x >src/new.txt' --worktree overlay
  [ -n "$(shared)" ] || fail 'no shared checkout'
  exits 0 git txn gc
  [ -n "$(shared)" ] || fail 'gc removed one that was just used'
  exits 0 git txn begin --worktree overlay --json
  local id kept
  id=$(field .txn)
  exits 0 git txn gc --force
  kept=$(shared)
  assert_eq "$(printf '%s\n' "$kept" | wc -l)" 1 'the one that is used is kept, the other goes'
  echo tampered >"$kept/tree/README"
  exits 0 git txn gc
  assert_contains "$OUT$ERR" "$kept/tree/README"
  exits 0 git txn abort "$id"
  exits 0 git txn gc --force
  [ -z "$(shared)" ] || fail 'an unused one stays'
}
test_case 'gc removes shared checkouts that nobody uses, and names one that was changed by hand' collected

unprivileged() {
  [ "$(id -u)" = 0 ] || { echo 'SKIP: this is for root; everybody else has run the cases above so'; return; }
  command -v setpriv >/dev/null || { echo 'SKIP: no setpriv'; return; }
  chmod 755 "$WORLD/.."
  cp -L "$GIT_TXN_PROGRAM" "$WORLD/program"
  rm "$WORLD/bin/git-txn"
  mv "$WORLD/program" "$WORLD/bin/git-txn"
  new_repo
  chown -R 65534:65534 "$WORLD"
  as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all "$@"; }
  exits 0 as_nobody git txn doctor
  case $(grep 'worktree overlay' <<<"$OUT") in
    *'not usable'*)
      exits 3 as_nobody git txn run --worktree overlay -- true
      assert_contains "$ERR" 'use --worktree plain'
      return ;;
  esac
  exits 0 as_nobody git txn run --worktree overlay --json -- bash -c 'id -u; rm README; echo x >src/new.txt; mv docs papers'
  assert_eq "$(field .state) $(field .read_set.status)" 'landed complete' "$ERR"
  assert_contains "$ERR" 65534
  assert_eq "$(as_nobody git show main:papers/guide.md)" guide
}
test_case 'overlay: without any privilege, in a user namespace, or a clear refusal' unprivileged

no_namespace() {
  new_repo
  exits 3 git txn run --worktree nonsense -- true
  git config txn.worktree nonsense
  exits 3 git txn run -- true
  assert_contains "$ERR" nonsense
  exits 0 git txn status
  git config txn.worktree plain
  exits 0 git txn run -- true
  exits 0 git txn doctor
  assert_contains "$OUT" 'worktree plain'
  assert_contains "$OUT" 'worktree reflink'
}
test_case 'an unknown kind of worktree is refused by name' no_namespace

reflink_where_there_is_one() {
  [ "$(id -u)" = 0 ] && command -v mkfs.xfs >/dev/null || { echo 'SKIP: needs root and mkfs.xfs'; return; }
  truncate -s 400M "$WORLD/disk"
  mkfs.xfs -q -m reflink=1 "$WORLD/disk"
  mkdir "$WORLD/xfs"
  mount -o loop "$WORLD/disk" "$WORLD/xfs" || { echo 'SKIP: no loop mounts here'; return; }
  trap 'cd /; umount "$WORLD/xfs"' EXIT
  new_repo
  git config txn.worktreeRoot "$WORLD/xfs"
  lands 'git status --porcelain; cat src/f1.txt; echo x >src/new.txt; rm README' --worktree reflink
  assert_eq "$(field .read_set.status)" complete
  assert_eq "$(show src/new.txt)" x
  lands 'echo y >src/other.txt; rm -r docs' --worktree overlay
  assert_eq "$(show src/other.txt)" y
  assert_sound
}
test_case 'reflink: on a file system that shares blocks' reflink_where_there_is_one

worktree_is_cleaned() {
  new_repo
  lands 'echo x >src/new.txt'
  assert_eq "$(find "$XDG_STATE_HOME" -name new.txt | wc -l)" 0
  agent 'echo y >src/kept.txt' --no-land
  exits 0 git txn open "$(field .txn)" --json
  [ -f "$(field .worktree)/src/kept.txt" ] || fail "open does not lead to the worktree: $OUT"
}
test_case 'worktrees are removed when landed, kept and reachable when not' worktree_is_cleaned

branch_not_checked_out() {
  new_repo
  git branch release
  lands 'echo x >src/new.txt' --onto release
  assert_eq "$(git show release:src/new.txt)" x
  assert_absent src/new.txt
  assert_eq "$(field .branch)" refs/heads/release
  assert_sound
}
test_case 'onto: lands on a branch that is not checked out and leaves the checkout alone' branch_not_checked_out

linked_worktree() {
  new_repo
  git worktree add -q "$WORLD/second" -b second
  lands 'echo x >src/new.txt' --onto second
  assert_file "$WORLD/second/src/new.txt" x
  assert_eq "$(git -C "$WORLD/second" status --porcelain)" ''
  assert_absent src/new.txt
}
test_case 'onto: a branch checked out in a linked worktree moves there' linked_worktree

finish
