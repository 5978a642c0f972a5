#include "semantic/merge/both/named.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "semantic/kinds.h"
#include "semantic/merge/both/numbers.h"

namespace gittxn::semantic {
namespace {

constexpr std::array<std::string_view, 4> kNameKeys = {"name", "id", "key", "path"};

std::string_view without_quotes(std::string_view text) {
  constexpr std::string_view kQuotes = "\"'`";
  if (text.size() < 2 || !kQuotes.contains(text.front()) || text.back() != text.front()) {
    return text;
  }
  return text.substr(1, text.size() - 2);
}

// The object or mapping that an item is, without what a grammar puts around it.
const Node* object_in(const Node& item) {
  for (const Node* at = &item;;) {
    const Node* only = nullptr;
    for (const Node* kid : at->kids) {
      if (!kid->named || kid->comment) continue;
      if (kid->decl == "key") return at;
      if (only != nullptr) return nullptr;
      only = kid;
    }
    if (only == nullptr) return nullptr;
    at = only;
  }
}

// "json:email" of `json:"email,omitempty"`.
std::string name_in_tag(const Node& field) {
  const Node* tag = kid_in(field, "tag");
  if (tag == nullptr) return {};
  const std::size_t from = tag->text.find(":\"");
  if (from == std::string_view::npos) return {};
  const std::string_view name =
      tag->text.substr(from + 2, tag->text.find_first_of(",\"", from + 2) - from - 2);
  if (name.empty() || name == "-") return {};
  return std::string(tag->text.substr(1, from)) + std::string(name);
}

// "MODE" of "- MODE=fast", and "flask" of "flask[async] >= 2"; empty of other values.
std::string name_in_value(std::string_view text) {
  if (text.starts_with("- ")) text.remove_prefix(2);
  text = without_quotes(trimmed(text));
  const auto is_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
  };
  const std::size_t end =
      static_cast<std::size_t>(std::ranges::find_if_not(text, is_name) - text.begin());
  std::string_view rest = text.substr(end);
  if (rest.starts_with('[')) rest.remove_prefix(std::min(rest.find(']'), rest.size() - 1) + 1);
  rest = trimmed(rest);
  const bool gives = rest.size() > 1 && std::string_view("=<>~!").contains(rest.front());
  const bool named = end > 0 && std::isalpha(static_cast<unsigned char>(text.front())) != 0;
  const bool plain = text.size() <= 100 && text.find_first_of("{(\n") == text.npos;
  return gives && named && plain ? std::string(text.substr(0, end)) : std::string();
}

// The value of `key` in an item, or what the item itself gives a value; empty if that is no plain
// text.
std::string name_of_item(const Node& item, std::string_view key) {
  if (item.kind == "field_declaration") return key == kNameKeys[0] ? name_in_tag(item) : "";
  const Node* object = object_in(item);
  if (object == nullptr) return key == kNameKeys[0] ? name_in_value(item.text) : "";
  for (const Node* kid : object->kids) {
    if (kid->decl != "key" || kid->kids.empty() || lower_ascii(without_quotes(kid->name)) != key)
      continue;
    const std::string_view value = without_quotes(trimmed(kid->kids.back()->text));
    const bool plain = value.size() <= 100 && value.find_first_of("{[(\n") == value.npos;
    return plain ? std::string(value) : std::string();
  }
  return {};
}

bool is_list_of_items(const Node& node) {
  return node.role == Role::kList || node.role == Role::kSet ||
         node.kind == "field_declaration_list";
}

using NamedItems = std::map<std::string, std::vector<const Node*>>;

// The items of a list by what they say for `key`; nothing where one says nothing. A field needs no
// tag.
NamedItems items_by(const Node& list, std::string_view key) {
  NamedItems items;
  for (const Node* kid : list.kids) {
    if (!kid->named || kid->comment) continue;
    std::string name = name_of_item(*kid, key);
    if (name.empty() && list.role != Role::kMembers) return {};
    if (!name.empty()) items[std::move(name)].push_back(kid);
  }
  return items;
}

// The names of what a list is in.
std::string place_of_list(const Node& list) {
  std::string place;
  for (const Node* at = &list; at != nullptr; at = at->parent) {
    if (!at->decl.empty()) place += std::string(at->decl) + " " + std::string(at->name) + "/";
  }
  return place;
}

// Counts the items of that name in the lists at that place.
int times_at(const Node& node, const std::string& place, std::string_view key,
             const std::string& name) {
  int times = 0;
  if (is_list_of_items(node) && place_of_list(node) == place) {
    const NamedItems items = items_by(node, key);
    const auto found = items.find(name);
    if (found != items.end()) times += static_cast<int>(found->second.size());
  }
  for (const Node* kid : node.kids) times += times_at(*kid, place, key, name);
  return times;
}

Broken twice_in(const Sides<const Tree*>& sides, const Tree& merged, const Node& list) {
  constexpr std::size_t kFewest = 3;  // two of one name, and another one
  if (list.kids.size() < kFewest) return {};
  for (const std::string_view key : kNameKeys) {
    const NamedItems items = items_by(list, key);
    const auto twice =
        std::ranges::find_if(items, [](const auto& each) { return each.second.size() > 1; });
    if (twice == items.end() || items.size() < 2) continue;
    const auto is_one = [&](const auto& each) {
      return each.first == twice->first ? each.second.size() == 2 : each.second.size() == 1;
    };
    if (!std::ranges::all_of(items, is_one)) continue;
    const std::string place = place_of_list(list);
    const auto times = [&](std::size_t version) {
      return times_at(sides[version]->root(), place, key, twice->first);
    };
    if (times(kBase) != 0 || times(kLeft) != 1 || times(kRight) != 1) continue;
    Broken broken{"both sides added one with the " + std::string(key) + " '" + twice->first +
                      "', at two places",
                  {}};
    for (const Node* each : twice->second) {
      broken.places.push_back(span_of_node(kMergedText, merged, *each));
    }
    return broken;
  }
  return {};
}

Broken twice_below(const Sides<const Tree*>& sides, const Tree& merged, const Node& node) {
  if (is_list_of_items(node)) {
    Broken broken = twice_in(sides, merged, node);
    if (!broken.why.empty()) return broken;
  }
  for (const Node* kid : node.kids) {
    if (kid->kids.empty()) continue;
    Broken broken = twice_below(sides, merged, *kid);
    if (!broken.why.empty()) return broken;
  }
  return {};
}

}  // namespace

Broken named_twice(const Sides<const Tree*>& sides, const Tree& merged) {
  return twice_below(sides, merged, merged.root());
}

}  // namespace gittxn::semantic
