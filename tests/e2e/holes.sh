#!/usr/bin/env bash
# Holes that an attack on 1c49770 found, each told in words that 1c49770 understands, so that this file
# fails there (docs/design/0034-firm-ground.md has the table). Stories of other files that do so already
# are not told again.
. "$(dirname "$0")/lib.sh"

# Each line of $WORLD/rows is `SUBJECT | SCRIPT`: the script runs in a transaction of its own, which is kept. Then
# the person does what is said, and every transaction must be refused for its subject, or for what is unknown.
# keep_rows [OPTION...]
keep_rows() {
  local i=0 subject script
  IDS=()
  while IFS='|' read -r subject script; do
    i=$((i + 1))
    export AT=$WORLD/at/$i
    rm -rf "$AT"
    mkdir -p "$AT"
    open_work "{ $script; } >'$AT/said' 2>&1 </dev/null; echo $i >out/$i.txt" "$@"
    IDS+=("$ID")
  done <"$WORLD/rows"
}
open_work() {
  agent "$@" --no-land
  assert_eq "$CODE $(field .state)" '0 open' "run: $ERR"
  ID=$(field .txn)
}
refused_rows() {
  local i=0 subject script got why wrong=''
  while IFS='|' read -r subject script; do
    subject=$(echo $subject)
    got=0
    git txn commit "${IDS[i]}" --json >"$WORLD/.out" 2>&1 || got=$?
    why=$(tail -n 1 "$WORLD/.out" | jq -r '[.conflicts[]? | .subject, .text, .hint] | tostring')
    case "$got $subject" in
      '1 unknown') [ "$(tail -n 1 "$WORLD/.out" | jq -r .read_set.status)" = unknown ] || got=known ;;
      1*) case $why in *"$subject"*) ;; *) got="1 for $why" ;; esac ;;
    esac
    [ "$got" = 1 ] || wrong+="[$subject]$script: exited $got; it said: $(head -n 3 "$WORLD/at/$((i + 1))/said")"$'\n'
    i=$((i + 1))
  done <"$WORLD/rows"
  [ -z "$wrong" ] || fail "these were not refused as they should be:"$'\n'"$wrong"
}
with_out() { mkdir out && echo keep >out/keep && git add out && git commit -qm 'a place for results'; }

# Each line of $WORLD/pairs is run twice from one commit, and kept; one of the two lands, and the other one, which was
# decided before that, must not, nor end as if there was nothing to do.
one_of_two() { # [OPTION...]
  local line one got
  while IFS= read -r line; do
    git reset -q --hard start
    open_work "$line" "$@"
    one=$ID
    open_work "$line" "$@"
    exits 0 git txn commit "$one"
    got=0
    git txn commit "$ID" --json >"$WORLD/.out" 2>&1 || got=$?
    [ "$got" = 1 ] || LOST+="${*:-the default}: $line: exited $got, $(tail -n 1 "$WORLD/.out" | jq -r .state)"$'\n'
  done <"$WORLD/pairs"
}
new_ledger() {
  new_repo
  echo 0 >c; echo 100 >account; printf 'a\nb\nc\nd\n' >log.txt
  git add -A
  git commit -qm ledger
  git tag start
}

lost_updates() {
  new_ledger
  LOST=
  cat >"$WORLD/pairs" <<'END'
n=$(cat c); echo $((n + 1)) >c
n=$(cat account); [ $n -ge 60 ]; echo $((n - 60)) >account
echo line >>log.txt
n=$(ls docs | wc -l); echo taken >docs/$n
END
  one_of_two --isolation snapshot
  cat >>"$WORLD/pairs" <<'END'
grep -rl needle docs || echo needle >docs/needle
find . -name '*.txt' -path './src/*' | wc -l >/dev/null; echo x >src/found.txt
ls -R docs src >/dev/null; echo x >docs/more.md
END
  one_of_two
  one_of_two --isolation strict
  assert_eq "$LOST" '' 'the second one was lost'
}
test_case 'A1: of two that make the same update of what they read, one is not nothing' lost_updates

appended() {
  local level one
  for level in snapshot strict; do
    (new_ledger)
    cd repo
    open_work 'echo line >>log.txt' --isolation $level
    one=$ID
    open_work 'echo line >>log.txt' --isolation $level
    exits 0 git txn commit "$one"
    sed -i 1s/a/A/ log.txt
    git commit -qam 'the first line'
    exits 1 git txn commit "$ID"
    cd ..
    rm -rf repo
  done
}
test_case 'A1: a line that both appended is not merged into one' appended

