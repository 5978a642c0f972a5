"""How many bytes a round of an agent took, beside its first run.

    bytes.py REQUESTS.jsonl      prints two numbers, of the first run and of the rounds after it

A request repeats the whole conversation. What counts of it is what no request before it had: each block of the
system prompt, tool, message or item once, as it was sent; what the model answered is among those of the next
request. The rounds begin with the first request that has git-txn's own words.
"""

import json
import sys

WORDS = "git-txn: your change has not landed"


def parts(body):
    for key in ("system", "instructions", "tools", "messages", "input"):
        value = body.get(key, [])
        for part in value if isinstance(value, list) else [value]:
            yield json.dumps(without_marks(part), sort_keys=True)


def without_marks(value):
    """Where caching begins says nothing to the model."""
    if isinstance(value, dict):
        return {k: without_marks(v) for k, v in value.items() if k != "cache_control"}
    return [without_marks(v) for v in value] if isinstance(value, list) else value


def main():
    sent, counts, again = set(), [0, 0], False
    with open(sys.argv[1], encoding="utf-8") as log:
        for line in log:
            new = [part for part in parts(json.loads(line)["request"]) if part not in sent]
            again = again or any(WORDS in part for part in new)
            counts[again] += sum(len(part) for part in new)
            sent.update(new)
    print(*counts)


main()
