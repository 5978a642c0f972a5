#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "semantic/kinds.h"
#include "semantic/names.h"
#include "semantic/symbols/imports.h"
#include "semantic/symbols/outline.h"

namespace gittxn::semantic {
namespace {

// A comment as its words: where its lines break is layout.
std::string words_in(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space) out += c;
    if (space && !out.empty() && out.back() != ' ') out += ' ';
  }
  return out;
}

struct OutlinePlace {
  std::size_t symbol = 0;
  Capability capability = Capability::kSignature;
  std::size_t unit = 0;
  bool open = false;   // declarations here are symbols
  bool loose = false;  // in a loose statement
  std::string branch;  // lists between the container and here
};

// What stands before the next member and belongs to it.
struct Lead {
  std::vector<const Node*> comments;
  std::vector<const Node*> attributes;
  const char* begin = nullptr;
};

class Outliner {
 public:
  Outliner(Outline* outline, const std::unordered_set<const Node*>& opaque)
      : out_(*outline), tree_(*outline->tree), opaque_(opaque) {}

  std::vector<Misfit> run() {
    Outlined& file = out_.symbols.emplace_back();
    file.id = out_.path + "/";
    file.kind = "file";
    file.extents = {{0, tree_.text().size()}};
    file.nodes = {&tree_.root()};
    file.units.emplace_back();
    const Node& root = tree_.root();
    OutlinePlace at;
    at.capability = Capability::kBody;
    at.open = true;
    if (root.role == Role::kMembers) {
      members(root, at);
    } else if (is_data(tree_.language())) {
      note_error(root, 0);
      data(root, at);
    } else {
      walk(root, at);
    }
    return std::move(errors_);
  }

 private:
  Outlined& symbol(const OutlinePlace& at) { return out_.symbols[at.symbol]; }

  void note_error(const Node& node, std::size_t where) {
    if (!node.error) return;
    const bool below = std::ranges::any_of(node.kids, [](const Node* kid) { return kid->error; });
    if (!below || node.wrong) errors_.push_back({where, kid_});
  }

  void remark(const Node& comment, std::size_t where, Fact as) {
    const std::string words = words_in(comment.text);
    Outlined& of = out_.symbols[where];
    put_code(&of.remarks, '#', {}, words);
    const bool doc = as == Fact::kDoc && has_contract(tree_.language(), of.kind, of.nodes[0]->text);
    if (doc) put_code(&of.docs, '#', {}, words);
  }

  // All code goes through here; `nameless` is what it is without the name.
  void put(const OutlinePlace& at, char sign, std::string_view kind, std::string_view text,
           std::string_view nameless) {
    Outlined& owner = symbol(at);
    put_code(&owner.code[static_cast<std::size_t>(at.capability)], sign, kind, text);
    if (at.capability == Capability::kSignature) put_code(&owner.nameless, sign, kind, nameless);
    if (at.unit > 0) put_code(&owner.units[at.unit].code, sign, kind, text);
  }

  // Every token goes through here, so that none is in two places or in none.
  void emit(const Node& node, const OutlinePlace& at, std::string_view text) {
    put(at, '"', node.kind, text, node.is_name ? std::string_view() : text);
    count_tokens(node, &symbol(at).units[at.unit]);
  }

  void bracket(const Node& node, const OutlinePlace& at, char sign) {
    put(at, sign, sign == '(' ? node.kind : std::string_view(), {}, {});
  }

  std::size_t new_unit(std::size_t where, const OutlinePlace& at) {
    std::vector<Unit>& units = out_.symbols[where].units;
    units.emplace_back().loose = at.loose;
    return units.size() - 1;
  }

  void walk(const Node& node, const OutlinePlace& at) {
    note_error(node, at.symbol);
    if (node.comment) return remark(node, at.symbol, Fact::kNone);
    if (node.part == Fact::kDoc) return doc(node, at);
    if (at.open && (node.decl == "imports" || is_group(node))) return members(node, at);
    if (at.open && !node.decl.empty() && !is_wrapped(node)) {
      enter(node, at, {});
      return;
    }
    inside(node, at);
  }

