#!/usr/bin/env bash
# Answers, not bytes: agents that run the tests, and look at directories, land beside others who change
# what the tests looked at.
. "$(dirname "$0")/lib.sh"
E2E_JOBS=2

# project LANGUAGE: a library, a test of it and a gate that runs the tests
project() {
  new_repo
  mkdir lib test
  case $1 in
    python)
      printf 'def double(n):\n    return 2 * n\n' >lib/text.py
      : >lib/__init__.py
      : >test/__init__.py
      printf 'import unittest\nfrom lib.text import double\n\n\nclass Text(unittest.TestCase):\n    def test(self):\n        self.assertEqual(double(2), 4)\n' >test/test_text.py
      printf '__pycache__/\n' >.gitignore
      export TESTS='python3 -m unittest discover -q'
      ;;
    node)
      printf 'exports.double = (n) => 2 * n;\n' >lib/text.js
      printf 'const test = require("node:test");\nconst { double } = require("../lib/text.js");\ntest("double", () => { if (double(2) !== 4) throw new Error("wrong"); });\n' >test/text.test.js
      export TESTS='node --test'
      ;;
  esac
  [ -z "$2" ] || printf "%s" "$2" >.gittxn.toml
  git add -A
  git commit -qm project
  case $2 in *gate*) trust_policy ;; esac
}
gate() { printf '[[gate]]\nname = "tests"\nrun = "%s"\n' "$1"; }

# An agent: looks around, runs the tests, adds a module and its test, and runs the tests again.
agent() { # NUMBER
  cd . && ls lib && grep -rn double lib
  $TESTS || return 3
  : >"$WORLD/there/$1"
  local n=0
  until [ "$(ls "$WORLD/there" | wc -l)" -ge "$AGENTS" ]; do
    n=$((n + 1)); [ $n -lt 3000 ] || return 4
    pause 0.02
  done
  mkdir -p "feature$1"
  if [ -e lib/text.py ]; then
    printf 'def add(n):\n    return n + %s\n' "$1" >"feature$1/add.py"
    : >"feature$1/__init__.py"
    printf 'import unittest\nfrom feature%s.add import add\n\n\nclass Add%s(unittest.TestCase):\n    def test(self):\n        self.assertEqual(add(1), 1 + %s)\n' "$1" "$1" "$1" >"test/test_add$1.py"
  else
    printf 'exports.add = (n) => n + %s;\n' "$1" >"feature$1/add.js"
    printf 'const test = require("node:test");\nconst { add } = require("../feature%s/add.js");\ntest("add %s", () => { if (add(1) !== 1 + %s) throw new Error("wrong"); });\n' "$1" "$1" "$1" >"test/add$1.test.js"
  fi
  $TESTS || return 3
}
export -f agent

# together N LEVEL: so many agents at once, which all have to land by their first run
together() {
  local pids=() i
  export AGENTS=$1
  mkdir "$WORLD/there"
  for i in $(seq "$1"); do
    git-txn run --json --retries 0 --isolation "$2" -- bash -c "agent $i" >"$WORLD/out$i" 2>"$WORLD/err$i" </dev/null &
    pids+=($!)
  done
  for i in $(seq "$1"); do
    wait "${pids[i - 1]}" || fail "agent $i: $(cat "$WORLD/out$i" "$WORLD/err$i")"
    assert_eq "$(tail -n 1 "$WORLD/out$i" | jq -r .state)" landed "agent $i"
  done
  assert_eq "$(git rev-list --count HEAD)" $((2 + $1)) 'commits'
  assert_sound
}

six_python() { project python "$(gate 'python3 -m unittest discover -q')"; together 6 semantic; }
six_node() { project node "$(gate 'node --test')"; together 6 semantic; }
test_case 'six agents that run the tests of a Python project land in six runs' six_python
test_case 'six agents that run the tests of a Node project land in six runs' six_node

# Without a gate the tests are run again, on both states, where nobody's worktree can be seen from.
asked() { project python ''; together 3 semantic; }
declared() {
  project python '[[question]]
match = "python3 -m unittest discover -q"
answer = "status"
'
  together 3 strict
}
test_case 'without a gate the tests are run again on the branch' asked
test_case 'at strict a command that policy names is asked for its status' declared

otherwise() {
  project python ''
  start_run --retries 0 -- 'python3 -m unittest discover -q && echo they pass >note && meet'
  met
  printf 'def double(n):\n    return 4 + n\n' >lib/text.py
  git commit -qam 'break it'
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].answer')" 'the test run `python3 -m unittest discover -q` fails now (test)' 'the answer'
  assert_eq "$(field '.conflicts[0].subject')" lib/text.py 'the file'
  assert_contains "$(field '.conflicts[0].shown')" 'AssertionError: 6 != 4'
  exits 0 git txn why "$(field .txn)"
  assert_contains "$OUT" 'the test run `python3 -m unittest discover -q` fails now (test)
    lib/text.py, which it looked at, was changed by commit'
  assert_contains "$OUT" '    | AssertionError: 6 != 4'
}
test_case 'one that is answered otherwise on the branch is refused' otherwise

