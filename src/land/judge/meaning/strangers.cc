#include "land/judge/meaning/strangers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "land/judge/meaning/includes.h"
#include "semantic/compare/sight.h"
#include "semantic/kinds.h"
#include "semantic/names.h"

namespace gittxn::land {
namespace {

using Names = std::set<std::string, std::less<>>;

// The names of the types that a symbol stands in, from its id without the path: `Outer`, `Inner` of
// "`n`/Outer#Inner#f().", and `n`, `Type` of "`n::Type::f`(int).", which may be a namespace's, too.
std::vector<std::string> types_around(std::string_view id) {
  std::vector<std::string> types;
  while (!id.empty() && id.front() != '(') {
    const std::size_t quoted = id.starts_with('`') ? id.find('`', 1) : 0;
    const std::size_t end = std::min(id.find_first_of("/#(", quoted), id.size());
    const std::string_view part = id.substr(0, end);
    const char kind = end < id.size() ? id[end] : '.';
    id.remove_prefix(std::min(end + 1, id.size()));
    if (kind == '/') continue;
    const std::vector<std::string_view> words = semantic::words_of(part);
    if (kind == '#' && !words.empty()) types.emplace_back(words.front());
    if (kind == '#') continue;
    // Arguments of a template are no scope.
    std::string scopes(part.substr(0, part.contains("::") ? part.rfind("::") : 0));
    for (std::size_t open = scopes.find('<'); open != scopes.npos; open = scopes.find('<')) {
      const std::size_t close = scopes.find('>', open);
      scopes.erase(open, close == scopes.npos ? close : close - open + 1);
    }
    for (const std::string_view scope : semantic::words_of(scopes)) types.emplace_back(scope);
    break;
  }
  return types;
}

// "a", "b" of what is in a::b, however that is opened, from an id without the path.
std::vector<std::string_view> namespaces_in(std::string_view id) {
  std::vector<std::string_view> names;
  while (!id.empty()) {
    const std::size_t quoted = id.starts_with('`') ? id.find('`', 1) : 0;
    const std::size_t end = id.find_first_of("/:#(.", quoted);
    if (end == id.npos || (id[end] != '/' && id[end] != ':')) break;
    // A conditional around it is none.
    const bool opens = id[end] == '/';
    for (const std::string_view word : semantic::words_of(id.substr(0, end))) {
      if (opens) names.push_back(word);
    }
    id.remove_prefix(end + 1);
  }
  return names;
}

// The text may declare a type or a macro of that name, and does not only say it.
bool may_declare(std::string_view text, std::string_view name) {
  if (!text.contains(name)) return false;
  std::string_view before;
  for (const std::string_view word : semantic::words_of(text)) {
    const std::string_view last = std::exchange(before, word);
    if (word != name || last == "namespace") continue;
    const bool declares =
        semantic::is_any(last, {"class", "struct", "union", "enum", "using", "define"});
    std::string_view rest =
        text.substr(static_cast<std::size_t>(word.data() - text.data()) + word.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
    const bool opens = rest.starts_with("{") || rest.starts_with("=") || rest.starts_with(";") ||
                       (rest.starts_with(":") && !rest.starts_with("::"));
    if (declares || opens || rest.starts_with("final")) return true;
  }
  return false;
}

// A write of the other side, and the type that has it; empty: none.
struct Asked {
  const semantic::Write* write = nullptr;
  std::string type;
};

class StrangerFinder {
 public:
  StrangerFinder(SeenFiles& files, const semantic::Footprint& other, semantic::Footprint* side)
      : files_(files), other_(other), side_(*side) {}

  Status run() {
    for (const semantic::Write& write : other_.writes) note(write);
    if (asked_.empty()) return {};
    for (const semantic::Use& use : side_.uses) {
      if (use.role == semantic::UseRole::kSuper) own_bases_[use.symbol].insert(use.name);
    }
    for (const semantic::Use& use : side_.uses) {
      const auto found = asked_.find(use.name);
      // A macro stands wherever it is used.
      const bool code = use.language == "cpp" && !use.symbol.ends_with('!');
      if (found == asked_.end() || !code) continue;
      for (const Asked& asked : found->second) {
        if (TRY(is_stranger(use, asked))) {
          side_.strangers.emplace(use.symbol, asked.write->symbol);
        }
      }
    }
    return {};
  }

 private:
  void note(const semantic::Write& write) {
    if (write.change == semantic::Change::kMoved) return;
    const bool apart = write.language == "cpp" && semantic::is_declared_elsewhere(write);
    const bool member = apart ? !is_added(write) : !write.of_type.empty();
    if (!member && !is_linked(write) && !is_in_namespace(write)) return;
    std::vector<std::string> types =
        types_around(within(write, apart ? write.symbol : write.container));
    if (member && types.empty()) return;
    types.insert(types.begin(), std::string());
    for (const std::string& name : write.defines) asked_[name].push_back({&write, types.back()});
  }

  // New in a namespace, and no function, which is found by its arguments, too.
  static bool is_in_namespace(const semantic::Write& write) {
    return write.language == "cpp" && is_added(write) && write.of_type.empty() && !write.opaque &&
           semantic::is_any(write.kind, {"variable", "constant", "type"}) &&
           !namespaces_in(within(write, write.container)).empty();
  }

  // The member is not new, and its type is declared around it.
  static bool is_within(const semantic::Write& write) {
    return write.language == "cpp" && !is_added(write) && !write.of_type.empty() && !write.scoped &&
           !semantic::is_declared_elsewhere(write);
  }

  // It is linked with: any file may declare it, and means it then.
  static bool is_linked(const semantic::Write& write) {
    return write.language == "cpp" && !is_added(write) && !write.hidden && write.of_type.empty() &&
           semantic::is_any(write.kind, {"function", "variable"}) &&
           !semantic::is_header(write.path) && !semantic::is_declared_elsewhere(write) &&
           !write.container.contains("`\"C\"`");
  }

  // A macro may have opened what is not said.
  static bool may_be_one(const std::vector<std::string_view>& one,
                         const std::vector<std::string_view>& other) {
    return one == other || one.empty() || other.empty();
  }

  static std::string_view within(const semantic::Write& write, std::string_view id) {
    return id.substr(std::min(write.path.size() + 1, id.size()));
  }

  static bool is_added(const semantic::Write& write) {
    return write.change == semantic::Change::kAdded;
  }

  Result<bool> is_stranger(const semantic::Use& use, const Asked& asked) {
    const bool added = is_added(*asked.write);
    if (added && use.role == semantic::UseRole::kMember) return false;
    if (added && !asked.write->scoped && !asked.write->of_type.empty()) {
      const std::optional<Names>& kin = *TRY(kin_of(use));
      return kin && !kin->contains(asked.type);
    }
    if (is_within(*asked.write)) return is_own(use, asked.type);
    if (is_in_namespace(*asked.write) && stands_in_namespace(use, *asked.write)) return false;
    const auto [told, fresh] = told_.try_emplace({use.path, use.name, asked.write});
    if (fresh) told->second = TRY(is_unseen(use, asked));
    return told->second;
  }

  // The use is a plain name in code of a type that has a member of that name, or extends one that
  // has, and that does not extend `type`.
  Result<bool> is_own(const semantic::Use& use, const std::string& type) {
    if (use.role == semantic::UseRole::kMember || !use.qualifier.empty()) return false;
    const std::optional<Names>& kin = *TRY(kin_of(use));
    if (!kin || kin->empty() || kin->contains(type)) return false;
    for (const std::string& path : TRY(included(use.path))->paths) {
      if (!TRY(files_.text_of(path)).contains(use.name)) continue;
      const semantic::Footprint* file = TRY(files_.look_into(path));
      if (file == nullptr) return false;
      const bool has = std::ranges::any_of(file->writes, [&](const semantic::Write& write) {
        return kin->contains(write.of_type) && std::ranges::binary_search(write.defines, use.name);
      });
      if (has) return true;
    }
    return false;
  }

  // It is so for all of the file that the use is in.
  Result<bool> is_unseen(const semantic::Use& use, const Asked& asked) {
    if (is_in_namespace(*asked.write)) {
      if (semantic::is_header(use.path)) return false;
      return TRY(says_nowhere(use, "using namespace")) &&
             TRY(says_nowhere(use, "inline namespace"));
    }
    if (asked.write->scoped && is_added(*asked.write)) return says_nowhere(use, "using enum");
    if (is_linked(*asked.write)) return sees_no_declaration(use, *asked.write);
    return sees_no_type(use, asked);
  }

  // No file that the use sees says the name of the type and is seen where the member is defined.
  Result<bool> sees_no_type(const semantic::Use& use, const Asked& asked) {
    const Included& from = *TRY(included(use.path));
    const Included& there = *TRY(included(asked.write->path));
    if (!from.known || !there.known) return false;
    for (const std::string& path : there.paths) {
      if (from.paths.contains(path) && TRY(files_.text_of(path)).contains(asked.type)) return false;
    }
    return true;
  }

  // No file that the use sees declares the function, or variable, in the same namespace.
  Result<bool> sees_no_declaration(const semantic::Use& use, const semantic::Write& write) {
    const Included& from = *TRY(included(use.path));
    if (!from.known) return false;
    for (const std::string& path : from.paths) {
      if (!TRY(files_.text_of(path)).contains(use.name)) continue;
      const semantic::Footprint* file = TRY(files_.look_into(path));
      if (file == nullptr) return false;
      for (const semantic::Write& there : file->writes) {
        const bool named = std::ranges::binary_search(there.defines, use.name);
        if (there.opaque || (named && may_be_one(namespaces_in(within(there, there.container)),
                                                 namespaces_in(within(write, write.container)))))
          return false;
      }
    }
    return true;
  }

  // No file that the use sees has these words.
  Result<bool> says_nowhere(const semantic::Use& use, std::string_view words) {
    const Included& from = *TRY(included(use.path));
    if (!from.known) return false;
    for (const std::string& path : from.paths) {
      if (TRY(files_.text_of(path)).contains(words)) return false;
    }
    return true;
  }

  static bool stands_in_namespace(const semantic::Use& use, const semantic::Write& write) {
    const auto here = namespaces_in(std::string_view(use.symbol).substr(use.path.size() + 1));
    const auto there = namespaces_in(within(write, write.container));
    return there.size() <= here.size() && std::equal(there.begin(), there.end(), here.begin());
  }

  Result<const Included*> included(const std::string& path) {
    const auto [known, fresh] = included_.try_emplace(path);
    if (fresh) known->second = TRY(included_by(files_, path));
    return &known->second;
  }

  // The types that the symbol stands in and all that these extend, with other names that are said
  // where they do; nullopt: not known.
  Result<const std::optional<Names>*> kin_of(const semantic::Use& use) {
    const std::vector<std::string> types =
        types_around(std::string_view(use.symbol).substr(use.path.size()));
    Names names(types.begin(), types.end());
    // A type that is declared in a function stands in no symbol of its own.
    if (const auto own = own_bases_.find(use.symbol); own != own_bases_.end()) {
      names.insert(own->second.begin(), own->second.end());
    }
    const auto [kin, fresh] = kin_.try_emplace({use.path, names});
    if (!fresh) return &kin->second;
    if (names.empty()) {
      kin->second.emplace();
    } else {
      Names scopes;
      if (!types.empty()) scopes.insert(types.begin(), types.end() - 1);
      kin->second = TRY(with_bases(use.path, std::move(names), std::move(scopes)));
    }
    return &kin->second;
  }

  Result<std::optional<Names>> with_bases(const std::string& user, Names names, Names scopes) {
    const Included& from = *TRY(included(user));
    if (!from.known) return std::nullopt;
    std::vector<std::string> left(names.begin(), names.end());
    while (!left.empty()) {
      const std::string name = left.back();
      left.pop_back();
      const std::optional<Names> more = TRY(bases_of(name, from.paths, &scopes));
      if (!more && scopes.contains(name)) continue;
      if (!more) return std::nullopt;
      for (const std::string& base : *more) {
        if (names.insert(base).second) left.push_back(base);
      }
    }
    return names;
  }

  // Names that are said where a type of that name is declared, and the scopes before them; nullopt:
  // it is not found.
  Result<std::optional<Names>> bases_of(const std::string& name, const std::set<std::string>& paths,
                                        Names* scopes) {
    std::optional<Names> bases;
    for (const std::string& path : paths) {
      if (!may_declare(TRY(files_.text_of(path)), name)) continue;
      const semantic::Footprint* file = TRY(files_.look_into(path));
      if (file == nullptr) return std::nullopt;
      for (const semantic::Write& write : file->writes) {
        if (!std::ranges::binary_search(write.defines, name)) continue;
        if (write.opaque || write.kind == "macro") return std::nullopt;
        if (write.kind != "type") continue;
        if (!bases) bases.emplace();
        for (const semantic::Use& use : file->uses) {
          const bool named =
              use.role == semantic::UseRole::kSuper || use.role == semantic::UseRole::kType;
          const bool library = use.qualifier == "std" || use.name == "std";
          if (use.symbol != write.symbol || !named || library) continue;
          bases->insert(use.name);
          scopes->insert(use.qualifier);
        }
      }
    }
    return bases;
  }

  SeenFiles& files_;
  const semantic::Footprint& other_;
  semantic::Footprint& side_;
  std::map<std::string, std::vector<Asked>> asked_;                    // by name
  std::map<std::string, Names> own_bases_;                             // by symbol
  std::map<std::pair<std::string, Names>, std::optional<Names>> kin_;  // by path and types
  std::map<std::tuple<std::string, std::string, const semantic::Write*>, bool> told_;
  std::map<std::string, Included> included_;
};

}  // namespace

Status find_strangers(SeenFiles& files, const semantic::Footprint& other,
                      semantic::Footprint* side) {
  return StrangerFinder(files, other, side).run();
}

}  // namespace gittxn::land
