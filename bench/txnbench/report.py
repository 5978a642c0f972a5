"""The tables of bench/TXNBENCH.md, of the raw results in bench/txnbench/W*.json."""
import collections
import statistics

import columns
import costs
import workloads

HEAD = """# TXNBench

Written by `bench/txnbench/run` (`./dev bench txnbench`) of bench/txnbench/W*.json. Scripted agents do the same work
under every strategy; what they cost is virtual time, what they do is real: programs under `git txn run` whose reads
are traced, merges by git, and a suite of tests. [0043](../docs/design/0043-txnbench.md) says how it is made.
"""

EXPLAINED = """
*Tries* are rounds that asked to land. *False*: what was refused, merged with the head, is to the byte what the agent
makes there alone; the share is of all tries. *Missed*: it landed, and the same agent alone on the head before makes
another tree (or does not land); *unexplained* are those without an exception of the level that `git txn why` names.
*Red*: the tests fail at the end, in so many of the seeds. *Thrown* are agent seconds beyond one first round for each
landing, per landing, and their tokens. *Repair*: seconds from the first refusal to the landing. *Tests*: seconds of
the suite per landing, whoever runs it. Numbers are medians over the seeds; tries, false, missed, unexplained, red and
not judged are sums.
"""
COLUMNS = ("strategy", "tasks", "landed", "rounds", "landed/round", "tries", "refused", "false", "missed",
           "unexplained", "red", "landed/h", "thrown s", "thrown tokens", "waited s", "repair s", "tests s",
           "not judged")
MEDIANS = ("per_hour", "thrown_seconds", "thrown_tokens", "waited_seconds", "repair_seconds", "test_seconds")


def median(cells, name):
    values = [cell[name] for cell in cells if cell[name] is not None]
    return statistics.median(values) if values else None


def number(value):
    if value is None:
        return "-"
    return str(int(value)) if value == int(value) else f"{value:.1f}"


def share(part, whole):
    return f"{part} ({100 * part / whole:.0f} %)" if whole else str(part)


def total(cells, name):
    return sum(cell[name] for cell in cells)


def tries(cells):
    return total(cells, "landed") + total(cells, "refused")


def line(*words):
    return "| " + " | ".join(map(str, words)) + " |"


def table(header, rows):
    return [line(*header), line(*["---"] * len(header)), *rows, ""]


def row(name, cells):
    landed = ratio(total(cells, "landed"), total(cells, "rounds")) or 0
    counts = (number(median(cells, key)) for key in ("tasks", "landed", "rounds"))
    false = share(total(cells, "false"), tries(cells))
    sums = (total(cells, "missed"), total(cells, "unexplained"), sum(cell["broken_at_the_end"] for cell in cells))
    medians = (number(median(cells, key)) for key in MEDIANS)
    return line(name, *counts, f"{landed:.2f}", tries(cells), number(median(cells, "refused")), false, *sums, *medians,
                sum(len(cell["failed"]) for cell in cells))


def rows(cells):
    made = []
    for name in columns.COLUMNS:
        mine = [cell for cell in cells if cell["strategy"] == name]
        if mine:
            made.append(row(name, mine))
        elif reason := columns.missing(name):
            made.append(line(name, reason, *[""] * (len(COLUMNS) - 2)))
    return made


def counted(cells, name):
    sums = collections.Counter()
    for cell in cells:
        sums.update(cell[name])
    return ", ".join(f"{count} x {what}" for what, count in sums.most_common()) or "none"


def causes(cells):
    lines = []
    for name in columns.COLUMNS:
        mine = [cell for cell in cells if cell["strategy"] == name]
        if total(mine, "refused"):
            lines.append(f"- {name}: {counted(mine, 'causes')}. False: {counted(mine, 'false_causes')}.")
    return lines + [""] if lines else []


def examples(cells):
    """What was missed by git-txn's columns, each once."""
    seen = collections.Counter()
    for cell in cells:
        if cell["strategy"].startswith("git-txn"):
            for _, task, how, *excuses in cell["missed_examples"]:
                seen[f"{cell['strategy']}: {task} {how}" + (f" ({'; '.join(excuses)})" if excuses else "")] += 1
    return ["Missed:", "", *[f"- {count} x {what}" for what, count in seen.most_common(12)], ""] if seen else []


GOALS = (columns.REPAIRED, columns.RETRIED, columns.SERIAL, "git-txn strict")


def ratio(a, b):
    """None where there is nothing to compare with."""
    return a / b if a is not None and b else None


def rate(cells):
    """Landings an hour of all cells, one after the other."""
    return ratio(total(cells, "landed"), total(cells, "virtual_seconds"))


def said(value, good):
    if value is None:
        return "-"
    return f"{value if isinstance(value, int) else f'{value:.2f}'} {'yes' if good(value) else '**no**'}"


