"""The workloads: a repository and what each agent does in it, made from a seed.

An agent has a time at which it comes and tasks that it does one after the other. The names W1, W3, W5 and W8 are
those of the plan of the evaluation; W2, W4, W6 and W7 are not made yet.
"""
import dataclasses
import json
import random

import costs
import tasks
import trees
import workspace

TITLES = {
    "W1": "a public type is renamed, features use it",
    "W3": "two functions of a framework get a parameter, with adapters; modules migrate, features call them",
    "W5": "UserId becomes AccountId, beside middleware, translated strings and late consumers",
    "W8": "hot spots: files by a Zipf distribution",
}
POLICY = f"[[question]]\nmatch = {json.dumps(' '.join(trees.SUITE_COMMAND))}\nanswer = \"status\"\n"
# What agents call their files. Names with numbers would be a series, and a series is a reason to refuse a listing.
WORDS = """acorn almond anchor apron arrow aspen autumn badger bamboo barley basil beacon beetle birch bishop bison
blossom bonnet bramble bridge bronze bucket butter button cabin cactus camel candle canyon carbon carpet castle cedar
cello cherry chestnut cinder clover cobalt comet copper coral cotton cradle crater cricket crystal cypress daisy
dapple denim desert dolphin donkey ember emerald falcon feather fennel ferry fiddle finch flannel flint forest fossil
fountain garden garlic ginger glacier granite guitar hammer harbor hazel heron hickory honey indigo iris island ivory
jacket jasmine juniper kettle ladder lagoon lantern laurel lavender lemon lentil lilac linen lizard lobster lotus
magnet mango maple marble meadow melon meteor mimosa mirror mosaic mustard nectar nettle nickel nutmeg oasis olive
onion opal orchid otter oyster paddle panda paprika parsley pebble pepper pigeon pillow planet plum pocket pollen
poplar prairie puffin pumpkin quartz rabbit radish raven ribbon river robin saddle saffron salmon sandal sapphire
satin scarlet shadow silver sparrow spider spruce summer sunset temple thistle timber tulip tundra turnip turtle
valley velvet violet walnut willow window winter yarrow zebra zephyr""".split()
MODULES = 24
FUNCTIONS = 6


@dataclasses.dataclass
class Job:
    """One task of an agent, with its thinking in virtual seconds."""
    name: str
    task: object
    think: float


@dataclasses.dataclass
class Agent:
    name: str
    start: float
    jobs: list


@dataclasses.dataclass
class Workload:
    name: str
    tree: dict
    agents: list


def packages(*names):
    return {f"{name}/__init__.py": "" for name in (*names, "tests")}


def project(files):
    return {".gittxn.toml": POLICY, ".gitignore": "__pycache__/\n", "README.md": "A project.\n", **files}


def consumer_module(name, kind, types):
    return (f'"""{name}."""\nfrom {types} import {kind}\n\n\ndef show_{name}(value):\n    """Say whose it is."""\n'
            f'    return {kind}(value).text()\n\n\ndef pair_{name}(first, second):\n'
            f"    return {kind}(first).text() + {kind}(second).text()\n")


def type_module(kind):
    return (f'"""The type."""\n\n\nclass {kind}:\n    def __init__(self, value):\n        self.value = int(value)\n'
            f'\n    def text(self):\n        return f"id-{{self.value}}"\n')


def suites(home, modules, files, line):
    """Tests of the modules that are there, in so many files."""
    made = {}
    for number in range(files):
        mine = modules[number::files]
        imports = "\n".join(f"from {home} import {name}" for name in mine)
        lines = [line.format(name=name) for name in mine]
        made[f"tests/test_{home}_{number}.py"] = tasks.unit_test(f"{home}_{number}", imports, *lines)
    return made


def w1(rng, names, agents, rounds):
    modules = [f"part_{n:02}" for n in range(12)]
    tree = project({**packages("app"), "app/ids.py": type_module("UserId"),
                    **{f"app/{name}.py": consumer_module(name, "UserId", "app.ids") for name in modules},
                    **suites("app", modules, 4, 'self.assertEqual({name}.show_{name}(3), "id-3")')})
    found = [[tasks.Rename("UserId", "CustomerId", ["app", "tests"])]]
    for number in range(1, agents):
        found.append([tasks.Consumer(next(names), "app", "app/ids.py", f"app/{rng.choice(modules)}.py",
                                     rng.random() < 0.5, rng.random() < 0.5) for _ in range(rounds)])
    return tree, found


def w3(rng, names, agents, rounds):
    modules = [f"part_{n:02}" for n in range(12)]
    framework = '"""The framework."""\n\nLOG = []\n\n\ndef render(view):\n    return "<" + view + ">"\n\n\n' \
                "def store(key, value):\n    LOG.append((key, value))\n    return len(LOG)\n"
    code = '"""{name}."""\nfrom app import framework\n\n\ndef show_{name}():\n' \
           '    return framework.render("{name}")\n\n\ndef keep_{name}(value):\n' \
           '    return framework.store("{name}", value)\n'
    tree = project({**packages("app"), "app/framework.py": framework,
                    **{f"app/{name}.py": code.format(name=name) for name in modules},
                    **suites("app", modules, 4, 'self.assertEqual({name}.show_{name}(), "<{name}>")')})
    found = [[tasks.Upgrade("render", "view", "context")], [tasks.Upgrade("store", "key, value", "ttl")]]
    for number in range(2, agents):
        of = tasks.Migrate if number % 3 == 2 else tasks.Feature
        found.append([of(next(names), module) for module in rng.sample(modules, rounds)])
    return tree, found[:agents]


