#include "land/judge/meaning/kin.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "land/judge/meaning/includes.h"
#include "semantic/compare/events.h"

namespace gittxn::land {
namespace {

constexpr int kMostSteps = 4;              // from what is named to the type that is meant
constexpr std::size_t kMostNames = 200;    // of a file that are followed
constexpr std::size_t kMostReached = 400;  // declarations on the way from one name

std::string folder_in(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(path.substr(0, slash == path.npos ? 0 : slash));
}

std::string joined_path(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string(name) : folder + "/" + std::string(name);
}

bool is_upper(std::string_view name) {
  return !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
}

// A name as a file says it.
struct Said {
  std::string path, qualifier, name;
};

// A declaration, and the file that it is in.
struct DeclaredAt {
  const semantic::Write* write = nullptr;
  const semantic::Footprint* file = nullptr;
};

// Finds what names mean.
class Declarations {
 public:
  explicit Declarations(SeenFiles& files) : files_(files) {}

  Result<std::vector<DeclaredAt>> of(const Said& said) {
    std::vector<DeclaredAt> found;
    if (said.path.ends_with(".go")) TRY(in_go(said, &found));
    if (said.path.ends_with(".java")) TRY(in_java(said, &found));
    if (said.path.ends_with(".rs")) TRY(in_rust(said, &found));
    const semantic::Family family = semantic::family_of(language_of(said.path));
    if (family == semantic::Family::kC) TRY(in_c(said, &found));
    const bool modules = said.path.ends_with(".py") || family == semantic::Family::kScript;
    if (modules) TRY(in_modules(said, &found));
    return found;
  }

  // The same of a name in a module of Go or Rust, or in a namespace of C++, which stands before it.
  Result<std::vector<DeclaredAt>> in_module_of(const Said& said) {
    std::vector<DeclaredAt> found;
    if (said.path.ends_with(".go")) TRY(in_go(said, &found));
    if (semantic::family_of(language_of(said.path)) == semantic::Family::kC) {
      TRY(in_c(said, &found));
      std::erase_if(found, [&](const DeclaredAt& at) {
        return !at.write->container.ends_with("/" + said.qualifier + "/");
      });
    }
    if (!said.path.ends_with(".rs")) return found;
    const std::vector<semantic::Bound> modules = TRY(bound(said, said.qualifier));
    for (const semantic::Bound& module : modules) {
      TRY(in_rust_file(said, path_of_words(module.module), said.name, &found));
    }
    if (modules.empty()) TRY(in_rust_file(said, said.qualifier, said.name, &found));
    return found;
  }

  // The type has a member of that name itself.
  Result<bool> has_member(const DeclaredAt& type, const std::string& of, const std::string& name) {
    std::vector<std::string> paths = {type.write->path};
    if (type.write->language == "go") paths = TRY(files_.files_in(folder_in(paths[0]), ".go"));
    std::vector<DeclaredAt> found;
    for (const std::string& path : paths) TRY(declared_if_said(path, of, name, &found));
    return !found.empty();
  }

 private:
  static std::string_view language_of(std::string_view path) {
    const semantic::Language* language = semantic::language_of_path(path);
    return language == nullptr ? std::string_view() : std::string_view(language->name);
  }

  // Adds what the file declares by that name, of a type or at the top.
  Status declared(const std::string& path, std::string_view type, const std::string& name,
                  std::vector<DeclaredAt>* found) {
    const semantic::Footprint* file = TRY(files_.look_into(path));
    if (file == nullptr) return {};
    for (const semantic::Write& write : file->writes) {
      if (write.kind == "import" || write.of_type != type) continue;
      if (std::ranges::binary_search(write.defines, name)) found->push_back({&write, file});
    }
    return {};
  }

  // The same as declared, of a file that may not have the name at all.
  Status declared_if_said(const std::string& path, std::string_view type, const std::string& name,
                          std::vector<DeclaredAt>* found) {
    if (!TRY(files_.text_of(path)).contains(name)) return {};
    return declared(path, type, name, found);
  }

