"""Looks beside changes: what lands and what is refused, and whether that was right.

A cell is a look (looks.py), a way in which its answer gets into what lands, and a change that somebody commits
meanwhile (changes.py). The agent looks and writes at the snapshot, the change becomes the head, the transaction is
committed. The oracle is the whole agent run again at that head:

  landed    right when the branch has the tree that the oracle made; else it is stale, unless `git txn why` names the
            exception of the level that let it land (excused)
  refused   needed when the oracle makes another tree than the merge of what the agent made with the head; else it is
            a false refusal
  left out  when two runs of the agent on one tree differ

  tests/matrix/run [--sample N] [--level LEVEL]... [--look TEXT] [--change TEXT] [--way WAY] [--jobs N]
                   [--write FILE] [--keep FILE] [--ceilings] [-v]

--sample N takes N cells, the same each time, of looks that need nothing which `./dev test` does not install. --write
writes the tables of docs/matrix.md. --keep writes each verdict down, and a run that was interrupted goes on where it was
with the same file, program, tables and levels. With --ceilings a run fails that counts more than tests/matrix/ceilings allows, and
says what may be lowered.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import changes as change_table  # noqa: E402
import looks as look_table  # noqa: E402
import project  # noqa: E402
from world import Transaction, World, program_under_test, remove  # noqa: E402

CEILINGS = pathlib.Path(__file__).with_name("ceilings")
INSTALLED_FOR_TESTS = {"jq", "rg", "node"}
CELLS_OF_A_WORLD = 60  # a repository is left for a new one after so many: its log grows with each
LEVELS = ("strict", "semantic")
PREFIX = "git-txn-matrix."

Cell = collections.namedtuple("Cell", "look way change")
Seen = collections.namedtuple("Seen", "cell level verdict detail")


def is_there(program):
    if program == "pytest":
        return subprocess.run([look_table.PYTHON, "-c", "import pytest"], capture_output=True, check=False).returncode == 0
    return shutil.which(program) is not None


def cells(given):
    """Every cell that the options name and this machine can play; and the looks that it cannot."""
    absent = {look.name for look in look_table.LOOKS if not all(map(is_there, look.needs))}
    found = [Cell(look, way, change) for look in look_table.LOOKS for way in look_table.WAYS
             for change in change_table.CHANGES
             if look.name not in absent and given.look in look.name and given.change in change[0] and given.way in way]
    if given.sample:
        found = [cell for cell in found if set(cell.look.needs) <= INSTALLED_FOR_TESTS]
        found.sort(key=lambda cell: hashlib.sha256(f"{cell.look.name}|{cell.way}|{cell.change[0]}".encode()).digest())
        found = sorted(found[:given.sample], key=lambda cell: (cell.look.name, cell.way))
    return found, sorted(absent)


class Table:
    """A world in which cells are played, each with a branch of its own."""

    def __init__(self, program):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.world = World(self.place, program, project.FILES, project.LINKS)
        self.start = self.world.git("rev-parse", "main")
        self.aside = self.place / "aside"
        self.world.git("worktree", "add", "-q", "--detach", str(self.aside))
        self.heads = {}
        self.branches = 0

    def head_after(self, change):
        """The commit of a change on the snapshot."""
        name, command = change
        if name not in self.heads:
            self.world.git("checkout", "-qf", "--detach", self.start, cwd=self.aside)
            self.world.git("clean", "-fdxq", cwd=self.aside)
            self.world.call("sh", "-euc", command, cwd=self.aside)
            self.world.git("add", "-A", cwd=self.aside)
            self.world.git("commit", "-q", "--allow-empty", "-m", name, cwd=self.aside)
            self.heads[name] = self.world.git("rev-parse", "HEAD", cwd=self.aside)
        return self.heads[name]

    def branch_at(self, commit):
        self.branches += 1
        name = f"cell/{self.branches}"
        self.world.git("branch", name, commit)
        return name

    def run_at(self, commit, text):
        """The tree that the agent leaves at a commit."""
        oracle = Transaction(self.world, "semantic", "off", "plain", self.branch_at(commit))
        oracle.execute("sh", "-c", text)
        tree = oracle.take()
        oracle.abort()
        return tree

    def play(self, cell, levels):
        text = look_table.WAYS[cell.way].format(look=cell.look.command)
        head = self.head_after(cell.change)
        expected = self.run_at(head, text)
        return [self.judge(cell, level, text, head, expected) for level in levels]

    def judge(self, cell, level, text, head, expected):
        branch = self.branch_at(self.start)
        transaction = Transaction(self.world, level, "auto", "plain", branch)
        transaction.execute("sh", "-c", text)
        kept = transaction.take()
        self.world.git("update-ref", f"refs/heads/{branch}", head)
        outcome = transaction.commit()
        now = self.world.tree(branch)
        if outcome["state"] in ("landed", "nothing"):
            if now == expected or (outcome["state"] == "nothing" and kept == self.world.tree(self.start)):
                return Seen(cell, level, "landed", "")
            if not self.stable(head, text, expected):
                return Seen(cell, level, "left out", "")
            excuses = self.why(transaction)
            return Seen(cell, level, "excused" if excuses else "stale", "; ".join(excuses) or self.difference(expected, now))
        transaction.abort()
        said = "; ".join(f"{one['kind']} {one['subject']}: {one['hint']}" for one in outcome.get("conflicts", []))
        if self.world.merged(self.start, head, kept) != expected:
            return Seen(cell, level, "needed", said)
        return Seen(cell, level, "false" if self.stable(head, text, expected) else "left out", said)

    def stable(self, head, text, expected):
        return self.run_at(head, text) == expected

    def why(self, transaction):
        return json.loads(self.world.git("txn", "why", "--json", transaction.id))["excused"]

    def difference(self, expected, now):
        return self.world.git("diff", expected, now)[-400:]


class Kept:
    """Verdicts in a file, a line for each cell: what a run that was interrupted has played."""

    def __init__(self, path, program, levels):
        self.path = path
        self.levels = levels
        here = pathlib.Path(__file__).parent
        played = [pathlib.Path(program), *sorted(here.glob("*.py")), here.parent / "world.py"]
        self.run = [*(hashlib.sha256(one.read_bytes()).hexdigest() for one in played), *levels]
        self.known = {}
        lines = path.read_text(encoding="utf-8").splitlines() if path and path.exists() else []
        for line in lines:
            try:
                one = json.loads(line)
            except ValueError:
                continue  # the last one, torn
            if one["run"] == self.run:
                self.known[tuple(one["cell"])] = one["said"]

    @staticmethod
    def name(cell):
        return cell.look.name, cell.way, cell.change[0]

    def of(self, cell):
        said = self.known.get(self.name(cell), [])
        return [Seen(cell, level, *one) for level, one in zip(self.levels, said)]

    def add(self, part):
        if not self.path:
            return
        with open(self.path, "a", encoding="utf-8") as file:
            for at in range(0, len(part), len(self.levels)):
                said = [(one.verdict, one.detail) for one in part[at:at + len(self.levels)]]
                file.write(json.dumps({"run": self.run, "cell": self.name(part[at].cell), "said": said}) + "\n")


def play_some(program, some, levels):
    table = Table(program)
    try:
        return [seen for cell in some for seen in table.play(cell, levels)]
    finally:
        remove(table.place)


def play_all(program, found, levels, jobs, verbose, kept):
    """Every verdict, in the order of the cells."""
    order = {kept.name(cell): at for at, cell in enumerate(found)}
    seen = [one for cell in found for one in kept.of(cell)]
    left = [cell for cell in found if not kept.of(cell)]
    parts = [left[at:at + CELLS_OF_A_WORLD] for at in range(0, len(left), CELLS_OF_A_WORLD)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for part in pool.map(lambda some: play_some(program, some, levels), parts):
            seen += part
            kept.add(part)
            if sys.stderr.isatty():
                print(f"\r{len(seen) // len(levels)} of {len(found)} cells ", end="", file=sys.stderr)
            for one in part:
                if one.verdict in ("stale", "false") or (verbose and one.verdict != "landed"):
                    print(f"{one.verdict}: {one.level}, {one.cell.look.name}, {one.cell.way}, {one.cell.change[0]}\n"
                          f"    {one.detail}", flush=True)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    return sorted(seen, key=lambda one: order[kept.name(one.cell)])


VERDICTS = ("landed", "excused", "needed", "false", "stale", "left out")


def rows(seen, key):
    """A line of a table for each value of `key`: how many of each verdict."""
    counts = collections.defaultdict(collections.Counter)
    for one in seen:
        counts[key(one)][one.verdict] += 1
    return counts


def write_tables(path, seen, found, absent):
    """The tables of docs/matrix.md, behind what stands there above them."""
    mark = "<!-- tests/matrix/run --write -->\n"
    text = path.read_text(encoding="utf-8")
    out = [text.split(mark)[0], mark, "\n"]
    out.append(f"{len(found)} cells: {len({c.look.name for c in found})} looks, {len({c.way for c in found})} ways, "
               f"{len({c.change[0] for c in found})} changes." +
               (f" Not on that machine: {', '.join(absent)}." if absent else "") + "\n")
    for title, key in (("Level", lambda one: one.level), ("Look", lambda one: f"{one.cell.look.name}, {one.level}"),
                       ("Change", lambda one: f"{one.cell.change[0]}, {one.level}")):
        out.append(f"\n| {title} | " + " | ".join(VERDICTS) + " |\n|" + "---|" * (1 + len(VERDICTS)) + "\n")
        for name, counts in rows(seen, key).items():
            cell = name.replace("|", "\\|")
            out.append(f"| {cell} | " + " | ".join(str(counts[verdict] or "") for verdict in VERDICTS) + " |\n")
    path.write_text("".join(out), encoding="utf-8")


def over_the_ceilings(seen):
    """What there is more of than tests/matrix/ceilings allows: lines of LEVEL VERDICT COUNT."""
    counts = rows(seen, lambda one: one.level)
    wrong = 0
    for line in CEILINGS.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        level, verdict, most = line.rsplit(" ", 2)
        count = counts[level][verdict]
        if count > int(most):
            wrong += 1
            print(f"not ok - {level}: {count} cells are {verdict}; tests/matrix/ceilings allows {most}")
        elif count < int(most):
            wrong += 1
            print(f"not ok - {level}: {count} cells are {verdict}; lower the {most} in tests/matrix/ceilings")
    return wrong


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--level", action="append")
    parser.add_argument("--look", default="")
    parser.add_argument("--change", default="")
    parser.add_argument("--way", default="")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("JOBS", "2")))
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--ceilings", action="store_true")
    parser.add_argument("-v", action="store_true")
    given = parser.parse_args()
    levels = given.level or list(LEVELS)
    found, absent = cells(given)
    if not found:
        sys.exit("no cell has these names")
    if absent and not given.sample:
        print(f"# not on this machine: {', '.join(absent)}")
    if given.write and not given.write.exists():
        sys.exit(f"{given.write} is not there; copy docs/matrix.md to it first")
    program = program_under_test()
    seen = play_all(program, found, levels, given.jobs, given.v, Kept(given.keep, program, levels))
    counts = rows(seen, lambda one: one.level)
    for level in levels:
        print(f"# {level}: " + ", ".join(f"{counts[level][verdict]} {verdict}" for verdict in VERDICTS))
    if given.write:
        write_tables(given.write, seen, found, absent)
    wrong = over_the_ceilings(seen) if given.ceilings else 0
    print(f"matrix: {len(found) if not wrong else 0} passed, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
