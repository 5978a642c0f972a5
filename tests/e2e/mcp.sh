#!/usr/bin/env bash
# The server that agents read through, and what they declare: scripted sessions, as a client would
# write them, inside and outside of transactions.
. "$(dirname "$0")/lib.sh"

# hello, call ID TOOL ARGUMENTS: lines of a session
hello() { echo '{"jsonrpc":"2.0","id":"h","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-code","version":"2"}}}'; }
call() { printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":%s,"_meta":{"claudecode/toolUseId":"toolu_%s"}}}\n' "$1" "$2" "$3" "$1"; }
export -f hello call
# text ID: what the call was answered with, from $WORLD/answers
text() { jq -r "select(.id == $1) | .result.content[0].text" "$WORLD/answers"; }
observed_of() { echo "$(dirname "$(git txn open -q "$1")")/observed"; }
# observed FILE: "kind path-or-pattern outcome" lines
observed() { jq -r '.observation | "\(.kind) \(.path // .pattern) \(.outcome)"' "$1"; }

serves_and_records() {
  new_repo
  open_work '{ hello; call 1 read "{\"path\":\"src/f1.txt\",\"offset\":2}"
    call 2 search "{\"pattern\":\"two of f[23]\",\"path\":\"src\"}"; call 3 list "{\"path\":\"docs\"}"
    call 4 read "{\"path\":\"src/none\"}"; call 5 read "{\"path\":\"../../secret\"}"; call 6 status "{}"
    echo own >src/own.txt; call 7 read "{\"path\":\"src/own.txt\"}"
  } | git txn mcp >"$WORLD/answers"'
  assert_eq "$(text 1)" 'line two of f1'
  assert_eq "$(text 2)" 'src/f2.txt:2:line two of f2
src/f3.txt:2:line two of f3'
  assert_eq "$(text 3)" 'guide.md'
  assert_contains "$(text 4)" 'does not exist'
  assert_contains "$(text 5)" 'out of the worktree'
  assert_eq "$(text 6 | jq -r '"\(.transaction.id) \(.transaction.base) \(.recording)"')" \
    "$ID $(head_of) true"
  assert_eq "$(text 7)" own
  assert_eq "$(observed "$(observed_of "$ID")/mcp.jsonl")" 'read src/f1.txt done
query two of f[23] done
list docs done
read src/none absent
read src/own.txt done'
  assert_eq "$(jq -r '.observation | "\(.tool_use_id) \(.program) \(.first) \(.count)"' \
    "$(observed_of "$ID")/mcp.jsonl" | head -n 1)" 'toolu_1 claude-code 2 0'
}
test_case 'what is served is recorded, in the order it was asked for' serves_and_records

opens_only_what_it_serves() {
  new_repo
  open_work '{ hello; call 1 read "{\"path\":\"src/f1.txt\"}"; call 2 status "{}"; } | git txn mcp >"$WORLD/answers"; echo x >new'
  git txn reads "$ID" --json >"$WORLD/reads"
  assert_eq "$(jq -r 'select(.strength == "hard" and .kind == "content") | .subject' "$WORLD/reads")" src/f1.txt
  assert_eq "$(jq -r 'select(.kind == "tree") | .subject' "$WORLD/reads")" ''
  assert_eq "$(git txn show "$ID" --json | jq -r .read_set.status)" complete
}
test_case 'the server opens nothing of git and nothing that it does not serve' opens_only_what_it_serves

stale_read() {
  new_repo
  start_run --retries 0 -- '{ hello; call 1 read "{\"path\":\"src/f6.txt\"}"; } | git txn mcp >"$WORLD/answers"
    meet; echo x >src/new.txt'
  met
  person_commits src/f6.txt 'changed'
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].subject')" src/f6.txt
  assert_sound
}
test_case 'a file that was served and changed is in the way of the landing' stale_read