  Result<std::vector<semantic::Bound>> bound(const Said& said, const std::string& name) {
    std::vector<semantic::Bound> found;
    const semantic::Footprint* file = TRY(files_.look_into(said.path));
    if (file == nullptr) return found;
    std::ranges::copy_if(file->bound, std::back_inserter(found), [&](const auto& bound) {
      return bound.name == name && !bound.module.empty();
    });
    return found;
  }

  Status in_go(const Said& said, std::vector<DeclaredAt>* found) {
    std::vector<std::string> paths;
    if (said.qualifier.empty()) {
      paths = TRY(files_.files_in(folder_in(said.path), ".go"));
    } else {
      // The folder is the end of what is imported; go.mod has what stands before that.
      const std::string go_mod = TRY(files_.text_of("go.mod"));
      for (const semantic::Bound& bound : TRY(bound(said, said.qualifier))) {
        if (go_mod.starts_with("module " + bound.module + "\n")) {
          paths = TRY(files_.files_in({}, ".go"));
          break;
        }
        std::string_view rest = bound.module;
        for (;;) {
          paths = TRY(files_.files_in(std::string(rest), ".go"));
          const std::size_t slash = rest.find('/');
          if (!paths.empty() || slash == rest.npos) break;
          rest.remove_prefix(slash + 1);
        }
        // The repository was the root of its packages before there was go.mod.
        if (paths.empty() && go_mod.empty()) paths = TRY(files_.files_in({}, ".go"));
      }
    }
    for (const std::string& path : paths) {
      if (!path.ends_with("_test.go")) TRY(declared_if_said(path, {}, said.name, found));
    }
    return {};
  }

  Status in_java(const Said& said, std::vector<DeclaredAt>* found) {
    const bool typed = is_upper(said.qualifier);
    if (!typed && !said.qualifier.empty()) return {};
    const std::string& type = typed ? said.qualifier : said.name;
    if (!is_upper(type)) return {};
    const std::string_view member = typed ? std::string_view(said.qualifier) : std::string_view();
    const std::string folder = folder_in(said.path);
    for (const semantic::Bound& bound : TRY(bound(said, type))) {
      std::string file = bound.module + ".java";
      std::replace(file.begin(), file.end() - 5, '.', '/');
      for (std::string root = folder;; root = folder_in(root)) {
        const std::string path = joined_path(root, file);
        if (TRY(files_.is_file(path))) return declared(path, member, said.name, found);
        if (root.empty()) return {};
      }
    }
    const std::string own = joined_path(folder, type + ".java");
    if (TRY(files_.is_file(own))) return declared(own, member, said.name, found);
    for (const std::string& path : TRY(files_.files_in(folder, ".java"))) {
      TRY(declared_if_said(path, member, said.name, found));
    }
    return {};
  }

  Status in_c(const Said& said, std::vector<DeclaredAt>* found) {
    const auto [known, fresh] = included_.try_emplace(said.path);
    if (fresh) known->second = TRY(included_by(files_, said.path)).paths;
    for (const std::string& path : known->second) {
      TRY(declared_if_said(path, {}, said.name, found));
    }
    return {};
  }

  // A path of names is one of files, and what stands last is in the last of them.
  Status in_rust(const Said& said, std::vector<DeclaredAt>* found) {
    TRY(declared(said.path, {}, said.name, found));
    for (const semantic::Bound& bound : TRY(bound(said, said.name))) {
      TRY(in_rust_file(said, folder_in(path_of_words(bound.module)), bound.original, found));
    }
    return {};
  }

  static std::string path_of_words(std::string_view module) {
    std::string file;
    for (const std::string_view part : semantic::words_of(module)) {
      if (part == "crate" || part == "self" || part == "super") continue;
      file += (file.empty() ? "" : "/") + std::string(part);
    }
    return file;
  }

