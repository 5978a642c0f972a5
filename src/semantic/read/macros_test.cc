// Tests that what only the preprocessor can read is put away, so that the rest of a file of C or
// C++ has symbols, and that it is not out of sight.
#include <gtest/gtest.h>

#include <string>

#include "semantic/commute.h"
#include "semantic/footprint.h"
#include "semantic/symbol.h"
#include "semantic/syntax.h"
#include "semantic/testing/edits.h"

namespace gittxn::semantic {
namespace {

// The kinds and names of what is no file, import or guard; "!" behind what is opaque.
std::string symbols_in_text(const std::string& path, const std::string& text) {
  std::string names;
  for (const Symbol& symbol : symbols_of(language_of(path, text), path, text, {}).symbols) {
    if (symbol.kind == "file" && symbol.opaque) names += "file! ";
    if (symbol.kind == "file" || symbol.kind == "import" || symbol.kind == "guard") continue;
    names += symbol.name + (symbol.opaque ? "! " : " ");
  }
  return names;
}

TEST(Macros, AGuardAgainstCppHidesNothing) {
  const std::string text =
      "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(int a);\nstruct s { int b; };\n"
      "#ifdef __cplusplus\n}\n#endif\n";
  EXPECT_EQ(symbols_in_text("a.h", "#ifndef A_H\n#define A_H\n" + text + "#endif\n"), "A_H f s b ");
  EXPECT_EQ(language_of("a.h", text)->name, "c");
}

TEST(Macros, OneThatStandsAloneInItsLine) {
  EXPECT_EQ(symbols_in_text("a.h", "__BEGIN_DECLS\nextern int f(int);\n__END_DECLS\n"), "f ");
  EXPECT_EQ(symbols_in_text("a.c",
                            "static PATH_FUNC(path, \"a\")\nstatic PATH_FUNC(way, \"b\")\n"
                            "static int f(void) { return 1; }\n"),
            "f ");
}

TEST(Macros, BeforeATypeAndBehindADeclarator) {
  for (const char* text :
       {"API(int) f(int);\n", "EXPORT int f(void);\n", "EXPORT const struct a *f(void);\n",
        "EXPORT size_t f(void);\n", "static int WINAPI f(int a);\n", "int f(int a UNUSED);\n",
        "int f(const char *a, ...) PRINTF(1, 2);\n", "DEPRECATED(\"a\") int f(void);\n",
        "int f UNUSED = 1;\n", "typedef int (APIENTRY *f)(int);\n", "EXPORT struct f;\nint f;\n"}) {
    EXPECT_EQ(symbols_in_text("a.c", text + std::string("int g(void);\n")), "f g ") << text;
  }
  EXPECT_EQ(symbols_in_text("a.cc", "class EXPORT A : public B {\n  int a;\n};\n"), "A a ");
  EXPECT_EQ(symbols_in_text("a.cc", "namespace std VISIBILITY(default) {\nint a;\n}\n"), "std a ");
}

// A name in capitals behind a cast is a value, also where others are macros.
TEST(Macros, NoneIsWhatACastIsOf) {
  for (const char* cast : {"a <= (double)LIMIT", "g((char *)LIMIT, 2)", "g(2, (size_t)LIMIT)"}) {
    for (const char* before : {"return ", "if (", "b = "}) {
      const std::string text = "static int WINAPI f(int a)\n{\n  " + std::string(before) + cast +
                               (std::string_view(before) == "if (" ? ") a = 1;\n}\n" : ";\n}\n");
      const auto tree = Tree::parse(*find_language("c"), text, Budget{});
      ASSERT_NE(tree, nullptr);
      EXPECT_EQ(tree->error_bytes(), 0u) << text;
    }
  }
}

TEST(Macros, AConditionalInAnExpressionAndWithHalfABlock) {
  EXPECT_EQ(symbols_in_text("a.c",
                            "int f(int a) {\n  if (a) {\n    a = 1;\n#ifdef A\n  } else if (b) {\n"
                            "    a = 2;\n#endif\n  }\n  return a;\n}\nint g;\n"),
            "f g ");
  EXPECT_EQ(symbols_in_text("a.c",
                            "int f(int a) {\n  return g(a\n#ifdef A\n    , 1\n#else\n    , 2\n"
                            "#endif\n    );\n}\nint g;\n"),
            "f g ");
  EXPECT_EQ(symbols_in_text("a.c",
                            "int f(int a) {\n#ifdef A\n  if (a) {\n#else\n  {\n#endif\n"
                            "    a = 1;\n  }\n  return a;\n}\nint g;\n"),
            "f g ");
  // Which of them closes it is for the preprocessor to say.
  EXPECT_EQ(symbols_in_text("a.c", "int f(int a) {\n#ifdef A\n  if (a) {\n#endif\n  a = + ;\n}\n"),
            "file! ");
}

TEST(Macros, WhatParsesIsReadAsItIs) {
  EXPECT_EQ(symbols_in_text("a.c", "WITH(int) f(void) { return 1; }\nint g;\n"), "f g ");
  EXPECT_EQ(symbols_in_text("a.cc", "TEST(A, B) { f(); }\nTEST(A, C) { f(); }\n"), "TEST TEST ");
}

Verdict of_two_edits(const std::string& base, const std::string& left, const std::string& right) {
  const Footprint a = footprint_of({{"a.c", base, left}}, {});
  const Footprint b = footprint_of({{"a.c", base, right}}, {});
  return commute(a, b).verdict;
}

TEST(Macros, AChangeOfOneIsSeen) {
  using testing::replaced_once;
  const std::string base = "EXPORT int f(void);\nint g(void) {\n  return 1;\n}\n";
  const std::string exported = replaced_once(base, "EXPORT", "HIDDEN");
  const std::string caller = replaced_once(base, "1", "f()");
  EXPECT_NE(of_two_edits(base, exported, caller), Verdict::kCommute);
  EXPECT_EQ(of_two_edits(base, exported, replaced_once(base, "1", "2")), Verdict::kCommute);
  const std::string lines = "BEGIN_A\nint f(void);\nEND_A\nEXPORT int g(void);\n";
  EXPECT_NE(of_two_edits(lines, replaced_once(lines, "BEGIN_A", "BEGIN_B"),
                         replaced_once(lines, "END_A", "END_B")),
            Verdict::kCommute);
}

TEST(Macros, WhatIsAroundThemIsJudgedAsElsewhere) {
  using testing::replaced_once;
  const std::string base =
      "#ifdef __cplusplus\nextern \"C\" {\n#endif\nAPI(int) f(int a);\nMADE(k) int +;\n"
      "int g(void);\n#ifdef __cplusplus\n}\n#endif\n";
  const auto verdict_with = [&](const std::string& header, const std::string& call) {
    const Footprint a = footprint_of({{"a.h", base, header}}, {});
    const Footprint b = footprint_of(
        {{"b.c", "int u(void) {\n  return 1;\n}\n", "int u(void) {\n  return " + call + ";\n}\n"}},
        {});
    return commute(a, b).verdict;
  };
  const std::string longer = replaced_once(base, "f(int a)", "f(int a, int b)");
  EXPECT_EQ(verdict_with(longer, "f(1)"), Verdict::kBlock);
  EXPECT_EQ(verdict_with(longer, "g()"), Verdict::kCommute);
  EXPECT_EQ(verdict_with(replaced_once(base, "API(int) f(int a);\n", ""), "f(1)"), Verdict::kBlock);
  // Code that did not parse may define any of its words.
  EXPECT_NE(verdict_with(replaced_once(base, "MADE(k)", "MADE(n)"), "k()"), Verdict::kCommute);
  EXPECT_NE(verdict_with(replaced_once(base, "MADE(k) int +;\n", ""), "k()"), Verdict::kCommute);
}

}  // namespace
}  // namespace gittxn::semantic
