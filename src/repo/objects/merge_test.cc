// Diff, apply and merge against git: diff-tree and merge-tree over random trees.
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "model/change.h"
#include "repo/objects.h"
#include "repo/testing/random_trees.h"
#include "repo/testing/scratch_repo.h"

namespace gittxn::repo {
namespace {

using testing::Importer;
using testing::must;
using testing::RandomFile;
using testing::RandomTree;
using testing::ScratchRepo;
using testing::TreeMaker;

constexpr std::uint64_t kSeed = 20261121;

TreeEntry raw_side(const std::string& mode, const std::string& oid) {
  const auto bits = static_cast<std::uint32_t>(std::stoul(mode, nullptr, 8));
  if (bits == 0) return {};
  return {static_cast<FileMode>(bits), Oid(oid)};
}

// What git diff-tree -r -t says, in our form: directories that are on both sides left out, and a
// deletion and an addition of one name as one change.
Changes diff_by_git(const ScratchRepo& repo, const Oid& before, const Oid& after) {
  std::string raw =
      repo.git({"diff-tree", "-r", "-t", "-z", "--raw", "--no-renames", before.str(), after.str()});
  std::map<std::string, PathChange> by_path;
  while (!raw.empty()) {
    const std::size_t meta_end = raw.find('\0');
    const std::size_t path_end = raw.find('\0', meta_end + 1);
    const std::string meta = raw.substr(1, meta_end - 1);
    const std::string path = raw.substr(meta_end + 1, path_end - meta_end - 1);
    raw.erase(0, path_end + 1);
    const TreeEntry was = raw_side(meta.substr(0, 6), meta.substr(14, 40));
    const TreeEntry is = raw_side(meta.substr(7, 6), meta.substr(55, 40));
    if (was.mode == FileMode::kTree && is.mode == FileMode::kTree) continue;
    PathChange& change = by_path[path];
    change.path = path;
    if (was.present()) change.before = was;
    if (is.present()) change.after = is;
  }
  Changes changes;
  for (auto& [path, change] : by_path) changes.push_back(std::move(change));
  return changes;
}

std::string shown(const Changes& changes) {
  return changes_to_lines(changes);
}

TEST(Diff, IsWhatGitDiffTreeSays) {
  const ScratchRepo repo;
  TreeMaker maker(kSeed);
  Importer importer;
  constexpr int kPairs = 60;
  for (int i = 0; i < kPairs; ++i) {
    const RandomTree tree = maker.tree(static_cast<int>(maker.random().below(30)));
    importer.add(tree);
    importer.add(maker.mutated(tree, static_cast<int>(maker.random().below(12))));
  }
  const std::vector<Oid> commits = importer.run(repo);
  const Objects objects = repo.objects();
  std::size_t changed = 0;
  std::size_t mixed = 0;
  for (std::size_t i = 0; i < commits.size(); i += 2) {
    const Oid a = must(objects.tree_of(commits[i]));
    const Oid b = must(objects.tree_of(commits[i + 1]));
    const Changes changes = must(objects.diff(a, b));
    EXPECT_EQ(shown(changes), shown(diff_by_git(repo, a, b))) << "seed " << kSeed << " pair " << i;
    changed += changes.size();
    for (const PathChange& change : changes) {
      mixed += change.is_directory() && change.before.present() && change.after.present();
    }
    // and a diff, applied, is the other tree
    EXPECT_EQ(must(objects.apply(a, changes)), b);
    EXPECT_EQ(must(objects.apply(a, files_of(changes))), b);
    EXPECT_EQ(must(objects.apply(Oid(), files_of(must(objects.diff(Oid(), b))))), b);
    if (!files_of(changes).empty()) {
      EXPECT_EQ(objects.apply(b, changes).error().code, Code::kStale);
    }
  }
  EXPECT_GT(changed, 300u);
  EXPECT_GT(mixed, 20u);  // file against directory did occur
}

// A clean merge of git's that we call a conflict is one inside a file, or of mode and content.
bool git_merged_inside(const MergeConflict& conflict) {
  auto is_file = [](const TreeEntry& entry) {
    return entry.present() && entry.mode != FileMode::kTree;
  };
  return is_file(conflict.base) && is_file(conflict.ours) && is_file(conflict.theirs);
}

TEST(Merge, IsWhatGitMergeTreeSays) {
  const ScratchRepo repo;
  TreeMaker maker(kSeed + 1);
  Importer importer;
  constexpr int kTriples = 150;
  for (int i = 0; i < kTriples; ++i) {
    const RandomTree base = maker.tree(static_cast<int>(maker.random().below(25)));
    const int root = importer.add(base);
    const int edits = 1 + static_cast<int>(maker.random().below(5));
    importer.add(maker.mutated(base, edits), {root});
    importer.add(maker.mutated(base, edits), {root});
  }
  const std::vector<Oid> commits = importer.run(repo);
  const Objects objects = repo.objects();
  int clean = 0;
  int conflicted = 0;
  for (std::size_t i = 0; i < commits.size(); i += 3) {
    const MergeOutcome merged = must(objects.merge(commits[i], commits[i + 1], commits[i + 2]));
    const MergeOutcome mirrored = must(objects.merge(commits[i], commits[i + 2], commits[i + 1]));
    EXPECT_EQ(merged.tree, mirrored.tree) << "seed " << kSeed + 1 << " triple " << i;
    EXPECT_EQ(merged.conflicts.size(), mirrored.conflicts.size());
    const Output by_git = must(repo.runner().run(
        {"merge-tree", "--write-tree", "--no-messages", commits[i + 1].str(), commits[i + 2].str()},
        {.dir = repo.path()}));
    ASSERT_LE(by_git.exit.status, 1) << by_git.err;
    if (by_git.exit.status == 1) {
      EXPECT_FALSE(merged.conflicts.empty()) << "seed " << kSeed + 1 << " triple " << i;
      EXPECT_TRUE(merged.tree.empty());
      ++conflicted;
    } else if (merged.conflicts.empty()) {
      EXPECT_EQ(merged.tree.str(), by_git.out.substr(0, 40))
          << "seed " << kSeed + 1 << " triple " << i;
      ++clean;
    } else {
      for (const MergeConflict& conflict : merged.conflicts) {
        EXPECT_TRUE(git_merged_inside(conflict)) << conflict.path;
      }
    }
  }
  EXPECT_GT(clean, 30);
  EXPECT_GT(conflicted, 30);
}

struct MergeCase {
  const char* name;
  RandomTree base, ours, theirs;
  std::optional<RandomTree> result;  // unset: conflicts at `paths`
  std::vector<std::string> paths;
};

RandomFile file(const std::string& bytes) {
  return {"100644", bytes};
}

const std::vector<MergeCase> kHandMade = {
    MergeCase{"same change on both sides",
              {{"f", file("1")}},
              {{"f", file("2")}},
              {{"f", file("2")}},
              RandomTree{{"f", file("2")}},
              {}},
    MergeCase{"different files",
              {{"d/a", file("1")}, {"d/b", file("1")}},
              {{"d/a", file("2")}, {"d/b", file("1")}},
              {{"d/a", file("1")}, {"d/b", file("2")}},
              RandomTree{{"d/a", file("2")}, {"d/b", file("2")}},
              {}},
    MergeCase{"one file, two changes",
              {{"d/f", file("1")}},
              {{"d/f", file("2")}},
              {{"d/f", file("3")}},
              std::nullopt,
              {"d/f"}},
    MergeCase{"delete against modify",
              {{"d/f", file("1")}, {"k", file("1")}},
              {{"k", file("1")}},
              {{"d/f", file("2")}, {"k", file("1")}},
              std::nullopt,
              {"d/f"}},
    MergeCase{"both delete",
              {{"d/f", file("1")}, {"k", file("1")}},
              {{"k", file("1")}},
              {{"k", file("1")}},
              RandomTree{{"k", file("1")}},
              {}},
    MergeCase{"the last two files of a directory, one each",
              {{"d/e/a", file("1")}, {"d/e/b", file("1")}, {"k", file("1")}},
              {{"d/e/a", file("1")}, {"k", file("1")}},
              {{"d/e/b", file("1")}, {"k", file("1")}},
              RandomTree{{"k", file("1")}},
              {}},
    MergeCase{"everything goes",
              {{"a", file("1")}, {"b", file("1")}},
              {{"a", file("1")}},
              {{"b", file("1")}},
              RandomTree{},
              {}},
    MergeCase{"file against directory, both new",
              {{"k", file("1")}},
              {{"k", file("1")}, {"n", file("1")}},
              {{"k", file("1")}, {"n/x", file("1")}},
              std::nullopt,
              {"n"}},
    MergeCase{"file against directory, far down",
              {{"k", file("1")}},
              {{"a/b/c/n", file("1")}, {"k", file("1")}},
              {{"a/b/c/n/x/y", file("1")}, {"k", file("1")}},
              std::nullopt,
              {"a/b/c/n"}},
    MergeCase{"a file that both made a directory",
              {{"n", file("1")}},
              {{"n/x", file("1")}},
              {{"n/y", file("2")}},
              RandomTree{{"n/x", file("1")}, {"n/y", file("2")}},
              {}},
    MergeCase{"a directory that became a file, untouched by the other",
              {{"n/x", file("1")}, {"k", file("1")}},
              {{"n", file("2")}, {"k", file("1")}},
              {{"n/x", file("1")}, {"k", file("2")}},
              RandomTree{{"n", file("2")}, {"k", file("2")}},
              {}},
    MergeCase{"a directory that became a file, added to by the other",
              {{"n/x", file("1")}},
              {{"n", file("2")}},
              {{"n/x", file("1")}, {"n/y", file("1")}},
              std::nullopt,
              {"n"}},
    MergeCase{"a directory deleted, emptied of all it had and added to by the other",
              {{"n/x", file("1")}, {"k", file("1")}},
              {{"k", file("1")}},
              {{"n/y", file("1")}, {"k", file("1")}},
              RandomTree{{"n/y", file("1")}, {"k", file("1")}},
              {}},
    MergeCase{"names that sort differently as directories",
              {{"a", file("1")}, {"a.b", file("1")}, {"a0", file("1")}},
              {{"a/x", file("1")}, {"a.b", file("1")}, {"a0", file("1")}},
              {{"a", file("1")}, {"a.b", file("2")}, {"a0", file("2")}},
              RandomTree{{"a/x", file("1")}, {"a.b", file("2")}, {"a0", file("2")}},
              {}},
    MergeCase{"mode against content is a conflict of the path",
              {{"f", file("1")}},
              {{"f", {"100755", "1"}}},
              {{"f", file("2")}},
              std::nullopt,
              {"f"}},
    MergeCase{"two files against two changes",
              {{"a", file("1")}, {"z/b", file("1")}},
              {{"a", file("2")}, {"z/b", file("2")}},
              {{"a", file("3")}, {"z/b", file("3")}},
              std::nullopt,
              {"a", "z/b"}}};

TEST(Merge, HandMadeCasesComeOutAsSaid) {
  const ScratchRepo repo;
  Importer importer;
  for (const MergeCase& given : kHandMade) {
    for (const RandomTree& tree :
         {given.base, given.ours, given.theirs, given.result.value_or(RandomTree{})}) {
      importer.add(tree);
    }
  }
  const std::vector<Oid> commits = importer.run(repo);
  const Objects objects = repo.objects();
  for (std::size_t i = 0; i < kHandMade.size(); ++i) {
    SCOPED_TRACE(kHandMade[i].name);
    const Oid* of = &commits[4 * i];
    const MergeOutcome merged = must(objects.merge(of[0], of[1], of[2]));
    std::vector<std::string> paths;
    for (const MergeConflict& conflict : merged.conflicts) paths.push_back(conflict.path);
    EXPECT_EQ(paths, kHandMade[i].paths);
    EXPECT_EQ(merged.tree, kHandMade[i].result ? must(objects.tree_of(of[3])) : Oid());
  }
}

TEST(Merge, SubmodulesAndLinksAreFilesToIt) {
  const ScratchRepo repo;
  const std::string one = repo.commit("one").str();
  const std::string two = repo.commit("two").str();
  auto tree = [&](const std::string& lines) {
    return Oid(repo.git({"mktree", "--missing"}, lines));
  };
  const Oid base = tree("160000 commit " + one + "\tsub\n");
  const Oid moved = tree("160000 commit " + two + "\tsub\n");
  const Oid gone = tree("");
  const Objects objects = repo.objects();
  EXPECT_EQ(must(objects.merge(base, moved, base)).tree, moved);
  const MergeOutcome conflict = must(objects.merge(base, moved, gone));
  ASSERT_EQ(conflict.conflicts.size(), 1u);
  EXPECT_EQ(conflict.conflicts[0].ours.mode, FileMode::kSubmodule);
  const Changes changes = must(objects.diff(base, moved));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].after, (TreeEntry{FileMode::kSubmodule, Oid(two)}));
  EXPECT_EQ(must(objects.apply(base, changes)), moved);
}

