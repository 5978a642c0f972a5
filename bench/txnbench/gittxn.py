"""The columns of git-txn: every agent is a process under `git txn run`, its reads are traced, its landing is real.

Agents wait for the harness between their steps, and the scheduler lets one of them go on at a time, so processes are
interleaved as virtual time says. What happens after a refusal is `GitTxn.go_on`, one function that another way of
going on can replace.
"""
import dataclasses
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

import costs
import judge
import strategies
import tasks
import trees

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests"))
from world import World, program_under_test, remove  # noqa: E402

PATIENCE_S = 120  # of real time, for one step of a process


@dataclasses.dataclass
class State:
    """What is known of a task between its rounds."""
    txn: str = ""
    conversation: str = ""
    refused_at: float = None
    over: bool = False


class NotJudged(Exception):
    """A run of the program went wrong, so that nothing can be said of the agent."""


class Process:
    """One agent's process, from its start to its end; `step` lets it go on to where it stops next."""

    def __init__(self, listener, command, world, errors):
        self.errors = errors
        with open(errors, "w", encoding="utf-8") as file:
            self.process = subprocess.Popen(command, cwd=world.repo, env=world.environment, stdin=subprocess.DEVNULL,
                                            stdout=subprocess.PIPE, stderr=file, text=True)
        self.socket = self.lines = None
        if not self.meets(listener):
            self.process.kill()
            self.process.communicate()
            raise NotJudged(f"no agent started: {self.said()[-400:]}")

    def meets(self, listener):
        """Waits for the next agent: whether git-txn starts one before it ends. `hello` is what that says."""
        listener.settimeout(0.2)
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            try:
                self.socket = listener.accept()[0]
            except TimeoutError:
                if self.process.poll() is not None:
                    return False
                continue
            self.socket.settimeout(PATIENCE_S)
            self.lines = self.socket.makefile("rw")
            self.hello = self.read()
            return True
        return False

    def said(self):
        return pathlib.Path(self.errors).read_text(encoding="utf-8", errors="replace")

    def read(self):
        line = self.lines.readline()
        return json.loads(line) if line else {"at": "gone"}

    def step(self):
        self.lines.write("\n")
        self.lines.flush()
        return self.read()

    def leave(self):
        """Lets the agent end."""
        try:
            self.lines.write("\n")
            self.lines.flush()
        except OSError:
            pass  # it has gone; its exit status says the rest
        for one in (self.lines, self.socket):
            try:
                one.close()
            except OSError:
                pass  # what it was to be told does not matter any more

    def end(self):
        """Waits for git-txn, and returns what it says came of it."""
        try:
            out, _ = self.process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise NotJudged(f"did not end: {self.said()[-300:]}") from None
        return last_line(out)


def last_line(text):
    line = text.splitlines()[-1] if text.strip() else "{}"
    return json.loads(line) if line.startswith("{") else {}


def cause_of(outcome):
    """One word for a refusal: the kind of its first conflict, and how it was looked at."""
    conflicts = outcome.get("conflicts") or []
    if not conflicts:
        return outcome.get("outcome", "unknown")
    first = conflicts[0]
    if first.get("question"):
        return f"{first['kind']}, answer of {pathlib.Path(first['question'].split()[0]).name}"
    return first["kind"]


def may_go_on(went_on):
    """Whether a landing can take what an agent makes of it. It cannot where the branch has not moved since the last
    resume, so that nothing was judged anew, nor where a read was not judged: at exact levels, and where a difference
    is too long."""
    return went_on is not None and all(one["rejudged"] for one in went_on["stale"])


def runs_of_the_suite(outcome):
    """How often a landing ran the tests: on the old tree and on the new one, for each question that it asked."""
    suite = " ".join(trees.SUITE_COMMAND)
    held = (outcome.get("admitted") or {}).get("held", [])
    asked = [one for one in held if one["question"] == suite and one["how"] == "asked"]
    failed = any(one.get("question") == suite and one.get("answer") for one in outcome.get("conflicts") or [])
    return 2 * (len(asked) + failed)


def texts_of_batch(out):
    """The texts in what `git cat-file --batch` prints."""
    at = 0
    while at < len(out):
        end = out.index(b"\n", at)
        size = int(out[at:end].split()[2])
        yield out[end + 1:end + 1 + size].decode()
        at = end + size + 2


