#include "semantic/merge/both/brought_in.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "semantic/kinds.h"
#include "semantic/merge/both/called.h"
#include "semantic/merge/both/numbers.h"
#include "semantic/read/text_lines.h"
#include "semantic/symbols/imports.h"

namespace gittxn::semantic {
namespace {

// --- one name, two values ---

using Functions = std::map<std::string, const Node*>;

// Functions by their paths; nullptr where there are several.
Functions functions_in(const Tree& tree) {
  Functions functions;
  for (const Declared& declared : tree.declarations()) {
    if (!is_function(declared.node->decl)) continue;
    const auto [at, fresh] = functions.emplace(declared.path, declared.node);
    if (!fresh) at->second = nullptr;
  }
  return functions;
}

// A value is given to a plain name here: "name = …", "let name = …", "T name = …".
bool is_given_here(const Node& leaf) {
  if (!leaf.named || leaf.parent == nullptr) return false;
  const Node& in = *leaf.parent;
  if (leaf.field == "left") return has_any(in.kind, {"assign", "short_var"});
  if (in.kind == "expression_list" && in.field == "left") return in.parent->kind.contains("var");
  if (leaf.field == "name") return in.kind == "variable_declarator";
  if (leaf.field == "pattern") return in.kind == "let_declaration";
  return leaf.field == "declarator" && in.kind == "init_declarator";
}

using GivenNames = std::map<std::string_view, std::vector<const Node*>>;

// The names that a function gives a value, with what gives it.
GivenNames given_names(const Tree& tree, const Node& function) {
  GivenNames given;
  for (std::uint32_t i = function.leaf; i < function.leaf + function.leaves; ++i) {
    const Node& leaf = *tree.leaves()[i];
    if (is_given_here(leaf)) given[leaf.text].push_back(leaf.parent);
  }
  return given;
}

bool has_word(const Tree& tree, const Node& function, std::string_view name) {
  const auto from = tree.leaves().begin() + function.leaf;
  return std::any_of(from, from + function.leaves,
                     [name](const Node* leaf) { return leaf->text == name; });
}

Broken both_bind(const Sides<const Tree*>& sides) {
  const Sides<Functions> functions = {functions_in(*sides[kBase]), functions_in(*sides[kLeft]),
                                      functions_in(*sides[kRight])};
  for (const auto& [path, was] : functions[kBase]) {
    const auto left = functions[kLeft].find(path), right = functions[kRight].find(path);
    if (was == nullptr || left == functions[kLeft].end() || right == functions[kRight].end()) {
      continue;
    }
    if (left->second == nullptr || right->second == nullptr) continue;
    if (left->second->hash == was->hash || right->second->hash == was->hash) continue;
    const GivenNames there = given_names(*sides[kRight], *right->second);
    for (const auto& [name, here] : given_names(*sides[kLeft], *left->second)) {
      const auto also = there.find(name);
      if (also == there.end() || has_word(*sides[kBase], *was, name)) continue;
      const bool same = here.size() == also->second.size() &&
                        std::ranges::equal(here, also->second, [&](const Node* x, const Node* y) {
                          return same_code(*sides[kLeft], *x, *sides[kRight], *y);
                        });
      if (same) continue;
      return {"both sides gave a new name '" + std::string(name.substr(0, 40)) +
                  "' a value of their own in " + std::string(was->name.substr(0, 80)) + "()",
              {span_of_node(kLeft, *sides[kLeft], *here.front()),
               span_of_node(kRight, *sides[kRight], *also->second.front())}};
    }
  }
  return {};
}

// --- a count that both raised ---

// A line with a sign for each whole number that stands alone in it, and the numbers.
struct NumberedLine {
  std::string line;
  std::vector<unsigned long> numbers;
};

NumberedLine numbers_on(std::string_view line) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_.\"'").contains(c);
  };
  NumberedLine counted;
  for (std::size_t i = 0; i < line.size();) {
    std::size_t end = i;
    while (end < line.size() && is_word(line[end])) ++end;
    const std::string_view word = line.substr(i, end - i);
    if (!word.empty() && word.size() < 10 &&
        word.find_first_not_of("0123456789") == std::string_view::npos) {
      counted.numbers.push_back(std::stoul(std::string(word)));
      counted.line += '#';
    } else {
      counted.line += word.empty() ? line.substr(i, 1) : word;
    }
    i = std::max(end, i + 1);
  }
  return counted;
}

