# Sourced by an end-to-end file before lib.sh: runs that file with a server of its own, whose address is
# $SERVER_URL.
[ -n "${SERVER_URL:-}" ] || {
  [ -n "${GIT_TXN_TEST_POSTGRES:-}" ] ||
    exec "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/with" bash "$(readlink -f "$0")" "$@"
  export SERVER_URL=$GIT_TXN_TEST_POSTGRES RESTART_SERVER=${GIT_TXN_TEST_POSTGRES_RESTART:-}
}