  // As walk, when the node itself has been dealt with.
  void inside(const Node& node, OutlinePlace at) {
    const bool switches = is_part(node.part) && at.capability != Capability::kBody;
    if (switches) at.capability = capability_of(node.part);
    if (at.open && node.role == Role::kMembers && !node.kids.empty()) return members(node, at);
    if (symbol(at).kind == "import" && node.role == Role::kSet) return imported(node, at);
    note_names(node, at);
    if (node.kids.empty()) return emit(node, at, node.text);
    // White space in markup counts.
    if (node.kind.starts_with("jsx_")) return emit(node, at, node.text);
    if (switches && at.capability == Capability::kBody) return body(node, at);
    // That something is decorated or exported is in the tokens for it.
    const bool wraps = std::ranges::any_of(
        node.kids, [](const Node* kid) { return !kid->decl.empty() && is_wrapped(*kid); });
    if (!wraps) bracket(node, at, '(');
    for (const Node* kid : node.kids) walk(*kid, at);
    if (!wraps) bracket(node, at, ')');
  }

  // Names for others that no symbol of their own stands for.
  void note_names(const Node& node, const OutlinePlace& at) {
    std::vector<std::string>& defines =
        at.unit > 0 ? symbol(at).units[at.unit].defines : symbol(at).defines;
    const bool shell = tree_.language().name == "bash" && !tree_.is_local(node);
    const bool given = at.unit == 0 || at.loose || shell;
    const bool other =
        node.says == Fact::kLocal && at.unit == 0 && is_any(symbol(at).kind, {"variable", "field"});
    if (node.says == Fact::kDefine || (node.says == Fact::kMember && given) || other) {
      for (const std::string_view word : words_of(node.text)) defines.emplace_back(word);
    }
    const bool hidden = at.loose || at.capability != Capability::kBody;
    if (!hidden || node.decl.empty() || at.open || is_data(tree_.language())) return;
    if (node.decl == "import" || node.decl == "package") return;
    // A key in a decorator is the decorator's.
    if (node.decl == "key" && is_function(symbol(at).kind)) return;
    if (!symbol(at).nodes.empty() && symbol(at).nodes.back() == &node) return;
    for (const std::string_view word : words_of(node.name)) defines.emplace_back(word);
  }

  void body(const Node& node, OutlinePlace at) {
    if (!is_block(node)) {
      at.unit = new_unit(at.symbol, at);
      bracket(node, at, '(');
      for (const Node* kid : node.kids) walk(*kid, at);
      return bracket(node, at, ')');
    }
    bracket(node, at, '(');
    for (const Node* kid : node.kids) {
      const bool same = kid->kind == "statement_list" || node.kind == "function_body";
      if (is_block(*kid) && same && !kid->kids.empty()) {
        body(*kid, at);
        continue;
      }
      OutlinePlace statement = at;
      statement.unit = new_unit(at.symbol, at);
      walk(*kid, statement);
    }
    bracket(node, at, ')');
  }

  void doc(const Node& node, const OutlinePlace& at) {
    remark(node, at.symbol, Fact::kDoc);
    put_code(&symbol(at).strings, '"', {}, node.text);
    count_tokens(node, &symbol(at).units[0]);
  }

  static bool is_trailing(const Node* before, const Node& comment) {
    if (before == nullptr) return false;
    const char* end = before->text.data() + before->text.size();
    return std::memchr(end, '\n', static_cast<std::size_t>(comment.text.data() - end)) == nullptr;
  }

