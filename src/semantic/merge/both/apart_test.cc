#include "semantic/merge/both/apart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>

#include "semantic/merge/both/called.h"
#include "semantic/merge/merge_tree.h"

namespace gittxn::semantic {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Parsed {
  std::vector<std::unique_ptr<Tree>> kept;
  std::vector<const Tree*> trees;
};

Parsed parsed(std::string_view language, const std::vector<std::string>& texts) {
  Parsed all;
  for (const std::string& text : texts) {
    all.kept.push_back(Tree::parse(*find_language(language), text, {}));
    all.trees.push_back(all.kept.back().get());
  }
  return all;
}

std::vector<std::string> texts_of(const Nodes& nodes) {
  std::vector<std::string> texts;
  for (const Node* node : nodes) texts.emplace_back(node->text);
  return texts;
}

TEST(Apart, LeavesOutWhatAllHaveWhereverItStands) {
  const Parsed all =
      parsed("python", {"a = 1\nb = 2\nc = 3\n", "c = 3\na = 1\nb = 4\n", "b = 2\na = 1\nc = 3\n"});
  const std::vector<Nodes> apart = not_in_all(all.trees);
  EXPECT_THAT(texts_of(apart[0]), ElementsAre("b = 2"));
  EXPECT_THAT(texts_of(apart[1]), ElementsAre("b = 4"));
  EXPECT_THAT(texts_of(apart[2]), ElementsAre("b = 2"));
}

TEST(Apart, HasWhatOneHasOnceMore) {
  const Parsed all = parsed("python", {"a()\n", "a()\na()\n", "a()\n"});
  const std::vector<Nodes> apart = not_in_all(all.trees);
  EXPECT_THAT(texts_of(apart[0]), ElementsAre("a()"));
  EXPECT_THAT(texts_of(apart[1]), ElementsAre("a()", "a()"));
}

// Comments are no part of what makes two nodes the same code.
TEST(Apart, HasAFunctionWhoseCommentAloneDiffers) {
  const Parsed all = parsed("c", {"int f(void) { return 1; /* x */ }\nint g;\n",
                                  "int f(void) { return 1; /* y */ }\nint g;\n"});
  EXPECT_EQ(not_in_all(all.trees)[0].size(), 1u);
}

TEST(Apart, LooksIntoWhatAloneIsLeft) {
  const Parsed all =
      parsed("java", {"class A {\n  int a;\n  int b;\n}\n", "class A {\n  int a;\n  int c;\n}\n"});
  EXPECT_THAT(texts_of(not_in_all(all.trees)[1]), ElementsAre("int c;"));
}

TEST(Apart, IsNothingOfEqualTexts) {
  const Parsed all = parsed("go", {"package a\n", "package a\n"});
  EXPECT_THAT(not_in_all(all.trees), ElementsAre(IsEmpty(), IsEmpty()));
}

// A name that stands in what all files have in common is no new one, so a merge does not lose it.
TEST(Apart, ANameThatAllSayElsewhereIsNotLost) {
  const Parsed all = parsed("python", {"use(name)\na = 1\n", "use(name)\na = name\n",
                                       "use(name)\na = 1\n", "use(name)\na = 1\n"});
  EXPECT_EQ(lost_token({all.trees[0], all.trees[1], all.trees[2]}, *all.trees[3], {}), "");
  const Parsed fresh = parsed("python", {"use(it)\na = 1\n", "use(it)\na = name\n",
                                         "use(it)\na = 1\n", "use(it)\na = 1\n"});
  EXPECT_EQ(lost_token({fresh.trees[0], fresh.trees[1], fresh.trees[2]}, *fresh.trees[3], {}),
            "'name' would be lost");
}

// One call of the name is the same in all versions, so that it takes what it took as well.
TEST(Apart, ANameThatIsStillCalledAsItWasIsNotCalledOtherwise) {
  const std::string same = "keep(f(0))\n";
  const Parsed all = parsed("python", {same + "x = f(1)\ny = 2\n", same + "x = f(1, 2)\ny = 2\n",
                                       same + "x = f(1)\ny = 2\nz = f(1)\nw = f(1)\n"});
  EXPECT_EQ(called_otherwise({all.trees[0], all.trees[1], all.trees[2]}).why, "");
  const Parsed alone = parsed("python", {"x = f(1)\ny = 2\n", "x = f(1, 2)\ny = 2\n",
                                         "x = f(1)\ny = 2\nz = f(1)\nw = f(1)\n"});
  EXPECT_NE(called_otherwise({alone.trees[0], alone.trees[1], alone.trees[2]}).why, "");
}

std::map<std::string, int> counted(const Tree& tree, const Nodes& nodes) {
  std::map<std::string, int> times;
  for (const Node* node : nodes) {
    for (std::uint32_t i = 0; i < node->leaves; ++i) {
      ++times[std::string(tree.leaves()[node->leaf + i]->text)];
    }
  }
  return times;
}

TEST(ApartProperty, WhatIsLeftOutIsSaidAsOftenInEach) {
  std::mt19937 random(20);
  const auto below = [&](int most) { return std::uniform_int_distribution(0, most - 1)(random); };
  const auto drawn = [&] {
    std::string text;
    for (int i = below(6); i >= 0; --i) {
      const std::string name(1, static_cast<char>('a' + below(4)));
      const std::string other(1, static_cast<char>('a' + below(4)));
      text += below(3) == 0 ? "class " + name + ":\n    " + other + " = 1\n    b = 2\n"
                            : name + "(" + other + ")\n";
    }
    return text;
  };
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> texts;
    for (int i = below(3) + 1; i >= 0; --i) texts.push_back(drawn());
    const Parsed all = parsed("python", texts);
    const std::vector<Nodes> apart = not_in_all(all.trees), roots = whole(all.trees);
    std::set<std::map<std::string, int>> left_out;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::map<std::string, int> times = counted(*all.trees[i], roots[i]);
      for (const auto& [word, n] : counted(*all.trees[i], apart[i])) times[word] -= n;
      std::erase_if(times, [](const auto& each) { return each.second == 0; });
      left_out.insert(times);
    }
    ASSERT_EQ(left_out.size(), 1u) << ::testing::PrintToString(texts);
  }
}

}  // namespace
}  // namespace gittxn::semantic