class GitTxn(strategies.Strategy):
    """`--isolation LEVEL`, with or without repair. `wrapper` is put before the program."""

    def __init__(self, workload, suite, kind, level="semantic", repair=True, wrapper=()):
        super().__init__(workload, suite, kind)
        self.repair, self.wrapper = repair, list(wrapper)
        self.no_repairs = []
        self.run_words = ["--json", "--retries", "0", "--wait", "0", "--isolation", level]
        self.runs = 0
        self.trees = {}

    def play(self):
        if program_under_test().name != "git-txn":
            raise NotJudged("the program has another name than git-txn: it would not know its own hooks")
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="txnbench.", dir=trees.scratch()))
        self.listener = socket.create_server(("127.0.0.1", 0))
        try:
            self.world = World(self.place, program_under_test(), self.workload.tree)
            self.world.environment.update(trees.ENVIRONMENT, PATH=f"{self.place / 'bin'}:{trees.ENVIRONMENT['PATH']}")
            (self.place / "bin/claude").symlink_to(HERE / "agent.py")
            self.world.git("config", "--global", "maintenance.auto", "false")
            # A program that lets an agent go on by itself is kept from it, since the harness does that.
            if "--repairs" in self.world.git("txn", "run", "--help"):
                self.no_repairs = ["--repairs", "0"]
            return super().play()
        finally:
            self.listener.close()
            remove(self.place)

    # ---- processes
    def start(self, *command):
        self.runs += 1
        return Process(self.listener, [*self.wrapper, *command], self.world, self.place / f"errors.{self.runs}")

    def first_words(self, job):
        request = {"task": json.loads(tasks.to_json(job.task)), "port": self.listener.getsockname()[1]}
        return ["claude", "-p", json.dumps(request)]

    def git_txn(self, *words):
        self.runs += 1
        done = self.world.call(*self.wrapper, "git", "txn", *words, check=False)
        return last_line(done.stdout), done

    def tree_of(self, commit):
        """The files of a commit, read by git."""
        name = self.world.git("rev-parse", commit + "^{tree}")
        if name not in self.trees:
            listed = self.world.git("ls-tree", "-r", "--name-only", name).splitlines()
            wanted = "".join(f"{name}:{path}\n" for path in listed)
            done = subprocess.run(["git", "cat-file", "--batch"], cwd=self.world.repo, env=self.world.environment,
                                  input=wanted.encode(), capture_output=True, check=True)
            self.trees[name] = dict(zip(listed, texts_of_batch(done.stdout)))
        return self.trees[name]

    # ---- one task
    def do(self, job):
        state = State()
        try:
            for _ in range(1 + costs.RETRIES):
                landed = yield from self.fresh(job, state)
                for _ in range(costs.REPAIRS if self.repair else 0):
                    if landed or state.over:
                        break
                    landed = yield from self.go_on(job, state)
                if landed:
                    return
                state.over = False
            raise tasks.GiveUp
        except NotJudged as error:
            self.ledger.failed.append(f"{job.name}: {error}")

    def fresh(self, job, state):
        """A round from nothing, on the head. Returns whether it landed."""
        instead = ["--instead", state.txn] if state.txn else []
        words = [*self.run_words, *self.no_repairs, "--name", job.name, *instead]
        process = self.start("git", "txn", "run", *words, "--", *self.first_words(job))
        state.conversation = process.hello["conversation"]
        last = yield from self.round(job, process, 1)
        outcome = process.end()
        if not last["passed"]:
            self.git_txn("abort", outcome["txn"])
            raise tasks.GiveUp
        return (yield from self.settle(job, state, outcome, process.said()))

    def go_on(self, job, state):
        """What follows a refusal: the head is merged into the same worktree, the agent goes on there, and its change is
        tried again. Returns whether it landed; `state.over` says that going on is no use any more."""
        resumed, done = self.git_txn("resume", "--by-hand", "--json", state.txn)
        if done.returncode != 0:
            raise NotJudged(f"resume: {done.stderr[-300:]}")
        if not may_go_on(resumed.get("went_on")):
            state.over = True
            return False
        process = self.start("git", "txn", "exec", state.txn, "--", "claude", "-p", "--resume", state.conversation)
        last = yield from self.round(job, process, costs.RESUMED)
        process.end()
        if not last["passed"]:
            state.over = True
            return False
        outcome, done = self.commit(state.txn)
        return (yield from self.settle(job, state, outcome, done.stderr))

    def commit(self, txn):
        return self.git_txn("commit", "--json", "--retries", "0", "--wait", "0", txn)

    def round(self, job, process, share):
        """Plays what the agent does, and lets it end. Returns what it said last."""
        self.ledger.rounds += 1
        said = process.step()
        yield self.ledger.work(share * costs.LOOK, suites=1 if share == 1 else 0)
        yield self.ledger.work(share * job.think)
        if said["at"] == "looked":
            said = process.step()
            yield self.ledger.work(share * costs.EDIT, suites=1)
            if said["at"] == "edited":
                said = process.step()
        process.leave()
        if said["at"] != "ends":
            process.end()
            raise NotJudged(f"the agent has gone: {process.said()[-400:]}")
        return said

    def settle(self, job, state, outcome, said):
        """Writes down what came of a landing that was tried now. Returns whether it landed.

        One that waits for the place of somebody who has lost is asked for again: its wait is in virtual time."""
        while outcome.get("outcome") == "waiting":
            self.ledger.waited += costs.POLL
            yield costs.POLL
            outcome, done = self.commit(outcome["txn"])
            said = done.stderr
        if outcome.get("state") not in ("landed", "nothing", "quarantined"):
            raise NotJudged(f"{outcome.get('state')}: {outcome} {said[-400:]}")
        now, state.txn = self.clock.now, outcome["txn"]
        landed = outcome["state"] != "quarantined"
        if landed:
            after = self.tree_of("main")
            before = self.tree_of("main^1") if outcome["state"] == "landed" else after
            why, _ = self.git_txn("why", "--json", state.txn)
            self.ledger.landings.append(judge.Landing(job, before, after, now, state.refused_at, why["excused"]))
        else:
            base, made = self.tree_of(outcome["base"]), self.tree_of(self.kept(state.txn))
            self.ledger.refusals.append(judge.Refusal(job, cause_of(outcome), self.tree_of("main"), base, made, now))
            state.refused_at = now if state.refused_at is None else state.refused_at
        yield self.landing_cost(outcome)
        return landed

    def landing_cost(self, outcome):
        again = runs_of_the_suite(outcome)
        self.ledger.suites += again
        return costs.LAND + again * costs.SUITE

    def kept(self, txn):
        """The reference of the work of its last attempt."""
        names = self.world.git("for-each-ref", "--format=%(refname)", f"refs/txn/{txn}/").splitlines()
        return max((name for name in names if name.split("/")[-1].isdigit()), key=lambda name: int(name.split("/")[-1]))