  // The children of a list of declarations.
  void members(const Node& node, const OutlinePlace& at) {
    Lead lead;
    const Node* before = nullptr;   // the last one that was no comment
    std::size_t owner = at.symbol;  // of it
    section_.clear();
    note_error(node, at.symbol);
    const bool group = node.decl == "imports" || node.kind == "import_spec_list" || is_group(node);
    const Node* around = kid_;
    for (const Node* kid : node.kids) {
      kid_ = kid;
      if (kid->comment && is_trailing(before, *kid)) {
        remark(*kid, owner, owner == at.symbol ? Fact::kNone : Fact::kDoc);
      } else if (kid->comment || kid->role == Role::kPrefix) {
        if (lead.begin == nullptr) lead.begin = kid->text.data();
        (kid->comment ? lead.comments : lead.attributes).push_back(kid);
      } else {
        owner = member({node, group}, *kid, at, &lead);
        before = kid;
      }
    }
    kid_ = around;
    for (const Node* comment : lead.comments) remark(*comment, at.symbol, Fact::kNone);
    for (const Node* attribute : lead.attributes) loose(*attribute, at);
  }

  struct List {
    const Node& node;
    bool group = false;  // of declarations that stand for themselves: no code but theirs
  };

  // One child of a list; the symbol that it is or belongs to.
  std::size_t member(const List& list, const Node& node, const OutlinePlace& at, Lead* lead) {
    if (node.decl == "imports") {
      members(node, at);
      return at.symbol;
    }
    if (guards_file(node)) {
      for (const Node* comment : std::exchange(*lead, {}).comments) {
        remark(*comment, at.symbol, Fact::kNone);
      }
      members(node, at);
      return at.symbol;
    }
    const bool declared =
        !node.decl.empty() && node.decl != "package" && !is_wrapped(node) && !is_group(node);
    if (declared || opaque_.contains(&node)) return enter(node, at, std::exchange(*lead, {}));
    if (is_section(node)) section_ = node.text;
    if (node.part == Fact::kDoc) {
      doc(node, at);
      return at.symbol;
    }
    const bool separator =
        !node.named && (node.text.find_first_of("{}()[]") == std::string::npos || list.group);
    const bool head = !list.node.decl.empty() && !list.group &&
                      (node.is_name || !node.field.empty() || separator) &&
                      node.role != Role::kMembers;
    if (head && !is_wrapped(node)) {
      OutlinePlace in_head = at;
      in_head.open = false;
      const bool guards = list.node.decl == "guard" && !guards_file(list.node);
      if (guards) in_head.capability = Capability::kBuild;
      note_error(node, at.symbol);
      inside(node, in_head);
      return at.symbol;
    }
    if (separator || is_section(node)) {
      note_error(node, at.symbol);
      count_tokens(node, &symbol(at).units[0]);
      symbol(at).entries.push_back({std::string(node.text), true, false});
      return at.symbol;
    }
    for (const Node* comment : std::exchange(lead->comments, {})) {
      remark(*comment, at.symbol, Fact::kNone);
    }
    for (const Node* attribute : std::exchange(lead->attributes, {})) loose(*attribute, at);
    lead->begin = nullptr;
    if (node.role == Role::kMembers || is_wrapped(node) || holds_members(node)) {
      OutlinePlace branch = at;
      branch.branch += std::string(node.kind) + "/";
      const std::string section = section_;
      walk(node, branch);
      section_ = section;
      return at.symbol;
    }
    loose(node, at);
    return at.symbol;
  }

  static void count_tokens(const Node& node, Unit* unit) {
    for (std::uint32_t i = 0; i < node.leaves; ++i) unit->tokens.push_back(node.leaf + i);
  }

  void loose(const Node& node, OutlinePlace at) {
    at.open = false;
    if (node.decl == "package") {
      at.capability = Capability::kSignature;
    } else if (node.named) {
      at.loose = true;
      at.capability = Capability::kBody;
      at.unit = new_unit(at.symbol, at);
      symbol(at).runs = true;
    }
    walk(node, at);
    if (at.unit == 0) return;
    symbol(at).entries.push_back({symbol(at).units[at.unit].code, true, false});
  }