  Status in_rust_file(const Said& said, const std::string& file, const std::string& name,
                      std::vector<DeclaredAt>* found) {
    for (std::string root = folder_in(said.path); !file.empty(); root = folder_in(root)) {
      for (const char* ending : {".rs", "/mod.rs"}) {
        const std::string path = joined_path(root, file + ending);
        if (TRY(files_.is_file(path))) return declared(path, {}, name, found);
      }
      if (root.empty()) break;
    }
    return {};
  }

  Status in_modules(const Said& said, std::vector<DeclaredAt>* found) {
    if (said.qualifier.empty()) return in_module(said.path, said.name, kMostSteps, found);
    for (const semantic::Bound& bound : TRY(bound(said, said.qualifier))) {
      if (!bound.original.empty()) continue;
      const std::string path = TRY(files_.file_of(bound.module, said.path));
      if (!path.empty()) TRY(in_module(path, said.name, kMostSteps, found));
    }
    if (!found->empty()) return {};
    // A type has it.
    std::vector<DeclaredAt> types;
    TRY(in_module(said.path, said.qualifier, kMostSteps, &types));
    for (const DeclaredAt& type : types) {
      TRY(declared(type.write->path, said.qualifier, said.name, found));
    }
    return {};
  }

  // The meaning of a name at the top of a file, from elsewhere or in it.
  Status in_module(const std::string& path, const std::string& name, int steps,
                   std::vector<DeclaredAt>* found) {
    if (steps == 0) return {};
    for (const semantic::Bound& bound : TRY(bound({path, {}, name}, name))) {
      if (bound.original.empty()) continue;
      const std::string from = TRY(files_.file_of(bound.module, path));
      if (!from.empty()) TRY(in_module(from, bound.original, steps - 1, found));
    }
    if (found->empty()) TRY(declared(path, {}, name, found));
    if (!found->empty()) return {};
    for (const semantic::Bound& bound : TRY(bound({path, {}, name}, semantic::kAnyName))) {
      const std::string from = TRY(files_.file_of(bound.module, path));
      if (!from.empty()) TRY(in_module(from, name, steps - 1, found));
    }
    return {};
  }

  SeenFiles& files_;
  std::map<std::string, std::set<std::string>> included_;
};

class KinFinder {
 public:
  KinFinder(SeenFiles& files, const semantic::Footprint& other, semantic::Footprint* side)
      : declarations_(files), other_(other), side_(*side) {}

  Status run() {
    ask();
    for (const semantic::Use& use : side_.uses) TRY(note_other_module(use));
    if (wanted_.empty()) return {};
    std::map<std::string_view, std::vector<const semantic::Use*>> by_path;
    for (const semantic::Use& use : side_.uses) {
      if (!is_asked(use)) continue;
      by_path[use.path];
      if (use.role == semantic::UseRole::kMember) asked_[use.path].insert(use.name);
    }
    if (by_path.empty()) return {};
    for (const semantic::Use& use : side_.uses) {
      const auto users = by_path.find(use.path);
      if (users != by_path.end() && is_followed(use)) users->second.push_back(&use);
    }
    for (const auto& [path, uses] : by_path) {
      if (uses.size() > kMostNames) continue;
      for (const semantic::Use* use : uses) TRY(follow(*use));
    }
    if (made_.empty()) return {};
    std::ranges::move(made_, std::back_inserter(side_.uses));
    side_ = semantic::settled(std::move(side_));
    return {};
  }

 private:
  // Members that the other side changed, and their types.
  void ask() {
    for (const semantic::Write& write : other_.writes) {
      if (write.of_type.empty() || write.language == "rust") {
        for (const std::string& name : write.defines) tops_[name].insert(write.path);
      }
      if (write.of_type.empty() || write.change == semantic::Change::kMoved) continue;
      if (write.change == semantic::Change::kChanged && !write.strong()) continue;
      wanted_[write.of_type].insert(write.path);
      members_.insert(write.defines.begin(), write.defines.end());
    }
  }

