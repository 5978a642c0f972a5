"""Strategies that are played in memory: what teams do without git-txn.

Each agent is a generator for the scheduler. Trees are dictionaries, a merge is `git merge-file` of each file that
both sides changed, tests are really run. An adaptive agent that is refused goes on in its worktree at the head, for
the share of a round that costs.RESUMED says; a fixed one is run again from nothing.
"""
import costs
import judge
import scheduler
import tasks
import trees


class Strategy:
    """One run of a workload. `play` returns the ledger."""

    name = ""

    def __init__(self, workload, suite, kind):
        self.workload, self.suite, self.adaptive = workload, suite, kind == "adaptive"
        self.head = dict(workload.tree)
        self.ledger = judge.Ledger(dict(workload.tree), len(workload.agents))
        self.clock = scheduler.Scheduler()

    def play(self):
        for agent in self.workload.agents:
            self.clock.start(self.agent(agent), agent.start)
        self.clock.run()
        self.ledger.ended = self.clock.now
        return self.ledger

    def agent(self, agent):
        for job in agent.jobs:
            try:
                yield from self.do(job)
            except tasks.GiveUp:
                self.ledger.given_up.append(job)

    def do(self, job):
        raise NotImplementedError

    # ---- what they are made of
    def look(self, job):
        yield self.ledger.work(costs.LOOK, suites=1)

    def rest(self, job):
        """Thinking, editing and the tests after it."""
        self.ledger.rounds += 1
        yield self.ledger.work(job.think + costs.EDIT, suites=1)

    def resumed(self, job):
        self.ledger.rounds += 1
        yield self.ledger.work(costs.RESUMED * (costs.LOOK + job.think + costs.EDIT), suites=1)

    def wait(self, ready):
        began = self.clock.now
        yield scheduler.Wait(ready)
        self.ledger.waited += self.clock.now - began

    def made(self, job, base):
        made = judge.alone(job.task, base, self.suite)
        if made is None:
            raise tasks.GiveUp
        return made

    def land(self, job, tree, refused_at=None):
        self.ledger.landings.append(judge.Landing(job, self.head, tree, self.clock.now, refused_at))
        self.head = tree

    def refuse(self, job, cause, base, made, head=None):
        self.ledger.refusals.append(judge.Refusal(job, cause, head or self.head, base, made, self.clock.now))

    def rounds(self, job):
        """Rounds of an agent in a worktree of its own, each ending with (base, work). It gives up after the last."""
        for _ in range(1 + costs.RETRIES):
            base = self.head
            yield from self.look(job)
            yield from self.rest(job)
            yield base, self.made(job, base)
            for _ in range(costs.REPAIRS if self.adaptive else 0):
                base = self.head
                yield from self.resumed(job)
                yield base, self.made(job, base)
        raise tasks.GiveUp

    def do_rounds(self, job, attempt):
        """Tries the work of each round by `attempt` until it says None, and not why it was refused."""
        refused_at = None
        for step in self.rounds(job):
            if not isinstance(step, tuple):
                yield step
                continue
            cause = yield from attempt(job, *step, refused_at)
            if cause is None:
                return
            refused_at = self.clock.now if refused_at is None else refused_at


class Serial(Strategy):
    name = "one after the other"
    busy = False

    def do(self, job):
        yield from self.wait(lambda: not self.busy)
        self.busy = True
        try:
            base = self.head
            yield from self.look(job)
            yield from self.rest(job)
            yield costs.LAND
            self.land(job, self.made(job, base))
        finally:
            self.busy = False


class Merge(Strategy):
    name = "worktrees + git merge"
    tool = trees.Git()

    def do(self, job):
        yield from self.do_rounds(job, self.attempt)

    def attempt(self, job, base, made, refused_at):
        yield costs.LAND
        merged, conflicts = self.tool.merge(base, made, self.head)
        if conflicts:
            self.refuse(job, "conflict of text", base, made)
            return "conflict"
        self.land(job, merged, refused_at)
        return None


