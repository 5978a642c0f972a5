#!/usr/bin/env bash
# Four of Claude Code and four of Codex at once, each with a part of the repository of its own, and a person who
# commits beside them: all of them land, in one run each. And what may not land: what was decided on a file or an
# answer that is another one now, by whatever way the agent came to know it. Run by ./dev agents --together.
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/lib.sh"
MODEL_PATIENCE_S=400  # eight agents start at a time
export MODEL_PATIENCE_S

CLAUDES='ant bee cat dog' CODEXES='elk fox gnu hen'

# A package of eight parts with a test each, and documents that have names and no numbers.
parts_repo() {
  new_repo
  mkdir -p lib test
  local part
  : >lib/__init__.py
  : >test/__init__.py
  for part in $CLAUDES $CODEXES; do
    printf 'def %s():\n    """Say the name."""\n    return "%s"\n' $part $part >lib/$part.py
    printf 'LEGS = 2\nNAME = "%s"\n' $part >lib/${part}_facts.py
    printf 'import unittest\n\nfrom lib.%s import %s\n\n\nclass %s(unittest.TestCase):\n    def test_name(self):\n        self.assertTrue(%s())\n' \
      $part $part ${part^} $part >test/test_$part.py
  done
  printf '__pycache__/\n' >>.gitignore
  echo index >docs/index.md
  git add -A
  git commit -qm parts
}

# The work of one agent, as a script of the model. They have all looked before the first one lands. LISTS: each also
# lists the folder that it adds a file to.
LISTS=''
claude_work() { # PART
  local listing=''
  [ -z "$LISTS" ] || listing='  [{"tool": "Bash", "input": {"command": "ls docs", "description": "documents"}}],'
  cat <<SCRIPT
"$1": [
  [{"tool": "Read", "input": {"file_path": "{HERE}/lib/$1.py"}}],
  [{"tool": "Edit", "input": {"file_path": "{HERE}/lib/$1.py", "old_string": "Say the name.", "new_string": "Say my name."}}],
  [{"tool": "Bash", "input": {"command": "sed -i s/2/4/ lib/$1_facts.py", "description": "legs"}}],
  [{"tool": "Bash", "input": {"command": "grep -rn 'def $1' lib", "description": "where it is"}}],
  [{"tool": "Bash", "input": {"command": "python3 -m unittest -q", "description": "tests"}}],
$listing
  [{"tool": "Write", "input": {"file_path": "{HERE}/docs/$1.md", "content": "About the $1.\n"}}],
  [{"touch": "$WORLD/has-looked-$1"}, {"wait": "$WORLD/go-on"},
   {"tool": "Bash", "input": {"command": "git add -A && git commit -qm 'About the $1'", "description": "commit"}}],
  [{"text": "done"}]]
SCRIPT
}
codex_work() { # PART
  local listing=''
  [ -z "$LISTS" ] || listing='  [{"tool": "exec_command", "input": {"cmd": "ls docs"}}],'
  cat <<SCRIPT
"$1": [
  [{"tool": "exec_command", "input": {"cmd": "cat lib/$1.py"}}],
  [{"patch": "*** Begin Patch\n*** Update File: lib/$1.py\n@@\n-    \"\"\"Say the name.\"\"\"\n+    \"\"\"Say my name.\"\"\"\n*** End Patch\n"}],
  [{"tool": "exec_command", "input": {"cmd": "sed -i s/2/4/ lib/$1_facts.py"}}],
  [{"tool": "exec_command", "input": {"cmd": "rg -n 'def $1' lib"}}],
  [{"tool": "exec_command", "input": {"cmd": "python3 -m unittest -q"}}],
$listing
  [{"patch": "*** Begin Patch\n*** Add File: docs/$1.md\n+About the $1.\n*** End Patch\n"}],
  [{"touch": "$WORLD/has-looked-$1"}, {"wait": "$WORLD/go-on"},
   {"tool": "exec_command", "input": {"cmd": "git add -A && git commit -qm 'About the $1'"}}],
  [{"text": "done"}]]
SCRIPT
}
script_of_all() {
  local part comma=''
  echo '{'
  for part in $CLAUDES; do printf '%s' "$comma"; claude_work $part; comma=,; done
  for part in $CODEXES; do printf '%s' "$comma"; codex_work $part; comma=,; done
  echo '}'
}
refused_by() { # FILE: what stands in the way, a line each
  outcome "$1"
  field '"\(.txn) \(.state)", (.conflicts[]? | "  \(.kind) \(.subject): \(.hint); \(.read_by // "")")'
}

