#include "semantic/compare/places.h"

#include "semantic/kinds.h"

namespace gittxn::semantic {
namespace {

bool is_layout(const Write& write) {
  if (write.change == Change::kMoved) return write.ordered;
  if (write.change != Change::kAdded) return false;
  if (write.kind == "constant") return write.member;
  return write.kind == "field" && is_any(write.language, {"c", "cpp", "go", "rust", "python"});
}

}  // namespace

std::map<std::string, Here> places_in(const std::vector<const Write*>& writes) {
  std::map<std::string, Here> all;
  for (const Write* write : writes) {
    const bool self = is_any(write->kind, {"file", "type", "namespace", "impl", "guard", "block"});
    if (is_layout(*write)) all[write->container].placed = write;
    if (!write->runs || write->change == Change::kMoved) continue;
    all[self ? write->symbol : write->container].runs = write;
  }
  return all;
}

}  // namespace gittxn::semantic
