#include "catalogue/sight.h"

#include <algorithm>

#include "base/fs.h"
#include "catalogue/build_targets.h"
#include "semantic/kinds.h"
#include "semantic/manifest/manifest.h"

namespace gittxn::catalogue {
namespace {

constexpr std::size_t kMostIncludes = 500;  // headers that are followed

std::string last_of(std::string_view module) {
  if (module.ends_with('>')) module.remove_suffix(1);
  return std::string(module.substr(module.find_last_of("/<") + 1));
}

// --- doubts ---

using semantic::is_any;
using semantic::Reference;
using semantic::UseRole;

template <typename Test>
bool any(const Linked& link, Test test) {
  return std::ranges::any_of(link.by,
                             [&](const semantic::Import* import) { return test(*import); });
}

// The import calls the module so.
bool names(const semantic::Import& import, std::string_view by) {
  const auto words = semantic::words_of(import.module);
  if (!words.empty() && words.back() == by) return true;
  return std::ranges::any_of(import.binds,
                             [&](const semantic::Binding& binding) { return binding.local == by; });
}
bool binds(const semantic::Import& import, std::string_view name) {
  return std::ranges::any_of(import.binds, [&](const semantic::Binding& binding) {
    return binding.local == name || binding.original == name;
  });
}

}  // namespace

bool is_member(const Subject& subject) {
  const bool receives =
      subject.language == "go" && subject.kind == "function" && !subject.symbol.ends_with("().");
  return receives || subject.container.contains('#') || subject.kind == "field";
}

void Sight::note_path(const std::string& path, const std::string& name) {
  if (name == "go.mod") go_mods_.push_back(path);
  by_file_name_[name].push_back(path);
}

Status Sight::read_go_modules() {
  for (const std::string& path : go_mods_) {
    const std::string name = go_module(TRY(manifest(path)));
    const std::string folder = path == "go.mod" ? "" : parent_dir(path);
    if (!name.empty()) go_modules_.emplace(folder, name);
  }
  return {};
}

const std::vector<std::string>& Sight::namesakes(std::string_view file) const {
  static const std::vector<std::string> kNone;
  const auto named = by_file_name_.find(base_name(file));
  return named == by_file_name_.end() ? kNone : named->second;
}

Linked Sight::linked(const Importer& from, const std::string& to) {
  Linked best;
  if (from.path == to) return best;
  for (const semantic::Import& import : from.imports) {
    const Link link = link_of(from.language, from.path, import, {to, layout_of(to)});
    if (link > best.link) best = {link, {}};
    if (link == best.link && link != Link::kNo) best.by.push_back(&import);
  }
  if (best.link == Link::kYes || !same_family(from.language, "c")) return best;
  // Headers include headers.
  std::set<std::string> seen{std::string(from.path)};
  if (reaches(std::string(from.path), from.imports, to, &seen)) best.link = Link::kYes;
  return best;
}

bool Sight::reaches(const std::string& from, const std::vector<semantic::Import>& imports,
                    const std::string& to, std::set<std::string>* seen) {
  for (const semantic::Import& import : imports) {
    const std::vector<std::string>& named = namesakes(last_of(import.module));
    for (const std::string& path : named) {
      if (link_of("c", from, import, {path, {named, go_modules_}}) != Link::kYes) continue;
      if (path == to) return true;
      if (seen->size() >= kMostIncludes || !seen->insert(path).second) continue;
      if (reaches(path, includes_of(path), to, seen)) return true;
    }
  }
  return false;
}

const std::vector<semantic::Import>& Sight::includes_of(const std::string& path) {
  const auto [found, added] = includes_.try_emplace(path);
  if (!added || includes_.size() > kMostIncludes) return found->second;
  auto facts = facts_at(path);
  if (facts) found->second = std::move(facts->imports);
  return found->second;  // without facts it includes nothing that is sure
}

Result<semantic::FileFacts> Sight::facts_at(const std::string& path) {
  return catalogue_.file(path, TRY(catalogue_.objects().entry_at(tree_, path)));
}

Result<std::string> Sight::manifest(const std::string& path) const {
  const repo::Objects& objects = catalogue_.objects();
  const TreeEntry entry = TRY(objects.entry_at(tree_, path));
  if (TRY(objects.blob_size(entry.oid)) > semantic::kMaxManifest) return std::string();
  return objects.blob(entry.oid);
}

std::string doubt_of_place(const UsedIn& use, const Subject& subject, const Linked& link,
                           Near near) {
  const Reference& reference = use.reference;
  const std::string owner = owner_of(subject);
  const bool c = same_family(subject.language, "c");
  if (!reference.qualifier.empty() || reference.role == UseRole::kMember) {
    const std::string& by = reference.qualifier;
    if (by.empty()) return "whose member it is cannot be told";
    if (by == owner) return {};
    const bool own = is_any(by, {"self", "this", "cls", "Self"});
    if (own && !subject.container.empty() && use.in->container == subject.container) return {};
    // A member of what is imported is no member of what is in there.
    if (!is_member(subject) && any(link, [&](const auto& one) { return names(one, by); }))
      return {};
    if (!is_member(subject) && c && reference.role != UseRole::kMember) return {};
    return "whose member it is cannot be told";
  }
  if (is_member(subject)) {
    const bool inside = !subject.container.empty() && (use.in->container == subject.container ||
                                                       use.in->symbol == subject.container);
    if (inside || (c && subject.kind == "constructor")) return {};
    return "whose member it is cannot be told";
  }
  if (near == Near::kYes || c) return {};
  const auto says = [&](const auto& one) { return one.all || binds(one, reference.name); };
  if (any(link, says)) return {};
  return "its import does not say this name";
}

}  // namespace gittxn::catalogue
