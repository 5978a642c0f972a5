#include "semantic/compare/attributes.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/text.h"
#include "semantic/compare/bound.h"
#include "semantic/compare/given_keys.h"
#include "semantic/compare/outcomes.h"
#include "semantic/kinds.h"
#include "semantic/symbols/more_reads.h"

namespace gittxn::semantic {
namespace {

using AttributeNames = std::set<std::string, std::less<>>;

// A class, or in JavaScript a function that makes objects; in a script, what is or gives an object.
struct Attributed {
  std::string type;
  std::vector<std::string> bases;
  AttributeNames attributes;  // that methods give
  AttributeNames members;     // that are declared
  AttributeNames properties;  // those of them that are used as attributes are
  GivenKeys keys;
  Outcomes outcomes;
};
using AttributedById = std::map<std::string, Attributed, std::less<>>;

// The value that a method gives attributes to, by the name that it has there; empty: it is none.
std::string_view own_value(const Outline& outline, const Outlined& method) {
  if (outline.language->name == "javascript") return "this";
  constexpr auto kContract = static_cast<std::size_t>(Capability::kContract);
  if (has_word(method.code[kContract], "staticmethod")) return {};
  for (const std::uint32_t token : method.units.front().tokens) {
    const Node& leaf = *outline.tree->leaves()[token];
    if (leaf.says == Fact::kParameter) return leaf.text;
  }
  return {};
}

// A function in JavaScript has a `this` of its own, unless it is an arrow.
bool has_own_this(const Node& node) {
  return is_any(node.kind, {"function_expression", "function_declaration", "generator_function",
                            "generator_function_declaration", "class_body"});
}

// The member is given a value there, in a function or method at `top`.
bool is_assigned(const Node& member, const Node& top, bool script) {
  const Node* at = &member;
  while (at->parent != nullptr && is_any(at->parent->kind, {"pattern_list", "tuple_pattern"})) {
    at = at->parent;
  }
  const bool given = at->parent != nullptr && at->field == "left" &&
                     is_any(at->parent->kind, {"assignment", "assignment_expression"});
  if (!given || !script) return given;
  for (const Node* up = at->parent; up != nullptr && up != &top; up = up->parent) {
    if (has_own_this(*up) && up->parent != &top) return false;
  }
  return true;
}

void add_given(const Outline& outline, const Outlined& method, AttributeNames* names) {
  const std::string_view own = own_value(outline, method);
  if (own.empty() || method.opaque || method.nodes.empty()) return;
  const auto& leaves = outline.tree->leaves();
  const bool script = outline.language->name == "javascript";
  for (const Unit& unit : method.units) {
    for (const std::uint32_t token : unit.tokens) {
      if (token + 2 >= leaves.size() || leaves[token]->text != own) continue;
      const Node& name = *leaves[token + 2];
      const Node* member = name.parent;
      const bool is_member = leaves[token + 1]->text == "." && member != nullptr &&
                             member == leaves[token]->parent &&
                             is_any(member->kind, {"attribute", "member_expression"});
      if (!is_member || !is_identifier(name.text)) continue;
      if (is_assigned(*member, *method.nodes.back(), script)) names->emplace(name.text);
    }
  }
}

// A method that is used without being called.
bool is_property(const Outline& outline, const Outlined& method) {
  if (method.units.front().tokens.empty()) return false;
  if (outline.language->name == "javascript") {
    return outline.tree->leaves()[method.units.front().tokens.front()]->text == "get";
  }
  const std::string& contract = method.code[static_cast<std::size_t>(Capability::kContract)];
  return has_word(contract, "property") || has_word(contract, "cached_property");
}

// Makes objects when it is called with `new`.
bool makes_objects(const Outlined& symbol) {
  return symbol.parent == 0 && symbol.kind == "function" && !symbol.name.empty() &&
         symbol.name[0] >= 'A' && symbol.name[0] <= 'Z';
}

// The last name of `exports.routes`; empty: it is all that the module gives.
std::string given_name(const Outlined& symbol) {
  const std::string name = symbol.name.substr(symbol.name.rfind('.') + 1);
  return name == "exports" ? std::string() : name;
}

void add_keys(const Outline& outline, const Outlined& symbol, AttributedById* classes) {
  if (!is_function(symbol.kind) && symbol.kind != "variable") return;
  const std::string name = given_name(symbol);
  if (name.empty()) return;
  Attributed& made = (*classes)[symbol.id];
  made.type = name;
  made.keys = given_keys(outline, symbol);
  made.outcomes = outcomes_of(outline, symbol);
}

AttributedById attributed_in(const Outline& outline) {
  AttributedById classes;
  if (outline.tree == nullptr || outline.language == nullptr) return classes;
  const std::string_view language = outline.language->name;
  const bool script = is_any(language, {"javascript", "typescript", "tsx"});
  if (!script && language != "python") return classes;
  for (const Outlined& symbol : outline.symbols) {
    add_keys(outline, symbol, &classes);
    if (language.starts_with("t")) continue;
    const bool function = language == "javascript" && makes_objects(symbol);
    if (function) {
      Attributed& made = classes[symbol.id];
      made.type = symbol.name;
      add_given(outline, symbol, &made.attributes);
    }
    const Outlined& around = outline.symbols[symbol.parent];
    if (around.kind != "type" || around.opaque || symbol.container != around.id) continue;
    Attributed& in = classes[around.id];
    in.type = around.name;
    if (in.bases.empty()) in.bases = bases_of(outline, around);
    in.members.insert(symbol.defines.begin(), symbol.defines.end());
    if (!is_function(symbol.kind)) continue;
    add_given(outline, symbol, &in.attributes);
    if (is_property(outline, symbol)) {
      in.properties.insert(symbol.defines.begin(), symbol.defines.end());
    }
  }
  for (auto& [id, in] : classes) {
    for (const std::string& member : in.members) in.attributes.erase(member);
  }
  return classes;
}

const Attributed& found_in(const AttributedById& classes, std::string_view id) {
  static const Attributed kNone;
  const auto found = classes.find(id);
  return found == classes.end() ? kNone : found->second;
}

// Those of `a` that a class with `b` does not have in any way.
std::vector<std::string> missing_in(const Attributed& b, const Attributed& a) {
  std::vector<std::string> names;
  for (const std::string& name : a.attributes) {
    if (!b.attributes.contains(name) && !b.members.contains(name)) names.push_back(name);
  }
  return names;
}

class Attributes {
 public:
  Attributes(const Outlines& pair, Footprint* out)
      : path_(pair.after.path),
        after_of_(pair.after),
        events_before_(events_of(pair.before)),
        before_(attributed_in(pair.before)),
        after_(attributed_in(pair.after)),
        out_(*out) {
    const Language* language = pair.after.language;
    if (language == nullptr) language = pair.before.language;
    if (language != nullptr) language_ = language->name;
  }

