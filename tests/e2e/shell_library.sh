#!/usr/bin/env bash
# share/lib/git-txn.sh: what hooks and scripts source, in dash and in bash.
. "$(dirname "$0")/lib.sh"

LIBRARY=$E2E_ROOT/share/lib/git-txn.sh
export LIBRARY

# in_sh CODE SHELL SCRIPT: under set -eu, with the library sourced; SHELL may have options
in_sh() {
  local shell
  read -ra shell <<<"$2"
  exits "$1" "${shell[@]}" -c "set -eu; . \"\$LIBRARY\"; $3"
}
in_each() { # CODE SCRIPT
  local shell
  for shell in dash bash 'bash --posix'; do in_sh "$1" "$shell" "$2"; done
}

versions() {
  in_each 0 'git_txn_require 1; git_txn_require 1.0; echo on'
  assert_eq "$OUT" on
  local wrong
  for wrong in 2 0 1.1 1.9 '' x 1. .1 1.0.0 1000000000000 '1; touch oops'; do
    in_each 3 "git_txn_require '$wrong'; echo on"
    assert_eq "$OUT" ''
    [ -n "$ERR" ] || fail "nothing was said of $wrong"
  done
  in_each 3 'git_txn_require'
  in_each 2 'PATH=/nowhere; git_txn_require 1'
  in_each 0 'if git_txn_require 2; then exit 9; fi'
  in_each 0 'if git_txn_inside; then exit 9; fi'
  in_each 0 'GIT_TXN_ID=t-1; git_txn_inside'
}
test_case 'git_txn_require takes its own version and no other' versions

sourced_quietly() {
  local shell before
  for shell in dash bash; do
    # Nothing is printed, no option is changed, and only names of its own are made.
    exits 0 "$shell" -c 'set -eu; before=$-; . "$LIBRARY"; test "$before" = "$-"; set'
    assert_eq "$ERR" ''
    before=$("$shell" -c 'before=x; set' | sed -n 's/^\([A-Za-z_]*\)[ =(].*/\1/p' | sort -u)
    printf '%s\n' "$OUT" | sed -n 's/^\([A-Za-z_]*\)[ =(].*/\1/p' | sort -u >"$WORLD/after"
    assert_eq "$(printf '%s\n' "$before" | comm -13 - "$WORLD/after" | grep -vE '^(_?git_txn_|GIT_TXN_|_$|BASH|PIPE|IFS|local$)' || [ $? = 1 ])" ''
  done
  if grep -nE '\b(eval|local|source|function)\b|\[\[' <(grep -v '^#' "$LIBRARY"); then fail 'it is not plain'; fi
  dash -n "$LIBRARY"
}
test_case 'sourcing it prints nothing and leaves the caller as it was' sourced_quietly

throttles() {
  new_repo
  local shell
  for shell in dash bash; do
    in_sh 0 $shell "git_txn_pass '$shell one' 1h; echo through"
    assert_eq "$OUT" through
    in_sh 1 $shell "git_txn_pass '$shell one' 1h; echo through"
    assert_eq "$OUT" ''
    in_sh 0 $shell "if git_txn_pass '$shell one' 1h; then exit 9; else echo \$?; fi"
    assert_eq "$OUT" 1
    in_sh 3 $shell "git_txn_pass '$shell two' soon"
    in_sh 3 $shell 'git_txn_pass one'
    in_sh 0 $shell "git_txn_pass '--$shell' 1h; echo through"
    assert_eq "$OUT" through 'a name that looks like an option'
  done
}
test_case 'git_txn_pass lets through once in an interval' throttles

