#!/usr/bin/env bash
# A shop in a script.
set -eu -o pipefail
source lib/base.sh
. "$HOME/prices.sh"

readonly LIMIT=3
declare -A prices=([a]=1 [b]=2)
export PATH=$PATH:/opt/shop
name='a  shop'

price() {
  local item=$1
  echo "${prices[$item]:-0}"
}

function load {
  inner() { echo inside; }
  cat <<END
one $name
  two
END
}

alias ll='ls -l'
trap 'rm -f "$tmp"' EXIT

case ${1:-} in
  price) price "$2" ;;
  *) load ;;
esac
