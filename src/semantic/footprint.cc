#include "semantic/footprint.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace gittxn::semantic {

std::string_view change_name(Change change) {
  constexpr std::string_view kNames[] = {"added", "removed", "changed", "moved"};
  const auto at = static_cast<std::size_t>(change);
  return at < std::size(kNames) ? kNames[at] : "unknown";
}

bool Changed::code() const {
  return strong() || has(Capability::kBody);
}

bool Changed::strong() const {
  return has(Capability::kSignature) || has(Capability::kVisibility) || has(Capability::kBuild) ||
         (has(Capability::kContract) && !contract_in_words);
}

Footprint settled(Footprint all) {
  std::ranges::stable_sort(all.writes, {}, &Write::symbol);
  const auto key = [](const Use& use) {
    return std::tie(use.name, use.symbol, use.role, use.state, use.local, use.qualifier, use.arity,
                    use.of_local, use.made, use.declared, use.given, use.origin, use.kin);
  };
  std::ranges::sort(all.uses, {}, key);
  const auto same = std::ranges::unique(all.uses, {}, key);
  all.uses.erase(same.begin(), same.end());
  std::ranges::sort(all.paths);
  std::ranges::sort(all.bound);
  const auto twice = std::ranges::unique(all.bound);
  all.bound.erase(twice.begin(), twice.end());
  return all;
}

Footprint together(std::vector<Footprint> files) {
  Footprint all;
  for (Footprint& file : files) {
    std::ranges::move(file.paths, std::back_inserter(all.paths));
    std::ranges::move(file.writes, std::back_inserter(all.writes));
    std::ranges::move(file.uses, std::back_inserter(all.uses));
    std::ranges::move(file.bound, std::back_inserter(all.bound));
    for (const auto& [name, containers] : file.definitions) all.definitions[name] += containers;
  }
  return settled(std::move(all));
}

Footprint footprint_of(const std::vector<FileChange>& changes, const Budget& budget) {
  std::vector<Footprint> files;
  files.reserve(changes.size());
  for (const FileChange& change : changes) files.push_back(footprint_of_file(change, budget));
  return together(std::move(files));
}

}  // namespace gittxn::semantic