counted_up() {
  new_repo
  printf 'N = 1\n\n\ndef f():\n    return N\n' >n.py
  git add -A
  git commit -qm count
  open_work 'sed -i "s/N = 1/N = 2/" n.py; printf "\n\ndef g():\n    return 1\n" >>n.py'
  local one=$ID
  open_work 'sed -i "s/N = 1/N = 2/; 2a def e():\n    return 2\n\n" n.py'
  exits 0 git txn commit "$one"
  exits 1 git txn commit "$ID"
}
test_case 'A1: a number that both counted up is not merged into one' counted_up

layout() {
  new_repo
  printf '{"a": 1, "b": 1}\n' >f.json
  git add -A
  git commit -qm data
  open_work 'md5sum f.json >out' --isolation strict
  person_commits f.json '{ "a": 1, "b": 1 }'
  exits 1 git txn commit "$ID" --json
  assert_eq "$(field '.conflicts[0].subject')" f.json
}
test_case 'A2: a hash of a file that was only laid out anew is stale at strict' layout

through_links() {
  new_repo
  with_out
  cat >"$WORLD/rows" <<'END'
src/f6.txt | ln -s "$PWD/src" "$AT/way"; cat "$AT/way/f6.txt"; rm "$AT/way"
src/f6.txt | ln -s "$PWD/src" "$AT/way"; cat "$AT/way/f6.txt"; ln -sfn "$PWD/docs" "$AT/way"
END
  local back all=()
  for back in hybrid notify ptrace; do
    keep_rows --trace $back
    all+=("${IDS[@]}")
  done
  person_commits src/f6.txt changed
  for back in 0 2 4; do
    IDS=("${all[@]:back:2}")
    refused_rows
  done
}
test_case 'A3: a file that was read through a link outside that is gone or leads elsewhere at the end' through_links

checkout_by_git() {
  new_repo
  with_out
  cat >"$WORLD/rows" <<'END'
src/f6.txt | git hash-object "$WORLD/repo/src/f6.txt"
src/f6.txt | git diff --no-index /dev/null "$WORLD/repo/src/f6.txt"
src/f6.txt | git config -f "$WORLD/repo/src/f6.txt" -l
END
  keep_rows
  person_commits src/f6.txt changed
  refused_rows
}
test_case 'A3: a file of the person'"'"'s checkout that git was told to read' checkout_by_git

in_a_thread() { cat >"$WORLD/threads.py" <<'END'
import ctypes, os, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
def own():
    assert libc.unshare(0x200) == 0
    os.chdir('src')
    print(open('f6.txt').read())
def mounted():
    tree = libc.syscall(428, -100, b'src', 1)
    assert tree >= 0, os.strerror(ctypes.get_errno())
    print(os.read(os.open('f6.txt', os.O_RDONLY, dir_fd=tree), 100))
thread = threading.Thread(target={'own': own, 'mounted': mounted}[sys.argv[1]])
thread.start()
thread.join()
print(open('README').read())
END
}

own_directory() {
  new_repo
  in_a_thread
  with_out
  printf '%s\n' 'README | python3 "$WORLD/threads.py" own' >"$WORLD/rows"
  keep_rows
  assert_contains "$(cat "$WORLD/at/1/said")" hello
  person_commits README changed
  refused_rows
}
test_case 'A3: a thread that has a current directory of its own' own_directory

mounted_nowhere() {
  new_repo
  in_a_thread
  with_out
  printf '%s\n' 'unknown | python3 "$WORLD/threads.py" mounted' >"$WORLD/rows"
  keep_rows
  grep -q 'line one' "$WORLD/at/1/said" || { echo "SKIP: open_tree: $(tail -n 1 "$WORLD/at/1/said")"; return; }
  person_commits src/f6.txt changed
  refused_rows
}
test_case 'A3: a tree that is mounted nowhere' mounted_nowhere

others_tell() {
  new_repo
  with_out
  # Each is served by a process outside, which reads in the person's checkout.
  cat >"$WORLD/serve.py" <<'END'
import os, socket, sys
world = os.environ['WORLD']
datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
datagrams.bind(world + '/dgram.sock')
os.mkfifo(world + '/fed')
open(world + '/serving', 'w').close()
asked, who = datagrams.recvfrom(100)
datagrams.sendto(open(world + '/repo/src/f6.txt', 'rb').read(), who)
open(world + '/fed', 'wb').write(open(world + '/repo/src/f6.txt', 'rb').read())
while not os.path.exists(world + '/late'):
    import time; time.sleep(0.02)
server = socket.socket(socket.AF_UNIX)
server.bind(world + '/late.sock')
server.listen()
one, _ = server.accept()
one.sendall(open(world + '/repo/src/f6.txt', 'rb').read())
END
  timeout 60 python3 "$WORLD/serve.py" &
  wait_for "$WORLD/serving"
  cat >"$WORLD/ask.py" <<'END'
import os, socket, sys, time
world = os.environ['WORLD']
if sys.argv[1] == 'datagram':
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    s.bind(os.environ['AT'] + '/mine')
    s.sendto(b'f6', world + '/dgram.sock')
    print(s.recv(1000))
else:
    open(world + '/late', 'w').close()
    s = socket.socket(socket.AF_UNIX)
    while True:
        try:
            s.connect(world + '/late.sock')
            break
        except OSError:
            time.sleep(0.02)
    print(s.recv(1000))
END
  cat >"$WORLD/rows" <<'END'
unknown | python3 "$WORLD/ask.py" datagram
unknown | cat "$WORLD/fed"
unknown | python3 "$WORLD/ask.py" late
END
  keep_rows
  assert_eq "$(cat "$WORLD"/at/*/said | grep -c 'line one')" 3 'all were told the content'
  person_commits src/f6.txt changed
  refused_rows
}
test_case 'A3: what a datagram, a pipe and a server tell that began outside' others_tell

