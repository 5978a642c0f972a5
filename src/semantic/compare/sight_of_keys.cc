// Whose key a name is in scripts, of objects that variables are and functions give.
#include <algorithm>
#include <string_view>
#include <vector>

#include "semantic/compare/events.h"
#include "semantic/compare/sight.h"
#include "semantic/kinds.h"
#include "semantic/names.h"
#include "semantic/symbols/more_reads.h"

namespace gittxn::semantic {
namespace {

// It is a key of an object that a variable is, or that a function gives.
bool is_key_in_script(const Write& write) {
  const bool field = write.kind == "field" && write.of_type.empty();
  return write.kind == "given" || (field && family_of(write.language) == Family::kScript);
}

}  // namespace

// The file of the use imports something of the other one, or has a name for what gives the key.
// The edited code has to name it, too, where the key stands behind a parameter or a variable.
bool Sights::may_be_given(const Write& write, const Use& use) const {
  const std::vector<std::string_view> around = words_of(write.container);
  if (!is_key_in_script(write) || around.empty()) return true;
  if (use.name.ends_with(outcome_name({}, kHeard))) return may_hear(write, use);
  const std::string_view giver = write.of_type.empty() ? around.back() : write.of_type;
  const auto is_named = [&](std::string_view name) {
    const auto uses = std::ranges::equal_range(side_.uses, name, {}, &Use::name);
    return std::ranges::any_of(uses, [&](const Use& other) {
      const bool said = other.role != UseRole::kText && other.state != UseState::kLost;
      return other.path == use.path && said;
    });
  };
  const bool imported = std::ranges::any_of(bound(use.path), [&](const Bound& bound) {
    const bool its = bound.name == giver || bound.original == giver ||
                     (!bound.module.empty() && may_be_module(bound.module, use.path, write.path));
    return its && (!use.of_local || is_named(bound.name));
  });
  // Others have functions of that name that end in that way.
  if (use.name.contains('!')) return write.path == use.path || takes_from(write, use);
  return write.path == use.path || imported || is_named(giver);
}

// The file of the use imports anything of the other one, or what has the event is called as it is
// there: `bus.on('added')` of `bus.emit('added')`.
bool Sights::may_hear(const Write& write, const Use& use) const {
  const bool same = !use.qualifier.empty() && use.qualifier == write.of_type;
  return same || write.path == use.path ||
         std::ranges::any_of(bound(use.path),
                             [&](const Bound& bound) { return is_bound_to(bound, write.path); });
}

// The file of the use imports the name, or the module before it, from the other one, or anything
// of that where it says of neither what it is.
bool Sights::takes_from(const Write& write, const Use& use) const {
  const Bounds own = bound(use.path, use.qualifier.empty() ? write.of_type : use.qualifier);
  return std::ranges::any_of(own.empty() ? bound(use.path) : own,
                             [&](const Bound& bound) { return is_bound_to(bound, write.path); });
}

}  // namespace gittxn::semantic
