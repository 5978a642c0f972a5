// Pairs of real commits that have nothing to do with each other, as concurrent transactions: how
// many of them are refused, and why (tools/pairs).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/subprocess.h"
#include "base/testing/campaign.h"
#include "base/text.h"
#include "land/testing/concurrent.h"
#include "semantic/file_facts.h"
#include "semantic/footprint.h"
#include "semantic/kinds.h"

namespace gittxn::land {
namespace {

using repo::testing::must;
using testing::complaints;

// Pairs of changes that two commits of different times made, on one tree: the parent of the first,
// to which the change of the second is put.
class RealPairs {
 public:
  explicit RealPairs(const std::string& git_dir)
      : objects_(must(repo::Objects::open_in_memory(
            git_dir, repo::Git(repo::testing::test_environment("/"))))) {
    Command command;
    command.argv = {"git", "-C", git_dir, "rev-list", "--no-merges", "--min-parents=1", "HEAD"};
    command.env = repo::testing::test_environment("/");
    for (const auto line : lines_of(must(run(command)).out))
      commits_.emplace_back(std::string(line));
  }

  struct Pair {
    Oid one, other;
    testing::Concurrent trees;
  };

  // nullopt: these two cannot be put beside each other, or have to do with each other.
  std::optional<Pair> draw(Random& random) {
    const std::size_t at = random.below(commits_.size());
    const std::size_t away = 3 + random.below(120);
    if (away > at) return std::nullopt;
    Pair pair{commits_[at], commits_[at - away], {}};
    const Oid base = parent_of(pair.one), before = parent_of(pair.other);
    pair.trees.base = must(objects_.tree_of(base));
    pair.trees.head = must(objects_.tree_of(pair.one));
    const auto put = must(objects_.merge(must(objects_.tree_of(before)), pair.trees.base,
                                         must(objects_.tree_of(pair.other))));
    if (!put.conflicts.empty()) return std::nullopt;
    pair.trees.work = put.tree;
    if (!stands(pair.trees.base, pair.trees.work, must(objects_.tree_of(pair.other)))) {
      return std::nullopt;
    }
    return is_unrelated(pair.trees) ? std::optional(pair) : std::nullopt;
  }

  repo::Objects& objects() { return objects_; }

 private:
  Oid parent_of(const Oid& commit) { return must(objects_.commit(commit)).parents.front(); }

  // Each file of its own tree that the change includes is there on this base, too.
  bool stands(const Oid& base, const Oid& work, const Oid& made_on) {
    const std::set<std::string> here = ends_of_paths(work), there = ends_of_paths(made_on);
    for (const PathChange& change : must(objects_.diff(base, work))) {
      if (!change.after.is_file()) continue;
      const auto facts = semantic::facts_of(change.path, must(objects_.blob(change.after.oid)), {});
      const bool lost = std::ranges::any_of(facts.imports, [&](const semantic::Import& import) {
        return there.contains(import.module) && !here.contains(import.module);
      });
      if (lost) return false;
    }
    return true;
  }

  // "a/b/c.h", "b/c.h" and "c.h" of each file.
  std::set<std::string> ends_of_paths(const Oid& tree) {
    std::set<std::string> ends;
    for (const PathChange& file : must(objects_.diff({}, tree))) {
      for (std::size_t at = file.path.size(); at != std::string::npos;) {
        at = file.path.rfind('/', at - 1);
        ends.insert(file.path.substr(at + 1));
      }
    }
    return ends;
  }

  // Git merges them, both change programs, and no symbol is changed by both.
  bool is_unrelated(testing::Concurrent& trees) {
    std::set<std::string> symbols[2];
    int programs[2] = {0, 0};
    if (!must(objects_.merge(trees.base, trees.head, trees.work)).conflicts.empty()) return false;
    for (const int side : {0, 1}) {
      for (const PathChange& change :
           must(objects_.diff(trees.base, side == 0 ? trees.head : trees.work))) {
        if (!change.before.is_file_or_absent() || !change.after.is_file_or_absent()) continue;
        const auto* language = semantic::language_of_path(change.path);
        if (language != nullptr && !semantic::is_data(*language)) ++programs[side];
        const auto text = [&](const TreeEntry& entry) {
          return entry.present() ? std::optional(must(objects_.blob(entry.oid))) : std::nullopt;
        };
        const auto footprint =
            semantic::footprint_of_file({change.path, text(change.before), text(change.after)}, {});
        for (const auto& write : footprint.writes) symbols[side].insert(write.symbol);
        if (side == 1 && change.before.present()) trees.reads.push_back(change.path);
      }
    }
    return programs[0] > 0 && programs[1] > 0 &&
           std::ranges::none_of(symbols[0],
                                [&](const auto& symbol) { return symbols[1].contains(symbol); });
  }

  repo::Objects objects_;
  std::vector<Oid> commits_;
};

// PAIRS: a repository; ROUNDS of them are drawn. A person judges what is printed of those that
// are refused.
TEST(RealPairs, ThatHaveNothingToDoWithEachOtherLand) {
  const char* git_dir = std::getenv("PAIRS");
  if (git_dir == nullptr) GTEST_SKIP() << "no repository is given";
  RealPairs pairs(git_dir);
  repo::testing::ScratchDir scratch;

  Random random(gittxn::testing::campaign_seed(1));
  int drawn = 0, refused = 0;
  while (drawn < gittxn::testing::campaign_rounds(200)) {
    const auto pair = pairs.draw(random);
    if (!pair) continue;
    ++drawn;
    const auto said = complaints(pairs.objects(), pair->trees, scratch / "catalogue");
    if (said.empty()) continue;
    ++refused;
    fmt::print("{:.9} beside {:.9}\n    {}\n", pair->one.str(), pair->other.str(),
               fmt::join(said, "\n    "));
  }
  fmt::print("{} pairs, {} refused\n", drawn, refused);
}

}  // namespace
}  // namespace gittxn::land