  void run() {
    std::set<std::pair<std::string_view, std::string_view>> counted;
    std::set<std::string> ids;
    Definitions of_file = *out_.definitions.front();
    for (const AttributedById* side : {&before_, &after_}) {
      for (const auto& [id, in] : *side) {
        ids.insert(id);
        for (const std::string& name : in.attributes) {
          const bool declared = found_in(before_, id).members.contains(name) ||
                                found_in(after_, id).members.contains(name);
          if (!declared && counted.emplace(id, name).second) count_one(name, &of_file);
        }
      }
    }
    if (!counted.empty()) {
      out_.definitions.front() = std::make_shared<const Definitions>(std::move(of_file));
    }
    for (Write& write : out_.writes) note_property(&write);
    for (const std::string& id : ids) compare(id);
    for (const auto& [event, owner] : gone_events(events_before_, events_of(after_of_))) {
      const std::string name = outcome_name(event, kHeard);
      add_key(path_ + "/", owner, name, Change::kRemoved).defines = {name};
    }
  }

 private:
  static void count_one(const std::string& name, Definitions* of_file) {
    const auto at = std::ranges::lower_bound(*of_file, name, {}, &Definitions::value_type::first);
    if (at != of_file->end() && at->first == name) {
      ++at->second;
    } else {
      of_file->emplace(at, name, 1);
    }
  }

