"""Every suite of tests: its part, what has to be built for it, and its command.

A part is what `./dev test` runs as one: `quick` before every commit; `ship`, `asan`, `tsan` and `lint` with
--deep. `more` are suites that only run when somebody names them: among them those of `asan` and `tsan` for a
module in which nothing has changed of late.
"""
import dataclasses
import functools
import glob
import os
import re
import sys

sys.path.insert(0, "tools")
from commits import before_the_last, changed_since  # noqa: E402

PARTS = ("quick", "ship", "asan", "tsan", "lint")

# What a part may cost, in processor seconds with its build, from nothing. A part that takes more says so at
# the end: seconds of a processor hardly depend on what else a machine does, but they do on the machine, so
# nothing fails for them.
BOUNDS = {"quick": 1750, "ship": 1500, "asan": 1900, "tsan": 700, "lint": 600}

# Sanitizers, injected bugs and clang-tidy look at what so many commits changed, and what nobody has committed yet.
OF_LATE = "30"

# Modules that trace their own children: LeakSanitizer uses ptrace, and what is traced cannot be traced again.
TRACING = ("capture", "asking", "gates", "land", "txn", "work", "api", "cli")


# Stories that take longest for what units hold as well: the part ship alone tells them.
SHIPPED_ALONE = ("confine", "hub_trouble", "races")


@dataclasses.dataclass
class Suite:
    name: str
    part: str
    command: list
    env: dict = dataclasses.field(default_factory=dict)
    build: dict = dataclasses.field(default_factory=dict)  # preset -> targets
    shards: int = 1  # run as so many, each told by GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX
    again: str = ""  # the suite of another part that this one repeats: where both are asked for, only this one runs
    seconds: int = 1800  # and it has failed


def modules_with_tests():
    return sorted({path.split("/")[1] for path in glob.glob("src/**/*_test.cc", recursive=True)})


def modules_with_threads():
    """Those that start threads themselves, tests and their helpers aside."""
    found = set()
    for path in glob.glob("src/**/*.cc", recursive=True) + glob.glob("src/**/*.h", recursive=True):
        if path.endswith("_test.cc") or "/testing/" in path:
            continue
        with open(path, encoding="utf-8") as file:
            if re.search(r"std::(jthread|thread|async)\b", file.read()):
                found.add(path.split("/")[1])
    return sorted(found & set(modules_with_tests()))


@functools.cache
def changed_of_late():
    """Modules, and names of files of stories; None where the history is too short to tell, and all are meant."""
    base = before_the_last(OF_LATE)
    if base is None:
        return None
    return {path.split("/")[1] for path in changed_since(base, "src/*")} | {
        os.path.basename(path) for path in changed_since(base, "tests/e2e/*.sh")}


def part_of(part, module):
    return part if changed_of_late() is None or module in changed_of_late() else "more"


def stories():
    return sorted(os.path.basename(path)[:-3] for path in glob.glob("tests/e2e/*.sh") if not path.endswith("/lib.sh"))


def one_thread_patterns(module):
    """What ThreadSanitizer leaves out of a module, by tests/one-thread."""
    with open("tests/one-thread", encoding="utf-8") as file:
        return "".join(line.split(" ", 1)[1].strip() for line in file if line.startswith(module + " "))


def plain_addresses():
    """Randomised addresses beyond 28 bits break ThreadSanitizer always and AddressSanitizer at times."""
    return ["setarch", "-R"] if os.system("setarch -R true 2>/dev/null") == 0 else []


def unit(preset, module, name=None, shards=1, env=None):
    """A module's tests; those of what talks to a server have one of their own."""
    command = [f"build/{preset}/{module}_test", "--gtest_color=no"]
    settings = {}
    if preset != "quick":
        command = plain_addresses() + command
        # What was freed is kept for a while; every git that a test starts is a fork, which copies its pages.
        leaks = 0 if module in TRACING else 1
        settings = {
            "ASAN_OPTIONS": f"detect_leaks={leaks}:abort_on_error=1:strict_string_checks=1:quarantine_size_mb=32:malloc_context_size=8",
            "UBSAN_OPTIONS": "print_stacktrace=1",
            "TSAN_OPTIONS": "halt_on_error=1",
        }
    if preset == "tsan":
        command.append("--gtest_filter=*-" + one_thread_patterns(module))
    if module in ("db", "store"):
        command = ["tests/postgres/with"] + command
    return Suite(name or f"{'unit' if preset == 'quick' else preset}-{module}", part_of(preset, module) if settings else preset,
                 command, settings | (env or {}), {preset: [f"{module}_test"]}, shards,
                 again=f"unit-{module}" if preset == "asan" else "")


