#include "catalogue/go_names.h"

#include <algorithm>

#include "base/fs.h"
#include "semantic/kinds.h"
#include "semantic/names.h"

namespace gittxn::catalogue {
namespace {

using semantic::Reference;
using semantic::UseRole;

// "chi" of "github.com/go-chi/chi/v5", unless the import says how it is called.
bool is_package_of(const semantic::Import& import, std::string_view name) {
  for (const semantic::Binding& binding : import.binds) {
    if (binding.local == name) return true;
  }
  std::string_view module = import.module;
  const std::size_t slash = module.rfind('/');
  const std::string_view last = module.substr(slash + 1);
  const bool version = last.size() > 1 && last.front() == 'v' &&
                       last.find_first_not_of("0123456789", 1) == std::string_view::npos;
  if (version && slash != std::string_view::npos) module = module.substr(0, slash);
  const std::string_view path = module.substr(module.rfind('/') + 1);
  const auto words = semantic::words_of(path);
  return std::ranges::find(words, name) != words.end();
}

bool is_exported(std::string_view name) {
  return !name.empty() && !(name.front() >= 'a' && name.front() <= 'z') && name.front() != '_';
}

// The parts of "*Mux" and "chi.Router"; empty where it is no plain name of a type.
struct Declared {
  std::string_view package, type;
};
Declared declared_in(const Reference& reference) {
  std::string_view text = reference.declared;
  while (text.starts_with('*')) text.remove_prefix(1);
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) {
    return semantic::is_identifier(text) ? Declared{{}, text} : Declared{};
  }
  const std::string_view package = text.substr(0, dot), type = text.substr(dot + 1);
  if (!semantic::is_identifier(package) || !semantic::is_identifier(type)) return {};
  return {package, type};
}

// A type of the package that declares the member itself; then no other's is meant.
bool has_its_own(const GoUse& in, const Subject& subject, std::string_view type,
                 const Entities& entities) {
  const auto family = entities.find("go");
  if (family == entities.end()) return false;
  const std::string folder = parent_dir(in.use.in->path);
  for (const auto& [entity, files] : family->second) {
    if (entity == subject.symbol) continue;
    const bool receives = entity.ends_with("(*" + std::string(type) + ").") ||
                          entity.ends_with("(" + std::string(type) + ").");
    if (!receives) continue;
    const bool here = std::ranges::any_of(
        files, [&](const std::string& file) { return parent_dir(file) == folder; });
    if (here) return true;
  }
  return false;
}

const semantic::Import* import_of(const GoUse& in, std::string_view package) {
  const auto found = std::ranges::find_if(
      in.imports, [&](const semantic::Import& import) { return is_package_of(import, package); });
  return found == in.imports.end() ? nullptr : &*found;
}

// A type of the standard library, whose paths begin without a host.
bool is_of_library(const GoUse& in, std::string_view package) {
  const semantic::Import* import = import_of(in, package);
  if (import == nullptr) return false;
  const std::string_view module = import->module;
  return !module.substr(0, module.find('/')).contains('.');
}

// The value is of a type of the standard library, which calls a few members of others' and no more.
bool is_of_library(const GoUse& in, const Declared& declared) {
  const Reference& reference = in.use.reference;
  if (!declared.type.empty()) {
    return !declared.package.empty() && is_of_library(in, declared.package);
  }
  const auto types = in.fields.find(reference.qualifier);
  // A field counts as local, too, and is told no type.
  const bool variable = reference.of_local && !reference.declared.empty();
  if (variable || types == in.fields.end()) return false;
  return std::ranges::all_of(types->second, [&](const std::string& type) {
    const std::size_t dot = type.find('.');
    return dot != std::string::npos && is_of_library(in, type.substr(0, dot));
  });
}

bool may_mean_member(const GoUse& in, const Subject& subject, const Entities& entities) {
  const Reference& reference = in.use.reference;
  // The method of an interface is named where it is declared; all others are behind a value.
  if (reference.role != UseRole::kMember) return false;
  const bool value = reference.of_local || reference.qualifier.empty();
  if (!value && import_of(in, reference.qualifier) != nullptr) return false;
  const Declared declared = declared_in(reference);
  if (is_of_library(in, declared) && !is_called_by_libraries_of_go(reference.name)) return false;
  if (declared.type.empty() || !declared.package.empty()) return true;
  if (is_of_its_type(in, subject)) return true;
  return !has_its_own(in, subject, declared.type, entities);
}

}  // namespace

bool is_called_by_libraries_of_go(std::string_view member) {
  return semantic::is_any(
      member,
      {"ServeHTTP", "RoundTrip", "Write",       "WriteString",   "WriteHeader", "Header",
       "Flush",     "Hijack",    "Push",        "Read",          "ReadFrom",    "WriteTo",
       "Close",     "Seek",      "String",      "Error",         "Format",      "Len",
       "Less",      "Swap",      "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText",
       "Scan",      "Value"});
}

FieldTypes field_types_of(const semantic::FileFacts& facts) {
  FieldTypes types;
  for (const semantic::Reference& reference : facts.references) {
    const semantic::Symbol& in = facts.symbols[reference.symbol];
    if (in.kind != "field" || reference.role == UseRole::kText) continue;
    const std::string package = reference.qualifier.empty() ? "" : reference.qualifier + ".";
    if (reference.qualifier.empty() && reference.role != UseRole::kType) continue;
    for (const std::string& field : in.defines) types[field].insert(package + reference.name);
  }
  // A package is named in front of the type as well.
  for (auto& [field, names] : types) {
    std::erase_if(names, [&](const std::string& name) {
      const auto behind = names.lower_bound(name + ".");
      return behind != names.end() && behind->starts_with(name + ".");
    });
  }
  return types;
}

bool is_of_its_type(const GoUse& in, const Subject& subject) {
  const Declared declared = declared_in(in.use.reference);
  if (declared.type.empty() || declared.type != owner_of(subject)) return false;
  if (declared.package.empty()) return in.package == Near::kYes;
  return in.link.link == Link::kYes &&
         std::ranges::any_of(in.link.by, [&](const semantic::Import* import) {
           return is_package_of(*import, declared.package);
         });
}

bool may_mean_in_go(const GoUse& in, const Subject& subject, const Entities& entities) {
  const Reference& reference = in.use.reference;
  const bool member = is_member(subject);
  const bool here = in.package == Near::kYes;
  if (!here && !is_exported(reference.name)) return false;
  if (member) return subject.kind == "field" || may_mean_member(in, subject, entities);
  if (reference.role == UseRole::kMember) return !reference.of_local && in.link.link != Link::kNo;
  const bool all = std::ranges::any_of(in.link.by, [](const auto* import) { return import->all; });
  // A qualified type has no role of a member.
  return here || all || (!reference.qualifier.empty() && in.link.link != Link::kNo);
}

}  // namespace gittxn::catalogue