// Lines that are the same but for numbers, which have grown.
bool has_raised(std::string_view before, std::string_view after) {
  const NumberedLine was = numbers_on(before), is = numbers_on(after);
  if (was.line != is.line || was.numbers == is.numbers) return false;
  for (std::size_t i = 0; i < was.numbers.size(); ++i) {
    if (is.numbers[i] < was.numbers[i]) return false;
  }
  return true;
}

// A side's change, as lines; cheap, since only equal changes of both sides are looked for.
struct Change {
  LineRange lines;  // of the base
  std::string_view was, is;

  bool operator==(const Change& other) const {
    return lines.from == other.lines.from && lines.to == other.lines.to && is == other.is;
  }
};

std::vector<Change> changes_in(const TextLines& before, const TextLines& after) {
  std::vector<Change> changes;
  for (const LineHunk& hunk : rough_difference(before, after)) {
    changes.push_back({hunk.before, before.of(hunk.before), after.of(hunk.after)});
  }
  return changes;
}

// Each counted what it added, and neither what the other did.
Broken both_raised(const Sides<const Tree*>& sides) {
  const TextLines base(sides[kBase]->text());
  Sides<std::vector<Change>> changes;
  for (const Side side : {kLeft, kRight}) {
    changes[side] = changes_in(base, TextLines(sides[side]->text()));
  }
  Broken broken{"both sides raised a number alike, and each added something", {}};
  Sides<bool> adds = {false, false, false};
  for (const Side side : {kLeft, kRight}) {
    for (const Change& change : changes[side]) {
      const bool alike =
          std::ranges::find(changes[other(side)], change) != changes[other(side)].end();
      adds[side] = adds[side] || (change.is.size() > change.was.size() && !alike);
      if (side == kRight || !alike || !has_raised(change.was, change.is)) continue;
      const std::size_t at = base.start(change.lines.from);
      broken.places.push_back({kBase, at, at + change.was.size()});
    }
  }
  return !broken.places.empty() && adds[kLeft] && adds[kRight] ? broken : Broken{};
}

// --- a field of another type ---

std::map<std::string, const Node*> fields_in(const Tree& tree) {
  std::map<std::string, const Node*> fields;
  for (const Declared& each : tree.declarations()) {
    if (each.node->decl == "field") fields.emplace(each.path, each.node);
  }
  return fields;
}

// Its type, as far as the grammar says it.
std::string type_of_field(const Node& node) {
  const Node* type = kid_in(node, "type");
  return type == nullptr ? std::string() : squeeze(type->text);
}

// Each place where a value is given to something of that name: "name: 3" in a literal.
std::vector<const Node*> given_to(const Tree& tree, std::string_view name) {
  std::vector<const Node*> given;
  for (const Node* leaf : tree.leaves()) {
    if (leaf->text != name) continue;
    for (const Node* at = leaf; at != nullptr && at->text.size() < name.size() + 2;
         at = at->parent) {
      if (at->parent == nullptr || at->parent->decl != "key") continue;
      given.push_back(at->parent);
      break;
    }
  }
  return given;
}

Broken retyped_and_given(const Sides<const Tree*>& sides) {
  Sides<std::map<std::string, const Node*>> fields;
  for (std::size_t i = 0; i < 3; ++i) fields[i] = fields_in(*sides[i]);
  for (const auto& [path, was] : fields[kBase]) {
    for (const Side side : {kLeft, kRight}) {
      const auto now = fields[side].find(path), there = fields[other(side)].find(path);
      if (now == fields[side].end() || there == fields[other(side)].end()) continue;
      const std::string type = type_of_field(*was);
      if (type.empty() || type == type_of_field(*now->second)) continue;
      if (type != type_of_field(*there->second)) continue;
      const auto before = given_to(*sides[kBase], was->name);
      const auto after = given_to(*sides[other(side)], was->name);
      if (after.size() <= before.size()) continue;
      Broken broken{"one side gave '" + std::string(was->name.substr(0, 40)) +
                        "' another type, and the other gives it one more value of the old one",
                    {}};
      for (const Node* each : after) {
        broken.places.push_back(span_of_node(other(side), *sides[other(side)], *each));
      }
      return broken;
    }
  }
  return {};
}

// --- a path that was moved ---

// "a/b.c" as "a", "b", "c", with the sign before each.
std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (c == '/' || c == '.' || c == ':') parts.emplace_back();
    parts.back() += c;
  }
  return parts;
}

std::string joined(const std::vector<std::string>& parts, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += parts[i];
  return text;
}

using Modules = std::map<std::string, const Node*>;

// The imports of a file.
Modules modules_in(const Tree& tree) {
  Modules modules;
  for (const Declared& declared : tree.declarations()) {
    const Node& node = *declared.node;
    if (node.decl == "import") modules.emplace(std::string(node.name), &node);
  }
  return modules;
}