def told(preset, story, name, part, again="", **env):
    """The stories of one file, told to the program of a preset."""
    return Suite(name, part, ["bash", f"tests/e2e/{story}.sh"],
                 {"GIT_TXN_PROGRAM": os.path.abspath(f"build/{preset}/git-txn")} | env, {preset: ["git-txn"]}, again=again)


def with_program(name, part, preset, *command, build=(), **more):
    """A script that drives the program of a preset."""
    env = {"GIT_TXN_PROGRAM": os.path.abspath(f"build/{preset}/git-txn"),
           "HAMMER": os.path.abspath(f"build/{preset}/txn-hammer")}
    return Suite(name, part, list(command), env, {preset: ["git-txn", *build]}, **more)


def quick():
    yield Suite("format", "quick", ["tools/fmt", "--check"])
    yield Suite("tidy", "quick", ["tools/tidy"])
    yield Suite("tidy-negative", "quick", ["tests/negative/tidy"])
    yield Suite("setup", "quick", ["tests/setup/run"])
    yield with_program("golden", "quick", "quick", "tests/golden/run")
    yield with_program("matrix-sample", "quick", "quick", "tests/matrix/run", "--sample", "32", "--ceilings")
    yield with_program("txnbench", "quick", "quick", "bench/txnbench/test")
    for module in modules_with_tests():
        yield unit("quick", module, shards=2 if module in ("capture", "land") else 1)
    again = unit("quick", "store", "store-postgres", env={"GIT_TXN_TEST_STORE": "postgres"})
    again.command.append("--gtest_filter=*-Server*:F12Server.*")  # about servers alone: unit-store has them
    again.part = "quick" if "quick" in (part_of("quick", "store"), part_of("quick", "db")) else "more"
    yield again
    for story in stories():
        if story not in SHIPPED_ALONE:
            yield told("quick", story, f"e2e-{story}", "quick")


def ship():
    for story in stories():
        suite = told("release", story, f"ship-{story}", "ship", again=f"e2e-{story}")
        if story == "house":
            suite.build["release"].append("pages")  # to be installed
        yield suite
    yield with_program("crash-sample", "ship", "release", "tests/crash/run", "--sample", "20")
    yield with_program("crash-overlay", "ship", "release", "tests/where-overlays", "tests/crash/run", "--worktree",
                       "overlay", "--sample", "8")
    for system in ("ext4", "xfs"):
        yield with_program(f"powercut-{system}", "ship", "release", "tests/crash/powercut", "--fs", system, "--sample", "6")
    yield Suite("meaning", "ship", ["tests/meaning/run", "--sample", "3"])
    yield with_program("stress-sample", "ship", "release", "tests/stress/run", "--rounds", "1")
    yield with_program("differential-sample", "ship", "release", "tests/differential/run")
    for store in ("sqlite", "postgres"):
        yield with_program(f"hammer-{store}", "ship", "release", "tests/hammer/run", "--seconds", "30", "--store", store,
                           build=["txn-hammer"])
    yield with_program("deb", "ship", "release", "tests/deb/twice", build=["pages"])


def tests_of_bugs():
    """Test programs that tests/negative/bugs names beside stories."""
    with open("tests/negative/bugs", encoding="utf-8") as file:
        return sorted(set(re.findall(r"\|\s*([a-z]+_test)\s*\|", file.read())))


def asan():
    for module in modules_with_tests():
        yield unit("asan", module, shards={"land": 4, "capture": 2, "store": 2}.get(module, 1))
    of = [] if changed_of_late() is None else ["--of", " ".join(sorted(changed_of_late()))]
    yield with_program("bugs", "asan", "quick", "tests/negative/run", *of, build=tests_of_bugs(), shards=8)
    yield Suite("fuzz-sample", "asan", ["fuzz/all"], build={"asan": ["fuzzers"]})
    for store in ("sqlite", "postgres"):
        yield with_program(f"hammer-controls-{store}", "asan", "quick", "tests/hammer/run", "--controls", "--store", store,
                           build=["txn-hammer"])


def tsan():
    for module in modules_with_threads():
        yield unit("tsan", module, shards=2 if module == "capture" else 1)


def lint():
    yield Suite("clang-tidy", "lint", ["tools/lint", "--since", OF_LATE], build={"debug": []}, seconds=3600)
    yield Suite("headers", "lint", ["tools/headers", "--since", OF_LATE], build={"debug": []})
    yield with_program("toys", "lint", "quick", "tests/toys/run", build=["store_test"])


def more():
    """Under sanitizers, in the kind of worktree that the other stories are not in."""
    for story in stories():
        suite = told("asan", story, f"overlay-{story}", "more", E2E_WORKTREE="overlay")
        suite.command.insert(0, "tests/where-overlays")
        yield suite


def all_suites():
    return [suite for group in (quick, ship, asan, tsan, lint, more) for suite in group()]
