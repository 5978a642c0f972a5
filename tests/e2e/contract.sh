#!/usr/bin/env bash
# What scripts rely on: every --json output is of the schema that the table of commands names, and the
# judge of that (outputs.py) would notice if one were not. Each output of the table is printed here at least once.
. "$(dirname "$0")/../postgres/here.sh"
. "$(dirname "$0")/lib.sh"

# inside ID ARGUMENT...: git txn --json ARGUMENT..., called from inside of a transaction
inside() {
  local id=$1 got=0
  shift
  git-txn exec "$id" -- git-txn --json "$@" >"$WORLD/.out" 2>"$WORLD/.err" || got=$?
  e2e_record "$WORLD/.out" "$got" git-txn --json "$@"
  [ "$got" = 0 ] || fail "inside: git txn $* exited $got: $(cat "$WORLD/.err")"
}

POLICY='[[gate]]
name = "there"
run = ["test", "-e", "README"]

[on."transaction.landed"]
run = ["sh", "-c", "test ! -e \"$HOME/broken\""]
name = "tell"

[workflow.feature]
phases = ["plan", "free", "build"]

[[workflow.feature.gate]]
phase = "plan"
name = "review"
verdict = "review"
'

a_life() {
  new_repo
  policy "$POLICY"
  exits 0 git txn trust --json
  exits 0 git txn trust --yes "$(field .hash)" --json
  lands 'cat README; cp docs/guide.md src/new.txt; printf "def f():\n    return 1\n" >src/a.py'
  exits 0 git txn begin --json --name steps --budget calls=5
  ID=$(field .txn)
  exits 0 git txn open "$ID" --json
  exits 0 git txn exec "$ID" --json -- sh -c 'cat src/f1.txt; printf "def f():\n    return 2\n" >src/a.py'
  exits 7 git txn exec "$ID" --json -- sh -c 'exit 7'
  inside "$ID" read src/f2.txt:1-2 README
  inside "$ID" compensate --name undo -- true
  inside "$ID" summary add notes README
  exits 0 git txn status --json
  exits 0 git txn show "$ID" --json
  person_commits src/f1.txt changed
  exits 1 git txn commit "$ID" --json
  exits 0 git txn status --json
  exits 0 git txn why "$ID" --json
  exits 0 git txn diff "$ID" --json
  exits 0 git txn diff "$ID" --symbols --json
  exits 0 git txn writes "$ID" --json
  exits 0 git txn reads "$ID" --json
  exits 0 git txn reads "$ID" --explain --json
  exits 0 git txn abort "$ID" --json
  exits 0 git txn show "$ID" --json
  exits 0 git txn resume "$ID" --json
  start_run -- 'echo x >src/stopped.txt; meet stop'
  met stop
  exits 0 git txn stop "$(git txn status --json | jq -r '.transactions[] | select(.process != null).txn')" --json
  ends 1
  exits 0 git txn run --detach --json -- true
  exits 0 git txn attach "$(field .txn)" --json
  exits 0 git txn logs "$(field .txn)" --json
  exits 0 git txn log --json
  exits 0 git txn gate list --json
  exits 0 git txn gate show there --json
  exits 0 git txn gate run HEAD --json
  exits 0 git txn gate explain HEAD --json
  exits 0 git txn gate stats --json
  exits 0 git txn gate suggest --json
  exits 1 git txn commit "$ID" --json
  exits 3 git txn show t-none --json
  exits 3 git txn frob --json
  exits 3 git txn run --retries many --json -- true
  echo edited >>docs/guide.md
  exits 1 git txn run --json -- sh -c 'echo by-agent >docs/guide.md'
  exits 0 git txn queue --json
  git checkout -q docs/guide.md
  exits 0 git txn commit --all --json
  exits 0 git txn undo "$(field .txn)" --json
  open_work 'echo z >src/again.txt'
  exits 0 git txn retry "$ID" --json
}
test_case 'a transaction from beginning to end, step by step' a_life

# The policy says of a look that it does not count, and it does.
carried_wrongly() {
  new_repo
  policy '[[gate]]
name = "names"
run = "! ls | grep -q extra"
blind = ["list:."]
fresh = 1'
  lands 'echo x >src/new.txt'
  exits 0 git txn run --json -- sh -c 'echo x >extra'
  exits 0 git txn gate clear names --json
}
test_case 'a gate that was carried wrongly' carried_wrongly

owed() {
  new_repo
  open_work 'git txn compensate -- true; echo x >src/new.txt'
  killed_at api.compensation.started git-txn abort "$ID"
  exits 0 git txn status --json
  assert_eq "$(field '.transactions[0].owed.compensations')" 1
  exits 0 git txn recover --json
  exits 0 git txn status --json
}
test_case 'what a killed command still owes' owed

