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

asks_before_writing() {
  new_repo
  exits 0 git txn lease acquire src/f1.txt --owner pat --json
  open_work '{ hello; call 1 before_write "{\"paths\":[\"src/f1.txt\",\"src/f2.txt\"]}"
    call 2 before_write "{\"paths\":[\"src/f1.txt\"]}"; call 3 before_write "{\"paths\":[\"../../x\"]}"
    call 4 before_write "{}"
  } | git txn mcp >"$WORLD/answers"; echo x >src/new.txt'
  assert_contains "$(text 1)" '- pat holds a lease on src/f1.txt (l-'
  assert_lacks "$(text 1)" src/f2.txt
  assert_eq "$(text 2)" 'nobody else has changed them' 'it was told'
  assert_contains "$(text 3)" 'outside of the worktree'
  assert_contains "$(text 4)" "'paths' is needed"
  git txn reads "$ID" --json | jq -r .subject >"$WORLD/reads"
  assert_lacks "$(<"$WORLD/reads")" src/f1.txt
}
test_case 'who is about to change a file is told who else has it, and has read nothing by that' asks_before_writing

opens_only_what_it_serves() {
  new_repo
  open_work '{ hello; call 1 read "{\"path\":\"src/f1.txt\"}"; call 2 status "{}"; } | git txn mcp >"$WORLD/answers"; echo x >new'
  git txn reads "$ID" --json >"$WORLD/reads"
  assert_eq "$(jq -r 'select(.strength == "hard" and .kind == "content") | .subject' "$WORLD/reads")" src/f1.txt
  assert_eq "$(jq -r 'select(.kind == "tree") | .subject' "$WORLD/reads")" ''
  assert_eq "$(git txn show "$ID" --json | jq -r .read_set.status)" complete
  # As Codex starts it: without the variable, and told where its notes go.
  open_work '{ hello; call 1 read "{\"path\":\"src/f1.txt\"}"; } |
    env -u GIT_TXN_ID git-txn mcp --into "${PWD%/tree}/observed" >"$WORLD/answers"; echo x >newer'
  assert_eq "$(git txn reads "$ID" --json | jq -r 'select(.kind == "tree" or .kind == "content") | .subject')" src/f1.txt
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
  open_work 'cd src; git txn read f1.txt:2-2 ../README --reason "the second line"; git txn read .
    git txn read --absent none.txt; git txn read --search "of f[23]" --glob "*.txt"
    git txn read ../../outside 2>"$WORLD/refused" || echo $? >"$WORLD/status"
    for wrong in f1.txt:5-2 f1.txt:2-99 gone.txt "--absent f1.txt"; do
      git txn read $wrong 2>>"$WORLD/refused" && echo "$wrong" >>"$WORLD/taken"; done; echo x >new.txt'
  local log tree
  log=$(observed_of "$ID")/declared.jsonl
  tree=$(git txn open -q "$ID")
  assert_eq "$(jq -r '.observation | "\(.kind) \(.path // .root) \(.first) \(.count) \(.note) \(.outcome) \(.source)"' "$log")" \
    "read $tree/src/f1.txt 2 1 the second line done declared
read $tree/README 1 0 the second line done declared
list $tree/src null null  done declared
read $tree/src/none.txt 1 0  absent declared
query $tree/src null null  done declared"
  assert_file "$WORLD/status" 3
  assert_absent "$WORLD/taken"
  assert_contains "$(cat "$WORLD/refused")" 'outside of the transaction'
  assert_contains "$(cat "$WORLD/refused")" 'names no lines'
  assert_contains "$(cat "$WORLD/refused")" "'f1.txt' has"
  assert_contains "$(cat "$WORLD/refused")" "'gone.txt' does not exist"
  assert_contains "$(cat "$WORLD/refused")" "'f1.txt' exists"
  assert_eq "$(git txn reads "$ID" --json | jq -r 'select(.strength == "hard" and .subject != "tools" and
    (.kind | IN("content", "listing", "absence", "search", "tree"))) | "\(.kind) \(.subject) \(.lines // [])"' | sort)" \
    'absence src/gone.txt []
absence src/none.txt []
content README []
content src/f1.txt [2,1]
content src/f1.txt [3,1]
listing src []
search src []' 'and nothing else but what the refusals told'
  exits 3 git txn read README
  assert_contains "$ERR" 'inside a transaction'
  exits 3 git txn read
}
test_case 'what is declared is read, and what is not so is refused' declared

