#!/usr/bin/env bash
# What agents say of themselves, laid beside what the trace saw. The agent here is a shell that reports
# its calls through `git txn hook`, as the real ones do.
. "$(dirname "$0")/lib.sh"

# For scripts of agents: say EVENT JSON, session ID [SOURCE], reads FILE OFFSET LIMIT
agent_words() { cat <<'SAY'
say() { printf '%s' "$2" | git txn hook "$1" >/dev/null; }
session() {
  say SessionStart '{"hook_event_name":"SessionStart","session_id":"'"$1"'","cwd":"'"$PWD"'","source":"'"${2:-startup}"'"}'
}
call() { # EVENT FILE OFFSET LIMIT [MORE]
  say "$1" '{"hook_event_name":"'"$1"'","session_id":"s","tool_name":"Read","tool_use_id":"toolu_7","cwd":"'"$PWD"'",
    "tool_input":{"file_path":"'"$PWD/$2"'","offset":'"$3"',"limit":'"$4"'}'"${5:-}"'}'
}
reads() {
  call PreToolUse "$1" "$2" "$3"
  read -r first <"$1"
  call PostToolUse "$1" "$2" "$3" ',"tool_response":{"type":"text","file":{"filePath":"'"$PWD/$1"'","startLine":'"$2"',"numLines":'"$3"',"totalLines":9}}'
}
SAY
}

nine_lines() {
  new_repo
  export SAY=$WORLD/say.sh
  agent_words >"$SAY"
  seq 9 >src/nine.txt
  git add -A
  git commit -qm nine
}

part_of_a_file() {
  nine_lines
  agent '. "$SAY"; session s; reads src/nine.txt 2 3; echo x >src/new.txt' --no-land
  assert_eq "$CODE" 0 "$ERR"
  git txn reads "$(field .txn)" --json | jq -c 'select(.subject == "src/nine.txt" and .kind == "content") |
    [.lines, .source, .call, .session, .explains]' >"$WORLD/seen"
  assert_eq "$(cat "$WORLD/seen")" '[[2,3],"hook","toolu_7","s",1]'
  exits 0 git txn reads "$(field .txn)" --explain
  assert_contains "$OUT" 'call toolu_7'
  assert_contains "$OUT" 'holds while lines 2 to 4 are the same text there'
}
test_case 'a Read of some lines is a read of these lines, and says whose it was' part_of_a_file

other_lines_change() {
  nine_lines
  start_run --retries 0 -- '. "$SAY"; session s; reads src/nine.txt 2 3; meet; echo x >src/new.txt'
  met
  { seq 7; echo another; echo 9; } >src/nine.txt
  git commit -qam 'line 8'
  go_on
  ends 0
  assert_sound
}
test_case 'it holds while other lines change' other_lines_change

these_lines_change() {
  nine_lines
  start_run --retries 0 -- '. "$SAY"; session s; reads src/nine.txt 2 3; meet; echo x >src/new.txt'
  met
  { seq 3; echo another; seq 5 9; } >src/nine.txt
  git commit -qam 'line 4'
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].subject')" src/nine.txt
  assert_contains "$(field '.conflicts[0].hint')" 'lines 2 to 4'
  assert_contains "$(git txn why "$(field .txn)")" 'read by Read call toolu_7, session s'
  assert_sound
}
test_case 'it is refused when one of them changed, and the call is named' these_lines_change

another_open_stays() {
  nine_lines
  agent '. "$SAY"; session s; reads src/nine.txt 2 3; cat src/nine.txt >/dev/null; echo x >src/new.txt' --no-land
  git txn reads "$(field .txn)" --json |
    jq -c 'select(.subject == "src/nine.txt" and .kind == "content") | .lines' | sort >"$WORLD/seen"
  assert_eq "$(cat "$WORLD/seen")" "$(printf '[2,3]\nnull')"
}
test_case 'a shell that prints the file has read all of it' another_open_stays

resumed_knows() {
  nine_lines
  lands '. "$SAY"; session s9; cat src/f1.txt; echo x >src/new.txt'
  start_run --retries 0 -- '. "$SAY"; session s9 resume; meet; echo y >src/more.txt'
  met
  person_commits src/f1.txt 'changed since the conversation read it'
  go_on
  ends 1
  assert_contains "$(field '[.conflicts[].subject] | join(" ")')" src/f1.txt
  assert_sound
}
test_case 'a resumed conversation keeps what it read before' resumed_knows

