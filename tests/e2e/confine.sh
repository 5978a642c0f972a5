#!/usr/bin/env bash
# --confine: where a command may write, and what else it may reach.
. "$(dirname "$0")/lib.sh"

needs_landlock() {
  exits 0 git txn doctor
  case $(grep ' confine ' <<<"$OUT") in *'not usable'*) echo 'SKIP: no Landlock here'; exit 0 ;; esac
  mkdir -p "$WORLD/elsewhere"
  export TMPDIR=$WORLD/tmp
  mkdir -p "$TMPDIR"
}

# The world of a case is below /tmp, where everybody may write: the places that must be refused are
# looked for elsewhere.
outside() {
  local place
  OUTSIDE=${E2E_PLACE:-}
  [ -z "$OUTSIDE" ] || return 0  # of the story that this one is run by
  for place in "$E2E_ROOT/build" /var/lib /srv; do
    case $place in /tmp/* | /var/tmp/*) continue ;; esac
    if [ -d "$place" ] && [ -w "$place" ]; then break; fi
  done
  OUTSIDE=$(mktemp -d "$place/git-txn-confine.XXXXXX") || { echo 'SKIP: no place outside temporary directories'; exit 0; }
  trap 'rm -rf "$OUTSIDE"' EXIT
}

writes_only() {
  new_repo
  needs_landlock
  outside
  local kind back backs='hybrid notify ptrace'
  if "$GIT_TXN_PROGRAM" doctor | grep -q 'trace bpf *usable$'; then backs+=' bpf'; fi
  for back in $backs; do
    for kind in plain overlay; do
      agent "cat /etc/passwd >/dev/null; cat $OUTSIDE/readable 2>/dev/null; echo x >src/$back-$kind.txt; mv src/$back-$kind.txt docs/; echo x >$OUTSIDE/new || echo refused; mkdir \"$TMPDIR/$back-$kind\"" \
        --confine writes --trace $back --worktree $kind
      assert_eq "$CODE $(field .state) $(field .read_set.status)" '0 landed complete' "$back $kind: $ERR"
      assert_contains "$ERR" 'refused'
      assert_absent "$OUTSIDE/new"
      assert_contains "$(field '.notes | join("; ")')" "outside of what it may write: $OUTSIDE/new"
      git cat-file -e "main:docs/$back-$kind.txt"
    done
  done
  assert_sound
}
test_case 'writes: nothing but the worktree and temporary directories, with each back end and kind' writes_only 240

allowed_besides() {
  new_repo
  needs_landlock
  outside
  git config txn.confineWrite "$OUTSIDE:~/.agent"
  lands "echo state >$OUTSIDE/state; echo x >src/new.txt" --confine writes
  assert_file "$OUTSIDE/state" state
  git config txn.confineWrite relative
  agent 'true' --confine writes
  assert_eq "$CODE" 3
  assert_contains "$ERR" "names 'relative'"
}
test_case 'txn.confineWrite names where an agent keeps its state' allowed_besides


# What stays open is named by a row of `git txn version --enforces`; all else is stopped, and what there is
# outside is afterwards as it was, in its bytes, modes, owners and times.
facts() { # PLACE: everything that there is to be harmed, made, and written to $WORLD/facts
  local place=$1
  mkdir -p "$HOME/.ssh" "$HOME/empty" "$place/elsewhere" "$XDG_CACHE_HOME"
  echo config >"$HOME/.ssh/config"
  echo profile >"$HOME/.profile"
  echo task >"$HOME/task.md"
  exits 0 git txn begin --name other --worktree plain
  exits 0 git txn propose 'use tabs' --score 0.5
  start_run -- 'echo $$ >"$WORLD/agent"; echo $PPID >"$WORLD/supervisor"; touch "$WORLD/ready"; sleep 300'
  (cd "$HOME" && exec /usr/bin/python3 - "$place" "$WORLD/listens") <<'PY' &
import ctypes, os, pty, socket, sys, time
place, listens = sys.argv[1:]
name = "git-txn-way-out-%d" % os.getpid()
held = []
for kind, family, address in (
        (socket.SOCK_STREAM, socket.AF_UNIX, "\0" + name), (socket.SOCK_DGRAM, socket.AF_UNIX, "\0" + name + ".dgram"),
        (socket.SOCK_STREAM, socket.AF_UNIX, place + "/daemon"), (socket.SOCK_DGRAM, socket.AF_UNIX, place + "/daemon.dgram"),
        (socket.SOCK_STREAM, socket.AF_INET, ("127.0.0.1", 0))):
    held.append(socket.socket(family, kind))
    held[-1].bind(address)
    if kind == socket.SOCK_STREAM:
        held[-1].listen(64)
file = open(place + "/home/held", "w")
master, slave = pty.openpty()
libc = ctypes.CDLL(None)
segment = libc.shmget(0, 4096, 0o600)  # IPC_PRIVATE
libc.shmat(segment, None, 0)
libc.shmctl(segment, 0, None)  # IPC_RMID: it goes with this process, and is had by its number until then
with open(listens + ".new", "w") as out:
    out.write("victim=%d\nabstract=%s\nsocket=%s/daemon\nport=%d\nheld=%d\nterminal=%s\nsegment=%d\n" % (
        os.getpid(), name, place, held[4].getsockname()[1], file.fileno(), os.ttyname(slave), segment))
os.rename(listens + ".new", listens)
time.sleep(300)
PY
  VICTIM_PID=$!
  wait_for "$WORLD/listens"
  wait_for "$WORLD/ready"
  {
    cat "$WORLD/listens"
    echo "namespaces=$NAMESPACES"
    echo "home=$HOME"
    echo "repo=$PWD"
    echo "top=$place"
    echo "other=$(git txn open other -q)"
    echo "elsewhere=$place/elsewhere"
    echo "agent=$(cat "$WORLD/agent")"
    echo "supervisor=$(cat "$WORLD/supervisor")"
    echo "proposal=$(git txn proposals --json | jq -r .id)"
    echo "open=$(git txn open other --json -q | jq -r .txn)"
    echo "cache=$XDG_CACHE_HOME"
    echo "temporary=$TMPDIR/of-others"
  } >"$WORLD/facts"
  echo x >"$TMPDIR/of-others"
}

# All that is outside, by name, kind, mode, owner, time and bytes; but for what git-txn itself writes meanwhile.
as_it_was() { # PLACE
  find "$1" \( -path '*/.git/objects' -o -path '*/.git/refs/txn' -o -path '*/.git/txn' -o -path '*/.git/index' \
    -o -path '*/.git' -o -path '*/.git/refs' -o -path "$XDG_STATE_HOME" -o -path "$XDG_CACHE_HOME" -o -path "$WORLD/tmp" \) \
    -printf '%p %y\n' \( -path '*/.git' -o -path '*/.git/refs' -o -prune \) \
    -o -type f -printf '%p %y %m %U %G %T@ ' -exec sha256sum {} \; -o -printf '%p %y %m %U %G %T@ %l\n' | LC_ALL=C sort
}