  // Notes that a name behind the one of a module is something else than what the other side
  // changed.
  Status note_other_module(const semantic::Use& use) {
    const bool path = use.language == "rust" || use.language == "cpp";
    const bool module = !use.qualifier.empty() && !use.of_local &&
                        (path || (use.language == "go" && use.role == semantic::UseRole::kMember));
    const auto top = tops_.find(use.name);
    if (!module || top == tops_.end() || use.state != semantic::UseState::kGained) return {};
    bool known = false;
    for (const DeclaredAt& at :
         TRY(declarations_.in_module_of({use.path, use.qualifier, use.name}))) {
      // A variable may be another name of what changed.
      if (at.write->kind == "variable" || top->second.contains(at.write->path)) return {};
      known = true;
    }
    if (!known && use.language == "rust") known = TRY(is_of_other_type(use));
    if (known) side_.elsewhere.emplace(use.path, use.qualifier + "." + use.name);
    return {};
  }

  // The name before it in Rust is that of a type which has it, and whose file nobody else changed.
  Result<bool> is_of_other_type(const semantic::Use& use) {
    for (const DeclaredAt& at : TRY(declarations_.of({use.path, {}, use.qualifier}))) {
      const semantic::Write& type = *at.write;
      if (type.kind != "type" || type.defines.size() != 1) return false;
      if (std::ranges::binary_search(other_.paths, type.path)) return false;
      if (TRY(declarations_.has_member(at, type.defines.front(), use.name))) return true;
    }
    return false;
  }

  bool is_asked(const semantic::Use& use) const {
    if (use.state != semantic::UseState::kGained || use.local) return false;
    if (use.role == semantic::UseRole::kSuper || is_given_function(use)) return true;
    return use.role == semantic::UseRole::kMember && members_.contains(use.name);
  }

  // A call in Java that is given a function, which is one of a type that is not said there.
  static bool is_given_function(const semantic::Use& use) {
    return use.language == "java" && use.valued && use.arity >= 0;
  }

  // One that may name what has to do with another type.
  bool is_followed(const semantic::Use& use) const {
    if (use.state == semantic::UseState::kLost) return false;
    if (is_given_function(use) && !use.declared.empty()) return true;
    if (use.of_local) return false;
    if (use.local && !is_imported(use)) return false;
    return use.role != semantic::UseRole::kText && use.role != semantic::UseRole::kImport;
  }

  // The shape of `const { a } = require('m')`.
  bool is_imported(const semantic::Use& use) const {
    const semantic::Bound first{use.path, use.name, {}, {}, false};
    auto found = std::ranges::lower_bound(side_.bound, first);
    for (; found != side_.bound.end(); ++found) {
      if (found->path != use.path || found->name != use.name) return false;
      if (!found->module.empty()) return true;
    }
    return false;
  }

  Status follow(const semantic::Use& use) {
    std::set<std::tuple<std::string, std::string>> seen;
    // A method of what has the type that the file says.
    const bool typed = is_given_function(use) && !use.declared.empty();
    TRY(reach(use, {use.path, typed ? use.declared : use.qualifier, use.name}, 0, &seen));
    return {};
  }

  Status reach(const semantic::Use& use, const Said& said, int steps,
               std::set<std::tuple<std::string, std::string>>* seen) {
    for (const DeclaredAt& at : TRY(declarations_.of(said))) {
      const semantic::Write& there = *at.write;
      if (seen->size() > kMostReached || !seen->emplace(there.symbol, said.name).second) continue;
      const bool type = there.kind == "type";
      if (steps > 0 && type) meet(use, there, said.name);
      // A function or a value in a script has the keys that it gives.
      if (type || steps == 0) TRY(note_elsewhere(use, at, said.name));
      // A member of a type counts by what it gives, once.
      if (steps >= kMostSteps || (!type && steps > 0)) continue;
      if (type) {
        TRY(supers(use, at, steps, seen));
      } else {
        TRY(given(use, at, steps, seen));
      }
    }
    return {};
  }

