// One side changed what gives a name its value, and the other side what reads it next.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "semantic/testing/merging.h"

namespace gittxn::semantic {
namespace {

using ::testing::HasSubstr;

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

// A name that one side declares for a new block alone is no name of the other side's.
TEST(GivenApart, ANewBlockHasNamesOfItsOwn) {
  struct Case {
    std::string_view language;
    std::string head, was, now, call, more;
  };
  const auto sides_of = [](const Case& one) {
    const auto with = [&](const std::string& first, const std::string& last) {
      return one.head + first + one.call + one.call + one.call + last + "}\n";
    };
    return Sides<std::string>{with(one.was, ""), with(one.now, ""), with(one.was, one.more)};
  };
  const std::string go = "package p\n\nfunc f() {\n", block = "\t{\n\t\tn := g()\n\t\th(n)\n\t}\n";
  const std::string was = "\tif a := g(); a {\n\t\th(a)\n\t}\n";
  const std::string now = "\tif n := g(); n {\n\t\th(n)\n\t}\n";
  for (const Case& one : {
           Case{"go", go, was, now, "\tk()\n", block},
           Case{"go", go, "", "\tn := g()\n\th(n)\n", "\tk()\n", block},
           Case{"c", "void f(void)\n{\n", "", "  int n = g();\n  h(n);\n", "  k();\n",
                "  if (b) {\n    int n = 2;\n    h(n);\n  }\n"},
           Case{"rust", "fn f() {\n", "", "    let n = g();\n    h(n);\n", "    k();\n",
                "    if b {\n        let n = 2;\n        h(n);\n    }\n"},
           Case{"javascript", "function f() {\n", "", "  const n = g();\n  h(n);\n", "  k();\n",
                "  if (b) {\n    const n = 2;\n    h(n);\n  }\n"},
       }) {
    const Sides<std::string> sides = sides_of(one);
    EXPECT_TRUE(merged_as(one.language, sides).clean()) << sides[kRight];
    EXPECT_TRUE(merged_as(one.language, {sides[kBase], sides[kRight], sides[kLeft]}).clean());
  }
  const std::string java = "class C {\n  void f() {\n";
  for (const Case& one : {
           // A "var" is the function's, Java forbids the inner name, and Python has no blocks.
           Case{"javascript", "function f() {\n", "", "  var n = g();\n  h(n);\n", "  k();\n",
                "  if (b) {\n    var n = 2;\n    h(n);\n  }\n"},
           Case{"java", java, "", "    int n = g();\n    h(n);\n", "    k();\n",
                "    if (b) {\n      int n = 2;\n      h(n);\n    }\n  }\n"},
           Case{"go", go, "", "\tn := g()\n\th(n)\n", "\tk()\n", "\tn := 2\n\th(n)\n"},
           Case{"python", "def f():\n", "", "    n = g()\n    h(n)\n", "    k()\n",
                "    if b:\n        n = 2\n        h(n)\n"},
       }) {
    Sides<std::string> sides = sides_of(one);
    if (one.language == "python") {
      for (std::string& text : sides) text.pop_back(), text.pop_back();
    }
    if (one.language == "java") {
      for (std::string& text : sides) text += text.ends_with("  }\n}\n") ? "" : "}\n";
    }
    EXPECT_THAT(why_not_as(one.language, sides), HasSubstr("a new name 'n'")) << sides[kLeft];
  }
}

TEST(GivenApart, ABlockAroundWhatWasThereIsNotNew) {
  const auto with = [](const std::string& first, const std::string& inside) {
    return "package p\n\nfunc f() {\n\ta()\n\tb()\n" + first + "\tk()\n" + inside +
           "\tl()\n\tc()\n}\n";
  };
  const Sides<std::string> sides = {with("", ""), with("", "\tn := 2\n\th(n)\n"),
                                    "package p\n\nfunc f() {\n\tif n := g(); n {\n\t\th(n)\n"
                                    "\ta()\n\tb()\n\tk()\n\tl()\n\t}\n\tc()\n}\n"};
  EXPECT_THAT(why_not_as("go", sides), HasSubstr("a new name 'n'"));
}

}  // namespace
}  // namespace gittxn::semantic
