// The trees that a question is asked on.
#include "land/judge/asking/asking_trees.h"

#include <gtest/gtest.h>

#include "repo/testing/scratch_repo.h"

namespace gittxn::land {
namespace {

using repo::testing::must;

TEST(AskingTrees, BothTreesHaveWhatWasFinishedByThen) {
  Question question;
  Changes writes;
  const TreeEntry mine{FileMode::kFile, Oid("2")}, both{FileMode::kFile, Oid("3")};
  question.own = {"a"};
  writes = {{"a", {}, mine}, {"later", {}, mine}};
  std::optional<TreeEntry> landed = both;
  const auto finished = [&](const std::string&) {
    return Result<std::optional<TreeEntry>>(landed);
  };
  const auto trees = must(asking_trees(question, writes, finished));
  ASSERT_TRUE(trees);
  using Own = std::vector<std::pair<std::string, TreeEntry>>;
  EXPECT_EQ(trees->before.of, AskingTree::Of::kSnapshot);
  EXPECT_EQ(trees->before.own, (Own{{"a", mine}}));
  EXPECT_EQ(trees->after.of, AskingTree::Of::kHead);
  EXPECT_EQ(trees->after.own, (Own{{"a", both}}));
  landed.reset();
  EXPECT_FALSE(must(asking_trees(question, writes, finished)));
  landed = both;
  writes.erase(writes.begin());
  EXPECT_FALSE(must(asking_trees(question, writes, finished))) << "it is not known what it was";
}

TEST(AskingTrees, NoTreeHasADirectoryThatWasEmptied) {
  Question question;
  Changes writes;
  const std::set<std::string> commit{"d", "d/e", "f"}, left{"f"};
  const auto has = [](const std::set<std::string>& directories) {
    return [&](const std::string& path) { return Result<bool>(directories.contains(path)); };
  };
  AskingTree tree{AskingTree::Of::kHead, {{"d/e/x", {}}}};
  EXPECT_TRUE(must(lost_a_directory(question, tree, has(commit), has(left))));
  question.own = {"d", "d/e", "d/e/x"};
  EXPECT_FALSE(must(lost_a_directory(question, tree, has(commit), has(left)))) << "it removed them";
  question.own = {"d/e", "d/e/x"};
  EXPECT_TRUE(must(lost_a_directory(question, tree, has(commit), has(left))));
  EXPECT_FALSE(must(lost_a_directory(question, tree, has(commit), has(commit))));
  writes = {{"d/e", {FileMode::kTree, {}}, {}}, {"d/e/x", {FileMode::kFile, Oid("1")}, {}}};
  const auto trees = must(asking_trees(question, writes, [](const std::string&) {
    return Result<std::optional<TreeEntry>>(TreeEntry{});
  }));
  ASSERT_TRUE(trees);
  EXPECT_EQ(trees->after.own.size(), 1u) << "a directory is no entry of its own";
}

TEST(AskingTrees, AFileThatChangedAgainIsMetByItsNameAndByItsDirectory) {
  Question question;
  question.unsettled = {"d/x"};
  EXPECT_FALSE(met_unsettled(question, {{ReadKind::kContent, "d/y", "1"}}));
  for (const char* path : {"d/x", "d", "d/x/y"}) {
    EXPECT_EQ(met_unsettled(question, {{ReadKind::kListing, path, "1"}}), "d/x") << path;
  }
  question.unsettled = {"d/e/x"};
  EXPECT_EQ(met_unsettled(question, {{ReadKind::kSearch, "d", "1"}}), "d/e/x") << "all below";
}

TEST(AskingTrees, OfAFileThatItKnewByItsNameThatIsNoLook) {
  Question question;
  question.own = question.unsettled = {"d/x"};
  EXPECT_FALSE(met_unsettled(question, {{ReadKind::kListing, "d", "1"}}));
  EXPECT_EQ(met_unsettled(question, {{ReadKind::kMetadata, "d/x", "1"}}), "d/x");
  EXPECT_EQ(met_unsettled(question, {{ReadKind::kSearch, "", "1"}}), "d/x");
}

}  // namespace
}  // namespace gittxn::land
