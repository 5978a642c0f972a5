#include "catalogue/names.h"

#include <algorithm>

namespace gittxn::catalogue {

// FNV-1a: the same on every machine, for it is kept on disk.
std::uint32_t name_hash(std::string_view name) {
  std::uint32_t hash = 2166136261u;
  for (const char c : name) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 16777619u;
  }
  return hash;
}

void settle(NameSet* names) {
  std::ranges::sort(*names);
  names->erase(std::unique(names->begin(), names->end()), names->end());
}

bool contains(const NameSet& names, std::uint32_t hash) {
  return std::ranges::binary_search(names, hash);
}

bool meet(const NameSet& a, const NameSet& b) {
  const NameSet& few = a.size() < b.size() ? a : b;
  const NameSet& many = a.size() < b.size() ? b : a;
  return std::ranges::any_of(few, [&](std::uint32_t hash) { return contains(many, hash); });
}

// A file's name need not be an identifier.
std::string_view module_stem(std::string_view module) {
  while (module.ends_with('/') || module.ends_with('>')) module.remove_suffix(1);
  const std::string_view last = module.substr(module.find_last_of("/<") + 1);
  return last.substr(0, last.find('.', 1));
}

NameSet names_in(const semantic::FileFacts& facts) {
  NameSet names;
  for (const semantic::Symbol& symbol : facts.symbols) {
    if (!symbol.name.empty()) names.push_back(name_hash(symbol.name));
    for (const std::string& name : symbol.defines) names.push_back(name_hash(name));
    for (const std::string_view word : semantic::words_of(symbol.name)) {
      names.push_back(name_hash(word));
    }
  }
  for (const semantic::Reference& use : facts.references) names.push_back(name_hash(use.name));
  for (const semantic::Import& import : facts.imports) {
    for (const std::string_view word : semantic::words_of(import.module)) {
      names.push_back(name_hash(word));
    }
    names.push_back(name_hash(module_stem(import.module)));
    for (const semantic::Binding& binding : import.binds) {
      names.push_back(name_hash(binding.local));
      names.push_back(name_hash(binding.original));
    }
  }
  settle(&names);
  return names;
}

}  // namespace gittxn::catalogue
