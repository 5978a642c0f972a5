#!/usr/bin/env bash
# Claude Code and Codex themselves, refused by what has really changed: their own conversation goes on, once, and
# lands. Run by ./dev agents --rounds.
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/lib.sh"

# Prints, of the first run and of the round, bytes that had not been sent before, with those answered.
shares() {
  python3 "$E2E_ROOT/tests/agents/bytes.py" "$WORLD/requests"
}
met_person() { # FILE TEXT
  wait_for "$WORLD/has-read" 120
  person_commits "$1" "$2"
  touch "$WORLD/go-on"
}
one_round() { # SUBJECT
  assert_eq "$(field .state)" landed "$OUT$ERR"
  assert_eq "$(field '[.repairs[] | "\(.rung) \(.subject): \(.result)"] | join("; ")')" "resume $1: landed" "$OUT$ERR"
  assert_eq "$(field '.repairs[0] | .command_ms > 0 and .tokens > 0')" true "$(field .repairs)"
  assert_eq "$(field .attempts)" "${2:-2}"
  local first again
  read -r first again < <(shares)
  echo "# the first run $first bytes, the round $again: $((again * 100 / first)) %"
  [ $((again * 100)) -le $((first * 30)) ] || fail "the round took $again bytes, the first run $first"
  assert_sound
}

