// Statements that both sides insert at one place, about fields that each adds itself.
#include <gtest/gtest.h>

#include "semantic/testing/merging.h"

namespace gittxn::semantic {
namespace {

struct Constructor {
  std::string_view language;
  std::string head, tail;
  std::string left, right;

  Sides<std::string> sides(const std::string& a, const std::string& b) const {
    return {head + tail, head + a + tail, head + b + tail};
  }
};

const Constructor kConstructors[] = {
    {"python",
     "class Pool:\n    def __init__(self, size, parent=None):\n        self.size = size\n",
     "        self.open()\n\n    def open(self):\n        pass\n",
     "        if parent is not None:\n            self.limit = parent.limit\n"
     "        else:\n            self.limit = 10\n",
     "        self.retries: int = 3\n        self.locks = Locks(size)\n"},
    {"javascript", "class Pool {\n  constructor(size) {\n    this.size = size;\n",
     "    this.open();\n  }\n}\n",
     "    if (size > 4) {\n      this.limit = size;\n    } else {\n      this.limit = 4;\n    }\n",
     "    const least = 3;\n    this.retries = least;\n    this.seen = new Set();\n"},
    {"go", "package a\n\nfunc (x *Pool) Reset() {\n\tx.size = 0\n", "\tx.open()\n}\n",
     "\tx.limit = 0\n\tx.tried = x.tried[:0]\n", "\tx.retries = nil\n"},
    {"java", "class Pool {\n  Pool(int size) {\n    this.size = size;\n", "    open();\n  }\n}\n",
     "    this.limit = size * 2;\n", "    if (size > 1) {\n      this.retries = size;\n    }\n"},
    {"cpp", "struct Pool {\n  Pool(int size) {\n    this->size = size;\n", "    open();\n  }\n};\n",
     "    this->limit = size;\n", "    int least = 3;\n    this->retries = least;\n"},
    {"ruby", "class Pool\n  def initialize(size)\n    @size = size\n", "    open\n  end\nend\n",
     "    @limit = size\n", "    @retries = 3\n"},
};

TEST(OwnStatements, StandInEitherOrder) {
  for (const Constructor& each : kConstructors) {
    const Merged merged = merged_as(each.language, each.sides(each.left, each.right));
    EXPECT_TRUE(merged.clean()) << each.language << merged.why;
    EXPECT_EQ(merged.text, each.head + each.left + each.right + each.tail) << each.language;
  }
}

TEST(OwnStatements, AreInConflictWhereTheOrderMaySaySomething) {
  const Constructor& python = kConstructors[0];
  const std::string pure = "        self.retries = 3\n";
  const auto clean = [&](const std::string& left, const std::string& right = {}) {
    const Sides<std::string> sides = python.sides(left, right.empty() ? pure : right);
    const bool one = merged_as("python", sides).clean();
    EXPECT_EQ(merged_as("python", {sides[0], sides[2], sides[1]}).clean(), one) << left;
    return one;
  };
  EXPECT_TRUE(clean("        self.limit = 1\n"));
  // A name of the base may be read elsewhere, and a name that both sides say is shared.
  EXPECT_FALSE(clean("        if size:\n            self.size = 1\n            self.limit = 1\n"));
  EXPECT_FALSE(clean("        self.limit = 1\n        size = 2\n"));
  EXPECT_FALSE(clean("        if size:\n            self.limit = self.retries\n"));
  EXPECT_FALSE(clean("        self.size.limit = 1\n        self.open()\n"));
  EXPECT_TRUE(clean("        self.limit[0] = 1\n"));
  EXPECT_FALSE(clean("        self.size[limit] = 1\n"));
  // No field, and no new name.
  EXPECT_FALSE(clean("        parent = 1\n"));
  // The other side's statements might be skipped.
  EXPECT_FALSE(clean("        self.limit = 1\n        if size < 1:\n            raise limit\n"));
  EXPECT_FALSE(clean("        self.limit = 1\n        if self.limit:\n            return\n"));
  // A loop gives a value to its name.
  EXPECT_TRUE(clean("        for each in size:\n            self.limit = each\n"));
  EXPECT_FALSE(clean("        for size in size:\n            self.limit = 1\n"));
}

TEST(OwnStatements, MayCallOnOneSideWhatTheOtherDoesNotRead) {
  const Constructor& python = kConstructors[0];
  const auto clean = [&](const std::string& left, const std::string& right) {
    return merged_as("python", python.sides(left, right)).clean();
  };
  const std::string calls = "        self.limit = 1\n        self.check_limit()\n";
  EXPECT_TRUE(clean(calls, "        self.retries = 3\n"));
  EXPECT_TRUE(clean("        self.retries = 3\n", calls));
  EXPECT_FALSE(clean(calls, "        self.retries = size\n"));
  EXPECT_FALSE(clean("        self.retries = size\n", calls));
  EXPECT_FALSE(clean(calls, "        self.retries = 3\n        self.check_retries()\n"));
  EXPECT_TRUE(clean(calls, "        self.retries = len([3])\n"));
}

TEST(OwnStatements, ChangeWhatTheirFieldsHold) {
  struct {
    std::size_t in;
    std::string statement;
    bool clean;
  } rows[] = {
      {0, "        self.limit.append(size)\n", true},
      {0, "        if parent:\n            parent.limit.discard(self)\n", true},
      {0, "        if parent is None:\n            self.limit[0] = size\n", true},
      // A field that is there before, what may be anything, and what no field leads to.
      {0, "        self.size.append(limit)\n", false},
      {0, "        self.size[0] = limit\n", false},
      {0, "        self.limit.open(size)\n", false},
      {0, "        self.find(size).limit.append(size)\n", false},
      {0, "        self.find(size).limit[0] = size\n", false},
      {0, "        limit.append(size)\n", false},
      {0, "        limit[0] = size\n", false},
      {0, "        self.limit.append(self.open())\n", false},
      // The other side's own field.
      {0, "        self.limit.append(self.retries)\n", false},
      {0, "        self.retries.append(self.limit)\n", false},
      {1, "    this.limit.push(size);\n", true},
      {1, "    this.size.push(this.limit);\n", false},
      {3, "    this.limit.add(size);\n", true},
  };
  const std::string others[] = {"        self.retries[0] = self.size\n",
                                "    this.retries = size;\n", "",
                                "    this.retries.clear();\n    this.tried = size;\n"};
  for (const auto& row : rows) {
    const Constructor& each = kConstructors[row.in];
    const Merged merged = merged_as(each.language, each.sides(row.statement, others[row.in]));
    EXPECT_EQ(merged.clean(), row.clean) << row.statement << merged.why;
    if (!row.clean) continue;
    EXPECT_EQ(merged.text, each.head + row.statement + others[row.in] + each.tail);
  }
}

// Up to three places that are put together are trusted: places of such statements are none of them.
TEST(OwnStatements, AreNoGuess) {
  const Constructor& python = kConstructors[0];
  const auto sides = [&](int places, const std::string& left, const std::string& right) {
    Sides<std::string> all = python.sides(left, right);
    for (int i = 0; i < places; ++i) {
      const std::string f = "\ndef f" + std::to_string(i) + "(a, b):\n    return ";
      all[kBase] += f + "a < 1 and b < 2\n";
      all[kLeft] += f + "a < 9 and b < 2\n";
      all[kRight] += f + "a < 1 and b < 9\n";
    }
    return all;
  };
  const std::string left = "        if size:\n            self.limit = size\n";
  const std::string right = "        if size:\n            self.retries = size\n";
  EXPECT_TRUE(merged_as("python", sides(3, left, right)).clean());
  EXPECT_FALSE(merged_as("python", sides(4, left, right)).clean());
  EXPECT_FALSE(merged_as("python", sides(4, "", "")).clean());
}

TEST(PutIntoMaps, StandsInEitherOrder) {
  struct {
    std::string_view language;
    std::string head, left, right, tail;
    bool clean;
  } rows[] = {
      {"python", "def f(a):\n    a[\"x\"] = 1\n", "    a[\"size\"] = 2\n",
       "    a[\"name\"] = b\n    c.d[\"text\"] = None\n", "    return a\n", true},
      {"javascript", "function f(a) {\n  g(a);\n", "  a['size'] = 2;\n", "  a['name'] = [b];\n",
       "  return a;\n}\n", true},
      {"go", "package a\n\nfunc f(a M) {\n\tg(a)\n", "\ta[\"size\"] = 2\n", "\ta[\"name\"] = 3\n",
       "\th(a)\n}\n", true},
      // One key; a key that is no text; something more, or other, than a value.
      {"python", "def f(a):\n", "    a[\"size\"] = 2\n", "    a[\"size\"] = 3\n", "    return a\n",
       false},
      {"python", "def f(a):\n", "    a[size] = 2\n", "    a[\"name\"] = 3\n", "    return a\n",
       false},
      {"python", "def f(a):\n", "    a[f\"{size}\"] = 2\n", "    a[\"name\"] = 3\n",
       "    return a\n", false},
      {"python", "def f(a):\n", "    a[\"size\"] += 2\n", "    a[\"name\"] = 3\n", "    return a\n",
       false},
      {"python", "def f(a):\n", "    a[\"size\"] = 2\n    a = g()\n", "    a[\"name\"] = 3\n",
       "    return a\n", false},
      {"python", "def f(a):\n", "    a()[\"size\"] = 2\n", "    a[\"name\"] = 3\n",
       "    return a\n", false},
      {"python", "def f(a):\n", "    a[\"size\"][\"size\"] = 2\n", "    a[\"name\"] = 3\n",
       "    return a\n", false},
      // The value calls something, or may be what the other side changes.
      {"python", "def f(a):\n", "    a[\"size\"] = g()\n", "    a[\"name\"] = 3\n",
       "    return a\n", false},
      {"python", "def f(a):\n", "    a[\"size\"] = len(a)\n", "    a[\"name\"] = 3\n",
       "    return a\n", false},
      {"python", "def f(a):\n", "    a[\"size\"] = b[\"name\"]\n", "    a[\"name\"] = 3\n",
       "    return a\n", false},
  };
  for (const auto& [language, head, left, right, tail, clean] : rows) {
    const Merged merged =
        merged_as(language, {head + tail, head + left + tail, head + right + tail});
    EXPECT_EQ(merged.clean(), clean) << left << merged.why;
    if (clean) EXPECT_EQ(merged.text, head + left + right + tail);
  }
}

// --- imports ---

TEST(OwnStatements, StandBehindImportsThatSayNoneOfTheirNames) {
  const std::string head = "def f(name):\n", tail = "    return name\n";
  const auto merged = [&](const std::string& left, const std::string& right) {
    const Merged both = merged_as("python", {head + tail, head + left + tail, head + right + tail});
    return both.clean() ? both.text : std::string();
  };
  const std::string shlex = "    import shlex\n", shutil = "    import shutil\n";
  const std::string date = "    from datetime import date\n", copy = "    shutil.copy(name)\n";
  EXPECT_EQ(merged(shlex, shutil), head + shlex + shutil + tail);
  EXPECT_EQ(merged(shlex + date, shlex + shutil), head + shlex + date + shutil + tail);
  EXPECT_EQ(merged(shlex, shutil + copy), head + shlex + shutil + copy + tail);
  EXPECT_EQ(merged(shutil + copy, shlex), head + shutil + shlex + copy + tail);
  EXPECT_EQ(merged(shutil + "    shlex.split(name)\n", shlex), "");
  EXPECT_EQ(merged(shutil + copy, shlex + copy), "");
  EXPECT_EQ(merged("    from a import *\n", shutil + copy), "");
}

TEST(ImportsOfAFunction, MayMoveToTheTopBesideWhatIsAdded) {
  const std::string top = "import os\n", more = "import os\nimport shlex\n";
  const std::string head = "\n\ndef f(name):\n", import = "    import shlex\n";
  const std::string tail = "    return name\n", copy = "    copy(shlex.quote(name))\n";
  const std::string date = "    from datetime import date\n";
  const auto merged = [&](const std::string& moved, const std::string& added) {
    const Merged both =
        merged_as("python", {top + head + import + tail, moved, top + head + added + tail});
    const Merged turned =
        merged_as("python", {top + head + import + tail, top + head + added + tail, moved});
    EXPECT_EQ(turned.clean(), both.clean()) << added;
    return both.clean() ? both.text : std::string();
  };
  const std::string moved = more + head + tail;
  EXPECT_EQ(merged(moved, import + copy), more + head + copy + tail);
  EXPECT_EQ(merged(moved, date + import + copy), more + head + date + copy + tail);
  EXPECT_EQ(merged(moved, import + date), more + head + date + tail);
  // It is not there any more, it is there under another name, or there is more at the place.
  EXPECT_EQ(merged(top + head + tail, import + copy), "");
  EXPECT_EQ(merged(top + "import shlex as s\n" + head + tail, import + copy), "");
  EXPECT_EQ(merged(more + head + "    check(name)\n" + tail, import + copy), "");
}

}  // namespace
}  // namespace gittxn::semantic
