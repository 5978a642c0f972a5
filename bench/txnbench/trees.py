"""Trees in memory (path -> text), merges of them by git, and the tests of one.

Everything here is git and python alone; the program under test is not called.
"""
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

SUITE_COMMAND = ["python3", "-m", "unittest", "-q"]
# The newest second of a file tells python whether its bytecode is current; agents without thinking edit twice in one.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONDONTWRITEBYTECODE": "1"}


def digest(tree):
    return hashlib.sha256(repr(sorted(tree.items())).encode()).hexdigest()


def write_tree(tree, place):
    for path, text in tree.items():
        file = pathlib.Path(place, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def changed(old, new):
    return sorted(path for path in old.keys() | new.keys() if old.get(path) != new.get(path))


def changes(old, new):
    """What has to be written to make the one of the other: path -> text, or None where it goes."""
    return {path: new.get(path) for path in changed(old, new)}


def with_changes(tree, edits):
    made = dict(tree, **{path: text for path, text in edits.items() if text is not None})
    return {path: text for path, text in made.items() if edits.get(path, text) is not None}


class Git:
    """Merges each file that both sides changed by `git merge-file`, as `git merge` does where nothing was renamed."""

    name = "git merge-file"
    remembered = {}

    def merge_file(self, base, ours, theirs):
        """The text, or None where there is a conflict."""
        key = (self.name, base, ours, theirs)
        if key not in Git.remembered:
            with tempfile.TemporaryDirectory(prefix="txnbench.") as place:
                files = [pathlib.Path(place, name) for name in ("ours.py", "base.py", "theirs.py")]
                for file, text in zip(files, (ours, base, theirs)):
                    file.write_text(text, encoding="utf-8")
                Git.remembered[key] = self.run(*map(str, files))
        return Git.remembered[key]

    def run(self, ours, base, theirs):
        done = subprocess.run(["git", "merge-file", "-p", ours, base, theirs], capture_output=True, text=True,
                              check=False)
        return done.stdout if done.returncode == 0 else None

    def merge(self, base, ours, theirs):
        """(tree, paths that conflict). Where a path conflicts the tree has theirs."""
        merged, conflicts = dict(theirs), []
        for path in changed(base, ours):
            b, o, t = base.get(path), ours.get(path), theirs.get(path)
            if t == b:
                text = o
            elif t == o:
                text = t
            else:
                text = None if None in (b, o, t) else self.merge_file(b, o, t)
                if text is None:
                    conflicts.append(path)
                    continue
            merged = with_changes(merged, {path: text})
        return merged, conflicts


class Mergiraf(Git):
    name = "mergiraf"

    @staticmethod
    def is_there():
        return shutil.which("mergiraf") is not None

    def run(self, ours, base, theirs):
        command = ["mergiraf", "merge", base, ours, theirs, "-p", "file.py"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout if done.returncode == 0 else None


class Suite:
    """Runs the tests of a tree for the judge and for strategies that are played in memory; one tree is run once."""

    def __init__(self):
        self.known = {}
        self.seconds = []

    def passes(self, tree):
        key = digest(tree)
        if key not in self.known:
            began = time.monotonic()
            with tempfile.TemporaryDirectory(prefix="txnbench.") as place:
                write_tree(tree, place)
                done = subprocess.run(SUITE_COMMAND, cwd=place, env=dict(ENVIRONMENT, HOME=place), capture_output=True,
                                      stdin=subprocess.DEVNULL, check=False)
            self.known[key] = done.returncode == 0
            self.seconds.append(time.monotonic() - began)
        return self.known[key]


def scratch():
    """Where worlds are made: in memory where the machine has that."""
    shm = "/dev/shm"
    return shm if os.path.isdir(shm) and os.access(shm, os.W_OK) else tempfile.gettempdir()
