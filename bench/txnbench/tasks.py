"""What the scripted agents do: small programs that look at a tree and say what they write.

`plan(ws)` is an adaptive agent: it decides everything by what it sees there, so the serial reference is the same
program on another tree. A fixed agent looks in the same way and then writes one patch, which was made on the first
tree of the repository; where that does not apply it gives up. Every task brings a test of its own, which belongs to
the suite from its landing on.
"""
import dataclasses
import json
import re

import trees


class GiveUp(Exception):
    """The agent cannot do its task on this tree."""


KINDS = {}


def task(cls):
    cls = dataclasses.dataclass(frozen=True)(cls)
    KINDS[cls.__name__] = cls
    return cls


def to_json(one):
    return json.dumps({"kind": type(one).__name__, **dataclasses.asdict(one)})


def from_json(text):
    fields = json.loads(text)
    return KINDS[fields.pop("kind")](**fields)


def needed(ws, path):
    text = ws.read(path)
    if text is None:
        raise GiveUp(f"{path} is not there")
    return text


def word(old, new, text):
    return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", new, text)


def unit_test(name, imports, *lines):
    title = "".join(part.title() for part in name.split("_"))
    body = "".join(f"        {line}\n" for line in lines)
    return f"import unittest\n\n{imports}\n\n\nclass {title}(unittest.TestCase):\n    def test_it(self):\n{body}"


def type_name(text):
    found = re.search(r"^class (\w+)", text, re.M)
    if not found:
        raise GiveUp("there is no type")
    return found[1]


# ---- W1 and W5: a public type is renamed ---------------------------------------------------------------------------
@task
class Rename:
    """Renames a type wherever its name stands."""
    old: str
    new: str
    directories: list

    def plan(self, ws):
        ws.ls(*self.directories)
        hits = ws.grep(self.old, *self.directories)
        return {path: word(self.old, self.new, needed(ws, path)) for path in sorted({path for path, _ in hits})}


@task
class Consumer:
    """Adds a module that uses the type, under the name that it has; and half of the time a function to a module that is
    there. Half of them search for where the type is, the others for how it is used."""
    name: str
    home: str
    types: str
    beside: str
    edits_beside: bool
    sees_uses: bool

    def plan(self, ws):
        ws.ls(self.home, "tests")
        ws.grep("UserId" if self.sees_uses else "class UserId", self.home)
        kind = type_name(needed(ws, self.types))
        beside = needed(ws, self.beside)
        module = self.types[:-3].replace("/", ".")
        path = f"{self.home}/{self.name}.py"
        code = (f'"""{self.name}."""\nfrom {module} import {kind}\n\n\ndef {self.name}(value):\n'
                f"    return {kind}(value + 1).text()\n")
        edits = {path: code}
        lines = [f'self.assertEqual({self.name}(1), "id-2")']
        imports = (f"from {self.home} import {self.beside.split('/')[-1][:-3]} as beside\n"
                   f"from {self.home}.{self.name} import {self.name}")
        if self.edits_beside:
            edits[self.beside] = beside + f"\n\ndef of_{self.name}(value):\n    return {kind}(value).text() + '+'\n"
            lines.append(f'self.assertEqual(beside.of_{self.name}(1), "id-1+")')
        else:
            lines.append("self.assertTrue(beside)")
        edits[f"tests/test_{self.name}.py"] = unit_test(self.name, imports, *lines)
        return edits


# ---- W3: a framework's functions get a parameter, with an adapter for who does not give it ---------------------------
def is_new(framework, function):
    return f"def {function}_v1(" in framework


def call(framework, function, words, extra):
    """A call on the interface that the framework has: the new one takes `extra` as well."""
    given = f"{words}, {extra}" if is_new(framework, function) else words
    return f"framework.{function}({given})"


@task
class Upgrade:
    """A function takes one parameter more; those who call it get the adapter that has the old signature."""
    function: str
    words: str
    parameter: str

    def plan(self, ws):
        ws.ls("app", "tests")
        text = needed(ws, "app/framework.py")
        if is_new(text, self.function):
            raise GiveUp("it is upgraded")
        old = f"def {self.function}({self.words}):\n"
        start = text.index(old)
        end = text.find("\n\n\n", start)
        end = len(text) - 1 if end < 0 else end
        adapter = f"\n\n\ndef {self.function}_v1({self.words}):\n    return {self.function}({self.words}, None)"
        new = text[start:end].replace(old, f"def {self.function}({self.words}, {self.parameter}):\n")
        edits = {"app/framework.py": text[:start] + new + adapter + text[end:]}
        for path in sorted({path for path, _ in ws.grep(self.function, "app", "tests")} - {"app/framework.py"}):
            edits[path] = needed(ws, path).replace(f"framework.{self.function}(", f"framework.{self.function}_v1(")
        return edits