# beside COMMAND SED-EXPRESSION FILE STATUS: a run of the command ends with it where a person edits the file meanwhile
beside() {
  rm -f "$WORLD/ready" "$WORLD/go"
  start_run --retries 0 -- "$1 && meet"
  met
  sed -i "$2" "$3"
  git commit -qam 'an edit'
  go_on
  ends "$4"
}

# What a run in the middle of the work was of is gone: it is run on what lands.
in_the_middle() { # SED-EXPRESSION of the person, exit status
  beside 'echo "# once" >>lib/text.py && python3 -m unittest discover -q && echo "# twice" >>lib/text.py' "$1" test/test_text.py "$2"
}
of_what_lands() {
  project python ''
  in_the_middle 's/double(2), 4/double(3), 6/' 0
  exits 0 git txn why --admitted "$(field .txn)"
  assert_contains "$OUT" '`python3 -m unittest discover -q` passed, and passed again on what lands'
  beside 'echo "# once more" >>lib/text.py && python3 -m unittest discover -q' 's/double(3), 6/double(4), 8/' test/test_text.py 0
  exits 0 git txn why --admitted "$(field .txn)"
  assert_contains "$OUT" '`python3 -m unittest discover -q` passed, and passed again on the branch'
  in_the_middle 's/double(4), 8/double(4), 9/' 1
  assert_eq "$(field '.conflicts[0].answer')" 'the test run `python3 -m unittest discover -q` fails now (test)' 'the answer'
}
test_case 'a run between two edits of one file is answered by what lands, one after them as it was' of_what_lands

# A file that an agent edited and tested is edited by somebody else, too: the merge is what lands, and no run has seen it.
merged_since() { # SED-EXPRESSION of the person, exit status
  beside 'sed -i "s/2 \* n/n + n/" lib/text.py && python3 -m unittest discover -q' "$1" lib/text.py "$2"
}
of_a_merge() {
  project python ''
  printf '\n\ndef half(n):\n    return n // 2\n' >>lib/text.py
  sed -i 's/import double/import double, half/; s/double(2), 4/half(double(3)), 3/' test/test_text.py
  git commit -qam half
  merged_since 's|n // 2|n // 2 + 1|' 1
  assert_eq "$(field '.conflicts[0].answer')" 'the test run `python3 -m unittest discover -q` fails now (test)' 'the answer'
  assert_eq "$(field '.conflicts[0].subject')" lib/text.py 'the file'
  git reset -q --hard HEAD^
  merged_since 's|n // 2|n >> 1|' 0
  assert_contains "$(show lib/text.py)" 'return n + n'
  assert_contains "$(show lib/text.py)" 'return n >> 1'
  exits 0 git txn why --admitted "$(field .txn)"
  assert_contains "$OUT" 'python3 -m unittest discover -q'
  assert_sound
}
test_case 'a run of the tests that looked at a file which is merged is asked again' of_a_merge

# part LEVEL: shows two lines of a file of which the branch changes another one, then one of them
part() {
  new_repo
  seq 20 >numbers
  git add -A
  git commit -qm numbers
  start_run --retries 0 --isolation "$1" -- 'sed -n 3,4p numbers >shown && meet'
  met
  sed -i 's/^20$/twenty/' numbers
  git commit -qam 'line 20'
  go_on
  ends 0
  rm -f "$WORLD/ready" "$WORLD/go"
  start_run --retries 0 --isolation "$1" -- 'sed -n 3,4p numbers >again && meet'
  met
  sed -i 's/^4$/four/' numbers
  git commit -qam 'line 4'
  go_on
  ends 1
  assert_contains "$OUT" "prints something else now: line 2 was '4' and is 'four'"
  assert_sound
}
part_strict() { part strict; }
test_case 'a program that only prints is asked again, at strict' part_strict

