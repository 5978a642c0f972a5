// Statements that one side put something around, and the other side changed.
#include <gtest/gtest.h>

#include <string>

#include "semantic/testing/merging.h"

namespace gittxn::semantic {
namespace {

const std::string kDefinition = "def load(path):\n", kLastLine = "    return None\n";
const std::string kOpened = "    with open(path) as f:\n        return f.read()\n";
const std::string kOpenedInTry =
    "    try:\n        with open(path) as f:\n            return f.read()\n"
    "    except OSError:\n        log(path)\n";

std::string merged_beside_try(const std::string& changed) {
  const auto merged = merged_as(
      "python", {kDefinition + kOpened + kLastLine, kDefinition + kOpenedInTry + kLastLine,
                 kDefinition + changed + kLastLine});
  return merged.clean() ? merged.text : std::string();
}

TEST(Wrapped, WhatTheOtherSideWroteInItsPlaceGoesIntoIt) {
  EXPECT_EQ(merged_beside_try("    with open(path, 'rb') as f:\n        return f.read()\n"),
            kDefinition +
                "    try:\n        with open(path, 'rb') as f:\n            return f.read()\n"
                "    except OSError:\n        log(path)\n" +
                kLastLine);
  EXPECT_EQ(merged_beside_try("    with open(path) as f:\n        return f.read(9)\n"),
            kDefinition +
                "    try:\n        with open(path) as f:\n            return f.read(9)\n"
                "    except OSError:\n        log(path)\n" +
                kLastLine);
  EXPECT_EQ(merged_beside_try("    with open(path) as f:\n        a(f)\n\n        return b(f)\n"),
            kDefinition +
                "    try:\n        with open(path) as f:\n            a(f)\n\n"
                "            return b(f)\n    except OSError:\n        log(path)\n" +
                kLastLine);
}

TEST(Wrapped, WhatMayStandOutsideIsAConflict) {
  EXPECT_EQ(merged_beside_try("    log(1)\n" + kOpened), "");
  EXPECT_EQ(merged_beside_try(kOpened + "    log(1)\n"), "");
  EXPECT_EQ(merged_beside_try("    with open(path) as f:\n        return f.read()\n    log(f)\n"),
            "");
}

// Both sides write new functions there besides, so that the lines of the file tell nothing.
TEST(Wrapped, SeveralStatementsOfAFunction) {
  const auto file = [&](const std::string& before, const std::string& body) {
    return "import os\n\n" + before + "def load(path):\n" + body + "\ndef end():\n    pass\n";
  };
  const auto indented = [](const std::string& at, const std::string& mode,
                           const std::string& call) {
    return at + "tool = find()\n" + at + "with open(path" + mode + ") as f:\n" + at + "    " +
           call + "(f)\n" + at + "log(path)\n";
  };
  const std::string lock = "def lock(path):\n    with open(path) as f:\n        take(f)\n\n";
  const std::string mode = "def mode(path):\n    with open(path) as f:\n        give(f)\n\n";
  const std::string with = "    with lock(path):\n";
  const Sides<std::string> sides = {file("", indented("    ", "", "read")),
                                    file(lock, with + indented("        ", "", "read")),
                                    file(mode, indented("    ", ", mode(path)", "read"))};
  const Merged merged = merged_as("python", sides);
  EXPECT_EQ(merged.text, file(lock + mode, with + indented("        ", ", mode(path)", "read")))
      << merged.why;
  EXPECT_EQ(merged_as("python", {sides[0], sides[2], sides[1]}).text,
            file(mode + lock, with + indented("        ", ", mode(path)", "read")));
  // Inside of what is around the function's last statement, or behind that.
  const std::string more = indented("    ", "", "read") + "    log(mode)\n";
  EXPECT_FALSE(merged_as("python", {sides[0], sides[1], file(mode, more)}).clean());
}

TEST(Wrapped, WhatGoesOnIsNoStatement) {
  const auto script = [](const std::string& first, const std::string& branch) {
    return "function f(a) {\n" + first + branch + "    c(a);\n  }\n}\n";
  };
  const std::string base = script("  if (a) {\n    b(a);\n", "  } else {\n");
  const std::string wraps = script(
      "  if (a) {\n    if (!a.d) {\n      b(a);\n    } else {\n"
      "      e(a);\n    }\n",
      "  } else if (!a) {\n");
  const std::string changes =
      script("  if (a) {\n    b(a);\n", "  } else if (!a.v) {\n    g(a);\n");
  EXPECT_FALSE(merged_as("javascript", {base, wraps, changes}).clean());
}

// One side put something around all that follows what both put there.
TEST(Wrapped, AroundWhatBothPutThere) {
  const auto file = [](const std::string& first, const std::string& more, const std::string& in) {
    return "def f(path):\n    begin(path)\n" + first + in + "    if path:\n" + in +
           "        read(path)\n" + more;
  };
  const std::string copy = "    if old:\n        copy(path)\n";
  const std::string copied = "        if old:\n            copy(path)\n";
  const std::string with = "    with lock(path):\n";
  const std::string base = file("", "", ""), left = file("    log(path)\n" + copy, "", "");
  struct {
    std::string right;
    bool clean;
  } rows[] = {
      {file("    log(path)\n" + with + copied, "", "    "), true},
      // The other side put something else there, or nothing, or something behind it, too.
      {file("    tell(path)\n" + with + copied, "", "    "), false},
      {file(with + copied, "", "    "), false},
      {file("    log(path)\n" + with + "        if old:\n            move(path)\n", "", "    "),
       false},
      {file("    log(path)\n" + with + copied + "        log(1)\n", "", "    "), false},
      // Nothing begins, or not around all of it.
      {file("    log(path)\n    lock(path)\n" + copy, "", ""), false},
      {file("    log(path)\n" + with + "        log(2)\n" + copy, "", ""), false},
      {file("    log(path)\n" + copy + with + "        log(2)\n", "", "    "), false},
  };
  for (const auto& [right, clean] : rows) {
    const Merged merged = merged_as("python", {base, left, right});
    EXPECT_EQ(merged.clean(), clean) << right << merged.why;
    EXPECT_EQ(merged_as("python", {base, right, left}).clean(), clean) << right;
    if (clean) EXPECT_EQ(merged.text, right);
  }
}

TEST(Wrapped, InBraces) {
  const auto script = [](const std::string& body) { return "function f(a) {\n" + body + "}\n"; };
  const auto merged = merged_as(
      "javascript", {script("  for (const x of a) {\n    b(x);\n  }\n"),
                     script("  if (a) {\n    for (const x of a) {\n      b(x);\n    }\n  }\n"),
                     script("  for (const x of a.list()) {\n    b(x);\n  }\n")});
  EXPECT_EQ(merged.text,
            script("  if (a) {\n    for (const x of a.list()) {\n      b(x);\n    }\n  }\n"));
}

}  // namespace
}  // namespace gittxn::semantic