  // The names of an import are symbols of their own, so that two sides may add one each.
  void imported(const Node& node, const OutlinePlace& at) {
    std::size_t first = 0;
    while (first < node.kids.size() && node.kids[first]->text != "import") ++first;
    if (first == node.kids.size()) first = 0;
    for (std::size_t i = 0; i < node.kids.size(); ++i) {
      const Node& kid = *node.kids[i];
      note_error(kid, at.symbol);
      if (kid.comment) {
        remark(kid, at.symbol, Fact::kNone);
      } else if (!kid.named && is_any(kid.text, {",", "(", ")", ";"})) {
        count_tokens(kid, &symbol(at).units[0]);
      } else if (i > first && kid.named && kid.field != "module_name") {
        import_name(kid, at);
      } else {
        inside(kid, at);
      }
    }
  }

  void import_name(const Node& node, const OutlinePlace& at) {
    const std::size_t index = find_or_add(node, "import", squeeze(node.text), {}, at);
    bound_by(tree_.language(), node, &out_.symbols[index].defines);
    if (node.text == "self")
      bound_by(tree_.language(), *node.parent->parent, &out_.symbols[index].defines);
    out_.symbols[index].feeds_all = imports_all(tree_.language(), node);
    OutlinePlace name = at;
    name.symbol = index;
    name.unit = 0;
    name.open = false;
    name.capability = Capability::kBuild;
    bracket(node, name, '(');
    inside(node, name);
    bracket(node, name, ')');
  }

  std::size_t find_or_add(const Node& node, std::string_view kind, std::string_view name,
                          std::string_view detail, const OutlinePlace& at) {
    const std::string id = symbol(at).id + descriptor(kind, name, detail);
    const auto [found, added] = index_.try_emplace(id, out_.symbols.size());
    if (added) {
      Outlined& made = out_.symbols.emplace_back();
      made.id = id;
      made.container = symbol(at).id;
      made.kind = kind;
      made.name = name;
      made.parent = at.symbol;
      made.member = is_any(symbol(at).kind, {"type", "impl", "field"}) ||
                    (symbol(at).kind == "variable" && kind == "field");
      made.ordered = is_ordered(tree_.language(), kind, made.member ? Owner::kType : Owner::kNone);
      made.units.emplace_back();
    }
    Outlined& there = out_.symbols[found->second];
    there.nodes.push_back(&node);
    const auto begin = static_cast<std::size_t>(node.text.data() - tree_.text().data());
    there.extents.push_back({begin, begin + node.text.size()});
    symbol(at).entries.push_back({id, there.ordered, true});
    return found->second;
  }

  std::size_t enter(const Node& node, const OutlinePlace& at, const Lead& lead) {
    const bool merged = node.decl == "element";  // which one of them a key is in would be lost
    const bool unread = node.decl.empty();       // it did not parse
    const bool by_text = unread || (node.decl == "import" && node.name.empty());
    const std::string name = by_text ? squeeze(node.text.substr(0, unread ? 80 : node.text.npos))
                                     : std::string(node.name);
    const std::string_view kind = unread ? std::string_view("unknown") : node.decl;
    const std::size_t index = find_or_add(
        node, kind, name, is_data_kind(node.decl) ? std::string_view() : node.detail, at);
    Outlined& made = out_.symbols[index];
    if (lead.begin != nullptr) {
      made.extents.back().begin = static_cast<std::size_t>(lead.begin - tree_.text().data());
    }
    given_by(tree_.language(), node, &made.defines);
    if (node.decl == "import") made.feeds_all = imports_all(tree_.language(), node);
    if (opaque_.contains(&node)) return seal(node, index);
    OutlinePlace in = at;
    in.symbol = index;
    in.unit = 0;
    in.loose = false;
    in.open = is_container(node) && !merged && node.decl != "import";
    in.branch.clear();
    in.capability = is_data_kind(node.decl) ? Capability::kBody
                    : node.decl == "import" ? Capability::kBuild
                                            : Capability::kSignature;
    surroundings(at, index);
    for (const Node* comment : lead.comments) remark(*comment, index, Fact::kDoc);
    for (const Node* attribute : lead.attributes) {
      OutlinePlace before = in;
      before.open = false;
      before.capability = attribute->kind == "attribute_specifier" ? Capability::kSignature
                          : attribute->text.contains("cfg")        ? Capability::kBuild
                                                                   : Capability::kContract;
      walk(*attribute, before);
    }
    for (std::string& part : made.code) {
      if (!part.empty()) part += '|';  // the parts of a symbol
    }
    const std::string section = std::exchange(section_, {});
    note_error(node, index);
    if (is_data_kind(node.decl) && node.role != Role::kMembers) {
      data(node, in);
    } else {
      inside(node, in);
    }
    section_ = section;
    finish(index);
    return index;
  }

