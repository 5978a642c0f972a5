"""Virtual time: agents are generators, and one of them moves at a time.

An agent yields how many virtual seconds something takes, or a Wait for what must become true first. Between two
yields it does real work (runs a search, the tests, a landing), which takes no virtual time. Whoever is due first goes
on; of two that are due together the one that was due earlier in the order of its last step, so that a seed always
plays the same.
"""
import heapq


class Wait:
    """Until `ready()` is true. Those that wait are asked in the order in which they came, after each step."""

    def __init__(self, ready):
        self.ready = ready


class Scheduler:
    def __init__(self):
        self.now = 0.0
        self._due = []
        self._waiting = []
        self._steps = 0

    def start(self, agent, at=0.0):
        self._push(at, agent)

    def run(self):
        """Plays until everybody has ended. Who waits for what never comes is an error."""
        while self._due:
            self.now, _, agent = heapq.heappop(self._due)
            self._step(agent)
            self._wake()
        if self._waiting:
            raise RuntimeError(f"{len(self._waiting)} agents wait for ever")

    def _push(self, at, agent):
        self._steps += 1
        heapq.heappush(self._due, (at, self._steps, agent))

    def _step(self, agent):
        try:
            wanted = next(agent)
        except StopIteration:
            return
        if not isinstance(wanted, Wait):
            self._push(self.now + wanted, agent)
        elif wanted.ready():
            self._step(agent)
        else:
            self._waiting.append((wanted, agent))

    def _wake(self):
        """Lets the first that can go on do so, and asks again: it may have taken what the next one waits for."""
        found = next((one for one in self._waiting if one[0].ready()), None)
        while found:
            self._waiting.remove(found)
            self._step(found[1])
            found = next((one for one in self._waiting if one[0].ready()), None)
