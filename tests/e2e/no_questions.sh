#!/usr/bin/env bash
# Commands whose answer nobody can ask for again, or not as it was given: they are no questions, or are refused.
. "$(dirname "$0")/lib.sh"
E2E_JOBS=2

# Everything that the rows below look at. What makes a row is which words the agent runs.
project() {
  new_repo
  mkdir lib test tests migrations 'odd names'
  printf 'def double(n):\n    return 2 * n\n' >lib/text.py
  : >lib/__init__.py
  : >test/__init__.py
  printf 'import unittest\nfrom lib.text import double\n\n\nclass Text(unittest.TestCase):\n    def test(self):\n        self.assertEqual(double(2), 4)\n' >test/test_text.py
  printf 'one\ntwo\n' >tests/a
  printf 'one\nthree\n' >tests/b
  echo tests/b >tests/list
  : >migrations/0007_users.sql
  echo 1.0 >VERSION
  echo odd >'odd names/it'"'"'s "odd".txt'
  printf 'dash\n' >-dash
  echo list >list.txt
  cat >Makefile <<'MAKE'
.PHONY: test
T = python3 -m unittest discover -q
VERSION = $(shell cat VERSION)
print-%: ; @echo $($*)
test:
	@$(T)
ifdef DAEMON
	@sleep 3 >/dev/null 2>&1 </dev/null &
endif
ifdef TRACKED
	@echo more >>list.txt
endif
ifdef GENERATED
	@cat lib/text.py >generated
endif
ifdef FAILED
	@mkdir -p build; rm -f build/failed; grep -q 2 lib/text.py || touch build/failed
endif
ifdef KILLS
	@kill -9 $$PPID
endif
build/o: lib/text.py ; @mkdir -p build; cp lib/text.py build/o
MAKE
  printf '#!/bin/sh\nread f && grep -q one "$f"\n' >check
  printf '#!/bin/sh\n. lib/quiet; exit 0\n' >quiet-check
  echo 'curl -s http://127.0.0.1:9 || :' >lib/quiet
  chmod +x check quiet-check
  printf '[[question]]\nmatch = "./check"\nanswer = "status"\n\n[[question]]\nmatch = "./quiet-check"\nanswer = "status"\n' >.gittxn.toml
  printf '__pycache__/\nbuild/\n.venv/\n' >.gitignore
  git add -A
  git commit -qm project
  git tag start
}

# beside COMMAND CHANGE STATUS: a transaction of the command ends with it where the branch gets the change meanwhile
beside() {
  git reset -q --hard start
  exits 0 git txn run --no-land --json -- bash -c "$1; echo x >mine.txt"
  bash -euc "$2"
  git add -A
  git commit -qm theirs
  exits "$3" git txn commit "$(field .txn)"
}
refused() { # COMMAND CHANGE [WORDS]: the change is one of what the command looked at
  beside "$1" "$2" 1
  assert_contains "$OUT$ERR" "${3:-}"
}

COMMENT='echo "# more" >>lib/text.py'
BREAK='echo "double = None" >>lib/text.py'

runners() {
  project
  beside 'make test' "$COMMENT" 0
  refused 'make test DAEMON=1' "$BREAK"
  refused 'make test TRACKED=1' 'echo theirs >>list.txt'
  refused 'make test GENERATED=1' "$COMMENT"
  refused 'make test KILLS=1 || :' "$BREAK"
  refused 'make test FAILED=1; test -e build/failed || echo fine >fine' 'sed -i s/2/3/ lib/text.py'
  refused 'make -s print-VERSION >shown' 'echo 1.1 >VERSION'
  refused 'make build/o; cat build/o >shown' "$COMMENT"
  refused 'cp lib/text.py "$TMPDIR/copy"; cat "$TMPDIR/copy" >shown' "$COMMENT"
  refused 'python3 -m unittest discover -q 2>&1 | tail -n 1 >shown' "$BREAK"
  refused 'python3 -m unittest discover -q -s lib || :' "$COMMENT"
  refused 'make test & sed -i s/one/1/ tests/a; sed -i s/two/2/ lib/text.py; wait' "$BREAK"
  refused 'mkdir -p .venv/bin; ln -s /usr/bin/python3 .venv/bin/python; .venv/bin/python -m unittest discover -q' "$COMMENT"
  refused 'make test' "$BREAK" 'fails now'
}
test_case 'a run that leaves, writes, is killed or shows something else is no question' runners

shown() {
  project
  beside './check <tests/list; cat -- -dash' 'echo four >>tests/b' 0
  beside 'jq "[.][0] > 0" VERSION >shown' 'echo 2 >VERSION' 0
  refused 'echo tests/b | ./check' 'echo four >>tests/b'
  refused 'sed -n "1e cat lib/text.py" list.txt >shown' "$COMMENT"
  refused 'grep -rl one tests | wc -l >shown' 'echo one >tests/c'
  refused 'rg -l one tests | wc -l >shown' 'echo one >tests/c'
  refused 'n=$(ls migrations | tail -n 1 | cut -c1-4); : >migrations/0008_orders.sql' ': >migrations/0008_items.sql'
  refused 'cat "odd names/it'"'"'s \"odd\".txt" >shown' 'echo even >"odd names/it'"'"'s \"odd\".txt"' 'prints something else now'
  refused 'cat -- -dash >shown' 'echo dot >./-dash' 'prints something else now'
  refused 'jq "[., now][0] > 0" VERSION >shown' 'echo 2 >VERSION'
  refused 'ls -l --time-style=+%s tests >shown' 'echo four >>tests/b'
  refused './quiet-check' 'echo exit 1 >lib/quiet' 'fails now'
}
test_case 'a program that executes, counts, or reads another one'"'"'s output is held to what it looked at' shown

finish
