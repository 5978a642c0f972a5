#include "semantic/merge/both/numbers.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "semantic/kinds.h"
#include "semantic/merge/both/apart.h"

namespace gittxn::semantic {
namespace {

// --- members of a type, constants, macros ---

// "3" of "A = 3" and of "#define A 3": what a constant, or a field of a class, is given, where a
// digit is in it.
std::string_view number_of(const Node& node) {
  std::string_view value;
  if (node.decl == "macro") {
    const Node* given = kid_in(node, "value");
    value = given == nullptr ? std::string_view() : trimmed(given->text);
  } else {
    const std::size_t sign = node.text.find('=');
    if (sign == std::string_view::npos) return {};
    value = trimmed(node.text.substr(sign + 1));
    if (value.ends_with(';')) value = trimmed(value.substr(0, value.size() - 1));
  }
  const bool digit = value.find_first_of("0123456789") != std::string_view::npos;
  const bool plain =
      value.find_first_not_of("0123456789abcdefABCDEFxXuUlL<> ()-") == std::string_view::npos;
  return digit && plain ? value : std::string_view();
}

// The value of "4", "0x4", "4u" and "(1 << 2)".
std::optional<std::uint64_t> value_of(std::string_view text) {
  std::string bare = squeeze(text);
  if (bare.starts_with('(') && bare.ends_with(')')) bare = bare.substr(1, bare.size() - 2);
  const std::size_t shift = bare.find("<<");
  if (shift != std::string::npos) {
    const auto what = value_of(bare.substr(0, shift)), by = value_of(bare.substr(shift + 2));
    if (!what || !by || *by > 62) return std::nullopt;
    return *what << *by;
  }
  while (!bare.empty() && std::string_view("uUlL").contains(bare.back())) bare.pop_back();
  const bool hex = bare.starts_with("0x") || bare.starts_with("0X");
  const char* from = bare.data() + (hex ? 2 : 0);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(from, bare.data() + bare.size(), value, hex ? 16 : 10);
  const bool all = error == std::errc() && end == bare.data() + bare.size() && end != from;
  return all ? std::optional(value) : std::nullopt;
}

// The numbers of the members of each container, by name. Constants of no container are of one
// prefix: "FLAG_".
using Members = std::map<std::string_view, const Node*>;
using Numbers = std::map<std::string, Members>;

bool is_loose(std::string_view container) {
  return !container.ends_with('/');
}

std::string container_of_number(const Declared& each) {
  const std::string_view path = each.path;
  if (path.contains('/')) return std::string(path.substr(0, path.rfind('/') + 1));
  const std::string_view name = each.node->name;
  const std::size_t prefix = name.rfind('_');
  return prefix == std::string_view::npos ? std::string() : std::string(name.substr(0, prefix + 1));
}

Numbers numbers_in(const std::vector<Declared>& all) {
  Numbers numbers;
  for (const Declared& each : all) {
    const bool member = each.path.contains('/');
    const bool counts = member ? is_any(each.node->decl, {"constant", "field"})
                               : is_any(each.node->decl, {"constant", "macro", "variable"});
    if (!counts || number_of(*each.node).empty()) continue;
    numbers[container_of_number(each)].emplace(each.node->name, each.node);
  }
  return numbers;
}

// No two of them are the same: they are there to tell things apart.
bool all_differ(const Members& members) {
  std::set<std::string> values;
  for (const auto& [name, node] : members) values.insert(squeeze(number_of(*node)));
  return members.size() >= 2 && values.size() == members.size();
}

// The number behind the highest one, or twice that.
bool counts_on(const Members& members, std::string_view number) {
  const auto next = value_of(number);
  std::uint64_t highest = 0;
  for (const auto& [name, node] : members) {
    const auto value = value_of(number_of(*node));
    if (!value) return false;
    highest = std::max(highest, *value);
  }
  return next && highest > 0 && (*next == highest + 1 || *next == highest * 2);
}

// The members that `was` does not have, by their numbers.
std::multimap<std::string, const Node*> added_to(const Members& was, const Members& now) {
  std::multimap<std::string, const Node*> added;
  for (const auto& [name, node] : now) {
    if (!was.contains(name)) added.emplace(squeeze(number_of(*node)), node);
  }
  return added;
}

Broken members_with_one_number(const Sides<const Tree*>& sides) {
  Sides<Numbers> numbers;
  for (std::size_t i = 0; i < 3; ++i) numbers[i] = numbers_in(sides[i]->declarations());
  for (const auto& [container, was] : numbers[kBase]) {
    if (container.empty() || !all_differ(was)) continue;
    const auto there = added_to(was, numbers[kRight][container]);
    for (const auto& [number, left] : added_to(was, numbers[kLeft][container])) {
      const auto [from, to] = there.equal_range(number);
      const auto found =
          std::find_if(from, to, [&](const auto& each) { return each.second->name != left->name; });
      if (found == to) continue;
      const Node* right = found->second;
      if (is_loose(container) && !counts_on(was, number_of(*left))) continue;
      return {"both sides gave the number " + std::string(number_of(*left).substr(0, 40)) +
                  " to something new, '" + std::string(left->name.substr(0, 40)) + "' and '" +
                  std::string(right->name.substr(0, 40)) + "'",
              {span_of_node(kLeft, *sides[kLeft], *left),
               span_of_node(kRight, *sides[kRight], *right)}};
    }
  }
  return {};
}

// --- rows of a list ---

// The values of a row by their places, or by their keys.
struct Row {
  const Node* node = nullptr;
  std::map<std::string, const Node*> values;
  bool keyed = false;
};

std::vector<const Node*> named_kids(const Node& node) {
  std::vector<const Node*> kids;
  for (const Node* kid : node.kids) {
    if (kid->named && !kid->comment) kids.push_back(kid);
  }
  return kids;
}

// "(1, 2)", "{1, 2}", "[1, 2]", "{a: 1, b: 2}". Of a call nobody knows what it takes.
std::optional<Row> row_of(const Node& item) {
  const Node* list = &item;
  std::vector<const Node*> kids = named_kids(*list);
  while (kids.size() == 1 && !kids[0]->kids.empty()) {
    list = kids[0];
    kids = named_kids(*list);
  }
  if (kids.size() < 2 || list->kids.empty() || !is_any(list->kids.front()->text, {"(", "{", "["}))
    return std::nullopt;
  Row row{&item, {}, false};
  for (std::size_t i = 0; i < kids.size(); ++i) {
    if (kids[i]->decl == "key") {
      row.keyed = true;
      const auto parts = kids[i]->kids;  // none where the name is the value, too
      row.values.emplace(std::string(kids[i]->name), parts.empty() ? kids[i] : parts.back());
    } else {
      row.values.emplace(std::to_string(i), kids[i]);
    }
  }
  return row;
}

// The lists of rows of a version, by what they are declared in and their number there.
using Table = std::vector<Row>;
using Tables = std::map<std::string, Table>;

void find_tables(const Node& node, const std::string& path, std::map<std::string, int>* count,
                 Tables* tables) {
  const bool declares = !node.decl.empty() && node.decl != "import" && !node.name.empty();
  std::string own;
  if (declares) own = path + std::string(node.decl) + " " + std::string(node.name) + "/";
  const std::string& inside = declares ? own : path;
  if (node.role == Role::kList) {
    Table table;
    const std::vector<const Node*> kids = named_kids(node);
    for (const Node* kid : kids) {
      if (auto row = row_of(*kid)) table.push_back(*std::move(row));
    }
    // The last item of a table may be something else.
    if (table.size() >= 2 && table.size() + 1 >= kids.size()) {
      tables->emplace(inside + std::to_string((*count)[inside]++), std::move(table));
      return;
    }
  }
  for (const Node* kid : node.kids) find_tables(*kid, inside, count, tables);
}

Sides<Tables> tables_of(const Sides<const Tree*>& sides) {
  Sides<Tables> tables;
  const std::vector<Nodes> apart = not_in_all(sides);
  for (std::size_t i = 0; i < 3; ++i) {
    std::map<std::string, int> count;
    for (const Node* node : apart[i]) find_tables(*node, {}, &count, &tables[i]);
  }
  return tables;
}

Sides<const Table*> versions_of(const Sides<Tables>& tables, const std::string& path) {
  Sides<const Table*> found = {nullptr, nullptr, nullptr};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto at = tables[i].find(path);
    if (at != tables[i].end()) found[i] = &at->second;
  }
  return found;
}

// The values of rows at one place, each with its row.
using Column = std::map<std::string_view, const Row*>;

// Nothing where a row has no value there, or two have the same.
std::optional<Column> column_of(const Table& table, const std::string& key) {
  Column column;
  for (const Row& row : table) {
    const auto at = row.values.find(key);
    if (at == row.values.end()) return std::nullopt;
    if (!column.emplace(at->second->text, &row).second) return std::nullopt;
  }
  return column;
}

bool is_letter(const Node& value) {
  return value.text.size() >= 3 && value.text.starts_with('\'') && value.text.ends_with('\'') &&
         has_any(value.kind, {"char", "rune"});
}

// The number behind the last one, of rows that are counted.
std::optional<std::uint64_t> next_number(const Table& table, const std::string& key) {
  std::optional<std::uint64_t> last;
  for (const Row& row : table) {
    const auto at = row.values.find(key);
    const auto value = at == row.values.end() ? std::nullopt : value_of(at->second->text);
    if (!value || (last && *value != *last + 1)) return std::nullopt;
    last = value;
  }
  return last ? std::optional(*last + 1) : std::nullopt;
}

// A letter that tells rows apart: those that have one, for others may have none.
std::map<std::string_view, const Row*> letters_in(const Table& table, const std::string& key,
                                                  bool* twice) {
  std::map<std::string_view, const Row*> letters;
  for (const Row& row : table) {
    const auto at = row.values.find(key);
    if (at == row.values.end() || !is_letter(*at->second)) continue;
    if (!letters.emplace(at->second->text, &row).second) *twice = true;
  }
  return letters;
}

// A value that both sides gave to a new row, where the rows differ otherwise.
std::optional<std::pair<const Row*, const Row*>> given_by_both(const Sides<const Tree*>& sides,
                                                               const Sides<Column>& columns) {
  for (const auto& [text, left] : columns[kLeft]) {
    const auto right = columns[kRight].find(text);
    if (columns[kBase].contains(text) || right == columns[kRight].end()) continue;
    if (same_code(*sides[kLeft], *left->node, *sides[kRight], *right->second->node)) continue;
    return std::pair{left, right->second};
  }
  return std::nullopt;
}

std::optional<Sides<Column>> telling_columns(const Sides<const Table*>& tables,
                                             const std::string& key) {
  Sides<Column> columns;
  bool twice = false;
  for (std::size_t i = 0; i < 3; ++i) columns[i] = letters_in(*tables[i], key, &twice);
  if (columns[kBase].size() >= 2) return twice ? std::nullopt : std::optional(columns);
  const auto next = next_number(*tables[kBase], key);
  if (!next) return std::nullopt;
  for (std::size_t i = 0; i < 3; ++i) {
    auto column = column_of(*tables[i], key);
    if (!column) return std::nullopt;
    std::erase_if(*column,
                  [&](const auto& entry) { return i != kBase && value_of(entry.first) != next; });
    columns[i] = *std::move(column);
  }
  return columns;
}

Broken rows_with_one_number(const Sides<const Tree*>& sides, const Sides<Tables>& tables) {
  for (const auto& [path, base] : tables[kBase]) {
    const auto all = versions_of(tables, path);
    if (all[kLeft] == nullptr || all[kRight] == nullptr) continue;
    for (const auto& [key, value] : base.front().values) {
      const auto columns = telling_columns(all, key);
      const auto both = columns ? given_by_both(sides, *columns) : std::nullopt;
      if (!both) continue;
      const auto& [left, right] = *both;
      return {"both sides gave " + std::string(left->values.at(key)->text.substr(0, 40)) +
                  " to a new row of one list",
              {span_of_node(kLeft, *sides[kLeft], *left->node),
               span_of_node(kRight, *sides[kRight], *right->node)}};
    }
  }
  return {};
}

// The number of values that each row of a table has; nothing where they differ, or have keys.
std::optional<std::size_t> length_of_rows(const Table& table) {
  const std::size_t length = table.front().values.size();
  const bool all = std::ranges::all_of(
      table, [length](const Row& row) { return !row.keyed && row.values.size() == length; });
  return all ? std::optional(length) : std::nullopt;
}

// One side gave each row of a list more values, or fewer, and the other added a row as they were.
Broken rows_that_differ_in_length(const Sides<const Tree*>& sides, const Sides<Tables>& tables) {
  for (const auto& [path, base] : tables[kBase]) {
    const auto all = versions_of(tables, path);
    const auto was = length_of_rows(base);
    if (!was || all[kLeft] == nullptr || all[kRight] == nullptr) continue;
    for (const Side side : {kLeft, kRight}) {
      const auto now = length_of_rows(*all[side]), there = length_of_rows(*all[other(side)]);
      if (!now || now == was || there != was) continue;
      const auto is_in = [&](const Row& row) {
        return std::ranges::any_of(base, [&](const Row& each) {
          return same_code(*sides[kBase], *each.node, *sides[other(side)], *row.node);
        });
      };
      if (all[other(side)]->size() <= base.size()) continue;
      Broken broken{
          "one side gave each row of a list other values, and the other side added a row "
          "as they were",
          {}};
      for (const Row& row : *all[other(side)]) {
        if (!is_in(row)) {
          broken.places.push_back(span_of_node(other(side), *sides[other(side)], *row.node));
        }
      }
      return broken;
    }
  }
  return {};
}

}  // namespace

Span span_of_node(std::size_t version, const Tree& tree, const Node& node) {
  const auto from = static_cast<std::size_t>(node.text.data() - tree.text().data());
  return {version, from, from + node.text.size()};
}

Broken both_number(const Sides<const Tree*>& sides) {
  Broken broken = members_with_one_number(sides);
  if (!broken.why.empty()) return broken;
  const Sides<Tables> tables = tables_of(sides);
  broken = rows_with_one_number(sides, tables);
  return broken.why.empty() ? rows_that_differ_in_length(sides, tables) : broken;
}

}  // namespace gittxn::semantic