def w5(rng, names, agents, rounds):
    auth, pages = [f"auth_{n}" for n in range(6)], [f"page_{chr(97 + n)}" for n in range(12)]
    registry = '"""Middleware, in order."""\n\nMIDDLEWARE = [\n    "log",\n]\n'
    context = '"""What a request brings."""\n\n\nclass Context:\n    def __init__(self, request):\n' \
              "        self.request = request\n        self.seen = []\n\n    def passed(self, name):\n" \
              "        self.seen.append(name)\n"
    log = '"""log."""\n\n\ndef handle(context):\n    context.passed("log")\n    return context\n'
    table = '"""Strings by key."""\nimport json\nimport pathlib\n\n' \
            'STRINGS = json.loads(pathlib.Path(__file__).with_name("strings.json").read_text())\n\n\n' \
            "def said(key):\n    return STRINGS[key]\n"
    page = '"""{name}."""\n\ntitle = "{name} of it"\nhint = "press a key on {name}"\n'
    tree = project({**packages("auth", "gateway", "web"), "auth/ids.py": type_module("UserId"),
                    **{f"auth/{name}.py": consumer_module(name, "UserId", "auth.ids") for name in auth},
                    "gateway/registry.py": registry, "gateway/context.py": context, "gateway/log.py": log,
                    "config.json": json.dumps({"limits": {"log": 0}, "name": "service"}, indent=2) + "\n",
                    "web/strings.json": json.dumps({"zero": "nothing"}, indent=2) + "\n", "web/table.py": table,
                    **{f"web/{name}.py": page.format(name=name) for name in pages},
                    **suites("auth", auth, 2, 'self.assertEqual({name}.show_{name}(3), "id-3")'),
                    **suites("web", pages, 2, "self.assertTrue({name}.title)"),
                    "tests/test_gateway.py": tasks.unit_test(
                        "gateway", "import json\nimport pathlib\n\nfrom gateway import registry",
                        'limits = json.loads(pathlib.Path("config.json").read_text())["limits"]',
                        "self.assertEqual(sorted(limits), sorted(registry.MIDDLEWARE))")})
    found = [[tasks.Rename("UserId", "AccountId", ["auth", "tests"])]]
    left = iter(rng.sample(pages, len(pages)))
    for number in range(1, agents):
        if number % 3 == 1:
            found.append([tasks.Middleware(next(names), rng.randrange(1, 100)) for _ in range(rounds)])
        elif number % 3 == 2:
            found.append([tasks.Translate(page) for _, page in zip(range(rounds), left)])
        else:
            found.append([tasks.Consumer(next(names), "auth", "auth/ids.py", f"auth/{rng.choice(auth)}.py",
                                         rng.random() < 0.5, True) for _ in range(rounds)])
    return tree, found


def hot_module(name):
    code = f'"""{name}."""\n\n{name.upper()}_BASE = 5\n'
    for number in range(FUNCTIONS):
        code += f"\n\ndef {name}_f{number}(x):\n    y = x + {number}\n    y = y * 2\n    return y\n"
    return code


def w8(rng, names, agents, rounds, overlap=0.8):
    modules = [f"m{n:02}" for n in range(MODULES)]
    weights = [1 / (rank + 1) ** overlap for rank in range(MODULES)]
    tree = project({**packages("app"), **{f"app/{name}.py": hot_module(name) for name in modules},
                    **suites("app", modules, 4, "self.assertIsInstance({name}.{name}_f0(1), int)")})

    def one(name, number):
        module, other = rng.choices(modules, weights, k=2)
        function = f"_f{rng.randrange(FUNCTIONS)}"
        kind = rng.choices(("body", "add", "derive", "base"), (50, 25, 15, 10))[0]
        if kind == "body":
            return tasks.Body(name, module, module + function, number)
        if kind == "add":
            return tasks.Add(name, module, other, other + function)
        return tasks.Derive(name, module, other) if kind == "derive" else tasks.Base(name, module)

    return tree, [[one(next(names), number) for _ in range(rounds)] for number in range(agents)]


MAKERS = {"W1": w1, "W3": w3, "W5": w5, "W8": w8}


def make(name, seed, agents, rounds, kind, **options):
    """`kind` is "adaptive" or "fixed". A task whose patch cannot be made is left out of the fixed ones."""
    rng = random.Random(f"{name}/{seed}/{agents}")
    tree, found = MAKERS[name](rng, iter(rng.sample(WORDS, len(WORDS))), agents, rounds, **options)
    made = []
    for number, mine in enumerate(found):
        # Whoever renames or upgrades comes with the first and thinks longest; late consumers come while it thinks.
        large = isinstance(mine[0], (tasks.Rename, tasks.Upgrade))
        jobs = [Job(f"{number}.{count}", one, costs.thinking(rng) * (2 if large else 1))
                for count, one in enumerate(mine)]
        if kind == "fixed":
            jobs = [Job(job.name, tasks.fixed(job.task, tree, workspace.Memory(tree, None)), job.think) for job in jobs]
            jobs = [job for job in jobs if job.task]
        late = isinstance(mine[0], tasks.Consumer) and name == "W5"
        made.append(Agent(f"agent-{number}", round(rng.uniform(0, 60) + (100 if late else 0), 1), jobs))
    return Workload(name, tree, made)
