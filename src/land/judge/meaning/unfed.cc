#include "land/judge/meaning/unfed.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "land/judge/meaning/includes.h"
#include "semantic/compare/events.h"
#include "semantic/kinds.h"
#include "semantic/names.h"

namespace gittxn::land {
namespace {

// The file of an include and what it says: "cart.h" and "\"size.h\"" of "cart.h/`#include...`:".
std::pair<std::string, std::string> include_said_by(const semantic::Write& include) {
  const std::string_view id = include.symbol;
  constexpr std::string_view kSign = "#include";
  const std::size_t begin = id.rfind(kSign), end = id.rfind('`');
  if (begin == id.npos || end == id.npos || end < begin) return {};
  const std::size_t text = begin + kSign.size();
  return {include.path, std::string(id.substr(text, end - text))};
}

bool is_include_in_c(const semantic::Write& write) {
  return write.kind == "import" && semantic::family_of(write.language) == semantic::Family::kC;
}

// A name that its file has to have from somewhere.
bool has_to_be_fed(const semantic::Use& use) {
  const bool named = use.role != semantic::UseRole::kText &&
                     use.role != semantic::UseRole::kImport &&
                     use.role != semantic::UseRole::kMember && !use.local;
  return named && use.state == semantic::UseState::kGained &&
         semantic::family_of(use.language) == semantic::Family::kC;
}

// A declaration that is found by the name as the use says it.
bool is_declared_as(const semantic::Write& write, const semantic::Use& use) {
  if (semantic::is_any(write.kind, {"import", "namespace", "file"})) return false;
  const bool member = !write.of_type.empty() && (write.kind != "constant" || write.scoped);
  if (member || !std::ranges::binary_search(write.defines, use.name)) return false;
  const auto scopes = semantic::words_of(write.container);
  return use.qualifier.empty() || std::ranges::find(scopes, use.qualifier) != scopes.end();
}

class Unfed {
 public:
  Unfed(SeenFiles& files, SeenFiles& both, const semantic::Footprint& other)
      : files_(files), both_(both) {
    for (const semantic::Write& write : other.writes) {
      if (!is_include_in_c(write)) continue;
      if (write.change == semantic::Change::kRemoved) {
        gone_.push_back(&write);
        but_.gone.insert(include_said_by(write));
      } else if (write.change == semantic::Change::kAdded) {
        but_.fresh.insert(include_said_by(write));
      }
    }
  }

  Status run(semantic::Footprint* side) {
    if (gone_.empty()) return {};
    std::map<std::string_view, std::vector<const semantic::Use*>> by_path;
    for (const semantic::Use& use : side->uses) {
      if (has_to_be_fed(use)) by_path[use.path].push_back(&use);
    }
    for (const auto& [path, uses] : by_path) TRY(look(std::string(path), uses, side));
    return {};
  }

 private:
  Status look(const std::string& path, const std::vector<const semantic::Use*>& uses,
              semantic::Footprint* side) {
    const Included before = TRY(included_by(files_, path));
    const auto included = std::ranges::find_if(gone_, [&](const semantic::Write* include) {
      return before.paths.contains(include->path);
    });
    if (included == gone_.end()) return {};
    const Included after = TRY(included_by(both_, path, but_));
    if (!after.known) return {};
    std::set<std::string> lost;
    std::ranges::set_difference(before.paths, after.paths, std::inserter(lost, lost.end()));
    for (const semantic::Use* use : uses) {
      if (lost.empty() || !TRY(any_declares(lost, *use)) || TRY(is_said(after.paths, *use))) {
        continue;
      }
      side->unfed.emplace((*included)->symbol, use->symbol, use->name);
    }
    return {};
  }

  Result<bool> any_declares(const std::set<std::string>& paths, const semantic::Use& use) {
    for (const std::string& path : paths) {
      if (!TRY(files_.text_of(path)).contains(use.name)) continue;
      const semantic::Footprint* file = TRY(files_.look_into(path));
      if (file == nullptr) continue;
      const auto found = [&](const semantic::Write& write) { return is_declared_as(write, use); };
      if (std::ranges::any_of(file->writes, found)) return true;
    }
    return false;
  }

  // One of the files declares something of the name, be it a member.
  Result<bool> is_said(const std::set<std::string>& paths, const semantic::Use& use) {
    for (const std::string& path : paths) {
      if (!TRY(both_.text_of(path)).contains(use.name)) continue;
      const semantic::Footprint* file = TRY(both_.look_into(path));
      const bool says =
          file == nullptr || std::ranges::any_of(file->writes, [&](const semantic::Write& of) {
            return std::ranges::binary_search(of.defines, use.name);
          });
      if (says) return true;
    }
    return false;
  }

  SeenFiles& files_;
  SeenFiles& both_;
  std::vector<const semantic::Write*> gone_;
  OtherIncludes but_;
};

}  // namespace

Status find_unfed(SeenFiles& files, SeenFiles& both, const semantic::Footprint& other,
                  semantic::Footprint* side) {
  return Unfed(files, both, other).run(side);
}

}  // namespace gittxn::land