# What was left to be run when the command had ended: a compensation that failed was stopped.
judge_later() { # SAID: the lines of ways_out.py
  exits 0 git txn show "$(field .txn)" --json
  jq -r '.compensations[] | "\(.ended // false) \(.exit)"' <<<"$OUT" >"$WORLD/compensations"
  awk -F '\t' -v OFS='\t' -v exits="$WORLD/compensations" '
    $3 == "later" { getline ended <exits; $3 = ended ~ /^true [1-9]/ ? "stopped" : "open"; $4 = "exit " ended }
    { print }' "$1"
}

# Each is stopped or has its row, and of each kind at least so many were tried.
judge_ways() { # SAID ROWS
  awk -F '\t' -v rows="$2" '
    BEGIN {
      while ((getline line <rows) > 0) all = all line "\n"
      kinds = split("writes 16 links 8 mounts 10 metadata 9 signals 8 sockets 7 terminal 5 compensations 5 store 20 worktree 9" \
        " processes 10 machine 8 later 4", least, " ")
    }
    $3 == "open" && ($5 == "" || !index(all, "| " $5)) { print "open, without a row: " $0; bad = 1 }
    $3 !~ /^(open|stopped|absent)$/ || ($3 == "absent" && $4 == "") { print "not judged: " $0; bad = 1 }
    { count[$1, $3]++; sum[$3]++ }
    END {
      for (i = 1; i < kinds; i += 2) {
        kind = least[i]
        tried = count[kind, "stopped"] + count[kind, "open"]
        printf "%-14s %3d stopped %3d with a row %3d absent\n", kind, count[kind, "stopped"], count[kind, "open"], count[kind, "absent"]
        if (tried < least[i + 1]) { print "only " tried " of " kind " were tried, not " least[i + 1]; bad = 1 }
      }
      printf "%-14s %3d stopped %3d with a row %3d absent\n", "all", sum["stopped"], sum["open"], sum["absent"]
      exit bad
    }' "$1"
}

