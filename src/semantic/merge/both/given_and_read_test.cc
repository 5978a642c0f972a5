// One side changed what gives a name its value, and the other side what reads it next.
#include <gtest/gtest.h>

#include <string>

#include "semantic/testing/merging.h"

namespace gittxn::semantic {
namespace {

// A function of two statements, of which left has the first one in another way and right the other.
struct TwoStatements {
  std::string_view language;
  std::string head, gives, gives_anew, reads, reads_anew, end;

  Merged merged() const {
    return merged_as(language, {head + gives + reads + end, head + gives_anew + reads + end,
                                head + gives + reads_anew + end});
  }
  Merged turned() const {
    return merged_as(language, {head + gives + reads + end, head + gives + reads_anew + end,
                                head + gives_anew + reads + end});
  }
};

const TwoStatements kValues[] = {
    {"python", "def f(host):\n", "    wait = 30\n", "    wait = 30_000\n",
     "    connect(host, wait)\n", "    connect(host, wait * 1000)\n", "    return host\n"},
    {"python", "def f(host):\n", "    a, wait = limits()\n", "    wait, a = limits()\n",
     "    log(f'{host} {wait}')\n", "    log(f'{host} {wait} s')\n", "    return host\n"},
    {"javascript", "function f(host) {\n", "  let wait = 30;\n", "  let wait = 30000;\n",
     "  connect(host, wait);\n", "  connect(host, wait * 1000);\n", "}\n"},
    {"go", "package a\n\nfunc f(host string) error {\n", "\twait := 30\n",
     "\twait := seconds(30)\n", "\tif err := dial(host, wait); err != nil {\n\t\treturn err\n\t}\n",
     "\tif err := dial(host, wait*1000); err != nil {\n\t\treturn err\n\t}\n", "\treturn nil\n}\n"},
    {"java", "class A {\n  int f(Host host) {\n", "    int wait = 30;\n", "    int wait = 30000;\n",
     "    return host.connect(wait);\n", "    return host.connect(wait * 1000);\n", "  }\n}\n"},
    {"c", "int f(int host)\n{\n", "    int wait = 30;\n", "    int wait = 30000;\n",
     "    return dial(host, wait);\n", "    return dial(host, wait * 1000);\n", "}\n"},
    {"rust", "fn f(host: Host) -> u32 {\n", "    let wait = 30;\n", "    let wait = 30_000;\n",
     "    host.dial(wait)\n", "    host.dial(wait * 1000)\n", "}\n"},
};

TEST(GivenAndRead, IsAConflict) {
  for (const TwoStatements& each : kValues) {
    EXPECT_FALSE(each.merged().clean()) << each.language << each.merged().text;
    EXPECT_FALSE(each.turned().clean()) << each.language << each.turned().text;
    EXPECT_TRUE(each.merged().why.starts_with("one side changed the value of 'wait'"))
        << each.merged().why;
  }
}

TEST(GivenAndRead, IsNoneWhereTheOtherSideChangedSomethingElseOfTheStatement) {
  for (TwoStatements each : kValues) {
    if (each.reads.contains('{') && each.language == "python") continue;
    each.reads_anew = each.reads;
    const std::size_t at = each.reads_anew.find("host");
    each.reads_anew.replace(at, 4, each.reads.contains("host.") ? "host.ready()" : "host.ready");
    EXPECT_TRUE(each.merged().clean()) << each.language << each.merged().why;
    EXPECT_TRUE(each.turned().clean()) << each.language << each.turned().why;
  }
}

// As git has it: what both changed touches.
TEST(GivenAndRead, IsNoneWhereLinesOfTheBaseStandBetween) {
  TwoStatements each = kValues[0];
  each.head = "import a\n" + each.head;
  each.gives += "\n";
  each.gives_anew += "\n";
  EXPECT_TRUE(each.merged().clean());
  // Nor where other lines are in conflict besides: both import something.
  const std::string base = each.head + each.gives + each.reads + each.end;
  const Merged merged =
      merged_as("python", {base, "import b\n" + each.head + each.gives_anew + each.reads + each.end,
                           "import c\n" + each.head + each.gives + each.reads_anew + each.end});
  EXPECT_TRUE(merged.clean()) << merged.why;
}

}  // namespace
}  // namespace gittxn::semantic