rules_of_the_head() {
  new_repo
  with_out
  cat >"$WORLD/rows" <<'END'
taken.out | echo x >taken.out
left.log | echo x >left.log
out/lines.txt | printf 'one\r\ntwo\r\n' >out/lines.txt
END
  keep_rows
  printf 'build/\n*.out\n' >.gitignore
  echo 'out/lines.txt text' >.gitattributes
  git add .gitignore .gitattributes
  git commit -qm 'other rules'
  refused_rows
}
test_case 'A3: a path that the rules of the head take, leave or convert otherwise' rules_of_the_head

copied() {
  new_repo
  open_work 'echo x >src/new.txt'
  local worktree copied=$WORLD/copied
  worktree=$(git txn open "$ID" -q)
  cp -a "$REPO" "$copied"
  git -C "$copied" txn abort "$ID" >"$WORLD/.out" 2>&1
  [ -e "$worktree/src/new.txt" ] || fail "abort in the copy removed the worktree: $(cat "$WORLD/.out")"
  git -C "$copied" txn gc --force >"$WORLD/.out" 2>&1
  [ -e "$worktree/src/new.txt" ] || fail "gc in the copy removed the worktree: $(cat "$WORLD/.out")"
  exits 0 git txn commit "$ID"
  assert_eq "$(show src/new.txt)" x
}
test_case 'B5: abort and gc in a copy of a repository leave its transactions alone' copied

own_worktree() {
  new_repo
  lands 'git worktree add -q "$WORLD/mine" && echo x >"$WORLD/mine/x"; echo y >>src/f1.txt'
  assert_contains "$(field '.notes | tostring')$ERR" "$WORLD/mine"
  assert_eq "$(git show "refs/txn/$(field .txn)/worktree-1-1:x")" x
}
test_case 'B7: files in a worktree that the agent added are kept, and named' own_worktree

names_of_git() {
  new_repo
  agent 'mkdir .GIT; echo x >.GIT/config; echo y >>src/f1.txt' --retries 0
  [ "$CODE $(field .state)" != '0 landed' ] || assert_eq "$(show .GIT/config)" x 'it said that it landed'
  assert_contains "$OUT$ERR" .GIT
  assert_eq "$(git log --format=%s -1)" start 'what could not be taken whole has not landed'
}
test_case 'B7: a name that git takes for its own is refused, not thrown away' names_of_git

hook_of_recovery() {
  new_repo
  printf '#!/bin/sh\nwhile read -r old new ref; do echo "$1 $ref" >>"$HOME/told"; done\n' >.git/hooks/reference-transaction
  chmod +x .git/hooks/reference-transaction
  open_work 'echo x >src/new.txt'
  killed_at land.after_ref_update git txn commit "$ID"
  rm -f "$HOME/told"
  exits 0 git txn recover
  assert_eq "$(show src/new.txt)" x
  assert_contains "$(cat "$HOME/told" 2>/dev/null || echo nothing)" 'committed refs/heads/main'
}
test_case 'B7: reference-transaction hears of a landing that recovery completes' hook_of_recovery

no_command_line() {
  new_repo
  lands 'echo x >src/new.txt; : sk-key-12345'
  assert_lacks "$(git log -1 --format=%B)" sk-key
  assert_lacks "$(git log -1 --format=%B)" bash
  lands 'echo y >src/new.txt; git commit -qam "Count from y"'
  assert_eq "$(git log -1 --format=%s)" 'Count from y'
}
test_case 'B8: a command line is in no commit message, the agent'"'"'s own commit names the change' no_command_line

port_is_given() {
  new_repo
  person_commits .gittxn.toml '[worktree]
ports = [3000, 3999]'
  lands 'echo "${GIT_TXN_PORT-none}" >src/port'
  [ "$(show src/port)" -ge 3000 ] || fail "no port: $(show src/port)"
  exits 0 git txn begin --json
  ID=$(field .txn)
  exits 0 git txn exec "$ID" -- sh -c 'echo "${GIT_TXN_PORT-none}" >src/port2'
  exits 0 git txn commit "$ID"
  [ "$(show src/port2)" -ge 3000 ] || fail "no port: $(show src/port2)"
}
test_case 'B9: ports of the policy are given to run and exec' port_is_given