together() {
  parts_repo
  model "$(script_of_all)"
  local part failed=0
  for part in $CLAUDES; do run_claude $part "$WORLD/out.$part" --retries 0 --repairs 0 --name "the $part" & done
  for part in $CODEXES; do run_codex $part "$WORLD/out.$part" --retries 0 --repairs 0 --name "the $part" & done
  for part in $CLAUDES $CODEXES; do wait_for "$WORLD/has-looked-$part" 400; done
  person_commits README 'hello, you'
  person_commits notes/today.txt 'nothing to do with it'
  touch "$WORLD/go-on"
  sleep 1
  person_commits notes/later.txt 'nor this'
  wait $(jobs -p | grep -v "^$MODEL_PID\$")
  for part in $CLAUDES $CODEXES; do
    outcome "$WORLD/out.$part"
    [ "$(field '.state + " " + .read_set.status')" = 'landed complete' ] || { refused_by "$WORLD/out.$part" >&2; failed=1; }
  done
  [ $failed = 0 ] || fail 'not all of them landed'
  for part in $CLAUDES $CODEXES; do
    assert_eq "$(show docs/$part.md)" "About the $part."
    assert_contains "$(show lib/${part}_facts.py)" 'LEGS = 4'
  done
  assert_sound
}
test_case 'four of Claude Code and four of Codex land in one run each, beside a person' together 1500

