#!/usr/bin/env bash
# The log as a stream, its consumers, and what may be forgotten of it.
. "$(dirname "$0")/lib.sh"

LANDINGS=0
some_landings() { # N
  local until=$((LANDINGS + $1))
  while [ $LANDINGS -lt $until ]; do
    LANDINGS=$((LANDINGS + 1))
    lands "echo $LANDINGS >src/new$LANDINGS.txt" --name "landing $LANDINGS"
  done
}

is_cloudevents() {
  new_repo
  some_landings 2
  exits 0 git txn events tail
  printf '%s\n' "$OUT" >"$WORLD/lines"
  jq -es 'all(.specversion == "1.0" and .datacontenttype == "application/json"
              and (.id | tonumber) > 0 and (.source | test("^urn:uuid:[0-9a-f-]{36}$"))
              and (keys | all(test("^[a-z0-9]+$"))))' "$WORLD/lines" >"$WORLD/judged"
  assert_eq "$(cat "$WORLD/judged")" true "$(head -n 1 "$WORLD/lines")"
  assert_eq "$(jq -s 'map(.id | tonumber) == [range(1; length + 1)]' "$WORLD/lines")" true 'one order, no gap'
  assert_eq "$(jq -s '[.[1:], .[:-1]] | transpose | all(.[0].prevhash == .[1].hash)' "$WORLD/lines")" true
  exits 0 git txn events tail --type transaction.landed
  assert_eq "$(printf '%s\n' "$OUT" | wc -l)" 2
  assert_eq "$(field .data.new)" "$(head_of)"
  exits 0 git txn events tail --type transaction.landed,txn.begun --limit 3
  assert_eq "$(printf '%s\n' "$OUT" | jq -r .type | sort -u | tr '\n' ' ')" 'transaction.landed txn.begun '
  local id
  id=$(field .subject)
  exits 0 git txn events tail --subject "$id"
  assert_eq "$(printf '%s\n' "$OUT" | jq -r .subject | sort -u)" "$id"
}
test_case 'tail: CloudEvents 1.0, in one order, each line with its hash and the one before' is_cloudevents

payloads_are_of_their_schemas() {
  new_repo
  some_landings 1
  person_commits README hi
  lands 'cat README; echo x >>src/f1.txt'
  agent 'echo y >src/y.txt' --no-land
  exits 0 git txn abort "$(field .txn)"
  exits 0 git txn events consumer register audit --durable --type txn.begun
  exits 0 git txn events consumer remove audit
  git txn events tail >"$WORLD/lines"
  # With the package that ./dev installs, whatever other python3 comes first on PATH.
  /usr/bin/python3 - "$WORLD/lines" "$E2E_ROOT/share/schemas/events" <<'PY'
import json, os, sys
from jsonschema import Draft202012Validator
schemas = {}
for name in os.listdir(sys.argv[2]):
    schema = json.load(open(os.path.join(sys.argv[2], name)))
    Draft202012Validator.check_schema(schema)
    schemas[schema["$id"]] = Draft202012Validator(schema)
count = 0
for line in open(sys.argv[1]):
    event = json.loads(line)
    schemas[event["dataschema"]].validate(event["data"])
    count += 1
assert count > 20, count
PY
}
test_case 'the payload of each event is of the schema that it names (JSON Schema 2020-12)' \
  payloads_are_of_their_schemas

at_least_once() {
  new_repo
  some_landings 1
  exits 0 git txn events consumer register audit --durable --from start --json
  assert_eq "$(field .position)" 0
  exits 0 git txn events tail --consumer audit
  local all
  all=$(printf '%s\n' "$OUT" | wc -l)
  exits 0 git txn events tail --consumer audit
  assert_eq "$(printf '%s\n' "$OUT" | wc -l)" "$all" 'what was not acknowledged comes again'
  killed_at api.events.delivered git txn events tail --consumer audit --ack
  assert_eq "$(wc -l <"$WORLD/.out")" "$all" 'delivered, and killed before it was acknowledged'
  exits 0 git txn events tail --consumer audit --ack --limit 5
  assert_eq "$(printf '%s\n' "$OUT" | jq -s 'map(.id | tonumber) == [range(1; 6)]')" true
  exits 0 git txn events tail --consumer audit --ack
  assert_eq "$(printf '%s\n' "$OUT" | head -n 1 | jq -r .id)" 6
  exits 0 git txn events tail --consumer audit --ack
  assert_eq "$OUT" ''
  some_landings 1
  exits 0 git txn events consumer list --lag --json
  [ "$(field .behind)" -gt 0 ] || fail "no lag: $OUT"
  assert_sound
}
test_case 'invariant 3: a consumer that dies between delivery and ack sees the events again' at_least_once