# git LEVEL LOOK CHANGE STATUS: the look's answer lands in a file, and the change is committed meanwhile
git_look() {
  rm -f "$WORLD/ready" "$WORLD/go"
  start_run --retries 0 --isolation "$1" -- "{ $2; } >seen.$((++looks)) && meet"
  met
  bash -euc "$3"
  git add -A
  git commit -qm "change $looks"
  go_on
  ends "$4"
}
of_git() { # LEVEL
  new_repo
  mkdir -p lib docs
  printf 'needle = 1\n' >lib/text.py
  printf 'one\n' >docs/one
  git add -A
  git commit -qm project
  looks=0
}
git_strict() {
  of_git
  git_look strict 'git log --format=%s -- lib/text.py && git status' 'echo more >>docs/one' 0
  git_look strict 'git show HEAD:lib/text.py >/dev/null && git status --short' 'echo more >>docs/one' 0
  git_look strict "git grep -nE 'nee.le' -- '*.py'" "echo '*.md text' >.gitattributes" 0
  git_look strict 'git log --format=%s -- lib/text.py' 'echo "# more" >>lib/text.py' 1
  assert_contains "$OUT$ERR" 'prints something else now'
  # A HEAD that moved and other references are in no asking, so these are no questions.
  git_look strict 'git commit -q --allow-empty -m mine; git log --format=%s -- lib/text.py' 'echo more >>docs/one' 1
  git_look strict 'git log --all --format=%s -- lib/text.py' 'echo more >>docs/one' 1
  assert_contains "$OUT$ERR" "'HEAD' has another version now"
  assert_sound
}
test_case 'what git shows of the history and of files is asked again, at strict' git_strict
git_semantic() {
  of_git
  git_look semantic "git grep -nE 'nee.le' -- '*.py'" 'printf "x = 1\n" >lib/more.py' 0
  git_look semantic "git grep -nE 'nee.le' -- '*.py'" 'printf "needle\n" >lib/again.py' 1
  assert_contains "$OUT$ERR" 'prints something else now'
  git_look semantic "git ls-files --error-unmatch -- ':(icase).claude/settings.json' || true" 'echo x >docs/two' 0
  git_look semantic "git ls-files --error-unmatch -- ':(icase).claude/settings.json' || true" 'mkdir .Claude; echo x >.Claude/Settings.json' 1
  assert_sound
}
test_case 'and a search of git at semantic, and what it says of one name' git_semantic
# kept SCRIPT: its work kept and not landed; its id in $ID
kept() {
  exits 0 git txn run --no-land --json -- bash -c "$1"
  ID=$(field .txn)
}

# The cost of asking is shown before a landing, with it, and afterwards from the log.
costs() {
  local tests='python3 -m unittest discover -q'
  project python ''
  kept "$tests && head -n 1 lib/text.py >shown"
  printf '# Doubles.\n' >>lib/text.py
  git commit -qam 'say what it does'
  exits 0 git txn status
  assert_contains "$OUT" "landing runs \`$tests\` again"
  exits 0 git txn why "$ID"
  assert_contains "$OUT" 'run again when it lands'
  exits 0 git txn commit "$ID"
  assert_contains "$OUT" '2 commands were run again on the new head: the same answers, '
  exits 0 git txn log
  assert_contains "$OUT" '2 commands were run again'
  exits 0 git txn log -n 1 --json
  assert_eq "$(jq -c '[.admitted.held[].how]' <<<"$OUT")" '["asked","asked"]' 'in the log'
  exits 0 git txn why --admitted "$ID"
  assert_contains "$OUT" '`head -n 1 lib/text.py` was run again on the new head: the same answer, '
  assert_contains "$OUT" "\`$tests\` passed, and passed again on the branch"
  assert_sound
}
test_case 'what was run again and what that cost is told' costs

# One that only prints and does not fit into the time does not hold.
no_time() {
  new_repo
  seq 20 >numbers
  git add -A
  git commit -qm numbers
  kept 'sed -n 3,4p numbers >shown'
  sed -i 's/^20$/twenty/' numbers
  git commit -qam 'line 20'
  git config txn.ask soon
  exits 3 git txn commit "$ID"
  assert_contains "$ERR" 'txn.ask'
  git config txn.ask 0s
  exits 1 git txn commit "$ID"
  assert_contains "$OUT" 'the 0 ms for running commands again (txn.ask) are over'
}
test_case 'txn.ask bounds what is run again' no_time

# One whose new file breaks another's test is refused by the gate, which says which.
breaks() {
  project python "$(gate 'python3 -m unittest discover -q')"
  start_run --retries 0 -- "python3 -m unittest discover -q && printf 'import unittest\nfrom lib.text import double\n\n\nclass Twice(unittest.TestCase):\n    def test_twice(self):\n        self.assertEqual(double(3), 6)\n' >test/test_twice.py && python3 -m unittest discover -q && meet"
  met
  printf 'def double(n):\n    return 4\n' >lib/text.py
  git commit -qam 'break it'
  go_on
  ends 1
  assert_contains "$OUT$ERR" test_twice
}
test_case 'one whose test the branch breaks is refused and told which test' breaks

# ---- listings ----

