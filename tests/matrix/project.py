"""The repository of the matrix: a small project in several languages, whose tests run in a moment."""

CODE = '''"""Texts."""
import re

LIMIT = 40


def shorten(text, limit=LIMIT):
    """The text, cut at the limit."""
    return text if len(text) <= limit else text[:limit - 1] + "~"


def words(text):
    # needle: split where there is no letter
    return [word for word in re.split(r"[^a-z]+", text.lower()) if word]


def count(text):
    return len(words(text))
'''

FILES = {
    ".gitignore": "build/\n*.tmp\n__pycache__/\n.pytest_cache/\n",
    "README.md": "# A project\n\nIt has a needle, and more.\n\nSee docs/.\n",
    "LICENSE": "Free for all.\n",
    "list.txt": "one\ntwo\nthree\n",
    "long.txt": "".join(f"line {n}\n" for n in range(1, 61)),
    "conf.json": '{\n  "name": "project",\n  "x": 20,\n  "y": 30\n}\n',
    "data.yaml": "name: project\nitems:\n  - one\n  - two\n",
    "docs/1.md": "first\n", "docs/2.md": "second\n", "docs/guide.md": "# Guide\n\nA needle, too.\n",
    "migrations/0001_users.sql": "CREATE TABLE users (id INTEGER);\n",
    "lib/__init__.py": "", "lib/text.py": CODE,
    "lib/money.py": "RATE = 2\n\n\ndef cents(amount):\n    return amount * 100\n\n\ndef twice(amount):\n    return amount * RATE\n",
    "lib/unused.py": "def nothing():\n    return None\n",
    "tests/__init__.py": "",
    "tests/test_text.py":
        "import unittest\n\nfrom lib.text import count, shorten\n\n\nclass TextTest(unittest.TestCase):\n"
        "    def test_shorten(self):\n        self.assertEqual(shorten('abc', 2), 'a~')\n\n"
        "    def test_count(self):\n        self.assertEqual(count('a b'), 2)\n",
    "tests/test_money.py":
        "import unittest\n\nfrom lib.money import cents\n\n\nclass MoneyTest(unittest.TestCase):\n"
        "    def test_cents(self):\n        self.assertEqual(cents(2), 200)\n",
    "js/package.json": '{\n  "name": "js",\n  "version": "1.0.0",\n  "scripts": {"test": "node --test"}\n}\n',
    "js/sum.js": "'use strict';\n\nfunction sum(a, b) {\n  return a + b;\n}\n\nfunction less(a, b) {\n  return a - b;\n}\n\n"
                 "module.exports = { sum, less };\n",
    "js/sum.test.js": "'use strict';\nconst test = require('node:test');\nconst assert = require('node:assert');\n"
                      "const { sum } = require('./sum.js');\n\ntest('sum', () => assert.equal(sum(1, 2), 3));\n",
    "c/Makefile": "# Builds the program.\nOUT ?= ../build\n\nall: $(OUT)/main\n\n$(OUT)/main: main.c util.c util.h\n"
                  "\tmkdir -p $(OUT)\n\t$(CC) -o $@ main.c util.c\n\ncheck: all\n\t$(OUT)/main\n",
    "c/main.c": '#include "util.h"\n\nint main(void) {\n  return twice(VALUE) == 42 ? 0 : 1;\n}\n',
    "c/util.h": "#pragma once\n\n// Half of the answer.\n#define VALUE 21\nint twice(int x);\n",
    "c/util.c": '#include "util.h"\n\nint twice(int x) {\n  return x + x;\n}\n',
    "go/go.mod": "module example.org/project\n\ngo 1.19\n",
    "go/sum.go": "package project\n\n// Sum adds.\nfunc Sum(a, b int) int {\n\treturn a + b\n}\n",
    "go/sum_test.go": 'package project\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(1, 2) != 3 {\n'
                      '\t\tt.Fatal("sum")\n\t}\n}\n',
    "ts/tsconfig.json": '{"compilerOptions": {"strict": true, "noEmit": true, "types": []}, "include": ["*.ts"]}\n',
    "ts/user.ts": "// A user.\nexport interface User {\n  name: string;\n}\n",
    "ts/greet.ts": 'import { User } from "./user";\n\nexport function greet(user: User): string {\n  return "hello " + user.name;\n}\n',
}
LINKS = [("link", "list.txt")]