follow_waits() {
  new_repo
  some_landings 1
  git-txn events tail --type transaction.landed --follow >"$WORLD/followed" 2>"$WORLD/follow.err" &
  local pid=$! n=0
  until [ "$(wc -l <"$WORLD/followed")" = 1 ]; do
    n=$((n + 1)); [ $n -lt 600 ] || fail "nothing followed: $(cat "$WORLD/follow.err")"; sleep 0.05
  done
  lands 'echo z >src/z.txt'
  n=0
  until [ "$(wc -l <"$WORLD/followed")" = 2 ]; do
    n=$((n + 1)); [ $n -lt 600 ] || fail "the second never came"; sleep 0.05
  done
  kill -INT $pid
  local got=0
  wait $pid || got=$?
  assert_eq "$got" 0 "interrupted: $(cat "$WORLD/follow.err")"
}
test_case 'tail --follow: new events come by themselves, and an interrupt ends it' follow_waits

a_reader_that_goes_away() {
  new_repo
  some_landings 1
  exits 0 git txn events consumer register audit --durable --from start
  git txn events tail | head -n 1 >"$WORLD/one"
  assert_eq "$(jq -r .id "$WORLD/one")" 1
  git txn events tail --consumer audit --ack | head -c 1 >"$WORLD/one"
  assert_sound
}
test_case 'tail: a reader that goes away is no fault' a_reader_that_goes_away

pruned_and_proved() {
  new_repo
  some_landings 3
  exits 0 git txn summary add overview README README
  exits 0 git txn log --json
  local log=$OUT head
  exits 0 git txn events consumer register audit --durable --from start
  exits 0 git txn events prune --before 10 --json
  assert_eq "$(field .pruned)" 0
  assert_contains "$(field '.held[0].by')" 'consumer audit'
  exits 0 git txn events consumer ack audit 9
  exits 3 git txn events prune --before 10000
  head=$(git txn events tail | tail -n 1 | jq -r .id)
  exits 0 git txn events prune --before "$head" --dry-run --json
  assert_eq "$(field .last)" 9
  exits 0 git txn events prune --before "$head" --json
  assert_eq "$(field '.last')" 9
  assert_sound
  exits 0 git txn events consumer remove audit
  exits 0 git txn events prune --before "$head"
  assert_contains "$OUT" "pruned events 10 to $((head - 1))"
  assert_sound
  exits 3 git txn state --at 3
  assert_contains "$ERR" 'was pruned'
  exits 0 git txn log --json
  assert_eq "$OUT" "$log" 'the list of landings is whole'
  exits 0 git txn summary list --json
  assert_eq "$(field .name)" overview
  exits 0 git txn why "$(printf '%s\n' "$log" | jq -r 'select(.txn != null) | .txn' | tail -n 1)"
  assert_contains "$OUT" 'were pruned'
  exits 1 git txn events tail --from 3
  assert_contains "$ERR" 'were pruned'
  some_landings 4
  assert_sound
}
test_case 'invariant 1: a pruned log still proves itself, and log, summaries and why say what they know' \
  pruned_and_proved

killed_while_pruning() {
  new_repo
  some_landings 2
  local point head
  for point in store.prune.state_written store.prune.event_appended store.prune.start_moved \
               store.prune.recorded store.prune.keys_kept store.prune.swept; do
    head=$(git txn events tail | tail -n 1 | jq -r .id)
    killed_at $point git txn events prune --before "$head"
    assert_sound
    lands "echo $point >src/$point.txt"
    assert_sound
  done
  exits 0 git txn events prune --before "$head"
  assert_sound
}
test_case 'invariant 1: killed at each step of pruning, the next command finds a whole log' killed_while_pruning

retention() {
  new_repo
  some_landings 2
  exits 3 git txn events prune
  assert_contains "$ERR" txn.retention
  git config txn.retention 0
  exits 0 git txn gc
  assert_contains "$OUT" 'events 1 to'
  git config txn.retention 90
  exits 3 git txn events prune
  assert_contains "$ERR" txn.retention
  git config txn.retention 90d
  exits 0 git txn events prune
  assert_contains "$OUT" 'nothing to prune'
  assert_sound
}
test_case 'retention: gc prunes by txn.retention' retention

