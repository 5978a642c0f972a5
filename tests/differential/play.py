"""Transactions against themselves: what landed is what the agent would have made at the head it landed on.

Every transaction is a small deterministic program that looks at a repository in some way and writes what
follows from that: into a file of its own, over a file of others, to the same result as others, or not at
all. Their beginnings, runs and commits are interleaved by a seed, one call at a time, so that a failure
replays. The oracle is the program itself: before each commit the same program runs once more in a fresh
transaction of the same kind, begun at the head of that moment.

  landed    the branch has the tree that the oracle made, or a named exception of the level says why not
  nothing   the oracle changes nothing either, at the head or at the snapshot
  refused   counted; a refusal where the merge would have been the oracle's tree was not needed

  tests/differential/run [--transactions N] [--level LEVEL]... [--trace NAME]... [--worktree KIND]...
                         [--seed S] [-v]
"""

import argparse
import collections
import os
import pathlib
import random
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from world import Transaction, World, program_under_test, remove, usable  # noqa: E402

PREFIX = "git-txn-differential."
CODE = "src/math.py"
DATA = "conf.json"
START = {
    "c0": "0\n", "c1": "1\n", "c2": "2\n",
    "list.txt": "one\ntwo\nthree\n",
    "long.txt": "".join(f"line {n}\n" for n in range(1, 31)),
    "docs/1.md": "first\n", "docs/2.md": "second\n",
    CODE: "".join(f"def f{n}(x):\n    y = x + {n}\n    return y\n\n\n" for n in range(4)),
    DATA: '{\n  "x": 20,\n  "y": 30\n}\n',
    ".gitignore": "*.tmp\n",
}

# Programs of a shell. `{n}` is a small number, `{me}` the transaction's own. A look prints; most of them
# end up in what is written. The second field names the exception that the level may plead for it.
LOOKS = [
    ("cat c{n}", ""),
    ("cat docs/1.md list.txt", ""),
    ("sed -n 3,5p long.txt", ""),
    ("md5sum < long.txt", ""),
    ("md5sum src/math.py", "layout"),
    ("wc -l long.txt | cut -d ' ' -f 1", ""),
    ("grep -n 'line 1' long.txt || true", ""),
    ("grep -rl t docs | sort || true", ""),
    ("ls docs", ""),
    ("find . -name '*.md' -not -path './.git/*' | sort", ""),
    ("test -e made{n} && echo there || echo gone", ""),
    ("git show HEAD:list.txt", ""),
    ("git ls-files | sort", ""),
    ("git grep -c line -- '*.txt' || true", ""),
    ("python3 -c 'import json; d = json.load(open(\"conf.json\")); print(d[\"x\"] + d[\"y\"])'", ""),
    ("git rev-list --count HEAD", "history"),
    ("git log -1 --format=%s", "history"),
    ("cat link", ""),
    ("stat -c %A c{n}", ""),
]
WRITES = [
    ("printf '%s\\n' \"$seen\" >own{me}", "own"),
    ("printf '%s\\n' \"$seen\" >made{n}", "shared"),
    ("printf '%s\\n' \"$seen\" | cksum >list.txt", "shared"),
    ("k=$(cat c{n}); echo $((k + 1)) >c{n}", "increment"),
    ("printf 'four\\n' >>list.txt", "append"),
    ("i=1; while test -e docs/$i.md; do i=$((i + 1)); done; echo new >docs/$i.md", "next number"),
    ("echo 7 >c{n}", "constant"),
    ("rm -f docs/2.md", "remove"),
    ("case \"$seen\" in *1*) echo yes >flag;; *) echo no >flag;; esac", "decide"),
    ("s=$(python3 -c 'import json; d = json.load(open(\"conf.json\")); print(d[\"x\"] + d[\"y\"])'); "
     "test $s -lt 50 || sed -i 's/\"x\": [-0-9]*/\"x\": -30/' conf.json", "skew"),
    ("s=$(python3 -c 'import json; d = json.load(open(\"conf.json\")); print(d[\"x\"] + d[\"y\"])'); "
     "test $s -lt 50 || sed -i 's/\"y\": [-0-9]*/\"y\": -30/' conf.json", "skew"),
    ("sed -i 's/x + {n}$/x + {n} + 10/' src/math.py", "edit"),
    ("md5sum src/math.py >sum; sed -i 's/^def f{n}(x)/def f{n}( x )/' src/math.py", "edit"),
    ("chmod +x c{n}", "mode"),
    (":", "none"),
]
# The look's answer on its way to what is written.
WAYS = [
    "seen=$({look})",
    "t=$(mktemp); {{ {look}; }} >\"$t\"; seen=$(cat \"$t\"); rm -f \"$t\"",
    "{{ {look}; }} >way.tmp; seen=$(cat way.tmp); rm -f way.tmp",
]


class Program:
    """What one transaction runs."""

    def __init__(self, rng, me):
        look, self.plea = rng.choice(LOOKS)
        write, self.kind = rng.choice(WRITES)
        numbers = {"n": rng.randrange(3), "me": me}
        self.text = "set -eu\n" + rng.choice(WAYS).format(look=look.format(**numbers)) + "\n" + \
            write.format(**numbers) + "\n"


class Agent(Transaction):
    """A transaction and the program that it is to run."""

    def __init__(self, world, program, level, trace, worktree):
        super().__init__(world, level, trace, worktree)
        self.program = program

    def run(self):
        self.execute("sh", "-c", self.program.text)


