// The table of pairs, a test each: what two people did to one file, what the symbols say of it, and
// what the merge makes of the file. Where the verdict is a block the file may merge all the same:
// the words of both fit together, what they mean may not.
#include <gtest/gtest.h>

#include <string>

#include "semantic/commute.h"
#include "semantic/footprint.h"
#include "semantic/merge.h"
#include "semantic/testing/commuting.h"

namespace gittxn::semantic {
namespace {

struct Sides3 {
  std::string base, left, right;
};

const char* const kConflict = nullptr;

// The verdict with the rule of its worst finding, and the merged text or kConflict, both ways
// round.
void expect_pair(const std::string& path, const Sides3& text, Verdict verdict, Rule rule,
                 const char* merged) {
  const Footprint left = footprint_of({{path, text.base, text.left}}, {});
  const Footprint right = footprint_of({{path, text.base, text.right}}, {});
  for (const Commuted& got : {commute(left, right), commute(right, left)}) {
    EXPECT_EQ(testing::verdict_name(got.verdict), testing::verdict_name(verdict)) << path;
    const Rule worst = got.findings.empty() ? Rule::kDisjoint : got.findings.front().rule;
    EXPECT_EQ(rule_name(worst), rule_name(rule)) << path;
  }
  const Language* language = language_of(path, text.base);
  ASSERT_NE(language, nullptr) << path;
  const auto forth = merge_file(language, {text.base, text.left, text.right}, {});
  const auto back = merge_file(language, {text.base, text.right, text.left}, {});
  ASSERT_TRUE(forth && back);
  EXPECT_EQ(forth->clean(), merged != kConflict) << path << ": " << forth->why << forth->text;
  EXPECT_EQ(back->clean(), forth->clean()) << path << ": " << back->why;
  if (merged != kConflict) {
    EXPECT_EQ(forth->text, merged) << path;
  }
}

TEST(TableOfPairs, RenameAgainstNewCaller) {
  const std::string apart = "int a;\nint b;\nint c;\n";
  expect_pair("a.c",
              {"int old(int n) { return n; }\nint f(void) { return old(1); }\n" + apart,
               "int fresh(int n) { return n; }\nint f(void) { return fresh(1); }\n" + apart,
               "int old(int n) { return n; }\nint f(void) { return old(1); }\n" + apart +
                   "int g(void) { return old(2); }\n"},
              Verdict::kBlock, Rule::kDefinitionUse, kConflict);
}

TEST(TableOfPairs, SignatureAgainstBody) {
  expect_pair("A.java",
              {"class A {\n  int f(int a) { return a; }\n}\n",
               "class A {\n  long f(int a) { return a; }\n}\n",
               "class A {\n  int f(int a) { return a + 1; }\n}\n"},
              Verdict::kBlock, Rule::kSignatureBody,
              "class A {\n  long f(int a) { return a + 1; }\n}\n");
}

TEST(TableOfPairs, BodyAgainstBodyOfOneFunction) {
  expect_pair("a.py",
              {"def f(a):\n    b(1)\n    c(2)\n    return a\n",
               "def f(a):\n    b(7)\n    c(2)\n    return a\n",
               "def f(a):\n    b(1)\n    c(8)\n    return a\n"},
              Verdict::kValidate, Rule::kSameSymbol,
              "def f(a):\n    b(7)\n    c(8)\n    return a\n");
  expect_pair(
      "a.py",
      {"def f(a):\n    return 1\n", "def f(a):\n    return 2\n", "def f(a):\n    return 3\n"},
      Verdict::kValidate, Rule::kSameSymbol, kConflict);
}

TEST(TableOfPairs, TwoImports) {
  expect_pair("a.py",
              {"import os\n\nx = 1\n", "import os\nimport re\n\nx = 1\n",
               "import os\nimport sys\n\nx = 1\n"},
              Verdict::kCommute, Rule::kDisjoint, "import os\nimport re\nimport sys\n\nx = 1\n");
}

TEST(TableOfPairs, TwoAddsAtOnePlace) {
  expect_pair(
      "a.go",
      {"package p\n\nvar X = 1\n", "package p\n\nvar X = 1\n\nfunc f() int {\n\treturn 2\n}\n",
       "package p\n\nvar X = 1\n\nfunc g() int {\n\treturn 3\n}\n"},
      Verdict::kCommute, Rule::kDisjoint,
      "package p\n\nvar X = 1\n\nfunc f() int {\n\treturn 2\n}\n\nfunc g() int {\n\treturn "
      "3\n}\n");
  expect_pair(
      "a.go",
      {"package p\n\nvar X = 1\n", "package p\n\nvar X = 1\n\nfunc f() int {\n\treturn 2\n}\n",
       "package p\n\nvar X = 1\n\nfunc f() int {\n\treturn 3\n}\n"},
      Verdict::kBlock, Rule::kBothAdded, kConflict);
}

TEST(TableOfPairs, NewOverloadAgainstAUseOfTheName) {
  const std::string f = "  int f(int a) { return 1; }\n",
                    over = "  int f(String a) { return 2; }\n";
  const std::string rest = "  int x;\n  int y;\n  int z;\n";
  expect_pair("A.java",
              {"class A {\n" + f + rest + "  int g() { return 1; }\n}\n",
               "class A {\n" + f + over + rest + "  int g() { return 1; }\n}\n",
               "class A {\n" + f + rest + "  int g() { return f(1); }\n}\n"},
              Verdict::kBlock, Rule::kNewDefinition,
              ("class A {\n" + f + over + rest + "  int g() { return f(1); }\n}\n").c_str());
}

TEST(TableOfPairs, NewImplementerAgainstAllImplementers) {
  const std::string rest = "class C {\n  int x;\n  int y;\n}\n";
  const std::string old = "interface I {\n  int f();\n}\n";
  const std::string fresh = "interface I {\n  int f();\n  int g();\n}\n";
  const std::string one = "class B implements I {\n  public int f() { return 1; }\n}\n";
  expect_pair("A.java", {old + rest, fresh + rest, old + rest + one}, Verdict::kBlock,
              Rule::kImplementers, kConflict);
}

TEST(TableOfPairs, MacroAgainstItsUser) {
  const std::string rest = "int a;\nint b;\nint c;\n";
  const std::string user = "int f(int n) { return TWICE(n); }\n";
  expect_pair("a.c",
              {"#define TWICE(x) (2 * x)\n" + rest, "#define TWICE(x) (2 * (x))\n" + rest,
               "#define TWICE(x) (2 * x)\n" + rest + user},
              Verdict::kBlock, Rule::kMacro,
              ("#define TWICE(x) (2 * (x))\n" + rest + user).c_str());
}

TEST(TableOfPairs, MovedFunctionAgainstEdited) {
  const std::string f = "func f() int {\n\treturn 1\n}\n", g = "func g() int {\n\treturn 2\n}\n";
  const std::string h = "func h() int {\n\treturn 3\n}\n",
                    edited = "func f() int {\n\treturn 10\n}\n";
  const std::string head = "package p\n\n";
  expect_pair("a.go",
              {head + f + "\n" + g + "\n" + h, head + g + "\n" + h + "\n" + f,
               head + edited + "\n" + g + "\n" + h},
              Verdict::kCommute, Rule::kDisjoint, (head + g + "\n" + h + "\n" + edited).c_str());
}

TEST(TableOfPairs, ReformatAgainstEdit) {
  expect_pair("A.java",
              {"class A {\n  int f(int a, int b) { return a; }\n}\n",
               "class A {\n  int f(\n      int a,\n      int b) { return a; }\n}\n",
               "class A {\n  int f(int a, int c) { return a; }\n}\n"},
              Verdict::kCommute, Rule::kDisjoint,
              "class A {\n  int f(\n      int a,\n      int c) { return a; }\n}\n");
}

TEST(TableOfPairs, CommentAgainstCode) {
  expect_pair(
      "a.ts",
      {"// one\nfunction f() {\n  return 1;\n}\n", "// two\nfunction f() {\n  return 1;\n}\n",
       "// one\nfunction f() {\n  return 2;\n}\n"},
      Verdict::kValidate, Rule::kSameSymbol, "// two\nfunction f() {\n  return 2;\n}\n");
}

TEST(TableOfPairs, KeyAgainstKeyInDataFiles) {
  expect_pair("a.json",
              {"{\n  \"a\": 1,\n  \"b\": 2\n}\n", "{\n  \"a\": 3,\n  \"b\": 2\n}\n",
               "{\n  \"a\": 1,\n  \"b\": 4\n}\n"},
              Verdict::kCommute, Rule::kDisjoint, "{\n  \"a\": 3,\n  \"b\": 4\n}\n");
  expect_pair("a.yaml", {"a: 1\n", "a: 1\nb: 2\n", "a: 1\nc: 3\n"}, Verdict::kCommute,
              Rule::kDisjoint, "a: 1\nb: 2\nc: 3\n");
  expect_pair("a.toml", {"a = 1\n", "a = 2\n", "a = 3\n"}, Verdict::kBlock, Rule::kSameSymbol,
              kConflict);
}

TEST(TableOfPairs, DeleteAgainstModify) {
  expect_pair("a.rs",
              {"fn f() -> i32 {\n    1\n}\nfn g() {}\n", "fn g() {}\n",
               "fn f() -> i32 {\n    2\n}\nfn g() {}\n"},
              Verdict::kBlock, Rule::kRemovedChanged, kConflict);
}

}  // namespace
}  // namespace gittxn::semantic
