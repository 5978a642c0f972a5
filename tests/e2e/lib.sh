# End-to-end tests drive the built program on real repositories, in the style of git's own.
#
#   . "$(dirname "$0")/lib.sh"
#   stale_read_is_refused() { new_repo; ...; }
#   test_case 'F2: what was checked, what changed between, what the user sees' stale_read_is_refused
#   finish
#
# A test file runs each case in a process of its own, in a fresh directory with a fresh HOME, under a
# time limit, with `set -eu -o pipefail`: the first command that fails fails the case.
#
#   FILE [-v] [--only PATTERN] [--keep]     run it (default program: build/release/git-txn)
#   GIT_TXN_PROGRAM=/path/git-txn FILE      another build of the program
#   E2E_WORKTREE=overlay FILE               in this kind of worktree where a story names none
#   SEED=n FILE                             replay a run that printed its seed
#
# A file whose cases mostly wait says E2E_JOBS=n before them: so many run at a time, and are told in their order.

set -u
# What is the same for all cases of a file is found out once and inherited by their processes. In $E2E_SHARED
# are what --json printed, to be judged at the end (e2e_record), and the repository that new_repo copies.
if [ -z "${E2E_CASE:-}" ]; then
  E2E_FILE=$(readlink -f "$0")
  E2E_ROOT=$(readlink -f "${BASH_SOURCE[0]%/*}/../..")
  GIT_TXN_PROGRAM=${GIT_TXN_PROGRAM:-$E2E_ROOT/build/release/git-txn}
  SEED=${SEED:-$(( (RANDOM << 15) | RANDOM ))}
  E2E_GIT_VARIABLES=$(git rev-parse --local-env-vars)
  # gojq does what jq does, and starts eight times as fast.
  E2E_JQ=$(type -P gojq) || E2E_JQ=$(type -P jq)
  E2E_SHARED=$(mktemp -d "${TMPDIR:-/tmp}/git-txn-shared.XXXXXX")
  trap 'rm -rf "$E2E_SHARED"' EXIT
  E2E_OUTPUTS=$E2E_SHARED/outputs
  chmod a+rx "$E2E_SHARED"
  export E2E_FILE E2E_ROOT GIT_TXN_PROGRAM SEED E2E_GIT_VARIABLES E2E_JQ E2E_SHARED E2E_OUTPUTS
fi

e2e_verbose=0 e2e_only='' e2e_keep=0 e2e_number=0 e2e_passed=0 e2e_failed=0 e2e_told=()
if [ -z "${E2E_CASE:-}" ]; then
  while [ $# -gt 0 ]; do
    case $1 in
      -v) e2e_verbose=1 ;;
      --only) e2e_only=$2; shift ;;
      --keep) e2e_keep=1 ;;
      *) echo "usage: ${0##*/} [-v] [--only PATTERN] [--keep]" >&2; exit 3 ;;
    esac
    shift
  done
  [ -x "$GIT_TXN_PROGRAM" ] || { echo "no program at $GIT_TXN_PROGRAM: run ./dev build" >&2; exit 2; }
fi

# The world of one case: nothing of the caller's configuration, one identity, git-txn first on PATH.
e2e_world() {
  export HOME=$PWD/home XDG_STATE_HOME=$PWD/state XDG_CONFIG_HOME=$PWD/config XDG_CACHE_HOME=$PWD/cache
  mkdir -p "$HOME" "$XDG_STATE_HOME" "$XDG_CONFIG_HOME" bin
  ln -sf "$GIT_TXN_PROGRAM" bin/git-txn
  ln -sf "$E2E_JQ" bin/jq
  export PATH=$PWD/bin:$PATH TZ=UTC LC_ALL=C.UTF-8 TERM=dumb GIT_CONFIG_NOSYSTEM=1
  local v
  for v in $E2E_GIT_VARIABLES ${!GIT_TXN_@}; do
    case $v in GIT_TXN_PROGRAM | GIT_TXN_BUG*) ;; *) unset "$v" ;; esac
  done
  unset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL EMAIL
  printf '%s\n' '[user]' 'name = Pat Person' 'email = pat@example.org' '[init]' 'defaultBranch = main' \
    '[advice]' 'detachedHead = false' '[maintenance]' 'auto = false' >"$HOME/.gitconfig"
  [ -z "${E2E_WORKTREE:-}" ] || git config --global txn.worktree "$E2E_WORKTREE"
  export ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1
  export WORLD=$PWD
}