def waste_and_rate(cells):
    """What is thrown away beside abort and retry, and the throughput beside one after the other, as they are said."""
    repaired, retried, serial, _ = ([cell for cell in cells if cell["strategy"] == name] for name in GOALS)
    wasted = ratio(total(repaired, "thrown"), total(repaired, "landed"))
    retried_wasted = ratio(total(retried, "thrown"), total(retried, "landed"))
    return (said(ratio(wasted, retried_wasted), lambda x: x <= 1 / 3),
            said(ratio(rate(repaired), rate(serial)), lambda x: x >= 1.4))


def over_costs(cells):
    """What another cost of a resumed round would come to. Those who are never resumed are the same under each."""
    shares = sorted({cell.get("resumed", costs.RESUMED) for cell in cells})
    lines = []
    for share_of_first in shares:
        mine = [cell for cell in cells if cell.get("resumed", costs.RESUMED) == share_of_first
                or cell["strategy"] in (columns.RETRIED, columns.SERIAL) and "resumed" not in cell]
        lines.append(line(f"{share_of_first:g}", *waste_and_rate(mine)))
    return table(("share of a first round", "thrown away / abort and retry <= 1/3",
                  "landed/h / one after the other >= 1.4"), lines)


def goals(cells):
    """What it must show, for each workload and for all of them together."""
    lines = []
    for workload in (*workloads.TITLES, "all"):
        every = [cell for cell in cells if workload in ("all", cell["workload"])]
        repaired, _, _, strict = ([cell for cell in every if cell["strategy"] == name] for name in GOALS)
        if not repaired:
            continue
        false = 100 * total(repaired, "false") / tries(repaired) if tries(repaired) else None
        lines.append(line(
            workload, *waste_and_rate(every),
            said(total(strict, "missed") if strict else None, lambda x: x == 0),
            said(total(repaired, "unexplained"), lambda x: x == 0), said(false, lambda x: x <= 5)))
    header = ("workload", "thrown away / abort and retry <= 1/3", "landed/h / one after the other >= 1.4",
              "missed at strict = 0", "unexplained at semantic = 0", "false refusals at semantic <= 5 %")
    return table(header, lines)


def rate_and_waste(cells):
    return f"{number(median(cells, 'per_hour'))} / {number(median(cells, 'thrown_seconds'))}" if cells else ""


def over_agents(cells):
    sizes = sorted({cell["agents"] for cell in cells})
    lines = []
    for name in columns.COLUMNS:
        found = [[cell for cell in cells if cell["strategy"] == name and cell["agents"] == size] for size in sizes]
        if sum(map(bool, found)) > 1:
            lines.append(line(name, *map(rate_and_waste, found)))
    return table(("strategy", *(f"N = {size}" for size in sizes)), lines)


def report(known, standard):
    """`known`: workload -> its raw results. `standard`: how many agents there are where their number is not varied."""
    lines = HEAD.splitlines()
    for name, one in known.items():
        used = total(one["cells"], "processor_seconds")
        lines += ["", f"{name}: commit {one['commit']}, {one['machine']}, `{one['command']}`; "
                  f"{len(one['cells'])} cells, {used:.0f} processor seconds."]
    assumed = next(iter(known.values()))["assumptions"]
    lines += ["", "Assumed, and not measured: " + ", ".join(f"{key} = {value}" for key, value in assumed.items()) + "."]
    every = [cell for one in known.values() for cell in one["cells"]]
    others = [cell for cell in every if "resumed" in cell]
    main = [cell for cell in every if cell["agents"] == standard and cell["kind"] == "adaptive"]
    lines += ["", f"## What it must show (N = {standard}, adaptive agents)", ""]
    lines += goals([cell for cell in main if cell not in others])
    if others:
        lines += ["What a resumed round costs decides the first two of these:", "", *over_costs(main)]
    lines += [*EXPLAINED.strip().splitlines(), ""]
    for name, one in known.items():
        usual = [cell for cell in one["cells"] if cell not in others]
        for kind in ("adaptive", "fixed"):
            cells = [cell for cell in usual if cell["kind"] == kind and cell["agents"] == standard]
            if cells:
                seeds = len({cell["seed"] for cell in cells})
                lines += [f"## {name}: {workloads.TITLES[name]}; {kind} agents, N = {standard}, {seeds} seeds", "",
                          *table(COLUMNS, rows(cells)), *causes(cells), *examples(cells)]
        varied = [cell for cell in usual if cell["kind"] == "adaptive"]
        if len({cell["agents"] for cell in varied}) > 1:
            lines += [f"## {name} over N: landed an hour / agent seconds thrown away per landing", ""]
            lines += over_agents(varied)
    return "\n".join(lines).rstrip() + "\n"