code_and_texts() {
  new_repo
  printf 'class Token:\n    def validate(self):\n        return 1\n' >src/auth.py
  printf 'from auth import Token\n\n\ndef main():\n    Token().validate()\n' >src/main.py
  git add -A
  git commit -qm code
  exits 0 git txn symbols src/auth.py --json
  exits 0 git txn symbols --at HEAD --limit 1 --json
  exits 0 git txn impact validate --json
  printf 'one\ntwo\n' >base
  printf 'ONE\ntwo\n' >left
  printf 'one\nTWO\n' >right
  exits 1 git txn merge-file --base base --left left --right right -o out --lang text --json
  exits 1 git txn merge-driver base left right x.txt --json
  exits 0 git txn instructions --json
  echo 'what f1 says' >"$WORLD/notes"
  exits 0 git txn summary add facts "$WORLD/notes" src/f1.txt --json
  exits 0 git txn summary show facts --json
  exits 0 git txn summary list --json
  person_commits src/f1.txt changed
  exits 1 git txn summary check --json
  exits 1 git txn summary show facts --json
  exits 0 git txn summary show facts --stale --json
  exits 0 git txn summary remove facts --json
  cat >"$WORLD/spans.json" <<'JSON'
{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"execute_tool","attributes":[
 {"key":"gen_ai.tool.name","value":{"stringValue":"read_file"}},
 {"key":"gen_ai.tool.call.arguments","value":{"stringValue":"{\"path\":\"src/f1.txt\"}"}}]}]}]}]}
JSON
  open_work 'echo x >new.txt'
  exits 0 git txn capture import --otel "$WORLD/spans.json" --json
}
test_case 'symbols, merges, summaries, imports' code_and_texts

the_log() {
  new_repo
  policy "$POLICY"
  git config txn.handlerRetry 0
  exits 0 git txn events consumer register audit --durable --json
  lands 'echo a >src/new.txt'
  touch "$HOME/broken"
  lands 'echo b >src/other.txt'
  exits 0 git txn events tail --json
  exits 0 git txn events consumer list --lag --json
  exits 0 git txn events consumer retry on/tell --json
  exits 0 git txn events consumer ack audit 3 --json
  exits 0 git txn events prune --before 3 --dry-run --json
  exits 0 git txn events prune --before 9 --json
  exits 0 git txn events consumer remove audit --json
  exits 0 git txn recover --json
  exits 0 git txn verify --replay --json
  exits 0 git txn state --at 20 --json
  exits 0 git txn gc --json
  local got=0
  git-txn doctor --json >"$WORLD/.out" || got=$?
  e2e_record "$WORLD/.out" "$got" git-txn doctor --json
  exits 0 git txn version --json
  exits 0 git txn version --cli --json
  exits 0 git txn version --enforces --json
}
test_case 'events, consumers, care' the_log

workflows() {
  new_repo
  policy "$POLICY"
  exits 0 git txn workflow create feature --as w-1 --json
  open_work 'echo x >src/new.txt'
  exits 0 git txn begin --workflow w-1 --json
  exits 1 git txn workflow advance w-1 --json
  exits 0 git txn workflow verdict w-1 review --fail --note 'too short' --json
  exits 0 git txn workflow status w-1 --json
  exits 0 git txn workflow override w-1 --reason 'it will do' --json
  exits 0 git txn workflow skip w-1 --reason 'nothing there' --json
  exits 0 git txn workflow rollback w-1 --to plan --reason 'it did not do' --json
  exits 0 git txn workflow cancel w-1 --reason 'made by mistake' --json
  exits 0 git txn workflow list --json
  exits 3 git txn workflow status w-none --json
}
test_case 'workflows' workflows

leases_and_budgets() {
  new_repo
  exits 0 git txn lease acquire src --ttl 1h --json
  ID=$(field .id)
  exits 1 git txn lease acquire src --owner other --json
  exits 0 git txn lease renew "$ID" --ttl 2h --json
  exits 0 git txn lease transfer "$ID" --to other --json
  exits 0 git txn lease list --json
  exits 0 git txn lease release "$ID" --owner other --json
  exits 4 git txn lease acquire docs --json -- sh -c 'exit 4'
  exits 0 git txn sentinel nightly --every 1h --json
  exits 1 git txn sentinel nightly --every 1h --json
  exits 0 git txn sentinel list --json
  exits 0 git txn sentinel reset nightly --json
  open_work 'echo x >src/new.txt'
  exits 0 git txn budget set --txn "$ID" input=1k cost=2.50 -q --json
  assert_eq "$(printf '%s\n' "$OUT" | jq 'select(.kind == "cost") | .limit')" 2500000 'quiet hushes no result'
  exits 0 git txn budget report "$ID" input=950 --json
  exits 0 git txn budget show --json
  printf '{"txn": "%s", "input": 2000}\n' "$ID" >"$WORLD/bill"
  exits 1 git txn budget reconcile "$WORLD/bill" --json
}
test_case 'leases, sentinels, budgets' leases_and_budgets