# test_case NAME FUNCTION [SECONDS]
test_case() {
  local name=$1 function=$2 limit=${3:-120}
  if [ -n "${E2E_CASE:-}" ]; then
    [ "$E2E_CASE" = "$function" ] || return 0
    e2e_world
    set -e -o pipefail
    "$function"
    exit 0
  fi
  case $name in *"$e2e_only"*) ;; *) return 0 ;; esac
  e2e_number=$((e2e_number + 1))
  [ -d "$E2E_SHARED/repo" ] || e2e_template
  if [ "${E2E_JOBS:-1}" = 1 ]; then
    local result=0
    e2e_tell "$name" "$function" "$limit" || result=$?
    e2e_count $result
    return 0
  fi
  while [ "$(jobs -pr | wc -l)" -ge "$E2E_JOBS" ]; do wait -n || :; done
  { result=0
    e2e_tell "$name" "$function" "$limit" || result=$?
    echo $result >"$E2E_SHARED/result.$e2e_number"; } >"$E2E_SHARED/told.$e2e_number" 2>&1 &
  e2e_told+=("$e2e_number")
}
# e2e_tell NAME FUNCTION SECONDS: runs a case and says what came of it; 0 passed, 1 failed, 2 skipped
e2e_tell() {
  local dir log status skipped='' result=0 outputs=$E2E_SHARED/outputs.$e2e_number
  dir=$(mktemp -d "${TMPDIR:-/tmp}/git-txn-e2e.XXXXXX")
  log=$dir/log
  : >"$outputs"
  mkdir "$dir/w"
  (cd "$dir/w" && E2E_CASE=$2 E2E_OUTPUTS=$outputs exec timeout -k 10 "$3" bash "$E2E_FILE") \
    >"$log" 2>&1 </dev/null
  status=$?
  case $(<"$log") in *'SKIP:'*) skipped=$(sed -n 's/^SKIP: *//p' "$log" | tail -n 1) ;; esac
  if [ $status = 0 ] && [ -n "$skipped" ]; then  # not counted as passed, and shown by ./dev test
    result=2
    echo "ok $e2e_number - $1 # SKIP $skipped"
  elif [ $status = 0 ]; then
    echo "ok $e2e_number - $1"
    [ $e2e_verbose = 0 ] || sed 's/^/# /' "$log"
  else
    result=1
    echo "not ok $e2e_number - $1"
    [ $status != 124 ] || echo "# took longer than $3 s"
    echo "# exit $status, SEED=$SEED, program $GIT_TXN_PROGRAM"
    tail -n 60 "$log" | sed 's/^/# /'
    local shown  # what a run in the background, or one at a terminal, said last
    for shown in run.err .terminal; do
      [ ! -s "$dir/w/$shown" ] || tail -n 20 "$dir/w/$shown" | sed "s/^/# $shown: /"
    done
  fi
  if [ $e2e_keep = 1 ]; then echo "# kept $dir"; else rm -rf "$dir" 2>/dev/null || { chmod -R u+rwX "$dir" && rm -rf "$dir"; }; fi
  return $result
}
e2e_count() { # RESULT of e2e_tell
  case $1 in 0) e2e_passed=$((e2e_passed + 1)) ;; 2) ;; *) e2e_failed=$((e2e_failed + 1)) ;; esac
}

# judge_outputs [OPTION...]: what --json printed in this file is of the schemas that the program names
judge_outputs() {
  local name='what --json printed is of its schema'
  e2e_number=$((e2e_number + 1))
  if /usr/bin/python3 "$E2E_ROOT/tests/e2e/outputs.py" "$@" "$E2E_OUTPUTS" >"$E2E_OUTPUTS.judged" 2>&1; then
    e2e_passed=$((e2e_passed + 1))
    echo "ok $e2e_number - $name: $(tail -n 1 "$E2E_OUTPUTS.judged")"
  else
    e2e_failed=$((e2e_failed + 1))
    echo "not ok $e2e_number - $name"
    tail -n 60 "$E2E_OUTPUTS.judged" | sed 's/^/# /'
  fi
}

finish() {
  [ -z "${E2E_CASE:-}" ] || { echo "no case named $E2E_CASE" >&2; exit 3; }
  wait
  local number result
  for number in ${e2e_told[@]+"${e2e_told[@]}"}; do
    cat "$E2E_SHARED/told.$number"
    result=$(cat "$E2E_SHARED/result.$number") || result=1
    e2e_count "$result"
  done
  [ $e2e_number = 0 ] || cat "$E2E_SHARED"/outputs.* >"$E2E_OUTPUTS"
  # Of a bug that was put in on purpose a case has to tell.
  if [ -s "$E2E_OUTPUTS" ] && [ -z "${GIT_TXN_BUG:-}" ]; then judge_outputs "$@"; fi
  echo "1..$e2e_number"
  echo "${E2E_FILE##*/}: $e2e_passed passed, $e2e_failed failed"
  [ $e2e_failed = 0 ] && [ $e2e_number -gt 0 ]
  exit
}

