// What is peculiar to one language when its files fall into symbols, and when two changes meet.
// What all have in common is in symbol_test.cc and commute_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "semantic/commute.h"
#include "semantic/symbol.h"
#include "semantic/testing/commuting.h"

namespace gittxn::semantic {
namespace {

using ::testing::Contains;
using testing::edit;
using testing::kBlock;
using testing::kCommute;
using testing::kValidate;
using ::testing::Not;
using testing::said;

// The worst verdict and its rule, "BLOCK definition-use".
std::string judged(const Footprint& a, const Footprint& b) {
  const Commuted forth = commute(a, b), back = commute(b, a);
  EXPECT_EQ(forth.verdict, back.verdict) << said(forth) << said(back);
  if (forth.findings.empty()) return "COMMUTE";
  return std::string(testing::verdict_name(forth.verdict)) + " " +
         std::string(rule_name(forth.findings.front().rule));
}

// What of `id` differs between two texts of one file.
std::string changed_hashes(const std::string& path, const std::string& id,
                           const std::string& before, const std::string& after) {
  const auto find = [&](const FileSymbols& file) -> Symbol {
    for (const Symbol& symbol : file.symbols) {
      if (symbol.id == path + "/" + id) return symbol;
    }
    ADD_FAILURE() << "no " << id << " in " << path;
    return {};
  };
  const Symbol x = find(symbols_of(language_of(path, before), path, before, {}));
  const Symbol y = find(symbols_of(language_of(path, after), path, after, {}));
  std::string out;
  for (std::size_t i = 0; i < kCapabilities; ++i) {
    if (x.hashes[i] == y.hashes[i]) continue;
    out += std::string(capability_name(static_cast<Capability>(i))) + " ";
  }
  return out;
}

std::vector<std::string> ids(const std::string& path, const std::string& text) {
  std::vector<std::string> all;
  for (const Symbol& symbol : symbols_of(language_of(path, text), path, text, {}).symbols) {
    all.push_back(symbol.id.substr(path.size() + 1));
  }
  return all;
}

// Whether a name that `text` uses, in a function that is new, is one that a file elsewhere gives.
std::string use_of(const std::string& path, const std::string& text, const std::string& other,
                   const std::string& before, const std::string& after) {
  return judged(edit(path, "", text), edit(other, before, after));
}

// ---- several names in one declaration ----

TEST(Names, EveryNameOfADeclarationIsGiven) {
  const auto gone = [](const std::string& path, const std::string& text, const std::string& user) {
    return judged(edit(path, text, ""), edit("user" + path.substr(path.rfind('.')), "", user));
  };
  EXPECT_THAT(
      gone("A.java", "class A { int first, second; }", "class B { int g() { return first; } }"),
      ::testing::StartsWith("BLOCK"));
  EXPECT_THAT(
      gone("A.java", "class A { int first, second; }", "class B { int g() { return second; } }"),
      ::testing::StartsWith("BLOCK"));
  EXPECT_THAT(
      gone("A.cs", "class A { int first, second; }", "class B { int G() { return first; } }"),
      ::testing::StartsWith("BLOCK"));
  EXPECT_THAT(gone("a.js", "const first = 1, second = 2;\n", "function f() { return first; }\n"),
              ::testing::StartsWith("BLOCK"));
  EXPECT_THAT(gone("a.go", "package p\n\nvar first, second = 1, 2\n",
                   "package p\n\nfunc f() int { return first }\n"),
              ::testing::StartsWith("BLOCK"));
  EXPECT_THAT(gone("a.php", "<?php\nclass A { public $first, $second; }\n",
                   "<?php\nfunction f($a) { return $a->first; }\n"),
              ::testing::StartsWith("BLOCK"));
  EXPECT_THAT(
      gone("a.rb", "class A\n  attr_reader :first, :second\nend\n", "def f(a)\n  a.second\nend\n"),
      ::testing::StartsWith("BLOCK"));
  EXPECT_THAT(gone("a.sh", "export FIRST=1 SECOND=2\n", "f() {\n  echo $FIRST\n}\n"),
              ::testing::StartsWith("BLOCK"));
}

TEST(Names, APropertyAmongParametersIsGiven) {
  EXPECT_EQ(use_of("b.kt", "fun f(p: Point) = p.width\n", "a.kt", "class Point(val width: Int)\n",
                   "class Point(val width: Long)\n"),
            "BLOCK definition-use");
  EXPECT_EQ(use_of("B.java", "class B { int f(Point p) { return p.width(); } }\n", "A.java",
                   "record Point(int width) {}\n", "record Point(long width) {}\n"),
            "BLOCK definition-use");
  EXPECT_EQ(use_of("b.cs", "class B { int F(Point p) { return p.Width; } }\n", "a.cs",
                   "record Point(int Width);\n", "record Point(long Width);\n"),
            "BLOCK definition-use");
  EXPECT_EQ(use_of("b.php", "<?php\nfunction f($p) { return $p->width; }\n", "a.php",
                   "<?php\nclass P { function __construct(private int $width) {} }\n",
                   "<?php\nclass P { function __construct(private float $width) {} }\n"),
            "BLOCK definition-use");
}

// ---- names that are one's own ----

TEST(Names, AVariableIsNoFunctionOfItsName) {
  // The parameter is the function's own, what is called is not.
  EXPECT_EQ(use_of("B.java", "class B { int f(int price) { return price(price); } }\n", "A.java",
                   "class A { int price(int a) { return a; } }\n",
                   "class A { int price(int a, int b) { return a; } }\n"),
            "BLOCK definition-use");
  EXPECT_EQ(use_of("b.rb", "def f(price)\n  price(price)\nend\n", "a.rb",
                   "def price(a)\n  a\nend\n", "def price(a, b)\n  a\nend\n"),
            "BLOCK definition-use");
  EXPECT_EQ(use_of("b.php", "<?php\nfunction f($price) { return price($price); }\n", "a.php",
                   "<?php\nfunction price($a) { return $a; }\n",
                   "<?php\nfunction price($a, $b) { return $a; }\n"),
            "BLOCK definition-use");
  EXPECT_EQ(use_of("b.kt", "fun f(price: Int) = price(price)\n", "a.kt", "fun price(a: Int) = a\n",
                   "fun price(a: Int): Int = a\n"),
            "BLOCK definition-use");
  EXPECT_EQ(use_of("b.sh", "f() {\n  local price=1\n  price $price\n}\n", "a.sh",
                   "price() {\n  echo 1\n}\n", ""),
            "BLOCK definition-use");
}

TEST(Names, AVariableIsItsFunctionsOwn) {
  EXPECT_EQ(use_of("b.rb", "def f(xs)\n  price = 1\n  xs.map { |y| y + price }\nend\n", "a.rb",
                   "def price\n  1\nend\n", ""),
            "COMMUTE");
  EXPECT_EQ(use_of("b.php", "<?php\nfunction f($price) { return $price; }\n", "a.php",
                   "<?php\nfunction price() { return 1; }\n", "<?php\n"),
            "COMMUTE");
  EXPECT_EQ(use_of("b.kt", "fun f(): Int {\n    val price = 1\n    return price\n}\n", "a.kt",
                   "val price = 2\n", ""),
            "COMMUTE");
  EXPECT_EQ(use_of("b.cs", "class B { int F() { int price = 1; return price; } }\n", "a.cs",
                   "class A { int price; }\n", ""),
            "COMMUTE");
  EXPECT_EQ(use_of("b.sh", "f() {\n  local price=1\n  echo $price\n}\n", "a.sh", "price=2\n", ""),
            "COMMUTE");
}

TEST(Names, WhereTheOwnNameEnds) {
  // A method inside a method, a closure's outer variables, and what a function says is global.
  EXPECT_EQ(use_of("b.rb", "def f\n  price = 1\n  def g\n    price\n  end\nend\n", "a.rb",
                   "def price\n  1\nend\n", ""),
            "BLOCK definition-use");
  EXPECT_EQ(use_of("b.php", "<?php\nfunction f() { global $price; return $price; }\n", "a.php",
                   "<?php\nclass A { const price = 1; }\n", "<?php\n"),
            "BLOCK definition-use");
  EXPECT_EQ(use_of("b.kt", "fun f(): Int {\n    run { val price = 1 }\n    return price\n}\n",
                   "a.kt", "val price = 2\n", ""),
            "BLOCK definition-use");
  EXPECT_EQ(use_of("b.cs", "class B { int F(int Price) { return Price.Of(1); } }\n", "a.cs",
                   "class Price {}\n", ""),
            "BLOCK definition-use");
  EXPECT_EQ(
      use_of("b.sh", "f() {\n  price=1\n}\ng() {\n  echo $price\n}\n", "a.sh", "price=2\n", ""),
      "BLOCK definition-use");
}

TEST(Names, InStrings) {
  EXPECT_EQ(
      use_of("b.kt", "fun f() = \"it is $price of $all.name\"\n", "a.kt", "val price = 2\n", ""),
      "BLOCK definition-use");
  EXPECT_EQ(use_of("b.php", "<?php\nfunction f($a) { return \"is $a->price \"; }\n", "a.php",
                   "<?php\nclass A { public $price; }\n", "<?php\n"),
            "BLOCK definition-use");
  EXPECT_EQ(use_of("b.sh", "f() {\n  echo \"is $(price 1)\"\n}\n", "a.sh",
                   "price() {\n  echo 1\n}\n", ""),
            "BLOCK definition-use");
  EXPECT_EQ(use_of("b.sh", "trap 'rm -f x; price' EXIT\n", "a.sh", "price() {\n  echo 1\n}\n", ""),
            "BLOCK definition-use");
  // Words of a text are none.
  EXPECT_EQ(use_of("b.kt", "fun f() = \"the price of it\"\n", "a.kt", "val price = 2\n", ""),
            "COMMUTE");
  EXPECT_EQ(use_of("b.rb", "def f\n  <<~TEXT\n    the price\n  TEXT\nend\n", "a.rb",
                   "def price\n  1\nend\n", ""),
            "COMMUTE");
}

// ---- parts of one thing in several files ----

TEST(Open, AModuleOpenedTwiceDecidesOnce) {
  const std::string a = "class Cart\n  def price\n    1\n  end\nend\n";
  EXPECT_EQ(judged(edit("a.rb", "", a), edit("b.rb", "", a)), "BLOCK both-added");
  EXPECT_EQ(judged(edit("a.cs", "", "partial class Cart { int Price() { return 1; } }\n"),
                   edit("b.cs", "", "partial class Cart { int Price() { return 2; } }\n")),
            "BLOCK both-added");
  // An overload is another one.
  EXPECT_NE(judged(edit("a.cs", "partial class Cart { }\n",
                        "partial class Cart { int Price() { return 1; } }\n"),
                   edit("b.cs", "partial class Cart { }\n",
                        "partial class Cart { int Price(int a) { return 2; } }\n")),
            "BLOCK both-added");
  // Two scripts have their own helpers.
  EXPECT_NE(judged(edit("a.sh", "", "usage() {\n  echo a\n}\n"),
                   edit("b.sh", "", "usage() {\n  echo b\n}\n")),
            "BLOCK both-added");
}

TEST(Open, AMixinIsASupertype) {
  const std::string base = "module Priced\n  def price\n    1\n  end\nend\n";
  const std::string more =
      "module Priced\n  def price\n    1\n  end\n  def tax(a)\n    a\n  end\nend\n";
  EXPECT_EQ(judged(edit("a.rb", base, more), edit("b.rb", "", "class A\n  include Priced\nend\n")),
            "BLOCK implementers");
  EXPECT_EQ(judged(edit("a.php", "<?php\ntrait Priced { }\n",
                        "<?php\ntrait Priced { abstract function tax(); }\n"),
                   edit("b.php", "<?php\nclass A { }\n", "<?php\nclass A { use Priced; }\n")),
            "BLOCK implementers");
}

TEST(Open, AnExtensionIsAMemberOfWhatItExtends) {
  EXPECT_EQ(judged(edit("a.kt", "fun String.shout() = 1\n", "fun String.shout(a: Int) = 1\n"),
                   edit("b.kt", "", "fun f(s: String) = s.shout()\n")),
            "BLOCK definition-use");
  EXPECT_EQ(judged(edit("a.cs", "static class A { public static int Shout(this string s) => 1; }\n",
                        "static class A { public static long Shout(this string s) => 1; }\n"),
                   edit("b.cs", "", "class B { long F(string s) => s.Shout(); }\n")),
            "BLOCK definition-use");
  // Two types may have one each.
  EXPECT_EQ(judged(edit("a.kt", "", "fun String.shout() = 1\n"),
                   edit("b.kt", "", "fun Int.shout() = 1\n")),
            "COMMUTE");
}

TEST(Open, AnOperatorIsUsedByASign) {
  const std::string use = "fun f(a: Point, b: Point) = a + b\n";
  EXPECT_EQ(judged(edit("a.kt", "class Point {\n    operator fun plus(o: Point) = o\n}\n",
                        "class Point {\n    operator fun plus(o: Point): Any = o\n}\n"),
                   edit("b.kt", "", use)),
            "VALIDATE ambiguous");
  EXPECT_EQ(judged(edit("a.cs", "class P { public static P operator +(P a, P b) => a; }\n",
                        "class P { public static int operator +(P a, P b) => 1; }\n"),
                   edit("b.cs", "", "class B { object F(P a, P b) => a + b; }\n")),
            "VALIDATE ambiguous");
}

// ---- what brings in names that it does not say ----

TEST(Imports, ThatDoNotParseHaveAnEnd) {
  for (const std::string_view text :
       {"use a::{B, {\"c\": D};\n", "use a::{b::{c::{;\nfn f() {}\n", "use {,;\n"}) {
    EXPECT_EQ(judged(edit("a.rs", "", std::string(text)), edit("b.rs", "", "fn g() {}\n")),
              "COMMUTE")
        << text;
  }
  for (const std::string_view text : {"<?php\nuse as;\n", "<?php\nuse A\\{as, B};\n"}) {
    EXPECT_EQ(judged(edit("a.php", "", std::string(text)), edit("b.php", "", "<?php\ng();\n")),
              "VALIDATE ambiguous")
        << text;
  }
}

TEST(Imports, ThatDoNotSayWhatTheyBring) {
  const auto brings = [](const std::string& path, const std::string& base,
                         const std::string& import, const std::string& use) {
    return judged(edit(path, base, import), edit(path, base, use));
  };
  EXPECT_EQ(
      brings("a.rb", "def f\n  1\nend\n", "require 'm'\ndef f\n  1\nend\n", "def f\n  g(1)\nend\n"),
      "VALIDATE import");
  EXPECT_EQ(brings("a.sh", "f() {\n  echo 1\n}\n", "source m.sh\nf() {\n  echo 1\n}\n",
                   "f() {\n  g 1\n}\n"),
            "VALIDATE import");
  EXPECT_EQ(brings("a.cs", "class A { int F() { return 1; } }\n",
                   "using M;\nclass A { int F() { return 1; } }\n",
                   "class A { int F() { return G(1); } }\n"),
            "VALIDATE import");
  EXPECT_EQ(brings("a.php", "<?php\nfunction f() { return 1; }\n",
                   "<?php\nrequire 'm.php';\nfunction f() { return 1; }\n",
                   "<?php\nfunction f() { return g(1); }\n"),
            "VALIDATE import");
  // One that says it blocks only who uses it.
  EXPECT_EQ(brings("a.php", "<?php\nfunction f() { return 1; }\n",
                   "<?php\nuse M\\{Tax as Duty};\nfunction f() { return 1; }\n",
                   "<?php\nfunction f() { return g(1); }\n"),
            "COMMUTE");
  EXPECT_EQ(brings("a.php", "<?php\nfunction f() { return 1; }\n",
                   "<?php\nuse M\\Tax, M\\Duty;\nfunction f() { return 1; }\n",
                   "<?php\nfunction f() { return new Tax(1); }\n"),
            "BLOCK import");
  EXPECT_EQ(
      brings("a.kt", "fun f() = 1\n", "import m.Tax as Duty\nfun f() = 1\n", "fun f() = Duty(1)\n"),
      "BLOCK import");
  // Of all files at once.
  EXPECT_EQ(judged(edit("a.cs", "", "global using M;\n"), edit("b.cs", "", "class B : C {}\n")),
            "VALIDATE import");
}

// ---- capabilities ----

TEST(Parts, OfEachLanguage) {
  EXPECT_EQ(changed_hashes("a.rb", "A#f().", "class A\n  def f\n    1\n  end\nend\n",
                           "class A\n  private\n  def f\n    1\n  end\nend\n"),
            "visibility ");
  EXPECT_EQ(changed_hashes("a.rb", "A#f().", "class A\n  def f\n    1\n  end\nend\n",
                           "class A\n  private def f\n    1\n  end\nend\n"),
            "visibility ");
  EXPECT_EQ(
      changed_hashes("a.rb", "f().", "def f(a, b = 1)\n  1\nend\n", "def f(a, b = 2)\n  1\nend\n"),
      "contract ");
  EXPECT_EQ(changed_hashes("A.cs", "A#F(int).", "class A { int F(int a) => a; }\n",
                           "class A { int F(int a) => -a; }\n"),
            "body ");
  EXPECT_EQ(changed_hashes("A.cs", "A#F(int).", "class A { int F(int a) => a; }\n",
                           "class A { [Obsolete] int F(int a) => a; }\n"),
            "contract ");
  EXPECT_EQ(changed_hashes("A.cs", "A#F(int).", "class A { int F(int a) => a; }\n",
                           "class A { public int F(int a) => a; }\n"),
            "visibility ");
  EXPECT_EQ(changed_hashes("A.cs", "A#P.", "class A { int P { get; set; } = 1; }\n",
                           "class A { int P { get; } = 1; }\n"),
            "signature ");
  EXPECT_EQ(changed_hashes("a.php", "A#f().", "<?php\nclass A { function f($a) {} }\n",
                           "<?php\nclass A { private function f($a = 1) {} }\n"),
            "signature visibility contract ");
  EXPECT_EQ(changed_hashes("a.kt", "f(a:Int).", "fun f(a: Int): Int { return 1 }\n",
                           "internal fun f(a: Int): Int { return 2 }\n"),
            "visibility body ");
  EXPECT_EQ(changed_hashes("a.kt", "", "package a\nval x = 1\n", "package b\nval x = 1\n"),
            "signature ");
  EXPECT_EQ(changed_hashes("a.cs", "", "namespace A;\nclass B {}\n", "namespace C;\nclass B {}\n"),
            "signature ");
  EXPECT_EQ(changed_hashes("a.sh", "A.", "declare A=1\n", "export A=1\n"), "visibility ");
}

TEST(Parts, AStatementIsAUnit) {
  // In each, one side adds a call in a body, the other had only left its caller as it was.
  const auto kept = [](const std::string& path, const std::string& before,
                       const std::string& after) {
    const Footprint footprint = edit(path, before, after);
    for (const Use& use : footprint.uses) {
      if (use.name == "kept") return use.state == UseState::kKept;
    }
    return false;
  };
  EXPECT_TRUE(kept("a.rb", "def f\n  kept(1)\n  a\nend\n", "def f\n  kept(1)\n  b\nend\n"));
  EXPECT_TRUE(
      kept("a.kt", "fun f() {\n    kept(1)\n    a()\n}\n", "fun f() {\n    kept(1)\n    b()\n}\n"));
  EXPECT_TRUE(kept("a.cs", "class A { void F() { kept(1); a(); } }\n",
                   "class A { void F() { kept(1); b(); } }\n"));
  EXPECT_TRUE(kept("a.php", "<?php\nfunction f() { kept(1); a(); }\n",
                   "<?php\nfunction f() { kept(1); b(); }\n"));
  EXPECT_TRUE(kept("a.sh", "f() {\n  kept 1\n  a\n}\n", "f() {\n  kept 1\n  b\n}\n"));
}

TEST(Parts, ASuiteOfExamplesHoldsThem) {
  const std::string suite =
      "describe Cart do\n  it \"one\" do\n    a\n  end\n  it \"two\" do\n    b\n  end\nend\n";
  EXPECT_THAT(ids("a_spec.rb", suite), Contains("`describe.Cart`.`it.\"one\"`."));
  const std::string task = "task :build do\n  a\nend\n";
  EXPECT_THAT(ids("Rakefile", task), Contains("`task.:build`."));
  EXPECT_EQ(judged(edit("a_spec.rb", suite,
                        "describe Cart do\n  it \"one\" do\n    c\n  end\n  it "
                        "\"two\" do\n    b\n  end\nend\n"),
                   edit("a_spec.rb", suite,
                        "describe Cart do\n  it \"one\" do\n    a\n  end\n  it "
                        "\"two\" do\n    d\n  end\nend\n")),
            "COMMUTE");
  EXPECT_EQ(
      judged(edit("Rakefile", task, ""), edit("lib.rake", "", "task all: :build do\n  b\nend\n")),
      "BLOCK definition-use");
}

TEST(Parts, ALooseStatementIsAUnit) {
  // A function may be used by the statements behind it.
  const std::string base = "a(1)\ndef f():\n    pass\nb(1)\n";
  EXPECT_EQ(judged(edit("a.py", base, "a(1)\nb(1)\ndef f():\n    pass\n"),
                   edit("a.py", base, "a(1)\ndef f():\n    return 1\nb(1)\n")),
            "VALIDATE order");
  // Which names one may bind is not known.
  EXPECT_EQ(judged(edit("a.py", "x = 1\n", "x = 1\nsetup(total)\n"),
                   edit("b.py", "", "def g():\n    return total\n")),
            "VALIDATE ambiguous");
  // One that did not change is no new use.
  EXPECT_EQ(judged(edit("a.py", "f(1)\n", "f(1)\ng(1)\n"),
                   edit("b.py", "def f(a):\n    pass\n", "def f(a, b):\n    pass\n")),
            "VALIDATE definition-use");
}

TEST(Parts, WhatAScriptRunsInOrder) {
  EXPECT_EQ(judged(edit("a.sh", "a=1\n", "source x.sh\na=1\n"),
                   edit("a.sh", "a=1\n", "source y.sh\na=1\n")),
            "VALIDATE loose");
  EXPECT_EQ(judged(edit("a.sh", "a=1\n", "a=1\nb=$(x)\n"), edit("a.sh", "a=1\n", "a=1\nc=$(y)\n")),
            "VALIDATE loose");
}

}  // namespace
}  // namespace gittxn::semantic