proposals() {
  new_repo
  exits 0 git txn propose 'parse() leaks when the file is empty' --score 0.9 --json
  ID=$(field .proposal.id)
  exits 1 git txn propose 'parse() leaks when the file is empty' --score 0.6 --json
  exits 0 git txn proposals --json
  exits 0 git txn proposals list --json
  exits 0 git txn promote "$ID" --json
  exits 0 git txn proposals link "$ID" https://example.org/1 --json
  exits 0 git txn proposals show "$ID" --json
  exits 0 git txn propose 'split the config module' --score 0.6 --json
  exits 1 git txn promote "$(field .proposal.id)" --json
  exits 0 git txn proposals dismiss "$(field .proposal.id)" --reason 'works as designed' --json
}
test_case 'proposals' proposals

portfolios() {
  new_repo
  policy "$POLICY"
  git clone -q . "$WORLD/api"
  cd "$WORLD/api"
  trust_policy
  cd "$REPO"
  exits 0 git txn portfolio add "$WORLD/api" --json
  exits 0 git txn portfolio needs api --json
  exits 0 git txn workflow create feature --as w-1 --json
  exits 0 git txn portfolio --json
  exits 0 git txn portfolio relay --json
  cd "$WORLD/api"
  exits 0 git txn portfolio status --json
  cd "$REPO"
  exits 0 git txn portfolio remove api --json
}
test_case 'portfolios' portfolios

a_hub() {
  new_repo
  git clone -q --bare . "$WORLD/hub.git"
  git remote add origin "$WORLD/hub.git"
  exits 0 git txn init --store "$SERVER_URL" --hub origin --schema "contract_$$" --json
  open_work 'echo x >src/new.txt'
  exits 0 git txn status --json
  exits 0 git txn commit "$ID" --json
}
test_case 'a clone joins a hub' a_hub


judge() { /usr/bin/python3 "$E2E_ROOT/tests/e2e/outputs.py" --table "$WORLD/table" "$@" >"$WORLD/judged" 2>&1; }
must_notice() { # TEXT JQ-OF-THE-TABLE OUTPUT [OPTION...]
  local text=$1 change=$2 output=$3
  shift 3
  git txn version --cli --json | jq -c "$change" >"$WORLD/table"
  printf '%s\0' 2 recover --json 0 "$output" >"$WORLD/records"
  if judge "$@" "$WORLD/records"; then fail "nothing was noticed: $text"; fi
  assert_contains "$(cat "$WORLD/judged")" "$text"
}
the_judge_judges() {
  new_repo
  git txn version --cli --json >"$WORLD/table"
  printf '%s\0' 2 recover --json 0 '{"done":["x"]}' 2 recover --json 2 '{"error":{"code":"fault","message":"m","hint":null}}' \
    >"$WORLD/records"
  judge "$WORLD/records" || fail "$(cat "$WORLD/judged")"
  # A failure says why, also where any number of lines may be printed.
  printf '%s\0' 3 lease list --json 3 '' >"$WORLD/records"
  if judge "$WORLD/records"; then fail 'a failure without an error was not noticed'; fi
  assert_contains "$(cat "$WORLD/judged")" 'it failed and printed no error'
  must_notice "'more' was unexpected" . '{"done":[],"more":1}'
  must_notice "'done' is a required property" . '{}'
  must_notice 'is not of type' . '{"done":[1]}'
  must_notice 'no JSON' . 'done: nothing'
  must_notice '0 lines, not one' . ''
  must_notice 'urn:git-txn:output:recovered:1' . '{"error":{"code":"fault","message":"m","hint":null}}'
  must_notice 'the table does not say what it prints' '(.commands[] | select(.name == "recover") | .outputs) = []' \
    '{"done":[]}'
  must_notice 'git txn recover has --json, and the table does not say what it prints' \
    '(.commands[] | select(.name == "recover") | .outputs) = []' '{"done":[]}' --complete
  must_notice 'no command prints urn:git-txn:output:recovered:1' \
    '(.commands[] | select(.name == "recover") | .outputs) = []' '{"done":[]}' --complete
  must_notice 'there is no schema urn:x' '(.commands[] | select(.name == "recover") | .outputs[0].schema) = "urn:x"' \
    '{"done":[]}'
  must_notice 'git txn lease list --json was never seen' . '{"done":[]}' --complete
  cp -r "$E2E_ROOT/share/schemas/output" "$WORLD/schemas"
  sed -i 's/"additionalProperties": false/"additionalProperties": true/' "$WORLD/schemas/recovered.v1.json"
  must_notice 'urn:git-txn:output:recovered:1 is not closed' . '{"done":[]}' --complete --schemas "$WORLD/schemas"
}
test_case 'the judge notices fields too few and too many, and what has no schema or was never seen' the_judge_judges

if [ -z "$e2e_only" ]; then finish --complete; else finish; fi