ephemeral_ends() {
  new_repo
  some_landings 1
  exits 0 git txn events consumer register view --ttl 1s
  while git txn events tail --consumer view >"$WORLD/seen" 2>"$WORLD/ended"; do
    some_landings 1
    [ "$LANDINGS" -lt 200 ] || fail 'it never ended'
  done
  exits 1 git txn events tail --consumer view
  assert_contains "$ERR" 'has ended'
  assert_contains "$ERR" 'git txn events consumer register view'
  exits 1 git txn events consumer ack view 5
  exits 0 git txn events consumer register view --ttl 1d
  exits 0 git txn events tail --consumer view
}
test_case 'an ephemeral consumer that ended says so, and does not begin again by itself' ephemeral_ends

held_back() { # NAME FIELD: what list --lag says of it
  git txn events consumer list --lag --json | jq -r "select(.name == \"$1\") | .$2"
}
what_it_holds_back() {
  new_repo
  some_landings 1
  exits 0 git txn events consumer register audit --durable
  exits 0 git txn events consumer register view --ttl 1d
  local at head idle
  at=$(held_back audit position)
  sleep 0.1
  some_landings 1
  head=$(git txn events tail | tail -n 1 | jq -r .id)
  # Nothing says how long events are kept, and pruning would take them all but for this one.
  assert_eq "$(held_back audit holds_back) $(held_back view holds_back)" "$((head - at)) 0"
  exits 0 git txn events prune --before "$head" --dry-run
  assert_contains "$OUT$ERR" "consumer audit, at event $at"
  idle=$(held_back audit idle_ms)
  [ "$idle" -ge 100 ] || fail "it has not moved for longer than $idle ms"
  exits 0 git txn events consumer list --lag
  assert_contains "$OUT" "holds back $((head - at)) events from pruning"
  # What the retention keeps anyway it does not hold back.
  git config txn.retention 30d
  assert_eq "$(held_back audit holds_back)" 0
  git config txn.retention 1ms
  assert_eq "$(held_back audit holds_back)" "$((head - at))"
  git config --unset txn.retention
  exits 0 git txn events consumer ack audit "$head"
  assert_eq "$(held_back audit holds_back)" 0
  [ "$(held_back audit idle_ms)" -lt "$idle" ] || fail 'an acknowledgement is a move'
}
test_case 'list --lag says what a consumer holds back from pruning, with a retention and without' what_it_holds_back

stale_is_raised() {
  new_repo
  exits 0 git txn run -- true
  exits 0 git txn events consumer register audit --durable
  git config txn.consumerStale 1ms
  lands 'echo a >src/a.txt'
  lands 'echo b >src/b.txt'
  exits 0 git txn events consumer list
  assert_contains "$OUT" stale
  assert_eq "$(git txn events tail --type consumer.stale | wc -l)" 1 'once a stall'
  exits 0 git txn events consumer list --lag
  assert_contains "$OUT" 'events for it'
}
test_case 'F5: a consumer that does not move is raised once, and --lag shows it' stale_is_raised

bad_input() {
  new_repo
  exits 3 git txn events tail
  exits 3 git txn events consumer ack audit 1
  some_landings 1
  exits 0 git txn events consumer register audit --durable
  local words
  while IFS= read -r words; do
    # shellcheck disable=SC2086  # words of a command
    exits 3 git txn events $words
    [ -n "$ERR" ] || fail "no message: $words"
  done <<'WORDS'
tail --from 0
tail --from 99999
tail --from x
tail --from -1
tail --type no.such
tail --ack
tail --consumer nobody
tail --consumer audit --from 1
tail more
tail --lag
consumer
consumer what
consumer list more
consumer ack audit
consumer ack audit x
consumer ack audit 1x
consumer ack audit -1
consumer ack audit 99999
consumer ack audit 99999999999999999999999
consumer ack nobody 1
consumer register
consumer register x
consumer register x --durable --ttl 1d
consumer register x --ttl 0
consumer register x --ttl 5
consumer register on/x --durable
consumer register a/b --durable
consumer register x --durable --from never
consumer register x --durable --from 99999
consumer register audit --ttl 1d
consumer remove nobody
prune --before x
prune --before 5 --older-than 1d
prune --follow
WORDS
  exits 3 git txn events consumer register "$(printf 'a%.0s' $(seq 65))" --durable
  exits 3 git txn events consumer register $'a\nb' --durable
  agent 'git txn events consumer register x --durable 2>"$WORLD/inside"; echo $? >"$WORLD/code"'
  assert_eq "$(cat "$WORLD/code")" 3
  assert_contains "$(cat "$WORLD/inside")" 'inside transaction'
  assert_sound
}
test_case 'bad input is refused by name and changes nothing' bad_input

finish
