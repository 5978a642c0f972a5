// Two sides that gave one number, or one letter, to two things, and rows of which one is as all
// were.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "semantic/testing/merging.h"

namespace gittxn::semantic {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(BothNumber, MacrosOfOnePrefixThatCountOn) {
  const auto with = [](const std::string& first, const std::string& last) {
    return first + "#define FLAG_A 0x1\n#define FLAG_B 0x2\n" + last + "\nint f(void);\n";
  };
  EXPECT_THAT(why_not_as("c", {with("", ""), with("", "#define FLAG_L 0x4\n"),
                               with("#define FLAG_R 0x4\n", "")}),
              HasSubstr("gave the number 0x4 to something new, 'FLAG_L' and 'FLAG_R'"));
  const auto clean = [&](const std::string& left, const std::string& right) {
    return merged_as("c", {with("", ""), with("", left), with(right, "")}).clean();
  };
  EXPECT_TRUE(clean("#define FLAG_L 0x4\n", "#define FLAG_R 0x8\n"));
  EXPECT_TRUE(clean("#define FLAG_L 0x4\n", "#define SIZE_R 0x4\n"));
  EXPECT_TRUE(clean("#define FLAG_L 100\n", "#define FLAG_R 100\n"));  // no count
}

TEST(BothNumber, ConstantsOutsideOfATypeThatCountOn) {
  const auto with = [](const std::string& first, const std::string& last) {
    return first + "MODE_A = 1 << 0\nMODE_B = 1 << 1\n" + last + "\n\ndef f():\n    pass\n";
  };
  EXPECT_THAT(why_not_as("python", {with("", ""), with("", "MODE_L = 1 << 2\n"),
                                    with("MODE_R = 1 << 2\n", "")}),
              HasSubstr("gave the number 1 << 2 to something new"));
}

TEST(BothNumber, RowsThatAreCounted) {
  const auto with = [](const std::string& more) {
    return "MIGRATIONS = [\n    (1, \"create a\"),\n    (2, \"create b\"),\n" + more + "]\n";
  };
  why_not_as("python", {with(""), with("    (3, \"left\"),\n"), with("    (3, \"right\"),\n")});
  EXPECT_EQ(
      merged_as("python", {with(""), with("    (3, \"left\"),\n"), with("    (4, \"right\"),\n")})
          .text,
      with("    (3, \"left\"),\n    (4, \"right\"),\n"));
  const auto object = [](const std::string& more) {
    return "const m = [\n  { id: 1, run: a },\n  { id: 2, run: b },\n" + more + "];\n";
  };
  why_not_as("typescript",
             {object(""), object("  { id: 3, run: l },\n"), object("  { id: 3, run: r },\n")});
  // The name may be the value, too.
  EXPECT_TRUE(merged_as("typescript", {object("  { id, run },\n"), object("  { id, run: 2 },\n"),
                                       "let b;\n" + object("  { id, run },\n")})
                  .clean());
}

TEST(BothNumber, RowsWithALetterEach) {
  const auto with = [](const std::string& first, const std::string& last) {
    return "static struct option all[] = {\n" + first +
           "    {\"help\", 0, 'h'},\n    {\"verbose\", 0, 'v'},\n" + last +
           "    {NULL, 0, 0},\n};\n";
  };
  EXPECT_THAT(why_not_as("c", {with("", ""), with("", "    {\"quiet\", 0, 'q'},\n"),
                               with("    {\"query\", 1, 'q'},\n", "")}),
              HasSubstr("both sides gave 'q' to a new row"));
  EXPECT_TRUE(merged_as("c", {with("", ""), with("", "    {\"quiet\", 0, 'q'},\n"),
                              with("    {\"output\", 1, 'o'},\n", "")})
                  .clean());
}

TEST(BothNumber, ARowAsTheyWereBeforeOneSideGaveThemAValueMore) {
  const auto with = [](const std::string& value, const std::string& first,
                       const std::string& last) {
    return "CASES = [\n" + first + "    (1, 2" + value + "),\n    (3, 4" + value + "),\n" +
           "    (5, 6" + value + "),\n" + last + "]\n";
  };
  const std::string base = with("", "", ""), wide = with(", 0", "", "");
  EXPECT_NE(why_not_as("python", {base, wide, with("", "", "    (7, 8),\n")}), "");
  // Git merges this one without a conflict.
  const auto apart = [](const std::string& value, const std::string& last) {
    return "CASES = [\n    (1, 2" + value + "),\n    (3, 4" + value +
           "),\n    # more\n    #\n    # and more\n" + last + "]\n";
  };
  EXPECT_THAT(why_not_as("python", {apart("", ""), apart(", 0", ""), apart("", "    (7, 8),\n")}),
              HasSubstr("a row as they were"));
  EXPECT_TRUE(
      merged_as("python", {apart("", ""), apart(", 0", ""), apart("", "    # end\n")}).clean());
}

TEST(BroughtIn, ADeclarationThatOneSideRemovedAndTheOtherUsesAnew) {
  const auto with = [](const std::string& first, const std::string& last) {
    return first + "SIZE = 20\n\n\ndef f(x):\n    return x > SIZE\n" + last;
  };
  const std::string base = with("LIMIT = 10\n", "");
  const std::string right = with("LIMIT = 10\n", "\n\ndef g(x):\n    return x > LIMIT\n");
  EXPECT_THAT(why_not_as("python", {base, with("", ""), right}),
              HasSubstr("one side removed 'LIMIT', the other uses it anew"));
  // It comes from elsewhere now, or may.
  EXPECT_TRUE(merged_as("python", {base, with("from a import LIMIT\n", ""), right}).clean());
  EXPECT_TRUE(merged_as("python", {base, with("from a import *\n", ""), right}).clean());
  const std::string head = "package a\n\n", one = "type Port int\n\n";
  const std::string f = "func f() int {\n\treturn 1\n}\n";
  const std::string use = "\nfunc g(p Port) int {\n\treturn 1\n}\n";
  EXPECT_TRUE(merged_as("go", {head + one + f, head + f, head + one + f + use}).clean());
}

struct TwoMeanings {
  std::string_view language, head, first, second, same;
  std::string use, declares;
};

TEST(BroughtIn, ANewNameFromTwoPlaces) {
  const TwoMeanings all[] = {
      {"python", "import os\n", "from a import run\n", "from b import run\n",
       "from a import run, walk\n", "def g():\n    return os.x()\n\n\ndef f():\n    return 1\n",
       "def run():\n    return 2\n"},
      {"python", "import os\n", "import pandas as pd\n", "import polars as pd\n", "",
       "def g():\n    return os.x()\n\n\ndef f():\n    return 1\n", ""},
      {"typescript", "import { x } from \"./x\";\n", "import { run } from \"./a\";\n",
       "import { run } from \"./b\";\n", "import { run, walk } from \"./a\";\n",
       "export function f() {\n  return x();\n}\n", "function run() {\n  return 2;\n}\n"},
      {"go", "package a\n\nimport \"fmt\"\n", "import \"text/template\"\n",
       "import \"html/template\"\n", "", "func f() {\n\tfmt.Println(1)\n}\n", ""},
      {"java", "package a;\n\nimport b.X;\n", "import c.Date;\n", "import d.Date;\n", "",
       "class F {\n  X x;\n}\n", ""},
      {"rust", "use a::x;\n", "use b::run;\n", "use c::run;\n", "", "fn f() -> i32 {\n    x()\n}\n",
       "fn run() -> i32 {\n    2\n}\n"},
  };
  for (const TwoMeanings& each : all) {
    const auto text = [&](std::string_view import, std::string_view more) {
      return std::string(each.head) + std::string(import) + "\n" + each.use + std::string(more);
    };
    const std::string base = text("", "");
    const std::string first = text(each.first, "");
    EXPECT_THAT(why_not_as(each.language, {base, first, text(each.second, "")}),
                HasSubstr("' from different modules"))
        << each.language;
    if (!each.same.empty()) {
      EXPECT_THAT(why_not_as(each.language, {base, first, text(each.same, "")}),
                  Not(HasSubstr("from different modules")))
          << each.language;
    }
    if (each.declares.empty()) continue;
    const std::string declares = text("", "\n" + each.declares);
    EXPECT_THAT(why_not_as(each.language, {base, declares, first}),
                HasSubstr("one side imports 'run', the other declares it"))
        << each.language;
  }
}

TEST(BroughtIn, ANewNameOfTwoFunctions) {
  const auto text = [](std::string_view first, std::string_view second) {
    return "def f():\n" + std::string(first) + "    return run()\n\n\ndef g():\n" +
           std::string(second) + "    return run()\n";
  };
  EXPECT_TRUE(merged_as("python", {text("", ""), text("    from a import run\n", ""),
                                   text("", "    from b import run\n")})
                  .clean());
}

TEST(BroughtIn, ANameOfOneFunctionThatAnotherOneHasToo) {
  const auto method = [](const std::string& self, const std::string& name) {
    return "func (" + self + " *T) " + name + "() int {\n\t" + self + ".n++\n\treturn " + self +
           ".n\n}\n";
  };
  const std::string head = "package a\n\ntype T struct {\n\tn int\n}\n\n";
  const std::string added = "\n" + method("m", "Added");
  EXPECT_EQ(merged_as("go", {head + method("m", "Get"), head + method("t", "Get"),
                             head + method("m", "Get") + added})
                .text,
            head + method("t", "Get") + added);
  // More of the same one, in the function that has it.
  const auto f = [](const std::string& name, const std::string& more) {
    return "def f(" + name + "):\n    a(" + name + ")\n    b(1)\n    c(2)\n" + more;
  };
  EXPECT_THAT(why_not_as("python", {f("x", ""), f("y", ""), f("x", "    return x\n")}),
              HasSubstr("one side renamed 'x' to 'y'"));
}

struct Cases {
  std::string_view language;
  std::string head, left, right, tail;  // each a case of its own, or what is around them
};

TEST(Keyed, CasesThatBothAdded) {
  const Cases all[] = {
      {"c", "int f(int c)\n{\n  switch (c) {\n  case 'a':\n    return 1;\n",
       "  case 'l':\n    c++;\n    break;\n", "  case 'r': {\n    return 3;\n  }\n",
       "  default:\n    return 0;\n  }\n}\n"},
      {"go", "package a\n\nfunc f(c any) int {\n\tswitch c.(type) {\n\tcase int:\n\t\treturn 1\n",
       "\tcase bool:\n\t\treturn 2\n", "\tcase string:\n\t\tg()\n",
       "\tdefault:\n\t\treturn 0\n\t}\n\treturn 1\n}\n"},
      {"java", "class A {\n  int f(K k) {\n    return switch (k) {\n      case ONE -> 1;\n",
       "      case LEFT -> 2;\n", "      case RIGHT -> 3;\n",
       "      default -> 0;\n    };\n  }\n}\n"},
      {"typescript", "function f(a: A) {\n  switch (a.type) {\n    case \"a\":\n      return 1;\n",
       "    case \"l\":\n      return 2;\n", "    case \"r\": {\n      throw a;\n    }\n",
       "    default:\n      return 0;\n  }\n}\n"},
      {"rust", "fn f(c: C) -> u32 {\n    match c {\n        C::A => 1,\n", "        C::L => 2,\n",
       "        C::R(n) => n,\n", "        _ => 0,\n    }\n}\n"},
  };
  for (const auto& [language, head, left, right, tail] : all) {
    const Merged merged =
        merged_as(language, {head + tail, head + left + tail, head + right + tail});
    EXPECT_EQ(merged.text, head + left + right + tail) << language << ": " << merged.why;
  }
}

TEST(Keyed, ACaseThatGoesOnInTheNextOne) {
  const std::string head = "int f(int c)\n{\n  switch (c) {\n",
                    tail = "  default:\n    return 0;\n  }\n}\n";
  const std::string on = "  case 'a':\n    c++;\n", l = "  case 'l':\n    return 1;\n";
  const std::string r = "  case 'r':\n    return 2;\n";
  why_not_as("c", {head + tail, head + on + tail, head + l + tail});
  why_not_as("c", {head + on + tail, head + on + l + tail, head + on + r + tail});
  why_not_as("rust",
             {"fn f(n: u32) {\n    match n {\n        0 => a(),\n        _ => b(),\n    }\n}\n",
              "fn f(n: u32) {\n    match n {\n        0 => a(),\n        x if x > 5 => c(),\n"
              "        _ => b(),\n    }\n}\n",
              "fn f(n: u32) {\n    match n {\n        0 => a(),\n        7 => d(),\n"
              "        _ => b(),\n    }\n}\n"});
  // One that is there twice, at two places that git merges.
  const std::string one = "  case 'b':\n    return 5;\n";
  EXPECT_THAT(why_not_as("c", {head + one + tail, head + l + one + tail,
                               head + one + "  case 'l':\n    return 4;\n" + tail}),
              HasSubstr("''l'' is there twice"));
}

TEST(Keyed, TestsThatBothAddedToAScript) {
  const auto with = [](const std::string& more) {
    return "describe(\"a\", () => {\n  it(\"starts\", () => {\n    expect(a()).toBe(1);\n  });\n" +
           more + "});\n";
  };
  const std::string left = "\n  it(\"l\", () => {\n    expect(l()).toBe(1);\n  });\n";
  const std::string right = "\n  it.skip(\"r\", () => {\n    expect(r()).toBe(1);\n  });\n";
  for (const auto* language : {"javascript", "typescript", "tsx"}) {
    EXPECT_EQ(merged_as(language, {with(""), with(left), with(right)}).text, with(left + right));
    why_not_as(language, {with(""), with(left), with("\n  it(\"l\", () => {\n    l();\n  });\n")});
    why_not_as(language, {with(""), with("\n  start(\"l\");\n"), with("\n  start(\"r\");\n")});
  }
}

TEST(Keyed, OneArgumentAtTwoPlaces) {
  const auto with = [](const std::string& first, const std::string& last) {
    return "make(\n" + first + "    host=1,\n    port=2,\n    name=3,\n" + last + ")\n";
  };
  EXPECT_THAT(
      why_not_as("python", {with("", ""), with("    wait=1,\n", ""), with("", "    wait=2,\n")}),
      HasSubstr("'wait' is there twice"));
}

TEST(Keyed, WhatBothDerive) {
  const auto with = [](const std::string& derived, const std::string& more) {
    return "#[derive(" + derived + ")]\n" + more + "pub struct A {\n    a: u32,\n}\n";
  };
  const std::string attribute = "#[serde(default)]\n";
  EXPECT_EQ(merged_as("rust", {with("Debug, Clone", ""), with("Debug, Clone, PartialEq", ""),
                               with("Debug, Copy, Clone", attribute)})
                .text,
            with("Debug, Clone, PartialEq, Copy", attribute));
  why_not_as("rust",
             {with("Debug, Clone", ""), with("Debug, Eq", ""), with("Debug, Clone, Copy", "")});
  // Others may be macros that see each other.
  why_not_as("rust", {with("Debug", ""), with("Debug", "#[left]\n"), with("Debug", "#[right]\n")});
}

TEST(Called, AsItWasBeforeOneSideGaveItAnotherParameter) {
  const auto with = [](const std::string& more, const std::string& last) {
    return "package a\n\nfunc New(name *Name, to map[string]int" + more +
           ") int {\n\treturn 1\n}\n" + last;
  };
  const auto calls = [](const std::string& call) {
    return "\nfunc Other() int {\n\treturn " + call + "\n}\n";
  };
  EXPECT_THAT(why_not_as("go", {with("", ""), with(", size int", ""),
                                with("", calls("New(first(x).b[y], nil)"))}),
              HasSubstr("one side gave New() other parameters, and the other side adds a call"));
  const auto clean = [&](const std::string& more, const std::string& call) {
    return merged_as("go", {with("", ""), with(more, ""), with("", calls(call))}).clean();
  };
  EXPECT_TRUE(clean(", rest ...int", "New(first(x).b[y], nil)"));
  EXPECT_TRUE(clean(", size int", "b.New(first(x).b[y], nil)"));  // something else
  EXPECT_TRUE(clean(", size int", "New(g(), all[n].b...)"));
  EXPECT_TRUE(merged_as("python", {"def f(a):\n    return a\n\n\nx = 1\n",
                                   "def f(a, b=1):\n    return a\n\n\nx = 1\n",
                                   "def f(a):\n    return a\n\n\nx = 1\ny = f(1)\n"})
                  .clean());
}

TEST(BothRenamed, ANameThatTheOtherSideBindsAnew) {
  const auto copy = [](const std::string& name, const std::string& more) {
    return "def copy(src, dst):\n    " + name + " = open(src)\n    data = " + name +
           ".read()\n    " + name + ".close()\n    check(data)\n    data = data.strip()\n" + more +
           "    return data\n";
  };
  const std::string with = "    with open(dst) as fh:\n        fh.write(data)\n";
  EXPECT_EQ(merged_as("python", {copy("fh", ""), copy("source", ""), copy("fh", with)}).text,
            copy("source", with));
  const std::string each = "    for fh in dst:\n        fh.write(data)\n";
  EXPECT_EQ(merged_as("python", {copy("fh", ""), copy("source", ""), copy("fh", each)}).text,
            copy("source", each));
  const std::string given = "    fh.seek(0)\n    fh = open(dst)\n    fh.write(data)\n";
  EXPECT_THAT(why_not_as("python", {copy("fh", ""), copy("source", ""), copy("fh", given)}),
              HasSubstr("one side renamed 'fh' to 'source'"));
  why_not_as("python", {copy("fh", ""), copy("source", ""), copy("fh", "    fh.seek(0)\n")});
}

// A name that one side uses no more and the other uses anew may have been renamed; not one of the
// standard library.
TEST(NamesOfTheLibrary, AreNotRenamed) {
  struct {
    std::string_view language;
    std::string head, was, now, next, end;  // the other side changes what is next to it
    std::string anew;
  } rows[] = {
      {"go",
       "package a\n\nimport (\n\t\"net/http\"\n\t\"a.org/db\"\n)\n\nfunc f(w http.ResponseWriter) "
       "{\n",
       "\tw.Write(nil)\n", "\tw.Fill(a)\n", "\tg(1)\n", "}\n",
       "\nfunc h(w http.ResponseWriter) {\n\tw.Write(all)\n}\n"},
      {"python", "import os\nimport rows\n\n\ndef f(a):\n", "    os.remove(a)\n", "    drop(a)\n",
       "    g(1)\n", "", "\n\ndef h(a):\n    os.remove(a)\n"},
      {"javascript", "import a from 'a';\n\nfunction f(b) {\n", "  b = Math.floor(b);\n",
       "  b = a(b);\n", "  g(1);\n", "}\n", "\nfunction h(b) {\n  return Math.floor(b / 2);\n}\n"},
  };
  const auto merged = [&](std::size_t of, const std::string& anew) {
    const auto& row = rows[of];
    std::string theirs = row.next;
    theirs.replace(theirs.find('1'), 1, "2");
    return merged_as(row.language, {row.head + row.was + row.next + row.end,
                                    row.head + row.now + row.next + row.end,
                                    row.head + row.was + theirs + row.end + anew});
  };
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(merged(i, rows[i].anew).clean()) << i;
  const std::pair<std::size_t, std::string> others[] = {
      {0, "\nfunc h(r *db.Row) {\n\tr.Write(all)\n}\n"},
      {0, "\nfunc h(w http.ResponseWriter) {\n\tw.Row.Write(all)\n}\n"},
      {0, "\nfunc h(w http.ResponseWriter) {\n\tw.Write(nil)\n\tWrite(nil)\n}\n"},
      {0, "\nfunc h(w Writer) {\n\tw.Write(all)\n}\n"},
      {1, "\n\ndef h(a):\n    rows.remove(a)\n"},
      {1, "\n\ndef h(os):\n    os.remove(1)\n"},
      {1, "\n\ndef h(a):\n    os = a\n    os.remove(1)\n"},
      {2, "\nfunction h(b) {\n  return b.floor(b / 2);\n}\n"},
      {2, "\nfunction h(Math) {\n  return Math.floor(1);\n}\n"},
      {2, "\nfunction h(b) {\n  const Math = b;\n  return Math.floor(1);\n}\n"},
  };
  for (const auto& [of, anew] : others) {
    EXPECT_FALSE(merged(of, anew).clean()) << anew;
  }
}

TEST(BothRenamed, AMemberOfSomethingHasItsNameToItself) {
  const auto with = [](const std::string& name, const std::string& last) {
    return "int " + name + "(int a);\n\nint f(int a) {\n  return " + name + "(a) + " + name +
           "(a + 1);\n}\n\nint g(const std::string& text) {\n  return " + last + ";\n}\n";
  };
  EXPECT_TRUE(
      merged_as("cpp", {with("find", "0"), with("look", "0"), with("find", "text.find('a')")})
          .clean());
  EXPECT_THAT(why_not_as("cpp", {with("find", "0"), with("look", "0"), with("find", "find('a')")}),
              HasSubstr("one side renamed 'find' to 'look', the other uses it anew"));
  // A member that was renamed.
  const auto member = [](const std::string& name, const std::string& last) {
    return "int f(S s) {\n  return s." + name + "(1) + s." + name + "(2);\n}\n\nint g(S s) {\n" +
           "  return " + last + ";\n}\n";
  };
  why_not_as("cpp", {member("at", "0"), member("find", "0"), member("at", "s.at(3)")});
}

TEST(BothRemoved, EachAnotherOneOfAName) {
  const auto with = [](const std::string& first, const std::string& last) {
    return "int f() {\n" + first + "}\n\nint g() {\n  return 1;\n}\n\nint h() {\n" + last + "}\n";
  };
  const std::string named = "  const std::vector<int> all(9);\n  return use(all);\n";
  const std::string bare = "  return use({9});\n";
  EXPECT_EQ(merged_as("cpp", {with(named, named), with(bare, named), with(named, bare)}).text,
            with(bare, bare));
}

}  // namespace
}  // namespace gittxn::semantic