TEST(Apply, ChecksPathsAndWhatWasThere) {
  const ScratchRepo repo;
  repo.write("d/f", "1");
  repo.commit("one");
  const Objects objects = repo.objects();
  const Oid tree = repo.tree();
  const TreeEntry blob = must(objects.entry_at(tree, "d/f"));
  auto code = [&](const PathChange& change) {
    auto applied = objects.apply(tree, {change});
    return applied ? std::optional<Code>() : applied.error().code;
  };
  for (const char* path : {"", "/", "a//b", "../x", "a/..", "a/./b", ".git", "d/.GIT/config"}) {
    EXPECT_EQ(code({path, {}, blob}), Code::kUsage) << path;
  }
  EXPECT_EQ(code({"d/f", {}, blob}), Code::kStale);
  EXPECT_EQ(code({"d/g", blob, {}}), Code::kStale);
  EXPECT_EQ(code({"d", {}, blob}), Code::kStale);      // d still has f in it
  EXPECT_EQ(code({"d/f/x", {}, blob}), Code::kStale);  // d/f is still a file
  EXPECT_EQ(code({"new/deep/file", {}, blob}), std::nullopt);
  EXPECT_EQ(objects.apply(tree, {{"x", {}, blob}, {"x", {}, blob}}).error().code, Code::kUsage);
  EXPECT_EQ(must(objects.apply(tree, {})), tree);
  const Oid empty = must(objects.apply(tree, {{"d/f", blob, {}}}));
  EXPECT_EQ(empty.str(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
  EXPECT_TRUE(must(objects.list(empty)).empty());
}

}  // namespace
}  // namespace gittxn::repo