class Mergiraf(Merge):
    name = "worktrees + mergiraf"
    tool = trees.Mergiraf()

    @staticmethod
    def missing():
        return None if trees.Mergiraf.is_there() else "not installed"


class Queue(Merge):
    """Whoever is first in the queue is rebased, tested and landed; whoever fails leaves it."""

    name = "queue: rebase and rerun"

    def __init__(self, *args):
        super().__init__(*args)
        self.queue = []

    def attempt(self, job, base, made, refused_at):
        self.queue.append(job)
        yield from self.wait(lambda: self.queue[0] is job)
        try:
            yield costs.LAND
            merged, conflicts = self.tool.merge(base, made, self.head)
            if conflicts:
                self.refuse(job, "conflict of text", base, made)
                return "conflict"
            self.ledger.suites += 1
            yield costs.SUITE
            if not self.suite.passes(merged):
                self.refuse(job, "tests", base, made)
                return "tests"
            self.land(job, merged, refused_at)
            return None
        finally:
            self.queue.remove(job)


class Locks(Strategy):
    """An agent locks the files that it is going to write when it has looked, and looks again where one had changed."""

    name = "file locks"

    def __init__(self, *args):
        super().__init__(*args)
        self.locked = set()

    def do(self, job):
        base = self.head
        yield from self.look(job)
        while True:
            wanted = set(trees.changed(base, self.made(job, base)))
            yield from self.wait(lambda: not wanted & self.locked)
            self.locked |= wanted
            if all(base.get(path) == self.head.get(path) for path in wanted):
                break
            base = self.head
            yield self.ledger.work(costs.LOOK)
            try:
                if set(trees.changed(base, self.made(job, base))) <= wanted:
                    break
            except tasks.GiveUp:
                self.locked -= wanted
                raise
            self.locked -= wanted
        try:
            yield from self.rest(job)
            yield costs.LAND
            merged, conflicts = trees.Git().merge(base, self.made(job, base), self.head)
            if conflicts:
                raise RuntimeError(f"{conflicts} was written in spite of a lock")
            self.land(job, merged)
        finally:
            self.locked -= wanted


class Shared(Strategy):
    """All edit one checkout. Who finds another text than it has read looks again; each commits what it wrote."""

    name = "one shared checkout"

    def __init__(self, *args):
        super().__init__(*args)
        self.present = dict(self.head)

    def do(self, job):
        seen = dict(self.present)
        yield from self.look(job)
        yield self.ledger.work(job.think)
        self.ledger.rounds += 1
        for count in range(1 + costs.REPAIRS):
            edits = trees.changes(seen, trees.with_changes(seen, self.planned(job, seen)))
            written, conflicts = trees.Git().merge(seen, trees.with_changes(seen, edits), self.present)
            if not conflicts:
                break
            if count == costs.REPAIRS or not self.adaptive:
                raise tasks.GiveUp
            self.refuse(job, "the text had changed", seen, trees.with_changes(seen, edits), self.present)
            seen = dict(self.present)
            yield from self.resumed(job)
        passed = self.suite.passes(self.present)
        self.present = written
        yield self.ledger.work(costs.EDIT, suites=1)
        if passed and not self.suite.passes(self.present):
            yield from self.resumed(job)  # it cannot tell whose fault that is
        yield costs.LAND
        self.land(job, trees.with_changes(self.head, {path: self.present.get(path) for path in edits}))

    def planned(self, job, seen):
        return job.task.plan(judge.workspace.Memory(seen, self.suite))


class Broken(Merge):
    """A control: whatever was worked on lands, over what others did. Its missed conflicts have to be counted."""

    name = "control: the last one wins"

    def attempt(self, job, base, made, refused_at):
        yield costs.LAND
        self.land(job, made, refused_at)
        return None


IN_MEMORY = [Shared, Merge, Mergiraf, Locks, Queue, Serial]
