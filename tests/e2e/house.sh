#!/usr/bin/env bash
# What a person does first: the demo, and the installation.
. "$(dirname "$0")/lib.sh"

demo_from_a_clone() {
  mkdir tmp
  git clone -q --no-local "$E2E_ROOT" clone
  exits 0 env TMPDIR="$PWD/tmp" clone/tools/demo "$GIT_TXN_PROGRAM"
  assert_contains "$OUT" 'nested 128 levels'
  assert_contains "$OUT" 'conflict: read-stale src/base/json.h'
  assert_contains "$OUT" 'git txn run -- '
  assert_eq "$(find tmp -mindepth 1)" '' 'left behind'
  assert_eq "$(find "$HOME" "$XDG_STATE_HOME" -mindepth 1 -not -name .gitconfig)" '' 'left in the home'
}
test_case 'demo: two land, one is caught deciding on a changed file, runs again and lands' \
  demo_from_a_clone 600

demo_from_a_shallow_clone() {
  git clone -q --depth 1 "file://$E2E_ROOT" clone
  git -C clone checkout -q --detach
  exits 0 clone/tools/demo "$GIT_TXN_PROGRAM"
}
test_case 'demo: works from a shallow clone with a detached head, as CI makes them' \
  demo_from_a_shallow_clone 600

demo_from_an_archive() {
  mkdir unpacked
  git -C "$E2E_ROOT" archive HEAD | tar -C unpacked -xf -
  exits 0 unpacked/tools/demo "$GIT_TXN_PROGRAM"
}
test_case 'demo: works from an unpacked archive without history' demo_from_an_archive 600

demo_with_a_broken_agent() {
  git clone -q --no-local "$E2E_ROOT" clone
  sed 's/^depth=.*/echo no depth here >\&2; exit 3/' "$E2E_ROOT/tools/demo" >clone/tools/demo
  exits 1 clone/tools/demo "$GIT_TXN_PROGRAM"
  assert_contains "$ERR" 'no depth here'
  assert_contains "$ERR" "the agent 'page' did not land"
}
test_case 'demo: an agent that fails is told of, and nobody waits for it' demo_with_a_broken_agent

installs() {
  local prefix=$PWD/prefix page
  cmake --install "$(dirname "$GIT_TXN_PROGRAM")" --prefix "$prefix" >install.log
  [ -x "$prefix/bin/git-txn" ] || fail 'no program'
  # A program that is not the one of this test world: by its path, as a user's PATH would find it.
  exits 0 env PATH="$prefix/bin:/usr/bin:/bin" git txn version
  for page in git-txn git-txn-run git-txn-why; do
    grep -q '^\.TH' "$prefix/share/man/man1/$page.1" || fail "$page.1 is no manual page"
  done
  bash -n "$prefix/share/bash-completion/completions/git-txn"
  [ -s "$prefix/share/bash-completion/completions/git-txn" ] || fail 'no completion'
}
# The libraries, and not the time that loading takes: ./dev bench start measures that.
loads_little() {
  local loaded
  loaded=$(LD_TRACE_LOADED_OBJECTS=1 "$GIT_TXN_PROGRAM" | awk '{ print $1 }')
  assert_contains "$loaded" libc.so.6
  assert_lacks "$loaded" libpq
  assert_lacks "$loaded" libldap
  # The sanitized builds keep the shared libraries (cmake/archives.cmake).
  if nm -D "$GIT_TXN_PROGRAM" | grep -q '__[at]san_init'; then return; fi
  assert_eq "$(grep -vE '^(linux-vdso|libc|libm|/.*/ld-linux[^/]*)\.so' <<<"$loaded")" '' 'loaded at each start'
}
test_case 'start: nothing is loaded but the C library, and libpq not before a server is asked' loads_little

libgit2_starts_at_once() {
  if nm -D "$GIT_TXN_PROGRAM" | grep -q '__[at]san_init'; then echo 'SKIP: with the shared libgit2'; return; fi
  printf 'a\nb\nc\n' >base
  sed s/a/A/ base >ours
  sed s/c/C/ base >theirs
  strace -f -o calls -e trace=openat,open,newfstatat,stat git-txn merge-driver base ours theirs a.txt
  assert_eq "$(cat ours)" $'A\nb\nC'
  assert_lacks "$(cat calls)" certificates
  assert_lacks "$(cat calls)" /ssl/
}
test_case 'start: no certificates are read to merge a file' libgit2_starts_at_once

case $GIT_TXN_PROGRAM in
  */build/release/git-txn) test_case 'install: program, manual pages and completion where users expect them' installs ;;
esac
finish
