#include "land/judge/meaning/chains.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalogue/footprints.h"
#include "certify/judge.h"
#include "semantic/compare/sight.h"

namespace gittxn::land {
namespace {

constexpr std::size_t kMostFiles = 64;  // that are looked into for one side

bool has_modules(std::string_view path) {
  return !semantic::files_of_module("./a", path).empty();
}

// A name as a file calls it.
using Named = std::pair<std::string, std::string>;

class Follower {
 public:
  Follower(const SeenTree& seen, const semantic::Footprint& other, semantic::Footprint* side)
      : seen_(seen), other_(other), side_(*side) {}

  Status run() {
    if (std::ranges::none_of(other_.paths, has_modules)) return {};
    std::map<std::string_view, std::vector<const semantic::Use*>> by_path;
    for (const semantic::Use& use : side_.uses) {
      const bool counts =
          use.state != semantic::UseState::kLost && use.role != semantic::UseRole::kText;
      if (counts && !use.local) by_path[use.path].push_back(&use);
    }
    for (const semantic::Bound& bound : side_.bound) {
      const auto uses = by_path.find(bound.path);
      if (bound.module.empty() || uses == by_path.end()) continue;
      for (const semantic::Use* use : uses->second) TRY(follow(bound, *use));
    }
    if (made_.empty()) return {};
    std::ranges::move(made_, std::back_inserter(side_.uses));
    side_ = semantic::settled(std::move(side_));
    return {};
  }

 private:
  // The name that the use has of what is imported, as the module calls it; empty: none.
  static std::string said_of(const semantic::Bound& bound, const semantic::Use& use) {
    const bool member = use.role == semantic::UseRole::kMember;
    if (bound.original.empty() && bound.name != semantic::kAnyName) {
      return member && use.qualifier == bound.name && !use.of_local ? use.name : std::string();
    }
    if (member) return {};
    if (bound.name == semantic::kAnyName)
      return use.role == semantic::UseRole::kImport ? std::string() : use.name;
    const bool its = use.name == bound.name ||
                     (use.role == semantic::UseRole::kImport && use.name == bound.original);
    return its ? bound.original : std::string();
  }

  Status follow(const semantic::Bound& bound, const semantic::Use& use) {
    const std::string name = said_of(bound, use);
    if (name.empty()) return {};
    std::set<Named> seen;
    TRY(trace(bound.module, bound.path, name, &seen));
    for (const auto& [path, called] : seen) {
      if (!std::ranges::binary_search(other_.paths, path)) continue;
      semantic::Use& made = made_.emplace_back(use);
      made.name = called;
      made.origin = path;
    }
    return {};
  }

  // Adds each file that hands the name on, and the one that declares it.
  Status trace(const std::string& module, const std::string& from, const std::string& name,
               std::set<Named>* seen) {
    const std::string path = TRY(file_of(module, from));
    if (path.empty() || !seen->emplace(path, name).second) return {};
    const std::vector<semantic::Bound>* all = TRY(bound_in(path));
    if (all == nullptr) return {};
    bool told = false;
    for (const semantic::Bound& bound : *all) {
      if (bound.name != name) continue;
      told = true;
      const bool on = !bound.module.empty() && !bound.original.empty() && bound.handed;
      if (on) TRY(trace(bound.module, path, bound.original, seen));
    }
    if (told) return {};
    for (const semantic::Bound& bound : *all) {
      const bool any = bound.name == semantic::kAnyName && bound.handed && !bound.module.empty();
      if (any) TRY(trace(bound.module, path, name, seen));
    }
    return {};
  }

  // The entry of a path as the side sees it.
  Result<TreeEntry> entry_at(const std::string& path) const {
    if (const PathChange* own = certify::find_change(seen_.own, path)) return own->after;
    if (const PathChange* other = certify::find_change(seen_.others, path)) return other->before;
    return seen_.objects.entry_at(seen_.tree, path);
  }

  // Empty: it is no file of the tree.
  Result<std::string> file_of(const std::string& module, const std::string& from) {
    const auto [known, fresh] = files_.try_emplace({module, from});
    if (!fresh) return known->second;
    for (std::string& path : semantic::files_of_module(module, from)) {
      if (!TRY(entry_at(path)).is_file()) continue;
      known->second = std::move(path);
      break;
    }
    return known->second;
  }

  // The names at the top of a file; nullptr where it is not looked into.
  Result<const std::vector<semantic::Bound>*> bound_in(const std::string& path) {
    const auto known = bound_.find(path);
    if (known != bound_.end()) return &known->second;
    if (bound_.size() >= kMostFiles) return nullptr;
    const TreeEntry entry = TRY(entry_at(path));
    if (TRY(seen_.objects.blob_size(entry.oid)) > seen_.most) return nullptr;
    semantic::Footprint all =
        TRY(catalogue::footprint_of(seen_.objects, {path, {}, entry}, seen_.most, seen_.cache));
    return &bound_.emplace(path, std::move(all.bound)).first->second;
  }

  const SeenTree& seen_;
  const semantic::Footprint& other_;
  semantic::Footprint& side_;
  std::map<Named, std::string> files_;  // by module and who imports it
  std::map<std::string, std::vector<semantic::Bound>> bound_;
  std::vector<semantic::Use> made_;
};

}  // namespace

Status follow_chains(const SeenTree& seen, const semantic::Footprint& other,
                     semantic::Footprint* side) {
  return Follower(seen, other, side).run();
}

}  // namespace gittxn::land