# directory [POLICY]: a repository with a directory `docs`, and claude on PATH
directory() {
  new_repo
  mkdir -p docs
  echo guide >docs/guide.md
  echo 7 >docs/0007_first.md
  [ -z "${1:-}" ] || printf '%s\n' "$1" >.gittxn.toml
  git add -A
  git commit -qm docs
  ln -s "$E2E_ROOT/tests/agents/fake-claude" "$WORLD/bin/claude"
  mkdir "$WORLD/there"
}
# looks N COMMAND SCRIPT [OPTION...]: an agent that runs the command as a tool call, waits for go_on N and
# does the rest; in the background, its number in ${AGENT[N]}
looks() {
  local n=$1 script="Bash '$2'; meet $1; $3"
  shift 3
  git-txn run --json --retries 0 --repairs 0 "$@" -- claude -p "$script" >"$WORLD/there/out$n" 2>"$WORLD/there/err$n" </dev/null &
  AGENT[n]=$!
}
# comes_to N STATE: lets it go on
comes_to() {
  go_on "$1"
  wait "${AGENT[$1]}" || :
  OUT=$(tail -n 1 "$WORLD/there/out$1") ERR=$(<"$WORLD/there/err$1")
  assert_eq "$(field .state)" "$2" "agent $1: $OUT $ERR"
}
# theirs FILE: somebody commits it meanwhile
theirs() { echo theirs >"$1"; git add "$1"; git commit -qm "$1"; }

both_add() {
  directory
  looks 1 'ls -la docs' 'Write docs/alpha.md a'
  looks 2 'find docs -name "*.md"' 'Write docs/beta.md b'
  met 1
  met 2
  comes_to 1 landed
  comes_to 2 landed
  assert_contains "$(git txn why "$(field .txn)")" 'docs was listed to the agent alone'
  assert_sound
}
test_case 'two agents that list a directory and each add a file to it both land' both_add

one_series() {
  directory
  looks 1 'ls docs' 'Write docs/0008_users.md a'
  looks 2 'ls docs' 'Write docs/0008_orders.md b'
  looks 3 'ls docs' 'Write docs/words.md c'
  met 1
  met 2
  met 3
  comes_to 1 landed
  comes_to 2 quarantined
  assert_contains "$OUT$ERR" '`ls docs` has another answer now'
  comes_to 3 landed
  assert_sound
}
test_case 'of two that take a number from a listing one is refused' one_series

computed() {
  directory
  looks 1 'n=$(ls docs); echo $n >names' 'true'
  looks 2 'ls docs | wc -l' 'Write own b'
  looks 3 'ls docs >names3' 'true'
  looks 4 'for f in docs/*; do echo $f; done' 'Write own4 b'
  for n in 1 2 3 4; do met $n; done
  theirs docs/faq.md
  for n in 1 2 3 4; do comes_to $n quarantined; done
}
test_case 'a listing that a program may have computed with was read' computed

named() {
  directory
  looks 1 'ls docs' 'Write index "see the guide"'
  looks 2 'ls docs' 'Write index2 "see nothing"'
  met 1
  met 2
  git mv docs/guide.md docs/manual.md
  git commit -qm renamed
  comes_to 1 quarantined
  comes_to 2 landed
}
test_case 'a name that went away and that the agent wrote down was read' named

hard_listings() {
  directory 'listings = ["docs/"]'
  looks 1 'ls docs' 'Write own a'
  met 1
  theirs docs/faq.md
  comes_to 1 quarantined
  looks 2 'ls docs' 'Write own b' --isolation strict
  looks 3 'ls' 'Write own3 b' --isolation strict
  met 2
  met 3
  theirs faq
  comes_to 2 landed
  comes_to 3 quarantined
}
test_case 'listings that policy names, and all at strict, are read' hard_listings

# It lists at a time when 0008 is free; what came then was let pass, and is nothing that it knows.
resumed() {
  directory
  looks 1 'ls docs' 'Write own a'
  met 1
  theirs docs/0008_users.md
  comes_to 1 landed
  export FAKE_SOURCE=resume
  looks 2 'true' 'Write docs/0008_orders.md b'
  met 2
  comes_to 2 quarantined
  looks 3 'true' 'Write docs/words.md c'
  met 3
  comes_to 3 landed
}
test_case 'a conversation that is resumed does not know the names that were let pass' resumed

# Without an agent nobody says who was shown it; and one that was killed has not ended.
no_agent() {
  directory
  start_run --retries 0 -- 'ls docs; echo own >own; meet'
  met
  theirs docs/faq.md
  go_on
  ends 1
  looks 1 'ls docs' 'Write own a; kill -9 $$'
  met 1
  theirs docs/terms.md
  comes_to 1 open
  git txn commit "$(field .txn)" && fail 'it landed'
  true
}
test_case 'a script has no conversation, and one that was killed has no end' no_agent

finish