ways_out() { # PLACE: of the repository and the home directory
  local place=$1 back
  export HOME=$place/home XDG_STATE_HOME=$place/state XDG_CACHE_HOME=$place/cache TMPDIR=$WORLD/tmp
  mkdir -p "$HOME" "$XDG_STATE_HOME" "$TMPDIR" "$place/work"
  git config --global user.name 'Pat Person'
  git config --global user.email pat@example.org
  git config --global init.defaultBranch main
  cd "$place/work"
  new_repo
  needs_landlock
  NAMESPACES=yes
  case $OUT in *'no mount namespace'*) NAMESPACES=no ;; esac
  facts "$place"
  agent true --confine writes  # makes the places of tools
  git txn version --enforces >"$WORLD/rows"
  as_it_was "$place" >"$WORLD/before"
  for back in auto off; do
    CODE=0
    git txn run --json --confine writes --trace $back -- /usr/bin/python3 "$E2E_ROOT/tests/e2e/ways_out.py" "$WORLD/facts" \
      <"$HOME/task.md" >"$WORLD/run.out" 2>"$WORLD/run.err" || CODE=$?
    OUT=$(cat "$WORLD/run.out") ERR=$(cat "$WORLD/run.err")
    assert_eq "$CODE $(field .state)" '1 nothing' "$ERR"  # for the compensations that failed
    awk -F '\t' 'NF >= 4' "$WORLD/run.err" >"$WORLD/said"
    judge_later "$WORLD/said" >"$WORLD/ways"
    echo "$(id -un 2>/dev/null || id -u), namespaces: $NAMESPACES, trace $back, in $place:"
    judge_ways "$WORLD/ways" "$WORLD/rows" || fail "$back: see above"
    as_it_was "$place" >"$WORLD/after"
    diff "$WORLD/before" "$WORLD/after" >"$WORLD/differs" || fail "$back: $(cat "$WORLD/differs")"
    kill -0 "$VICTIM_PID" "$(cat "$WORLD/agent")" "$(cat "$WORLD/supervisor")"
  done
  kill "$VICTIM_PID" "$RUN_PID"
  wait
  assert_sound
}

# The same story as somebody without privileges, or where there are no namespaces. PLACE is theirs then.
elsewise() { # CASE PLACE COMMAND...: runs this file again below COMMAND
  local case=$1 place=$2
  shift 2
  chmod a+rw "$E2E_OUTPUTS"
  exec env E2E_CASE="$case" E2E_PLACE="$place" "$@" bash "$E2E_FILE"
}
kUser=54321
unprivileged() { # PLACE
  [ "$(id -u)" = 0 ] || { echo 'SKIP: only the administrator can be somebody else'; exit 0; }
  chmod 0755 .. .
  chown -R $kUser:$kUser . "$1"
}
as_user() { echo setpriv "--reuid=$kUser" "--regid=$kUser" --clear-groups; }
without_namespaces() { echo /usr/bin/python3 "$E2E_ROOT/tests/e2e/without_namespaces.py"; }

below_temporary() { ways_out "$WORLD/mine"; }
test_case 'ways out: each is stopped or has its row, below a temporary directory' below_temporary 120
below_temporary_alone() { elsewise below_temporary '' $(without_namespaces); }
test_case 'ways out below a temporary directory, where there are no namespaces' below_temporary_alone 120
below_temporary_as_user() { unprivileged . && elsewise below_temporary '' $(as_user); }
test_case 'ways out below a temporary directory, of somebody without privileges' below_temporary_as_user 120
below_temporary_as_user_alone() { unprivileged . && elsewise below_temporary '' $(as_user) $(without_namespaces); }
test_case 'ways out below a temporary directory, of somebody without privileges, where there are no namespaces' \
  below_temporary_as_user_alone 120

at_home() {
  outside
  ways_out "$OUTSIDE"
}
# The place goes with the story that is run in it.
outside_elsewise() { # CASE COMMAND...
  local case=$1
  shift
  outside
  [ "$1" != setpriv ] || unprivileged "$OUTSIDE"
  (elsewise "$case" "$OUTSIDE" "$@")
}
test_case 'ways out: each is stopped or has its row, in a home directory' at_home 120
at_home_alone() { outside_elsewise at_home $(without_namespaces); }
test_case 'ways out in a home directory, where there are no namespaces' at_home_alone 120
at_home_as_user() { outside_elsewise at_home $(as_user); }
test_case 'ways out in a home directory, of somebody without privileges' at_home_as_user 120
at_home_as_user_alone() { outside_elsewise at_home $(as_user) $(without_namespaces); }
test_case 'ways out in a home directory, of somebody without privileges, where there are no namespaces' at_home_as_user_alone 120

