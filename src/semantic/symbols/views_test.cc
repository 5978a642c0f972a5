// Tests of what real code declares in each language, as far as ctags would find it: a construct
// that loses its symbols is seen here. tools/symbols-against-ctags measures it on any files.
#include <gtest/gtest.h>

#include <string>

#include "semantic/commute.h"
#include "semantic/footprint.h"
#include "semantic/symbol.h"
#include "semantic/syntax.h"
#include "semantic/testing/edits.h"

namespace gittxn::semantic {
namespace {

// The names of all symbols but imports, in the order of the symbols.
std::string names_in_file(const std::string& language, const std::string& text) {
  std::string names;
  const FileSymbols file = symbols_of(find_language(language), "", text, {});
  for (const Symbol& symbol : file.symbols) {
    if (symbol.opaque) names += "opaque:";
    if (symbol.kind == "import" || symbol.kind == "file") continue;
    names += short_name(language, symbol.kind, symbol.name) + " ";
  }
  return names;
}

TEST(Views, NamesOfC) {
  EXPECT_EQ(names_in_file("c", "int a[3], *b, c = 1;\n"), "c a b ");
  EXPECT_EQ(names_in_file("c", "int (*call)(int);\nconst char **names(void);\n"), "call names ");
  EXPECT_EQ(names_in_file("c", "static const char *list[] = {\"a\"};\n"), "list ");
  EXPECT_EQ(
      names_in_file("c", "struct s { int x, *y; struct { int in; } u; union { int q; }; } v;\n"),
      "v s y u in q x ");
  EXPECT_EQ(names_in_file("c", "typedef struct { int t; } T, *P;\nenum { A, B };\n"), "P t A B T ");
  EXPECT_EQ(names_in_file("c", "typedef int CALLBACK(call)(const char *name);\n"), "call ");
  EXPECT_EQ(names_in_file("c", "#if A\n#define B 1\n#elif C\n#define D 2\n#endif\n"), "A B D ");
  EXPECT_EQ(names_in_file("c", "int f(void) {\n#define LIMIT 1\n  int local;\n}\n"), "f LIMIT ");
}

TEST(Views, NamesOfCpp) {
  EXPECT_EQ(names_in_file("cpp",
                          "class A {\n struct B { int b; };\n enum class C { kD };\n"
                          " enum { kE };\n int *p();\n const int &r() const;\n};\n"),
            "A B b C kD kE p r ");
  EXPECT_EQ(names_in_file("cpp", "namespace {\nint f() { return 1; }\nint a;\n}\n"), "f a ");
  EXPECT_EQ(names_in_file("cpp",
                          "TEST(A, B) { f(); }\nint A<int>::f() { return 1; }\n"
                          "template <> struct H<int> { int z; };\n"),
            "TEST f H z ");
  EXPECT_EQ(names_in_file("cpp",
                          "template <typename T> constexpr bool ok = false;\n"
                          "template <typename T> T *get(T a);\n"),
            "ok get ");
}

TEST(Views, NamesOfScripts) {
  EXPECT_EQ(names_in_file("javascript",
                          "exports.a = 1;\nexports.b = function () {};\n"
                          "X.prototype.c = function () {};\napp.d = () => 1;\n"),
            "a b c d ");
  EXPECT_EQ(names_in_file("javascript", "X.prototype.a = f;\nX.prototype.b = X.prototype.c = f;\n"),
            "a b c ");
  EXPECT_EQ(names_in_file("javascript", "module.exports = function a(b) {};\nexports.c = 1;\n"),
            "exports c a ");
  EXPECT_EQ(
      names_in_file("javascript", "module.exports = { a: 1, b() {}, c: function () {}, d };\n"),
      "exports a b c d ");
  EXPECT_EQ(names_in_file("javascript", "var a = 1, b = { c: 1, d: { e: 2 } };\n"), "b a c d e ");
  EXPECT_EQ(names_in_file("javascript", "(function () { var a; function b() { var no; } })();\n"),
            "a b ");
  EXPECT_EQ(names_in_file("javascript", "function A() { this.b = function () { let no; }; }\n"),
            "A b ");
  EXPECT_EQ(names_in_file("javascript", "const { a, b: c } = d;\n"), "{a,b:c} a c ");
  EXPECT_EQ(names_in_file("javascript", "define(['a'], function (a) { function b() {} });\n"),
            "b ");
  EXPECT_EQ(names_in_file("javascript",
                          "(function (f) { f(); })(function () { a.b = function () {};"
                          " var c = 1; });\n"),
            "b c ");
  EXPECT_EQ(names_in_file("javascript",
                          "(function (f) { f(); }(this, (function (a) { function b() {} })));\n"),
            "b ");
  EXPECT_EQ(names_in_file("javascript", "var a = { 'x-y': 1, '%z%': { w: 2 } };\n"),
            "a x-y %z% w ");
  EXPECT_EQ(names_in_file("javascript", "A = new function () { this.b = function () {}; };\n"),
            "A b ");
  EXPECT_EQ(names_in_file("javascript", "f(function () { function no() {} });\n"), "");
  EXPECT_EQ(names_in_file("typescript",
                          "declare function a(b: number): void;\ndeclare const c: 1;\n"
                          "declare class D { e: number }\nexport declare enum F { G }\n"),
            "a c D e F G ");
  EXPECT_EQ(names_in_file("typescript",
                          "declare module \"m\" { export const a: 1; function b(): 1; }\n"
                          "declare global { interface C { d: 1 } }\n"
                          "export namespace E { const f = 1; }\n"),
            "\"m\" a b E f C d ");
  EXPECT_EQ(names_in_file("typescript",
                          "class A { constructor(private a: B, readonly c: D, e: F) {} }\n"),
            "A constructor a c ");
}

TEST(Views, NamesOfOtherLanguages) {
  EXPECT_EQ(names_in_file("go",
                          "package p\n\nconst (\n\tA = iota\n\tB\n)\n\nconst C, D = 1, 2\n\n"
                          "type S struct {\n\ta, b int\n}\n\nvar x, y int\n"),
            "A D S b y B C a x ");
  EXPECT_EQ(names_in_file("rust", "extern \"C\" {\n    fn a();\n}\n"), "a ");
  EXPECT_EQ(names_in_file("java", "class A { int a, b; }\nrecord P(int x) {}\n"), "A b P a x ");
  EXPECT_EQ(names_in_file("python", "if a:\n    B = 1\n    def c():\n        no = 1\n"), "B c ");
  EXPECT_EQ(names_in_file("ruby", "class A\n  attr_accessor :a, :b\n  alias_method :c, :d\nend\n"),
            "A a c b ");
  EXPECT_EQ(names_in_file("php", "<?php\nif (a()) {\n  define('B', 1);\n}\nfunction c() {}\n"),
            "c B ");
}

TEST(Views, AreLookedUpWhereTheyGiveAName) {
  const auto defines = [](const char* language, const std::string& text, std::string_view name) {
    for (const Symbol& symbol : symbols_of(find_language(language), "", text, {}).symbols) {
      if (symbol.name == name) return symbol.defines == std::vector<std::string>{std::string(name)};
    }
    return false;
  };
  EXPECT_TRUE(defines("c", "int a, b;\n", "a"));
  EXPECT_TRUE(defines("javascript", "module.exports = { a: 1 };\n", "a"));
  EXPECT_FALSE(defines("javascript", "const b = { a: 1 };\n", "a"));
}

Verdict of_edits(const char* path, const std::string& base, const std::string& left,
                 const std::string& right) {
  return commute(footprint_of({{path, base, left}}, {}), footprint_of({{path, base, right}}, {}))
      .verdict;
}

TEST(Views, OneThatIsRemovedIsMissed) {
  using testing::replaced_once;
  const std::string c =
      "struct s {\n  int listen, ctl, data;\n};\nint f(struct s *a) { return 1; }\n";
  EXPECT_EQ(of_edits("a.c", c, replaced_once(c, "ctl, ", ""), replaced_once(c, "1", "a->ctl")),
            Verdict::kBlock);
  const std::string go =
      "package p\n\nconst (\n\tA = iota\n\tB\n\tC\n)\n\nfunc f() int { return 1 }\n";
  EXPECT_EQ(of_edits("a.go", go, replaced_once(go, "\tB\n", ""),
                     replaced_once(go, "return 1", "return B")),
            Verdict::kBlock);
  const std::string cpp =
      "class A {\n  struct B {\n    int b;\n  };\n};\nint f(A::B c) { return 1; }\n";
  EXPECT_EQ(of_edits("a.cc", cpp, replaced_once(cpp, "int b;", "int d;"),
                     replaced_once(cpp, "return 1", "return c.b")),
            Verdict::kBlock);
}

TEST(Views, ConstantsOfOneGroupAreOneWhereTheyCount) {
  using testing::replaced_once;
  const auto verdict = [](const std::string& specs) {
    const std::string go = "package p\n\nconst (\n" + specs + ")\n";
    return of_edits("a.go", go, replaced_once(go, "A", "X"), replaced_once(go, "9", "8"));
  };
  EXPECT_EQ(verdict("\tA = 1\n\tB = 2 * C\n\tD = \"d\"\n\tE int = 9\n"), Verdict::kCommute);
  EXPECT_EQ(verdict("\tA = 1\n\tB\n\tE = 9\n"), Verdict::kBlock);
  EXPECT_EQ(verdict("\tA = 1\n\tB = 1 << (10 * iota)\n\tE = 9\n"), Verdict::kBlock);
  EXPECT_EQ(verdict("\tA, B = 1, iota\n\tE = 9\n"), Verdict::kBlock);
}

TEST(Views, TwoFunctionsOfOneUnnamedNamespaceAreTwo) {
  using testing::replaced_once;
  const std::string cpp = "namespace {\nint f() { return 1; }\nint g() { return 2; }\n}\n";
  EXPECT_EQ(of_edits("a.cc", cpp, replaced_once(cpp, "1", "3"), replaced_once(cpp, "2", "4")),
            Verdict::kCommute);
  const std::string js = "app.f = function () { return 1; };\napp.g = function () { return 2; };\n";
  EXPECT_EQ(of_edits("a.js", js, replaced_once(js, "1", "3"), replaced_once(js, "2", "4")),
            Verdict::kCommute);
}

}  // namespace
}  // namespace gittxn::semantic
