"""The columns of the benchmark, and one cell of it: a workload played by a strategy."""
import functools
import os
import pathlib
import time

import costs
import gittxn
import judge
import strategies
import trees
import workloads

ROOT = pathlib.Path(__file__).resolve().parents[2]
NO_NAMESPACES = ["/usr/bin/python3", str(ROOT / "tests/e2e/without_namespaces.py")]
REPAIRED = "git-txn semantic"
ITSELF = "git-txn semantic, run goes on by itself"
RETRIED = "git-txn semantic, abort and retry"
SERIAL = strategies.Serial.name


class Absent:
    """A column that cannot be made here, and why."""

    def __init__(self, reason):
        self.missing = lambda: reason


COLUMNS = {
    **{one.name: one for one in strategies.IN_MEMORY},
    REPAIRED: gittxn.GitTxn,
    ITSELF: gittxn.ByItself,
    RETRIED: functools.partial(gittxn.GitTxn, repair=False),
    "git-txn strict": functools.partial(gittxn.GitTxn, level="strict"),
    "git-txn serializable": functools.partial(gittxn.GitTxn, level="serializable"),
    "git-txn snapshot": functools.partial(gittxn.GitTxn, level="snapshot"),
    "git-txn read-committed": functools.partial(gittxn.GitTxn, level="read-committed"),
    # Where there are no namespaces nothing is asked again, and what was looked at decides.
    "git-txn semantic, without answers": functools.partial(gittxn.GitTxn, wrapper=NO_NAMESPACES),
    "git-txn semantic, without symbols": Absent("no switch of the program turns symbols off"),
}
SHORT = {"shared": strategies.Shared.name, "merge": strategies.Merge.name, "mergiraf": strategies.Mergiraf.name,
         "locks": strategies.Locks.name, "queue": strategies.Queue.name, "serial": SERIAL, "semantic": REPAIRED,
         "itself": ITSELF, "retry": RETRIED, "strict": "git-txn strict", "serializable": "git-txn serializable",
         "snapshot": "git-txn snapshot",
         "read-committed": "git-txn read-committed", "no-answers": "git-txn semantic, without answers",
         "no-symbols": "git-txn semantic, without symbols"}
USUALLY_RESUMED = costs.RESUMED
ONE_SUITE = trees.Suite()  # of a process: what a tree said is known to every cell that it plays


def missing(column):
    """Why a column cannot be made; None where it can."""
    return getattr(COLUMNS[column], "missing", lambda: None)()


def processor_seconds():
    """Of this process and of those that it has waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def play(workload, column, kind, agents, seed, tasks_each, overlap, resumed):
    """One cell. A cell that fails is one in which nothing could be judged. `resumed`: the share that a resumed round
    costs; None is that of the table of costs."""
    options = {"overlap": overlap} if workload == "W8" else {}
    costs.RESUMED = USUALLY_RESUMED if resumed is None else resumed
    cell = {"workload": workload, "strategy": column, "kind": kind, "agents": agents, "seed": seed, **options}
    cell |= {} if resumed is None else {"resumed": resumed}
    began, used = time.monotonic(), processor_seconds()
    made = workloads.make(workload, seed, agents, tasks_each, kind, **options)
    try:
        ledger = COLUMNS[column](made, ONE_SUITE, kind).play()
        ledger.real, ledger.used = time.monotonic() - began, processor_seconds() - used
        return {**cell, **judge.judge(ledger, ONE_SUITE)}
    except Exception as error:  # whatever it is, the other cells are worth having
        count = sum(len(agent.jobs) for agent in made.agents)
        empty = judge.Ledger(made.tree, agents, failed=[f"{type(error).__name__}: {error}"[:500]] * count)
        return {**cell, **judge.judge(empty, ONE_SUITE)}
