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
  expect_conflict("pom.xml", {with("<b/>\n"), with("<b c='1'/>\n"), with("<b d='2'/>\n")});
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

}  // namespace
}  // namespace gittxn::semantic