leases() {
  new_repo
  local shell
  for shell in dash bash; do
    in_sh 0 $shell 'id=$(git_txn_lease_acquire src "docs/a b" --ttl 1h); git_txn_lease_renew "$id" 2h; echo "$id"'
    local id=$OUT
    exits 0 git txn lease list --json
    assert_eq "$(field '.id + " " + (.left_ms > 3600000 | tostring)')" "$id true"
    in_sh 1 $shell 'git_txn_lease_acquire src --owner other'
    assert_eq "$OUT" ''
    in_sh 1 $shell 'id=$(git_txn_lease_acquire src --owner other); echo "it went on"'
    assert_eq "$OUT" ''
    in_sh 3 $shell "git_txn_lease_release '$id' other"
    in_sh 0 $shell "git_txn_lease_release '$id'"
    exits 0 git txn lease list --json
    assert_eq "$OUT" ''
    in_sh 0 $shell 'id=$(git_txn_lease_acquire src --owner "Rae R"); git_txn_lease_renew "$id" 5m "Rae R"; git_txn_lease_release "$id" "Rae R"'
    in_sh 5 $shell 'git_txn_with_lease "docs/*.md" -- sh -c "test -n \"\$GIT_TXN_LEASE\" && exit 5"'
    in_sh 3 $shell 'git_txn_with_lease src'
    in_sh 3 $shell 'git_txn_lease_renew l-1'
    in_sh 3 $shell 'git_txn_lease_release'
    in_sh 3 $shell 'git_txn_lease_release l-99'
  done
}
test_case 'leases are taken, renewed, given back, and held for a command' leases

# IFS=$'\n\t' is what careful scripts set: words of ours must not hang on it.
without_blanks() {
  new_repo
  local shell ifs='IFS="
	"; '
  for shell in dash bash 'bash --posix'; do
    in_sh 0 "$shell" "$ifs"'id=$(git_txn_lease_acquire src --owner "Rae R")
      git_txn_lease_renew "$id" 5m "Rae R"; git_txn_lease_release "$id" "Rae R"'
    in_sh 0 "$shell" "$ifs"'id=$(git_txn_lease_acquire src); git_txn_lease_renew "$id" 5m; git_txn_lease_release "$id"'
    in_sh 5 "$shell" "$ifs"'git_txn_with_lease "docs/*.md" -- sh -c "test -n \"\$GIT_TXN_LEASE\" && exit 5"'
    in_sh 3 "$shell" "$ifs"'git_txn_with_lease src "a -- b"'
    in_sh 3 "$shell" 'git_txn_with_lease src "a -- b"'
    exits 0 git txn lease list --json
    assert_eq "$OUT" ''
  done
  in_each 0 'case $- in *e*) ;; *) exit 9 ;; esac; case $0 in bash) echo "${SHELLOPTS:-}" ;; esac'
  assert_contains "$OUT" posix 'the third of them is bash as sh'
}
test_case 'leases do not hang on what separates words in the script' without_blanks

# The names of the landings that a script was told of, which may contain anything.
EACH='told() { printf "%s\n" "$1" >>"$WORLD/told"; if read -r x; then exit 9; fi; }; git_txn_each_event reader told'
each_event() {
  new_repo
  local shell name='a "quoted" \n back\slash $(touch oops) `touch oops`'
  for shell in dash bash; do
    rm -f "$WORLD/told"
    exits 0 git txn events consumer register reader --durable --from now --type transaction.landed
    in_sh 0 $shell "$EACH"
    assert_absent "$WORLD/told"
    lands "echo $shell >src/one.txt" --name "$name"
    lands "echo $shell >src/two.txt" --name two
    in_sh 0 $shell "$EACH"
    assert_eq "$(jq -s length "$WORLD/told")" 2
    assert_eq "$(cat "$WORLD/told")" "$(git txn events tail --type transaction.landed | tail -n 2)"
    in_sh 0 $shell "$EACH"
    assert_eq "$(jq -s length "$WORLD/told")" 2 'acknowledged'
    assert_absent oops
    exits 0 git txn events consumer remove reader
  done
  in_each 3 "$EACH"
  in_each 3 'git_txn_each_event reader'
}
test_case 'git_txn_each_event gives each event once, as it is, when nothing fails' each_event