  // The value of a key may be a mapping, whose keys are symbols; a list is one value.
  void data(const Node& node, const OutlinePlace& at) {
    note_names(node, at);
    if (node.kids.empty()) return emit(node, at, node.text);
    // Several documents in one file may have the same keys.
    const bool list =
        is_any(node.kind, {"array", "block_sequence", "flow_sequence"}) ||
        (node.kind == "stream" &&
         std::ranges::count(node.kids, std::string_view("document"), &Node::kind) > 1);
    OutlinePlace in = at;
    in.open = at.open && !list;
    bracket(node, in, '(');
    for (const Node* kid : node.kids) {
      note_error(*kid, at.symbol);
      if (kid->comment) {
        remark(*kid, at.symbol, Fact::kNone);
      } else if (in.open && kid->role == Role::kMembers) {
        members(*kid, in);
      } else {
        data(*kid, in);
      }
    }
    bracket(node, in, ')');
  }

  // What is no token of a declaration and yet part of what it is.
  void surroundings(const OutlinePlace& at, std::size_t index) {
    Outlined& made = out_.symbols[index];
    auto& build = made.code[static_cast<std::size_t>(Capability::kBuild)];
    auto& visibility = made.code[static_cast<std::size_t>(Capability::kVisibility)];
    if (!at.branch.empty() && at.branch.contains("else")) {
      put_code(&build, '/', {}, at.branch);
    }
    const Outlined& container = symbol(at);
    if (container.nodes.size() > 1 && (container.kind == "type" || is_data_kind(container.kind))) {
      put_code(&build, 'p', {}, std::to_string(container.nodes.size()));
    }
    if (!section_.empty()) put_code(&visibility, 's', {}, section_);
  }

  void finish(std::size_t index) {
    Outlined& made = out_.symbols[index];
    std::ranges::sort(made.defines);
    made.defines.erase(std::unique(made.defines.begin(), made.defines.end()), made.defines.end());
    // Run where they stand, one after the other.
    if (made.kind == "import" && tree_.language().name == "bash") made.runs = true;
    if (!is_any(made.kind, {"variable", "field", "constant"})) return;
    made.runs = computes(made.code[static_cast<std::size_t>(Capability::kBody)]);
  }

  std::size_t seal(const Node& node, std::size_t index) {
    Outlined& made = out_.symbols[index];
    made.opaque = true;
    if (node.wrong && !node.decl.empty())
      errors_.push_back({index, kid_});  // where it stands, not only what is in it
    count_tokens(node, &made.units[0]);
    finish(index);
    return index;
  }

  Outline& out_;
  const Tree& tree_;
  const std::unordered_set<const Node*>& opaque_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<Misfit> errors_;
  const Node* kid_ = nullptr;  // of the innermost list
  std::string section_;        // "private" and the like, of the list that is walked
};

}  // namespace

void put_code(std::string* out, char sign, std::string_view kind, std::string_view text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  std::array<char, 4> length{};
  for (std::size_t i = 0; i < length.size(); ++i) {
    length[i] = static_cast<char>((size >> (8 * i)) & 0xff);
  }
  *out += sign;
  *out += kind;
  *out += '\0';
  out->append(length.data(), length.size());
  *out += text;
}

std::vector<Misfit> outline_tree(Outline* outline, const std::unordered_set<const Node*>& opaque) {
  return Outliner(outline, opaque).run();
}

}  // namespace gittxn::semantic
