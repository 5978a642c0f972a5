// The table of pairs: what two people did to one file, and whether both may land.
#include "semantic/commute.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "semantic/testing/commuting.h"
#include "semantic/testing/edits.h"

namespace gittxn::semantic {
namespace {

using testing::edit;
using testing::kBlock;
using testing::kCommute;
using testing::kValidate;
using testing::replaced;
using testing::said;

Commuted judge(const Footprint& a, const Footprint& b) {
  const Commuted forth = commute(a, b), back = commute(b, a);
  EXPECT_EQ(forth.verdict, back.verdict);
  EXPECT_EQ(forth.findings.size(), back.findings.size());
  EXPECT_EQ(forth.verdict == Verdict::kCommute, forth.findings.empty());
  return forth;
}

// The verdict, and the rule of the worst finding.
void expect(const std::string& path, const std::string& base, const std::string& left,
            const std::string& right, Verdict verdict, Rule rule = Rule::kDisjoint) {
  const Commuted got = judge(edit(path, base, left), edit(path, base, right));
  EXPECT_EQ(testing::verdict_name(got.verdict), testing::verdict_name(verdict))
      << path << ": " << said(got);
  const Rule worst = got.findings.empty() ? Rule::kDisjoint : got.findings.front().rule;
  EXPECT_EQ(rule_name(worst), rule_name(rule)) << path << ": " << said(got);
}

// One small file in each language, whose parts the tests replace: f, its caller g, and h apart.
struct ThreeFunctions {
  std::string path;
  std::string f, g, h;    // three functions; g calls f
  std::string head = {};  // what opens the file or class
  std::string tail = {};  // what closes it
  std::string sep = "\n";
  std::string file(const std::string& a, const std::string& b, const std::string& c) const {
    return head + a + sep + b + sep + c + sep + tail;
  }
  std::string base() const { return file(f, g, h); }
};

std::vector<ThreeFunctions> all_samples() {
  return {
      {"a.c", "int ff(int a) {\n  return a;\n}", "int gg(void) {\n  return ff(1);\n}",
       "int hh(void) {\n  return 8;\n}"},
      {"a.cc", "int ff(int a) {\n  return a;\n}", "int gg() {\n  return ff(1);\n}",
       "int hh() {\n  return 8;\n}"},
      {"a.py", "def ff(a):\n    return a\n", "def gg():\n    return ff(1)\n",
       "def hh():\n    return 8\n"},
      {"A.java", "  int ff(int a) {\n    return a;\n  }", "  int gg() {\n    return ff(1);\n  }",
       "  int hh() {\n    return 8;\n  }", "class A {\n", "}\n"},
      {"a.ts", "function ff(a: number) {\n  return a;\n}", "function gg() {\n  return ff(1);\n}",
       "function hh() {\n  return 8;\n}"},
      {"a.js", "function ff(a) {\n  return a;\n}", "function gg() {\n  return ff(1);\n}",
       "function hh() {\n  return 8;\n}"},
      {"a.go", "func ff(a int) int {\n\treturn a\n}", "func gg() int {\n\treturn ff(1)\n}",
       "func hh() int {\n\treturn 8\n}", "package p\n\n"},
      {"a.rs", "fn ff(a: i32) -> i32 {\n    a\n}", "fn gg() -> i32 {\n    ff(1)\n}",
       "fn hh() -> i32 {\n    8\n}"},
      {"A.cs", "  int ff(int a) {\n    return a;\n  }", "  int gg() {\n    return ff(1);\n  }",
       "  int hh() {\n    return 8;\n  }", "class A {\n", "}\n"},
      {"a.rb", "def ff(a)\n  return a\nend", "def gg\n  return ff(1)\nend",
       "def hh\n  return 8\nend"},
      {"a.php", "function ff(int $a) {\n  return $a;\n}", "function gg() {\n  return ff(1);\n}",
       "function hh() {\n  return 8;\n}", "<?php\n\n"},
      {"a.kt", "fun ff(a: Int): Int {\n  return a\n}", "fun gg(): Int {\n  return ff(1)\n}",
       "fun hh(): Int {\n  return 8\n}"},
      {"a.sh", "ff() {\n  return $a\n}", "gg() {\n  ff 1\n}", "hh() {\n  return 8\n}"},
  };
}

std::string call(const ThreeFunctions& s, const std::string& name, const std::string& arguments) {
  if (s.path == "a.sh") return "$(" + name + " " + arguments + ")";
  return name + "(" + arguments + ")";
}

// A function in Bash says nothing of its parameters.
bool has_signatures(const ThreeFunctions& s) {
  return s.path != "a.sh";
}

std::string other_signature(const std::string& f) {
  const std::string types =
      replaced(replaced(f, "(int $a", "(int $z, int $a"), "(a: Int", "(z: Int, a: Int");
  return replaced(replaced(types, "(int a", "(int z, int a"), "(a", "(z, a");
}

std::string other_body(const std::string& f) {
  return replaced(replaced(replaced(f, "return a", "return -a"), "    a\n", "    -a\n"),
                  "return $a", "return -$a");
}

TEST(Pairs, DifferentFunctions) {
  for (const ThreeFunctions& s : all_samples()) {
    expect(s.path, s.base(), s.file(s.f, s.g, replaced(s.h, "8", "4")),
           s.file(s.f, replaced(s.g, "1", "2"), s.h), kCommute);
  }
}

TEST(Pairs, RenameAgainstNewCaller) {
  for (const ThreeFunctions& s : all_samples()) {
    const std::string renamed = replaced(s.base(), "ff", "fresh");
    const std::string called = s.file(s.f, s.g, replaced(s.h, "8", call(s, "ff", "3")));
    expect(s.path, s.base(), renamed, called, kBlock, Rule::kDefinitionUse);
    const Footprint footprint = edit(s.path, s.base(), renamed);
    bool told = false;
    for (const Write& write : footprint.writes) told |= !write.renamed_to.empty();
    EXPECT_TRUE(told) << s.path;
  }
}

TEST(Pairs, SignatureAgainstBody) {
  for (const ThreeFunctions& s : all_samples()) {
    if (!has_signatures(s)) continue;
    const std::string other = other_signature(s.f);
    expect(s.path, s.base(), s.file(other, s.g, s.h), s.file(other_body(s.f), s.g, s.h), kBlock,
           Rule::kSignatureBody);
  }
}

TEST(Pairs, SignatureAgainstAnEditedCaller) {
  for (const ThreeFunctions& s : all_samples()) {
    if (!has_signatures(s)) continue;
    const std::string other = other_signature(s.f);
    expect(s.path, s.base(), s.file(other, s.g, s.h), s.file(s.f, replaced(s.g, "1", "2"), s.h),
           kBlock, Rule::kDefinitionUse);
  }
}

TEST(Pairs, BodyAgainstBodyOfOneFunction) {
  for (const ThreeFunctions& s : all_samples()) {
    expect(s.path, s.base(), s.file(s.f, s.g, replaced(s.h, "8", "4")),
           s.file(s.f, s.g, replaced(s.h, "8", "5")), kValidate, Rule::kSameSymbol);
    expect(s.path, s.base(), s.file(s.f, s.g, replaced(s.h, "8", "4")),
           s.file(s.f, s.g, replaced(s.h, "8", "4")), kCommute);
  }
}

TEST(Pairs, BodyAgainstCaller) {
  for (const ThreeFunctions& s : all_samples()) {
    const std::string body = other_body(s.f);
    expect(s.path, s.base(), s.file(body, s.g, s.h), s.file(s.f, replaced(s.g, "1", "2"), s.h),
           kValidate, Rule::kBodyCaller);
    expect(s.path, s.base(), s.file(body, s.g, s.h), s.file(s.f, s.g, replaced(s.h, "8", "4")),
           kCommute);
  }
}

TEST(Pairs, TwoAddsAtOnePlace) {
  for (const ThreeFunctions& s : all_samples()) {
    const std::string k = replaced(s.h, "hh", "kk"), l = replaced(s.h, "hh", "ll");
    expect(s.path, s.base(), s.file(s.f, s.g, s.h + s.sep + k), s.file(s.f, s.g, s.h + s.sep + l),
           kCommute);
    expect(s.path, s.base(), s.file(s.f, s.g, s.h + s.sep + k),
           s.file(s.f, s.g, s.h + s.sep + replaced(k, "8", "4")), kBlock, Rule::kBothAdded);
    expect(s.path, s.base(), s.file(s.f, s.g, s.h + s.sep + k), s.file(s.f, s.g, s.h + s.sep + k),
           kCommute);
  }
}

TEST(Pairs, AMovedFunctionAgainstAnEditedOne) {
  for (const ThreeFunctions& s : all_samples()) {
    const bool order = s.path == "a.c" || s.path == "a.cc";  // declared before it is used
    expect(s.path, s.base(), s.file(s.f, s.h, s.g), s.file(s.f, s.g, replaced(s.h, "8", "4")),
           order ? kValidate : kCommute, order ? Rule::kOrder : Rule::kDisjoint);
  }
}

TEST(Pairs, ReformatAgainstEdit) {
  for (const ThreeFunctions& s : all_samples()) {
    const std::string reformatted = replaced(s.base(), "return 8", "return   8");
    expect(s.path, s.base(), replaced(reformatted, "ff(1)", "ff( 1 )"),
           s.file(s.f, s.g, replaced(s.h, "8", "4")), kCommute);
  }
}

TEST(Pairs, CommentAgainstCode) {
  for (const ThreeFunctions& s : all_samples()) {
    const bool hash = s.path == "a.py" || s.path == "a.rb" || s.path == "a.sh";
    const std::string sign = hash ? "# one\n" : "// one\n";
    const std::string commented = s.file(s.f, s.g, sign + s.h);
    expect(s.path, s.base(), commented, s.file(s.f, replaced(s.g, "1", "2"), s.h), kCommute);
    expect(s.path, s.base(), commented, s.file(s.f, s.g, replaced(s.h, "8", "4")), kValidate,
           Rule::kSameSymbol);
  }
}

TEST(Pairs, DeleteAgainstModify) {
  for (const ThreeFunctions& s : all_samples()) {
    expect(s.path, s.base(), s.file(s.f, s.g, ""), s.file(s.f, s.g, replaced(s.h, "8", "4")),
           kBlock, Rule::kRemovedChanged);
    expect(s.path, s.base(), s.file(s.f, s.g, ""), s.file(s.f, s.g, ""), kCommute);
  }
}

TEST(Pairs, DeleteAgainstNewCaller) {
  for (const ThreeFunctions& s : all_samples()) {
    expect(s.path, s.base(), s.file(s.f, s.g, ""),
           s.file(s.f, replaced(s.g, "1", call(s, "hh", "")), s.h), kBlock, Rule::kDefinitionUse);
  }
}

TEST(Pairs, AShadowingDefinitionAgainstANewUse) {
  // One of that name is used anew from elsewhere.
  for (const ThreeFunctions& s : all_samples()) {
    const std::string k = replaced(s.h, "hh", "kk");
    expect(s.path, s.base(), s.file(s.f, s.g, s.h + s.sep + k),
           s.file(s.f, replaced(s.g, "1", call(s, "kk", "")), s.h), kBlock, Rule::kNewDefinition);
  }
}

TEST(Pairs, TwoImports) {
  const auto two = [](const char* path, const std::string& rest, const char* a, const char* b) {
    expect(path, rest, a + rest, b + rest, kCommute);
  };
  two("a.py", "import os\n\ndef f():\n    pass\n", "import re\n", "import sys\n");
  two("a.c", "#include <a.h>\nint f(void);\n", "#include <b.h>\n", "#include <c.h>\n");
  two("A.java", "import a.B;\nclass A {}\n", "import a.C;\n", "import a.D;\n");
  two("a.ts", "import a from 'a';\nlet x = 1;\n", "import b from 'b';\n", "import c from 'c';\n");
  two("a.rs", "use a::B;\nfn f() {}\n", "use a::C;\n", "use a::D;\n");
  expect("a.go", "package p\n\nimport (\n\t\"a\"\n)\n",
         "package p\n\nimport (\n\t\"a\"\n\t\"b\"\n)\n",
         "package p\n\nimport (\n\t\"a\"\n\t\"c\"\n)\n", kCommute);
  expect("a.py", "from a import b\n", "from a import b, c\n", "from a import b, d\n", kCommute);
  expect("a.ts", "import { b } from 'a';\n", "import { b, c } from 'a';\n",
         "import { b, d } from 'a';\n", kCommute);
  expect("a.rs", "use a::{b};\n", "use a::{b, c};\n", "use a::{b, d};\n", kCommute);
  // One name from two places.
  expect("A.java", "class A {}\n", "import a.List;\nclass A {}\n", "import b.List;\nclass A {}\n",
         kBlock, Rule::kImport);
}

TEST(Pairs, AnImportAgainstWhatItFeeds) {
  expect("a.py", "import os\n\ndef f():\n    return 1\n", "\ndef f():\n    return 1\n",
         "import os\n\ndef f():\n    return os.x\n", kBlock, Rule::kImport);
  // Who uses any name may be given it by the header, but not by what is said of it.
  expect("a.c", "// old\n#include \"a.h\"\n\nint f() { return 1; }\n",
         "// new\n#include \"a.h\"\n\nint f() { return 1; }\n",
         "// old\n#include \"a.h\"\n\nint f() { return 2; }\n", kCommute);
  expect("a.py", "def f():\n    return 1\n", "from m import *\ndef f():\n    return 1\n",
         "def f():\n    return g(1)\n", kValidate, Rule::kImport);
  expect("a.c", "int f(void) { return 1; }\n", "#include \"m.h\"\nint f(void) { return 1; }\n",
         "int f(void) { return g(); }\n", kValidate, Rule::kImport);
  // Both add the same one.
  expect("a.py", "x = 1\n", "import os\nx = 1\n", "import os\nx = 1\ndef f():\n    os.g()\n",
         kCommute);
}

TEST(Pairs, ANewOverloadAgainstAUse) {
  expect("A.java", "class A {\n  int f(int a) { return 1; }\n  int g() { return 1; }\n}\n",
         "class A {\n  int f(int a) { return 1; }\n  int f(String a) { return 2; }\n  int g() { "
         "return 1; }\n}\n",
         "class A {\n  int f(int a) { return 1; }\n  int g() { return f(1); }\n}\n", kBlock,
         Rule::kNewDefinition);
  expect("a.cc", "int f(int a) { return 1; }\nint g() { return 1; }\n",
         "int f(int a) { return 1; }\nint f(long a) { return 2; }\nint g() { return 1; }\n",
         "int f(int a) { return 1; }\nint g() { return f(1); }\n", kBlock, Rule::kNewDefinition);
}

TEST(Pairs, ANewImplementerAgainstAllOfThem) {
  expect(
      "A.java", "interface I {\n  int f();\n}\n", "interface I {\n  int f();\n  int g();\n}\n",
      "interface I {\n  int f();\n}\nclass B implements I {\n  public int f() { return 1; }\n}\n",
      kBlock, Rule::kImplementers);
  expect("a.py", "class I:\n    def f(self):\n        pass\n",
         "class I:\n    def f(self, a):\n        pass\n",
         "class I:\n    def f(self):\n        pass\nclass B(I):\n    pass\n", kBlock,
         Rule::kImplementers);
  expect("a.ts", "interface I {\n  f(): void;\n}\n",
         "interface I {\n  f(): void;\n  g(): void;\n}\n",
         "interface I {\n  f(): void;\n}\nclass B implements I {\n  f() {}\n}\n", kBlock,
         Rule::kImplementers);
  expect("a.rs", "trait I {\n    fn f();\n}\nstruct B;\n",
         "trait I {\n    fn f();\n    fn g();\n}\nstruct B;\n",
         "trait I {\n    fn f();\n}\nstruct B;\nimpl I for B {\n    fn f() {}\n}\n", kBlock,
         Rule::kImplementers);
  expect("a.cc", "struct I {\n  virtual int f();\n};\n",
         "struct I {\n  virtual int f();\n  virtual int g() = 0;\n};\n",
         "struct I {\n  virtual int f();\n};\nstruct B : public I {\n};\n", kBlock,
         Rule::kImplementers);
}

TEST(Pairs, AMacroAgainstItsUser) {
  const std::string base = "#define MM(a) (a)\nint f(int b) {\n  g();\n  return MM(b);\n}\n";
  expect("a.c", base, replaced(base, "(a)\n", "((a) + 1)\n"), replaced(base, "g()", "h()"), kBlock,
         Rule::kMacro);
  expect("a.c", base, replaced(base, "(a)\n", "((a) + 1)\n"),
         base + "int k(void) { return MM(1); }\n", kBlock, Rule::kMacro);
  const std::string rust = "macro_rules! mm {\n    () => { 1 };\n}\nfn f() -> i32 {\n    2\n}\n";
  expect("a.rs", rust, replaced(rust, "{ 1 }", "{ 3 }"), replaced(rust, "    2\n", "    mm!()\n"),
         kBlock, Rule::kMacro);
}

TEST(Pairs, KeyAgainstKey) {
  const std::string json = "{\n  \"a\": 1,\n  \"b\": 2\n}\n";
  expect("x.json", json, replaced(json, "1", "3"), replaced(json, "2", "4"), kCommute);
  expect("x.json", json, replaced(json, "1", "3"), replaced(json, "1", "4"), kBlock,
         Rule::kSameSymbol);
  expect("x.json", json, replaced(json, "\"a\"", "\"c\": 1, \"a\""),
         replaced(json, "\"a\"", "\"c\": 2, \"a\""), kBlock, Rule::kBothAdded);
  expect("x.yaml", "a: 1\nb: 2\n", "a: 3\nb: 2\n", "a: 1\nb: 4\n", kCommute);
  expect("x.yaml", "a: 1\nb: 2\n", "a: 3\nb: 2\n", "a: 4\nb: 2\n", kBlock, Rule::kSameSymbol);
  expect("x.toml", "[t]\na = 1\nb = 2\n", "[t]\na = 3\nb = 2\n", "[t]\na = 1\nb = 4\n", kCommute);
  expect("x.toml", "[t]\na = 1\nb = 2\n", "b = 2\n", "[t]\na = 1\nb = 4\n", kBlock,
         Rule::kRemovedChanged);
}

TEST(Pairs, AContainersHeadAgainstItsMember) {
  expect("A.java", "class A {\n  int f() { return 1; }\n}\n",
         "class A extends B {\n  int f() { return 1; }\n}\n",
         "class A {\n  int f() { return 2; }\n}\n", kBlock, Rule::kContainer);
  expect("a.c", "#ifdef A\nint f(void) { return 1; }\n#endif\n",
         "#ifdef B\nint f(void) { return 1; }\n#endif\n",
         "#ifdef A\nint f(void) { return 2; }\n#endif\n", kBlock, Rule::kRemovedChanged);
  expect("A.java", "package a;\nclass A {}\n", "package b;\nclass A {}\n",
         "package a;\nclass A { int x; }\n", kBlock, Rule::kContainer);
}

TEST(Pairs, VisibilityAgainstNewUse) {
  expect("A.java", "class A {\n  public int f() { return 1; }\n  int g() { return 1; }\n}\n",
         "class A {\n  private int f() { return 1; }\n  int g() { return 1; }\n}\n",
         "class A {\n  public int f() { return 1; }\n  int g() { return f(); }\n}\n", kBlock,
         Rule::kDefinitionUse);
}

TEST(Pairs, MembersOfWhichSeveralHaveTheName) {
  const std::string base =
      "class A {\n  int f() { return 1; }\n}\nclass B {\n  int f() { return 1; "
      "}\n  int g(A a) { return 1; }\n}\n";
  const std::string changed = replaced(base, "class A {\n  int f()", "class A {\n  int f(int x)");
  expect("A.java", base, changed, replaced(base, "g(A a) { return 1", "g(A a) { return a.f()"),
         kBlock, Rule::kDefinitionUse);
  const std::string untold = replaced(base, "g(A a)", "g(Z a)");
  expect("A.java", untold, replaced(untold, "class A {\n  int f()", "class A {\n  int f(int x)"),
         replaced(untold, "g(Z a) { return 1", "g(Z a) { return a.f()"), kValidate,
         Rule::kAmbiguous);
  const std::string one = replaced(base, "class B {\n  int f() { return 1; }\n", "class B {\n");
  expect("A.java", one, replaced(one, "int f()", "int f(int x)"),
         replaced(one, "g(A a) { return 1", "g(A a) { return a.f()"), kBlock, Rule::kDefinitionUse);
}

TEST(Pairs, ALocalNameIsNoRead) {
  const std::string base = "int total = 1;\nint f(int a) {\n  return a;\n}\n";
  const Footprint renamed = edit("a.c", base, replaced(base, "total", "sum"));
  const std::string other = "int g(int a) {\n  return a;\n}\n";
  const Footprint local =
      edit("b.c", other, "int g(int a) {\n  int total = a;\n  return total;\n}\n");
  EXPECT_EQ(judge(renamed, local).verdict, kCommute);
  const Footprint global = edit("b.c", other, "int g(int a) {\n  return total;\n}\n");
  EXPECT_EQ(judge(renamed, global).verdict, kBlock);
  // In another block, and behind it, the name is the other one.
  const Footprint behind =
      edit("b.c", other, "int g(int a) {\n  { int total = a; }\n  return total;\n}\n");
  EXPECT_EQ(judge(renamed, behind).verdict, kBlock);
  const Footprint python = edit("a.py", "total = 1\n", "");
  EXPECT_EQ(judge(python, edit("b.py", "", "def f():\n    total = 1\n    return total\n")).verdict,
            kCommute);
  EXPECT_EQ(
      judge(python, edit("b.py", "", "def f():\n    global total\n    total = 1\n    g(total)\n"))
          .verdict,
      kBlock);
  EXPECT_EQ(judge(python,
                  edit("b.py", "", "class A:\n    total = 1\n    def f(self):\n        g(total)\n"))
                .verdict,
            kBlock);
}

TEST(Pairs, WhatCannotBeParsedIsTheWholeFile) {
  const std::string base = "int f(void) { return 1; }\nint g(void) { return 2; }\n";
  expect("a.c", base, replaced(base, "1; }", "1; "), replaced(base, "2", "3"), kBlock,
         Rule::kOpaque);
  expect("Makefile", "a:\n\tb\n", "a:\n\tc\n", "a:\n\td\n", kValidate, Rule::kOpaque);
  const std::string broken = base + "int h( {\n";
  expect("a.c", broken, replaced(broken, "1", "4"), replaced(broken, "2", "3"), kValidate,
         Rule::kOpaque);
  expect("a.c", base, replaced(base, "1; }", "1; "), replaced(base, " 2", "  2"), kValidate,
         Rule::kOpaque);
  const Footprint shell = edit("x.unknown", "one\n", "one\nparse x\n");
  const Footprint gone = edit("a.c", "int parse(void);\n", "");
  EXPECT_EQ(judge(shell, gone).verdict, kValidate);
  EXPECT_EQ(judge(edit("a.md", "x\n", "we parse\n"), gone).verdict, kCommute);
  EXPECT_EQ(judge(edit("a.md", "x\n", "we `parse`\n"), gone).verdict, kValidate);
}

// tree-sitter takes all of these without an error node.
TEST(Pairs, WhatMovesTheEndOfSomethingUnnoticed) {
  const std::string python =
      "import os\nclass A:\n    def f(self):\n        return 1\ndef h():\n    return 2\n";
  expect("a.py", python, "class A:\n    def f(self):\nimport os\n" + python.substr(37),
         replaced(python, "def h", "    def g(self):\n        return 3\ndef h"), kBlock,
         Rule::kOpaque);
  const std::string ruby =
      "class A\n  class << self\n    def f\n    end\n  end\n  alias b a\nend\n";
  expect("a.rb", ruby, replaced(ruby, "class <<", "klass <<"),
         replaced(ruby, "  alias b a\n", "  alias b a\n  alias c a\n"), kBlock, Rule::kOpaque);
  const std::string bash = "f() {\n  if a; then\n    b\n  fi\n}\ng() {\n  c\n}\n";
  expect("a.sh", bash, replaced(bash, "if a", "iff a"), replaced(bash, "  c\n", "  d\n"), kBlock,
         Rule::kOpaque);
  const std::string php = "<?php\nfunction f() {\n  return [<<<T\n    a\n    T];\n}\n$c = 1;\n";
  expect("a.php", php, php + php, replaced(php, "$c", "function g() {\n}\n$c"), kBlock,
         Rule::kOpaque);
}

TEST(Pairs, OneLineMovedToTwoPlacesOfOneClass) {
  const std::string line = "#include <a.h>\n";
  const std::string a = "class A {\n  int f();\n", b = "  int g();\n", end = "};\n";
  expect("a.cc", line + a + b + end, a + line + b + end, a + b + line + end, kBlock,
         Rule::kBothAdded);
  expect("a.cc", line + a + b + end, a + line + b + end, a + line + b + end, kCommute);
  // At both places it stands behind such a line, but not behind the same one.
  const std::string run = "step\n", f = "f() {\n  a\n}\n", g = "g() {\n  b\n}\n";
  const std::string h = "h() {\n  c\n}\n";
  expect("a.sh", run + f + run + g, run + h + f + run + g, run + f + run + h + g, kBlock,
         Rule::kBothAdded);
}

TEST(Pairs, OneOfTwoThatAreTheSameAddedOrRemovedAtTwoPlaces) {
  const std::string line = "source a.sh\n", f = "f() {\n  a\n}\n", g = "g() {\n  b\n}\n";
  expect("a.sh", line + f + g, line + line + f + g, line + f + line + g, kBlock, Rule::kBothAdded);
  expect("a.sh", line + f + g, line + line + f + g, line + line + f + g, kCommute);
  expect("a.sh", line + f + line + g, f + line + g, line + f + g, kBlock, Rule::kBothAdded);
  // Each has what stood before it elsewhere, and the import is the same.
  expect("a.py", "import a\n", "import b\nimport c\n", "import b\n", kCommute);
}

TEST(Pairs, FieldsAndConstantsHaveAnOrder) {
  const std::string base = "enum e {\n  kA,\n};\n";
  expect("a.c", base, "enum e {\n  kA,\n  kB,\n};\n", "enum e {\n  kA,\n  kC,\n};\n", kValidate,
         Rule::kOrder);
  expect("a.c", "struct s {\n  int a;\n};\n", "struct s {\n  int a;\n  int b;\n};\n",
         "struct s {\n  int a;\n  int c;\n};\n", kValidate, Rule::kOrder);
}

TEST(Pairs, StatementsThatRun) {
  expect("a.py", "x = 1\n", "x = 1\nf()\n", "x = 1\ng()\n", kValidate, Rule::kLoose);
  expect("a.py", "x = 1\n", "x = 1\ny = f()\n", "x = 1\nz = g()\n", kValidate, Rule::kLoose);
  expect("a.py", "x = 1\n", "x = 1\ny = 2\n", "x = 1\nz = 3\n", kCommute);
  expect("a.py", "x = 1\n", "x = 1\nif x:\n    def f(): pass\n", "x = 1\ndef g():\n    f()\n",
         kBlock, Rule::kDefinitionUse);
}

TEST(Pairs, FilesAddedAndRemoved) {
  const Footprint added = footprint_of({{"a.py", {}, "def f():\n    pass\n"}}, {});
  const Footprint other = footprint_of({{"a.py", {}, "def g():\n    pass\n"}}, {});
  EXPECT_EQ(judge(added, added).verdict, kCommute);
  EXPECT_EQ(judge(added, other).verdict, kCommute);
  const Footprint gone = footprint_of({{"a.py", "def f():\n    pass\n", {}}}, {});
  EXPECT_EQ(judge(gone, gone).verdict, kCommute);
  EXPECT_EQ(judge(gone, edit("a.py", "def f():\n    pass\n", "def f():\n    return 1\n")).verdict,
            kBlock);
  EXPECT_EQ(
      judge(gone, edit("a.py", "def f():\n    pass\n", "def f():\n    pass\ndef g():\n    pass\n"))
          .verdict,
      kBlock);
  EXPECT_TRUE(footprint_of({{"a.py", {}, {}}}, {}).empty());
}

TEST(Pairs, AMemberTakenOutOfWhatTheOtherTookAway) {
  // The class is in the function now, with the member that the other side took out.
  const std::string c = "class C {\n  x = 0;\n  g() {}\n}\n";
  const std::string f = "function f(a) {\n  return a;\n}\n";
  expect("a.js", f + c, f + replaced(c, "  x = 0;\n", ""),
         "function f(a) {\n" + c + "  return a;\n}\n", kBlock, Rule::kRemovedChanged);
  expect("a.js", f + c, f, f, kCommute);
}

TEST(Pairs, ASentenceNamesBoth) {
  const Commuted got =
      judge(edit("a.py", "def ff(a):\n    return a\n", "def ff(a, b):\n    return a\n"),
            edit("b.py", "def gg():\n    return 1\n", "def gg():\n    return ff(1)\n"));
  ASSERT_EQ(got.findings.size(), 1u);
  EXPECT_EQ(got.findings[0].why,
            "one side changed the signature of a.py/ff()., the other uses 'ff' in b.py/gg().");
}

}  // namespace
}  // namespace gittxn::semantic
