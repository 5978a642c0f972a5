// The names in code that stands between the braces of a string.
#include "semantic/read/interpolated.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "semantic/symbol.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {
namespace {

// The names that a string in the text of a file has in it, as "owner.name/arguments", those that
// are local with a star.
std::string names_in_string(std::string_view language, const std::string& text) {
  const auto tree = Tree::parse(*find_language(language), text, {}, Detail::kFacts);
  std::string said;
  for (std::uint32_t i = 0; i < tree->leaves().size(); ++i) {
    if (!tree->leaves()[i]->text.contains('{')) continue;
    std::vector<NameRead> names;
    names_of(*tree, i, &names);
    for (const NameRead& read : names) {
      said += said.empty() ? "" : " ";
      if (read.role == UseRole::kMember) said += std::string(read.qualifier) + ".";
      said += read.role == UseRole::kText ? "text:" : "";
      said += read.name;
      if (read.arity >= 0) said += "/" + std::to_string(read.arity);
      said += read.local ? "*" : "";
    }
  }
  return said;
}

TEST(Interpolated, CodeInAFormattedStringOfPython) {
  const auto names = [](const std::string& string) {
    return names_in_string("python", "def f(order):\n    return " + string + "\n");
  };
  EXPECT_EQ(names("f'{order.total(1, [2, 3])} of {make()}'"), "order* order.total/2 make/0");
  EXPECT_EQ(names("f'{order} {other}'"), "order* other");
  EXPECT_EQ(names("f'{order.first.second}'"), "order* order.first first.second");
  EXPECT_EQ(names("f\"{order['key']}\""), "order* text:key");
  EXPECT_EQ(names("f'{join(\"a, b\")}'"), "join/1 a b");
  EXPECT_EQ(names("f'{make(order}'"), "make order*");
}

TEST(Interpolated, CodeInATemplateOfAScript) {
  const auto names = [](const std::string& string) {
    return names_in_string("javascript", "function f(order) { return " + string + "; }\n");
  };
  EXPECT_EQ(names("`${order.total(1, 2)} of ${make()}`"), "order* order.total/2 make/0");
  EXPECT_EQ(names("`${order?.name}`"), "order* order.name");
}

TEST(Interpolated, BracesOfOtherStringsHoldWords) {
  EXPECT_EQ(names_in_string("python", "def f(order):\n    return '{order.total}'\n"),
            "order total");
  EXPECT_EQ(names_in_string("javascript", "function f(order) { return '{order.total}'; }\n"),
            "order total");
}

}  // namespace
}  // namespace gittxn::semantic