# decided_on WORDS: a run whose agent says "git txn read WORDS" and then waits
decided_on() {
  start_run --retries 0 -- "git txn read $1 || exit 9; meet; echo x >>new.txt"
  met
}
declared_counts() {
  new_repo
  seq 100 >src/f1.txt
  git add src && git commit -qm lines
  decided_on 'src/f1.txt:40-60'
  person_commits src/f1.txt "$(seq 49; echo fifty; seq 51 100)"
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].subject')" src/f1.txt
  rm "$WORLD/ready" "$WORLD/go"
  decided_on 'src/f1.txt:40-60'
  person_commits src/f1.txt "$(echo one more; seq 49; echo fifty; seq 51 99; echo hundred)"
  go_on
  ends 0
  rm "$WORLD/ready" "$WORLD/go"
  decided_on 'src/f1.txt:40-60'
  git rm -q src/f1.txt && git commit -qm gone
  go_on
  ends 1
  rm "$WORLD/ready" "$WORLD/go"
  decided_on '--absent docs/new.md'
  person_commits docs/new.md 'here it is'
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].subject')" docs/new.md
  rm "$WORLD/ready" "$WORLD/go"
  decided_on '--search needle src'
  person_commits src/f3.txt 'no match'
  person_commits docs/needle.md 'a needle elsewhere'
  go_on
  ends 0
  rm "$WORLD/ready" "$WORLD/go"
  decided_on '--search needle src'
  person_commits src/f3.txt 'a needle'
  go_on
  ends 1
  assert_sound
}
test_case 'a declared range, absence or search is in the way when it does not hold' declared_counts

# An agent that says in its last message what it relied on, as a hook tells it.
said_at_the_end() {
  new_repo
  jq -nc --arg m "$(printf 'done\n```read_set\nread: src/f2.txt\nread: src/f4.txt lines 7-9\nread: gone.txt\nsearch: needle in docs\n```\n')" \
    '{session_id: "s", hook_event_name: "Stop", cwd: "", last_assistant_message: $m}' >"$WORLD/stop"
  start_run --retries 0 -- 'jq -c --arg d "$PWD" ".cwd = \$d" "$WORLD/stop" | git txn hook Stop; meet; echo x >new.txt'
  met
  person_commits src/f2.txt 'changed'
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].subject')" src/f2.txt
  local id
  id=$(field .txn)
  assert_eq "$(git txn reads "$id" --json | jq -r 'select(.source == "declared" and .kind != "kernel") | "\(.kind) \(.subject) \(.strength)"')" \
    'search docs hard
absence gone.txt hard
content src/f2.txt hard
content src/f4.txt hard'
  assert_contains "$(git txn reads "$id" --explain)" "behind the end of 'src/f4.txt'"
  assert_contains "$(git txn reads "$id" --explain)" 'not there; that counts as read: gone.txt'
}
test_case 'the read_set block of a last message counts' said_at_the_end

# serves CALLS: a run whose agent asks the server that
serves() {
  start_run --retries 0 -- "{ hello; $1; } | git txn mcp >\"\$WORLD/answers\"; meet; echo x >>new.txt"
  met
}
served_search() {
  new_repo
  serves 'call 1 search "{\"pattern\":\"needle\",\"path\":\"src\"}"; call 2 list "{\"path\":\"src\",\"glob\":\"*.c\"}"'
  person_commits src/f3.txt 'changed, and no match'
  person_commits src/f33.txt 'new, and no match'
  go_on
  ends 0
  assert_eq "$(git txn reads "$(field .txn)" --json |
    jq -r 'select(.strength == "hard" and (.kind | IN("content", "listing", "search"))) | "\(.kind) \(.subject)"')" \
    'content .gitignore
search src
search src' 'and the rules that said what to leave out'
  rm "$WORLD/ready" "$WORLD/go"
  serves 'call 1 search "{\"pattern\":\"needle\",\"path\":\"src\"}"'
  person_commits src/f4.txt 'a needle'
  go_on
  ends 1
  assert_contains "$(field '.conflicts[0] | tostring')" src/f4.txt
  rm "$WORLD/ready" "$WORLD/go"
  serves 'call 1 list "{\"glob\":\"*.c\"}"'
  person_commits src/new.c ''
  go_on
  ends 1
  assert_contains "$(field '.conflicts[0] | tostring')" src/new.c
  assert_sound
}
test_case 'a search that was served counts as that, and not as the files below' served_search

served_ranges() {
  new_repo
  seq 20 >src/f1.txt
  printf '*.crlf text eol=crlf\n' >.gitattributes
  seq 20 >src/w.crlf
  git add . && git commit -qm lines
  serves 'for at in 3 9 15; do call $at read "{\"path\":\"src/f1.txt\",\"offset\":$at,\"limit\":2}"; done
    call 30 read "{\"path\":\"src/f1.txt\",\"offset\":18}"; call 40 read "{\"path\":\"src/w.crlf\",\"offset\":18}"'
  person_commits src/f1.txt "$(seq 5; echo six; seq 7 20)"
  person_commits src/w.crlf "$(echo more; seq 20)"
  go_on
  ends 0
  rm "$WORLD/ready" "$WORLD/go"
  serves 'call 30 read "{\"path\":\"src/f1.txt\",\"offset\":18}"'
  person_commits src/f1.txt "$(seq 21)"
  go_on
  ends 1
  rm "$WORLD/ready" "$WORLD/go"
  serves 'call 40 read "{\"path\":\"src/w.crlf\",\"offset\":18}"'
  person_commits src/w.crlf "$(seq 19; echo twenty)"
  go_on
  ends 1
  assert_sound
}
test_case 'ranges of a file count as ranges: several, to the end, and where lines end in CRLF' served_ranges

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
