#include "land/judge/meaning/chains.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "semantic/compare/sight.h"

namespace gittxn::land {
namespace {

bool has_modules(std::string_view path) {
  return !semantic::files_of_module("./a", path).empty();
}

// A name as a file calls it.
using Named = std::pair<std::string, std::string>;

class Follower {
 public:
  Follower(SeenFiles& files, const semantic::Footprint& other, semantic::Footprint* side)
      : files_(files), other_(other), side_(*side) {}

  Status run() {
    if (std::ranges::none_of(other_.paths, has_modules)) return {};
    std::map<std::string_view, std::vector<semantic::Use*>> by_path;
    for (semantic::Use& use : side_.uses) {
      const bool counts =
          use.state != semantic::UseState::kLost && use.role != semantic::UseRole::kText;
      if (counts && !use.local) by_path[use.path].push_back(&use);
    }
    for (const semantic::Bound& bound : side_.bound) {
      const auto uses = by_path.find(bound.path);
      if (bound.module.empty() || uses == by_path.end()) continue;
      for (semantic::Use* use : uses->second) TRY(follow(bound, use));
    }
    for (const auto& [use, trace] : traces_) {
      if (!trace.open && trace.ends.size() == 1) use->origin = *trace.ends.begin();
    }
    if (traces_.empty()) return {};
    std::ranges::move(made_, std::back_inserter(side_.uses));
    side_ = semantic::settled(std::move(side_));
    return {};
  }

 private:
  // The name that the use has of what is imported, as the module calls it; empty: none.
  static std::string said_of(const semantic::Bound& bound, const semantic::Use& use) {
    const bool member = use.role == semantic::UseRole::kMember;
    if (bound.original.empty() && bound.name != semantic::kAnyName) {
      // The module itself, of which a script gives something.
      if (!member && use.name == bound.name && use.role != semantic::UseRole::kImport &&
          !bound.path.ends_with(".py")) {
        return semantic::kGivenByDefault;
      }
      return member && use.qualifier == bound.name && !use.of_local ? use.name : std::string();
    }
    if (member) return {};
    if (bound.name == semantic::kAnyName)
      return use.role == semantic::UseRole::kImport ? std::string() : use.name;
    const bool its = use.name == bound.name ||
                     (use.role == semantic::UseRole::kImport && use.name == bound.original);
    return its ? bound.original : std::string();
  }

  // The module of a package in Python that the name before the use is; empty: it is none.
  Result<std::string> package_member(const semantic::Bound& bound, const semantic::Use& use) {
    const bool behind = use.role == semantic::UseRole::kMember && use.qualifier == bound.name;
    std::string module = behind && !use.of_local ? semantic::module_within(bound) : std::string();
    if (module.empty() || TRY(files_.file_of(module, bound.path)).empty()) return std::string();
    return module;
  }

  // The files that were met on the way from an import to what it means.
  struct Trace {
    std::set<Named> seen;
    std::set<std::pair<std::string, Named>> by_star;  // with what hands on all of a module
    std::set<std::string> ends;                       // paths of files that declare it
    bool open = false;                                // it may end elsewhere, too
  };

  Status follow(const semantic::Bound& bound, semantic::Use* use) {
    const std::string within = TRY(package_member(bound, *use));
    const std::string name = within.empty() ? said_of(bound, *use) : use->name;
    if (name.empty()) return {};
    Trace& trace = traces_[use];
    std::set<Named> before = std::exchange(trace.seen, {});
    TRY(follow_on(within.empty() ? bound.module : within, bound.path, name, &trace));
    for (const auto& [path, called] : trace.seen) {
      if (!std::ranges::binary_search(other_.paths, path)) continue;
      semantic::Use& made = made_.emplace_back(*use);
      made.name = called;
      made.origin = path;
    }
    for (const auto& [star, named] : trace.by_star) {
      if (says_itself(named)) continue;
      semantic::Use& made = made_.emplace_back(*use);
      made.name = star;
      made.origin = named.first;
    }
    trace.by_star.clear();
    trace.seen.merge(before);
    return {};
  }

  // The other side's file hands on the name without the star.
  bool says_itself(const Named& named) const {
    return std::ranges::any_of(other_.bound, [&](const semantic::Bound& bound) {
      return bound.handed && bound.path == named.first && bound.name == named.second;
    });
  }

  // Adds each file that hands the name on, and the one that declares it.
  Status follow_on(const std::string& module, const std::string& from, const std::string& name,
                   Trace* trace) {
    const std::string path = TRY(files_.file_of(module, from));
    if (!path.empty() && !trace->seen.emplace(path, name).second) return {};
    const semantic::Footprint* file = path.empty() ? nullptr : TRY(files_.look_into(path));
    if (file == nullptr) {
      trace->open = true;
      return {};
    }
    bool told = false;
    for (const semantic::Bound& bound : file->bound) {
      if (bound.name != name) continue;
      told = true;
      const bool on = !bound.module.empty() && !bound.original.empty() && bound.handed;
      if (on) {
        TRY(follow_on(bound.module, path, bound.original, trace));
      } else if (bound.module.empty()) {
        trace->ends.insert(path);
      } else {
        trace->open = true;
      }
    }
    if (told) return {};
    trace->open = true;
    for (const semantic::Bound& bound : file->bound) {
      const bool any = bound.name == semantic::kAnyName && bound.handed && !bound.module.empty();
      if (!any) continue;
      const std::size_t ends = trace->ends.size();
      TRY(follow_on(bound.module, path, name, trace));
      const bool leads = trace->ends.size() > ends;
      const bool asked = std::ranges::binary_search(other_.paths, path);
      if (leads && asked) trace->by_star.emplace(bound.name + bound.module, Named(path, name));
    }
    return {};
  }

  SeenFiles& files_;
  const semantic::Footprint& other_;
  semantic::Footprint& side_;
  std::map<semantic::Use*, Trace> traces_;
  std::vector<semantic::Use> made_;
};

}  // namespace

Status follow_chains(SeenFiles& files, const semantic::Footprint& other,
                     semantic::Footprint* side) {
  return Follower(files, other, side).run();
}

}  // namespace gittxn::land