compensations_inherit() {
  new_repo
  needs_landlock
  outside
  local id undo="echo here >here; echo x >$OUTSIDE/compensated"
  # It cannot write the store; its run does that for it, and it is there when the command returns.
  agent "echo half >done.txt; git txn compensate --name 'the effect' -- sh -c '$undo'; git txn show \$GIT_TXN_ID; exit 1" --confine writes
  assert_eq "$CODE" 1 "$ERR"
  assert_contains "$ERR" 'compensation 1 is run if'
  assert_contains "$ERR" 'compensation 1  registered: the effect'
  id=$(field .txn)
  assert_eq "$(git txn events tail --type txn.command.started | jq -r .data.confine | sort -u)" writes
  exits 1 git txn abort "$id"  # for what failed of it
  assert_absent "$OUTSIDE/compensated"
  exits 0 git txn show "$id" --json
  assert_eq "$(field '.compensations[0].exit')" 2 'it was run, and could not write there'
  # Nobody is asked for another transaction, nor where nobody listens.
  agent 'git txn compensate; echo $? >"$TMPDIR/code"' --confine writes
  assert_file "$TMPDIR/code" 3
  agent 'GIT_TXN_OBSERVED=$TMPDIR git txn compensate -- true; echo $? >"$TMPDIR/code"' --confine writes
  assert_file "$TMPDIR/code" 2
  assert_contains "$ERR" 'a confined command (--confine) cannot write it'
  # As before where nothing was confined.
  agent "echo half >done.txt; git txn compensate -- sh -c '$undo'; exit 1"
  exits 0 git txn abort "$(field .txn)"
  assert_file "$OUTSIDE/compensated" x
  assert_sound
}
test_case 'a compensation is confined as the command was that registered it' compensations_inherit
compensations_inherit_alone() { outside_elsewise compensations_inherit $(as_user) $(without_namespaces); }
test_case 'a compensation is confined, of somebody without privileges, where there are no namespaces' compensations_inherit_alone

# What git would run for whoever looks, of the configuration in repositories that a confined command wrote.
looked_at() {
  new_repo
  needs_landlock
  outside
  local kind
  for kind in plain overlay; do
    agent "git init -q sub && cd sub && git commit -q --allow-empty -m x && git config core.fsmonitor 'touch $OUTSIDE/by-monitor; false' &&
      cd .. && git add sub && echo x >sub/new" --confine writes --worktree $kind
    assert_eq "$CODE" 3 "$ERR"
    assert_contains "$ERR" 'submodules were changed: sub'
    assert_absent "$OUTSIDE/by-monitor"
    # A worktree of its own, with one in it.
    agent "git worktree add -q \"\$TMPDIR/linked-$kind\" && cd \"\$TMPDIR/linked-$kind\" && git init -q sub && cd sub &&
      git commit -q --allow-empty -m x && cd .. && git add sub && git commit -qm sub &&
      git -C sub config core.fsmonitor 'touch $OUTSIDE/by-monitor; false' && echo x >sub/new" --confine writes --worktree $kind
    assert_eq "$CODE" 0 "$ERR"
    assert_absent "$OUTSIDE/by-monitor"
  done
  # What a sub-agent changed is put into the worktree by git-txn.
  ln -s "$E2E_ROOT/tests/agents/fake-claude" "$WORLD/bin/claude"
  agent_claude "git config filter.out.smudge 'touch $OUTSIDE/by-filter; cat'
    git config filter.out.clean 'touch $OUTSIDE/by-filter; cat'; echo '* filter=out' >.gitattributes
    Isolated a1 'Write other.txt 1; echo more >>README'"
  assert_eq "$CODE $(field .state)" '0 landed' "$ERR"
  assert_eq "$(git show main:other.txt)" 1
  assert_absent "$OUTSIDE/by-filter"
  # Where a sub-agent's worktree is to be, or was, there is a link to something else.
  mkdir -p "$OUTSIDE/theirs/take" "$OUTSIDE/theirs/tree/.git"
  echo x >"$OUTSIDE/theirs/take/file"
  agent_claude "ln -s $OUTSIDE/theirs \"\$GIT_TXN_OBSERVED/../children/1\"; Isolated a1 'Write other.txt 2'"
  agent_claude "Isolated a1 'Write other.txt 2; cd ../..; mv 1 moved; ln -s $OUTSIDE/theirs 1; cd moved/tree'; Write mine.txt 1"
  assert_eq "$(cd "$OUTSIDE/theirs" && find . | LC_ALL=C sort | tr '\n' ' ')" '. ./take ./take/file ./tree ./tree/.git '
  assert_contains "$ERR$(field '.notes // [] | join(" ")')" 'the worktree of agent-a1'
  assert_sound
}
agent_claude() { # SCRIPT
  CODE=0
  git txn run --json --confine writes -- claude -p "$1" >"$WORLD/run.out" 2>"$WORLD/run.err" </dev/null || CODE=$?
  OUT=$(cat "$WORLD/run.out") ERR=$(cat "$WORLD/run.err")
}
test_case 'git-txn runs nothing of what a confined command configured' looked_at 120

