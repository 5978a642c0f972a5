// What grammars accept and languages do not is an error, and what is valid is none.
#include "semantic/read/parse.h"

#include <gtest/gtest.h>

#include <string>

#include "semantic/symbol.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {
namespace {

std::size_t errors(std::string_view language, const std::string& text) {
  const auto tree = Tree::parse(*find_language(language), text, {});
  return tree == nullptr ? 0 : tree->error_bytes();
}

void expect_valid(std::string_view language, const std::string& text) {
  EXPECT_EQ(errors(language, text), 0u) << language << ":\n" << text;
}

// Where it is no more than a name the whole file is one symbol, for anything may be elsewhere.
void expect_misread(std::string_view language, const std::string& path, const std::string& text) {
  EXPECT_GT(errors(language, text), 0u) << language << ":\n" << text;
  EXPECT_TRUE(symbols_of(find_language(language), path, text, {}).opaque) << text;
}

TEST(Misread, APythonSuiteWithoutAStatement) {
  expect_misread("python", "a.py", "class A:\nx = 1\n");
  expect_misread("python", "a.py", "def f():\n    # nothing\n\nx = 1\n");
  expect_misread("python", "a.py", "if x:\n    pass\nelse:\n");
  expect_misread("python", "a.py", "class A:\n    def f(self):\nimport os\n        return 1\n");
}

TEST(Misread, APythonStatementThatIsNotAsDeepAsItsBlock) {
  expect_misread("python", "a.py", "  x = 1\n");
  expect_misread("python", "a.py", "def f():\n    a()\n      b()\n");
  expect_misread("python", "a.py", "def f():\n      a()\n    b()\n");
  expect_misread("python", "a.py", "def f():\n    a()\nimport os\n    b()\n");
  // No deeper than what it is in.
  expect_misread("python", "a.py", "if a:\n    def f():\n        # b\n    x = 1\n");
}

TEST(Misread, APythonClassIsOpaqueAloneWhereItHoldsTheStatement) {
  const std::string inside = "    def f(self):\n        a()\n          b()\n";
  const std::string method = "    x = 1\n      def f(self):\n        a()\n";
  for (const std::string& part : {inside, method}) {
    const FileSymbols file = symbols_of(find_language("python"), "a.py",
                                        "class A:\n" + part + "class B:\n  y = 1\n", {});
    EXPECT_FALSE(file.opaque);
    for (const Symbol& symbol : file.symbols) EXPECT_EQ(symbol.opaque, symbol.name == "A");
  }
}

TEST(Misread, ValidPython) {
  expect_valid("python", "class A: pass\nif a: b(); c()\nelse: d()\n");
  expect_valid("python", "class A(object):\n\tx = 1\n\n\tdef f(self, a=(1,\n  2)):\n\t\tpass\n");
  // Tabs go to every eighth column.
  expect_valid("python", "if a:\n        b()\n\tc()\n");
  expect_valid("python", "def f():\n    a = \"\"\"\nb\n\"\"\"; c()\n    return \\\n  a\n");
  expect_valid("python", "def f():\n    a(); \\\n  b()\n    # c\n  # d\n    e()\n# g\n");
  expect_valid("python", "\xef\xbb\xbfimport os\r\nif a:\r\n    b()\r\n\r\n    c()\r\n");
  expect_valid("python", "match a:\n    case 1:\n        b()\n    case _: c()\n");
  expect_valid("python", "try:\n  a()\nexcept E:\n    b()\nfinally:\n c()\n");
  expect_valid("python", "@a\ndef f():\n    with a as b, \\\n         c as d:\n        pass\n");
}

TEST(Misread, AnEndOfRubyThatEndsNothing) {
  expect_misread("ruby", "a.rb",
                 "module M\n  klass << self\n    a\n  end\n  alias b c\nend\nend\n");
  expect_misread("ruby", "a.rb", "def f\n  a\nend\nend.each { |x| x }\n");
  expect_valid("ruby", "def f(end: 1)\n  range.end.to_s\n  self.end = 2\n  f(end: 3)\nend\n");
  expect_valid("ruby",
               "alias end stop\nundef end\ndef end; 1; end\nx = { end: 1, :end => %w[end] }\n");
  expect_valid("ruby", "[1].each do |x|\nend.map { |y| y }\nA::end\n");
}

TEST(Misread, AWordOfBashThatEndsNothing) {
  expect_misread("bash", "a.sh", "f() {\n  a\n}\n}\ng() {\n  b\n}\n");
  expect_misread("bash", "a.sh", "whyle a; do\n  b\ndone\n");
  expect_misread("bash", "a.sh", "a\nfi\n");
  expect_valid("bash", "f() { echo fi done '}' esac; }\nif a; then b; else c; fi\n");
  expect_valid("bash", "case $1 in fi) a ;; *) \"done\" ;; esac\nfor do in 1; do b; done\n");
}

TEST(Misread, AHereDocumentOfPhpThatGoesOn) {
  // Nothing else makes sense of a second "<?php".
  for (const std::string word : {"T", "\"T\""}) {
    const std::string text = "<?php\n$a = [<<<" + word + "\n  one\n  T];\nfunction f() {}\n";
    expect_valid("php", text);
    expect_misread("php", "a.php", text + text);
  }
  expect_valid("php", "<?php\n$a = <<<T\n  one Two\n  Tn $b\nT;\n$c = <<<'T'\n  T2\n  T;\n");
}

}  // namespace
}  // namespace gittxn::semantic