@task
class Migrate:
    """Brings one module to the new interface, where there is one, and adds a function to it."""
    name: str
    module: str

    def plan(self, ws):
        ws.ls("tests")
        ws.grep(f"show_{self.module}", "app", "tests")
        framework = needed(ws, "app/framework.py")
        path = f"app/{self.module}.py"
        text = needed(ws, path)
        for function in ("render", "store"):
            text = re.sub(rf"framework\.{function}_v1\((.*)\)", rf'framework.{function}(\1, "{self.module}")', text)
        text += f'\n\ndef {self.name}():\n    return {call(framework, "render", repr(self.name), repr(self.module))}\n'
        test = unit_test(self.name, f"from app import {self.module}",
                         f'self.assertEqual({self.module}.{self.name}(), "<{self.name}>")')
        return {path: text, f"tests/test_{self.name}.py": test}


@task
class Feature:
    """A module that calls both functions, on the interface that it finds."""
    name: str
    manner: str

    def plan(self, ws):
        ws.ls("app", "tests")
        ws.grep("def render", "app")
        framework = needed(ws, "app/framework.py")
        needed(ws, f"app/{self.manner}.py")
        shown = call(framework, "render", repr(self.name), repr("page"))
        stored = call(framework, "store", f"{self.name!r}, 1", "60")
        code = f'"""{self.name}."""\nfrom app import framework\n\n\ndef {self.name}():\n    return {shown}, {stored}\n'
        test = unit_test(self.name, f"from app.{self.name} import {self.name}",
                         f'self.assertEqual({self.name}()[0], "<{self.name}>")', f"self.assertTrue({self.name}()[1])")
        return {f"app/{self.name}.py": code, f"tests/test_{self.name}.py": test}


# ---- W5: middleware and translated strings beside the renamed type -------------------------------------------------
@task
class Middleware:
    """A module, its name at the end of the registry, and its limit in the configuration."""
    name: str
    limit: int

    def plan(self, ws):
        ws.ls("gateway", "tests")
        ws.grep("MIDDLEWARE", "gateway")
        context = type_name(needed(ws, "gateway/context.py"))
        registry, config = needed(ws, "gateway/registry.py"), json.loads(needed(ws, "config.json"))
        config["limits"][self.name] = self.limit
        code = (f'"""{self.name}."""\nfrom gateway.context import {context}\n\n\ndef handle(context: {context}):\n'
                f'    context.passed("{self.name}")\n    return context\n')
        test = unit_test(self.name, f"from gateway import registry, {self.name}\nfrom gateway.context import {context}",
                         f'self.assertIn("{self.name}", registry.MIDDLEWARE)',
                         f'self.assertEqual({self.name}.handle({context}(1)).seen, ["{self.name}"])')
        return {f"gateway/{self.name}.py": code, "config.json": json.dumps(config, indent=2) + "\n",
                "gateway/registry.py": registry.replace("\n]", f'\n    "{self.name}",\n]'),
                f"tests/test_{self.name}.py": test}


@task
class Translate:
    """Moves the strings of one page to the table of strings, which is sorted."""
    page: str

    def plan(self, ws):
        ws.ls("web")
        ws.grep("def said", "web")
        text, strings = needed(ws, f"web/{self.page}.py"), json.loads(needed(ws, "web/strings.json"))
        for key, literal in re.findall(r"(\w+) = \"([^\"]+)\"", text):
            strings[f"{self.page}.{key}"] = literal
            text = text.replace(f'{key} = "{literal}"', f"{key} = said(\"{self.page}.{key}\")")
        text = text.replace('"""\n', '"""\nfrom web.table import said\n', 1)
        test = unit_test(f"say_{self.page}", f"from web import {self.page}", f'self.assertTrue({self.page}.title)')
        return {f"web/{self.page}.py": text, "web/strings.json": json.dumps(strings, indent=2, sort_keys=True) + "\n",
                f"tests/test_say_{self.page}.py": test}


