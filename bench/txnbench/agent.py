#!/usr/bin/env python3
"""A scripted agent in a transaction: it speaks to git-txn's hooks as Claude Code does, and does one task.

  claude [--plugin-dir DIR]... -p REQUEST                 REQUEST is JSON: task, port
  claude [--plugin-dir DIR]... -p --resume CONVERSATION   goes on; what it is told is on its standard input

It lists, searches and reads by tool calls, so that git-txn sees who was shown what. Between its steps it waits for the
harness, which lets agents go on in the order of virtual time: it says {"at": ...} and reads a line. After a refusal
it is resumed in the same worktree, into which the head was merged; of files that it has changed itself it looks at the
head's (`git show HEAD:path`).
"""
import hashlib
import json
import os
import pathlib
import socket
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import tasks  # noqa: E402
import trees  # noqa: E402
import workspace  # noqa: E402


class Session:
    """What the agent tells its hooks, and its session file."""

    def __init__(self, plugins, name, number):
        self.name, self.round, self.calls, self.told = name, number, 0, []
        self.here = os.getcwd()
        folder = "".join(letter if letter.isalnum() else "-" for letter in self.here)
        self.file = pathlib.Path(os.environ["HOME"], ".claude/projects", folder, name + ".jsonl")
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.hooks = {}
        for plugin in plugins:
            for event, groups in json.loads(pathlib.Path(plugin, "hooks/hooks.json").read_text())["hooks"].items():
                self.hooks.setdefault(event, []).extend(hook["command"] for group in groups for hook in group["hooks"])

    def event(self, name, **fields):
        said = json.dumps({"session_id": self.name, "transcript_path": str(self.file), "cwd": self.here,
                           "hook_event_name": name, **fields})
        for command in self.hooks.get(name, ()):
            done = subprocess.run(["sh", "-c", command], input=said, capture_output=True, text=True, check=False)
            if done.stdout.startswith("{"):
                answer = json.loads(done.stdout).get("hookSpecificOutput", {})
                self.told += [answer["additionalContext"]] if "additionalContext" in answer else []

    def call(self, tool, given, act):
        """A tool call: `act` does it and returns (answer, fields of the event, whether it worked)."""
        self.calls += 1
        call = {"tool_name": tool, "tool_input": given, "tool_use_id": f"toolu_{self.round}_{self.calls}"}
        self.event("PreToolUse", **call)
        answer, fields, worked = act()
        used = {"type": "tool_use", "id": call["tool_use_id"], "name": tool, "input": given}
        message = {"id": f"msg_{self.round}_{self.calls}", "role": "assistant", "model": "scripted", "content": [used],
                   "usage": {"input_tokens": 0, "output_tokens": 0}}
        line = {"type": "assistant", "sessionId": self.name, "cwd": self.here, "message": message}
        with self.file.open("a") as file:
            file.write(json.dumps(line) + "\n")
        self.event("PostToolUse" if worked else "PostToolUseFailure", **call, **fields)
        return answer

    def bash(self, command):
        def act():
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                                  check=False)
            return done, {"tool_response": {"stdout": done.stdout, "stderr": done.stderr}}, True
        return self.call("Bash", {"command": command}, act)


class Worktree:
    """The workspace of a first round."""

    def __init__(self, session):
        self.session = session

    def path(self, path):
        return os.path.join(self.session.here, path)

    def ls(self, *directories):
        names = set()
        for directory in directories:
            names |= set(self.session.bash(f"ls -A {directory}").stdout.splitlines())
        return sorted(names - {"__pycache__"})

    def grep(self, word, *directories):
        done = self.session.bash(f"grep -rnw --include='*.py' '{word}' {' '.join(directories)}")
        return sorted((path, line) for path, _, line in (one.split(":", 2) for one in done.stdout.splitlines()))

    def read(self, path):
        def act():
            try:
                text = pathlib.Path(self.path(path)).read_text(encoding="utf-8")
            except FileNotFoundError:
                return None, {"error": "File does not exist."}, False
            lines = text.count("\n")
            file = {"filePath": self.path(path), "content": text, "numLines": lines, "startLine": 1,
                    "totalLines": lines}
            return text, {"tool_response": {"type": "text", "file": file}}, True
        return self.session.call("Read", {"file_path": self.path(path)}, act)

    def write(self, path, text):
        file = pathlib.Path(self.path(path))
        if text is None:
            self.session.bash(f"rm -f {path}")
            return

        def edit():
            before = file.read_text(encoding="utf-8")
            file.write_text(text, encoding="utf-8")
            return None, {"tool_response": {"filePath": str(file), "originalFile": before}}, True

        def create():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            return None, {"tool_response": {"type": "create", "filePath": str(file)}}, True

        if file.exists():
            old, new = differing_lines(file.read_text(encoding="utf-8"), text)
            self.session.call("Edit", {"file_path": str(file), "old_string": old, "new_string": new}, edit)
        else:
            self.session.call("Write", {"file_path": str(file), "content": text}, create)

    def suite(self):
        return self.session.bash(" ".join(trees.SUITE_COMMAND)).returncode == 0


