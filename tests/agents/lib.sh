# Drives the real agents: a scripted model on loopback (model.py) and a clean environment. Sourced after
# ../e2e/lib.sh by what ./dev agents runs, which sets AGENTS_BIN.

# model SCRIPT: starts the model; its port is in $PORT, its requests in $WORLD/requests
model() {
  printf '%s\n' "$1" >"$WORLD/script.json"
  mkfifo "$WORLD/model.in"
  python3 "$E2E_ROOT/tests/agents/model.py" "$WORLD/script.json" "$WORLD/requests" \
    <"$WORLD/model.in" >"$WORLD/port" 2>"$WORLD/model.err" &
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
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 DISABLE_TELEMETRY=1 "$@" </dev/null
}
run_claude() { # SCRIPT OUTPUT [OPTION...]
  local script=$1 to=$2
  shift 2
  clean git-txn run --json "$@" -- claude -p "SCRIPT:$script" --output-format stream-json --verbose \
    --dangerously-skip-permissions >"$to" 2>"$to.err"
}
run_codex() { # SCRIPT OUTPUT [OPTION...]
  local script=$1 to=$2
  shift 2
  clean git-txn run --json "$@" -- codex exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox \
    --disable plugins -m gpt-5.5 -c model_provider=fake \
    -c "model_providers.fake={name=\"fake\",base_url=\"http://127.0.0.1:$PORT/v1\",env_key=\"FAKE_KEY\",wire_api=\"responses\",supports_websockets=false}" \
    "SCRIPT:$script" >"$to" 2>"$to.err"
}
outcome() { # FILE: where `field` looks
  OUT=$(tail -n 1 "$1") ERR=$(tail -n 20 "$1.err")
}
observed() { echo "$(git txn open -q "$(field .txn)")/../observed"; }
events_of() { jq -r '.event.hook_event_name // empty' "$1/hooks.jsonl" | tr '\n' ' '; }
