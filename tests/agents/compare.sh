#!/usr/bin/env bash
# Whether real agents are refused more than by an older program: every look and edit of theirs, beside a
# commit that has nothing to do with it, at the default level, with both programs. The agents are scripted, so
# their second run would give the same; what landed with the older one has to land still.
#
#   ./dev agents --compare PROGRAM        (some ten minutes)
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/lib.sh"
BASELINE=${GIT_TXN_BASELINE:?the program to compare with}

unrelated_edit() { person_commits src/f7.txt 'something else'; }
unrelated_file() { mkdir -p notes; person_commits notes/today.txt 'nothing to do with it'; }

# outcome_of PROGRAM AGENT CALL COMMIT: what becomes of it, in a world of its own
outcome_of() (
  program=$1 agent=$2 call=$3 commit=$4
  place=$(mktemp -d "$WORLD/one.XXXXXX")
  cd "$place"
  export GIT_TXN_PROGRAM=$program E2E_CASE=
  e2e_world
  new_repo
  seq 1 20 >src/long.txt
  git add -A
  git commit -qm long
  case $agent in
    claude) second='{"tool": "Write", "input": {"file_path": "{HERE}/answer.txt", "content": "so\n"}}' ;;
    codex) second='{"patch": "*** Begin Patch\n*** Add File: answer.txt\n+so\n*** End Patch\n"}' ;;
  esac
  model "{\"one\": [[$call], [$second], [{\"text\": \"done\"}]]}"
  "run_$agent" one "$WORLD/out" --no-land || { echo "failed: $(tail -n 1 "$WORLD/out.err")"; return; }
  outcome "$WORLD/out"
  id=$(field .txn)
  "$commit" >"$WORLD/commit.out"
  status=0
  git txn commit --json --retries 0 --wait 5s "$id" >"$WORLD/landing" 2>"$WORLD/landing.err" || status=$?
  outcome "$WORLD/landing"
  [ $status -le 1 ] || { echo "failed: exit $status"; return; }
  echo "$(field .state) $(field '[.conflicts[]? | .kind + " " + .subject] | join(", ")')"
) </dev/null

compared() {
  local agent name call commit old new worse=0
  for agent in claude codex; do
    while IFS=' ' read -r name call; do
      for commit in unrelated_edit unrelated_file; do
        old=$(outcome_of "$BASELINE" "$agent" "$call" "$commit")
        new=$(outcome_of "$GIT_TXN_PROGRAM" "$agent" "$call" "$commit")
        printf '%-7s %-13s %-15s %-45s %s\n' "$agent" "$name" "$commit" "$old" "$new"
        case $old in landed*) case $new in landed*) ;; *) worse=$((worse + 1)) ;; esac ;; esac
      done
    done < <("${agent}_calls")
  done >"$WORLD/table"
  cat "$WORLD/table" >&2
  cp "$WORLD/table" "${COMPARED:-$WORLD/compared}"
  grep -q ' landed ' "$WORLD/table" || fail 'nothing landed with the older program, so nothing was compared'
  ! grep 'failed: ' "$WORLD/table" || fail 'an agent or a commit failed, which says nothing of refusals'
  [ $worse = 0 ] || fail "$worse landed with the older program and are refused now"
}
test_case 'whatever of the real agents landed beside an unrelated commit still lands' compared 3600

finish