# ---- W8: hot spots -------------------------------------------------------------------------------------------------
def base_of(text, module):
    found = re.search(rf"^{module.upper()}_BASE = (\d+)$", text, re.M)
    if not found:
        raise GiveUp(f"{module} has no base")
    return int(found[1])


@task
class Body:
    """One step more in a function that is there, after a search for those who call it."""
    name: str
    module: str
    function: str
    number: int

    def plan(self, ws):
        path = f"app/{self.module}.py"
        ws.ls("app")
        ws.grep(self.function, "app")
        text = needed(ws, path)
        start = text.index(f"def {self.function}(")
        end = text.index("    return y\n", start)
        test = unit_test(self.name, f"from app.{self.module} import {self.function}",
                         f"self.assertIsInstance({self.function}(1), int)")
        step = f"    y = y * 3 + {self.number}  # {self.name}\n"
        return {path: text[:end] + step + text[end:], f"tests/test_{self.name}.py": test}


@task
class Add:
    """A function at the end of a module, which calls one of another module."""
    name: str
    module: str
    other: str
    function: str

    def plan(self, ws):
        ws.ls("app", "tests")
        ws.grep(f"def {self.function}", "app")
        path = f"app/{self.module}.py"
        text = needed(ws, path)
        if f"def {self.function}(" not in needed(ws, f"app/{self.other}.py"):
            raise GiveUp("there is nothing to call")
        text += (f"\n\ndef {self.name}(x):\n    from app.{self.other} import {self.function}\n"
                 f"    return {self.function}(x) + 1\n")
        test = unit_test(self.name, f"from app import {self.module}, {self.other}",
                         f"self.assertEqual({self.module}.{self.name}(2), {self.other}.{self.function}(2) + 1)")
        return {path: text, f"tests/test_{self.name}.py": test}


@task
class Derive:
    """A constant that is made of another module's: the one that must not go stale."""
    name: str
    module: str
    other: str

    def plan(self, ws):
        path = f"app/{self.module}.py"
        mark = f"{self.other.upper()}_BASE"
        ws.ls("app")
        ws.grep(f"{mark} =", "app")
        text = needed(ws, path)
        twice = 2 * base_of(text if self.other == self.module else needed(ws, f"app/{self.other}.py"), self.other)
        text += f"\n{self.name.upper()} = {twice}  # twice {mark}\n"
        test = unit_test(self.name, f"from app import {self.module}, {self.other}",
                         f"self.assertEqual({self.module}.{self.name.upper()}, 2 * {self.other}.{mark})")
        return {path: text, f"tests/test_{self.name}.py": test}


@task
class Base:
    """Another value of a module's constant, and of all that were made of it."""
    name: str
    module: str

    def plan(self, ws):
        mark, path = f"{self.module.upper()}_BASE", f"app/{self.module}.py"
        ws.ls("app")
        value = base_of(needed(ws, path), self.module)
        edits = {}
        for found in sorted({hit for hit, _ in ws.grep(mark, "app")} | {path}):
            text = needed(ws, found).replace(f"= {2 * value}  # twice {mark}", f"= {2 * (value + 1)}  # twice {mark}")
            edits[found] = text.replace(f"\n{mark} = {value}\n", f"\n{mark} = {value + 1}\n")
        return edits


# ---- fixed agents --------------------------------------------------------------------------------------------------
@task
class Fixed:
    """Looks as the other one does, and writes a patch that was made before."""
    inner: str
    patch: dict  # path -> [text before, text after]; None where there is no file

    def plan(self, ws):
        try:
            from_json(self.inner).plan(ws)
        except GiveUp:
            pass  # it looked as far as that, and goes by its patch
        edits = {}
        for path, (before, after) in self.patch.items():
            now = ws.read(path)
            if now == before:
                edits[path] = after
            elif None in (now, before, after):
                raise GiveUp(f"{path} is not what the patch is for")
            else:
                edits[path] = trees.Git().merge_file(before, after, now)
                if edits[path] is None:
                    raise GiveUp(f"the patch of {path} does not apply")
        return edits


def fixed(one, tree, workspace):
    """The fixed agent of an adaptive one: its patch on `tree`. None where it cannot be made there."""
    try:
        edits = one.plan(workspace)
    except GiveUp:
        return None
    return Fixed(to_json(one), {path: [tree.get(path), text] for path, text in edits.items() if tree.get(path) != text})
