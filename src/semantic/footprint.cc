#include "semantic/footprint.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

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

namespace {

// Sorts only what is not sorted yet: all that is kept is.
template <typename Values, typename Key>
void sort_each_once(Values* values, const Key& key) {
  if (!std::ranges::is_sorted(*values, {}, key)) std::ranges::sort(*values, {}, key);
  const auto twice = std::ranges::unique(*values, {}, key);
  values->erase(twice.begin(), twice.end());
}

}  // namespace

int Footprint::definitions_of(std::string_view name) const {
  int containers = 0;
  for (const auto& file : definitions) {
    const auto found = std::ranges::lower_bound(*file, name, {}, &Definitions::value_type::first);
    if (found != file->end() && found->first == name) containers += found->second;
  }
  return containers;
}

const Write* write_in(const Footprint& side, std::string_view id) {
  const auto at = std::ranges::lower_bound(side.writes, id, {}, &Write::symbol);
  return at != side.writes.end() && at->symbol == id ? &*at : nullptr;
}

Footprint settled(Footprint all) {
  std::ranges::stable_sort(all.writes, {}, &Write::symbol);
  const auto key = [](const Use& use) {
    return std::tie(use.name, use.symbol, use.role, use.state, use.local, use.qualifier, use.arity,
                    use.of_local, use.made, use.valued, use.named, use.set, use.declared, use.given,
                    use.origin, use.kin);
  };
  sort_each_once(&all.uses, key);
  std::ranges::sort(all.paths);
  sort_each_once(&all.bound, std::identity());
  return all;
}

Footprint together(const std::vector<const Footprint*>& files) {
  Footprint all;
  const auto add = [](const auto& part, auto* to) {
    to->insert(to->end(), part.begin(), part.end());
  };
  for (const Footprint* file : files) {
    add(file->paths, &all.paths);
    add(file->writes, &all.writes);
    add(file->uses, &all.uses);
    add(file->bound, &all.bound);
    add(file->definitions, &all.definitions);
  }
  return settled(std::move(all));
}

Footprint footprint_of(const std::vector<FileChange>& changes, const Budget& budget) {
  std::vector<Footprint> files;
  files.reserve(changes.size());
  std::vector<const Footprint*> each;
  for (const FileChange& change : changes) {
    each.push_back(&files.emplace_back(footprint_of_file(change, budget)));
  }
  return together(each);
}

}  // namespace gittxn::semantic