claude_keeps() {
  new_repo
  model "{\"decides\": [
      [{\"tool\": \"Read\", \"input\": {\"file_path\": \"{HERE}/src/f1.txt\"}}],
      [{\"tool\": \"Bash\", \"input\": {\"command\": \"ls; grep -rn two src; cat src/f2.txt src/f3.txt\"}}],
      [{\"touch\": \"$WORLD/has-read\"}, {\"wait\": \"$WORLD/go-on\"},
       {\"tool\": \"Write\", \"input\": {\"file_path\": \"{HERE}/decided.txt\", \"content\": \"from f1\\n\"}}],
      [{\"text\": \"done\"}],
      [{\"text\": \"keep: it is right as it is\"}]]}"
  run_claude decides "$WORLD/claude" &
  local claude=$!
  met_person src/f1.txt 'another line'
  wait $claude || fail "claude: $(tail -n 5 "$WORLD/claude" "$WORLD/claude.err")"
  outcome "$WORLD/claude"
  one_round src/f1.txt
  assert_eq "$(show decided.txt)" 'from f1'
  local told
  told=$(jq -r 'select(.api == "messages") | .request.messages[-1] | tostring' "$WORLD/requests" | grep -F 'your change has not landed')
  assert_contains "$told" '+another line'
  assert_contains "$told" 'Read call toolu_'
}
test_case 'Claude Code is refused, its conversation goes on, it keeps its change, and it lands' claude_keeps 240

claude_patches() {
  new_repo
  model "{\"decides\": [
      [{\"tool\": \"Read\", \"input\": {\"file_path\": \"{HERE}/src/f1.txt\"}}],
      [{\"touch\": \"$WORLD/has-read\"}, {\"wait\": \"$WORLD/go-on\"},
       {\"tool\": \"Edit\", \"input\": {\"file_path\": \"{HERE}/src/f1.txt\", \"old_string\": \"line one of f1\", \"new_string\": \"mine\"}}],
      [{\"text\": \"done\"}],
      [{\"tool\": \"Bash\", \"input\": {\"command\": \"cat src/f1.txt\"}}],
      [{\"tool\": \"Bash\", \"input\": {\"command\": \"printf 'mine and theirs\\nline two of f1\\n' >src/f1.txt\"}}],
      [{\"text\": \"patch\"}]]}"
  run_claude decides "$WORLD/claude" &
  local claude=$!
  met_person src/f1.txt 'another line'
  wait $claude || fail "claude: $(tail -n 5 "$WORLD/claude" "$WORLD/claude.err")"
  outcome "$WORLD/claude"
  one_round src/f1.txt
  assert_contains "$(show src/f1.txt)" 'mine and theirs'
}
test_case 'Claude Code meets conflict markers, and resolves them' claude_patches 240

codex_keeps() {
  new_repo
  model "{\"decides\": [
      [{\"tool\": \"exec_command\", \"input\": {\"cmd\": \"cat src/f1.txt\"}}],
      [{\"tool\": \"exec_command\", \"input\": {\"cmd\": \"ls; grep -rn two src\"}}],
      [{\"touch\": \"$WORLD/has-read\"}, {\"wait\": \"$WORLD/go-on\"},
       {\"patch\": \"*** Begin Patch\\n*** Add File: decided.txt\\n+from f1\\n*** End Patch\\n\"}],
      [{\"text\": \"done\"}],
      [{\"text\": \"keep: it is right as it is\"}]]}"
  run_codex decides "$WORLD/codex" &
  local codex=$!
  met_person src/f1.txt 'another line'
  wait $codex || fail "codex: $(tail -n 5 "$WORLD/codex" "$WORLD/codex.err")"
  outcome "$WORLD/codex"
  one_round src/f1.txt
  assert_eq "$(show decided.txt)" 'from f1'
}
test_case 'Codex is refused, its conversation goes on, it keeps its change, and it lands' codex_keeps 240

GATE='[[gate]]
name = "good"
run = ["sh", "-c", "echo it wants good; grep -q good decided.txt"]'
claude_fails_a_gate() {
  new_repo
  policy "$GATE"
  model "{\"decides\": [
      [{\"tool\": \"Write\", \"input\": {\"file_path\": \"{HERE}/decided.txt\", \"content\": \"bad\\n\"}}],
      [{\"text\": \"done\"}],
      [{\"tool\": \"Bash\", \"input\": {\"command\": \"echo good >decided.txt\"}}],
      [{\"text\": \"patch\"}]]}"
  run_claude decides "$WORLD/claude" || fail "claude: $(tail -n 5 "$WORLD/claude" "$WORLD/claude.err")"
  outcome "$WORLD/claude"
  one_round good 1
  assert_eq "$(show decided.txt)" good
}
test_case 'Claude Code fails a gate, and is told what it printed' claude_fails_a_gate 240

codex_fails_a_gate() {
  new_repo
  policy "$GATE"
  model "{\"decides\": [
      [{\"patch\": \"*** Begin Patch\\n*** Add File: decided.txt\\n+bad\\n*** End Patch\\n\"}],
      [{\"text\": \"done\"}],
      [{\"tool\": \"exec_command\", \"input\": {\"cmd\": \"echo good >decided.txt\"}}],
      [{\"text\": \"patch\"}]]}"
  run_codex decides "$WORLD/codex" || fail "codex: $(tail -n 5 "$WORLD/codex" "$WORLD/codex.err")"
  outcome "$WORLD/codex"
  one_round good 1
  assert_eq "$(show decided.txt)" good
}
test_case 'Codex fails a gate, and is told what it printed' codex_fails_a_gate 240

# Leaves things as after a reboot: the state is kept, and no process is left.
all_die() { # AGENT
  local pid
  for pid in $(pgrep -P "$1") $(pgrep -f -- "SCRIPT:decides"); do
    kill -KILL -- "$pid" $(pgrep -P "$pid") 2>/dev/null || :
  done
  wait "$1" || :
  local n=0
  while pgrep -f -- "SCRIPT:decides" >/dev/null; do
    n=$((n + 1))
    [ $n -lt 100 ] || fail 'something is still running'
    sleep 0.1
  done
}
resumes() { # OUTPUT
  exits 0 git txn status --json
  ID=$(field '.transactions[0].txn')
  assert_eq "$(field '.transactions[0] | .state, .process' | xargs)" 'open null'
  clean git-txn resume "$ID" --json >"$1" 2>"$1.err" || fail "resume: $(tail -n 5 "$1" "$1.err")"
  outcome "$1"
  assert_eq "$(field '.outcome.state')" landed "$OUT$ERR"
  assert_eq "$(field '[.outcome.repairs[].rung] | join(" ")')" resume "$OUT$ERR"
  assert_eq "$(field '.outcome.repairs[0] | .command_ms > 0 and .tokens > 0')" true "$(field .outcome.repairs)"
  assert_eq "$(show decided.txt)" 'after it'
  assert_sound
}

claude_reboots() {
  new_repo
  model "{\"decides\": [
      [{\"tool\": \"Read\", \"input\": {\"file_path\": \"{HERE}/src/f1.txt\"}}],
      [{\"tool\": \"Write\", \"input\": {\"file_path\": \"{HERE}/decided.txt\", \"content\": \"before it\\n\"}}],
      [{\"touch\": \"$WORLD/has-read\"}, {\"wait\": \"$WORLD/never\"}, {\"text\": \"not reached\"}],
      [{\"tool\": \"Bash\", \"input\": {\"command\": \"echo 'after it' >decided.txt\"}}],
      [{\"text\": \"patch\"}]]}"
  run_claude decides "$WORLD/claude" &
  local claude=$!
  wait_for "$WORLD/has-read" 120
  all_die $claude
  person_commits src/f1.txt 'another line'
  touch "$WORLD/never"
  resumes "$WORLD/resumed"
}
test_case 'Claude Code goes on with its conversation after a reboot' claude_reboots 240

# The turn that the reboot cut off is the first one of the round.
codex_reboots() {
  new_repo
  model "{\"decides\": [
      [{\"tool\": \"exec_command\", \"input\": {\"cmd\": \"cat src/f1.txt\"}}],
      [{\"patch\": \"*** Begin Patch\\n*** Add File: decided.txt\\n+before it\\n*** End Patch\\n\"}],
      [{\"touch\": \"$WORLD/has-read\"}, {\"wait\": \"$WORLD/never\"},
       {\"tool\": \"exec_command\", \"input\": {\"cmd\": \"echo 'after it' >decided.txt\"}}],
      [{\"text\": \"patch\"}]]}"
  run_codex decides "$WORLD/codex" &
  local codex=$!
  wait_for "$WORLD/has-read" 120
  all_die $codex
  person_commits src/f1.txt 'another line'
  touch "$WORLD/never"
  resumes "$WORLD/resumed"
}
test_case 'Codex goes on with its conversation after a reboot' codex_reboots 240

# The requests after the edit was asked for say what the agent was told before it.
told_before_writing() {
  jq -r '.request | tostring' "$WORLD/requests" | grep -F 'git-txn: before you change src/f1.txt:' | grep -qF '+another line'
}
claude_is_told() {
  new_repo
  model "{\"decides\": [
      [{\"tool\": \"Read\", \"input\": {\"file_path\": \"{HERE}/src/f1.txt\"}}],
      [{\"touch\": \"$WORLD/has-read\"}, {\"wait\": \"$WORLD/go-on\"},
       {\"tool\": \"Edit\", \"input\": {\"file_path\": \"{HERE}/src/f1.txt\", \"old_string\": \"line one of f1\", \"new_string\": \"mine\"}}],
      [{\"text\": \"done\"}]]}"
  run_claude decides "$WORLD/claude" --repairs 0 --retries 0 &
  local claude=$!
  met_person src/f1.txt 'another line'
  wait $claude || :
  told_before_writing || fail "it was not told: $(jq -c '.request.messages[-1]' "$WORLD/requests" | tail -n 1 | cut -c1-2000)"
}
test_case 'Claude Code is told before its first edit that the branch has changed the file' claude_is_told 240

codex_is_told() {
  new_repo
  model "{\"decides\": [
      [{\"tool\": \"exec_command\", \"input\": {\"cmd\": \"cat src/f1.txt\"}}],
      [{\"touch\": \"$WORLD/has-read\"}, {\"wait\": \"$WORLD/go-on\"},
       {\"patch\": \"*** Begin Patch\\n*** Update File: src/f1.txt\\n@@\\n-line one of f1\\n+mine\\n*** End Patch\\n\"}],
      [{\"text\": \"done\"}]]}"
  run_codex decides "$WORLD/codex" --repairs 0 --retries 0 &
  local codex=$!
  met_person src/f1.txt 'another line'
  wait $codex || :
  told_before_writing || fail "it was not told: $(jq -c '.request.input[-1]' "$WORLD/requests" | tail -n 1 | cut -c1-2000)"
}
test_case 'Codex is told before its first edit that the branch has changed the file' codex_is_told 240

denied_edit() { # OUTPUT: it may have looked whether the file is there, so that it lands or not
  outcome "$1"
  exits 0 git txn diff "$(field .txn)"
  assert_contains "$OUT" '+++ b/other.txt'
  assert_lacks "$OUT" src/f1.txt
}
claude_is_denied() {
  new_repo
  echo 'first_write = "deny"' >.gittxn.toml
  git add .gittxn.toml
  git commit -qm policy
  model "{\"decides\": [
      [{\"touch\": \"$WORLD/has-read\"}, {\"wait\": \"$WORLD/go-on\"},
       {\"tool\": \"Write\", \"input\": {\"file_path\": \"{HERE}/src/f1.txt\", \"content\": \"mine\\n\"}}],
      [{\"tool\": \"Write\", \"input\": {\"file_path\": \"{HERE}/other.txt\", \"content\": \"x\\n\"}}],
      [{\"text\": \"done\"}]]}"
  run_claude decides "$WORLD/claude" --repairs 0 --retries 0 &
  local claude=$!
  met_person src/f1.txt 'another line'
  wait $claude || :
  denied_edit "$WORLD/claude"
}
test_case 'Claude Code is denied an edit by policy' claude_is_denied 240

codex_is_denied() {
  new_repo
  echo 'first_write = "deny"' >.gittxn.toml
  git add .gittxn.toml
  git commit -qm policy
  model "{\"decides\": [
      [{\"touch\": \"$WORLD/has-read\"}, {\"wait\": \"$WORLD/go-on\"},
       {\"patch\": \"*** Begin Patch\\n*** Update File: src/f1.txt\\n@@\\n-line one of f1\\n+mine\\n*** End Patch\\n\"}],
      [{\"patch\": \"*** Begin Patch\\n*** Add File: other.txt\\n+x\\n*** End Patch\\n\"}],
      [{\"text\": \"done\"}]]}"
  run_codex decides "$WORLD/codex" --repairs 0 --retries 0 &
  local codex=$!
  met_person src/f1.txt 'another line'
  wait $codex || :
  denied_edit "$WORLD/codex"
}
test_case 'Codex is denied an edit by policy' codex_is_denied 240

finish
