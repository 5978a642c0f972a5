#!/usr/bin/env bash
# Agents in transactions: hooks that are added for one run, what they note, and everything that is no
# proper event. The agents are tests/agents/fake-*, which speak as the real ones were seen to;
# ./dev agents runs the real ones.
. "$(dirname "$0")/lib.sh"

# In every case: claude and codex on PATH.
with_agents() {
  new_repo
  ln -s "$E2E_ROOT/tests/agents/fake-claude" "$WORLD/bin/claude"
  printf '#!/bin/sh\nexec python3 "%s" "$@"\n' "$E2E_ROOT/tests/agents/fake_codex.py" >"$WORLD/bin/codex"
  chmod +x "$WORLD/bin/codex"
}
# claude_run SCRIPT [OPTION...]: like `agent`, with the script as the prompt of a claude
claude_run() {
  local script=$1
  shift
  CODE=0
  git txn run --json "$@" -- claude -p "$script" >"$WORLD/run.out" 2>"$WORLD/run.err" </dev/null || CODE=$?
  OUT=$(cat "$WORLD/run.out") ERR=$(cat "$WORLD/run.err")
}
observed() { # of the transaction in the last outcome
  echo "$(git txn open -q "$(field .txn)")/../observed"
}
# An open transaction with a place for observations, as if a command of it were running.
observing() {
  ID=$(git txn begin -q)
  exits 0 git txn exec "$ID" -- true
  GIT_TXN_OBSERVED=$(readlink -f "$(git txn open -q "$ID")/../observed")
  export GIT_TXN_OBSERVED
}

history_of() { git txn why --json "$1" | jq -r '.history[]'; }

claude_reports() {
  with_agents
  claude_run 'Read src/f1.txt; Read missing.txt; Bash "cat README"; Write new.txt hello' --no-land
  assert_eq "$CODE $(field .state)" '0 open' "run: $ERR"
  local log
  log=$(observed)/hooks.jsonl
  assert_eq "$(jq -r .event.hook_event_name "$log" | tr '\n' ' ')" "SessionStart UserPromptSubmit PreToolUse\
 PostToolUse PreToolUse PostToolUseFailure PreToolUse PostToolUse PostToolUse Stop SessionEnd "
  assert_contains "$(cat "$(observed)/transcripts.jsonl")" 'claude-fake'
  assert_eq "$(field '.notes // [] | length')" 0 'nothing to complain of'
  exits 0 git txn commit "$(field .txn)"
  assert_eq "$(show new.txt)" hello
  assert_sound
}
test_case 'claude reports by hooks that are added for its run, and its session file is read after it' claude_reports

no_user_file_changes() {
  with_agents
  mkdir -p "$HOME/.claude" "$HOME/.codex"
  echo '{"hooks": {}}' >"$HOME/.claude/settings.json"
  echo 'model = "x"' >"$HOME/.codex/config.toml"
  local before
  before=$(sha256sum "$HOME/.claude/settings.json" "$HOME/.codex/config.toml" "$HOME/.gitconfig")
  claude_run 'Write new.txt hello'
  assert_eq "$CODE" 0 "$ERR"
  exits 0 git txn run -q -- codex exec 'echo x >other.txt'
  assert_eq "$(sha256sum "$HOME/.claude/settings.json" "$HOME/.codex/config.toml" "$HOME/.gitconfig")" "$before"
  assert_eq "$(git ls-tree -r --name-only main | grep -cE 'plugin|hooks.json' || [ $? = 1 ])" 0
  assert_clean_checkout
}
test_case 'one-line use changes no file of the user, and nothing of it lands' no_user_file_changes

codex_reports() {
  with_agents
  exits 0 git txn run --json --no-land -- codex exec 'cat src/f2.txt; echo x >new.txt'
  local log
  log=$(observed)/hooks.jsonl
  assert_eq "$(jq -r .event.hook_event_name "$log" | tr '\n' ' ')" \
    'SessionStart UserPromptSubmit PreToolUse PostToolUse Stop SessionEnd '
  assert_contains "$(cat "$(observed)/transcripts.jsonl")" 'cat src/f2.txt'
}
test_case 'codex trusts the hooks of its run by their hashes, and its rollout is read' codex_reports

