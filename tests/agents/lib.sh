# Drives the real agents: a scripted model on loopback (model.py) and a clean environment. Sourced after
# ../e2e/lib.sh by what ./dev agents runs, which sets AGENTS_BIN.

# model SCRIPT: starts the model; its port is in $PORT, its requests in $WORLD/requests
model() {
  printf '%s\n' "$1" >"$WORLD/script.json"
  mkfifo "$WORLD/model.in"
  python3 "$E2E_ROOT/tests/agents/model.py" "$WORLD/script.json" "$WORLD/requests" \
    <"$WORLD/model.in" >"$WORLD/port" 2>"$WORLD/model.err" &
  MODEL_PID=$!
  exec 7>"$WORLD/model.in"  # the model ends with this case
  local n=0
  until [ -s "$WORLD/port" ]; do
    n=$((n + 1))
    [ $n -lt 200 ] || fail "no model: $(cat "$WORLD/model.err")"
    sleep 0.05
  done
  PORT=$(cat "$WORLD/port")
}
# clean COMMAND...: with the environment of somebody who has only just installed the agents
clean() {
  mkdir -p "$WORLD/person"
  cp "$HOME/.gitconfig" "$WORLD/person/"
  env -i PATH="$AGENTS_BIN:$PATH" HOME="$WORLD/person" XDG_STATE_HOME="$XDG_STATE_HOME" LC_ALL=C.UTF-8 TERM=dumb \
    TMPDIR="${TMPDIR:-/tmp}" GIT_CONFIG_NOSYSTEM=1 ASAN_OPTIONS="$ASAN_OPTIONS" IS_SANDBOX=1 \
    ANTHROPIC_BASE_URL="http://127.0.0.1:$PORT" ANTHROPIC_API_KEY=none FAKE_KEY=none \
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 DISABLE_TELEMETRY=1 ${RUST_LOG:+RUST_LOG="$RUST_LOG"} "$@" </dev/null
}
# The looks and edits of both agents: NAME and one step of a script (model.py) a line. CLAUDE_MORE: further
# options of Claude Code. CODEX_MODEL: the model that Codex takes us for. RUST_LOG: what Codex logs.
claude_calls() { # NAME and one tool call a line
  cat <<'CALLS'
read {"tool": "Read", "input": {"file_path": "{HERE}/src/f1.txt"}}
read-range {"tool": "Read", "input": {"file_path": "{HERE}/src/long.txt", "offset": 3, "limit": 4}}
read-missing {"tool": "Read", "input": {"file_path": "{HERE}/missing.txt"}}
cat {"tool": "Bash", "input": {"command": "cat src/f1.txt docs/guide.md | head -2"}}
grep {"tool": "Bash", "input": {"command": "grep -rn 'line two' src/f1.txt src/f2.txt"}}
grep-r {"tool": "Bash", "input": {"command": "grep -rln guide docs"}}
ls {"tool": "Bash", "input": {"command": "ls docs"}}
find {"tool": "Bash", "input": {"command": "find docs -name '*.md'"}}
status {"tool": "Bash", "input": {"command": "git status --short && git diff && git branch --show-current"}}
log {"tool": "Bash", "input": {"command": "git log --oneline -n 5"}}
show {"tool": "Bash", "input": {"command": "git show HEAD:src/f1.txt"}}
write {"tool": "Write", "input": {"file_path": "{HERE}/src/new.txt", "content": "new\n"}}
bash-write {"tool": "Bash", "input": {"command": "echo more >docs/more.txt && sed -i s/one/1/ src/f1.txt"}}
commit {"tool": "Bash", "input": {"command": "echo more >docs/more.txt && git add -A && git commit -qm more"}}
cd {"tool": "Bash", "input": {"command": "cd docs && cat guide.md"}}
mcp-read {"tool": "mcp__plugin_git-txn_txn__read", "input": {"path": "src/f1.txt", "offset": 1, "limit": 1}}
mcp-search {"tool": "mcp__plugin_git-txn_txn__search", "input": {"pattern": "guide", "path": "docs"}}
mcp-list {"tool": "mcp__plugin_git-txn_txn__list", "input": {"path": "docs"}}
CALLS
}
codex_calls() {
  cat <<'CALLS'
cat {"tool": "exec_command", "input": {"cmd": "cat src/f1.txt"}}
sed {"tool": "exec_command", "input": {"cmd": "sed -n 2,3p src/long.txt"}}
rg {"tool": "exec_command", "input": {"cmd": "rg -n 'line two' src/f1.txt src/f2.txt"}}
rg-r {"tool": "exec_command", "input": {"cmd": "rg -l guide docs"}}
ls {"tool": "exec_command", "input": {"cmd": "ls docs"}}
status {"tool": "exec_command", "input": {"cmd": "git status --short && git diff"}}
log {"tool": "exec_command", "input": {"cmd": "git log --oneline -n 5"}}
patch {"patch": "*** Begin Patch\n*** Update File: src/f1.txt\n@@\n-line one of f1\n+line one of f1, changed\n*** End Patch\n"}
mcp-read {"tool": "read", "namespace": "mcp__txn", "input": {"path": "src/f1.txt"}}
CALLS
}

CLAUDE_MORE=()
run_claude() { # SCRIPT OUTPUT [OPTION...]
  local script=$1 to=$2
  shift 2
  clean git-txn run --json "$@" -- claude -p "SCRIPT:$script" --output-format stream-json --verbose \
    --dangerously-skip-permissions ${CLAUDE_MORE[@]+"${CLAUDE_MORE[@]}"} >"$to" 2>"$to.err"
}
run_codex() { # SCRIPT OUTPUT [OPTION...]
  local script=$1 to=$2
  shift 2
  clean git-txn run --json "$@" -- codex exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox \
    --disable plugins -m "${CODEX_MODEL:-gpt-5.5}" -c model_provider=fake \
    -c "model_providers.fake={name=\"fake\",base_url=\"http://127.0.0.1:$PORT/v1\",env_key=\"FAKE_KEY\",wire_api=\"responses\",supports_websockets=false}" \
    "SCRIPT:$script" >"$to" 2>"$to.err"
}
outcome() { # FILE: where `field` looks
  OUT=$(tail -n 1 "$1") ERR=$(tail -n 20 "$1.err")
}
observed() { echo "$(git txn open -q "$(field .txn)")/../observed"; }
events_of() { jq -r '.event.hook_event_name // empty' "$1/hooks.jsonl" | tr '\n' ' '; }
