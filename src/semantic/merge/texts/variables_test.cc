// A variable that one side took away and the other side uses anew.
#include "semantic/merge/texts/variables.h"

#include <gtest/gtest.h>

#include <string>

#include "semantic/merge.h"

namespace gittxn::semantic {
namespace {

std::string gone(std::string_view path, const Sides<std::string>& texts) {
  const std::string name = gone_variable(path, texts).name;
  EXPECT_EQ(gone_variable(path, {texts[kBase], texts[kRight], texts[kLeft]}).name, name);
  return name;
}

TEST(Variables, OfStyleSheets) {
  const auto sheet = [](const std::string& name, const std::string& more) {
    return ":root {\n  --" + name + ": 1px;\n  --b: 2px;\n}\n.x {\n  width: var(--" + name +
           ");\n}\n.y {\n  top: 0;\n}\n" + more;
  };
  const std::string use = ".z {\n  height: var(--a);\n}\n";
  EXPECT_EQ(gone("a.css", {sheet("a", ""), sheet("gap", ""), sheet("a", use)}), "--a");
  EXPECT_EQ(gone("a.css", {sheet("a", ""), sheet("gap", ""), sheet("a", ".z {\n}\n")}), "");
  EXPECT_EQ(gone("a.css", {sheet("a", ""), sheet("a-b", ""), sheet("a", ".z--a {\n}\n")}), "");
  EXPECT_EQ(gone("a.md", {sheet("a", ""), sheet("gap", ""), sheet("a", use)}), "");
  EXPECT_EQ(gone("a.scss", {"$a: 1px;\n.x {\n  top: $a;\n}\n", "$b: 1px;\n.x {\n  top: $b;\n}\n",
                            "$a: 1px;\n.x {\n  top: $a;\n}\n.y {\n  top: $a;\n}\n"}),
            "$a");
  const auto merged =
      merge_file({"a.css", ""}, {sheet("a", ""), sheet("gap", ""), sheet("a", use)}, {});
  ASSERT_TRUE(merged);
  EXPECT_FALSE(merged->clean());
  EXPECT_EQ(merged->why, "one side removed '--a', the other uses it anew");
}

TEST(Variables, OfMakefiles) {
  const auto file = [](const std::string& name, const std::string& more) {
    return name + " := -g\n\nall: a\n\na: a.c\n\tcc $(" + name + ") a.c\n\nclean:\n\trm a\n" + more;
  };
  const std::string use = "\nb: b.c\n\tcc ${FLAGS} b.c\n";
  EXPECT_EQ(gone("Makefile", {file("FLAGS", ""), file("CFLAGS", ""), file("FLAGS", use)}), "FLAGS");
  EXPECT_EQ(gone("Makefile", {file("FLAGS", ""), file("CFLAGS", ""), file("FLAGS", "\nFLAGS:\n")}),
            "");
  EXPECT_EQ(gone("a.mk", {file("F", ""), file("G", ""), file("F", "\nc:\n\techo $(F:a=b)\n")}),
            "F");
}

}  // namespace
}  // namespace gittxn::semantic
