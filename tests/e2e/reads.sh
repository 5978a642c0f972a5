#!/usr/bin/env bash
# What counts as a read: real programs under the real tracer, looked at through `git txn reads` and
# through what makes a landing refuse.
. "$(dirname "$0")/lib.sh"

# reads_of SCRIPT [OPTION...]: runs it, keeps it open, prints "kind subject" lines
reads_of() {
  agent "$@" --no-land
  assert_eq "$CODE" 0 "run: $ERR"
  git txn reads "$(field .txn)" --json | jq -r '"\(.kind) \(.subject)"' | sort -u
}
assert_read() { grep -qxF "$1" <<<"$SEEN" || fail "no read '$1' in: $SEEN"; }
assert_no_read() { ! grep -qxF "$1" <<<"$SEEN" || fail "unexpected read '$1'"; }

kinds() {
  new_repo
  ln -s f1.txt src/link
  git add -A
  git commit -qm link
  SEEN=$(reads_of 'cat src/link; : docs/*; [ ! -e nothing ] && stat README; echo x >src/new.txt')
  assert_read 'content src/f1.txt'
  assert_read 'content src/link'
  assert_read 'listing docs'
  assert_read 'absence nothing'
  assert_read 'metadata README'
  assert_no_read 'content README'
  assert_no_read 'content docs/guide.md'
  assert_no_read 'content src/new.txt'
}
test_case 'content, link, listing, absence and metadata' kinds

aliases() {
  new_repo
  SEEN=$(reads_of 'cat src/../src//./f1.txt; cd src; cat ../docs/guide.md; cat /proc/self/cwd/f2.txt; cat "$PWD/f3.txt"; echo x >new.txt')
  assert_read 'content src/f1.txt'
  assert_read 'content docs/guide.md'
  assert_read 'content src/f2.txt'
  assert_read 'content src/f3.txt'
}
test_case 'one file by many names is one path' aliases