def excuse(world, transaction, head, level):
    """The named exception of `semantic` that explains another tree; empty when there is none."""
    if level in ("strict", "serializable"):
        return ""
    if transaction.program.plea == "history":
        return "history is context (exception 9)"
    theirs = world.changed(transaction.base, head)
    both = world.changed(transaction.base, transaction.kept) & theirs
    if both & {CODE, DATA}:
        return "both changed a file that merges by its structure (exceptions 2 and 3)"
    if transaction.program.plea == "layout" and CODE in theirs:
        return "a change of layout is no change (exception 1)"
    return ""


class Judge:
    def __init__(self, verbose):
        self.verbose = verbose
        self.counts = collections.Counter()
        self.excuses = collections.Counter()
        self.wrong = []

    def say(self, text):
        if self.verbose:
            print("  " + text, flush=True)

    def accuse(self, seed, what, transaction):
        self.wrong.append(what)
        print(f"WRONG {what} (seed {seed}, {transaction.trace}, {transaction.worktree}, {transaction.id})\n" +
              "".join("    " + line + "\n" for line in transaction.program.text.splitlines()), flush=True)

    def commit(self, seed, world, transaction, level):
        head = world.git("rev-parse", "main")
        kept = transaction.take()
        snapshot = world.tree(transaction.base)
        expected = kept
        if head != transaction.base:
            oracle = Agent(world, transaction.program, level, transaction.trace, transaction.worktree)
            oracle.run()
            expected = oracle.take()
            oracle.abort()
        state = transaction.commit().get("state", "")
        now = world.tree("main")
        self.say(f"{transaction.id} {transaction.program.kind}: {state}")
        self.counts[state] += 1
        moved = world.git("rev-parse", "main") != head
        if moved != (state == "landed"):
            self.accuse(seed, f"it says '{state}' and the branch {'moved' if moved else 'did not move'}", transaction)
        elif state in ("landed", "nothing"):
            serial = now == expected or (state == "nothing" and kept == snapshot)
            why = "" if serial else excuse(world, transaction, head, level)
            if why:
                self.excuses[why] += 1
            elif not serial:
                self.accuse(seed, f"{state}, and run again at that head it makes another tree: " +
                            world.git("diff", "--stat", expected, now).replace("\n", "; "), transaction)
        elif world.merged(snapshot, world.tree(head), kept) == expected:
            self.counts["refused for nothing"] += 1
            self.say("refused for nothing:\n" + transaction.program.text)


def play(seed, judge, program, level, traces, kinds, agents):
    """A round: some transactions on one repository, interleaved."""
    rng = random.Random(seed)
    place = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
    try:
        world = World(place, program, START, [("link", "c0")])
        waiting = [Program(rng, me) for me in range(agents)]
        # Agents that do the same are what a lost update is made of.
        waiting[-1].text, waiting[-1].kind, waiting[-1].plea = waiting[0].text, waiting[0].kind, waiting[0].plea
        begun, ran = [], []
        while waiting or begun or ran:
            step = rng.random()
            if waiting and (step < 0.45 or not (begun or ran)):
                begun.append(Agent(world, waiting.pop(0), level, rng.choice(traces), rng.choice(kinds)))
            elif begun and (step < 0.8 or not ran):
                ran.append(begun.pop(rng.randrange(len(begun))))
                ran[-1].run()
            elif ran:
                judge.commit(seed, world, ran.pop(rng.randrange(len(ran))), level)
    finally:
        remove(place)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--transactions", type=int, default=30)
    parser.add_argument("--level", action="append")
    parser.add_argument("--trace", action="append")
    parser.add_argument("--worktree", action="append")
    parser.add_argument("--agents", type=int, default=5)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SEED", random.randrange(1 << 30))))
    parser.add_argument("-v", action="store_true")
    given = parser.parse_args()
    program = program_under_test()
    traces = usable(program, "--trace", given.trace or ["hybrid", "notify", "ptrace", "bpf"], PREFIX)
    kinds = usable(program, "--worktree", given.worktree or ["plain", "overlay", "reflink"], PREFIX)
    if not traces or not kinds:
        sys.exit("this machine can run no transaction")
    print(f"differential: SEED={given.seed}, {', '.join(traces)}; {', '.join(kinds)}", flush=True)
    passed = failed = 0
    for level in given.level or ["strict", "semantic"]:
        judge = Judge(given.v)
        for number in range(0, given.transactions, given.agents):
            if sys.stderr.isatty():
                print(f"\r{level}: {number} of {given.transactions}, {len(judge.wrong)} wrong ", end="", file=sys.stderr)
            play(given.seed + number, judge, program, level, traces, kinds, given.agents)
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)
        total = sum(judge.counts[state] for state in judge.counts if state != "refused for nothing")
        told = ", ".join(f"{count} {state}" for state, count in sorted(judge.counts.items()))
        print(f"{'ok' if not judge.wrong else 'not ok'} - {level}: {total} transactions: {told}; "
              f"{len(judge.wrong)} wrong")
        for why, count in sorted(judge.excuses.items()):
            print(f"# {count} landed with another tree because {why}")
        if judge.counts["landed"] == 0:
            print(f"not ok - {level}: nothing landed")
            failed += 1
        passed += not judge.wrong
        failed += bool(judge.wrong)
    print(f"differential: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
