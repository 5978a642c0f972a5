#!/usr/bin/env bash
# Two that meet and are mended without either of them: a rename that is carried to the new uses of the
# other side, and a conflict whose resolution a person recorded.
. "$(dirname "$0")/lib.sh"

new_shop() {
  new_repo
  mkdir shop
  printf '%s\n' 'def check(token):' "    return token != ''" >shop/auth.py
  printf '%s\n' 'from shop.auth import check' '' '' 'def one():' "    return check('1')" >shop/cart.py
  git add -A
  git commit -qm shop
}
renamed() { # by whom it is called
  sed -i 's/\bcheck\b/validate/' shop/auth.py shop/cart.py
}

new_uses_get_the_new_name() {
  new_shop
  printf '%s\n' '[[gate]]' 'name = "compiles"' 'run = "! grep -rq check shop/*.py && touch \"$WORLD/gated\""' \
    'env = ["WORLD"]' >.gittxn.toml
  git add -A
  git commit -qm policy
  exits 0 git txn trust --json
  exits 0 git txn trust --yes "$(field .hash)"
  start_run --retries 0 -- 'meet
    printf "\n\ndef two():\n    return check(\"2\")  # as before\n" >>shop/cart.py
    printf "import shop.auth as auth\n\nprint(auth.check(\"3\"), \"please verify\")\n" >shop/new.py'
  met
  renamed
  git commit -qam 'a person renames check to validate'
  go_on
  ends 0
  assert_eq "$(field .outcome)" landed
  assert_eq "$(field '[.mended[] | .rule + " " + .path] | join(", ")')" 'rename shop/cart.py, rename shop/new.py'
  [ -e "$WORLD/gated" ] || fail 'the gate did not run'
  assert_contains "$(show shop/cart.py)" 'return validate("2")  # as before'
  assert_contains "$(show shop/new.py)" 'auth.validate("3"), "please verify"'
  assert_contains "$(git log -1 --format=%B)" 'Txn-Mended: rename shop/cart.py'
  assert_contains "$(git log -1 --format=%B)" 'Txn-Mended: rename shop/new.py'
  local id
  id=$(field .txn)
  exits 0 git txn show "$id"
  assert_contains "$OUT" 'mended     shop/cart.py (rename), shop/new.py (rename)'
  exits 0 git txn show "$id" --json
  assert_eq "$(field '.mended | length')" 2
  assert_clean_checkout
  assert_sound
}
test_case 'a use of what the branch renamed lands with the new name, and the gates see it so' new_uses_get_the_new_name

rename_reaches_the_branch() {
  new_shop
  start_run --retries 0 -- 'meet; sed -i "s/\bcheck\b/validate/" shop/auth.py shop/cart.py'
  met
  printf '\n\ndef two():\n    return check("2")\n' >>shop/cart.py
  git commit -qam 'a person uses it'
  go_on
  ends 0
  assert_eq "$(field '[.mended[].path] | join(" ")')" shop/cart.py
  assert_contains "$(show shop/cart.py)" 'return validate("2")'
  assert_lacks "$(show shop/cart.py)" check
  assert_file shop/cart.py "$(show shop/cart.py)"
  assert_sound
}
test_case 'a rename is carried to what the branch uses anew' rename_reaches_the_branch

by_name_only() {
  new_shop
  start_run --retries 0 -- 'meet; printf "def two():\n    return check(2)\n" >shop/new.py'
  met
  renamed
  git commit -qam 'a person renames it'
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].kind')" symbol
  assert_eq "$(field '.mended | length')" 0
  assert_sound
}
test_case 'a use that is known by its name only is no mend' by_name_only

not_at_strict() {
  new_shop
  start_run --retries 0 --isolation strict -- 'meet; printf "\n\nprint(check(2))\n" >>shop/cart.py'
  met
  renamed
  git commit -qam 'a person renames it'
  go_on
  ends 1
  assert_lacks "$(show shop/cart.py)" 'check(2)'
}
test_case 'strict mends nothing' not_at_strict

switched_off() {
  new_shop
  echo 'mend = []' >.gittxn.toml
  git add -A
  git commit -qm policy
  start_run --retries 0 -- 'meet; printf "from shop.auth import check\n\nprint(check(2))\n" >shop/new.py'
  met
  renamed
  git commit -qam 'a person renames it'
  go_on
  ends 1
  assert_contains "$(field '.conflicts[0].hint')" check
}
test_case 'a policy switches it off' switched_off

# record RESOLVED: the person merges two changes of line.txt by hand, with rerere, and throws the merge away
record() {
  git config rerere.enabled true
  git checkout -q -b other
  echo theirs >line.txt
  git commit -qam theirs
  git checkout -q main
  git checkout -q -b own
  echo ours >line.txt
  git commit -qam ours
  git merge other >/dev/null 2>&1 && fail 'the merge has no conflict'
  echo "$1" >line.txt
  git rerere
  git reset -q --hard
  git checkout -q main
}
both_change_the_line() { # POLICY
  new_repo
  echo base >line.txt
  printf '%s\n' "$1" >.gittxn.toml
  git add -A
  git commit -qm line
  record 'ours and theirs'
  git config "${@:2}"
  start_run --retries 0 -- 'meet; echo theirs >line.txt'
  met
  echo ours >line.txt
  git commit -qam 'a person changes it'
  go_on
}
recorded_resolution() {
  both_change_the_line 'mend = ["rename", "rerere"]' --unset rerere.enabled
  ends 0
  assert_eq "$(field '[.mended[] | .rule + " " + .path] | join(", ")')" 'rerere line.txt'
  assert_eq "$(show line.txt)" 'ours and theirs'
  assert_contains "$(git log -1 --format=%B)" 'Txn-Mended: rerere line.txt'
  assert_clean_checkout
  assert_sound
}
test_case 'a resolution that a person recorded is used where policy says so' recorded_resolution

recorded_and_not_asked_for() {
  both_change_the_line '' --unset rerere.enabled
  ends 1
  assert_eq "$(field '.conflicts[0].kind')" write-write
}
test_case 'without a policy that says so it is not' recorded_and_not_asked_for

recorded_and_off() {
  both_change_the_line 'mend = ["rerere"]' rerere.enabled false
  ends 1
  assert_eq "$(show line.txt)" ours
}
test_case 'rerere.enabled=false is false, as git has it' recorded_and_off

finish
