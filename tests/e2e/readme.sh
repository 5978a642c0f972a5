#!/usr/bin/env bash
# What README.md tells people to type does what it says there.
. "$(dirname "$0")/lib.sh"

# block LANGUAGE: the fenced block of that language below the heading of the kernel
block() {
  awk -v fence="\`\`\`$1" '/^### / { here = /A kernel to build on/ }
    /^```/ { open = !open; inside = open && $0 == fence; next }
    here && inside' "$E2E_ROOT/README.md"
}

kernel_lines() {
  new_repo api
  cd "$WORLD"
  new_repo home
  block toml >.gittxn.toml
  [ -s .gittxn.toml ] || fail 'README.md has no policy there'
  local line wanted lines=0
  while read -r line; do
    wanted=0
    case $line in *'# exit 1:'*) wanted=1 ;; esac
    # The yes of a person at a terminal.
    case $line in 'git txn trust '*) line="git txn trust --yes $(git txn trust --json | tail -n 1 | jq -r .hash)" ;; esac
    echo "README: $line"
    exits "$wanted" bash -c "$line"
    lines=$((lines + 1))
  done < <(block '')
  [ "$lines" -gt 10 ] || fail "README.md has $lines lines there"
  assert_eq "$(jq -r .type .git/landed.jsonl | sort -u)" transaction.landed 'the handler heard of it'
  exits 0 git txn workflow status w-1
  assert_contains "$OUT" 'phase build is open'
  exits 0 git txn portfolio
  assert_contains "$OUT" "api at $WORLD/api"
  assert_sound
}
test_case 'README: the lines about the kernel, exactly as they are printed' kernel_lines
finish