  // A property that became an attribute is used as it was.
  void note_property(Write* gone) const {
    if (gone->change != Change::kRemoved || gone->defines.size() != 1) return;
    const std::string& name = gone->defines.front();
    if (!found_in(before_, gone->container).properties.contains(name)) return;
    if (found_in(after_, gone->container).attributes.contains(name)) gone->takes_more = true;
  }

  void compare(const std::string& id) {
    const Attributed &was = found_in(before_, id), &is = found_in(after_, id);
    const std::vector<std::string> gone = missing_in(is, was), fresh = missing_in(was, is);
    const bool renamed = gone.size() == 1 && fresh.size() == 1;
    compare_keys(id, was, is);
    for (const std::string& outcome : gone_outcomes(was.outcomes, is.outcomes, after_of_)) {
      const std::string name = outcome_name(was.type, outcome);
      add_key(id, was.type, name, Change::kRemoved).defines = {name};
    }
    for (const std::string& name : gone) {
      Write& write = add(id, was.type, name, Change::kRemoved);
      if (renamed) write.renamed_to = id_of(id, fresh.front());
      write.with_type = renamed_type(name);
      write.bases = is.bases;
    }
    for (const std::string& name : fresh) {
      Write& write = add(id, is.type, name, Change::kAdded);
      if (renamed) write.renamed_from = id_of(id, gone.front());
    }
  }

  // A key is gone where its object is there still and mentions it nowhere. In Python keys are no
  // members, and what is given with no key any more may come from elsewhere.
  void compare_keys(const std::string& id, const Attributed& was, const Attributed& is) {
    const bool there = after_.contains(id) && (language_ != "python" || !is.keys.given.empty());
    for (const std::string& name : was.keys.given) {
      if (there && !is.keys.mentioned.contains(name)) add_key(id, was.type, name, Change::kRemoved);
    }
    for (const std::string& name : is.keys.given) {
      if (!was.keys.mentioned.contains(name)) add_key(id, is.type, name, Change::kAdded);
    }
  }

  // A key is apart from the view of it, and changes with the value that it is in.
  Write& add_key(const std::string& id, const std::string& type, const std::string& name,
                 Change change) {
    const bool member = language_ != "python";
    Write& write = add(id, type, member ? name : key_name(name), change);
    write.symbol = id + descriptor("attribute", "{" + name + "}", {});
    write.container = path_ + "/";
    write.kind = "given";
    return write;
  }

  static std::string id_of(const std::string& container, const std::string& name) {
    return container + descriptor("attribute", name, {});
  }

  // A class that is new and has the attribute, too.
  std::string renamed_type(const std::string& name) const {
    for (const auto& [id, in] : after_) {
      if (!before_.contains(id) && in.attributes.contains(name)) return in.type;
    }
    return {};
  }

  Write& add(const std::string& container, const std::string& type, const std::string& name,
             Change change) {
    Write& write = out_.writes.emplace_back();
    write.symbol = id_of(container, name);
    write.container = container;
    write.path = path_;
    write.language = language_;
    write.kind = "attribute";
    write.defines = {name};
    write.change = change;
    write.what.of.fill(1);
    write.of_type = type;
    write.member = true;
    (change == Change::kAdded ? write.after : write.before) = sha256(name);
    return write;
  }

  std::string path_, language_;
  const Outline& after_of_;
  Events events_before_;
  AttributedById before_, after_;
  Footprint& out_;
};

}  // namespace

void add_attributes(const Outlines& pair, Footprint* footprint) {
  Attributes(pair, footprint).run();
}

}  // namespace gittxn::semantic
