// What must merge and what must not, for every language alike: a row of kKinds says how a file, an
// import and a function look, so that the next language is a row here. What is peculiar to one
// stands behind the table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "semantic/merge.h"
#include "semantic/testing/merging.h"

namespace gittxn::semantic {
namespace {

using ::testing::HasSubstr;

// `file` has IMPORTS and MEMBERS in it, `import` and `function` have NAME, and `function` BODY.
struct SourceKind {
  const char* language;
  const char* file;
  const char* import;
  const char* function;
};

constexpr SourceKind kKinds[] = {
    {"csharp", "using System;\nIMPORTS\nclass A\n{\n    int a;\nMEMBERS}\n", "using NAME;\n",
     "    int NAME(int x)\n    {\n        return BODY;\n    }\n"},
    {"ruby", "require 'set'\nIMPORTS\nclass A\n  B = 1\nMEMBERSend\n", "require 'NAME'\n",
     "  def NAME(x)\n    BODY\n  end\n"},
    {"php", "<?php\nuse A\\B;\nIMPORTS\nclass A\n{\n    private $a;\nMEMBERS}\n", "use NAME;\n",
     "    function NAME($x)\n    {\n        return BODY;\n    }\n"},
    {"kotlin", "import a.b\nIMPORTS\nclass A {\n    val a = 1\nMEMBERS}\n", "import NAME\n",
     "    fun NAME(x: Int): Int {\n        return BODY\n    }\n"},
    {"python", "import os\nIMPORTS\nA = 1\n\n\nMEMBERS", "import NAME\n",
     "def NAME(x):\n    return BODY\n\n\n"},
    {"go", "package a\n\nimport (\n\t\"os\"\nIMPORTS)\n\nvar a = 1\n\nMEMBERS", "\t\"NAME\"\n",
     "func NAME(x int) int {\n\treturn BODY\n}\n\n"},
    {"javascript", "import a from 'a'\nIMPORTS\nconst b = 1\n\nMEMBERS",
     "import NAME from 'NAME'\n", "function NAME(x) {\n  return BODY\n}\n\n"},
    {"typescript", "import { a } from 'a'\nIMPORTS\nconst b = 1\n\nMEMBERS",
     "import { NAME } from 'NAME'\n", "export function NAME(x: number) {\n  return BODY\n}\n\n"},
    {"java", "package p;\nimport a.A;\nIMPORTS\nclass B {\n    int a;\nMEMBERS}\n",
     "import p.NAME;\n", "    int NAME(int x) {\n        return BODY;\n    }\n"},
    {"rust", "use std::fmt;\nIMPORTS\nconst A: u8 = 1;\n\nMEMBERS", "use std::NAME;\n",
     "fn NAME(x: u8) -> u8 {\n    BODY\n}\n\n"},
    {"c", "#include <stdio.h>\nIMPORTS\nint a = 1;\n\nMEMBERS", "#include \"NAME.h\"\n",
     "int NAME(int x)\n{\n\treturn BODY;\n}\n\n"},
    {"cpp", "#include <string>\nIMPORTS\nnamespace a {\n\nMEMBERS}  // namespace a\n",
     "#include <NAME>\n", "int NAME(int x) {\n  return BODY;\n}\n\n"},
    {"bash", "#!/bin/bash\nsource a.sh\nIMPORTS\nb=1\nMEMBERS", "source NAME\n",
     "NAME() {\n  echo BODY\n}\n"},
};

std::string put(std::string text, const std::string& word, const std::string& value) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
    text.replace(at, word.size(), value);
    at += value.size();
  }
  return text;
}

class MergeOf : public ::testing::TestWithParam<SourceKind> {
 protected:
  std::string file(const std::string& imports, const std::string& members) const {
    return put(put(GetParam().file, "IMPORTS", imports), "MEMBERS", members);
  }
  std::string import(const std::string& name) const { return put(GetParam().import, "NAME", name); }
  std::string function(const std::string& name, const std::string& body) const {
    return put(put(GetParam().function, "NAME", name), "BODY", body);
  }
  static Merged merge(const std::string& base, const std::string& left, const std::string& right) {
    auto merged = merge_file(find_language(GetParam().language), {base, left, right}, {});
    EXPECT_TRUE(merged);
    return merged ? *merged : Merged{};
  }
  static void expect_merge(const std::string& base, const std::string& left,
                           const std::string& right, const std::string& expected) {
    const Merged merged = merge(base, left, right);
    EXPECT_EQ(merged.text, expected) << rule_name(merged.rule) << ": " << merged.why;
    EXPECT_TRUE(merged.clean());
  }
  static void expect_conflict(const std::string& base, const std::string& left,
                              const std::string& right) {
    const Merged merged = merge(base, left, right);
    EXPECT_FALSE(merged.clean()) << rule_name(merged.rule) << "\n" << merged.text;
    EXPECT_THAT(merged.text, HasSubstr("<<<<<<< left\n"));
  }
};

