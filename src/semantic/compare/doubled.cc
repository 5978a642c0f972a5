#include "semantic/compare/doubled.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "semantic/compare/sight.h"
#include "semantic/kinds.h"
#include "semantic/names.h"

namespace gittxn::semantic {
namespace {

// The name of the trait that an implementation is of, and what types it is told, without the path
// to it: "[`std::fmt,Display`]" is "Display".
std::string trait_in(std::string_view impl) {
  const std::string_view said = impl.substr(impl.find("][") + 2);
  const std::size_t told = said.find('<');
  const std::vector<std::string_view> path = words_of(said.substr(0, told));
  std::string name(path.empty() ? std::string_view() : path.back());
  if (told == said.npos) return name;
  for (const std::string_view word : words_of(said.substr(told))) name += " " + std::string(word);
  return name;
}

// A name for something that a program has once; empty: it may have several.
std::string once_in_rust(const Write& write) {
  const std::size_t impl = write.symbol.rfind("/impl#[");
  if (impl == write.symbol.npos) return {};
  const std::string_view said = std::string_view(write.symbol).substr(impl);
  const bool of_trait = said.contains("][");
  if (write.kind == "impl") return of_trait ? write.of_type + " is " + trait_in(said) : "";
  const bool member = is_function(write.kind) || write.kind == "constant";
  if (of_trait || !member || write.defines.size() != 1) return {};
  return write.of_type + " has " + write.defines.front();
}

std::string once(const Write& write) {
  if (write.change != Change::kAdded || write.opaque) return {};
  if (write.language == "rust") return once_in_rust(write);
  const bool top = write.kind == "type" && write.container == write.path + "/";
  if (write.language != "java" || !top || write.defines.size() != 1) return {};
  return write.path.substr(0, write.path.rfind('/') + 1) + " has " + write.defines.front();
}

}  // namespace

Doubled doubled_in(const Footprint& a, const std::vector<const Write*>& left, const Footprint& b,
                   const std::vector<const Write*>& right) {
  Doubled found;
  std::map<std::string, std::vector<const Write*>> there;
  for (const Write* write : right) {
    if (std::string name = once(*write); !name.empty()) there[std::move(name)].push_back(write);
  }
  if (there.empty()) return found;
  const Sights mine(a), theirs(b);
  for (const Write* write : left) {
    const auto others = there.find(once(*write));
    if (others == there.end()) continue;
    for (const Write* other : others->second) {
      // Each file may have a type of that name itself.
      const bool own = !write->of_type.empty() && mine.declares(write->path, write->of_type) &&
                       theirs.declares(other->path, other->of_type);
      if (other->path != write->path && !own) found.emplace_back(write, other);
    }
  }
  return found;
}

}  // namespace gittxn::semantic
