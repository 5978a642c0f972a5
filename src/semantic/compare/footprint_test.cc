// What one side did, as commute.h is given it.
#include "semantic/footprint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "semantic/testing/commuting.h"
#include "semantic/testing/edits.h"

namespace gittxn::semantic {
namespace {

using testing::edit;
using testing::replaced;

// Its place among the symbols is another one in each version.
TEST(Footprint, AMemberIsOfTheTypeItIsInNow) {
  const std::string type = "class A:\n  def f(self):\n    return 1\n";
  const std::string before = "class B:\n  pass\n";
  for (const auto& [was, is] : {std::pair(type, "def g():\n  pass\ndef h():\n  pass\n" + type),
                                std::pair(before + type, type), std::pair(type, before + type)}) {
    const Footprint footprint = edit("a.py", was, replaced(is, "return 1", "return 2"));
    const auto write = std::find_if(footprint.writes.begin(), footprint.writes.end(),
                                    [](const Write& each) { return each.symbol == "a.py/A#f()."; });
    ASSERT_NE(write, footprint.writes.end());
    EXPECT_EQ(write->of_type, "A");
  }
}

std::vector<std::string> changed_by(const Footprint& footprint) {
  std::vector<std::string> symbols;
  for (const Write& write : footprint.writes) symbols.push_back(write.symbol);
  return symbols;
}

// The guard is there so that the header counts once; a condition around it is something else, and
// so is a guard around a part of it.
TEST(Footprint, AGuardAroundAHeaderIsNoPartOfWhatItHolds) {
  const std::string held = "int f(int a);\nstruct s { int b; };\n";
  const std::string guarded = "/* One. */\n#ifndef A_H\n#define A_H\n" + held + "#endif\n";
  const std::vector<std::string> its = {"a.h/", "a.h/A_H!"};
  EXPECT_EQ(changed_by(edit("a.h", held, guarded)), its);
  EXPECT_EQ(changed_by(edit("a.h", guarded, held)), its);
  for (const std::string& other :
       {"#ifdef A_H\n" + held + "#endif\n", "#ifndef B_H\n#define A_H\n" + held + "#endif\n",
        guarded + "int g(void);\n",
        "#ifndef A_H\n#define A_H\n" + held + "#else\nint g(void);\n#endif\n"}) {
    EXPECT_GT(changed_by(edit("a.h", held, other)).size(), 3u) << other;
  }
}

// Other pragmas may name what is declared.
TEST(Footprint, OnceInAPragmaIsNoUse) {
  const std::string held = "int f(int a);\n";
  const Footprint changed = edit("a.h", held, "#pragma once\n#pragma weak helper\n" + held);
  const auto is_used = [&](std::string_view name) {
    return std::ranges::find(changed.uses, name, &Use::name) != changed.uses.end();
  };
  EXPECT_FALSE(is_used("once"));
  EXPECT_TRUE(is_used("helper"));
}

TEST(Footprint, AShellFunctionSetsEverybodysVariablesButForLocalOnes) {
  const Footprint changed = edit("a.sh", "f() {\n  :\n}\n",
                                 "f() {\n  one=1\n  local one two\n  two=$(g)\n"
                                 "  for two in a b; do two=$two; done\n  three=3\n}\n");
  ASSERT_EQ(changed.writes.size(), 1U);
  EXPECT_EQ(changed.writes[0].defines, (std::vector<std::string>{"f", "one", "three"}));
}

// One that is declared beside others is what it would be alone.
TEST(Footprint, ADeclarationOfSeveralIsOneOfEach) {
  const std::string one = "struct s {\n  struct s *a, *b;\n};\n";
  const std::string each = "struct s {\n  struct s *a;\n  struct s *b;\n};\n";
  const std::string other = "struct s {\n  struct s *a;\n  int b;\n};\n";
  for (const Write& write : edit("a.h", one, each).writes) EXPECT_FALSE(write.strong());
  const Footprint changed = edit("a.h", one, other);
  for (const Write& write : changed.writes) {
    EXPECT_EQ(write.strong(), write.symbol == "a.h/s#b.") << write.symbol;
  }
}

// Each macro stands for the one behind it many times: 50 to the power of 7 looks, were a macro
// looked at for each.
TEST(Footprint, MacrosThatStandForEachOtherAreLookedAtOnce) {
  std::string chain = "#define A7\n";
  for (int i = 6; i >= 0; --i) {
    chain += "#define A" + std::to_string(i);
    for (int n = 0; n < 50; ++n) chain += " A" + std::to_string(i + 1);
    chain += "\n";
  }
  const std::string was = chain + "#define API A0\n#define OTHER API OTHER\n";
  const std::string is = chain + "#define API A0 A1\n#define OTHER API OTHER API\n";
  const Footprint changed = edit("a.h", was, is);
  ASSERT_EQ(changed.writes.size(), 2u);
  for (const Write& write : changed.writes) {
    EXPECT_EQ(write.linkage, write.defines.front() == "API") << write.symbol;
  }
}

}  // namespace
}  // namespace gittxn::semantic
