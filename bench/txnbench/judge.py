"""The serial reference and what is counted by it. It is plain python and git; the program under test is not called.

A landing is judged where it landed: the same agent, run alone on the tree that was the head before, has to make the
very tree that is the head now, and may not be one that would not have landed. If that holds for each landing, the
branch is the serial run of the same agents in landing order. What does not hold is a missed conflict. A refusal is
false where merging what was refused with the head is, to the byte, what the agent makes there alone.
"""
import collections
import dataclasses
import statistics

import costs
import tasks
import trees
import workspace


def alone(task, tree, suite):
    """The tree that an agent leaves, run alone on `tree`; None where it gives up or its tests do not pass.

    Tests that failed before it came do not count against it."""
    ws = workspace.Memory(tree, suite)
    try:
        made = trees.with_changes(tree, task.plan(ws))
    except tasks.GiveUp:
        return None
    return made if suite.passes(made) or not suite.passes(tree) else None


@dataclasses.dataclass
class Landing:
    job: object
    before: dict
    after: dict
    at: float
    refused_at: float = None  # when it was refused first
    excuses: list = dataclasses.field(default_factory=list)  # the exceptions of the level that it landed by


@dataclasses.dataclass
class Refusal:
    job: object
    cause: str
    head: dict
    base: dict  # what the refused work was made on
    made: dict  # the refused work
    at: float


@dataclasses.dataclass
class Ledger:
    """What one run of a workload by one strategy came to."""
    tree: dict
    agents: int
    landings: list = dataclasses.field(default_factory=list)
    refusals: list = dataclasses.field(default_factory=list)
    given_up: list = dataclasses.field(default_factory=list)
    failed: list = dataclasses.field(default_factory=list)  # what could not be judged, and why
    busy: float = 0.0  # virtual seconds of agents at work, and those of them that take tokens
    tokens_for: float = 0.0
    waited: float = 0.0
    suites: int = 0  # runs of the tests, by agents, landings and queues
    rounds: int = 0
    ended: float = 0.0
    real: float = 0.0  # seconds of this machine, and of its processors
    used: float = 0.0

    def work(self, seconds, suites=0):
        self.busy += seconds + suites * costs.SUITE
        self.tokens_for += seconds
        self.suites += suites
        return seconds + suites * costs.SUITE


def whole_round(job):
    """Virtual seconds of a first round without its two runs of the tests."""
    return costs.LOOK + job.think + costs.EDIT


def is_false(refusal, suite):
    merged, conflicts = trees.Git().merge(refusal.base, refusal.made, refusal.head)
    return not conflicts and merged == alone(refusal.job.task, refusal.head, suite)


def with_task(refusal):
    return f"{refusal.cause} ({type(refusal.job.task).__name__})"


def judge(ledger, suite):
    """Numbers of a run, as they stand in the raw results."""
    missed, unexplained, examples = 0, 0, []
    for one in ledger.landings:
        if alone(one.job.task, one.before, suite) == one.after:
            continue
        missed += 1
        if not one.excuses:
            unexplained += 1
        broke = suite.passes(one.before) and not suite.passes(one.after)
        how = "breaks the tests" if broke else "differs"
        examples.append([one.job.name, type(one.job.task).__name__, how, *one.excuses[:3]])
    false = [one for one in ledger.refusals if is_false(one, suite)]
    landed = len(ledger.landings)
    useful = sum(whole_round(one.job) for one in ledger.landings)
    thrown = ledger.busy - useful - 2 * costs.SUITE * landed
    repairs = [one.at - one.refused_at for one in ledger.landings if one.refused_at is not None]
    return {
        "tasks": landed + len(ledger.given_up) + len(ledger.failed),
        "landed": landed,
        "rounds": ledger.rounds,
        "refused": len(ledger.refusals),
        "causes": dict(collections.Counter(one.cause for one in ledger.refusals).most_common()),
        "false": len(false),
        "false_causes": dict(collections.Counter(map(with_task, false)).most_common()),
        "missed": missed,
        "unexplained": unexplained,
        "missed_examples": examples[:10],
        "broken_at_the_end": not suite.passes(ledger.landings[-1].after if landed else ledger.tree),
        "failed": ledger.failed,
        "per_hour": round(3600 * landed / ledger.ended, 2) if ledger.ended else 0,
        "thrown": round(thrown, 1),
        "thrown_seconds": round(thrown / landed, 1) if landed else None,
        "thrown_tokens": round(costs.TOKENS_PER_SECOND * (ledger.tokens_for - useful) / landed) if landed else None,
        "waited_seconds": round(ledger.waited / landed, 1) if landed else None,
        "repair_seconds": round(statistics.median(repairs), 1) if repairs else None,
        "test_seconds": round(ledger.suites * costs.SUITE / landed, 1) if landed else None,
        "virtual_seconds": round(ledger.ended, 1),
        "real_seconds": round(ledger.real, 1),
        "processor_seconds": round(ledger.used, 1),
    }
