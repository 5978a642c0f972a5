"""The contract of --json: what the program printed is of the schemas that it names.

  outputs.py [--complete] [--table FILE] [--schemas FOLDER] RECORDS

RECORDS is what e2e_record of lib.sh writes. The table is `git-txn version --cli --json`; the schemas are
share/schemas/output. With --complete also: every command says what it prints, every schema that is named
is there and is named, closed, and was seen, each output of the table at least once.
"""
import argparse
import collections
import json
import os
import subprocess
import sys

from jsonschema import Draft202012Validator

# Of these, the inside is somebody else's: payloads of events have schemas of their own, and the rows of the
# state are those of the store's schema.
OPEN = {"urn:git-txn:output:event:1": {"data"}, "urn:git-txn:output:state:1": {""}}

problems = []


def problem(text):
    problems.append(text)
    print("WRONG:", text)


def options(flags):
    """By every name of an option: whether a value follows."""
    found = {}
    for flag in flags:
        for name in (flag["name"], flag["letter"]):
            if name:
                found[name] = flag["value"] != "none"
    return found


def split(argv, commands, common):
    """The command, its operands, its flags, and whether there is a command behind --."""
    before = argv[: argv.index("--")] if "--" in argv else argv
    known, command, operands, flags = options(common), None, [], set()
    words = iter(before)
    for word in words:
        if word.startswith("-") and len(word) > 1:
            name = word.split("=")[0]
            flags.add(name)
            if known.get(name) and "=" not in word:
                next(words, None)
        elif command is None:
            command = commands.get(word)
            if command is None:
                return None
            known.update(options(command["flags"]))
        else:
            operands.append(word)
    if command is None:
        return None
    return command, operands, flags, "--" in argv


def matches(on, operands, flags, has_command):
    at = 0
    for word in on:
        if word == "--":
            if not has_command:
                return False
        elif word.startswith("--"):
            if word not in flags:
                return False
        else:
            if at >= len(operands) or operands[at] != word:
                return False
            at += 1
    return True


def output_of(command, operands, flags, has_command):
    fitting = [o for o in command["outputs"] if matches(o["on"], operands, flags, has_command)]
    return max(fitting, key=lambda o: len(o["on"]), default=None)


def records(path):
    with open(path, "rb") as file:
        parts = iter(file.read().decode("utf-8", "surrogateescape").split("\0"))
    for count in parts:
        if not count:
            return
        yield [next(parts) for _ in range(int(count))], int(next(parts)), next(parts)


def check_closed(schema, where, open_at):
    """Every object says what may be in it."""
    if isinstance(schema, list):
        for item in schema:
            check_closed(item, where, open_at)
    elif isinstance(schema, dict):
        if schema.get("type") == "object" and where not in open_at:
            if schema.get("additionalProperties") is not False:
                problem(f"{schema.get('$id', where)} is not closed")
        for name, value in schema.items():
            if name == "properties":
                for key, inner in value.items():
                    if inner == {} and key not in open_at:
                        problem(f"{where}: {key} may be anything")
                    check_closed(inner, key, open_at)
            elif where not in open_at or name != "additionalProperties":
                check_closed(value, where, open_at)


class Contract:
    def __init__(self, table, folder):
        self.commands = {command["name"]: command for command in table["commands"]}
        self.common, self.errors = table["flags"], table["errors"]
        self.validators, self.schemas = {}, {}
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                schema = json.load(file)
            if schema["$id"] != "urn:git-txn:output:" + name[: -len(".json")].replace(".v", ":"):
                problem(f"{name} is called {schema['$id']}")
            self.schemas[schema["$id"]] = schema
            self.validators[schema["$id"]] = Draft202012Validator(schema)
        self.seen = collections.Counter()
        self.judged = 0

    def why_not(self, uri, line):
        if uri not in self.validators:
            return f"there is no schema {uri}"
        for error in self.validators[uri].iter_errors(line):
            best = error
            while best.context:
                best = max(best.context, key=lambda e: len(e.absolute_path))
            return f"{uri}: {'/'.join(map(str, best.absolute_path))}: {best.message[:300]}"
        return None

    def judge(self, argv, status, text):
        told = f"git txn {' '.join(argv)} (exit {status})"
        if status > 127 or {"help", "--help", "-h"} & set(argv):
            return  # killed; or not JSON
        found = split(argv, self.commands, self.common)
        output = output_of(*found) if found else None
        if found and output is None:
            problem(f"{told}: the table does not say what it prints")
            return
        if found and output["schema"] is None:
            return
        self.judged += 1
        lines = text.splitlines()
        good = 0
        for number, line in enumerate(lines):
            try:
                value = json.loads(line)
            except ValueError:
                problem(f"{told}: no JSON: {line[:200]}")
                return
            why = self.why_not(output["schema"], value) if found else "it is no command"
            if why is None:
                good += 1
                continue
            last = number + 1 == len(lines)
            if status != 0 and last and self.why_not(self.errors, value) is None:
                self.seen[self.errors] += 1
            else:
                problem(f"{told}: {why}: {line[:400]}")
                return
        if found and not output["lines"] and len(lines) != 1:
            problem(f"{told}: {len(lines)} lines, not one")
        elif status in (2, 3) and not lines:
            problem(f"{told}: it failed and printed no error")
        if good:
            self.seen[(found[0]["name"], tuple(output["on"]))] += good

    def check_complete(self):
        named = {self.errors}
        for name, command in self.commands.items():
            if not command["outputs"]:
                problem(f"git txn {name} has --json, and the table does not say what it prints")
            for output in command["outputs"]:
                if output["schema"] is None:
                    continue
                named.add(output["schema"])
                if not self.seen[(name, tuple(output["on"]))]:
                    problem(f"git txn {' '.join([name] + output['on'])} --json was never seen")
        for uri in named - set(self.schemas):
            problem(f"there is no schema {uri}")
        for uri in set(self.schemas) - named:
            problem(f"no command prints {uri}")
        if not self.seen[self.errors]:
            problem("no error was seen")
        for uri, schema in self.schemas.items():
            Draft202012Validator.check_schema(schema)
            check_closed(schema, "", OPEN.get(uri, set()))


def main():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser = argparse.ArgumentParser()
    parser.add_argument("--complete", action="store_true")
    parser.add_argument("--table")
    parser.add_argument("--schemas", default=os.path.join(root, "share", "schemas", "output"))
    parser.add_argument("records")
    asked = parser.parse_args()
    if asked.table:
        with open(asked.table, encoding="utf-8") as file:
            table = json.load(file)
    else:
        program = os.environ.get("GIT_TXN_PROGRAM", os.path.join(root, "build", "release", "git-txn"))
        table = json.loads(subprocess.run([program, "version", "--cli", "--json"], check=True,
                                          stdout=subprocess.PIPE).stdout)
    contract = Contract(table, asked.schemas)
    for record in records(asked.records):
        contract.judge(*record)
    if asked.complete:
        contract.check_complete()
    print(f"{contract.judged} outputs judged, {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()