unwritten() {
  new_repo
  start_run --retries 0 -- '{ hello; call 1 read "{\"path\":\"src/f6.txt\"}"; } | git txn mcp >"$WORLD/answers"
    find "${PWD%/*}" -name mcp.jsonl -delete -print >"$WORLD/removed"; meet; echo x >src/new.txt'
  met
  [ -s "$WORLD/removed" ] || fail 'the server wrote down nothing'
  person_commits src/f6.txt 'changed'
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].subject')" src/f6.txt
  assert_sound
}
test_case 'an agent that removes what the server wrote down hides nothing' unwritten

outside() {
  new_repo
  { hello; call 1 read '{"path":"README"}'; call 2 status '{}'; call 3 declare_read '{"paths":["README"]}'
  } >"$WORLD/asked"
  exits 0 git txn mcp <"$WORLD/asked"
  printf '%s\n' "$OUT" >"$WORLD/answers"
  assert_eq "$(text 1)" hello
  assert_eq "$(text 2 | jq .recording)" false
  assert_contains "$(text 3)" 'inside a transaction'
  cd /
  exits 3 git txn mcp <"$WORLD/asked"
  assert_contains "$ERR" '--into'
}
test_case 'outside of a transaction the checkout is served and nothing recorded' outside

bad_input() {
  new_repo
  exits 0 git txn mcp </dev/null
  assert_eq "$OUT" ''
  { echo '{'; echo '[]'; echo; head -c 5000000 /dev/zero | tr '\0' x; echo; echo '{"jsonrpc":"2.0","id":9,"method":"ping"}'
  } >"$WORLD/asked"
  exits 0 git txn mcp <"$WORLD/asked"
  assert_eq "$(printf '%s\n' "$OUT" | jq -r '.error.code // .id')" '-32700
-32600
-32700
9'
  exits 3 git txn mcp --into nowhere </dev/null
  assert_contains "$ERR" nowhere
  mkdir "$WORLD/empty"
  exits 3 git txn mcp --into "$WORLD/empty" </dev/null
  assert_contains "$ERR" 'no worktree'
  exits 3 git txn mcp extra </dev/null
}
test_case 'bad input is refused by name, and what follows is answered' bad_input

declared() {
  new_repo
  open_work 'cd src; git txn read f1.txt:2-2 ../README --reason "the second line"; git txn read f9.txt
    git txn read ../../outside 2>"$WORLD/refused" || echo $? >"$WORLD/status"
    git txn read f1.txt:5-2 2>>"$WORLD/refused"; echo x >new.txt'
  local log tree
  log=$(observed_of "$ID")/declared.jsonl
  tree=$(git txn open -q "$ID")
  assert_eq "$(jq -r '.observation | "\(.path) \(.first) \(.count) \(.note) \(.source)"' "$log")" \
    "$tree/src/f1.txt 2 1 the second line declared
$tree/README 1 0 the second line declared
$tree/src/f9.txt 1 0  declared"
  assert_file "$WORLD/status" 3
  assert_contains "$(cat "$WORLD/refused")" 'outside of the transaction'
  assert_contains "$(cat "$WORLD/refused")" 'names no lines'
  assert_eq "$(git txn reads "$ID" --json | jq -r 'select(.subject == "README") | .kind')" '' 'nothing was opened'
  exits 3 git txn read README
  assert_contains "$ERR" 'inside a transaction'
  exits 3 git txn read
}
test_case 'a declared read is on record, and opens nothing' declared

told_what_to_do() {
  new_repo
  exits 0 git txn instructions
  assert_contains "$OUT" read_set
  echo 'Speak softly.' >"$WORLD/own.md"
  git config txn.instructions "$WORLD/own.md"
  exits 0 git txn instructions
  assert_eq "$OUT" 'Speak softly.'
  lands 'hello | git txn mcp >"$WORLD/answers"; echo x >new'
  assert_eq "$(jq -r .result.instructions "$WORLD/answers")" 'Speak softly.'
  git config txn.instructions "$WORLD/gone.md"
  exits 3 git txn instructions
  assert_contains "$ERR" gone.md
}
test_case 'what agents are told is a file that a user may replace' told_what_to_do

finish