resumed_usage() {
  nine_lines
  used_by() { git txn budget show --owner bot --json | jq -r 'select(.kind == "input") | .used'; }
  lands '. "$SAY"; session s9; echo x >src/new.txt' --owner bot
  local first second
  first=$(field .txn)
  exits 0 git txn budget report "$first" input=700 --key turns
  # It goes on: its program tells all that the conversation used, the old and the new.
  lands '. "$SAY"; session s9 resume; echo y >src/more.txt' --owner bot
  second=$(field .txn)
  exits 0 git txn budget report "$second" input=1000 --key turns
  assert_eq "$(used_by)" 1000 'what was used before it went on was charged twice'
  assert_eq "$(git txn budget show --txn "$second" --json | jq -r 'select(.kind == "input") | .used')" 300 'of it the transaction has what is new'
  # Once more, under a name of its own, as a fork has; told while its worktree is there, and after.
  lands '. "$SAY"; session s10
    say SessionStart "{\"hook_event_name\":\"SessionStart\",\"session_id\":\"s9\",\"cwd\":\"$PWD\",\"source\":\"resume\"}"
    echo z >src/most.txt' --owner bot
  exits 0 git txn budget report "$(field .txn)" input=1100 --key turns
  assert_eq "$(used_by)" 1100
  # Another conversation is another matter.
  lands '. "$SAY"; session s11; echo n >src/other.txt' --owner bot
  exits 0 git txn budget report "$(field .txn)" input=50 --key turns
  assert_eq "$(used_by)" 1150
  # And where the key was its own before, it stays that.
  exits 0 git txn budget report "$first" input=800 --key own
  lands '. "$SAY"; session s11; echo m >src/another.txt' --owner bot
  exits 0 git txn budget report "$(field .txn)" input=5 --key own
  assert_eq "$(used_by)" 1955
  assert_sound
}
test_case 'a key of usage is shared with the transaction that goes on with the conversation' resumed_usage

resumed_own_work() {
  nine_lines
  lands '. "$SAY"; session s9; cat src/f1.txt; echo x >>src/f1.txt; ls src >/dev/null; echo n >src/new.txt'
  start_run --retries 0 -- '. "$SAY"; session s9 resume; meet; echo y >src/more.txt'
  met
  person_commits docs/guide.md 'something else'
  go_on
  ends 0
  assert_sound
}
test_case 'what it landed itself is what it knows' resumed_own_work

# What semantic let pass when it landed is not what the conversation saw, and an exact level that goes on with it
# does not take that over; semantic does.
resumed_exactly() {
  nine_lines
  printf '{\n  "x": 50,\n  "y": 50\n}\n' >account.json
  printf '{"a": 1}\n' >data.json
  git add -A
  git commit -qm data
  ln -s "$E2E_ROOT/tests/agents/fake-claude" "$WORLD/bin/claude"
  export FAKE_SESSION=s9
  RUN_ARGS=(git-txn run --json -- claude -p 'Read data.json; Edit account.json "\"y\": 50" "\"y\": 5"; meet')
  "${RUN_ARGS[@]}" >"$WORLD/run.out" 2>"$WORLD/run.err" </dev/null &
  RUN_PID=$!
  met
  sed -i 's/"x": 50/"x": 5/' account.json
  printf '{ "a": 1 }\n' >data.json
  git commit -qam 'another layout, and the other key'
  go_on
  ends 0
  assert_eq "$(field .attempts) $(show account.json | jq -c .)" '1 {"x":5,"y":5}'
  lands '. "$SAY"; session s9 resume; echo y >src/more.txt'
  agent '. "$SAY"; session s9 resume; echo z >src/more.txt' --isolation strict --retries 0
  assert_eq "$CODE $(field '[.conflicts[].subject] | sort | join(" ")')" '1 account.json data.json'
  assert_sound
}
test_case 'at strict a resumed conversation has to have seen what semantic let land' resumed_exactly

resumed_from_elsewhere() {
  nine_lines
  agent '. "$SAY"; session unheard-of resume; echo y >src/more.txt' --no-land
  assert_eq "$(field .read_set.status)" unknown
  assert_contains "$(field .read_set.reason)" resumed
}
test_case 'where nothing was recorded of it the reads are unknown' resumed_from_elsewhere

leaves_the_tree() {
  nine_lines
  agent '. "$SAY"; session ../s; reads ../../../../../../../../etc/hostname 1 1
    call PostToolUse docs/none.md 1 1 '"'"',"tool_response":{"type":"text","file":{"startLine":1,"numLines":1,"totalLines":9}}'"'"'
    echo y >src/more.txt' --no-land
  assert_eq "$CODE $(field .read_set.status)" '0 complete' "$ERR"
  git txn reads "$(field .txn)" --json | jq -r '.subject' >"$WORLD/seen"
  assert_lacks "$(cat "$WORLD/seen")" hostname
}
test_case 'paths that leave the tree, or are not there, do no harm' leaves_the_tree

finish
