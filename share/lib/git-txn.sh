# shellcheck shell=sh
# git-txn for shell scripts: hooks, gates, handlers, jobs. POSIX sh; for `set -eu` too.
#
#   . /usr/share/git-txn/lib/git-txn.sh
#   git_txn_require 1 || exit
#
# docs/shell-library.md explains each function. They return what git txn returns: 0 yes, 1 an expected no,
# 2 a fault, 3 a request that makes no sense or is refused. What they print goes to standard error, but
# for a result that is asked for. Names that begin with _git_txn_ are none of the caller's.

GIT_TXN_SH_VERSION=1.0

_git_txn_misused() {
  printf '%s\n' "$1" >&2
  return 3
}

# git_txn_require MAJOR[.MINOR]: whether this library has that version, and git-txn is there
git_txn_require() {
  case ${1:-} in
    '' | *[!0-9.]* | .* | *. | *.*.* | ????????*) _git_txn_misused 'usage: git_txn_require MAJOR[.MINOR]' || return ;;
  esac
  _git_txn_minor=0
  case $1 in *.*) _git_txn_minor=${1#*.} ;; esac
  if [ "${1%%.*}" != "${GIT_TXN_SH_VERSION%%.*}" ] ||
    [ "$_git_txn_minor" -gt "${GIT_TXN_SH_VERSION#*.}" ]; then
    _git_txn_misused "this is version $GIT_TXN_SH_VERSION of the shell library of git-txn, not $1" || return
  fi
  if command -v git-txn >/dev/null 2>&1; then return 0; fi
  printf '%s\n' 'git-txn is not on the PATH' >&2
  return 2
}

# git_txn_inside: whether this was started in a transaction
git_txn_inside() { [ -n "${GIT_TXN_ID:-}" ]; }

# git_txn_pass NAME EVERY: whether NAME is let through, at most once in EVERY; 1: not yet
git_txn_pass() {
  if [ $# != 2 ]; then _git_txn_misused 'usage: git_txn_pass NAME EVERY' || return; fi
  git txn sentinel -q --every "$2" -- "$1" >/dev/null
}

# git_txn_lease_acquire [OPTION...] SUBJECT...: prints the id of the lease; 1: somebody else has it
git_txn_lease_acquire() { git txn lease acquire -q "$@"; }

# git_txn_with_lease [OPTION...] SUBJECT... -- COMMAND...: holds it while COMMAND runs; COMMAND's status
git_txn_with_lease() {
  for _git_txn_word in "$@"; do
    if [ "$_git_txn_word" != -- ]; then continue; fi
    git txn lease acquire -q "$@"
    return
  done
  _git_txn_misused 'usage: git_txn_with_lease [OPTION...] SUBJECT... -- COMMAND...'
}

# git_txn_lease_renew ID TTL [OWNER]
git_txn_lease_renew() {
  if [ $# -lt 2 ] || [ $# -gt 3 ]; then
    _git_txn_misused 'usage: git_txn_lease_renew ID TTL [OWNER]' || return
  fi
  git txn lease renew -q "$1" --ttl "$2" ${3:+"--owner=$3"} >/dev/null
}

# git_txn_lease_release ID [OWNER]
git_txn_lease_release() {
  if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    _git_txn_misused 'usage: git_txn_lease_release ID [OWNER]' || return
  fi
  git txn lease release -q "$1" ${2:+"--owner=$2"} >/dev/null
}

# git_txn_each_event CONSUMER FUNCTION: gives FUNCTION each event that CONSUMER has not acknowledged, in
# order, as one argument, and acknowledges it when FUNCTION returned 0. Else it stops there and returns
# what FUNCTION did; that event comes again the next time, as it does when the script died meanwhile.
git_txn_each_event() {
  if [ $# != 2 ]; then _git_txn_misused 'usage: git_txn_each_event CONSUMER FUNCTION' || return; fi
  while :; do
    _git_txn_lines=$(git txn events tail --consumer "$1" --limit 50) || return
    if [ -z "$_git_txn_lines" ]; then return 0; fi
    while IFS= read -r _git_txn_line; do
      # Kept where FUNCTION does not reach it, which may go through the events of another consumer.
      _git_txn_seq=$(_git_txn_number "$_git_txn_line") || return
      set -- "$1" "$2" "$_git_txn_seq"
      "$2" "$_git_txn_line" </dev/null || return
      git txn events consumer ack -q -- "$1" "$3" </dev/null >/dev/null || return
    done <<END_OF_EVENTS
$_git_txn_lines
END_OF_EVENTS
  done
}

# The number of an event, its id: the second field of a line, before anything that somebody else wrote.
_git_txn_number() {
  _git_txn_rest=${1#'{"specversion":"1.0","id":"'}
  _git_txn_rest=${_git_txn_rest%%\"*}
  case $_git_txn_rest in
    '' | *[!0-9]*)
      printf '%s\n' 'a line of git txn events tail is no event' >&2
      return 2
      ;;
  esac
  printf '%s\n' "$_git_txn_rest"
}

# git_txn_report TXN KEY KIND=VALUE...: what a transaction used up; the same KEY twice counts once
git_txn_report() {
  if [ $# -lt 3 ]; then _git_txn_misused 'usage: git_txn_report TXN KEY KIND=VALUE...' || return; fi
  _git_txn_id=$1 _git_txn_key=$2
  shift 2
  git txn budget report -q --key "$_git_txn_key" -- "$_git_txn_id" "$@" >/dev/null
}