may_be_off() {
  with_agents
  claude_run 'Write new.txt 1' --no-land --no-inject
  assert_absent "$(observed)/hooks.jsonl"
  git config txn.inject false
  claude_run 'Write new.txt 2' --no-land
  assert_absent "$(observed)/hooks.jsonl"
  git config txn.inject nonsense
  claude_run 'Write new.txt 3' --no-land
  [ "$CODE" != 0 ] || fail 'a setting that makes no sense is not passed over'
}
test_case '--no-inject and txn.inject leave an agent as it is' may_be_off

says_when_off() {
  with_agents
  exits 0 git txn run --no-land -- claude --bare -p 'Write new.txt 1'
  assert_contains "$ERR" '--bare switches the hooks of claude off'
  assert_contains "$ERR" 'no hook of claude-code has reported'
  # Killed before its end: no SessionEnd.
  exits 1 git txn run --no-land -- claude -p 'Write new.txt 1; kill -9 $$'
  assert_contains "$ERR" 'has no end on record'
}
test_case 'it is said when an agent runs without hooks or ends without a word' says_when_off

wrapped() {
  with_agents
  exits 0 git txn run --json --no-land -- env -u NOTHING FAKE_SESSION=wrapped timeout 60 claude -p 'Write new.txt 1'
  assert_contains "$(cat "$(observed)/hooks.jsonl")" '"session_id":"wrapped"'
  # Its environment cleaned, the hooks still know where to write.
  mv "$WORLD/bin/claude" "$WORLD/bin/claude-real"
  printf '#!/bin/sh\nexec env -i PATH="$PATH" HOME="$HOME" claude-real "$@"\n' >"$WORLD/bin/claude"
  chmod +x "$WORLD/bin/claude"
  claude_run 'Write new.txt 1' --no-land
  assert_contains "$(cat "$(observed)/hooks.jsonl")" SessionEnd
}
test_case 'an agent behind env and timeout, and one that cleans its environment, report as well' wrapped

two_with_one_session() {
  with_agents
  export FAKE_SESSION=../../same/session
  claude_run 'Read src/f1.txt; Write a.txt 1' --no-land
  local first
  first=$(observed)
  claude_run 'Read src/f2.txt; Write b.txt 1' --no-land
  assert_eq "$(jq -r '.event.session_id // empty' "$first/hooks.jsonl" "$(observed)/hooks.jsonl" | sort -u)" \
    ../../same/session
  assert_lacks "$(cat "$first/hooks.jsonl")" f2.txt
  assert_lacks "$(cat "$(observed)/hooks.jsonl")" f1.txt
  assert_eq "$(cd "$first" && echo *.jsonl)" 'hooks.jsonl transcripts.jsonl'
}
test_case 'two agents with one session id, with slashes in it, are kept apart' two_with_one_session

hook_of_nothing() {
  new_repo
  exits 0 git txn hook PostToolUse <<<'{"hook_event_name": "PostToolUse"}'
  assert_eq "$OUT$ERR" ''
  exits 0 git txn hook PostToolUse </dev/null
  assert_absent .git/txn
  cd "$WORLD" && mkdir gone && cd gone && rmdir "$WORLD/gone"
  exits 0 git-txn hook PostToolUse <<<'{}'
  exits 3 git-txn hook <<<'{}'
}
test_case 'a hook outside a transaction does nothing, wherever it is' hook_of_nothing

hook_of_anything() {
  new_repo
  observing
  local event
  for event in '' '{' 'null' '[]' '"x"' '{"hook_event_name":7,"session_id":{"a":[]}}' '{"a":"\ud800"}' \
    "$(printf '{"tool_input":{"file_path":"%s"}}' "$(printf '../%.0s' {1..3000})")" \
    "$(printf '[%.0s' {1..20000})" '{"session_id":"\u0000/../..","hook_event_name":"PostToolUse"}'; do
    printf '%s' "$event" >"$WORLD/event"
    exits 0 git txn hook PostToolUse <"$WORLD/event"
    assert_eq "$OUT$ERR" ''
  done
  head -c 2000 /dev/urandom >"$WORLD/event"
  exits 0 git txn hook PreToolUse <"$WORLD/event"
  { printf '{"hook_event_name":"PostToolUse","tool_response":"'; head -c 40000000 /dev/zero | tr '\0' x; printf '"}'; } >"$WORLD/event"
  exits 0 git txn hook PostToolUse <"$WORLD/event"
  exits 0 git txn hook PostToolUse < <(cat "$WORLD/event")  # a writer that must not get EPIPE
  assert_eq "$OUT$ERR" ''
  assert_eq "$(wc -l <"$GIT_TXN_OBSERVED/hooks.jsonl")" 13
  assert_eq "$(jq -c .v "$GIT_TXN_OBSERVED/hooks.jsonl" | sort -u)" 1 'every line is JSON'
  [ "$(wc -L <"$GIT_TXN_OBSERVED/hooks.jsonl")" -le 65536 ] || fail 'a line is too long'
  exits 0 git txn exec "$ID" -- true
}
test_case 'malformed, truncated, gigantic and hostile events are noted as what they are' hook_of_anything

