// A name of one function that one side took away, or moved, and the other side says once more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "semantic/testing/merging.h"

namespace gittxn::semantic {
namespace {

using ::testing::HasSubstr;

struct Unbinding {
  std::string_view language, name;
  std::string head, with, without, middle, use, tail;

  std::string text(const std::string& first, const std::string& last) const {
    return head + first + middle + last + tail;
  }
  // Only the side that adds `more` says something in the second place.
  Sides<std::string> sides(const std::string& more) const {
    return {text(with, ""), text(without, ""), text(with, more)};
  }
};

const Unbinding kTotalInPython = {
    "python",
    "count",
    "def total(orders):\n",
    "    count = len(orders)\n    log(count)\n",
    "    log(orders)\n",
    "    amount = 0\n    for order in orders:\n        amount += order.price\n",
    "    stats.record(count)\n",
    "    return amount\n"};

TEST(Unbound, ALocalOrAParameterThatOneSideTookAway) {
  const Unbinding all[] = {
      kTotalInPython,
      {"typescript", "start", "export function f(p: string) {\n",
       "  const start = Date.now();\n  log(start);\n", "  log(p);\n", "  a(p);\n  b(p);\n",
       "  g({ start });\n", "  return p;\n}\n"},
      {"javascript", "rest", "function f(all) {\n", "  const { rest } = all;\n  log(rest);\n",
       "  log(all);\n", "  a();\n  b();\n", "  g(`all ${rest}`);\n", "  return all;\n}\n"},
      {"go", "n", "package a\n\nfunc f(x []int) int {\n", "\tn := len(x)\n\tlog(n)\n", "\tlog(0)\n",
       "\ta(x)\n\tb(x)\n", "\tg(n)\n", "\treturn 1\n}\n"},
      {"rust", "n", "fn f(x: &X", ", n: i32) -> i32 {\n    log(n);\n", ") -> i32 {\n    log(0);\n",
       "    a(x);\n    b(x);\n", "    println!(\"{}\", n);\n", "    1\n}\n"},
      {"java", "n", "class A {\n  int f(X x) {\n", "    int n = x.size();\n    log(n);\n",
       "    log(x);\n", "    a(x);\n    b(x);\n", "    g(n);\n", "    return 1;\n  }\n}\n"},
  };
  for (const Unbinding& each : all) {
    EXPECT_THAT(why_not_as(each.language, each.sides(each.use)),
                HasSubstr("one side no longer defines '" + std::string(each.name) + "' in"))
        << each.language;
    EXPECT_TRUE(merged_as(each.language, each.sides("")).clean()) << each.language;
  }
}

TEST(Unbound, WhatOnlyChangesItsValue) {
  for (const std::string use :
       {"    count -= 1\n", "    for order in orders:\n        count += 1\n"}) {
    EXPECT_THAT(why_not_as("python", kTotalInPython.sides(use)),
                HasSubstr("one side no longer defines 'count' in"))
        << use;
  }
  const auto of = [](const std::string& own, const std::string& more) {
    return "def f(x)\n" + own + "  a(x)\n  b(x)\n" + more + "  x\nend\n";
  };
  const auto sides = [&](const std::string& more) -> Sides<std::string> {
    return {of("  n = 1\n  log(n)\n", ""), of("  log(1)\n", ""), of("  n = 1\n  log(n)\n", more)};
  };
  EXPECT_THAT(why_not_as("ruby", sides("  n += 1\n")),
              HasSubstr("one side no longer defines 'n' in"));
  EXPECT_TRUE(merged_as("ruby", sides("  n ||= 1\n")).clean());
}

TEST(Unbound, WhatIsNoUseOfThatName) {
  const auto clean = [](const std::string& use) {
    return merged_as("python", kTotalInPython.sides(use)).clean();
  };
  EXPECT_TRUE(clean("    stats.count(1)\n"));
  EXPECT_TRUE(clean("    stats.record(count=1)\n"));
  EXPECT_TRUE(clean("    count = 1\n    stats.record(count)\n"));
  EXPECT_TRUE(clean("    for count in orders:\n        stats.record(count)\n"));
  EXPECT_TRUE(clean("    stats.record(lambda count: 1)\n"));
  EXPECT_TRUE(clean("    stats.record('count')\n"));
}

TEST(Unbound, ANameThatIsAlsoOneOfTheFile) {
  const auto of = [](const std::string& own, const std::string& more) {
    return "import a\n\n\ndef f(x):\n" + own + "    a.b(x)\n    a.c(x)\n" + more + "    return x\n";
  };
  // The side that has no value of its own any more says the name of the file.
  EXPECT_TRUE(merged_as("python", {of("    a = x\n", ""), of("    a.d(x)\n", ""),
                                   of("    a = x\n", "    a.e(x)\n")})
                  .clean());
}

TEST(Unbound, ADeclarationThatOneSideMovedIntoALoop) {
  const auto with = [](const std::string& before, const std::string& in, const std::string& more) {
    return "int f(const int *a, int n)\n{\n" + before + "\tlog(n);\n\n\tfor (" + in +
           "i = 0; i < n; i++)\n\t\tg(a[i]);\n\n\tdone();\n\tflush();\n" + more +
           "\treturn 0;\n}\n";
  };
  const std::string base = with("\tint i;\n", "", "");
  const std::string moved = with("", "int ", "");
  EXPECT_THAT(why_not_as("c", {base, moved, with("\tint i;\n", "", "\tg(i);\n")}),
              HasSubstr("one side no longer defines 'i' in"));
  EXPECT_TRUE(merged_as("c", {base, moved, with("\tint i;\n", "", "\tg(n);\n")}).clean());
  const std::string again = "\tfor (int i = 0; i < n; i++)\n\t\tg(i);\n";
  EXPECT_TRUE(merged_as("c", {base, moved, with("\tint i;\n", "", again)}).clean());
}

}  // namespace
}  // namespace gittxn::semantic
