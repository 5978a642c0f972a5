#!/usr/bin/env bash
# A manifest is changed while another works on what is made with it: what lands, and what does not because
# the one relied on what the other changed.
. "$(dirname "$0")/lib.sh"

new_crate() {
  new_repo
  printf '%s\n' '[package]' 'name = "app"' 'edition = "2018"' '' '[dependencies]' 'serde = "1.0"' \
    'rand = "0.8"' >Cargo.toml
  printf '%s\n' 'use rand::Rng;' '' 'fn main() {' '    run();' '}' '' 'fn run() {}' >src/main.rs
  printf '%s\n' 'pub fn other() {}' >src/other.rs
  git add -A
  git commit -qm 'crate'
}
person_edits() { # FILE SED-EXPRESSION
  sed -i "$2" "$1"
  git commit -qm "person edits $1" -- "$1"
}
lands_after() { # SCRIPT SED-EXPRESSION [OPTION...]
  local script=$1 edit=$2
  shift 2
  start_run "$@" -- "$script; meet"
  met
  person_edits Cargo.toml "$edit"
  go_on
  ends 0
  assert_eq "$(field .state)" landed
  assert_clean_checkout
  assert_sound
}
refused_after() { # SCRIPT SED-EXPRESSION SUBJECT [OPTION...]
  local script=$1 edit=$2 subject=$3
  shift 3
  start_run --retries 0 "$@" -- "$script; meet"
  met
  person_edits Cargo.toml "$edit"
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].kind')" symbol
  assert_eq "$(field '.conflicts[0].subject')" "$subject"
  assert_contains "$(field '.conflicts[0].changed_by')" 'Pat Person'
  exits 0 git txn why "$(field .txn)"
  assert_contains "$OUT" "$subject"
  assert_sound
}
USE_SERDE='sed -i "1i use serde::Serialize;" src/other.rs'

another() {
  new_crate
  lands_after 'sed -i "s/    run();/    rand::random();/" src/main.rs' 's/serde = "1.0"/serde = "2.0"/'
}
test_case 'who uses one dependency lands while another is raised' another

raised() {
  new_crate
  refused_after "$USE_SERDE" 's/serde = "1.0"/serde = "2.0"/' 'dependency serde in Cargo.toml' --isolation "$1"
}
raised_at_semantic() { raised semantic; }
raised_at_snapshot() { raised snapshot; }
test_case 'a new use of a dependency that was raised does not land at semantic' raised_at_semantic
test_case 'a new use of a dependency that was raised does not land at snapshot' raised_at_snapshot

toolchain() {
  new_crate
  refused_after 'sed -i s/other/another/ src/other.rs' 's/2018/2021/' 'toolchain package.edition in Cargo.toml'
}
test_case 'another edition does not go with an edit of any source at semantic' toolchain

checked() {
  new_crate
  policy '[[gate]]
name = "build"
run = "grep -q 2021 Cargo.toml && grep -q another src/other.rs"'
  lands_after 'sed -i s/other/another/ src/other.rs' 's/2018/2021/' --isolation snapshot
}
test_case 'at snapshot the gates say whether another edition goes with an edit' checked

page() {
  new_crate
  lands_after 'echo more >>docs/guide.md' 's/2018/2021/'
}
test_case 'another edition is nothing to a page' page

comment() {
  new_crate
  lands_after 'sed -i s/other/another/ src/other.rs' '1i # said'
}
test_case 'a comment in a manifest is nothing to a source' comment

both() {
  new_crate
  lands_after 'sed -i "s/rand = \"0.8\"/rand = \"0.9\"/" Cargo.toml' 's/serde = "1.0"/serde = "2.0"/'
  assert_contains "$(show Cargo.toml)" 'serde = "2.0"'
  assert_contains "$(show Cargo.toml)" 'rand = "0.9"'
}
test_case 'two dependencies of one manifest are raised by two' both

twice() {
  new_crate
  start_run --retries 0 -- 'sed -i "s/serde = \"1.0\"/serde = \"3.0\"/" Cargo.toml; meet'
  met
  person_edits Cargo.toml 's/serde = "1.0"/serde = "2.0"/'
  go_on
  ends 1
  assert_contains "$(field '[.conflicts[].subject] | join(" ")')" 'dependency serde in Cargo.toml'
  assert_sound
}
test_case 'one dependency raised by two is named' twice

tested() {
  new_crate
  start_run --retries 0 -- 'cat Cargo.toml >/dev/null; echo tested >>docs/guide.md; meet'
  met
  person_edits Cargo.toml 's/serde = "1.0"/serde = "2.0"/'
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].kind')" read-stale
  assert_eq "$(field '.conflicts[0].subject')" Cargo.toml
  assert_sound
}
test_case 'what a build has read has to hold' tested

new_api() {
  new_repo
  mkdir -p api src/routes web
  echo '{}' >api/openapi.json
  echo 'a' >src/routes/a.ts
  echo 'client' >web/client.ts
  printf '%s\n' '[generated."api/openapi.json"]' 'from = ["src/routes/**"]' >.gittxn.toml
  git add -A
  git commit -qm 'api'
}
edits_route() {
  echo more >>src/routes/a.ts
  git commit -qm 'person edits a route' -- src/routes/a.ts
}
described() {
  new_api
  start_run --retries 0 -- 'cat api/openapi.json; echo x >>README; meet'
  met
  edits_route
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].kind')" read-stale
  assert_eq "$(field '.conflicts[0].subject')" api/openapi.json
  assert_contains "$(field '.conflicts[0].hint')" src/routes/a.ts
  assert_sound
}
test_case 'who read a description has read what it is made from' described

made_again() {
  new_api
  start_run --retries 0 -- 'echo "{\"a\": 1}" >api/openapi.json; meet'
  met
  edits_route
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].subject')" api/openapi.json
  assert_contains "$(field '.conflicts[0].hint')" 'make it again'
  assert_sound
}
test_case 'a description that was made from what has changed does not land' made_again

apart() {
  new_api
  start_run -- 'cat web/client.ts; echo x >>web/client.ts; meet'
  met
  edits_route
  go_on
  ends 0
  assert_eq "$(field .state)" landed
  assert_sound
}
test_case 'who has nothing to do with a description lands' apart

circle() {
  new_api
  printf '%s\n' '[generated."a"]' 'from = ["b"]' '[generated."b"]' 'from = ["a"]' >.gittxn.toml
  git add .gittxn.toml
  git commit -qm 'a circle'
  exits 3 git txn gate list
  assert_contains "$ERR" "made from each other"
}
test_case 'a policy whose files are made from each other is refused' circle
finish
