"""What the agent looks at: a name, a command of a shell whose output it keeps, and the programs that this needs. A kind
that was added is never removed.

`excused` names the exceptions of `semantic` (../../docs/enforces.md) that may let the look land with another answer.
"""
import dataclasses

PYTHON = "/usr/bin/python3"


@dataclasses.dataclass
class Look:
    name: str
    command: str
    needs: tuple = ()
    excused: tuple = ()


def look(name, command, *needs, excused=()):
    return Look(name, command, needs, tuple(excused))


LOOKS = [
    # Files and ranges.
    look("cat", "cat lib/text.py"),
    look("cat of a document", "cat README.md"),
    look("cat through a link", "cat link"),
    look("head", "head -n 3 README.md"),
    look("sed -n of a range", "sed -n 10,12p long.txt"),
    look("tail", "tail -n 5 long.txt"),
    look("wc", "wc -l long.txt"),
    look("cksum", "cksum lib/text.py"),
    look("a pipeline", "cat docs/*.md list.txt | sort | uniq -c"),
    look("jq of a key", "jq .x conf.json", "jq"),
    look("jq of all", "jq -S . conf.json", "jq"),
    look("diff of two files", "diff docs/1.md docs/2.md || true"),
    look("test -x", "test -x list.txt && echo yes || echo no"),
    # Searches.
    look("grep -rn, a literal", "grep -rn needle lib docs || true"),
    look("grep -rlE, over .", "grep -rlE 'nee.le' --exclude-dir=.git . | sort"),
    look("grep -c in a file", "grep -c def lib/text.py"),
    look("rg, a literal", "rg -n --sort path needle lib", "rg"),
    look("rg, a regular expression", "rg -n --sort path -e 'def [a-z]+' ", "rg"),
    look("ugrep", "ugrep -rn --sort needle lib", "ugrep"),
    look("git grep, a literal", "git grep -n needle"),
    look("git grep -E", "git grep -nE 'nee.le' -- '*.py'"),
    look("grep of what find finds", "find lib -name '*.py' | sort | xargs grep -l needle"),
    look("how many match", "grep -rl needle lib | wc -l"),
    # Listings.
    look("ls of the top", "ls"),
    look("ls of a folder", "ls docs"),
    look("find by name", "find . -name '*.md' -not -path './.git/*' | sort"),
    look("find, files of a folder", "find lib -type f -not -name '*.pyc' | sort"),
    look("a glob", "for f in docs/*.md; do echo $f; done"),
    look("glob of Python", f"{PYTHON} -c 'import glob; print(sorted(glob.glob(\"docs/*.md\")))'"),
    look("test -e of what is there", "test -e docs/2.md && echo yes || echo no"),
    look("test -e of what is not there", "test -e NEWS && echo yes || echo no"),
    look("the next number", "i=1; while ls migrations | grep -q \"^000$i\"; do i=$((i + 1)); done; echo $i"),
    # Git.
    look("git ls-files", "git ls-files"),
    look("git ls-files | wc -l", "git ls-files | wc -l"),
    look("git status", "git status --short"),
    look("git diff HEAD", "git diff HEAD --stat"),
    look("git show HEAD:file", "git show HEAD:list.txt"),
    look("git ls-tree", "git ls-tree --name-only HEAD docs/"),
    look("git log -1", "git log -1 --format=%s", excused=("history",)),
    look("git log of a path", "git log --format=%s -- lib/text.py", excused=("history",)),
    look("git rev-parse HEAD", "git rev-parse HEAD", excused=("history",)),
    # Builds.
    look("cc -c", "mkdir -p build; cc -c c/util.c -o build/util.o && nm build/util.o"),
    look("cc -MM", "cc -MM c/main.c"),
    look("make", "make -s -C c && build/main; echo $?"),
    look("make -n", "make -n -C c"),
    look("tsc", "tsc -p ts; echo $?", "tsc"),
    look("go list", "cd go && go list ./... ; cd ..", "go"),
    # Runners of tests.
    look("pytest, whole", f"{PYTHON} -m pytest -q -p no:cacheprovider >/dev/null 2>&1; echo $?", "pytest"),
    look("pytest, a file", f"{PYTHON} -m pytest -q -p no:cacheprovider tests/test_text.py >/dev/null 2>&1; echo $?", "pytest"),
    look("pytest, how many", f"{PYTHON} -m pytest -q -p no:cacheprovider 2>&1 | grep -oE '[0-9]+ (passed|failed)'", "pytest"),
    look("unittest", f"{PYTHON} -m unittest -q >/dev/null 2>&1; echo $?"),
    look("unittest, a module", f"{PYTHON} -m unittest -q tests.test_text >/dev/null 2>&1; echo $?"),
    look("node --test", "cd js && node --test >/dev/null 2>&1; echo $?; cd ..", "node"),
    look("npm test", "cd js && npm test --silent >/dev/null 2>&1; echo $?; cd ..", "npm"),
    look("go test", "cd go && go test ./... >/dev/null 2>&1; echo $?; cd ..", "go"),
    look("make check", "make -s -C c check; echo $?"),
    # Editors, which read what they change.
    look("sed -i", "sed -i 's/return None/return 0/' lib/unused.py; echo done"),
    look("sed -i of a module", "sed -i 's/text.lower()/text.casefold()/' lib/text.py; echo done", excused=("merge",)),
    look("ed", "printf '2s/two/2/\\nw\\nq\\n' | ed -s list.txt; echo done", "ed"),
    look("a formatter", f"{PYTHON} -c 'import json; p = \"conf.json\"; d = json.load(open(p)); d[\"z\"] = 1; "
                        "json.dump(d, open(p, \"w\"), indent=2)'; echo done"),
    look("git apply", "printf 'diff --git a/docs/1.md b/docs/1.md\\n--- a/docs/1.md\\n+++ b/docs/1.md\\n@@ -1 +1 @@\\n-first\\n+1st\\n' "
                      ">build.tmp; git apply build.tmp && rm build.tmp; echo $?"),
    # Tools of agents: what a tool served is declared.
    look("a declared range", "git txn read long.txt:10-12 >/dev/null; sed -n 10,12p long.txt >/dev/null; echo done"),
]

# How the answer gets into what lands.
WAYS = {
    "new": "{{ {look}; }} >seen.txt 2>&1 || true",
    "tmp": 't=$(mktemp); {{ {look}; }} >"$t" 2>&1; cat "$t" >seen.txt; rm -f "$t"',
    "ignored": "mkdir -p build; {{ {look}; }} >build/seen 2>&1; cat build/seen >seen.txt",
}
