// Whose name it is in Java and Rust, by the type that the text around says, and by what the file
// imports.
#include <algorithm>
#include <string>

#include "semantic/compare/events.h"
#include "semantic/compare/sight.h"
#include "semantic/kinds.h"
#include "semantic/names.h"

namespace gittxn::semantic {
namespace {

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(path.substr(0, slash == path.npos ? 0 : slash));
}

bool is_own_member(const Defined& defined) {
  return !defined.write->of_type.empty() &&
         std::ranges::binary_search(defined.write->defines, defined.name);
}

bool starts_in(std::string_view module, std::initializer_list<std::string_view> packages) {
  return std::ranges::any_of(packages,
                             [&](std::string_view package) { return module.starts_with(package); });
}

// The folder ends as the package says.
bool is_folder_of(std::string_view folder, std::string package) {
  std::ranges::replace(package, '.', '/');
  if (package.empty() || !folder.ends_with(package)) return false;
  return folder.size() == package.size() || folder[folder.size() - package.size() - 1] == '/';
}

// An import of `module`, a class in a package or a class in one, may be one from the folder.
bool is_imported_from(std::string_view folder, std::string module) {
  for (std::size_t dot = module.rfind('.'); dot != module.npos; dot = module.rfind('.')) {
    module.resize(dot);
    if (is_folder_of(folder, module)) return true;
  }
  return false;
}

// The name that a use in Java says a type at the top of a file by, if the definition is of that
// type or is it; empty: it may be meant without the name.
std::string_view type_said(const Defined& defined, const Use& use) {
  const Write& write = *defined.write;
  const bool top = write.of_type.empty() && write.kind == "type";
  const bool made =
      write.kind == "constructor" && write.container == write.path + "/" + write.of_type + "#";
  if (top || made) {
    const bool alone = use.qualifier.empty() && use.role != UseRole::kMember;
    return alone || use.role == UseRole::kImport ? std::string_view(defined.name)
                                                 : std::string_view();
  }
  const bool nested = write.container != write.path + "/" + write.of_type + "#";
  return !nested && use.qualifier == write.of_type && use.declared.empty() ? use.qualifier
                                                                           : std::string_view();
}

// The head of a type, before its members, is outside of it.
bool is_head_at_top(const Use& use) {
  const std::string_view symbol = std::string_view(use.symbol).substr(use.path.size());
  return symbol.ends_with('#') && std::ranges::count(symbol, '#') == 1;
}

bool is_of_java(std::string_view type) {
  return is_any(type, {"String", "StringBuilder", "CharSequence", "Integer", "Long", "Double",
                       "Boolean", "Character", "Thread", "Runnable"});
}

// Types that come with Rust and give no access to what they hold by being it.
bool is_of_rust(std::string_view type) {
  return is_any(type,
                {"str",      "String",   "Vec",      "Option",  "Result", "HashMap", "HashSet",
                 "BTreeMap", "BTreeSet", "VecDeque", "bool",    "char",   "usize",   "isize",
                 "u8",       "u16",      "u32",      "u64",     "i8",     "i16",     "i32",
                 "i64",      "f32",      "f64",      "PathBuf", "Path"});
}

// It stands in `impl Cart`, or is a field.
bool is_in_type_alone(const Write& write) {
  const std::size_t impl = write.symbol.rfind("/impl#[");
  if (impl == write.symbol.npos) return write.kind == "field";
  return !std::string_view(write.symbol).substr(impl).contains("][");
}

}  // namespace

bool names_another_type(const Use& type, const Write& member) {
  if (type.language != "java" || type.qualifier.empty()) return false;
  const std::string around = member.path + "/" + type.qualifier + "#";
  const bool outer = type.qualifier.front() >= 'A' && type.qualifier.front() <= 'Z';
  return outer && member.container.ends_with("#" + member.of_type + "#") &&
         member.container != around + member.of_type + "#";
}