TEST_P(MergeOf, TwoFunctionsAddedAtTwoPlaces) {
  const std::string old = function("old", "1"), one = function("one", "2"),
                    two = function("two", "3");
  expect_merge(file("", old), file("", one + old), file("", old + two), file("", one + old + two));
}

TEST_P(MergeOf, TwoFunctionsAddedAtOnePlace) {
  const std::string one = function("one", "1"), two = function("two", "2");
  expect_merge(file("", ""), file("", one), file("", two), file("", one + two));
}

// Two authors each bring in an import and a function that uses it.
TEST_P(MergeOf, AnImportAndAFunctionAddedByBoth) {
  const std::string one = function("one", "1"), two = function("two", "2"),
                    old = function("old", "3");
  expect_merge(file("", old), file(import("left"), old + one), file(import("right"), old + two),
               file(import("left") + import("right"), old + one + two));
}

TEST_P(MergeOf, OneFunctionAddedTwice) {
  expect_conflict(file("", ""), file("", function("one", "1")), file("", function("one", "2")));
}

TEST_P(MergeOf, TwoImportsAddedAtOnePlace) {
  expect_merge(file("", ""), file(import("c"), ""), file(import("d"), ""),
               file(import("c") + import("d"), ""));
}

TEST_P(MergeOf, BothChangedOneBody) {
  expect_conflict(file("", function("f", "1")), file("", function("f", "2")),
                  file("", function("f", "3")));
}

TEST_P(MergeOf, BothChangedBodiesOfNeighbours) {
  const auto both = [&](const char* one, const char* two) {
    return file("", function("one", one) + function("two", two));
  };
  expect_merge(both("1", "1"), both("2", "1"), both("1", "3"), both("2", "3"));
}

TEST_P(MergeOf, ChangedAgainstRemoved) {
  const std::string rest = function("rest", "1");
  expect_conflict(file("", function("f", "1") + rest), file("", function("f", "2") + rest),
                  file("", rest));
}

TEST_P(MergeOf, MovedAgainstChanged) {
  const std::string f = function("f", "1"), g = function("g", "2"), h = function("h", "3");
  const std::string changed = function("f", "10");
  expect_merge(file("", f + g + h), file("", changed + g + h), file("", g + h + f),
               file("", g + h + changed));
}

INSTANTIATE_TEST_SUITE_P(Languages, MergeOf, ::testing::ValuesIn(kKinds),
                         [](const auto& row) { return std::string(row.param.language); });

void expect_language_merge(std::string_view language, const std::string& base,
                           const std::string& left, const std::string& right,
                           const std::string& expected) {
  const auto merged = merge_file(find_language(language), {base, left, right}, {});
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->text, expected) << rule_name(merged->rule) << ": " << merged->why;
  EXPECT_TRUE(merged->clean());
}

void expect_language_conflict(std::string_view language, const std::string& base,
                              const std::string& left, const std::string& right) {
  const auto merged = merge_file(find_language(language), {base, left, right}, {});
  ASSERT_TRUE(merged);
  EXPECT_FALSE(merged->clean()) << rule_name(merged->rule) << "\n" << merged->text;
}

TEST(MergePython, AnImportBesideSortedOnes) {
  const auto file = [](const std::string& imports, const std::string& more) {
    return imports + "\n\ndef f():\n    return 1\n" + more;
  };
  const std::string old = "import c\nimport b\nimport a\n",
                    sorted = "import a\nimport b\nimport c\n";
  const std::string g = "\n\ndef g():\n    return bb\n";
  expect_language_merge("python", file(old, ""), file(sorted, ""),
                        file("import c\nimport b\nimport bb\nimport a\n", g),
                        file("import a\nimport b\nimport bb\nimport c\n", g));
  expect_language_conflict("python", file(old, ""), file(sorted, ""),
                           file("import c\nimport a\n", ""));
  // A side that adds something besides means more than their order.
  expect_language_conflict("python", file(old, ""),
                           file("import a\nimport aa\nimport b\nimport c\n", ""),
                           file("import c\nimport b\nimport bb\nimport a\n", ""));
  const std::string two = "x = 1\ny = 2\n", turned = "y = 2\nx = 1\n";
  expect_language_conflict("python", old + two, old + turned,
                           "import c\nimport b\nimport bb\nimport a\n" + two + g);
}

