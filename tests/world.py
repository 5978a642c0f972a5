"""A scratch repository with the program under test in it, and a transaction of it: what tests/differential and
tests/matrix play with."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]


def program_under_test():
    """GIT_TXN_PROGRAM, or the release build."""
    program = pathlib.Path(os.environ.get("GIT_TXN_PROGRAM", ROOT / "build/release/git-txn")).resolve()
    if not program.exists():
        raise SystemExit(f"there is no program at {program}; run ./dev build")
    return program


def remove(place):
    """A folder with all that is below it, whatever its modes."""
    for folder, _, _ in os.walk(place):
        os.chmod(folder, 0o700)
    shutil.rmtree(place)


class World:
    """A repository at `place`, with `files` (name: text) as its first commit on main."""

    def __init__(self, place, program, files, links=()):
        self.place = place
        self.repo = place / "repo"
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
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
        for name, text in files.items():
            path = self.repo / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for name, target in links:
            (self.repo / name).symlink_to(target)
        self.git("add", "-A")
        self.git("commit", "-qm", "start")

    def call(self, *command, check=True, index=None, cwd=None):
        environment = dict(self.environment, GIT_INDEX_FILE=str(index)) if index else self.environment
        done = subprocess.run(command, cwd=cwd or self.repo, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=120)
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
    """One that was begun; `exec` runs what it is to run, `commit` lands it or says why not."""

    def __init__(self, world, level, trace="auto", worktree="auto", branch="main"):
        self.world, self.trace, self.worktree = world, trace, worktree
        begun = json.loads(world.git("txn", "begin", "--json", "--isolation", level, "--worktree", worktree, "--onto",
                                     branch, "--name", "played").splitlines()[-1])
        self.id, self.base = begun["txn"], begun["base"]
        self.kept = None

    def execute(self, *command):
        self.world.git("txn", "exec", "--trace", self.trace, self.id, "--", *command)

    def take(self):
        """Its tree as it would be committed; the transaction stays open."""
        self.kept = self.world.git("rev-parse", f"refs/txn/{self.id}/1")
        return self.world.tree(self.kept)

    def commit(self):
        """What became of it, as --json says it."""
        done = self.world.call("git", "txn", "commit", "--json", "--retries", "0", "--wait", "0s", self.id,
                               check=False)
        last = json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else {}
        if done.returncode not in (0, 1) or "error" in last:
            raise RuntimeError(f"commit of {self.id}: exit {done.returncode}: {done.stdout}{done.stderr}")
        return last

    def abort(self):
        self.world.git("txn", "abort", self.id)


def usable(program, flag, names, prefix):
    """Those of `names` that this machine can do, by doing it."""
    found = []
    for name in names:
        place = pathlib.Path(tempfile.mkdtemp(prefix=prefix))
        try:
            world = World(place, program, {"c0": "0\n"})
            words = ["run", flag, name, "--name", "probe", "--", "sh", "-c", "echo 1 >c0"]
            if world.call("git", "txn", *words, check=False).returncode == 0:
                found.append(name)
            else:
                print(f"# {flag} {name} is not usable here")
        finally:
            remove(place)
    return found