known_and_told() {
  new_repo
  needs_landlock
  git config txn.confine writes
  agent 'cat "$GIT_TXN_OBSERVED/instructions.md" >&2; jq -r .confine "$GIT_TXN_OBSERVED/txn.json" >src/told.txt'
  assert_eq "$CODE" 0 "$ERR"
  assert_contains "$ERR" 'You are confined'
  assert_eq "$(git show main:src/told.txt)" writes
  agent 'cat "$GIT_TXN_OBSERVED/instructions.md" >&2; jq -r .confine "$GIT_TXN_OBSERVED/txn.json" >src/told.txt' --confine off
  assert_lacks "$ERR" 'You are confined'
  assert_eq "$(git show main:src/told.txt)" null
  git config txn.confine everything
  agent 'true'
  assert_eq "$CODE" 3
  assert_contains "$ERR" "txn.confine does not know 'everything'"
  git config txn.confine off
  agent 'cat src/f1.txt; echo x >src/new.txt' --confine writes --name known --no-land
  person_commits src/f1.txt 'another line'
  exits 1 git txn commit known
  exits 0 git txn why known
  assert_contains "$OUT" 'confined command started'
  exits 0 git txn retry known --json
  exits 0 git txn why "$(tail -n 1 <<<"$OUT" | jq -r .txn)"
  assert_contains "$OUT" 'confined command started'
}
test_case 'txn.confine, and who is told: the agent, the log and why' known_and_told

work_goes_on() {
  outside
  cd "$OUTSIDE"
  new_repo
  needs_landlock
  agent 'git txn status && git txn log && git txn reads "$GIT_TXN_ID" && echo x >src/x.txt && git add -A && git commit -qm work &&
    git stash list && git gc -q && mkdir -p "$XDG_CACHE_HOME/tool" && echo y >"$XDG_CACHE_HOME/y" && t=$(mktemp) && echo z >"$t" &&
    python3 -c "import tempfile, pty, os; tempfile.NamedTemporaryFile(); os.close(pty.openpty()[0])" &&
    (echo a >/dev/null; echo b >/dev/stderr; true) && echo note | git txn summary add notes README && git txn why "$GIT_TXN_ID"' --confine writes
  assert_eq "$CODE $(field .state) $(field .read_set.status)" '0 landed complete' "$ERR"
  assert_lacks "$ERR" 'Read-only'
  assert_lacks "$ERR" 'denied'
  agent 'git txn summary show notes && git txn compensate -- true && echo y >src/y.txt' \
    --confine writes
  assert_eq "$CODE $(field .state)" '0 landed' "$ERR"
  assert_contains "$ERR" hello
  assert_sound
}
test_case 'a confined command works in its tree, in temporary directories and caches, and asks git-txn' work_goes_on
work_goes_on_alone() { outside_elsewise work_goes_on $(without_namespaces); }
test_case 'a confined command works where there are no namespaces' work_goes_on_alone
work_goes_on_as_user() { outside_elsewise work_goes_on $(as_user); }
test_case 'a confined command of somebody without privileges works' work_goes_on_as_user
work_goes_on_as_user_alone() { outside_elsewise work_goes_on $(as_user) $(without_namespaces); }
test_case 'a confined command of somebody without privileges works where there are no namespaces' work_goes_on_as_user_alone

