# For end-to-end files about portfolios, sourced behind lib.sh: one that leads and two that follow.
LEADS='[workflow.release]
phases = ["build", "ship"]

[[workflow.release.gate]]
phase = "build"
name = "built-everywhere"
members = "feature/build"

[[workflow.release.gate]]
phase = "ship"
name = "finished-everywhere"
members = "feature"
'
FOLLOWS='[workflow.feature]
phases = ["build", "check"]
'
p() { git txn portfolio "$@"; }
commit_policy() { # TEXT: it runs nothing, so there is nothing to trust
  printf '%s\n' "$1" >.gittxn.toml
  git add .gittxn.toml
  git commit -qm 'policy' -- .gittxn.toml
}
# home leads, api and web follow; we are at home
three() {
  local name
  for name in api web; do
    new_repo "$WORLD/$name"
    commit_policy "$FOLLOWS"
  done
  new_repo "$WORLD/home"
  commit_policy "$LEADS"
  exits 0 git txn workflow create release --as w-r
}
members() { p --json | jq -r '[.members[].name] | join(" ")'; }
told() { # REPO: the events that it was told, by their number at home
  sqlite3 "$WORLD/$1/.git/txn/kernel.db" \
    "SELECT payload FROM events WHERE type = 'portfolio.relayed' ORDER BY seq" | jq -r .seq | tr '\n' ' '
}
moved_at_home() {
  sqlite3 .git/txn/kernel.db "SELECT seq FROM events WHERE type LIKE 'phase.%' OR type = 'workflow.created'
    ORDER BY seq" | tr '\n' ' '
}
