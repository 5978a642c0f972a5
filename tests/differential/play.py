"""Transactions against themselves: what landed is what the agent would have made at the head it landed on.

Every transaction is a small deterministic program, as agents write them: it runs commands that look at a
repository, and runs its tests, and writes what these printed or how they ended: into a file of its own, over
a file of others, to the same result as others, or not at all; some of it before it looks again. Their beginnings, runs and commits are interleaved by a seed, one call at a time, so that a failure
replays. The oracle is the program itself: before each commit the same program runs once more in a fresh
transaction of the same kind, begun at the head of that moment.

  landed    the branch has the tree that the oracle made, or an exception of the level that `git txn why` names
            says why not
  nothing   the oracle changes nothing either, at the head or at the snapshot
  refused   counted; a refusal where the merge would have been the oracle's tree was not needed

  tests/differential/run [--transactions N] [--level LEVEL]... [--trace NAME]... [--worktree KIND]...
                         [--seed S] [-v]
"""

import argparse
import collections
import json
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
    ".gitignore": "*.tmp\n__pycache__/\n",
    "Makefile": "check:\n\t@cat c0 list.txt >report.tmp\n\t@test \"$$(cat c0)\" -lt 5\n\t@sh tests/rules.sh\n",
    "tests/rules.sh": "for f in docs/*.md; do grep -q . $f || exit 1; done\ntest ! -e made2 || grep -q . list.txt\n",
    "tests/__init__.py": "",
    "tests/test_math.py": "import unittest\nfrom src import math\n\n\nclass Math(unittest.TestCase):\n"
                          "    def test_zero(self):\n        self.assertEqual(math.f0(1), 1)\n\n"
                          "    def test_names(self):\n        self.assertTrue(hasattr(math, 'f3'))\n",
    "tests/math.test.js": "const test = require('node:test');\nconst fs = require('node:fs');\n"
                          "test('sum', () => { const c = JSON.parse(fs.readFileSync('conf.json'));\n"
                          "  if (c.x + c.y < 0) throw new Error('less'); });\n",
}
DECLARED = ("make -s check", "python3 -m unittest -q")
POLICY = "".join(f'[[question]]\nmatch = "{command}"\nanswer = "status"\n' for command in DECLARED)

# Commands of a shell. `{n}` is a small number, `{me}` the transaction's own.
LOOKS = [
    "cat c{n}",
    "cat docs/1.md list.txt",
    "sed -n 3,5p long.txt",
    "sed -n '/line 2/p' long.txt",
    "head -n 2 long.txt",
    "head -n 1 list.txt docs/1.md",
    "tail -n 2 list.txt",
    "md5sum < long.txt",
    "md5sum src/math.py",
    "wc -l long.txt | cut -d ' ' -f 1",
    "wc -l list.txt docs/1.md",
    "grep -n 'line 1' long.txt || true",
    "grep -c x list.txt || true",
    "grep -rl t docs | sort || true",
    "grep -rn 'def f{n}' src || true",
    "ls docs",
    "ls docs | wc -l",
    "ls -a . | head -n 5",
    "find . -name '*.md' -not -path './.git/*' | sort",
    "find docs -type f | sort | xargs wc -l | tail -n 1",
    "find src docs -name '*.py' | sort | xargs md5sum",
    "sort list.txt | uniq | head -n 2",
    "cut -c 1-3 list.txt",
    "jq .x conf.json",
    "test -e made{n} && echo there || echo gone",
    "test -s list.txt && echo full || echo empty",
    "test docs/1.md -ef docs/2.md && echo one || echo two",
    "git show HEAD:list.txt",
    "git show --stat --format= HEAD -- docs",
    "git ls-files | sort",
    "git ls-files docs | wc -l",
    "git status --short | cut -c 1-2 | sort -u",
    "git diff --stat HEAD -- docs src | tail -n 1",
    "git grep -c line -- '*.txt' || true",
    "python3 -c 'import json; d = json.load(open(\"conf.json\")); print(d[\"x\"] + d[\"y\"])'",
    "git rev-list --count HEAD",
    "git log -1 --format=%s",
    "git log --format=%s -- docs | head -n 3",
    "cat link",
    "stat -c %A c{n}",
    "diff c0 c1 | wc -l",
    "cksum docs/*.md | sort",
    "rg -n line long.txt | head -n 3",
]
# Runs of tests: how one ended is what counts.
CHECKS = [
    "make -s check",
    "python3 -m unittest -q",
    "python3 -m unittest -q tests.test_math",
    "node --test tests",
    "make -s check && test -e report.tmp",
    "sh tests/rules.sh",
]
WRITES = [
    ("printf '%s\\n' \"$seen\" >own{me}", "own"),
    ("printf '%s\\n' \"$seen\" >docs/own{me}.md", "own"),
    ("printf '%s\\n' \"$seen\" >made{n}", "shared"),
    ("printf '%s\\n' \"$seen\" | cksum >list.txt", "shared"),
    ("k=$(cat c{n}); echo $((k + 1)) >c{n}", "increment"),
    ("printf 'four\\n' >>list.txt", "append"),
    ("i=1; while test -e docs/$i.md; do i=$((i + 1)); done; echo new >docs/$i.md", "next number"),
    ("echo 7 >c{n}", "constant"),
    ("rm -f docs/2.md", "remove"),
    ("case \"$seen\" in *1*) echo yes >flag;; *) echo no >flag;; esac", "decide"),
    ("case \"$seen\" in *fail*) echo 0 >c0;; *) sed -i 's/x + 3$/x + 4/' src/math.py;; esac", "decide"),
    ("s=$(python3 -c 'import json; d = json.load(open(\"conf.json\")); print(d[\"x\"] + d[\"y\"])'); "
     "test $s -lt 50 || sed -i 's/\"x\": [-0-9]*/\"x\": -30/' conf.json", "skew"),
    ("s=$(python3 -c 'import json; d = json.load(open(\"conf.json\")); print(d[\"x\"] + d[\"y\"])'); "
     "test $s -lt 50 || sed -i 's/\"y\": [-0-9]*/\"y\": -30/' conf.json", "skew"),
    ("sed -i 's/x + {n}$/x + {n} + 10/' src/math.py", "edit"),
    ("md5sum src/math.py >sum; sed -i 's/^def f{n}(x)/def f{n}( x )/' src/math.py", "edit"),
    ("sed -i 's/^line 2{n}$/line 2{n}, seen/' long.txt", "edit"),
    ("chmod +x c{n}", "mode"),
    (":", "none"),
]
# Steps that an agent takes before it looks again: their result may stay, change again, or go.
BETWEEN = [
    "",
    "",
    "echo mine >docs/draft{me}.md",
    "echo 9 >c{n}",
    "echo later >>own{me}.txt",
    "rm -f docs/2.md",
    "cp list.txt kept.tmp; echo other >list.txt",
    "cp docs/1.md copy.md",
]
AFTERWARDS = {
    "cp list.txt kept.tmp; echo other >list.txt": "cat kept.tmp >list.txt; rm -f kept.tmp",
    "cp docs/1.md copy.md": "rm -f copy.md",
    "echo 9 >c{n}": "echo 8 >c{n}",
}
# An answer on its way to what is written.
WAYS = [
    "answer=$({look})",
    "t=$(mktemp); {{ {look}; }} >\"$t\"; answer=$(cat \"$t\"); rm -f \"$t\"",
    "{{ {look}; }} >way.tmp; answer=$(cat way.tmp); rm -f way.tmp",
]
# ... of a check: its status.
CHECK_WAYS = [
    "if {check} >/dev/null 2>&1; then answer=pass; else answer=fail; fi",
    "answer=pass; {check} >check.tmp 2>&1 || answer=fail; rm -f check.tmp",
]


