#include "semantic/compare/module_default.h"

#include <algorithm>

#include "semantic/compare/events.h"

namespace gittxn::semantic {
namespace {

bool is_default(const Outline& outline, const Outlined* symbol) {
  if (symbol == nullptr || symbol->parent != 0 || symbol->name.empty()) return false;
  return outline.by_default == symbol->name;
}

}  // namespace

void note_default(const Outlines& pair, const Outlined* was, const Outlined* is, Write* write) {
  const Outlined& any = is != nullptr ? *is : *was;
  if (family_of(write->language) != Family::kScript || any.parent != 0) return;
  const bool is_other = write->change != Change::kChanged || write->what.has(Capability::kBody) ||
                        write->what.has(Capability::kSignature) ||
                        write->what.has(Capability::kContract);
  const auto &before = pair.before.by_default, &after = pair.after.by_default;
  // Its name may be exported or not, as long as it is given.
  const bool its =
      (is_default(pair.before, was) || is_default(pair.after, is)) && (is_other || before != after);
  const bool named = before && after && !before->empty() && !after->empty();
  const bool lost = before && (!after || (named && *before != *after));
  const bool says_it = write->kind == "file" || any.name == "module.exports";
  if (its) write->defines.emplace_back(kGivenByDefault);
  if (!lost || was == nullptr || (!its && !says_it)) return;
  write->gone.emplace_back(kGivenByDefault);
  std::ranges::sort(write->gone);
  if (!its) write->defines.emplace_back(kGivenByDefault);
}

}  // namespace gittxn::semantic