hook_cannot_write() {
  new_repo
  observing
  ln -s /dev/full "$GIT_TXN_OBSERVED/hooks.jsonl"
  exits 0 git txn hook PostToolUse <<<'{"hook_event_name":"PostToolUse"}'
  assert_contains "$ERR" 'not recorded'
  assert_contains "$ERR" 'No space left'
  rm "$GIT_TXN_OBSERVED/hooks.jsonl"
  mkdir "$GIT_TXN_OBSERVED/hooks.jsonl"
  exits 0 git txn hook PostToolUse <<<'{"hook_event_name":"PostToolUse"}'
  assert_contains "$ERR" 'not recorded'
  exits 0 git txn hook PostToolUse --into "$WORLD/nowhere" <<<'{}'
  assert_contains "$ERR" 'has ended'
  assert_absent "$WORLD/nowhere"
  # Its output closed, its error closed.
  exits 0 bash -c 'git-txn hook PostToolUse --into /nowhere <<<"{}" >&- 2>&-'
}
test_case 'a hook that cannot write says so and exits 0' hook_cannot_write

hook_after_the_end() {
  with_agents
  claude_run 'Write new.txt 1; printf "%s\n" "$GIT_TXN_OBSERVED" >"$WORLD/place"'
  assert_eq "$CODE $(field .state)" '0 landed' "$ERR"
  local place
  place=$(cat "$WORLD/place")
  GIT_TXN_OBSERVED=$place exits 0 git txn hook Stop <<<'{"hook_event_name":"Stop"}'
  assert_contains "$ERR" 'has ended'
  assert_absent "$place"
  assert_sound
}
test_case 'a hook that fires after its transaction has ended makes nothing' hook_after_the_end

hooks_at_once() {
  new_repo
  observing
  local i pids=()
  for i in {1..20}; do
    (for _ in 1 2 3 4 5; do printf '{"session_id":"s%s","hook_event_name":"Stop"}' "$i" | git-txn hook Stop; done) &
    pids+=($!)
  done
  for i in "${pids[@]}"; do wait "$i"; done
  assert_eq "$(jq -r .event.session_id "$GIT_TXN_OBSERVED/hooks.jsonl" | sort | uniq -c | awk '{print $1}' | sort -u)" 5
}
test_case 'many hooks at once lose no event' hooks_at_once

otel_import() {
  new_repo
  cat >"$WORLD/spans.json" <<'JSON'
{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"execute_tool","attributes":[
 {"key":"gen_ai.tool.name","value":{"stringValue":"read_file"}},
 {"key":"gen_ai.tool.call.arguments","value":{"stringValue":"{\"path\":\"src/f1.txt\"}"}}]}]}]}]}
JSON
  exits 3 git txn capture import --otel "$WORLD/spans.json"
  assert_contains "$ERR" 'no transaction is open'
  open_work 'echo x >new.txt'
  exits 0 git txn capture import --otel "$WORLD/spans.json" --json
  assert_eq "$(field .txn) $(field .observations)" "$ID 1"
  assert_contains "$(cat "$(git txn open -q "$ID")/../observed/otel.jsonl")" src/f1.txt
  exits 3 git txn capture import --otel README "$ID"
  exits 3 git txn capture import "$ID"
  exits 0 git txn exec "$ID" -- git-txn capture import -q --otel "$WORLD/spans.json"
  assert_eq "$(grep -c f1.txt "$(git txn open -q "$ID")/../observed/otel.jsonl")" 2
  exits 0 git txn commit "$ID"
  exits 3 git txn capture import --otel "$WORLD/spans.json" "$ID"
  assert_contains "$ERR" 'settled'
}
test_case 'spans of a framework are imported into an open transaction' otel_import