# ---- what may not land ----------------------------------------------------------------------------------------------
# Claude Code comes to know FILE in some way, somebody changes it, and it writes what it decided.
decided_on() { # SCRIPT [OPTION...]: its turns; the file is src/f1.txt, and the last turn waits for $WORLD/go-on
  local script=$1 status=0
  shift
  model "$script"
  run_claude "${PROMPT:-decides}" "$WORLD/claude" --retries 0 --repairs 0 "$@" &
  local claude=$!
  wait_for "$WORLD/has-looked" 120
  person_commits src/f1.txt 'another line'
  person_commits notes/today.txt 'nothing to do with it'
  touch "$WORLD/go-on"
  wait $claude || status=$?
  outcome "$WORLD/claude"
  assert_eq "$status $(field .state)" '1 quarantined' "$ERR"
  [ -z "${SUBJECT-src/f1.txt}" ] || assert_eq "$(field '[.conflicts[].subject] | unique | join(" ")')" src/f1.txt
  assert_sound
  outcome "$WORLD/claude"
}
THEN_WRITES() { # PART: the turns in which it decides
  echo "[{\"touch\": \"$WORLD/has-looked\"}, {\"wait\": \"$WORLD/go-on\"},
    {\"tool\": \"Write\", \"input\": {\"file_path\": \"{HERE}/decided.txt\", \"content\": \"so\\n\"}}], [{\"text\": \"done\"}]"
}
by_sub_agent() {
  new_repo
  decided_on "{\"decides\": [[{\"tool\": \"Agent\", \"input\": {\"description\": \"x\", \"prompt\": \"SCRIPT:looks\",
      \"subagent_type\": \"general-purpose\", \"run_in_background\": false}}], $(THEN_WRITES)],
    \"looks\": [[{\"tool\": \"Read\", \"input\": {\"file_path\": \"{HERE}/src/f1.txt\"}}], [{\"text\": \"it says one\"}]]}"
  assert_contains "$(field '[.conflicts[].read_by] | join(" ")')" 'sub-agent'
}
test_case 'what a sub-agent of Claude Code read, and its parent decided on, is refused' by_sub_agent 180

by_mention() {
  new_repo
  PROMPT='decides after a look at @src/f1.txt'
  decided_on "{\"decides\": [$(THEN_WRITES)]}"
}
test_case 'what was put before Claude Code by a mention is refused' by_mention 180

by_directory() {
  new_repo
  PROMPT='decides after a look at @docs/'
  model "{\"decides\": [$(THEN_WRITES)]}"
  local status=0
  run_claude "$PROMPT" "$WORLD/claude" --retries 0 --repairs 0 --isolation strict &
  local claude=$!
  wait_for "$WORLD/has-looked" 120
  person_commits docs/more.md 'more'
  touch "$WORLD/go-on"
  wait $claude || status=$?
  outcome "$WORLD/claude"
  assert_eq "$status $(field .state)" '1 quarantined' "$ERR"
  assert_contains "$(field '[.conflicts[].subject] | join(" ")')" docs
}
test_case 'at strict a folder that was mentioned has to hold' by_directory 180

by_answer() {
  new_repo
  printf 'import unittest\n\n\nclass T(unittest.TestCase):\n    def test_one(self):\n        self.assertIn("one", open("src/f1.txt").read())\n' >test_one.py
  git add test_one.py
  git commit -qm 'a test'
  SUBJECT='' decided_on "{\"decides\": [[{\"tool\": \"Bash\", \"input\": {\"command\": \"python3 -m unittest -q\"}}], $(THEN_WRITES)]}"
  assert_contains "$(field '[.conflicts[].read_by] | join(" ")')" 'unittest -q'
}
test_case 'a run of the tests that passed, and fails now, is refused' by_answer 180

by_search() {
  new_repo
  decided_on "{\"decides\": [[{\"tool\": \"Bash\", \"input\": {\"command\": \"grep -rn 'line one' src\"}}], $(THEN_WRITES)]}"
}
test_case 'a search by the grep of Claude Code that finds something else now is refused' by_search 180

# A conversation goes on where its directory is, in a transaction that is kept open; and in the script where it was.
resumed() {
  new_repo
  model "{\"looks\": [[{\"tool\": \"Read\", \"input\": {\"file_path\": \"{HERE}/src/f1.txt\"}}],
      [{\"tool\": \"Bash\", \"input\": {\"command\": \"echo kept >kept.txt\"}}], [{\"text\": \"looked\"}], $(THEN_WRITES)]}"
  run_claude looks "$WORLD/first" --no-land --keep || fail "claude: $(tail -n 3 "$WORLD/first" "$WORLD/first.err")"
  outcome "$WORLD/first"
  local id session status=0
  id=$(field .txn)
  session=$(jq -rn 'first(inputs | .event.session_id // empty)' "$(observed)/hooks.jsonl")
  clean git-txn exec "$id" -- claude -p --resume "$session" 'go on' --output-format stream-json --verbose \
    --dangerously-skip-permissions >"$WORLD/claude" 2>"$WORLD/claude.err" &
  local claude=$!
  wait_for "$WORLD/has-looked" 120
  person_commits src/f1.txt 'another line'
  touch "$WORLD/go-on"
  wait $claude || fail "resumed: $(tail -n 3 "$WORLD/claude" "$WORLD/claude.err")"
  exits 1 git txn commit --json --retries 0 "$id"
  assert_eq "$(field .state)" quarantined "$ERR"
  assert_contains "$(field '[.conflicts[].subject] | unique | join(" ")')" src/f1.txt
}
test_case 'what a conversation had read before it was resumed is refused' resumed 240

together_listing() {
  LISTS=yes
  together
}
test_case 'eight that list the folder to which each of them adds a file land in one run each' together_listing 1500

finish
