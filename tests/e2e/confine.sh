#!/usr/bin/env bash
# --confine: where a command may write, and what of its tree it may read.
. "$(dirname "$0")/lib.sh"

needs_landlock() {
  exits 0 git txn doctor
  case $(grep ' confine ' <<<"$OUT") in *'not usable'*) echo 'SKIP: no Landlock here'; exit 0 ;; esac
  mkdir -p "$WORLD/elsewhere"
  export TMPDIR=$WORLD/tmp
  mkdir -p "$TMPDIR"
}

# The world of a case is below /tmp, where everybody may write: the places that must be refused are
# looked for elsewhere.
outside() {
  local place
  for place in "$E2E_ROOT/build" /var/lib /srv; do
    case $place in /tmp/* | /var/tmp/*) continue ;; esac
    if [ -w "$place" ]; then break; fi
  done
  OUTSIDE=$(mktemp -d "$place/git-txn-confine.XXXXXX") || { echo 'SKIP: no place outside temporary directories'; exit 0; }
  trap 'rm -rf "$OUTSIDE"' EXIT
}

writes_only() {
  new_repo
  needs_landlock
  outside
  local kind back backs='hybrid notify ptrace'
  if "$GIT_TXN_PROGRAM" doctor | grep -q 'trace bpf *usable$'; then backs+=' bpf'; fi
  for back in $backs; do
    for kind in plain overlay; do
      agent "cat /etc/passwd >/dev/null; cat $OUTSIDE/readable 2>/dev/null; echo x >src/$back-$kind.txt; mv src/$back-$kind.txt docs/; echo x >$OUTSIDE/new || echo refused; mkdir \"$TMPDIR/$back-$kind\"" \
        --confine writes --trace $back --worktree $kind
      assert_eq "$CODE $(field .state) $(field .read_set.status)" '0 landed complete' "$back $kind: $ERR"
      assert_contains "$ERR" 'refused'
      assert_absent "$OUTSIDE/new"
      assert_contains "$(field '.notes | join("; ")')" "outside its scope: $OUTSIDE/new"
      git cat-file -e "main:docs/$back-$kind.txt"
    done
  done
  assert_sound
}
test_case 'writes: nothing but the worktree and temporary directories, with each back end and kind' writes_only 240

declared() {
  new_repo
  needs_landlock
  local kind
  for kind in plain overlay; do
    agent "cat src/f1.txt; cat docs/guide.md || echo no-guide; git log -1 --format=%s; echo $kind >src/$kind.txt; cat src/$kind.txt" \
      --confine declared --scope src --worktree $kind
    assert_eq "$CODE $(field .state)" '0 landed' "$kind: $ERR"
    assert_contains "$ERR" no-guide
    assert_contains "$ERR" 'line one of f1'
    assert_contains "$(field '.notes | join("; ")')" 'outside its scope: docs/guide.md'
    assert_lacks "$(field '.notes | join("; ")')" 'scope: src'
  done
}
test_case 'declared: reads of the tree inside the scope alone, and the rest is told' declared

learned() {
  new_repo
  needs_landlock
  printf '#!/bin/sh\ncat src/f1.txt\ncat "${EXTRA:-src/f2.txt}" || echo refused\ndate +%%N >src/out.txt\n' >"$WORLD/tool"
  chmod +x "$WORLD/tool"
  exits 3 git txn run --confine learned -- "$WORLD/tool"
  assert_contains "$ERR" 'nothing is known yet'
  exits 0 git txn run -- "$WORLD/tool"
  EXTRA=src/f3.txt exits 0 git txn run --confine learned -- "$WORLD/tool"
  assert_lacks "$ERR$OUT" refused
  EXTRA=docs/guide.md exits 0 git txn run --confine learned -- "$WORLD/tool"
  assert_contains "$ERR$OUT" refused
  assert_contains "$ERR$OUT" 'outside its scope: docs/guide.md'
}
test_case 'learned: where the same command has read before' learned

allowed_besides() {
  new_repo
  needs_landlock
  outside
  git config txn.confineWrite "$OUTSIDE:~/.agent"
  lands "echo state >$OUTSIDE/state; echo x >src/new.txt" --confine writes
  assert_file "$OUTSIDE/state" state
  git config txn.confineWrite relative
  agent 'true' --confine writes
  assert_eq "$CODE" 3
  assert_contains "$ERR" "names 'relative'"
}
test_case 'txn.confineWrite names where an agent keeps its state' allowed_besides

bad_input() {
  new_repo
  exits 3 git txn run --confine everything -- true
  exits 3 git txn run --confine declared -- true
  assert_contains "$ERR" '--scope'
  exits 3 git txn run --scope src -- true
  exits 3 git txn run --confine declared --scope ../up -- true
  assert_contains "$ERR" '../up'
  exits 3 git txn run --confine declared --scope /etc -- true
  exits 0 git txn status
  assert_contains "$OUT" 'nothing is open'
}
test_case 'modes nobody knows and scopes that lead out are refused before anything runs' bad_input

finish