again_after_a_failure() {
  new_repo
  exits 0 git txn events consumer register reader --durable --type transaction.landed
  local n
  for n in 1 2 3; do lands "echo $n >src/new.txt" --name "$n"; done
  local shell
  # The second one fails: the first is not given again.
  in_sh 7 dash 'n=0; f() { n=$((n + 1)); echo "$n"; test "$n" != 2 || return 7; }; git_txn_each_event reader f'
  assert_eq "$OUT" '1
2'
  # It dies in the second one.
  in_sh 137 bash 'n=0; f() { n=$((n + 1)); echo "$n"; test "$n" != 2 || kill -9 $$; }; git_txn_each_event reader f'
  assert_eq "$OUT" '1
2'
  in_sh 0 dash 'f() { printf "%s\n" "$1"; }; git_txn_each_event reader f'
  assert_eq "$(field .data.new)" "$(head_of)"
  assert_eq "$(printf '%s\n' "$OUT" | wc -l)" 1
  for shell in dash bash; do in_sh 0 $shell 'f() { exit 9; }; git_txn_each_event reader f'; done
}
test_case 'an event whose function failed or died comes again, and nothing after it first' again_after_a_failure

# The number that is acknowledged is that of the event that was given, whatever FUNCTION did.
one_in_another() {
  new_repo
  local shell
  exits 0 git txn events consumer register outer --durable --type transaction.landed
  exits 0 git txn events consumer register inner --durable --type transaction.landed
  for shell in dash bash 'bash --posix'; do
    lands "echo $shell >src/one.txt"
    lands "echo $shell >src/two.txt"
    # Within the first event of the one, both of the other; the second of the one fails.
    in_sh 7 "$shell" 'f() { :; }
      n=0; g() { n=$((n + 1)); test $n = 1 || return 7; git_txn_each_event inner f; }
      git_txn_each_event outer g'
    in_sh 0 "$shell" 'f() { printf "%s\n" "$1"; }; git_txn_each_event outer f'
    assert_eq "$(printf '%s\n' "$OUT" | wc -l)" 1 'the second comes again'
    assert_eq "$(field .data.new)" "$(head_of)"
    in_sh 0 "$shell" 'f() { printf "%s\n" "$1"; }; git_txn_each_event inner f'
    assert_eq "$OUT" ''
  done
}
test_case 'a function that goes through the events of another consumer acknowledges nothing else' one_in_another

more_than_a_batch() {
  new_repo
  exits 0 git txn events consumer register all --durable --from start
  local n
  for n in $(seq 60); do exits 0 git txn lease acquire "src/$n" -q; done
  in_sh 0 dash 'f() { printf "%s\n" "$1"; }; git_txn_each_event all f'
  assert_eq "$(printf '%s\n' "$OUT" | jq -s 'map(.id | tonumber) == [range(1; length + 1)] and length > 60')" true
}
test_case 'more events than are asked for at once come in one order' more_than_a_batch

reports() {
  new_repo
  open_work 'echo x >src/new.txt'
  in_each 0 "git_txn_report $ID call-7 input=1200 calls=1"
  exits 0 git txn budget show --txn "$ID" --json
  assert_eq "$(printf '%s\n' "$OUT" | jq -r 'select(.kind == "input") | .used')" 1200 'one key counts once'
  in_each 3 "git_txn_report $ID call-8 input=lots"
  in_each 3 "git_txn_report $ID call-8"
  in_each 3 'git_txn_report t-none call-8 input=5'
}
test_case 'git_txn_report counts a key once' reports

the_page_is_true() {
  local name
  # Every function of the page is there, and every one there is on the page.
  sed -n 's/^\(git_txn_[a-z_]*\)() {.*/\1/p' "$LIBRARY" | sort >"$WORLD/there"
  sed -n 's/^| `\(git_txn_[a-z_]*\).*/\1/p' "$E2E_ROOT/docs/shell-library.md" | sort >"$WORLD/told"
  diff "$WORLD/there" "$WORLD/told"
  [ "$(wc -l <"$WORLD/there")" -gt 6 ]
  new_repo
  exits 0 git txn events consumer register report --durable --type transaction.landed -q
  lands 'echo x >src/new.txt'
  awk '/^```sh$/ { n++; next } /^```$/ { next } n == 2' "$E2E_ROOT/docs/shell-library.md" | head -n 3 >"$WORLD/example"
  grep -q git_txn_each_event "$WORLD/example"
  in_each 0 ". '$WORLD/example'"
  assert_eq "$(wc -l <landed.txt)" 1
}
test_case 'the page names every function, and its example runs' the_page_is_true

finish