Sight Sights::in_java(const Defined& defined, const Use& use) const {
  const Write& write = *defined.write;
  // A name that had a meaning without a member of another type keeps it.
  const bool plain =
      is_own_member(defined) && use.role != UseRole::kMember && write.kind != "constructor";
  if (write.hidden || (plain && write.change == Change::kAdded)) return Sight::kNone;
  if (is_own_member(defined) && is_of_library(use) && use.declared != write.of_type) {
    return Sight::kNone;
  }
  const std::string name(type_said(defined, use));
  if (name.empty() || use.of_local) return Sight::kMaybe;
  // The type that is meant has the member itself, or may extend the other one.
  const bool has = !use.qualifier.empty() && use.role == UseRole::kMember;
  if (has && !side_.elsewhere.contains({use.path, use.name})) return Sight::kMaybe;
  const auto named = std::ranges::equal_range(side_.uses, name, {}, &Use::name);
  const bool kin = std::ranges::any_of(named, [&](const Use& of) {
    return of.kin && of.path == use.path && of.origin == write.path;
  });
  if (kin) return Sight::kMaybe;
  const std::string folder = folder_of(write.path), here = folder_of(use.path);
  const Bounds all = bound(use.path, name);
  const auto may_be = [&](const Bound& bound) {
    if (bound.module.empty()) return is_head_at_top(use) || name == use.qualifier;
    return is_imported_from(folder, bound.module);
  };
  if (!all.empty()) return std::ranges::any_of(all, may_be) ? Sight::kMaybe : Sight::kNone;
  // A package has folders of one name, of its tests, too.
  if (folder.substr(folder.rfind('/') + 1) == here.substr(here.rfind('/') + 1)) {
    return Sight::kMaybe;
  }
  const bool star = std::ranges::any_of(bound(use.path, kAnyName), [&](const Bound& bound) {
    return is_folder_of(folder, bound.module) || is_imported_from(folder, bound.module);
  });
  return star || use.role == UseRole::kImport ? Sight::kMaybe : Sight::kNone;
}

// The object that the use is asked of, or the type before it, comes with the language.
bool Sights::is_of_library(const Use& use) const {
  const bool rust = use.language == "rust", member = use.role == UseRole::kMember;
  std::string_view type = member ? std::string_view(use.declared) : std::string_view(use.qualifier);
  if (type.empty() || (!rust && !member)) return false;
  if (type.ends_with("]")) return true;
  if (rust && is_any(type, {"std", "core", "alloc"})) return true;
  if (!rust && starts_in(type, {"java.", "javax."})) return true;
  const Bounds all = bound(use.path, type);
  if (all.empty()) return rust ? is_of_rust(type) : is_of_java(type);
  return std::ranges::all_of(all, [&](const Bound& bound) {
    return rust ? starts_in(bound.module, {"std::", "core::", "alloc::"}) && is_of_rust(type)
                : starts_in(bound.module, {"java.", "javax."});
  });
}

Sight Sights::in_rust(const Defined& defined, const Use& use) const {
  const Write& write = *defined.write;
  if (side_.elsewhere.contains({use.path, use.qualifier + "." + use.name})) return Sight::kNone;
  if (is_in_type_alone(write) && is_own_member(defined) && is_of_library(use)) return Sight::kNone;
  if (is_any(use.qualifier, {"std", "core"})) return Sight::kNone;
  // A macro may put the name behind any other one.
  const bool plain = use.role != UseRole::kMember && use.role != UseRole::kImport &&
                     use.qualifier.empty() && use.declared != "!";
  if (!plain || write.kind == "macro" || write.opaque) return Sight::kMaybe;
  if (is_own_member(defined) && is_function(write.kind)) return Sight::kNone;
  // Literals and patterns name the fields that there are.
  if (is_own_member(defined) && write.kind == "field") {
    return write.change == Change::kAdded ? Sight::kNone : Sight::kMaybe;
  }
  // A file has the names of others that it imports.
  if (!bound(use.path, kAnyName).empty()) return Sight::kMaybe;
  const Bounds all = bound(use.path, use.name);
  const bool meant = std::ranges::any_of(all, [&](const Bound& bound) {
    if (bound.module.empty() || starts_in(bound.module, {"std::", "core::"})) return false;
    const std::vector<std::string_view> words = words_of(bound.module);
    if (words.size() < 2) return true;
    const std::string said = std::string(words[words.size() - 2]) + "." + std::string(words.back());
    return !side_.elsewhere.contains({use.path, said});
  });
  return meant ? Sight::kMaybe : Sight::kNone;
}

}  // namespace gittxn::semantic
