"""The scenarios of this folder: small trees, and what two transactions do to them. A file is of the language that its
name begins with.

    = a sentence                  begins one
    expect lands | refused        what the certifier has to say at `semantic`, in both orders
    today lands | refused         what it says, where that is otherwise
    reads PATH ...                what b may have been shown; b, then, is refused where it lands second
    base PATH, a PATH, b PATH     a file of the base, and what each transaction does to it:
      text                        all of it, two blanks aside
    - text, + text                lines that are replaced, and what they become
"""
import dataclasses
import glob
import os

HERE = os.path.dirname(os.path.abspath(__file__))


@dataclasses.dataclass
class Scenario:
    language: str
    name: str
    expect: str = ""
    reads: list = dataclasses.field(default_factory=list)
    steps: list = dataclasses.field(default_factory=list)  # (side, path, lines)

    def tree(self, *sides):
        files = {}
        for side, path, lines in self.steps:
            if side == "base" or side in sides:
                files[path] = changed(files.get(path, ""), lines, f"{self.language}: {self.name}: {side} {path}")
        return files


def changed(text, lines, where):
    """`text` with the hunks of `lines`, or what they say it is."""
    if all(line.startswith("  ") for line in lines):
        return "".join(line[2:] + "\n" for line in lines)
    at = 0
    while at < len(lines):
        was, now = "", ""
        while at < len(lines) and lines[at].startswith("-"):
            was += lines[at][2:] + "\n"
            at += 1
        while at < len(lines) and lines[at].startswith("+"):
            now += lines[at][2:] + "\n" if len(lines[at]) > 1 else ""
            at += 1
        found = ("\n" + text).find("\n" + was)
        assert was and found >= 0, f"{where}: no such lines: {was!r}"
        text = text[:found] + now + text[found + len(was):]
    return text


def scenarios():
    found = []
    for path in sorted(glob.glob(os.path.join(HERE, "*.txt"))):
        language = os.path.basename(path)[:-4].split("-")[0]
        with open(path, encoding="utf-8") as file:
            for line in file.read().split("\n"):
                word, _, rest = line.partition(" ")
                if word == "=":
                    found.append(Scenario(language, rest))
                elif word == "expect":
                    found[-1].expect = rest
                elif word == "today":
                    pass
                elif word == "reads":
                    found[-1].reads = rest.split()
                elif word in ("base", "a", "b"):
                    found[-1].steps.append((word, rest, []))
                elif line:
                    found[-1].steps[-1][2].append(line)
    return found