// The new beginning of each path that ends as an old one did, by the old beginning.
std::map<std::string, std::string> moved_paths(const Modules& before, const Modules& after) {
  std::map<std::string, std::string> moved;
  for (const auto& [was, node] : before) {
    if (after.contains(was)) continue;
    const auto old = parts_of(was);
    for (const auto& [is, other_node] : after) {
      if (before.contains(is)) continue;
      const auto fresh = parts_of(is);
      std::size_t same = 0;
      while (same < old.size() && same < fresh.size() &&
             old[old.size() - 1 - same] == fresh[fresh.size() - 1 - same]) {
        ++same;
      }
      if (same == 0 || same == old.size() || same == fresh.size()) continue;
      moved[joined(old, old.size() - same)] = joined(fresh, fresh.size() - same);
    }
  }
  return moved;
}

bool is_below(const std::string& path, const std::string& prefix) {
  return path.size() > prefix.size() && path.starts_with(prefix) &&
         (path[prefix.size()] == '/' || path[prefix.size()] == '.' || path[prefix.size()] == ':');
}

// A path without the signs of quotation around it.
std::string_view unquoted(std::string_view path) {
  constexpr std::string_view kQuotes = "\"'";
  if (!path.empty() && kQuotes.contains(path.front())) path.remove_prefix(1);
  if (!path.empty() && kQuotes.contains(path.back())) path.remove_suffix(1);
  return path;
}

// A path as it is told. The name of an import is its tokens without white space, where a keyword
// may stand first: "fromold" is "old", of `import`, which is one of them.
std::string shown(std::string_view path, const Node& import) {
  const std::string_view keyword = import.text.substr(0, import.text.find_first_of(" \t\r\n"));
  if (path.size() > keyword.size() && path.starts_with(keyword)) path.remove_prefix(keyword.size());
  return std::string(unquoted(path).substr(0, 60));
}

// "#types" of "types": the same with signs before it.
bool is_respelled(std::string_view prefix, std::string_view fresh) {
  prefix = unquoted(prefix);
  fresh = unquoted(fresh);
  return fresh.size() > prefix.size() && fresh.ends_with(prefix) &&
         std::ranges::none_of(fresh.substr(0, fresh.size() - prefix.size()), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
         });
}

// The new path of one side, "b/c", where the other put signs before its own: nothing that the base
// imports begins as it does, and the side does not import "b" itself.
bool is_of_old_spelling(const Sides<Modules>& modules, Side side, std::string_view path) {
  path = unquoted(path);
  const std::string_view first = path.substr(0, path.find('/'));
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-';
  };
  if (first.size() == path.size() || first.empty() || !std::ranges::all_of(first, is_plain)) {
    return false;
  }
  const auto rest_behind = [first](const auto& each) {
    const std::string_view known = unquoted(each.first);
    return known.starts_with(first) ? std::optional(known.substr(first.size())) : std::nullopt;
  };
  return std::ranges::none_of(modules[kBase],
                              [&](const auto& each) {
                                const auto rest = rest_behind(each);
                                return rest && (rest->empty() || !is_plain(rest->front()));
                              }) &&
         std::ranges::none_of(modules[side], [&](const auto& each) {
           const auto rest = rest_behind(each);
           return rest && rest->empty();
         });
}

Broken moved_and_used(const Sides<const Tree*>& sides) {
  Sides<Modules> modules;
  for (std::size_t i = 0; i < 3; ++i) modules[i] = modules_in(*sides[i]);
  for (const Side side : {kLeft, kRight}) {
    const Modules& there = modules[other(side)];
    for (const auto& [prefix, fresh] : moved_paths(modules[kBase], modules[side])) {
      const bool left_some = std::ranges::any_of(
          modules[side], [&](const auto& each) { return is_below(each.first, prefix); });
      if (left_some) continue;
      for (const auto& [path, node] : there) {
        if (modules[kBase].contains(path)) continue;
        const bool like =
            is_respelled(prefix, fresh) && is_of_old_spelling(modules, other(side), path);
        if (!is_below(path, prefix) && !like) continue;
        const std::string moved = "one side imports from '" + shown(fresh, *node) +
                                  "' what was at '" + shown(prefix, *node) +
                                  "', and the other imports ";
        return {moved + (like ? "from '" + shown(path, *node) + "'" : "more from there"),
                {span_of_node(other(side), *sides[other(side)], *node)}};
      }
    }
  }
  return {};
}

// --- an import that one side took away ---

