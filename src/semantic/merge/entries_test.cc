#include "semantic/merge/entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "semantic/merge.h"

namespace gittxn::semantic {
namespace {

using ::testing::HasSubstr;

Merged merge(std::string_view path, const Sides<std::string>& texts) {
  const auto merged = merge_file(MergeAs(path, texts[kLeft]), texts, {});
  EXPECT_TRUE(merged);
  return merged ? *merged : Merged{};
}
void expect_merge(std::string_view path, const Sides<std::string>& texts,
                  const std::string& expected) {
  const Merged merged = merge(path, texts);
  EXPECT_TRUE(merged.clean()) << merged.text;
  EXPECT_EQ(merged.text, expected);
}
void expect_conflict(std::string_view path, const Sides<std::string>& texts) {
  const Merged merged = merge(path, texts);
  EXPECT_FALSE(merged.clean()) << path << "\n" << merged.text;
  EXPECT_THAT(merged.text, HasSubstr("<<<<<<< left\n"));
}

TEST(Entries, EachIsAsTheSideThatChangedItHasIt) {
  expect_merge("app.properties", {"a=1\nb=2\n", "a=1\nb=2\nc=3\n", "a=1\nb=2\n# of d\nd=4\n"},
               "a=1\nb=2\nc=3\n# of d\nd=4\n");
  expect_merge("requirements-dev.txt", {"x==1\ny==1\n", "x==2\ny==1\n", "x==1\ny==2\n"},
               "x==2\ny==2\n");
  expect_merge("go.sum", {"m v1 h1:a\n", "m v1 h1:a\nn v1 h1:b\n", "m v1 h1:a\nn v1/go.mod h1:c\n"},
               "m v1 h1:a\nn v1 h1:b\nn v1/go.mod h1:c\n");
  expect_merge("sub/.gitignore", {"a\n", "a\nb\nc\n", "a\nc\nd\n"}, "a\nb\nc\nd\n");
  expect_merge("go.mod",
               {"require (\n\ta v1\n)\n", "require (\n\ta v1\n\tb v1\n)\n",
                "require (\n\ta v1\n\tc v1\n)\n"},
               "require (\n\ta v1\n\tb v1\n\tc v1\n)\n");
  expect_merge("app.properties",
               {"a=1\nb=2\nc=3\n", "a=1\nb=2 \\\n  more\nc=3\n", "a=1\nb=2\nc=4\n"},
               "a=1\nb=2 \\\n  more\nc=4\n");
}

TEST(Entries, OneThatBothChangedOrAKeyThatWouldBeThereTwice) {
  expect_conflict("app.properties", {"a=1\n", "a=2\n", "a=3\n"});
  expect_conflict("app.properties", {"a=1\n", "a=1\nb=2\n", "a=1\nb=3\n"});
  expect_conflict("app.properties", {"a=1\n", "", "a=2\n"});
  expect_conflict("app.properties",
                  {"a=1\n\n[x]\n", "b=0\na=1\n\n[x]\nc=1\n", "a=1\n\n[x]\nb=2\n"});
  expect_conflict(".gitignore", {"a\n", "a\n!b\n", "a\nb\n"});
}

TEST(Entries, ParagraphsThatBothAdded) {
  const std::string head = "# T\n\n## [1.0]\n\n";
  expect_merge("CHANGELOG.md", {head, head + "- one\n", head + "- two\n"}, head + "- one\n- two\n");
  expect_merge("a.md", {head, head + "## L\n\nleft\n\n", head + "## R\n\nright\n\n"},
               head + "## L\n\nleft\n\n## R\n\nright\n\n");
  expect_conflict("a.md", {head, head + "## L\n\nleft\n", head + "## L\n\nright\n"});
  expect_conflict("a.md", {head, head + "1. left\n", head + "1. right\n"});
  expect_conflict("a.md", {"one\n", "two\n", "three\n"});
  const std::string code = "```sh\n";
  expect_conflict("a.md", {code, code + "left\n", code + "right\n"});
  expect_conflict("a.txt", {head, head + "- one\n", head + "- two\n"});
}

TEST(Entries, ItemsThatBothAddedToOneList) {
  const auto with = [](const std::string& more) {
    return "# Changes\n\n## Unreleased\n" + more + "\n## 1.0\n\n- First.\n";
  };
  expect_merge("CHANGES.md", {with(""), with("\n- Left,\n  and more.\n"), with("\n- Right.\n")},
               with("\n- Left,\n  and more.\n- Right.\n"));
  expect_merge("CHANGES.md", {"# A\n", "# A\n\n- l\n\n- m", "# A\n\n- r\n"},
               "# A\n\n- l\n\n- m\n\n- r\n");
}

TEST(Entries, ElementsThatBothAdded) {
  const auto with = [](const std::string& more) { return "<a>\n" + more + "</a>\n"; };
  const auto dependency = [](const std::string& name, const std::string& version) {
    return "  <dependency>\n    <groupId>g</groupId>\n    <artifactId>" + name +
           "</artifactId>\n    <version>" + version + "</version>\n  </dependency>\n";
  };
  expect_merge("pom.xml", {with(""), with(dependency("l", "1")), with(dependency("r", "1"))},
               with(dependency("l", "1") + dependency("r", "1")));
  expect_conflict("pom.xml", {with(""), with(dependency("l", "1")), with(dependency("l", "2"))});
  expect_conflict("pom.xml", {with(""), with("<b>\n"), with("</b>\n")});
}

TEST(Entries, AttributesThatBothAddedToOneTag) {
  expect_merge("a.xml",
               {"<r>\n <b x='0'/>\n</r>\n", "<r>\n <b x='0' d='1' c='2'/>\n</r>\n",
                "<r>\n <b a='>' x='0'/>\n</r>\n"},
               "<r>\n <b x='0' d='1' c='2' a='>'/>\n</r>\n");
  const auto with = [](const std::string& more) { return "<b x='0'" + more + ">t</b>\n"; };
  expect_conflict("a.html", {with(""), with(" c='1'"), with(" c='2'")});
  expect_conflict("a.html", {with(""), with(" c='1'"), "<b x='1' d='2'>t</b>\n"});
  expect_conflict("a.html", {with(""), with(" c='1'"), "<b x='0' d='2'>u</b>\n"});
  expect_conflict("a.html", {with(""), with(" c"), with(" d='1'")});
}

TEST(Entries, AssignmentsAreEntriesWhereNothingElseIsInConflict) {
  expect_merge("Makefile",
               {"A = 1\nB := 2\n\nall:\n\ttrue\n", "A = 3\nB := 2\n\nall:\n\ttrue\n",
                "A = 1\nB := 4\n\nall:\n\ttrue\n"},
               "A = 3\nB := 4\n\nall:\n\ttrue\n");
  expect_merge("setup.cfg", {"[x]\na = 1\n", "[x]\na = 1\nb = 2\n", "[x]\na = 1\nc = 3\n"},
               "[x]\na = 1\nb = 2\nc = 3\n");
  expect_conflict("rules.mk", {"A += a\nA += b\n", "A += a\nA += c\n", "A += d\nA += b\n"});
  expect_conflict("rules.mk",
                  {"all:\n\ta=1\n\tb=1\n", "all:\n\ta=2\n\tb=1\n", "all:\n\ta=1\n\tb=2\n"});
  expect_conflict("a.ini", {"a = 1\n", "a = 1\n[x]\nb = 1\n", "a = 1\n[y]\nb = 1\n"});
  expect_conflict("a.ini", {"a = 1\n", "a = 2\n", "a = 3\n"});
}

TEST(Entries, OneEntryOrTypeAddedAtTwoPlaces) {
  const std::string head = "module m\n\n", tail = "\nreplace a => b v1\n\n";
  const std::string left = "replace x => y v1\n", right = "replace x => z v1\n";
  expect_conflict("go.mod", {head + tail, head + left + tail, head + tail + right});
  const std::string both = "class A {}\n\nclass B {}\n";
  const auto type = [](const std::string& field) {
    return "abstract class C {\n  " + field + " f;\n}\n";
  };
  expect_conflict("a.dart", {both, type("int") + "\n" + both, both + "\n" + type("bool")});
  EXPECT_TRUE(
      merge("a.txt", {"one\n\ntwo\n", "class of\n\none\n\ntwo\n", "one\n\ntwo\n\nclass of\n"})
          .clean());
}

TEST(Entries, AKeyThatBothAddedToAFileInAnUnknownLanguage) {
  const auto with = [](const std::string& first, const std::string& last) {
    return "{\n" + first + "  a = 1;\n  b = 2;\n  c = 3;\n" + last + "}\n";
  };
  const Merged merged =
      merge("x.nix", {with("", ""), with("  d = 4;\n", ""), with("", "  d = 5;\n")});
  EXPECT_FALSE(merged.clean());
  EXPECT_EQ(merged.why, "both sides added 'd'");
  EXPECT_TRUE(
      merge("x.nix", {with("", ""), with("  d = 4;\n", ""), with("", "  e = 5;\n")}).clean());
}

// --- code in a language without a grammar ---

TEST(Entries, AKeyThatBothAddedInTwoThings) {
  const auto rules = [](const std::string& first, const std::string& last) {
    return ".a {\n" + first + "  color: red;\n}\n\n.b {\n  color: blue;\n" + last + "}\n";
  };
  expect_merge("a.css", {rules("", ""), rules("  margin: 0;\n", ""), rules("", "  margin: 4px;\n")},
               rules("  margin: 0;\n", "  margin: 4px;\n"));
  const auto sections = [](const std::string& first, const std::string& second,
                           const std::string& third) {
    return "[one]\n" + first + "a = 1\n" + second + "\n[two]\nb = 2\n" + third;
  };
  const std::string base = sections("", "", ""), x = "x = 1\n", y = "x = 2\n";
  expect_merge("a.ini", {base, sections("", x, ""), sections("", "", y)}, sections("", x, y));
  expect_conflict("a.ini", {base, sections("", x, ""), sections(y, "", "")});
}

TEST(Entries, WhatIsLookedUpByItsName) {
  struct Case {
    std::string path, head, middle, tail, one, other, apart;
  };
  const std::string depends = "      <artifactId>c</artifactId>\n    </dependency>\n";
  const Case all[] = {
      {"a.md", "See [one][1].\n\n", "[1]: http://one\n\nText.\n\nMore.\n", "\nEnd.\n",
       "[2]: http://two\n", "[2]: http://three\n", "[3]: http://three\n"},
      {"a.md", "A.[^1]\n\n", "[^1]: note\n\nText.\n\nMore.\n", "\nEnd.\n", "[^n]: a\n", "[^n]: b\n",
       "[^m]: b\n"},
      {"a.ini", "[a]\nx = 1\n", "\n[b]\ny = 2\n", "", "\n[c]\nz = 3\n", "\n[c]\nv = 4\n",
       "\n[d]\nv = 4\n"},
      {"a.tf", "resource \"r\" \"a\" {\n  n = 1\n}\n", "\nresource \"r\" \"b\" {\n  n = 2\n}\n", "",
       "\nresource \"r\" \"c\" {\n  n = 3\n}\n", "\nresource \"r\" \"c\" {\n  m = 4\n}\n",
       "\nresource \"q\" \"c\" {\n  n = 4\n}\n"},
      {"a.html", "<body>\n", "  <div id=\"a\">A</div>\n  <p>text</p>\n", "</body>\n",
       "  <div id=\"x\">X</div>\n", "  <h1 id=\"x\">Y</h1>\n", "  <h1 id=\"y\">Y</h1>\n"},
      {"pom.xml", "<project>\n  <dependencies>\n",
       "    <dependency>\n      <artifactId>a</artifactId>\n    </dependency>\n",
       "  </dependencies>\n</project>\n", "    <dependency>\n" + depends,
       "    <dependency>\n      <version>2</version>\n" + depends,
       "    <dependency>\n      <artifactId>d</artifactId>\n    </dependency>\n"},
      {"a.csproj", "<Project>\n  <ItemGroup>\n",
       "    <PackageReference Include=\"A\" Version=\"1\" />\n"
       "    <PackageReference Include=\"B\" Version=\"1\" />\n",
       "  </ItemGroup>\n</Project>\n", "    <PackageReference Include=\"C\" Version=\"1\" />\n",
       "    <PackageReference Include=\"C\" Version=\"2\" />\n",
       "    <PackageReference Include=\"D\" Version=\"2\" />\n"},
  };
  for (const Case& each : all) {
    const std::string base = each.head + each.middle + each.tail;
    const std::string left = each.head + each.one + each.middle + each.tail;
    expect_conflict(each.path, {base, left, each.head + each.middle + each.other + each.tail});
    expect_merge(each.path, {base, left, each.head + each.middle + each.apart + each.tail},
                 each.head + each.one + each.middle + each.apart + each.tail);
  }
}

TEST(Entries, RulesAndPropertiesThatBothAdded) {
  const std::string rule = ".a {\n  color: red;\n}\n";
  const std::string left = "\n.l {\n  margin: 0;\n}\n", right = "\n.r,\n.s {\n  margin: 1px;\n}\n";
  expect_merge("a.css", {rule, rule + left, rule + right}, rule + left + right);
  expect_conflict("a.css", {rule, rule + left, rule + "\n.l {\n  margin: 1px;\n}\n"});
  const auto with = [](const std::string& more) { return ".a {\n  color: red;\n" + more + "}\n"; };
  const std::string edge = "  border: 0;\n", space = "  padding: 1px;\n";
  expect_merge("a.scss", {with(""), with(edge), with(space)}, with(edge + space));
  expect_conflict("a.css", {with(""), with(edge), with("  border-top: 1px;\n")});
}

TEST(Entries, DependenciesOfGradleThatBothAdded) {
  const auto with = [](const std::string& more) {
    return "dependencies {\n    implementation 'a:b:1'\n" + more + "}\n";
  };
  const std::string left = "    implementation 'c:d:2'\n",
                    right = "    testImplementation(\"e:f:3\")\n";
  expect_merge("build.gradle", {with(""), with(left), with(right)}, with(left + right));
  expect_conflict("build.gradle", {with(""), with(left), with("    api 'c:d:3'\n")});
  expect_conflict("build.gradle", {with(""), with(left), with("    exclude group: 'e:f'\n")});
}

TEST(PlainCode, ImportsThatBothAdded) {
  const std::string a = "import 'a.dart';\n", b = "import 'b.dart';\n", c = "import 'c.dart';\n";
  expect_merge("m.dart", {a, a + b, a + c}, a + b + c);
  expect_merge("m.dart", {a, a + b + c, a + c + b}, a + b + c);
  expect_conflict("m.dart", {a, a + b + "main() {}\n", a + c});
  expect_conflict("m.dart", {a, a + "import (\n", a + c});
  expect_conflict("words.txt", {"import a\n", "import a\nimport b\n", "import a\nimport c\n"});
}

TEST(PlainCode, FieldsThatBothAdded) {
  const auto with = [](const std::string& fields) {
    return "class A {\n  bool? a;\n" + fields + "}\n";
  };
  expect_merge("m.dart", {with(""), with("  int? b;\n"), with("  List<int> c;\n")},
               with("  int? b;\n  List<int> c;\n"));
  expect_conflict("m.dart", {with(""), with("  int? b;\n"), with("  String b;\n")});
  expect_conflict("m.dart", {with(""), with("  int b = 1;\n"), with("  int c;\n")});
  expect_conflict("m.dart", {with(""), with("  await b;\n"), with("  int c;\n")});
}

TEST(PlainCode, NamesThatBothAddedToAListOnOneLine) {
  expect_merge("m.hs", {"import M (a)\n", "import M (a, b)\n", "import M (a, c, d)\n"},
               "import M (a, b, c, d)\n");
  expect_merge(
      "m.hs",
      {"data E deriving (Eq)\n", "data E deriving (Eq, Ord)\n", "data E deriving (Eq, Show)\n"},
      "data E deriving (Eq, Ord, Show)\n");
  expect_merge("m.f90", {"integer :: a\n", "integer :: a, b\n", "integer :: a, c\n"},
               "integer :: a, b, c\n");
  expect_merge(
      "m.vue",
      {"import { a } from 'm'\n", "import { a, aa } from 'm'\n", "import { a, ba } from 'm'\n"},
      "import { a, aa, ba } from 'm'\n");
  // Arguments are told by their places; what both changed otherwise, and one name twice.
  expect_conflict("m.hs", {"f(a)\n", "f(a, b)\n", "f(a, c)\n"});
  expect_conflict("m.nix", {"{a}: 1\n", "{a, b}: 1\n", "{a, c}: 2\n"});
  expect_conflict("m.nix", {"{a}: 1\n", "{a, b}: 1\n", "{a, b, c}: 1\n"});
  expect_conflict("m.ex", {"def f(a, b) do\n", "def f(x, a, b) do\n", "def f(a, b, y) do\n"});
}

TEST(PlainCode, NamesOfAFileThatDeclares) {
  expect_merge("m.ml",
               {"{\n  a = 1;\n}\n", "{\n  B.a = 1;\n  b = 2;\n}\n", "{\n  a = 1;\n  c = 3;\n}\n"},
               "{\n  B.a = 1;\n  b = 2;\n  c = 3;\n}\n");
  expect_conflict("m.nix", {"{\n}\n", "{\n  a = 1;\n}\n", "{\n  a = 2;\n}\n"});
  const std::string x = "  x = 1;\n", y = "  y = 2;\n\n  z = 3;\n", both = "  both = 4;\n";
  expect_merge("m.nix",
               {"{\n" + x + y + "}\n", "{\n" + x + y + both + "}\n", "{\n" + x + both + y + "}\n"},
               "{\n" + x + y + both + "}\n");
  expect_merge("m.nix",
               {"{\n  a,\n  b,\n}: {}\n", "{\n  lib,\n  a,\n  b,\n}: {}\n",
                "{\n  a,\n  b,\n  lib,\n}: {}\n"},
               "{\n  lib,\n  a,\n  b,\n}: {}\n");
  expect_conflict("m.nix", {"{\n" + x + y + "}\n", "{\n" + x + y + both + "}\n",
                            "{\n" + x + "  both = 5;\n" + y + "}\n"});
}

// --- code in other texts ---

TEST(CodeBlocks, EachAsWhatItIs) {
  const auto page = [](const std::string& fence, const std::string& python, const std::string& c) {
    return "# T\n\n```" + fence + "\nfrom m import " + python + "\n```\n\n~~~~c\n```\n" + c +
           "~~~~\n\nEnd.\n";
  };
  const std::string f = "int f();\n", g = "int g();\n", h = "int h();\n";
  expect_merge("a.md",
               {page("python", "a", f), page("python", "a, b", f + g), page("py", "a, c", f + h)},
               page("py", "a, b, c", f + g + h));
  // One that is in conflict, other blocks, and one that does not end.
  expect_conflict("a.md", {page("c", "a", f), page("c", "b", f), page("c", "c", f)});
  const std::string more = "```\n```\n";
  expect_conflict("a.md", {page("c", "a", f), more + page("c", "b", f), page("c", "c", f)});
  expect_conflict("a.md", {"```c\na\n", "```c\nb\n", "```c\nc\n"});
}

TEST(CodeBlocks, ScriptsOfComponents) {
  const auto component = [](const std::string& names, const std::string& words) {
    return "<script setup lang=\"ts\">\nimport { " + names +
           " } from 'm'\n</script>\n\n<template>\n  <p>" + words + "</p>\n</template>\n";
  };
  expect_merge("A.vue",
               {component("a", "w"), component("a, b, type T", "w"), component("c, a", "v")},
               component("c, a, b, type T", "v"));
  expect_conflict("A.vue", {component("a", "w"), component("a", "x"), component("a", "y")});
}

TEST(Entries, RulesThatBothAddedToAMakefile) {
  const std::string base = "all: build\n\ntest: build\n\t./run\n";
  const std::string lint = "\n# Style.\n.PHONY: lint\nlint:\n\t./lint\n";
  const std::string clean = "\nclean:\n\trm -r build\n";
  expect_merge("Makefile", {base, base + lint, base + clean}, base + lint + clean);
  const std::string phony = ".PHONY: all\n" + base;
  expect_merge("Makefile", {base, base + lint, phony}, phony + lint);
  expect_conflict("Makefile", {base, base + lint, base + "\nlint:\n\t./other\n"});
  expect_conflict("Makefile",
                  {base, base + "\t./more\n" + clean, base + lint});  // of the one above
  expect_conflict("Makefile", {base, base + lint, base + "\nifdef X\nclean:\n\trm x\nendif\n"});
}

TEST(Entries, PartsOfASchemaThatBothAdded) {
  const auto proto = [](const std::string& fields, const std::string& calls) {
    return "message User {\n  int32 id = 1;\n" + fields + "}\n\nservice Users {\n" +
           "  rpc Get(Id) returns (User);\n" + calls + "}\n";
  };
  const std::string list = "  rpc List(Page) returns (Users);\n",
                    put = "  rpc Put(User) returns (Id);\n";
  expect_merge("a.proto", {proto("", ""), proto("", list), proto("", put)}, proto("", list + put));
  expect_conflict("a.proto",
                  {proto("", ""), proto("", list), proto("", "  rpc List(Id) returns (A);\n")});
  const std::string mail = "  string mail = 2;\n", age = "  optional int32 age = 3;\n";
  expect_merge("a.proto", {proto("", ""), proto(mail, ""), proto(age, "")}, proto(mail + age, ""));
  expect_conflict("a.proto", {proto("", ""), proto(mail, ""), proto("  int32 age = 2;\n", "")});
  const std::string a = "\n// One.\nmessage A {\n  int32 id = 1;\n}\n",
                    b = "\nmessage B {\n  int32 id = 1;\n}\n";
  const std::string base = proto("", "");
  expect_merge("a.proto", {base, base + a, base + b}, base + a + b);
  expect_conflict("a.proto", {base, base + a, base + "\nmessage A {\n  int32 key = 1;\n}\n"});
  const std::string type = "type User {\n  id: ID!\n", end = "}\n";
  expect_merge(
      "a.graphql",
      {type + end, type + "  mail: String\n" + end, type + "  posts(n: Int): [Post!]!\n" + end},
      type + "  mail: String\n  posts(n: Int): [Post!]!\n" + end);
  expect_conflict("a.swift", {base, base + a, base + b});
}

TEST(Entries, OneNumberOfAFieldAtTwoPlaces) {
  const auto proto = [](const std::string& first, const std::string& last,
                        const std::string& other) {
    return "message User {\n" + first + "  int32 id = 1;\n  int32 x = 2;\n" + last +
           "}\n\nmessage B {\n" + "  int32 id = 1;\n  int32 x = 2;\n  int32 y = 3;\n" + other +
           "}\n";
  };
  const std::string base = proto("", "", ""), left = proto("  string mail = 3;\n", "", "");
  expect_conflict("a.proto", {base, left, proto("", "  int32 age = 3;\n", "")});
  expect_merge("a.proto", {base, left, proto("", "  int32 age = 4;\n", "")},
               proto("  string mail = 3;\n", "  int32 age = 4;\n", ""));
  const std::string one = "  oneof kind {\n    int32 a = 7;\n", more = "    int32 b = 3;\n";
  expect_conflict("a.proto",
                  {proto("", one + "  }\n", ""), proto("  string mail = 3;\n", one + "  }\n", ""),
                   proto("", one + more + "  }\n", "")});
  expect_merge("a.proto",
               {base, proto("  string mail = 4;\n", "", ""), proto("", "", "  int32 z = 4;\n")},
               proto("  string mail = 4;\n", "", "  int32 z = 4;\n"));
}

}  // namespace
}  // namespace gittxn::semantic