class ByItself(GitTxn):
    """`git txn run` lets a refused agent go on by itself, and runs it again from nothing when that does not help."""

    @staticmethod
    def missing():
        try:
            program = program_under_test()
        except SystemExit as error:
            return str(error)
        said = subprocess.run([program, "run", "--help"], capture_output=True, text=True, check=False)
        return None if "--repairs" in said.stdout else "the program has no --repairs"

    def do(self, job):
        state = State()
        words = [*self.run_words, "--repairs", str(costs.REPAIRS), "--name", job.name]
        words[words.index("--retries") + 1] = str(costs.RETRIES)
        try:
            process = self.start("git", "txn", "run", *words, "--", *self.first_words(job))
            last = yield from self.round(job, process, 1)
            state.conversation = process.hello["conversation"]
            while process.meets(self.listener):
                yield self.refused(job, state)
                state.conversation = process.hello["conversation"]
                last = yield from self.round(job, process, costs.RESUMED if process.hello["resumed"] else 1)
            outcome = process.end()
            if not last["passed"]:
                self.git_txn("abort", outcome["txn"])
                raise tasks.GiveUp
            landed = yield from self.settle(job, state, outcome, process.said())
            while not landed and not state.over:  # it had ended by waiting for somebody
                landed = yield from self.go_on(job, state)
            if not landed:
                raise tasks.GiveUp
        except NotJudged as error:
            self.ledger.failed.append(f"{job.name}: {error}")

    def refused(self, job, state):
        """Writes down the refusal that the log tells of last: nobody has done anything since. Returns what it cost."""
        told = self.world.git("txn", "events", "tail", "--type", "txn.conflicted").splitlines()
        event = json.loads(told[-1])
        txn, attempt = event["subject"], event["data"]["attempt"]
        base, made = (self.tree_of(f"refs/txn/{txn}/{name}{attempt}") for name in ("base-", ""))
        self.ledger.refusals.append(judge.Refusal(job, cause_of(event["data"]), self.tree_of("main"), base, made,
                                                  self.clock.now))
        state.refused_at = self.clock.now if state.refused_at is None else state.refused_at
        return self.landing_cost(event["data"])