TEST(MergeRuby, ExamplesTasksAndGemsAreDeclared) {
  const std::string a = "  it \"a\" do\n    x\n  end\n", b = "  it \"b\" do\n    y\n  end\n";
  const auto spec = [](const std::string& inner) {
    return "describe \"s\" do\n" + inner + "end\n";
  };
  const std::string o = "  it \"o\" do\n    z\n  end\n";
  expect_language_merge("ruby", spec(o), spec(o + a), spec(o + b), spec(o + a + b));
  expect_language_merge("ruby", "gem 'a'\n", "gem 'a'\ngem 'b', '~> 1'\n", "gem 'a'\ngem 'c'\n",
                        "gem 'a'\ngem 'b', '~> 1'\ngem 'c'\n");
  expect_language_conflict("ruby", "gem 'a'\n", "gem 'a'\ngem 'b', '1'\n",
                           "gem 'a'\ngem 'b', '2'\n");
}

TEST(MergeRuby, ACallIsAnImportOnlyWhenItRequires) {
  expect_language_conflict("ruby", "a 1\n", "a 1\nputs 'b'\n", "a 1\nputs 'c'\n");
  expect_language_conflict("ruby", "a 1\n", "a 1\nx.require 'b'\n", "a 1\nx.require 'c'\n");
}

TEST(MergeRuby, NamesOfWhatIsReadHaveNoOrder) {
  const std::string a = "  attr_reader :a, :b";
  expect_language_merge("ruby", "class A\n" + a + "\nend\n", "class A\n" + a + ", :c\nend\n",
                        "class A\n" + a + ", :d\nend\n", "class A\n" + a + ", :c, :d\nend\n");
  expect_language_conflict("ruby", "f :a, :b\n", "f :a, :b, :c\n", "f :a, :b, :d\n");
}

TEST(MergeBash, ACommandIsAnImportOnlyWhenItSources) {
  expect_language_conflict("bash", "a 1\n", "a 1\necho b\n", "a 1\necho c\n");
}

TEST(MergeBash, CasesAreToldByTheirPatterns) {
  const auto with = [](const std::string& first, const std::string& more) {
    return "case $1 in\n" + first + "  -v) v=1 ;;\n  -h) usage; exit ;;\n" + more +
           "  *) break ;;\nesac\n";
  };
  const std::string n = "  -n|--dry) n=1 ;;\n", q = "  -q) q=1 ;;\n";
  expect_language_merge("bash", with("", ""), with("", n), with("", q), with("", n + q));
  expect_language_conflict("bash", with("", ""), with("", n), with("  -n) n=$2 ;;\n", ""));
  expect_language_conflict("bash", with("", ""), with("", n), with("", "  -n) n=$2 ;;\n"));
  // The order decides which pattern is taken; and a case that goes on in the next one.
  expect_language_conflict("bash", with("", ""), with("", n), with("", "  -*) bad ;;\n"));
  expect_language_conflict("bash", with("", ""), with("", n), with("", "  -q) q=1 ;&\n"));
}

// A list that the base does not have, and both sides begin.
TEST(MergeLists, ThatBothBegin) {
  const auto merged = [](std::string_view language, const std::string& head,
                         const std::string& base, const std::string& left, const std::string& right,
                         const std::string& tail) {
    return merged_as(language, {head + base + tail, head + left + tail, head + right + tail}).text;
  };
  const std::string go = "\n\nfunc f() {\n\tfmt.Println()\n}\n";
  EXPECT_EQ(merged("go", "package a\n\n", "import \"fmt\"", "import (\n\t\"fmt\"\n\t\"os\"\n)",
                   "import (\n\t\"fmt\"\n\t\"strings\"\n)", go),
            "package a\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"strings\"\n)" + go);
  const std::string body = " {\n  int n;\n}\n";
  EXPECT_EQ(merged("java", "class A", "", " implements B", " implements C", body),
            "class A implements B, C" + body);
  EXPECT_EQ(merged("java", "class A", "", " implements B", " implements C, B", body),
            "class A implements C, B" + body);
  EXPECT_EQ(
      merged("java", "class A", " implements B", " implements B, C", " implements B, D", body),
      "class A implements B, C, D" + body);
  const std::string throwing = " {\n    g();\n  }\n}\n";
  EXPECT_EQ(merged("java", "class A {\n  void f()", "", " throws B", " throws C", throwing),
            "class A {\n  void f() throws B, C" + throwing);
  EXPECT_EQ(merged("typescript", "class A", "", " implements B", " implements C", body),
            "class A implements B, C" + body);
  EXPECT_EQ(merged("php", "<?php\nclass A", "", " implements B", " implements C",
                   " {\n  public $n;\n}\n"),
            "<?php\nclass A implements B, C {\n  public $n;\n}\n");
  // There is one class that a class is made from.
  EXPECT_FALSE(
      merged_as("java", {"class A" + body, "class A extends B" + body, "class A extends C" + body})
          .clean());
  EXPECT_FALSE(merged_as("typescript",
                         {"class A" + body, "class A extends B" + body, "class A extends C" + body})
                   .clean());
}

