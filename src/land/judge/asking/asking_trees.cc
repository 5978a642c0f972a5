#include "land/judge/asking/asking_trees.h"

#include <algorithm>

#include "base/bug.h"
#include "base/fs.h"
#include "capture/asked/own_files.h"
#include "certify/judge.h"

namespace gittxn::land {

Result<std::optional<AskingTrees>> asking_trees(const Question& question, const Changes& writes,
                                                const Finished& finished) {
  using Of = AskingTree::Of;
  AskingTrees trees{{Of::kSnapshot, {}}, {Of::kHead, {}}};
  if (INJECTED_BUG("land.asks_the_snapshot")) trees.after.of = Of::kSnapshot;
  for (const std::string& path : question.own) {
    const PathChange* own = certify::find_change(writes, path);
    if (own != nullptr && own->is_directory()) continue;
    auto landed = TRY(finished(path));
    if (own == nullptr || !landed) return std::optional<AskingTrees>();
    trees.before.own.emplace_back(path, own->after);
    if (INJECTED_BUG("land.asks_without_own")) continue;
    trees.after.own.emplace_back(path, *std::move(landed));
  }
  return std::optional(std::move(trees));
}

Result<bool> lost_a_directory(const Question& question, const AskingTree& tree,
                              const HasDirectory& in_commit, const HasDirectory& on_tree) {
  for (const auto& [path, entry] : tree.own) {
    if (entry.present()) continue;
    for (std::string above = path; above.contains('/');) {
      above = parent_dir(above);
      if (std::ranges::binary_search(question.own, above)) continue;
      if (TRY(in_commit(above)) && !TRY(on_tree(above))) return true;
    }
  }
  return false;
}

std::optional<std::string> met_unsettled(const Question& question, const std::set<Look>& looks) {
  if (INJECTED_BUG("land.unsettled_is_met")) return std::nullopt;
  std::set<std::string> paths;
  for (const auto& [kind, path, digest] : looks) paths.insert(capture::look_of(kind, path));
  for (const std::string& path : question.unsettled) {
    const bool name = std::ranges::binary_search(question.own, path);
    if (name && INJECTED_BUG("land.names_hold_anything")) continue;
    if (name ? capture::looks_into(paths, path) : capture::meets(paths, path)) return path;
  }
  return std::nullopt;
}

}  // namespace gittxn::land