class Program:
    """What one transaction runs."""

    def __init__(self, rng, me):
        write, self.kind = rng.choice(WRITES)
        numbers = {"n": rng.randrange(3), "me": me}
        between = rng.choice(BETWEEN)
        lines = [self.question(rng, numbers) for _ in range(rng.choice((1, 1, 2, 3)))]
        again = rng.choice(lines)
        lines.insert(rng.randrange(len(lines) + 1), between.format(**numbers))
        if rng.random() < 0.7:
            lines.append(AFTERWARDS.get(between, "").format(**numbers))
        if rng.random() < 0.25:
            lines.append(again)
        lines.append(write.format(**numbers))
        self.text = "set -eu\nseen=\n" + "\n".join(filter(None, lines)) + "\n"

    @staticmethod
    def question(rng, numbers):
        if rng.random() < 0.25:
            asked = rng.choice(CHECK_WAYS).format(check=rng.choice(CHECKS))
        else:
            asked = rng.choice(WAYS).format(look=rng.choice(LOOKS).format(**numbers))
        return asked + '; seen="$seen$answer "'


class Agent(Transaction):
    """A transaction and the program that it is to run."""

    def __init__(self, world, program, level, trace, worktree):
        super().__init__(world, level, trace, worktree)
        self.program = program

    def run(self):
        self.execute("sh", "-c", self.program.text)


# Names under which exceptions of `semantic` are counted, by what `git txn why` says of them.
EXCEPTIONS = [
    ("only another layout", "a change of layout is no change (exception 1)"),
    ("changed another part of it", "both changed a file that merges by its structure (exceptions 2 and 3)"),
    ("passed again on the branch", "a runner's answer is its status (exception 4)"),
    ("was run again later", "a later run replaces an earlier one (exception 5)"),
    ("a gate runs it", "a gate answers a runner (exception 6)"),
    ("history was read", "history is context (exception 9)"),
    ("was listed", "a listing is context (exception 10)"),
]


def excuses(transaction):
    """The exceptions of the level that let it land, as `git txn why` names them."""
    said = json.loads(transaction.world.git("txn", "why", "--json", transaction.id))["excused"]
    return [next((name for words, name in EXCEPTIONS if words in line), line) for line in said]


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
        # `git txn why` cannot say it afterwards of a transaction that added nothing to the branch.
        named = excuses(transaction) if level == "semantic" and head != transaction.base else []
        state = transaction.commit().get("state", "")
        now = world.tree("main")
        self.say(f"{transaction.id} {transaction.program.kind}: {state}")
        self.counts[state] += 1
        moved = world.git("rev-parse", "main") != head
        if moved != (state == "landed"):
            self.accuse(seed, f"it says '{state}' and the branch {'moved' if moved else 'did not move'}", transaction)
        elif state in ("landed", "nothing"):
            serial = now == expected or (state == "nothing" and kept == snapshot)
            excused = [] if serial else excuses(transaction) or (named if state == "nothing" else [])
            for why in excused:
                self.excuses[why] += 1
            if not serial and not excused:
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
        files = dict(START, **{".gittxn.toml": POLICY}) if rng.random() < 0.5 else START
        world = World(place, program, files, [("link", "c0")])
        waiting = [Program(rng, me) for me in range(agents)]
        # Agents that do the same are what a lost update is made of.
        waiting[-1].text, waiting[-1].kind = waiting[0].text, waiting[0].kind
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
    parser.add_argument("--transactions", type=int, default=25)
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
