#include "semantic/footprint.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "semantic/compare/file_footprint.h"

namespace gittxn::semantic {
namespace {

template <typename T, typename Key>
void sort_by(std::vector<T>* items, Key key) {
  std::ranges::stable_sort(*items, [&](const T& a, const T& b) { return key(a) < key(b); });
}

void note_touched(Footprint* out) {
  std::set<Predicate> touched;
  for (const Write& write : out->writes) {
    const bool body_alone = write.change == Change::kChanged && !write.what.strong();
    if (body_alone || write.change == Change::kMoved) continue;
    for (const std::string& name : write.defines) {
      touched.insert({PredicateKind::kDefinitions, name});
    }
  }
  for (const Use& use : out->uses) {
    if (use.state == UseState::kKept || use.local) continue;
    touched.insert({PredicateKind::kCallers, use.name});
    if (use.role == UseRole::kSuper) touched.insert({PredicateKind::kImplementers, use.name});
    if (use.role == UseRole::kImport) touched.insert({PredicateKind::kImporters, use.name});
  }
  out->touched.assign(touched.begin(), touched.end());
}

}  // namespace

std::string_view change_name(Change change) {
  constexpr std::string_view kNames[] = {"added", "removed", "changed", "moved"};
  return kNames[static_cast<std::size_t>(change)];
}

std::string_view state_name(UseState state) {
  constexpr std::string_view kNames[] = {"gained", "kept", "lost"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string_view predicate_name(PredicateKind kind) {
  constexpr std::string_view kNames[] = {"definitions of", "callers of", "implementers of",
                                         "importers of"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool Changed::code() const {
  if (contract_in_words && has(Capability::kContract)) {
    Changed rest = *this;
    rest.of[static_cast<std::size_t>(Capability::kContract)] = 0;
    rest.contract_in_words = false;
    return rest.code();
  }
  return std::ranges::any_of(of, [](std::uint8_t one) { return one != 0; });
}

bool Changed::strong() const {
  return has(Capability::kSignature) || has(Capability::kVisibility) || has(Capability::kBuild) ||
         (has(Capability::kContract) && !contract_in_words);
}

Footprint footprint_of_file(const FileChange& change, const Budget& budget) {
  Footprint footprint;
  if (change.before == change.after) return footprint;
  footprint.paths.push_back(change.path);
  const ChangedFile pair{outlines_of(change.path, change.before, change.after, budget), &change};
  compare_file(pair, &footprint);
  std::vector<Footprint> one;
  one.push_back(std::move(footprint));
  return together(std::move(one));
}

Footprint together(std::vector<Footprint> files) {
  Footprint all;
  for (Footprint& file : files) {
    std::ranges::move(file.paths, std::back_inserter(all.paths));
    std::ranges::move(file.writes, std::back_inserter(all.writes));
    std::ranges::move(file.uses, std::back_inserter(all.uses));
    std::ranges::move(file.read, std::back_inserter(all.read));
    for (const auto& [name, containers] : file.definitions) all.definitions[name] += containers;
  }
  sort_by(&all.writes, [](const Write& write) -> const std::string& { return write.symbol; });
  const auto key = [](const Use& use) {
    return std::tie(use.name, use.symbol, use.role, use.state, use.local, use.qualifier, use.arity);
  };
  std::ranges::sort(all.uses, {}, key);
  const auto same = std::ranges::unique(all.uses, {}, key);
  all.uses.erase(same.begin(), same.end());
  std::ranges::sort(all.paths);
  note_touched(&all);
  return all;
}

Footprint footprint_of(const std::vector<FileChange>& changes, const Budget& budget) {
  std::vector<Footprint> files;
  files.reserve(changes.size());
  for (const FileChange& change : changes) files.push_back(footprint_of_file(change, budget));
  return together(std::move(files));
}

}  // namespace gittxn::semantic