  Status supers(const semantic::Use& use, const DeclaredAt& at, int steps,
                std::set<std::tuple<std::string, std::string>>* seen) {
    const semantic::Write& type = *at.write;
    for (const semantic::Use& super : at.file->uses) {
      const bool embeds = super.role == semantic::UseRole::kType && super.symbol == type.symbol;
      const bool extends =
          super.role == semantic::UseRole::kSuper && super.symbol.starts_with(type.symbol);
      if (!embeds && !extends) continue;
      TRY(reach(use, {type.path, super.qualifier, super.name}, steps + 1, seen));
    }
    return {};
  }

  Status given(const semantic::Use& use, const DeclaredAt& at, int steps,
               std::set<std::tuple<std::string, std::string>>* seen) {
    const semantic::Write& there = *at.write;
    if (is_given_function(use)) {
      const std::string_view id = std::string_view(there.symbol).substr(there.container.size());
      for (const std::string_view type :
           semantic::words_of(id.substr(std::min(id.find('('), id.size())))) {
        TRY(reach(use, {there.path, {}, std::string(type)}, steps + 1, seen));
      }
    }
    std::string before;
    for (const std::string& name : there.gives) {
      const bool package = std::ranges::any_of(at.file->bound, [&](const auto& bound) {
        return bound.name == before && bound.original.empty() && !bound.module.empty();
      });
      TRY(reach(use, {there.path, package ? before : std::string(), name}, steps + 1, seen));
      before = name;
    }
    return {};
  }

  // The other side changed a member of the type. A method in Go may stand in another file than it.
  bool is_wanted(const semantic::Write& type, const std::string& name) const {
    const auto wanted = wanted_.find(name);
    return wanted != wanted_.end() && std::ranges::any_of(wanted->second, [&](const auto& path) {
             return is_beside(type, path);
           });
  }

  static bool is_beside(const semantic::Write& type, const std::string& path) {
    const bool package = type.language == "go" && folder_in(path) == folder_in(type.path);
    return path == type.path || package;
  }

  Status note_elsewhere(const semantic::Use& use, const DeclaredAt& at, const std::string& name) {
    const auto asked = asked_.find(use.path);
    if (asked == asked_.end() || is_wanted(*at.write, name)) return {};
    for (const std::string& member : asked->second) {
      if (side_.elsewhere.contains({use.path, member})) continue;
      if (TRY(declarations_.has_member(at, name, member))) {
        side_.elsewhere.emplace(use.path, member);
      }
    }
    return {};
  }

  void meet(const semantic::Use& use, const semantic::Write& type, const std::string& name) {
    const auto wanted = wanted_.find(name);
    if (wanted == wanted_.end()) return;
    for (const std::string& path : wanted->second) {
      if (!is_beside(type, path)) continue;
      semantic::Use& made = made_.emplace_back(use);
      made.name = name;
      made.qualifier = use.name;
      made.role = use.role == semantic::UseRole::kSuper ? semantic::UseRole::kSuper
                                                        : semantic::UseRole::kType;
      made.state = use.state;
      made.arity = -1;
      made.origin = path;
      made.kin = true;
      made.made = made.valued = is_given_function(use);
    }
  }

  Declarations declarations_;
  const semantic::Footprint& other_;
  semantic::Footprint& side_;
  std::map<std::string, std::set<std::string>> wanted_;  // types, and where their members changed
  std::set<std::string> members_;                        // their names
  std::map<std::string, std::set<std::string>> tops_;    // what is no member, and where it changed
  std::map<std::string, std::set<std::string>> asked_;   // those that are used, by path
  std::vector<semantic::Use> made_;
};

}  // namespace

Status find_kin(SeenFiles& files, const semantic::Footprint& other, semantic::Footprint* side) {
  return KinFinder(files, other, side).run();
}

}  // namespace gittxn::land