class Merged(Worktree):
    """The workspace of a resumed round: the worktree with the head merged in, as if its own change were not there."""

    def __init__(self, session):
        super().__init__(session)
        lines = session.bash("git status --porcelain --untracked-files=all").stdout.splitlines()
        self.own = {line[3:] for line in lines}
        self.added = {line[3:] for line in lines if line[:2].strip() in ("A", "??")}

    def ls(self, *directories):
        added = {os.path.basename(path) for path in self.added if os.path.dirname(path) in directories}
        return sorted(set(super().ls(*directories)) - added)

    def grep(self, word, *directories):
        hits = [hit for hit in super().grep(word, *directories) if hit[0] not in self.own]
        for path in sorted(self.own - self.added):
            if path.startswith(tuple(directory + "/" for directory in directories)):
                hits += [(path, line) for line in workspace.lines_with(word, self.read(path) or "")]
        return sorted(hits)

    def read(self, path):
        if path not in self.own:
            return super().read(path)
        done = self.session.bash(f"git show HEAD:{path}")
        return done.stdout if done.returncode == 0 else None


def differing_lines(old, new):
    """The part of two texts that differs, in whole lines: what an edit names."""
    a, b = old.splitlines(True), new.splitlines(True)
    start = equal_lines(a, b)
    end = equal_lines(a[start:][::-1], b[start:][::-1])
    return "".join(a[start:len(a) - end]), "".join(b[start:len(b) - end])


def equal_lines(a, b):
    """How many lines are equal at the beginning."""
    return next((n for n, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


class Harness:
    def __init__(self, port):
        # A connection as to a model's server: a socket in the file system would be a daemon, who may know anything.
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.lines = self.socket.makefile("rw")

    def at(self, step, **more):
        self.lines.write(json.dumps({"at": step, **more}) + "\n")
        self.lines.flush()
        if not self.lines.readline():
            sys.exit(3)  # the harness has gone


def first_round(task, session, harness):
    """Returns whether the change may land."""
    tree = Worktree(session)
    before = tree.suite()
    edits = task.plan(tree)
    harness.at("looked")
    for path, text in edits.items():
        tree.write(path, text)
    harness.at("edited")
    return tree.suite() or not before


def resumed_round(task, session, harness):
    """It decides again, and writes what its worktree has otherwise. A fixed agent keeps what there is."""
    tree = Merged(session)
    kept, edits = True, {}
    if not isinstance(task, tasks.Fixed):
        edits = task.plan(tree)
    harness.at("looked")
    # What it wrote before and does not any more is the head's again.
    for path in sorted(tree.own | set(edits)) if not isinstance(task, tasks.Fixed) else ():
        wanted = edits[path] if path in edits else tree.read(path)
        file = pathlib.Path(tree.path(path))
        if wanted != (file.read_text(encoding="utf-8") if file.exists() else None):
            tree.write(path, wanted)
            kept = False
    harness.at("edited", kept=kept)
    return tree.suite()


def parsed(words):
    """(plug-in folders, prompt, conversation to be resumed)."""
    plugins, prompt, conversation = [], "", ""
    while words:
        option = words.pop(0)
        if option == "--plugin-dir":
            plugins.append(words.pop(0))
        elif option == "--resume":
            conversation = words.pop(0)
        elif option == "-p" and words and not words[0].startswith("-"):
            prompt = words.pop(0)
        elif option == "--allowedTools":
            while words and not words[0].startswith("-"):
                words.pop(0)
    return plugins, prompt, conversation


def conversation_of(prompt, name):
    """(name, request, round) of a new conversation, or of the one that is resumed, whose request was kept."""
    place = pathlib.Path(os.environ["HOME"], "asked")
    place.mkdir(exist_ok=True)
    if not name:
        request = json.loads(prompt)
        seed = hashlib.sha256(f"{request['task']}/{len(list(place.iterdir()))}".encode()).hexdigest()
        name = f"{seed[:8]}-{seed[8:12]}-4{seed[13:16]}-8{seed[17:20]}-{seed[20:32]}"
        kept = {"request": request, "round": 0}
    else:
        kept = json.loads((place / name).read_text())
    kept["round"] += 1
    (place / name).write_text(json.dumps(kept))
    return name, kept["request"], kept["round"]


def main():
    plugins, prompt, resumes = parsed(sys.argv[1:])
    told = sys.stdin.read() if resumes else prompt
    name, request, number = conversation_of(prompt, resumes)
    harness = Harness(request["port"])
    harness.at("started", resumed=bool(resumes), conversation=name)
    session = Session(plugins, name, number)
    session.event("SessionStart", source="resume" if resumes else "startup")
    session.event("UserPromptSubmit", prompt=told)
    task = tasks.from_json(json.dumps(request["task"]))
    try:
        passed = (resumed_round if resumes else first_round)(task, session, harness)
    except tasks.GiveUp:
        passed = False
    session.event("Stop", stop_hook_active=False, last_assistant_message="done")
    session.event("SessionEnd", reason="other")
    harness.at("ends", passed=passed, told=len(session.told))
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