shared_is_not_copied() {
  new_repo
  echo lib/ >>.gitignore
  git commit -qam 'ignore lib'
  mkdir lib && head -c 5000000 /dev/zero >lib/large
  person_commits .gittxn.toml '[worktree]
share = ["lib"]'
  lands 'stat -c %i lib/large >out.txt'
  if [ "$(id -u)" != 0 ] && ! unshare -Urm true; then echo 'SKIP: nothing can be mounted here'; return; fi
  assert_eq "$(find "$XDG_STATE_HOME" -name large)" '' 'a copy was left'
  assert_eq "$(show out.txt)" "$(stat -c %i lib/large)" 'it is the same file'
}
test_case 'B9: a folder that is shared is not copied' shared_is_not_copied

damaged() {
  new_repo
  lands 'echo x >src/new.txt'
  sqlite3 .git/txn/kernel.db 'DROP TRIGGER events_are_never_updated'
  exits 1 git txn verify
  agent 'echo y >src/other.txt'
  [ "$CODE" != 0 ] || fail 'it landed on a store that verify calls damaged'
  assert_eq "$(git log --format=%s -1 -- src/other.txt)" ''
}
test_case 'B10: nothing lands on a store that verify calls damaged' damaged

words_for_people() {
  new_repo
  open_work 'cat README; echo x >src/new.txt'
  sqlite3 .git/txn/kernel.db "UPDATE txns SET body = '{\"broken'"
  exits 2 git txn show "$ID"
  assert_contains "$ERR" 'not JSON'
  assert_lacks "$ERR" json.exception
}
test_case 'B10: no words of a parser reach the user' words_for_people

keys_are_of_a_transaction() {
  new_repo
  exits 0 git txn budget set --owner pat@example.org input=1000
  local id
  for id in one two; do
    lands "echo $id >src/$id.txt"
    exits 0 git txn budget report "$(field .txn)" input=100 --key conversation
  done
  assert_contains "$(git txn budget show --json)" 200
}
test_case 'B10: usage under the same key of another transaction is counted' keys_are_of_a_transaction

rewound() {
  new_repo
  lands 'echo 1 >src/one.txt'
  local lost
  lost=$(head_of)
  git reset -q --hard HEAD~1
  lands 'echo 2 >src/two.txt'
  assert_contains "$OUT$ERR" "${lost:0:7}"
}
test_case 'B10: a landing says that the branch was rewound since the last one' rewound

tools_are_granted() {
  new_repo
  printf '#!/bin/sh\nprintf "%%s\\n" "$@" >"$WORLD/argv"; echo x >new\n' >"$WORLD/bin/claude"
  chmod +x "$WORLD/bin/claude"
  exits 0 git txn run --no-land -- claude -p 'fix it'
  assert_contains "$(cat "$WORLD/argv")" --plugin-dir
  assert_contains "$(paste -sd' ' "$WORLD/argv")" '--allowedTools mcp__plugin_git-txn_txn '
}
test_case 'C14: claude -p is granted the tools that are added for the run' tools_are_granted

long_lines() {
  new_repo
  { head -c 70000 /dev/zero | tr '\0' x; echo the-end; } >long
  git add long && git commit -qm long
  { echo '{"jsonrpc":"2.0","id":"h","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"2"}}}'
    echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"path":"long","column":65537}}}'
  } >"$WORLD/asked"
  open_work 'git txn mcp <"$WORLD/asked" >"$WORLD/answers"; echo x >new'
  assert_contains "$(cat "$WORLD/answers")" the-end
}
test_case 'C14: a line over 64 KiB can be read on' long_lines

odd_names() {
  new_repo
  echo latin >"$(printf 'caf\351.c')"
  git add -A && git commit -qm odd
  { echo '{"jsonrpc":"2.0","id":"h","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"2"}}}'
    echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list","arguments":{"path":"."}}}'
    echo '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{"path":"caf%E9.c"}}}'
  } >"$WORLD/asked"
  open_work 'git txn mcp <"$WORLD/asked" >"$WORLD/answers"; echo x >new'
  assert_eq "$(jq -r 'select(.id == 2) | .result.content[0].text' "$WORLD/answers")" latin
}
test_case 'C14: a file whose name is not UTF-8 can be read' odd_names

another_worktree() {
  new_repo
  open_work 'echo x >src/new.txt'
  local other place=$ID
  other=$(git txn open "$ID")
  agent "echo y >'$other/src/astray.txt'"
  assert_contains "$(field '.notes | tostring')$ERR" "$place"
}
test_case 'B12 20: who wrote in the worktree of another transaction is told so' another_worktree

finish