real_npm() {
  command -v npm >/dev/null || { echo 'SKIP: there is no npm here'; exit 0; }
  new_repo
  needs_landlock
  mkdir -p package
  echo '{"name": "y", "version": "1.0.0"}' >package/package.json
  tar czf y.tgz package
  echo '{"name": "x", "version": "1.0.0", "dependencies": {"y": "file:y.tgz"}}' >package.json
  printf 'node_modules/\n' >>.gitignore
  git add -A
  git commit -qm package
  agent 'npm install --offline --no-audit --no-fund --no-update-notifier && npm cache verify && echo x >done.txt' --confine writes
  assert_eq "$CODE $(field .state)" '0 landed' "$ERR"
  assert_lacks "$ERR$(field '.notes | join("; ")')" 'outside of what it may write'
  [ -n "$(ls -A "$HOME/.npm/_cacache")" ] || fail 'nothing is in the cache'
}
test_case 'npm installs, and fills its cache, inside of a confinement' real_npm

# writable PLACE...: those in which a confined command can make a file
writable() {
  printf '%s\n' "$@" >"$WORLD/places"
  agent "while read -r place; do mkdir -p \"\$place\" && echo x >\"\$place/made\" && echo \"wrote \$place\"; done <'$WORLD/places' 2>/dev/null" \
    --confine writes
  sed -n 's/^wrote //p' <<<"$ERR"
}
caches() {
  outside
  export HOME=$OUTSIDE/home XDG_CONFIG_HOME=$OUTSIDE/home/.config XDG_STATE_HOME=$OUTSIDE/state
  unset XDG_CACHE_HOME
  mkdir -p "$HOME" "$OUTSIDE/work"
  git config --global user.name 'Pat Person'
  git config --global user.email pat@example.org
  cd "$OUTSIDE/work"
  new_repo
  needs_landlock
  local tool
  for tool in npm go cargo pip claude codex; do
    printf '#!/bin/sh\n' >"$WORLD/bin/$tool"
    chmod +x "$WORLD/bin/$tool"
  done
  local -a theirs=("$HOME/.npm/_cacache" "$HOME/.cache/go-build" "$HOME/go/pkg/mod" "$HOME/.cargo/registry/index" "$HOME/.cargo/git/db"
    "$HOME/.cache/pip/wheels" "$HOME/.claude/projects" "$HOME/.codex/sessions")
  # Programs that people run, and settings of tools, are none of it.
  local -a others=("$HOME/.cargo/bin" "$HOME/go/bin" "$HOME/.local/bin" "$HOME/.config/git" "$HOME/.ssh" "$HOME")
  assert_eq "$(writable "${theirs[@]}" "${others[@]}")" "$(printf '%s\n' "${theirs[@]}")"
  # An agent that was never run here: its settings are written in place, so they have to be there.
  agent 'echo {\"a\": 1} >"$HOME/.claude.json"; : >"$HOME/.claude.json.tmp"' --confine writes
  assert_file "$HOME/.claude.json" '{"a": 1}'
  assert_absent "$HOME/.claude.json.tmp"
  # Where their variables put them, and where the person says.
  export npm_config_cache=$OUTSIDE/npm GOCACHE=$OUTSIDE/build GOMODCACHE=$OUTSIDE/modules CARGO_HOME=$OUTSIDE/cargo \
    PIP_CACHE_DIR=$OUTSIDE/pip CLAUDE_CONFIG_DIR=$OUTSIDE/claude CODEX_HOME=$OUTSIDE/codex
  git config txn.confineWrite "$OUTSIDE/mine:~/.tool"
  mkdir -p "$OUTSIDE/mine" "$HOME/.tool"
  theirs=("$OUTSIDE/npm" "$OUTSIDE/build" "$OUTSIDE/modules" "$OUTSIDE/cargo/registry" "$OUTSIDE/cargo/git" "$OUTSIDE/pip"
    "$OUTSIDE/claude" "$OUTSIDE/codex" "$OUTSIDE/mine" "$HOME/.tool")
  others=("$OUTSIDE/cargo/bin" "$HOME/.npm" "$OUTSIDE")
  assert_eq "$(writable "${theirs[@]}" "${others[@]}")" "$(printf '%s\n' "${theirs[@]}")"
}
test_case 'caches of tools and the state of agents may be written where they are, and what the person adds' caches

bad_input() {
  new_repo
  exits 3 git txn run --confine everything -- true
  assert_contains "$ERR" "--confine does not know 'everything'"
  for gone in declared learned; do
    exits 3 git txn run --confine $gone -- true
    assert_contains "$ERR" "--confine $gone is no longer there"
  done
  exits 3 git txn run --scope src -- true
  exits 0 git txn status
  assert_contains "$OUT" 'nothing is open'
}
test_case 'modes nobody knows, and those that are gone, are refused before anything runs' bad_input

finish
