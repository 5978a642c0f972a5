#!/usr/bin/env bash
# Claude Code and Codex themselves, once as they are and once with --confine writes, with the work that they were
# recorded at (samples.json) and every look and edit of theirs: what their tools answer is the same, they complain of
# nothing that they do not complain of otherwise, and the same tree comes of it. Run by ./dev agents --confined.
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/lib.sh"

files_of_samples() {
  mkdir -p sub data
  printf 'int add(int a, int b) { return a + b; }\nint mul(int a, int b) { return a * b; }\n' >src/math.c
  printf 'int add(int a, int b);\nint mul(int a, int b);\n' >src/math.h
  printf '#include "math.h"\nint main(void) { return add(1, 2) - 3; }\n' >src/main.c
  echo note >sub/note.txt
  seq 1 300 >data/big.txt
  seq 1 60000 >data/huge.txt
  printf 'one\ntwo\nthree\n' >data/list.txt
  seq 1 20 >src/long.txt
  base64 -d >data/p.png <<<'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
  echo '{"cells": [{"cell_type": "code", "source": ["1"], "metadata": {}, "outputs": [], "execution_count": null}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}' >data/n.ipynb
  : >data/empty.txt
  ln -s list.txt data/link.txt
  echo spaced >'data/sp ace é.txt'
  printf 'a\r\nb\r\n' >data/crlf.txt
  printf 'caf\351\n' >data/latin1.txt
  git add -A
  git commit -qm samples
}

# scripts: samples.json, and all the calls of an agent one after the other as "claudes" and "codexs"
scripts() {
  local agent
  for agent in claude codex; do
    "${agent}_calls" | jq -Rn --arg name "${agent}s" \
      '{($name): ([inputs | [capture("^[^ ]+ (?<call>.*)$").call | fromjson]] + [[{text: "done"}]])}'
  done | jq -s add - "$E2E_ROOT/tests/agents/samples.json" | jq -s add
}

# played MODE AGENT SCRIPT: what became of it is in $WORLD/said, and the tree in $WORLD/trees
played() {
  local mode=$1 agent=$2 script=$3 to=$WORLD/said/$3
  "run_$agent" "$script" "$to" --confine "$mode" --no-land --worktree plain || { tail -n 5 "$to" "$to.err" >&2; return 1; }
  outcome "$to"
  assert_contains "open nothing" "$(field .state)"
  echo "$script $(field '[.state, .read_set.status] | join(" ")') $(git rev-parse -q --verify "refs/txn/$(field .txn)/1^{tree}" || echo none)" \
    >>"$WORLD/trees"
  field '.notes // [] | .[]' >"$WORLD/said/$script.notes"
}
all_of() ( # MODE
  local mode=$1
  WORLD=$WORLD/$mode
  mkdir -p "$WORLD/said" "$WORLD/person/.claude"
  model "$(scripts)"
  export RUST_LOG=warn
  for script in main kinds search mcp worktrees claudes daily; do
    CLAUDE_MORE=(--debug-file "$WORLD/person/.claude/debug-$script.txt")
    played "$mode" claude $script
    cp "$WORLD/person/.claude/debug-$script.txt" "$WORLD/said/"
  done
  for script in codex two codexs dailys; do played "$mode" codex $script; done
  CODEX_MODEL=gpt-6-sol played "$mode" codex code
)

alike() {
  new_repo
  git txn doctor | grep -q 'confine  *usable' || { echo 'SKIP: no confinement here'; exit 0; }
  files_of_samples
  all_of off >"$WORLD/off.log" 2>&1 &
  local free=$!
  all_of writes || fail 'confined, see above'
  wait $free || fail "not confined: $(cat "$WORLD/off.log")"
  diff "$WORLD/off/trees" "$WORLD/writes/trees" || fail 'other trees came of it'
  /usr/bin/python3 "$E2E_ROOT/tests/agents/alike.py" "$WORLD/off" "$WORLD/writes" || fail 'they differ when they are confined'
  # And one of them lands.
  local id
  id=$(tail -n 1 "$WORLD/writes/said/daily" | jq -r .txn)
  exits 0 git txn commit "$id"
  assert_eq "$(git rev-parse main^{tree})" "$(sed -n 's/^daily open complete //p' "$WORLD/off/trees")"
  assert_sound
}
test_case 'confined, both agents do all that they were recorded at as they do otherwise' alike 300

finish