# ---- assertions: each prints what it saw before it fails -------------------------------------------
fail() { echo "FAIL: $*" >&2; exit 1; }
assert_eq() { [ "$1" = "$2" ] || fail "${3:-values differ}: expected '$2', got '$1'"; }
assert_contains() { case $1 in *"$2"*) ;; *) fail "expected to find '$2' in: $1" ;; esac; }
assert_lacks() { case $1 in *"$2"*) fail "did not expect '$2' in: $1" ;; *) ;; esac; }
assert_file() { [ "$(<"$1")" = "$2" ] || fail "$1: expected '$2', got '$(<"$1")'"; }
assert_absent() { [ ! -e "$1" ] && [ ! -L "$1" ] || fail "$1 should not exist"; }
# e2e_record FILE CODE COMMAND...: where that is git txn with --json, FILE is what it printed: the words
# and the exit status, how many of them first, and the output, each ended by a NUL
e2e_record() {
  local file=$1 code=$2
  shift 2
  case "${1:-} ${2:-}" in 'git txn') shift 2 ;; 'git-txn '*) shift ;; *) return 0 ;; esac
  case " $* " in *' --json '*) ;; *) return 0 ;; esac
  { printf '%s\0' "$#" "$@" "$code"; cat "$file"; printf '\0'; } >>"$E2E_OUTPUTS"
}
# exits CODE COMMAND...: runs it, output in $OUT (stdout) and $ERR (stderr)
exits() {
  local want=$1 got=0
  shift
  "$@" >"$WORLD/.out" 2>"$WORLD/.err" || got=$?
  OUT=$(<"$WORLD/.out") ERR=$(<"$WORLD/.err")
  e2e_record "$WORLD/.out" "$got" "$@"
  [ "$got" = "$want" ] || fail "'$*' exited $got, not $want; stdout: $OUT; stderr: $ERR"
}
# The --json object of the last `exits`: field PATH
field() { "$E2E_JQ" -r "$1" <<<"${OUT##*$'\n'}"; }
# `git txn` without the process of git that would find it; `command git txn` goes through git.
git() {
  case ${1:-} in
    txn) shift; command git-txn "$@" ;;
    *) command git "$@" ;;
  esac
}

# ---- repositories ------------------------------------------------------------------------------------
# e2e_make_repo DIR: a repository with ten files, and with what is in DIR already
e2e_make_repo() {
  git init -q -b main "$1"
  cd "$1"
  mkdir -p src docs
  local i
  for i in 1 2 3 4 5 6 7; do printf 'line one of f%s\nline two of f%s\n' "$i" "$i" >"src/f$i.txt"; done
  echo 'hello' >README
  echo 'guide' >docs/guide.md
  printf '*.log\nbuild/\n' >.gitignore
  git add -A
  git commit -qm 'start'
}
# e2e_template: that repository once for all cases of this file, to be copied
e2e_template() (
  mkdir -p "$E2E_SHARED/world"
  cd "$E2E_SHARED/world"
  e2e_world
  e2e_make_repo ../repo
  rm -f .git/hooks/*.sample
)
# new_repo [DIR]: a repository with ten files, checked out, and cd into it
new_repo() {
  local dir=${1:-repo}
  if [ -e "$dir" ] || [ ! -d "$E2E_SHARED/repo" ]; then
    e2e_make_repo "$dir"
  else
    case $dir in */*) mkdir -p "${dir%/*}" ;; esac
    cp -a "$E2E_SHARED/repo" "$dir"
    cd "$dir"
    git update-index -q --refresh
  fi
  REPO=$PWD
}
# person_commits FILE TEXT [MESSAGE]: a commit made outside, by a person in their own checkout
person_commits() {
  mkdir -p "$(dirname "$1")"
  printf '%s\n' "$2" >"$1"
  git add -- "$1"
  git commit -qm "${3:-person edits $1}" -- "$1"
}
head_of() { git rev-parse "${1:-main}"; }
show() { git show "main:$1"; }
# pause SECONDS: what sleep does, without a process: it reads from a pipe of this shell's into which nobody writes
pause() {
  [ "${E2E_PAUSING:-}" = "$BASHPID" ] || { exec {E2E_SILENCE}<> <(:); E2E_PAUSING=$BASHPID; }
  read -rt "$1" -u "$E2E_SILENCE" _ || :  # the time is over
}
wait_for() { # FILE [SECONDS]
  local n=0
  until [ -e "$1" ]; do
    n=$((n + 1))
    [ $n -lt $(( ${2:-30} * 50 )) ] || fail "waited ${2:-30} s for $1"
    pause 0.02
  done
}
# Everything that must hold after any story: log, chain, projections, objects, no locks left behind.
assert_sound() {
  exits 0 git txn verify --replay
  git fsck --connectivity-only --no-dangling >"$WORLD/.fsck" 2>&1 || fail "fsck: $(cat "$WORLD/.fsck")"
  [ -z "$(find .git -name '*.lock' -not -path '*/txn/*')" ] || fail "locks left: $(find .git -name '*.lock')"
}
assert_clean_checkout() {
  assert_eq "$(git status --porcelain)" "" "the person's checkout is not clean"
}