isolated_child() {
  with_agents
  claude_run 'Read src/f1.txt
    Isolated a1 "Read src/f2.txt; Write sub/new.txt hello; Write src/f3.txt \"by the child\"; git log -1 --format=%s >/dev/null"
    printf "%s" "$told" >"$WORLD/told"; cp src/f3.txt "$WORLD/seen"; Write mine.txt 1' --no-land
  assert_eq "$CODE $(field .state)" '0 open' "$ERR"
  assert_eq "$(field .read_set.status)" complete "$(field .read_set.reason)"
  assert_contains "$(cat "$WORLD/told")" 'the change of agent-a1 is now in your worktree: src/f3.txt, sub/new.txt'
  assert_file "$WORLD/seen" 'by the child'
  local id
  id=$(field .txn)
  assert_eq "$(field '[.writes[].path] | join(" ")')" 'mine.txt src/f3.txt sub/new.txt'
  # The child's reads are its parent's.
  assert_contains "$(git txn reads --json "$id" | jq -r 'select(.kind == "content") | .subject')" src/f2.txt
  assert_contains "$(history_of "$id")" 'the worktree of agent-a1: joined'
  person_commits src/f2.txt 'changed by hand'
  exits 1 git txn commit "$id"
  assert_contains "$(git txn why "$id")" src/f2.txt
  assert_sound
}
test_case 'an isolated sub-agent gets a child whose change and reads become those of its parent' isolated_child

child_in_conflict() {
  with_agents
  claude_run 'Isolated a1 "Read src/f1.txt; Write one.txt 1; (cd \$here && echo parent >>src/f1.txt)"
    printf "%s" "$told" >"$WORLD/told"
    Isolated a2 "Write two.txt 2"; printf "%s" "$told" >"$WORLD/told-2"'
  assert_eq "$CODE $(field .state)" '0 landed' "$ERR"
  assert_contains "$(cat "$WORLD/told")" 'agent-a1 (one.txt) is not in your worktree: you have changed what it read or wrote (src/f1.txt)'
  assert_contains "$(cat "$WORLD/told-2")" 'agent-a2 is now in your worktree: two.txt'
  assert_lacks "$(git ls-tree -r --name-only main)" one.txt
  assert_eq "$(show two.txt)" 2
  assert_eq "$(git show "refs/txn/$(field .txn)/child-1-1:one.txt")" 1
  assert_contains "$ERR$(field '.notes // [] | join(" ")')" 'did not get into its parent'
  assert_sound
}
test_case "a child that read what its parent has changed since is kept beside it, and the parent is told" child_in_conflict

child_beside_its_parent() {
  with_agents
  printf '%s\n' 'def one():' '    return 1' '' '' 'def two():' '    return 2' '' '' 'def three():' '    return 3' >src/code.py
  git add -A
  git commit -qm code
  claude_run 'Isolated a1 "sed -i s/1/11/ src/code.py; (cd \$here && sed -i s/3/33/ src/code.py)"
    printf "%s" "$told" >"$WORLD/told"
    Isolated a2 "sed -i s/2/22/ src/code.py; (cd \$here && sed -i s/2/222/ src/code.py)"
    printf "%s" "$told" >"$WORLD/told-2"'
  assert_eq "$CODE $(field .state)" '0 landed' "$ERR"
  assert_contains "$(cat "$WORLD/told")" 'agent-a1 is now in your worktree: src/code.py'
  assert_contains "$(show src/code.py)" 'return 11'
  assert_contains "$(show src/code.py)" 'return 33'
  assert_contains "$(cat "$WORLD/told-2")" 'agent-a2 (src/code.py) is not in your worktree'
  assert_contains "$(show src/code.py)" 'return 222'
  assert_sound
}
test_case 'a child that changed another function of one file gets into its parent, one that changed the same does not' \
  child_beside_its_parent

child_never_ended() {
  with_agents
  FAKE_KILL=1 claude_run 'Isolated a1 "Write lost.txt 1"; Write mine.txt 1'
  assert_eq "$CODE $(field .state)" '0 landed' "$ERR"
  assert_eq "$(git show "refs/txn/$(field .txn)/child-1-1:lost.txt")" 1
  assert_lacks "$(git ls-tree -r --name-only main)" lost.txt
  # One that has no more to say, twice; and a name with slashes.
  claude_run 'event WorktreeCreate "{\"name\": \"../../own\"}"; cd "$printed"; Write own.txt 1'
  assert_eq "$CODE $(field .state)" '0 landed' "$ERR"
  assert_eq "$(show own.txt)" 1
  claude_run 'Isolated a1 "Read README"; Write other.txt 1'
  assert_eq "$CODE $(field .state)" '0 landed' "$ERR"
  assert_sound
}
test_case "a killed sub-agent's work is kept; a session in a worktree of its own lands from there" child_never_ended