own_writes() {
  new_repo
  SEEN=$(reads_of 'echo whole >src/f1.txt; cat src/f1.txt; echo tail >>src/f2.txt; cat src/f2.txt
    echo new >src/f3.tmp; mv src/f3.tmp src/f3.txt; cat src/f3.txt; cat src/f4.txt; echo late >src/f4.txt; cat src/f4.txt')
  assert_no_read 'content src/f1.txt'
  assert_read 'content src/f2.txt'
  assert_no_read 'content src/f3.txt'
  assert_read 'content src/f4.txt'
}
test_case 'a wholly replaced file is no read, an appended one is' own_writes

# So many records that reads are made of them while the change is taken.
own_writes_beside_many() {
  new_repo
  mkdir many
  (cd many && seq 2000 | xargs touch)
  git add -A
  git commit -qm many
  SEEN=$(reads_of 'cat many/*; echo whole >src/f1.txt; cat src/f1.txt; echo tail >>src/f2.txt')
  assert_read 'content many/1999'
  assert_no_read 'content src/f1.txt'
  assert_read 'content src/f2.txt'
  local id
  id=$(git txn begin -q)
  exits 0 git txn exec "$id" -- sh -c 'cat many/*; echo tail >>src/f2.txt'
  exits 0 git txn exec "$id" -- cat src/f3.txt
  for when in exec commit; do
    [ $when = exec ] || exits 0 git txn commit "$id"
    SEEN=$(git txn reads "$id" --json | jq -r '"\(.kind) \(.subject)"')
    assert_read 'content src/f2.txt'
    assert_read 'content src/f3.txt'
  done
}
test_case 'reads beside many others are of what was written, not of a guess' own_writes_beside_many

# Why --trace bpf does not work here; nothing when it does.
why_no_bpf() { "$GIT_TXN_PROGRAM" doctor | sed -n 's/.*trace bpf *not usable: //p'; }

tracers_agree() {
  new_repo
  local script='for f in src/*.txt; do head -n 1 "$f"; done | sort | uniq -c; (cd docs && cat guide.md); test -e absent; perl -e "open F, q(README); print <F>"; echo x >src/new.txt'
  reads_of "$script" --trace notify >"$WORLD/notify"
  reads_of "$script" --trace ptrace >"$WORLD/ptrace"
  reads_of "$script" --trace hybrid >"$WORLD/hybrid"
  diff "$WORLD/notify" "$WORLD/ptrace"
  diff "$WORLD/notify" "$WORLD/hybrid"
  if [ -z "$(why_no_bpf)" ]; then
    reads_of "$script" --trace bpf >"$WORLD/bpf"
    diff "$WORLD/notify" "$WORLD/bpf"
  fi
  grep -qx 'content src/f7.txt' "$WORLD/notify"
  grep -qx 'absence absent' "$WORLD/notify"
  grep -qx 'content README' "$WORLD/notify"
}
test_case 'the tracers see the same reads' tracers_agree

bpf_in_the_open() {
  [ -z "$(why_no_bpf)" ] || return 0  # the last line of this file says why
  new_repo
  SEEN=$(reads_of 'cd src; cat f1.txt; (cd ..; head -n 1 README); test -e ../absent; [ -e ../none ] || cat /proc/self/cwd/f2.txt; setsid cat f4.txt; mv f5.txt f6.txt' --trace bpf)
  assert_read 'content src/f1.txt'
  assert_read 'content README'
  assert_read 'absence absent'
  assert_read 'absence none'
  assert_read 'content src/f2.txt'
  assert_read 'content src/f4.txt'
  assert_read 'content src/f5.txt'
  agent 'cat src/f1.txt >src/new.txt' --trace bpf
  assert_eq "$CODE" 0 "it lands: $ERR"
  start_run --retries 0 --trace bpf -- 'cat src/f3.txt; meet; echo x >src/new2.txt'
  met
  person_commits src/f3.txt 'other'
  go_on
  ends 1
}
test_case 'traced in the kernel' bpf_in_the_open

one_search() {
  new_repo
  local back backs='hybrid notify'
  [ -n "$(why_no_bpf)" ] || backs+=' bpf'
  for back in $backs; do
    SEEN=$(reads_of 'grep -rn f3 .; git grep -n f4; find docs -name "*.md"; ls src; cat src/f2.txt; echo x >src/new.txt' --trace "$back")
    assert_read 'search '
    assert_read 'search docs'
    assert_read 'search src'
    assert_read 'content src/f2.txt'
    assert_no_read 'content src/f1.txt'
    assert_no_read 'tree '
  done
}
test_case 'a search is one read with each tracer, what else was opened stays' one_search

search_elsewhere_changed() {
  new_repo
  start_run --retries 0 -- 'grep -rn f3 src >"$WORLD/found"; meet; cp "$WORLD/found" docs/found.txt'
  met
  person_commits src/f1.txt 'another first file'
  go_on
  ends 0
  assert_sound
}
test_case 'a search holds while what changed does not change its answer' search_elsewhere_changed

search_answer_changed() {
  new_repo
  start_run --retries 0 -- 'grep -rn needle src >"$WORLD/found" || :; meet; cp "$WORLD/found" docs/found.txt'
  met
  person_commits src/f5.txt 'a needle came'
  go_on
  ends 1
  assert_eq "$(field '.conflicts[0].subject')" src/f5.txt
  assert_contains "$(field '.conflicts[0].hint')" 'grep -rn needle src'
  assert_contains "$(field '.conflicts[0].hint')" 'a needle came'
  assert_sound
}
test_case 'a search whose answer changed is refused, the line is named' search_answer_changed

header_search() {
  new_repo
  mkdir inc1 inc2
  echo 'int value;' >inc2/value.h
  printf '#include "value.h"\nint main(void) { return value; }\n' >main.c
  touch inc1/.keep
  git add -A
  git commit -qm code
  start_run --retries 0 -- 'cc -Iinc1 -Iinc2 -c main.c -o "$WORLD/main.o"; meet; echo built >src/built.txt'
  met
  person_commits inc1/value.h 'long value;'
  go_on
  ends 1
  assert_eq "$(field .read_set.status)" complete
  assert_contains "$(field '[.conflicts[].subject] | join(" ")')" inc1
  assert_sound
}
test_case 'a header that was looked up and absent appears: the compile is stale' header_search

unrelated_lands() {
  new_repo
  start_run --retries 0 -- 'cat src/f1.txt; perl -e "print 1"; cc --version; meet; echo x >src/new.txt'
  met
  person_commits src/f2.txt 'unrelated'
  person_commits docs/other.md 'unrelated'
  go_on
  ends 0
  assert_eq "$(field .state) $(field .read_set.status)" 'landed complete'
}
test_case 'what was not read does not invalidate' unrelated_lands

static_program() {
  new_repo
  printf '#include <fcntl.h>\n#include <unistd.h>\nint main(void) { char b[9]; int f = open("src/f5.txt", O_RDONLY); read(f, b, 9); return access("src/none", F_OK) == 0; }\n' >"$WORLD/s.c"
  cc -static -o "$WORLD/static" "$WORLD/s.c"
  SEEN=$(reads_of '"$WORLD/static"; echo x >src/new.txt')
  assert_read 'content src/f5.txt'
  assert_read 'absence src/none'
}
test_case 'a static program is seen too' static_program

many_processes() {
  new_repo
  SEEN=$(reads_of 'for i in $(seq 300); do cat src/f$((i % 7 + 1)).txt; done >"$WORLD/all"; echo x >src/new.txt')
  assert_read 'content src/f7.txt'
  assert_eq "$(wc -l <"$WORLD/all")" 600
}
test_case 'hundreds of short processes, nothing lost' many_processes

# The parent of a traced command is its monitor. The ring of the trace in the kernel is mapped twice, 32 MiB of it, and a
# monitor that was kept waiting has seen all 64 MiB, beside some 9 of its own; the records alone, were they kept, would be
# above 10 MiB. The sanitizers' own memory says nothing.
little_memory() {
  local tracer most
  if grep -q __asan_init "$GIT_TXN_PROGRAM"; then echo 'SKIP: the sanitizers keep memory'; return; fi
  new_repo
  for tracer in hybrid notify ptrace bpf; do
    most=24000
    if [ $tracer = bpf ]; then
      [ -z "$(why_no_bpf)" ] || continue
      most=$((65536 + 14000))
    fi
    agent "perl -e '-e \"$WORLD/absent-\$_\" for 1 .. 100000'
      grep VmHWM /proc/\$PPID/status | tr -dc 0-9 >'$WORLD/peak'" --trace $tracer
    assert_eq "$CODE" 0 "$tracer: $ERR"
    assert_eq "$(field .read_set.status)" complete
    [ "$(cat "$WORLD/peak")" -le $most ] || fail "$tracer: the monitor had $(cat "$WORLD/peak") KiB"
  done
}
test_case 'a hundred thousand records, and the memory of the monitor stays small' little_memory

trace_off_is_unknown() {
  new_repo
  start_run --retries 0 --trace off -- 'meet; echo x >src/new.txt'
  met
  person_commits docs/guide.md 'anything at all'
  go_on
  ends 1
  assert_eq "$(field .read_set.status)" unknown
  assert_contains "$(field .read_set.reason)" trace
  exits 0 git txn why "$(field .txn)"
  assert_contains "$OUT" unknown
}
test_case 'without a trace the read set is unknown, and any landing since the snapshot invalidates' trace_off_is_unknown

local_daemon() {
  new_repo
  perl -MIO::Socket::UNIX -e '$s = IO::Socket::UNIX->new(Local => "$ENV{WORLD}/daemon.sock", Listen => 5); open R, ">$ENV{WORLD}/listening"; close R; alarm 60; while ($c = $s->accept) { print $c "hi\n"; close $c }' &
  local daemon=$!
  wait_for "$WORLD/listening"
  agent 'perl -MIO::Socket::UNIX -e "\$c = IO::Socket::UNIX->new(Peer => qq(\$ENV{WORLD}/daemon.sock)); print <\$c>"; echo x >src/new.txt' --no-land
  kill $daemon
  assert_eq "$CODE $(field .read_set.status)" '0 unknown'
  assert_contains "$(field .read_set.reason)" daemon
}
test_case 'a connection to a local daemon: unknown, it reads untraced' local_daemon

gone_links() {
  new_repo
  ln -s /nowhere "$WORLD/before"
  SEEN=$(reads_of 'ln -s "$PWD/src" "$WORLD/way"; cat "$WORLD/way/f1.txt"; ln -sfn "$PWD/docs" "$WORLD/way"
    cat "$WORLD/way/guide.md"; rm "$WORLD/way"; ln -sfn "$PWD/README" "$WORLD/before"; cat "$WORLD/before"; rm "$WORLD/before"')
  assert_read 'content src/f1.txt'
  assert_read 'content docs/guide.md'
  assert_read 'content README'
}
test_case 'through a link outside that is gone at the end, or led elsewhere' gone_links

standard_input() {
  new_repo
  git txn run --no-land --json -- sh -c 'read line; echo "$line" >copy' <README >"$WORLD/run.out"
  OUT=$(cat "$WORLD/run.out")
  local first
  first=$(field .txn)
  SEEN=$(git txn reads "$first" --json | jq -r '"\(.kind) \(.subject)"')
  assert_read 'content README'
  person_commits README 'another hello'
  exits 1 git txn commit "$first"
  echo 'what to do' >prompt.md
  git txn run --json -- sh -c 'read line; echo "$line" >copy' <prompt.md >"$WORLD/run.out"
  OUT=$(cat "$WORLD/run.out")
  assert_eq "$(field .state)" landed 'a prompt that nobody tracks is the caller'\''s own'
}
test_case 'a tracked file on standard input is a read of it' standard_input

dirty_read() {
  new_repo
  agent 'echo half done >src/f1.txt; pwd >"$WORLD/where"' --no-land --worktree plain
  local where
  where=$(cat "$WORLD/where")
  agent "cp '$where/src/f1.txt' copied.txt" --retries 0
  assert_eq "$(field .state) $(field '.conflicts[0].subject')" 'quarantined src/f1.txt'
  agent "cp '$where/src/f2.txt' copied.txt"
  assert_eq "$(field .state)" landed 'what the other one has not changed is the same to all'
}
test_case 'the worktree of another transaction is a dirty read' dirty_read

rules_of_the_head() {
  new_repo
  agent 'echo x >run.out; echo x >trace.log' --no-land
  local first
  first=$(field .txn)
  person_commits .gitignore $'build/\n*.out'
  exits 1 git txn commit "$first" --json
  assert_eq "$(field '[.conflicts[].subject] | sort | join(" ")')" 'run.out trace.log'
  assert_contains "$(field '.conflicts[0].hint')" "'run.out' was taken, and the head ignores it now (.gitignore:2:*.out)"
  assert_contains "$(git txn why "$first")" .gitignore
}
test_case 'ignore rules are asked again on the head' rules_of_the_head

ignored_files_are_environment() {
  new_repo
  policy '[worktree]
run = ["mkdir -p build && echo cached >build/cache"]'
  SEEN=$(reads_of 'cat build/cache; echo x >src/new.txt')
  assert_no_read 'content build/cache'
}
test_case 'an ignored file is environment, not a read' ignored_files_are_environment

tool_environment() {
  new_repo
  agent 'cat README; echo x >src/one.txt' --no-land
  local first
  first=$(git txn show "$(field .txn)" --json | tail -n 1 | jq -r .read_set.tool_env)
  agent 'cat README; echo y >src/two.txt' --no-land
  assert_eq "$(git txn show "$(field .txn)" --json | tail -n 1 | jq -r .read_set.tool_env)" "$first" 'the same tools'
  agent 'cat README; perl -e 1; echo y >src/two.txt' --no-land
  [ "$(git txn show "$(field .txn)" --json | tail -n 1 | jq -r .read_set.tool_env)" != "$first" ] || fail 'perl is not part of it'
}
test_case 'the tools that ran are digested' tool_environment

permission_to_run() {
  new_repo
  printf '#!/bin/sh\necho hi\n' >tool.sh && chmod +x tool.sh
  git add tool.sh && git commit -qm tool
  agent './tool.sh >src/out.txt' --no-land
  chmod -x tool.sh && git commit -qam 'no program'
  exits 1 git txn commit "$(field .txn)"
  assert_contains "$OUT" 'tool.sh  was read; changed since'
}
test_case 'a program of the tree that ran depends on its permission to run' permission_to_run

if [ -z "${E2E_CASE:-}" ]; then why_no_bpf | sed 's/^/# --trace bpf # SKIP: /'; fi
finish
