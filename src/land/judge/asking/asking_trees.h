// The trees on which a question is asked again. Nothing runs here, and no repository is read.
//
//   before  the snapshot, with the files of the transaction's own that were by then as it leaves
//           them (Question::own): there it has to say and to look at what it did
//   after   the head, with the same files as they would land: what it would have said had the
//           transaction started there
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/change.h"
#include "model/read.h"

namespace gittxn::land {

struct AskingTree {
  enum class Of { kSnapshot, kHead } of = Of::kSnapshot;
  std::vector<std::pair<std::string, TreeEntry>> own;  // in the place of what the commit has
};
struct AskingTrees {
  AskingTree before, after;
};

// `finished`: a file of the transaction's own as it would land; nullopt: that is not known.
using Finished = std::function<Result<std::optional<TreeEntry>>(const std::string& path)>;
// nullopt: some of it is not known.
Result<std::optional<AskingTrees>> asking_trees(const Question& question, const Changes& writes,
                                                const Finished& finished);

// True if a directory of the commit is not on the tree, because the transaction took its files
// away, though it may have stayed in the worktree, empty: no tree has such a one.
using HasDirectory = std::function<Result<bool>(const std::string& path)>;
Result<bool> lost_a_directory(const Question& question, const AskingTree& tree,
                              const HasDirectory& in_commit, const HasDirectory& on_tree);

using Look = std::tuple<ReadKind, std::string, std::string>;  // subject, digest
// A file of Question::unsettled that these looks met, or looked into where it had met the name:
// what it was when the question was asked first is not known, so that the asking is no answer.
std::optional<std::string> met_unsettled(const Question& question, const std::set<Look>& looks);

}  // namespace gittxn::land