asks_of_nobody() {
  new_repo
  observing
  local began=$SECONDS
  echo '{"verb":"worktree","name":""}' >"$GIT_TXN_OBSERVED/ask.1.x.json"
  echo 'nonsense' >"$GIT_TXN_OBSERVED/ask.2.x.json"
  ln -s "$REPO/README" "$GIT_TXN_OBSERVED/ask.3.x.fifo"
  echo '{"verb":"join","name":"nobody"}' >"$GIT_TXN_OBSERVED/ask.3.x.json"
  exits 0 git txn exec "$ID" -- sh -c 'n=0; while ls "$GIT_TXN_OBSERVED"/ask.*.json; do n=$((n + 1)); [ $n -lt 100 ] || exit 9; sleep 0.1; done'
  assert_file README hello
  exits 0 git txn hook SubagentStop <<<'{"hook_event_name":"SubagentStop","agent_id":"x"}'
  [ $((SECONDS - began)) -lt 60 ] || fail 'a hook waited for somebody'
}
test_case 'asks that make no sense are dropped, and a hook that has nothing to ask waits for nobody' asks_of_nobody

# until_history ID TEXT: its history says so
until_history() {
  local n=0
  until history_of "$1" | grep -qF "$2"; do
    n=$((n + 1))
    [ $n -lt 300 ] || fail "never: $2; history: $(history_of "$1")"
    sleep 0.1
  done
}
running_id() { git txn status --json | jq -r '.transactions[] | select(.state == "open") | .txn'; }

tells_while_it_runs() {
  with_agents
  local script='Read src/f1.txt; meet; wait_for "$GIT_TXN_OBSERVED/brief.json" 30
    Read src/f2.txt; printf "%s" "$told" >"$WORLD/told"; told=""
    Read src/f3.txt; printf "%s" "$told" >"$WORLD/told-again"; Write new.txt 1; meet 2'
  git-txn run --json --retries 0 --repairs 0 -- claude -p "$script" >"$WORLD/run.out" 2>"$WORLD/run.err" </dev/null &
  RUN_PID=$!
  met
  local id
  id=$(running_id)
  go_on
  # What it did not read moves the mark, and it is told nothing.
  exits 0 git txn run -q --name 'far away' -- sh -c 'echo other >docs/guide.md'
  until_history "$id" "reads until then hold at $(git rev-parse --short=7 main)"
  assert_absent "$(git txn open -q "$id")/../observed/brief.json"
  # What it read does.
  exits 0 git txn run -q --name 'change f1' -- sh -c 'echo "another line" >>src/f1.txt'
  met 2
  assert_contains "$(cat "$WORLD/told")" 'src/f1.txt'
  assert_contains "$(cat "$WORLD/told")" 'change f1'
  assert_contains "$(cat "$WORLD/told")" '+another line'
  assert_lacks "$(cat "$WORLD/told")" 'docs/guide.md'
  assert_file "$WORLD/told-again" ''
  assert_contains "$(git txn status)" 'src/f1.txt'
  until_history "$id" 'its agent is told: src/f1.txt'
  go_on 2
  ends 1
  assert_eq "$(field .state)" quarantined
  assert_eq "$(field '.conflicts[0].subject')" src/f1.txt
  assert_sound
}
test_case 'a running agent is told once what it read and is stale; what it did not read extends it' tells_while_it_runs

told_by_two() {
  with_agents
  local script='Read src/f1.txt; meet; wait_for "$GIT_TXN_OBSERVED/brief.json" 30
    Read src/f2.txt; printf "%s" "$told" >"$WORLD/told"; told=""
    session=another; Read src/f3.txt; printf "%s" "$told" >"$WORLD/told-other"
    meet 2; n=0
    while [ -e "$GIT_TXN_OBSERVED/brief.json" ]; do n=$((n + 1)); [ $n -lt 600 ] || exit 9; sleep 0.1; done
    Write new.txt 1'
  git-txn run --json --retries 0 --repairs 0 -- claude -p "$script" >"$WORLD/run.out" 2>"$WORLD/run.err" </dev/null &
  RUN_PID=$!
  met
  person_commits src/f1.txt 'by hand'
  go_on
  met 2
  git reset -q --hard HEAD^
  go_on 2
  ends 0
  assert_contains "$(cat "$WORLD/told")" 'Pat Person'
  assert_contains "$(cat "$WORLD/told-other")" 'src/f1.txt'
  assert_eq "$(field .state)" landed
}
test_case 'each conversation is told, and a brief goes when what was read holds again' told_by_two

finish