# ---- agents that stop in the middle, so that something can happen in between -------------------------
RUN_ARGS=()  # of what `ends` waits for
# An agent script may call `meet`: it says it is there and waits for `go_on`.
meet() { touch "$WORLD/ready${1:-}"; wait_for "$WORLD/go${1:-}" 60; }
export -f meet wait_for pause fail
# start_run [OPTION...] -- SCRIPT: git txn run --json in the background; its shell script is SCRIPT
start_run() {
  local options=()
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  # git-txn itself, not through git: a signal must reach it
  RUN_ARGS=(git-txn run --json "${options[@]}" -- bash -c "$2")
  "${RUN_ARGS[@]}" >"$WORLD/run.out" 2>"$WORLD/run.err" </dev/null &
  RUN_PID=$!
}
met() { wait_for "$WORLD/ready${1:-}" 60; }
go_on() { touch "$WORLD/go${1:-}"; }
# ends CODE: waits for start_run and leaves its output where `field` looks
ends() {
  local got=0
  wait "$RUN_PID" || got=$?
  OUT=$(<"$WORLD/run.out") ERR=$(<"$WORLD/run.err")
  e2e_record "$WORLD/run.out" "$got" ${RUN_ARGS[@]+"${RUN_ARGS[@]}"}
  RUN_ARGS=()
  [ "$got" = "$1" ] || fail "run exited $got, not $1; stdout: $OUT; stderr: $ERR"
}
# agent SCRIPT [OPTION...]: one run to its end, whatever the exit status ($CODE)
agent() {
  local script=$1
  shift
  CODE=0
  git txn run --json "$@" -- bash -c "$script" >"$WORLD/run.out" 2>"$WORLD/run.err" </dev/null || CODE=$?
  OUT=$(<"$WORLD/run.out") ERR=$(<"$WORLD/run.err")
  e2e_record "$WORLD/run.out" "$CODE" git txn run --json "$@" -- bash
}
lands() { agent "$@"; assert_eq "$CODE $(field .state)" "0 landed" "run: $ERR"; }
# policy TEXT: the person commits a policy and trusts it
policy() {
  printf '%s\n' "$1" >.gittxn.toml
  git add .gittxn.toml
  git commit -qm 'policy' -- .gittxn.toml
  trust_policy
}
trust_policy() {
  local hash
  hash=$(git txn trust --json | tail -n 1 | jq -r .hash)
  exits 0 git txn trust --yes "$hash"
}

# ---- work that is kept open, and commands that die or stop at a failpoint ---------------------------
# open_work SCRIPT: a transaction with its work kept and not landed; its id in $ID
open_work() {
  agent "$1" --no-land
  assert_eq "$CODE $(field .state)" '0 open' "run: $ERR"
  ID=$(field .txn)
}
# killed_at FAILPOINT COMMAND...: the command reaches the point and dies there
killed_at() {
  local point=$1 got=0
  shift
  GIT_TXN_FAILPOINT=$point "$@" >"$WORLD/.out" 2>"$WORLD/.err" || got=$?
  [ "$got" = 137 ] || fail "$point: expected a kill, '$*' exited $got: $(cat "$WORLD/.out" "$WORLD/.err")"
}
# stopped_at POINT COMMAND...: runs until it stops itself there; $STOPPED is its process
stopped_at() {
  local point=$1 n=0
  shift
  [ "$1 $2" != 'git txn' ] || { shift 2; set -- git-txn "$@"; }
  GIT_TXN_FAILPOINT=$point=stop "$@" >"$WORLD/run.out" 2>"$WORLD/run.err" </dev/null &
  STOPPED=$!
  RUN_PID=$STOPPED RUN_ARGS=("$@")
  until grep -q '^State:.T' "/proc/$STOPPED/status" 2>"$WORLD/.state"; do
    n=$((n + 1))
    [ $n -lt 1500 ] || fail "never stopped at $point: $(cat "$WORLD/run.err")"
    [ -d "/proc/$STOPPED" ] || fail "ended before $point: $(cat "$WORLD/run.out" "$WORLD/run.err")"
    pause 0.02
  done
}
