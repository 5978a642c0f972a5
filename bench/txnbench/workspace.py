"""What an agent can do to a tree: list, search, read, write, run the tests.

Memory is for the serial reference and for strategies that are played in memory. The real one is in `agent.py`; both
give the same answers, in the same order.
"""
import re


def lines_with(word, text):
    pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    return [line for line in text.splitlines() if pattern.search(line)]


class Memory:
    def __init__(self, tree, suite):
        self.tree = dict(tree)
        self._suite = suite

    def ls(self, *directories):
        """Names in each directory, sorted; of one that is missing none."""
        names = set()
        for directory in directories:
            prefix = directory + "/"
            names |= {path[len(prefix):].split("/")[0] for path in self.tree if path.startswith(prefix)}
        return sorted(names)

    def grep(self, word, *directories):
        """(path, line) of every line of a source that has the word, sorted."""
        return sorted((path, line) for path, text in self.tree.items()
                      if path.endswith(".py") and path.startswith(tuple(directory + "/" for directory in directories))
                      for line in lines_with(word, text))

    def read(self, path):
        """Its text, or None."""
        return self.tree.get(path)

    def write(self, path, text):
        if text is None:
            self.tree.pop(path, None)
        else:
            self.tree[path] = text

    def suite(self):
        return self._suite.passes(self.tree)
