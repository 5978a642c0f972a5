#include "semantic/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "semantic/testing/merging.h"

namespace gittxn::semantic {
namespace {

using ::testing::HasSubstr;

Merged merge(std::string_view language, const std::string& base, const std::string& left,
             const std::string& right) {
  auto merged = merge_file(find_language(language), {base, left, right}, {});
  EXPECT_TRUE(merged);
  return merged ? *merged : Merged{};
}

void expect_merge(std::string_view language, const std::string& base, const std::string& left,
                  const std::string& right, const std::string& expected) {
  const Merged merged = merge(language, base, left, right);
  EXPECT_EQ(merged.text, expected) << rule_name(merged.rule) << ": " << merged.why;
  EXPECT_TRUE(merged.clean());
}

void expect_conflict(std::string_view language, const std::string& base, const std::string& left,
                     const std::string& right) {
  const Merged merged = merge(language, base, left, right);
  EXPECT_FALSE(merged.clean()) << rule_name(merged.rule) << "\n" << merged.text;
  EXPECT_NE(merged.why, "");
  EXPECT_THAT(merged.text, HasSubstr("<<<<<<< left\n"));
  EXPECT_THAT(merged.text, HasSubstr(">>>>>>> right\n"));
}

TEST(Merge, WhatOneSideLeftAloneIsTheOthers) {
  for (const char* language : {"c", "no such language"}) {
    expect_merge(language, "a", "a", "b", "b");
    expect_merge(language, "a", "b", "a", "b");
    expect_merge(language, "a", "b", "b", "b");
    expect_merge(language, "", "", "", "");
  }
}

TEST(Merge, AnUnknownLanguageIsMergedByLines) {
  expect_merge("x", "1\n2\n3\n4\n5\n", "0\n2\n3\n4\n5\n", "1\n2\n3\n4\n6\n", "0\n2\n3\n4\n6\n");
  expect_conflict("x", "1\n", "2\n", "3\n");
}

TEST(Merge, AConflictNamesTheDeclarationAndNotTheGrammar) {
  const auto why = [](const std::string& left, const std::string& right) {
    const auto gross = [](const std::string& body) {
      return "function gross(net) {\n  return " + body + ";\n}\n";
    };
    return merge("javascript", gross("net * 2"), gross(left), gross(right)).why;
  };
  EXPECT_EQ(why("net + 2", "net - 2"), "both sides changed gross()");
  EXPECT_EQ(why("f(net)", "[net]"), "both sides changed one place in gross()");
  EXPECT_EQ(merge("x", "1\n", "2\n", "3\n").why, "both sides changed the same lines");
}

TEST(Merge, TwoImports) {
  expect_merge("python", "import os\n\nx = 1\n", "import os\nimport re\n\nx = 1\n",
               "import os\nimport sys\n\nx = 1\n", "import os\nimport re\nimport sys\n\nx = 1\n");
  expect_merge("python", "from a import b\n", "from a import b, c\n", "from a import b, d\n",
               "from a import b, c, d\n");
  expect_merge("rust", "use a::{b, c};\n", "use a::{b, c, d};\n", "use a::{b};\n",
               "use a::{b, d};\n");
}

TEST(Merge, AnElementOfASetThatBothBroughtInIsThereOnce) {
  expect_merge("python", "from t import (run, file,\n    other)\n",
               "from t import (load, file,\n    other)\n",
               "from t import (run,\n    load, file,\n    other)\n",
               "from t import (load, file,\n    other)\n");
}

TEST(Merge, TwoFunctionsAddedAtOnePlace) {
  expect_merge("c", "int a;\n", "int a;\nint f(void) { return 1; }\n",
               "int a;\nint g(void) { return 2; }\n",
               "int a;\nint f(void) { return 1; }\nint g(void) { return 2; }\n");
}

TEST(Merge, TwoStatementsAddedAtOnePlaceConflict) {
  expect_conflict("c", "void f(void) {\n  a();\n}\n", "void f(void) {\n  a();\n  b();\n}\n",
                  "void f(void) {\n  a();\n  c();\n}\n");
}

TEST(Merge, SignatureAgainstBodyOnOneLine) {
  expect_merge("java", "class A { int f(int a) { return a; } }\n",
               "class A { long f(int a) { return a; } }\n",
               "class A { int f(int a) { return a + 1; } }\n",
               "class A { long f(int a) { return a + 1; } }\n");
}

TEST(Merge, ASignatureThatBothSidesChangedConflicts) {
  expect_conflict("java", "class A { int f(int a) { return a; } }\n",
                  "class A { long f(int a) { return a; } }\n",
                  "class A { int f(int a, int b) { return a; } }\n");
  expect_conflict("cpp", "template <typename T> int f(T a) { return a; }\n",
                  "template <typename T> long f(T a) { return a; }\n",
                  "template <typename T> int f(T b) { return a; }\n");
}

TEST(Merge, ColumnsThatOneSideMovedAgainstALineOfTheOther) {
  const std::string head = "package a\n\ntype T struct {\n";
  expect_merge("go", head + "\tA  int\n\tBb int\n}\n",
               head + "\tA   int\n\tBb  int\n\tCcc int\n}\n",
               head + "\tD  int\n\tA  int\n\tBb int\n}\n",
               head + "\tD   int\n\tA   int\n\tBb  int\n\tCcc int\n}\n");
  // Columns that follow another rule are for who made them.
  expect_conflict("go", head + "\tA    int\n\tBb   int\n}\n",
                  head + "\tA     int\n\tBb    int\n\tCcc   int\n}\n",
                  head + "\tD    int\n\tA    int\n\tBb   int\n}\n");
}

TEST(Merge, ALineInColumnsWithOneThatTheOtherSideChanged) {
  const std::string head = "package a\n\nvar x = T{\n\tName: \"n\",\n";
  expect_conflict("go", head + "\tLonger: y,\n}\n", head + "\tLonger: y,\n\tShort:  z,\n}\n",
                  head + "\tLonger: T{\n\t\ty,\n\t},\n}\n");
}

TEST(Merge, AnImportStandsBeforeADeclarationThatTheOtherSideAddedThere) {
  const std::string head = "#include <a.h>\n", tail = "int x;\n";
  expect_merge("c", head + tail, head + "int f(void) { return 1; }\n" + tail,
               head + "#include <b.h>\n" + tail,
               head + "#include <b.h>\nint f(void) { return 1; }\n" + tail);
}

TEST(Merge, OneKeyThatBothAddedAtTwoPlacesIsThereOnce) {
  const std::string middle = "  \"c\": 3,\n  \"d\": 4,\n  \"e\": 5,\n";
  expect_merge("json", "{\n  \"a\": 1,\n" + middle + "  \"z\": 6\n}\n",
               "{\n  \"a\": 1,\n  \"b\": 2,\n" + middle + "  \"z\": 6\n}\n",
               "{\n  \"a\": 1,\n" + middle + "  \"z\": 6,\n  \"b\": 2\n}\n",
               "{\n  \"a\": 1,\n  \"b\": 2,\n" + middle + "  \"z\": 6\n}\n");
}

TEST(Merge, APatternThatBothMadeLongerIsNoLostName) {
  expect_merge("typescript", "const { a } = f();\n", "const { a, b } = f();\n",
               "const { a, c } = f();\n", "const { a, b, c } = f();\n");
}

TEST(Merge, TwoTypesAddedToAGroup) {
  const std::string head = "package a\n\ntype (\n\tX int\n";
  expect_merge("go", head + ")\n", head + "\tY int\n)\n", head + "\tZ int\n)\n",
               head + "\tY int\n\tZ int\n)\n");
}

TEST(Merge, AnImportThatBothBroughtInIsNotThereTwice) {
  expect_conflict("c", "#include <a.h>\nint x;\n", "#include <a.h>\n#include <b.h>\nint x;\n",
                  "#include <a.h>\n#include <b.h>\n\n#include <b.h>\nint x;\n");
}

TEST(Merge, BothSidesChangeOneThing) {
  expect_conflict("java", "class A { int a = 1; }\n", "class A { int a = 2; }\n",
                  "class A { int a = 3; }\n");
  expect_conflict("java", "class A { public int a; }\n", "class A { private int a; }\n",
                  "class A { protected int a; }\n");
}

TEST(Merge, DeleteAgainstModify) {
  expect_conflict("c", "int a;\nint f(void) { return 1; }\nint b;\n", "int a;\nint b;\n",
                  "int a;\nint f(void) { return 2; }\nint b;\n");
}

TEST(Merge, AMovedFunctionAgainstAnEditedOne) {
  const std::string f = "int f(void) {\n  return 1;\n}\n", g = "int g(void) {\n  return 2;\n}\n";
  const std::string h = "int h(void) {\n  return 3;\n}\n";
  const std::string edited = "int f(void) {\n  return 10;\n}\n";
  expect_merge("c", f + g + h, g + h + f, edited + g + h, g + h + edited);
}

TEST(Merge, ReformatAgainstEdit) {
  expect_merge("java", "class A {\n  int f(int a, int b) { return a; }\n}\n",
               "class A {\n  int f(\n      int a,\n      int b) { return a; }\n}\n",
               "class A {\n  int f(int a, int c) { return a; }\n}\n",
               "class A {\n  int f(\n      int a,\n      int c) { return a; }\n}\n");
}

TEST(Merge, CommentAgainstCode) {
  expect_merge("c", "// one\nint f(void) { return 1; }\n", "// two\nint f(void) { return 1; }\n",
               "// one\nint f(void) { return 2; }\n", "// two\nint f(void) { return 2; }\n");
}

TEST(Merge, KeyAgainstKeyInData) {
  expect_merge("json", "{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"b\": 2\n}\n",
               "{\n  \"a\": 1,\n  \"c\": 3\n}\n", "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n");
  expect_merge("yaml", "a: 1\n", "a: 1\nb: 2\n", "a: 1\nc: 3\n", "a: 1\nb: 2\nc: 3\n");
  expect_merge("toml", "a = 1\n", "a = 1\nb = 2\n", "a = 1\nc = 3\n", "a = 1\nb = 2\nc = 3\n");
  expect_conflict("json", "{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"b\": 2\n}\n",
                  "{\n  \"a\": 1,\n  \"b\": 3\n}\n");
}

TEST(Merge, OneDeclarationAddedInTwoPlacesIsSeenAfterACleanMergeOfLines) {
  const std::string middle = "int x1;\nint x2;\nint x3;\nint x4;\n";
  const std::string f = "int f(void) { return 1; }\n", other = "int f(void) { return 2; }\n";
  expect_conflict("c", middle, f + middle, middle + other);
}

TEST(Merge, ARefusedMergeOfLinesConflictsWhereItIsWrong) {
  const std::string middle = "int x1;\nint x2;\nint x3;\nint x4;\n";
  const Merged merged = merge("c", middle, "int f(void) { return 1; }\n" + middle,
                              middle + "int f(void) { return 2; }\n");
  EXPECT_EQ(merged.conflicts.size(), 2u);
  EXPECT_EQ(merged.text, "<<<<<<< left\nint f(void) { return 1; }\n=======\n>>>>>>> right\n" +
                             middle +
                             "<<<<<<< left\n=======\nint f(void) { return 2; }\n>>>>>>> right\n");
}

TEST(Merge, AConflictAroundTheCodeHasAReason) {
  expect_conflict("yaml", "# one\na: 1\n", "# two\na: 1\n", "# three\na: 1\n");
}

TEST(Merge, LabelsAndDiff3AreGitsOwn) {
  MergeLabels labels{"o", "ours", "theirs", ConflictText::kDiff3};
  const auto merged =
      merge_file(find_language("c"), {"int a = 1;\n", "int a = 2;\n", "int a = 3;\n"}, labels);
  ASSERT_TRUE(merged);
  EXPECT_EQ(
      merged->text,
      "<<<<<<< ours\nint a = 2;\n||||||| o\nint a = 1;\n=======\nint a = 3;\n>>>>>>> theirs\n");
}

TEST(Merge, BytesThatAreNoTextAreAConflict) {
  const std::string zero("\0\n", 2);
  const Merged merged = merge("c", zero + "a\n", zero + "b\n", zero + "a\nc\n");
  EXPECT_FALSE(merged.clean());
  EXPECT_EQ(merged.text, zero + "b\n");
}

TEST(Merge, RenameAgainstANewCallerInACleanMergeOfLines) {
  const std::string middle = "int x1;\nint x2;\nint x3;\nint x4;\n";
  const std::string base = "int old(int);\nint f(void) { return old(1); }\n" + middle;
  const std::string renamed = "int fresh(int);\nint f(void) { return fresh(1); }\n" + middle;
  expect_conflict("c", base, renamed, base + "int g(void) { return old(2); }\n");
  expect_merge("c", base, renamed, base + "int g(void) { return 2; }\n",
               renamed + "int g(void) { return 2; }\n");
}

TEST(Merge, AnImportRemovedWhereOneIsAdded) {
  expect_conflict("java", "import a.A;\nimport b.B;\nimport c.C;\n",
                  "import a.A;\nimport b.B;\nimport b.New;\nimport c.C;\n",
                  "import a.A;\nimport c.C;\n");
}

TEST(Merge, WhatIsAddedBehindAnImportThatGoesTakesItsPlace) {
  expect_merge("python", "import a\n\nx = 1\ny = 2\n", "import a\n\nx = 1\nz = 3\ny = 2\n",
               "import a\n\ny = 2\n", "import a\n\nz = 3\ny = 2\n");
}

TEST(Merge, WhatIsInTheLeadOfARemovedStatementIsNotLost) {
  expect_conflict("c", "void f(void) {\n  a();\n  /* one */\n  b();\n}\n",
                  "void f(void) {\n  a();\n  /* two */\n  b();\n}\n",
                  "void f(void) {\n  a();\n}\n");
}

TEST(Merge, ANameThatOneSideUsesNoMore) {
  expect_conflict("java", "class A { int f() { return old(1); } int g() { return 1; } }\n",
                  "class A { int f() { return fresh(1); } int g() { return 1; } }\n",
                  "class A { int f() { return old(1); } int g() { return old(2); } }\n");
}

TEST(Merge, AnImportOfTheSameNamesFromElsewhereIsTheOldOne) {
  const std::string tail = "\nlet x: Error, c: Connect;\n";
  const std::string old = "import type { Error } from 'rollup'\n";
  const std::string fresh = "import type { Error } from 'rolldown'\n";
  const std::string other = "import type { Connect } from '#connect'\n";
  expect_merge("typescript", old + tail, fresh + tail, old + other + tail, fresh + other + tail);
  expect_merge("typescript", old + "import type { Connect } from 'connect'\n" + tail,
               fresh + "import type { Connect } from 'connect'\n" + tail, old + other + tail,
               fresh + other + tail);
  // Both redirected it.
  expect_conflict("typescript", old + tail, fresh + tail,
                  "import type { Error } from 'other'\n" + tail);
}

TEST(Merge, TheNamesThatAModuleGivesAwayHaveNoOrder) {
  expect_merge("python", "__all__ = [\n    'a',\n]\n", "__all__ = [\n    'a',\n    'b',\n]\n",
               "__all__ = [\n    'a',\n    'c',\n]\n",
               "__all__ = [\n    'a',\n    'b',\n    'c',\n]\n");
  expect_conflict("python", "order = [1]\n", "order = [1, 2]\n", "order = [1, 3]\n");
}

TEST(Merge, ATypeSaidBeforehandStandsInAnyOrder) {
  expect_merge("cpp", "class A;\n\nint f();\n", "class A;\nstruct B;\n\nint f();\n",
               "class A;\nclass C;\n\nint f();\n", "class A;\nstruct B;\nclass C;\n\nint f();\n");
}

TEST(Merge, WhatOneSidePutIntoSomethingLargerIsChangedThere) {
  expect_merge("rust", "fn f() {\n    if a.b(&c) {\n    }\n}\n",
               "fn f() {\n    if x && a.b(&c) {\n    }\n}\n",
               "fn f() {\n    if a.b(c) {\n    }\n}\n",
               "fn f() {\n    if x && a.b(c) {\n    }\n}\n");
  // Twice in it: which one is not said.
  expect_conflict("rust", "fn f() {\n    if a.b(&c) {\n    }\n}\n",
                  "fn f() {\n    if x(a.b(&c)) && a.b(&c) {\n    }\n}\n",
                  "fn f() {\n    if a.b(c) {\n    }\n}\n");
}

TEST(Merge, OtherArgumentsAgainstANewUse) {
  const std::string middle = "int x1;\nint x2;\nint x3;\nint x4;\n";
  const std::string base = "void f(void) {\n  put(a, b);\n}\n" + middle;
  const std::string more = "void f(void) {\n  put(a, b, c);\n}\n" + middle;
  // A copy of the only use.
  expect_conflict("c", base, more, base + "void g(void) {\n  put(a, d);\n}\n");
  // As one that takes any number of arguments.
  expect_merge("c", base, more, base + "void g(void) {\n  put(text(1), 2);\n}\n",
               more + "void g(void) {\n  put(text(1), 2);\n}\n");
  const std::string twice = "void h(void) {\n  put(1, 2);\n}\n" + base;
  const std::string all = "void h(void) {\n  put(1, 2, 3);\n}\n" + more;
  expect_conflict("c", twice, all, twice + "void g(void) {\n  put(text(1), 2);\n}\n");
  // The other side left one as it was.
  const std::string some = "void h(void) {\n  put(1, 2);\n}\n" + more;
  expect_merge("c", twice, some, twice + "void g(void) {\n  put(text(1), 2);\n}\n",
               some + "void g(void) {\n  put(text(1), 2);\n}\n");
  expect_conflict(
      "cpp", "void f() { auto x = make<A>(a, b); }\n" + middle,
      "void f() { auto x = make<A>(a, b, c); }\n" + middle,
      "void f() { auto x = make<A>(a, b); }\n" + middle + "void g() { auto x = make<A>(a, d); }\n");
}

TEST(Merge, LinesInColumnsAreLaidOutAnew) {
  const std::string head = "package a\n\nvar (\n";
  expect_merge("go", head + "\tlines  int\n\tfollow bool\n)\n",
               head + "\tlines    int\n\tfollow   bool\n\tmigrates bool\n)\n",
               head + "\tlines       int\n\tfollow      bool\n\trollbackDry bool // y\n)\n",
               head +
                   "\tlines       int\n\tfollow      bool\n\tmigrates    bool\n"
                   "\trollbackDry bool // y\n)\n");
  const std::string literal = "package a\n\nvar x = T{\n";
  expect_merge("go", literal + "\tName: 1,\n\tID:   2,\n}\n",
               literal + "\tName:   1,\n\tID:     2,\n\tLonger: 3,\n}\n",
               literal + "\tName: 5,\n\tID:   2,\n}\n",
               literal + "\tName:   5,\n\tID:     2,\n\tLonger: 3,\n}\n");
  // A multi-line value ends a column.
  expect_merge("go", literal + "\tName: y,\n}\n", literal + "\tName: y,\n\tID:   z,\n}\n",
               literal + "\tName: T{\n\t\tA: 1,\n\t},\n}\n",
               literal + "\tName: T{\n\t\tA: 1,\n\t},\n\tID: z,\n}\n");
}

TEST(Merge, OneThingThatBothAddedAtTwoPlacesOfAListWithAnOrder) {
  const std::string middle = "  b();\n  c();\n  d();\n";
  expect_conflict("c", "void f(void) {\n  a(1);\n" + middle + "}\n",
                  "void f(void) {\n  x();\n  a(2);\n" + middle + "}\n",
                  "void f(void) {\n  a(1);\n  x();\n" + middle + "}\n");
}

TEST(Merge, TwoFunctionsThatBothChangedConflict) {
  const auto file = [](const std::string& f, const std::string& g) {
    return "void f(void) {\n  if (a)\n    b(1, " + f + ");\n}\n\nvoid g(void) {\n" + g + "}\n";
  };
  const std::string lines = "  a();\n  b();\n  c();\n  d();\n  e();\n";
  const std::string left = "  x();\n" + lines, right = lines + "  y();\n";
  expect_merge("c", file("2);\n  c(3", lines), file("2);\n  c(4", lines), file("5);\n  c(3", right),
               file("5);\n  c(4", right));
  expect_conflict("c", file("2);\n  c(3", lines), file("2);\n  c(4", left),
                  file("5);\n  c(3", right));
}

// Between the members that all versions have.
std::string in_class(const std::string& first, const std::string& last) {
  return "class A {\n public:\n" + first + "  int x1;\n  int x2;\n  int x3;\n  int x4;\n" + last +
         "};\n";
}

TEST(Merge, AMemberThatBothAddedAtTwoPlacesOfAClassIsNotThereTwice) {
  const std::string base = in_class("", "");
  for (const std::string one : {"  int f();\n", "  int f() { return 1; }\n", "  int y;\n",
                                "  template <typename T> T f(T a);\n", "  using B = int;\n",
                                "  A(int);\n", "  enum class E { kA };\n",
                                "  class B {\n    int b;\n  };\n", "  struct { int b; } y;\n"}) {
    const Merged merged = merge("cpp", base, in_class(one, ""), in_class("", one));
    if (merged.clean()) {
      EXPECT_THAT(merged.text, ::testing::AnyOf(in_class(one, ""), in_class("", one)));
    }
  }
  expect_conflict("cpp", base, in_class("  int f();\n", ""),
                  in_class("", "  int f() { return 1; }\n"));
  expect_conflict("cpp", base, in_class("  enum class E { kA };\n", ""),
                  in_class("", "  enum class E { kA };\n"));
  // Declared in it and defined outside is as it must be.
  expect_merge("cpp", base, in_class("  int f();\n", ""), base + "int A::f() { return 1; }\n",
               in_class("  int f();\n", "") + "int A::f() { return 1; }\n");
}

TEST(Merge, WhatIsAddedStaysInWhatItWasAddedTo) {
  const std::string f = "    def f(self):\n        return 1\n\n";
  const std::string g = "    def g(self):\n        return 2\n\n";
  const std::string h = "    def h(self):\n        return 3\n\n";
  const std::string a = "class A:\n", b = "class B:\n", rest = "x = 1\ny = 2\n";
  // h is added to A, which the other side ends before it, where B begins now. Lines would have it
  // in B.
  expect_merge("python", a + f + g + rest, a + f + b + g + rest, a + f + g + h + rest,
               a + f + h + b + g + rest);
  expect_merge("python", a + f + g + rest, a + f + g + h + rest, a + f + b + g + rest,
               a + f + h + b + g + rest);
  // The whole of it has become something else, or is in something else.
  expect_merge("python", a + f + g + rest, b + f + g + rest, a + f + g + h + rest,
               b + f + g + h + rest);
  const std::string k = "int k() { return 1; }\n", l = "int l() { return 2; }\n";
  const std::string m = "int m() { return 3; }\n";
  expect_merge("cpp", k + l, "namespace n {\n" + k + l + "}\n", k + m + l,
               "namespace n {\n" + k + m + l + "}\n");
}

TEST(Merge, WhatHasAnOrderBehindWhatBothAddedAtTwoPlaces) {
  const std::string base = "set -e\nsource a.sh\nf() {\n  a\n}\necho b\n";
  const std::string twice = "set -e\nsource a.sh\nsource a.sh\nf() {\n  a\n}\necho b\n";
  expect_conflict("bash", base, twice, base + base);
  expect_conflict("bash", base, base + base, twice);
}

TEST(Merge, SaysInWordsWhatWasRemovedAndChanged) {
  const auto why = [](const std::string& was, const std::string& now) {
    const std::string head = "def f(a):\n    b(a)\n", tail = "    return a\n";
    return why_not_as("python", {head + was + tail, head + tail, head + now + tail});
  };
  EXPECT_THAT(why("    if a:\n        c()\n", "    if a:\n        d()\n"),
              HasSubstr("the other changed an if statement in f()"));
  EXPECT_THAT(why("    a.c(1)\n", "    a.c(2)\n"), HasSubstr("the other changed a statement in"));
  EXPECT_THAT(why("    while a:\n        c()\n", "    while a:\n        d()\n"),
              HasSubstr("the other changed a while statement in"));
}

}  // namespace
}  // namespace gittxn::semantic
