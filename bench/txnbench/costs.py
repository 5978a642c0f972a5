"""What everything costs in virtual time: the one table of assumptions of this benchmark.

The figures are of the order that sessions of coding agents have (a small task of some minutes, a quarter of it looking
around and writing) and are the same for every strategy, so that what differs between two columns does not come from
here.

RESUMED decides what repair is worth. In sessions of Claude Code and Codex that were recorded with a scripted model
(tests/agents/rounds.sh, bytes.py), what a round sends that was not sent before, with all that is answered, is 1 to 5 %
of the first run's. How long a real model thinks about it is in no such session. So the share that those tests allow at
most is taken, and `--resumed` plays others, which the report shows beside it.
"""

LOOK = 45.0  # seconds to list, search and read
EDIT = 30.0  # seconds to write the change down
SUITE = 20.0  # seconds of one run of the tests of a real project; ours takes a fifth of a second
LAND = 2.0  # seconds of a landing, a merge or a commit, whatever does it
POLL = 10.0  # seconds between two looks whether another one has landed that goes first
THINK_MEDIAN = 180.0  # seconds; a log-normal distribution
THINK_SPREAD = 0.5
RESUMED = 0.3  # a resumed round costs this share of looking, thinking and editing
TOKENS_PER_SECOND = 60.0  # of looking, thinking and editing; running the tests takes none

# Limits of telling an agent to go on, and of running it again from nothing. git-txn's own defaults.
REPAIRS = 3
RETRIES = 2


def thinking(random):
    return round(random.lognormvariate(0, THINK_SPREAD) * THINK_MEDIAN, 1)


def assumptions():
    return {name: value for name, value in globals().items() if name.isupper()}
