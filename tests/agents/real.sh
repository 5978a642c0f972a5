#!/usr/bin/env bash
# Claude Code and Codex themselves in transactions, driven by a scripted model on loopback (model.py).
# Run by ./dev agents, which sets AGENTS_BIN; as root in a network namespace where only lo is up.
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/lib.sh"

stale_read_of_claude() {
  new_repo
  model "{
    \"reader\": [[{\"tool\": \"Read\", \"input\": {\"file_path\": \"{HERE}/src/f1.txt\"}}],
      [{\"touch\": \"$WORLD/has-read\"}, {\"wait\": \"$WORLD/go-on\"},
       {\"tool\": \"Write\", \"input\": {\"file_path\": \"{HERE}/decided.txt\", \"content\": \"from f1\\n\"}}],
      [{\"text\": \"done\"}]],
    \"writer\": [[{\"wait\": \"$WORLD/has-read\"}, {\"tool\": \"exec_command\", \"input\": {\"cmd\": \"cat src/f2.txt\"}}],
      [{\"patch\": \"*** Begin Patch\\n*** Update File: src/f1.txt\\n@@\\n-line one of f1\\n+line one of f1, changed\\n*** End Patch\\n\"}],
      [{\"text\": \"done\"}]]}"
  run_claude reader "$WORLD/claude" --retries 0 --repairs 0 --name 'decide from f1' &
  local claude=$! status=0 n=0
  run_codex writer "$WORLD/codex" --name 'change f1' || fail "codex: $(cat "$WORLD/codex" "$WORLD/codex.err")"
  outcome "$WORLD/codex"
  assert_eq "$(field .state)" landed
  assert_eq "$(field '.writes[0].path')" src/f1.txt
  until git txn status --json | jq -e '.transactions[] | select(.name == "decide from f1") | .stale != []' >/dev/null; do
    n=$((n + 1))
    [ $n -lt 600 ] || fail "status never said that a read is stale: $(git txn status)"
    sleep 0.1
  done
  touch "$WORLD/go-on"
  wait $claude || status=$?
  outcome "$WORLD/claude"
  assert_eq "$status $(field .state)" '1 quarantined' "$ERR"
  assert_eq "$(field '.conflicts[0] | [.kind, .subject] | join(" ")')" 'read-stale src/f1.txt'
  # It was told before it ended, in answer to its next tool call.
  assert_contains "$(jq -r 'select(.api == "messages") | .request.messages | tostring' "$WORLD/requests")" \
    'what you read has changed on main'
  assert_eq "$(events_of "$(observed)")" \
    'SessionStart UserPromptSubmit PreToolUse PostToolUse PreToolUse PostToolUse Stop SessionEnd '
  assert_contains "$(cat "$(observed)/transcripts.jsonl")" '"source":"transcript"'
  assert_contains "$(git txn why "$(field .txn)")" 'line one of f1, changed'
  assert_contains "$(field '.conflicts[0].read_by')" 'Read call toolu_'
  assert_contains "$(git txn why "$(field .txn)")" 'read by Read call toolu_'
  assert_sound
}
test_case 'Claude Code decides on what Codex changes meanwhile: one lands, the other is told and refused' stale_read_of_claude 180

both_land() {
  new_repo
  model "{
    \"one\": [[{\"tool\": \"Read\", \"input\": {\"file_path\": \"{HERE}/src/f1.txt\"}}],
      [{\"tool\": \"Bash\", \"input\": {\"command\": \"grep -rn two src/f2.txt\"}}],
      [{\"tool\": \"Read\", \"input\": {\"file_path\": \"{HERE}/missing.txt\"}}],
      [{\"tool\": \"mcp__plugin_git-txn_txn__read\", \"input\": {\"path\": \"src/f4.txt\"}}],
      [{\"tool\": \"Write\", \"input\": {\"file_path\": \"{HERE}/one.txt\", \"content\": \"1\\n\"}}],
      [{\"text\": \"done\"}]],
    \"two\": [[{\"tool\": \"exec_command\", \"input\": {\"cmd\": \"cat src/f3.txt\"}}],
      [{\"tool\": \"read\", \"namespace\": \"mcp__txn\", \"input\": {\"path\": \"src/f5.txt\"}}],
      [{\"patch\": \"*** Begin Patch\\n*** Add File: two.txt\\n+2\\n*** End Patch\\n\"}],
      [{\"text\": \"done\"}]]}"
  run_claude one "$WORLD/claude" --keep --no-land &
  local claude=$!
  run_codex two "$WORLD/codex" --no-land || fail "codex: $(cat "$WORLD/codex" "$WORLD/codex.err")"
  wait $claude || fail "claude: $(tail -n 5 "$WORLD/claude" "$WORLD/claude.err")"
  outcome "$WORLD/claude"
  assert_eq "$(field .state)" open "$ERR"
  assert_eq "$(field .read_set.status)" complete "$(field .read_set.reason)"
  assert_contains "$(cat "$(observed)/mcp.jsonl")" src/f4.txt
  assert_lacks "$(git txn reads --json "$(field .txn)" | jq -r .kind | sort -u)" tree
  exits 0 git txn commit "$(field .txn)"
  outcome "$WORLD/codex"
  assert_contains "$(cat "$(observed)/mcp.jsonl")" src/f5.txt
  assert_eq "$(events_of "$(observed)")" \
    'SessionStart UserPromptSubmit PreToolUse PostToolUse PreToolUse PostToolUse PreToolUse PostToolUse Stop SessionEnd '
  assert_contains "$(cat "$(observed)/transcripts.jsonl")" 'cat src/f3.txt'
  exits 0 git txn commit "$(field .txn)"
  assert_eq "$(show one.txt) $(show two.txt)" '1 2'
  # Nothing of theirs was configured.
  assert_absent "$WORLD/person/.claude/settings.json"
  [ -z "$(find "$WORLD/person/.codex" -name config.toml)" ] || fail 'a config.toml was made'
  assert_sound
}
test_case 'Claude Code and Codex at once, each in its own transaction, both land with complete reads' both_land 180

# Each is shown the whole file, and edits another function of it.
one_file() {
  new_repo
  printf 'def one():\n    return 1\n\n\ndef two():\n    return 2\n\n\ndef three():\n    return 3\n' >src/code.py
  git add -A
  git commit -qm code
  model "{
    \"one\": [[{\"tool\": \"Read\", \"input\": {\"file_path\": \"{HERE}/src/code.py\"}}],
      [{\"tool\": \"Bash\", \"input\": {\"command\": \"sed -n 1,3p src/code.py\"}}],
      [{\"tool\": \"Edit\", \"input\": {\"file_path\": \"{HERE}/src/code.py\", \"old_string\": \"return 1\", \"new_string\": \"return 11\"}}],
      [{\"touch\": \"$WORLD/one-is-there\"}, {\"wait\": \"$WORLD/go-on\"}, {\"tool\": \"Bash\", \"input\": {\"command\": \"git status --short\"}}],
      [{\"text\": \"done\"}]],
    \"two\": [[{\"tool\": \"exec_command\", \"input\": {\"cmd\": \"cat src/code.py\"}}],
      [{\"patch\": \"*** Begin Patch\\n*** Update File: src/code.py\\n@@\\n-    return 3\\n+    return 33\\n*** End Patch\\n\"}],
      [{\"touch\": \"$WORLD/two-is-there\"}, {\"wait\": \"$WORLD/go-on\"}, {\"tool\": \"exec_command\", \"input\": {\"cmd\": \"git status --short\"}}],
      [{\"text\": \"done\"}]]}"
  run_claude one "$WORLD/claude" --retries 0 --repairs 0 &
  local claude=$!
  run_codex two "$WORLD/codex" --retries 0 --repairs 0 &
  local codex=$!
  wait_for "$WORLD/one-is-there" 120
  wait_for "$WORLD/two-is-there" 120
  touch "$WORLD/go-on"
  wait $claude || fail "claude: $(tail -n 5 "$WORLD/claude" "$WORLD/claude.err")"
  wait $codex || fail "codex: $(tail -n 5 "$WORLD/codex" "$WORLD/codex.err")"
  assert_contains "$(show src/code.py)" 'return 11'
  assert_contains "$(show src/code.py)" 'return 33'
  assert_sound
}
test_case 'Claude Code and Codex that read one file and edit another function of it each land in one run' one_file 240

# As the README has it: nobody can be asked, and the tools that were added for the run are granted.
granted() {
  new_repo
  model "{
    \"asks\": [[{\"tool\": \"mcp__plugin_git-txn_txn__read\", \"input\": {\"path\": \"src/f4.txt\"}}],
      [{\"tool\": \"mcp__plugin_git-txn_txn__search\", \"input\": {\"pattern\": \"two of f5\", \"path\": \"src\"}}],
      [{\"tool\": \"mcp__plugin_git-txn_txn__declare_read\", \"input\": {\"paths\": [\"README\"]}}],
      [{\"text\": \"done\"}]]}"
  clean git-txn run --json --no-land -- claude "${CLAUDE_OWN[@]}" -p 'SCRIPT:asks' --output-format stream-json --verbose \
    >"$WORLD/claude" 2>"$WORLD/claude.err" || fail "claude: $(tail -n 5 "$WORLD/claude" "$WORLD/claude.err")"
  outcome "$WORLD/claude"
  assert_contains "$(cat "$WORLD/claude.err")" 'line two of f4'
  assert_contains "$(cat "$WORLD/claude.err")" 'src/f5.txt:2:line two of f5'
  assert_contains "$(git txn reads "$(field .txn)" --json | jq -r '"\(.kind) \(.subject) \(.source)"')" 'content README declared'
}
CLAUDE_OWN=(--model sonnet)
test_case 'Claude Code is granted the tools that were added for its run' granted 180
CLAUDE_OWN=(--allowedTools Read)
test_case 'and beside those that its user grants' granted 180

isolated() {
  new_repo
  model "{
    \"parent\": [[{\"tool\": \"Read\", \"input\": {\"file_path\": \"{HERE}/src/f1.txt\"}}],
      [{\"tool\": \"Agent\", \"input\": {\"description\": \"x\", \"prompt\": \"SCRIPT:child\", \"subagent_type\": \"general-purpose\",
        \"run_in_background\": false, \"isolation\": \"worktree\"}}],
      [{\"tool\": \"Bash\", \"input\": {\"command\": \"cat child.txt >parent.txt\"}}],
      [{\"text\": \"done\"}]],
    \"child\": [[{\"tool\": \"Bash\", \"input\": {\"command\": \"cat src/f2.txt; git status --short\"}}],
      [{\"tool\": \"Write\", \"input\": {\"file_path\": \"{HERE}/child.txt\", \"content\": \"by the child\\n\"}}],
      [{\"text\": \"child done\"}]]}"
  run_claude parent "$WORLD/claude" || fail "claude: $(tail -n 3 "$WORLD/claude" "$WORLD/claude.err" | cut -c1-2000)"
  outcome "$WORLD/claude"
  assert_eq "$(field '.state + " " + .read_set.status')" 'landed complete' "$(field .read_set.reason)"
  assert_eq "$(show parent.txt) $(show child.txt)" 'by the child by the child'
  assert_contains "$(git txn reads --json "$(field .txn)" | jq -r .subject)" src/f2.txt
  assert_contains "$(cat "$WORLD/requests")" 'is now in your worktree: child.txt'
  assert_sound
}
test_case 'an isolated sub-agent of Claude Code works in a child, and its change and reads go to its parent' isolated 180

finish
