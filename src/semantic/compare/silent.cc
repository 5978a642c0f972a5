#include "semantic/compare/silent.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace gittxn::semantic {
namespace {

struct MethodsGiven {
  const Write* first = nullptr;
  std::set<std::string_view> names;
};

// The methods that types get, by the type.
std::map<std::string_view, MethodsGiven> methods_in(const std::vector<const Write*>& writes) {
  std::map<std::string_view, MethodsGiven> made;
  for (const Write* write : writes) {
    const bool method = write->language == "go" && !write->member && !write->of_type.empty();
    if (!method || write->change != Change::kAdded) continue;
    MethodsGiven& given = made[write->of_type];
    if (given.first == nullptr) given.first = write;
    given.names.insert(write->defines.begin(), write->defines.end());
  }
  return made;
}

}  // namespace

std::vector<SilentOne> silent_in(const std::vector<const Write*>& mine,
                                 const std::vector<const Write*>& theirs) {
  std::vector<SilentOne> found;
  const auto made = methods_in(theirs);
  if (made.empty()) return found;
  for (const Write* write : mine) {
    const bool told =
        write->change == Change::kAdded || (write->change == Change::kChanged && write->strong());
    if (write->language != "go" || !write->needed || write->kind == "field" || !told) continue;
    std::vector<std::string> had = write->beside;
    if (write->change == Change::kChanged) {
      had.insert(had.end(), write->defines.begin(), write->defines.end());
    }
    for (const auto& [type, given] : made) {
      const auto has = [&](const std::string& name) { return given.names.contains(name); };
      if (had.empty() || !std::ranges::all_of(had, has)) continue;
      found.push_back({write, given.first, type});
    }
  }
  return found;
}

}  // namespace gittxn::semantic
