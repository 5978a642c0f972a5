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
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
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


class World:
    """A repository of a round, and the program under test in it."""

    def __init__(self, place, program):
        self.place = place
        self.repo = place / "repo"
        self.program = program
        self.environment = {
            key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        self.environment.update(
            HOME=str(place / "home"), XDG_STATE_HOME=str(place / "state"), TZ="UTC", LC_ALL="C.UTF-8",
            GIT_CONFIG_NOSYSTEM="1", ASAN_OPTIONS="detect_leaks=0", PATH=f"{place / 'bin'}:{os.environ['PATH']}")
        if "GIT_TXN_BUG" in os.environ:
            self.environment["GIT_TXN_BUG"] = os.environ["GIT_TXN_BUG"]
        for folder in ("home", "bin", "repo"):
            (place / folder).mkdir(parents=True)
        (place / "bin" / "git-txn").symlink_to(program)
        for key, value in (("user.name", "Pat Person"), ("user.email", "pat@example.org"),
                           ("init.defaultBranch", "main")):
            self.git("config", "--global", key, value)
        self.git("init", "-q")
        for name, text in START.items():
            path = self.repo / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        (self.repo / "link").symlink_to("c0")
        self.git("add", "-A")
        self.git("commit", "-qm", "start")

    def call(self, *command, check=True, index=None):
        environment = dict(self.environment, GIT_INDEX_FILE=str(index)) if index else self.environment
        done = subprocess.run(command, cwd=self.repo, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command))}: exit {done.returncode}: {done.stderr.strip()}")
        return done

    def git(self, *words, **options):
        return self.call("git", *words, **options).stdout.strip()

    def tree(self, commit):
        return self.git("rev-parse", commit + "^{tree}")

    def merged(self, base, ours, theirs):
        """The tree of a merge by whole paths; nothing where a path has two versions."""
        index = self.place / "merge-index"
        index.unlink(missing_ok=True)
        self.git("read-tree", "-i", "-m", "--aggressive", base, ours, theirs, index=index)
        done = self.call("git", "write-tree", check=False, index=index)
        return done.stdout.strip() if done.returncode == 0 else None

    def changed(self, old, new):
        return set(self.git("diff", "--name-only", old, new).splitlines())


class Transaction:
    def __init__(self, world, program, level, trace, worktree):
        self.world, self.program, self.trace = world, program, trace
        begun = json.loads(world.git("txn", "begin", "--json", "--isolation", level, "--worktree", worktree,
                                     "--name", "differential").splitlines()[-1])
        self.id, self.base, self.worktree = begun["txn"], begun["base"], worktree
        self.kept = None

    def execute(self):
        self.world.git("txn", "exec", "--trace", self.trace, self.id, "--", "sh", "-c", self.program.text)

    def take(self):
        """Its tree as it would be committed; the transaction stays open."""
        self.kept = self.world.git("rev-parse", f"refs/txn/{self.id}/1")
        return self.world.tree(self.kept)

    def commit(self):
        done = self.world.call("git", "txn", "commit", "--json", "--retries", "0", "--wait", "0s", self.id,
                               check=False)
        last = json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else {}
        if done.returncode not in (0, 1) or "error" in last:
            raise RuntimeError(f"commit of {self.id}: exit {done.returncode}: {done.stdout}{done.stderr}")
        return last.get("state", "")

    def abort(self):
        self.world.git("txn", "abort", self.id)


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
            oracle = Transaction(world, transaction.program, level, transaction.trace, transaction.worktree)
            oracle.execute()
            expected = oracle.take()
            oracle.abort()
        state = transaction.commit()
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
    place = pathlib.Path(tempfile.mkdtemp(prefix="git-txn-differential."))
    try:
        world = World(place, program)
        waiting = [Program(rng, me) for me in range(agents)]
        # Agents that do the same are what a lost update is made of.
        waiting[-1].text, waiting[-1].kind, waiting[-1].plea = waiting[0].text, waiting[0].kind, waiting[0].plea
        begun, ran = [], []
        while waiting or begun or ran:
            step = rng.random()
            if waiting and (step < 0.45 or not (begun or ran)):
                begun.append(Transaction(world, waiting.pop(0), level, rng.choice(traces), rng.choice(kinds)))
            elif begun and (step < 0.8 or not ran):
                ran.append(begun.pop(rng.randrange(len(begun))))
                ran[-1].execute()
            elif ran:
                judge.commit(seed, world, ran.pop(rng.randrange(len(ran))), level)
    finally:
        for folder, _, _ in os.walk(place):
            os.chmod(folder, 0o700)
        shutil.rmtree(place)


def usable(program, flag, names):
    """Those of `names` that this machine can do, by doing it."""
    found = []
    for name in names:
        place = pathlib.Path(tempfile.mkdtemp(prefix="git-txn-differential."))
        try:
            world = World(place, program)
            words = ["run", flag, name, "--name", "probe", "--", "sh", "-c", "echo 1 >c0"]
            if world.call("git", "txn", *words, check=False).returncode == 0:
                found.append(name)
            else:
                print(f"# {flag} {name} is not usable here")
        finally:
            shutil.rmtree(place)
    return found


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
    program = pathlib.Path(os.environ.get("GIT_TXN_PROGRAM", ROOT / "build/release/git-txn")).resolve()
    if not program.exists():
        sys.exit(f"no program at {program}: run ./dev build")
    traces = usable(program, "--trace", given.trace or ["hybrid", "notify", "ptrace", "bpf"])
    kinds = usable(program, "--worktree", given.worktree or ["plain", "overlay", "reflink"])
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
