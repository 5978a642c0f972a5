#include "semantic/symbols/calls.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "base/text.h"
#include "semantic/compare/events.h"
#include "semantic/kinds.h"
#include "semantic/names.h"

namespace gittxn::semantic {
namespace {

// A parameter, in the form that parameters_in_python() gives.
struct CallParameter {
  char sign = ' ';
  std::string_view name, value;
  bool optional = false;
};

std::vector<CallParameter> asked_in(std::string_view list, const Write& function) {
  std::vector<CallParameter> all;
  for (const std::string_view line : pieces_of(list, '\n')) {
    if (line.empty()) continue;
    const std::size_t end = std::min(line.find('='), line.size());
    all.push_back({line.front(), line.substr(1, end - 1),
                   line.substr(std::min(end + 1, line.size())), end < line.size()});
  }
  const bool own =
      !function.of_type.empty() && !all.empty() && is_any(all.front().name, {"self", "cls"});
  if (own) all.erase(all.begin());
  return all;
}

// The parameters that have a place.
std::span<const CallParameter> placed_in(const std::vector<CallParameter>& all) {
  const auto end =
      std::ranges::find_if(all, [](const CallParameter& one) { return one.sign != ' '; });
  return {all.begin(), end};
}

const CallParameter* find_asked(const std::vector<CallParameter>& all, std::string_view name) {
  const auto found = std::ranges::find_if(
      all, [&](const CallParameter& one) { return one.sign == ' ' && one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

bool has_sign(const std::vector<CallParameter>& all, char sign) {
  return std::ranges::find(all, sign, &CallParameter::sign) != all.end();
}

// The call gives all that is asked for, and nothing else.
bool gives_all(const std::vector<CallParameter>& all, std::size_t places,
               const std::vector<std::string_view>& named) {
  const auto placed = placed_in(all);
  if (places > placed.size() && !has_sign(all, '*')) return false;
  for (const std::string_view name : named) {
    const CallParameter* one = find_asked(all, name);
    if (one == nullptr ? !has_sign(all, '@')
                       : one < placed.data() + std::min(places, placed.size()))
      return false;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool given = i < std::min(places, placed.size()) || all[i].sign != ' ' || all[i].optional;
    if (!given && std::ranges::find(named, all[i].name) == named.end()) return false;
  }
  return true;
}

}  // namespace

bool is_call_of_both(const Write& function, const Use& call) {
  if (function.asked.empty() || function.asked.contains("|/") || function.asks.contains("|/")) {
    return false;
  }
  if (call.arity < 0 || call.named.contains('*') || call.language != "python") return false;
  // The first argument is what a method is called for.
  if (!call.qualifier.empty() && call.qualifier == function.of_type) return false;
  const std::vector<CallParameter> was = asked_in(function.asked, function);
  const std::vector<CallParameter> is = asked_in(function.asks, function);
  std::vector<std::string_view> named = pieces_of(call.named, ',');
  std::erase(named, std::string_view());
  const auto places = static_cast<std::size_t>(call.arity) - named.size();
  if (!gives_all(was, places, named) || !gives_all(is, places, named)) return false;
  const auto old = placed_in(was), now = placed_in(is);
  for (std::size_t i = 0; i < places; ++i) {
    if (i >= old.size() || i >= now.size()) return old.size() == now.size();
    if (old[i].name == now[i].name) continue;
    if (find_asked(is, old[i].name) != nullptr || find_asked(was, now[i].name) != nullptr) {
      return false;
    }
  }
  // An argument that is left out has the value that it had.
  return std::ranges::all_of(was, [&](const CallParameter& one) {
    const CallParameter* other = one.sign == ' ' ? find_asked(is, one.name) : nullptr;
    const bool given = (other != nullptr && other < is.data() + places) ||
                       std::ranges::find(named, one.name) != named.end();
    return other == nullptr || given || other->value == one.value;
  });
}

std::vector<Double> doubles_in(const std::vector<const Write*>& mine, const Footprint& side,
                               const std::vector<const Write*>& theirs) {
  std::vector<Double> found;
  for (const Write* own : theirs) {
    const bool method = own->change == Change::kAdded && own->member && !own->asks.empty();
    if (!method || own->defines.size() != 1 || makes(own->defines.front())) continue;
    const std::vector<CallParameter> takes = asked_in(own->asks, *own);
    const auto has_no_place = [&](const Use& call) {
      if (call.role != UseRole::kMember || call.state != UseState::kGained) return false;
      if (call.arity < 0 || call.named.contains('*')) return false;
      std::vector<std::string_view> named = pieces_of(call.named, ',');
      std::erase(named, std::string_view());
      return !gives_all(takes, static_cast<std::size_t>(call.arity) - named.size(), named);
    };
    const auto calls = std::ranges::equal_range(side.uses, own->defines.front(), {}, &Use::name);
    if (std::ranges::none_of(calls, has_no_place)) continue;
    for (const Write* changed : mine) {
      const bool its = changed->member && changed->change == Change::kChanged &&
                       changed->defines == own->defines && changed->asked == own->asks &&
                       changed->asks != changed->asked;
      if (its) found.push_back({changed, own});
    }
  }
  return found;
}

}  // namespace gittxn::semantic