// The names that imports bring into a file, and whether one brings what it does not say.
struct Brought {
  std::set<std::string> names;
  bool all = false;
};

Brought brought_in(const Tree& tree) {
  Brought brought;
  for (const Declared& declared : tree.declarations()) {
    const Node& node = *declared.node;
    if (node.decl != "import") continue;
    brought.all = brought.all || node.text.contains('*');
    for (std::string& name : brought_names(tree.language(), node)) {
      brought.names.insert(std::move(name));
    }
  }
  return brought;
}

bool is_import_of(const Node& leaf) {
  const Node* at = &leaf;
  while (at != nullptr && at->decl != "import") at = at->parent;
  return at != nullptr;
}

// Each place where code says the name, not as a member of something.
std::vector<const Node*> said_in(const Tree& tree, std::string_view name) {
  std::vector<const Node*> said;
  const auto& leaves = tree.leaves();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i]->text != name || is_import_of(*leaves[i])) continue;
    const bool member = i > 0 && is_any(leaves[i - 1]->text, {".", "?.", "->"});
    if (!member) said.push_back(leaves[i]);
  }
  return said;
}

// One side has no use for what an import brings, and the other has one more.
Broken dropped_and_used(const Sides<const Tree*>& sides) {
  Sides<Brought> brought;
  for (std::size_t i = 0; i < 3; ++i) brought[i] = brought_in(*sides[i]);
  for (const std::string& name : brought[kBase].names) {
    for (const Side side : {kLeft, kRight}) {
      const bool dropped = !brought[side].names.contains(name) && !brought[side].all;
      if (!dropped || !brought[other(side)].names.contains(name)) continue;
      if (!said_in(*sides[side], name).empty()) continue;
      const auto uses = said_in(*sides[other(side)], name);
      if (uses.size() <= said_in(*sides[kBase], name).size()) continue;
      Broken broken{
          "one side removed the import of '" + name.substr(0, 40) + "', the other uses it anew",
          {}};
      for (const Node* each : uses) {
        broken.places.push_back(span_of_node(other(side), *sides[other(side)], *each));
      }
      return broken;
    }
  }
  return {};
}

// --- a declaration that one side took away ---

// What a file declares at its top, by name.
std::set<std::string_view> declared_in(const Tree& tree) {
  std::set<std::string_view> names;
  for (const Declared& each : tree.declarations()) {
    const bool own = is_function(each.node->decl) ||
                     is_any(each.node->decl, {"type", "constant", "variable", "macro"});
    if (own && !each.path.contains('/')) names.insert(each.node->name);
  }
  return names;
}

// One side took away what the file declares and says it nowhere, and the other uses it once more.
// Only where a file does not see what another one declares without importing it.
Broken undeclared_and_used(const Sides<const Tree*>& sides) {
  const std::string_view language = sides[kBase]->language().name;
  if (!is_any(language, {"python", "javascript", "typescript", "tsx", "rust"})) return {};
  const Sides<std::set<std::string_view>> names = {
      declared_in(*sides[kBase]), declared_in(*sides[kLeft]), declared_in(*sides[kRight])};
  for (const Side side : {kLeft, kRight}) {
    const Brought brought = brought_in(*sides[side]);
    if (brought.all) continue;
    for (const std::string_view name : names[kBase]) {
      const bool dropped =
          !names[side].contains(name) && !brought.names.contains(std::string(name));
      if (!dropped || !names[other(side)].contains(name)) continue;
      if (!said_in(*sides[side], name).empty()) continue;
      const auto uses = said_in(*sides[other(side)], name);
      if (uses.size() <= said_in(*sides[kBase], name).size()) continue;
      Broken broken{
          "one side removed '" + std::string(name.substr(0, 40)) + "', the other uses it anew", {}};
      for (const Node* each : uses) {
        broken.places.push_back(span_of_node(other(side), *sides[other(side)], *each));
      }
      return broken;
    }
  }
  return {};
}

}  // namespace

Broken brought_in_twice(const Sides<const Tree*>& sides) {
  Broken broken = both_bind(sides);
  if (broken.why.empty()) broken = both_number(sides);
  if (broken.why.empty()) broken = rows_that_differ_in_length(sides);
  if (broken.why.empty()) broken = both_raised(sides);
  if (broken.why.empty()) broken = retyped_and_given(sides);
  if (broken.why.empty()) broken = moved_and_used(sides);
  if (broken.why.empty()) broken = dropped_and_used(sides);
  if (broken.why.empty()) broken = undeclared_and_used(sides);
  return broken.why.empty() ? called_as_before(sides) : broken;
}

}  // namespace gittxn::semantic