TEST(MergePhp, PropertiesOfAConstructor) {
  const auto text = [](const std::string& more) {
    return "<?php\nclass A {\n  public function __construct(private B $b" + more + ") {}\n}\n";
  };
  EXPECT_EQ(
      merged_as("php", {text(""), text(", private ?C $c = null"), text(", private int $n = 3")})
          .text,
      text(", private ?C $c = null, private int $n = 3"));
  EXPECT_FALSE(
      merged_as("php", {text(""), text(", private C $c"), text(", private int $n = 3")}).clean());
}

TEST(MergeJava, ConstantsBeforeWhatElseAnEnumHas) {
  const auto with = [](const std::string& more) {
    return "enum State {\n  OPEN(1),\n  SHUT(2)" + more + ";\n\n  State(int n) {\n  }\n}\n";
  };
  const std::string one = ",\n  HELD(3)", two = ",\n  LOST(4)";
  expect_language_merge("java", with(""), with(one), with(two), with(one + two));
  expect_language_merge("java", with(","), with(one + ","), with(two + ","), with(one + two + ","));
}

TEST(MergeCsharp, OverloadsAreToldByTypes) {
  const auto type = [](const std::string& inner) {
    return "class A\n{\n    int f(int x) => 1;\n" + inner + "}\n";
  };
  const std::string one = "    int f(string x) => 2;\n", two = "    int f(long x) => 3;\n";
  expect_language_merge("csharp", type(""), type(one), type(two), type(one + two));
}

TEST(MergeKotlin, OverloadsAreToldByTypesAndReceivers) {
  const std::string old = "fun f(x: Int) = 1\n";
  const std::string one = "fun f(x: String) = 2\n", two = "fun String.f(x: String) = 3\n";
  expect_language_merge("kotlin", old, old + one, old + two, old + one + two);
}

TEST(MergePhp, GroupsAndKeysAreSets) {
  expect_language_merge("php", "<?php\nuse A\\{B};\n", "<?php\nuse A\\{B, C};\n",
                        "<?php\nuse A\\{B, D};\n", "<?php\nuse A\\{B, C, D};\n");
  expect_language_merge(
      "php", "<?php\nreturn ['a' => 1];\n", "<?php\nreturn ['a' => 1, 'b' => 2];\n",
      "<?php\nreturn ['a' => 1, 'c' => 3];\n", "<?php\nreturn ['a' => 1, 'b' => 2, 'c' => 3];\n");
}

TEST(MergeTypescript, WhatIsHandedOnHasNoOrder) {
  const std::string a = "export { A } from './a'\n", b = "export { B } from './b'\n";
  for (const char* language : {"typescript", "tsx", "javascript"}) {
    expect_language_merge(language, a, a + b, a + "export * from './c'\n",
                          a + b + "export * from './c'\n");
    expect_language_conflict(language, a, a + b, a + "run()\n");
  }
}

TEST(MergeTypescript, AParameterOfWhichBothWantMore) {
  const auto f = [](const std::string& wanted, const std::string& more) {
    return "export function Card({ title" + wanted + " }: Props" + more +
           ") {\n  return title;\n}\n";
  };
  for (const char* language : {"typescript", "tsx"}) {
    expect_language_merge(language, f("", ""), f(", left", ""), f(", right = 1", ""),
                          f(", left, right = 1", ""));
    expect_language_conflict(language, f("", ""), f(", one = 1", ""), f(", one = 2", ""));
    expect_language_conflict(language, f("", ""), f(", left", ""), f(", ...rest", ""));
    expect_language_conflict(language, f(", all", ""), f("", ""), f(", all, right", ""));
    expect_language_conflict(language, f("", ", n: A"), f("", ", n: B"), f(", right", ", n: A"));
    expect_language_conflict(language, f("", ", n: A, m: A"), f("", ", n: B, m: A"),
                             f("", ", n: A, m: B"));
  }
}

// What is first in one version has nothing before it there.
TEST(MergePython, AConflictBeforeWhatIsFirstOnOneSide) {
  const std::string head = "def edit(name", body = "    size = 1\n    return size\n";
  const std::string import = "    import os\n", more = "    if size:\n        os.stat(size)\n\n";
  const Merged merged =
      merged_as("python", {head + "):\n" + import + "\n" + body, head + "):\n" + body,
                           head + ", size=2):\n" + import + "\n" + more + body});
  EXPECT_EQ(merged.text, head + ", size=2):\n<<<<<<< left\n=======\n" + import + "\n" + more +
                             ">>>>>>> right\n" + body);
}

}  // namespace
}  // namespace gittxn::semantic
