// The footprint of one changed file: its symbols before and after, compared one by one.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/bug.h"
#include "base/hash.h"
#include "base/text.h"
#include "semantic/compare/attributes.h"
#include "semantic/compare/bound.h"
#include "semantic/compare/renames.h"
#include "semantic/footprint.h"
#include "semantic/kinds.h"
#include "semantic/symbols/imports.h"
#include "semantic/symbols/linkage.h"
#include "semantic/symbols/more_reads.h"
#include "semantic/symbols/outline.h"
#include "semantic/symbols/signatures.h"
#include "semantic/symbols/words_in_c.h"

namespace gittxn::semantic {
namespace {

using ById = std::unordered_map<std::string_view, const Outlined*>;
ById by_id(const Outline& outline) {
  ById symbols;
  for (const Outlined& symbol : outline.symbols) symbols[symbol.id] = &symbol;
  return symbols;
}

// What a reader of prose takes for code: in `back quotes`, or with a parenthesis behind it.
std::vector<std::string_view> code_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (const std::string_view word : words_of(line)) {
    const auto begin = static_cast<std::size_t>(word.data() - line.data());
    const bool call = begin + word.size() < line.size() && line[begin + word.size()] == '(';
    const auto quotes =
        std::count(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(begin), '`');
    if (call || quotes % 2 == 1) words.push_back(word);
  }
  return words;
}

// The words that differ between two versions of a file that cannot be looked into as code: in lines
// that one of the two does not have; of prose only what stands there as code; of binary files none.
// Views into `change`.
std::set<std::string_view> changed_words(const FileChange& change) {
  std::unordered_map<std::string_view, int> count;
  std::set<std::string_view> words;
  for (const auto& [text, one] : {std::pair(&change.before, 1), std::pair(&change.after, -1)}) {
    if (!*text) continue;
    if ((*text)->contains('\0')) return {};
    for (const std::string_view line : lines_of(**text)) count[line] += one;
  }
  const bool prose = is_prose(change.path);
  for (const auto& [line, times] : count) {
    if (times == 0) continue;
    const auto found = prose && line.size() < 10'000 ? code_words(line) : words_of(line);
    words.insert(found.begin(), found.end());
  }
  return words;
}

class FileFootprint {
 public:
  FileFootprint(const FileChange& change, const Outlines& pair, Footprint* out)
      : change_(change),
        pair_(pair),
        before_(by_id(pair.before)),
        after_(by_id(pair.after)),
        out_(*out) {}

  void run() {
    const bool opaque = (!pair_.before.symbols.empty() && pair_.before.opaque()) ||
                        (!pair_.after.symbols.empty() && pair_.after.opaque());
    if (opaque) return whole_file();
    count_definitions();
    out_.bound = bound_in(pair_.after);
    note_places();
    for (const Outlined& symbol : pair_.before.symbols) {
      const auto now = after_.find(symbol.id);
      compare(&symbol, now == after_.end() ? nullptr : now->second);
    }
    for (const Outlined& symbol : pair_.after.symbols) {
      if (!before_.contains(symbol.id)) compare(nullptr, &symbol);
    }
    find_renames(pair_, &out_);
    add_attributes(pair_, &out_);
    find_moves();
  }

 private:
  // --- a file that could not be looked into ---

  void whole_file() {
    const std::set<std::string_view> words = changed_words(change_);
    const bool prose = is_prose(change_.path);
    Write write;
    write.symbol = change_.path + "/";
    write.path = change_.path;
    write.language = language();
    write.kind = "file";
    write.opaque = true;
    write.never_parsed = !pair_.before.symbols.empty() && pair_.before.opaque();
    write.change = !change_.before  ? Change::kAdded
                   : !change_.after ? Change::kRemoved
                                    : Change::kChanged;
    write.what = what_changed(nullptr, nullptr);
    if (change_.before) write.before = sha256(*change_.before);
    if (change_.after) write.after = sha256(*change_.after);
    for (const std::string_view word : words) {
      NameRead read{word, {}};
      if (write.language.empty()) read.role = UseRole::kText;
      add_use(read, UseState::kGained, write);
      if (!prose) write.maybe.emplace_back(word);
    }
    out_.writes.push_back(std::move(write));
  }

  // --- symbols ---

  std::string language() const {
    const Language* of = pair_.after.language;
    if (of == nullptr) of = pair_.before.language;
    return of == nullptr ? "" : std::string(of->name);
  }

  static std::set<std::string_view> functions_of(const Outline& outline) {
    std::set<std::string_view> names;
    for (const Outlined& symbol : outline.symbols) {
      if (symbol.parent == 0 && is_function(symbol.kind)) names.insert(symbol.name);
    }
    return names;
  }

  void count_definitions() {
    std::set<std::pair<std::string_view, std::string_view>> seen;
    std::map<std::string_view, int> counts;
    for (const Outline* side : {&pair_.before, &pair_.after}) {
      const bool naive = INJECTED_BUG("semantic.imports_define");
      const std::set<std::string> borrowed = naive ? std::set<std::string>() : borrowed_in(*side);
      const std::set<std::string_view> functions = functions_of(*side);
      for (const Outlined& symbol : side->symbols) {
        if (symbol.kind == "import" && !naive) continue;
        for (const std::string& name : symbol.defines) {
          if (symbol.parent == 0 && borrowed.contains(name)) continue;
          // `exports = { f }`
          const bool handed = symbol.kind == "key" || symbol.container.contains("exports");
          if (handed && functions.contains(name)) continue;
          if (seen.emplace(name, symbol.container).second) ++counts[name];
        }
      }
    }
    out_.definitions.push_back(std::make_shared<const Definitions>(counts.begin(), counts.end()));
  }

  static Digest whole(const Outline& outline, const Outlined* symbol) {
    if (symbol == nullptr) return {};
    return sha256(symbol->opaque ? raw_of(outline, *symbol) : code_of(*symbol));
  }

  // All that `whole` makes a digest of, without making one: most symbols are as they were.
  static bool is_same(const Outlined* was, const Outlined* is) {
    return was != nullptr && is != nullptr && !was->opaque && !is->opaque &&
           was->code == is->code && was->docs == is->docs && was->remarks == is->remarks;
  }

  // Of what is in the version `of`.
  Write write_of(const Outline& of, const Outlined& symbol) const {
    Write write;
    write.symbol = symbol.id;
    write.container = symbol.container;
    write.path = change_.path;
    write.language = language();
    write.kind = symbol.kind;
    write.member = symbol.member;
    write.of_type = type_of(of, symbol);
    return write;
  }

  void compare(const Outlined* was, const Outlined* is) {
    if (is_same(was, is)) return;
    const Digest before = whole(pair_.before, was), after = whole(pair_.after, is);
    if (before == after) return;
    const Outlined& any = is != nullptr ? *is : *was;
    Write write = write_of(is != nullptr ? pair_.after : pair_.before, any);
    write.never_parsed = was != nullptr && was->opaque;
    write.change = was == nullptr  ? Change::kAdded
                   : is == nullptr ? Change::kRemoved
                                   : Change::kChanged;
    write.before = before;
    write.after = after;
    for (const Outlined* side : {was, is}) {
      if (side == nullptr) continue;
      const std::vector<std::string> names =
          own_names(side == is ? pair_.after : pair_.before, *side);
      write.opaque |= side->opaque;
      write.ordered |= side->ordered;
      write.feeds_all |= side->feeds_all || (!any.member && side->name.starts_with("operator"));
      write.defines.insert(write.defines.end(), names.begin(), names.end());
    }
    write.opaque |=
        is == nullptr ? in_opaque(any, after_) : was == nullptr && in_opaque(any, before_);
    write.what = what_changed(was, is);
    write.runs =
        any.runs && (write.change != Change::kChanged || write.what.has(Capability::kBody));
    write.overload = write.change == Change::kAdded && has_sibling(any);
    if (const auto at = behind_.find(any.id); at != behind_.end())
      write.behind = sha256(at->second);
    uses_of(was, is, &write);
    note_sight(pair_, was, is, &write);
    note_users(pair_, was, is, &write);
    write.gives = types_said(any);
    write.gives_other = gives_another_type(was, is);
    write.linkage = any.kind == "macro" && linkage_.stays(any.name);
    for (std::vector<std::string>* names : {&write.defines, &write.maybe}) {
      std::ranges::sort(*names);
      names->erase(std::unique(names->begin(), names->end()), names->end());
    }
    out_.writes.push_back(std::move(write));
  }

  // Of what is equal several times no hash says which of them are there.
  void note_places() {
    for (const Outlined& container : pair_.after.symbols) {
      std::unordered_map<std::string_view, int> more, seen;
      for (const Entry& entry : container.entries) ++more[entry.key];
      if (const auto was = before_.find(container.id); was != before_.end()) {
        for (const Entry& entry : was->second->entries) --more[entry.key];
      }
      std::string last;
      for (const Entry& entry : container.entries) {
        if (entry.key.size() == 1) continue;  // a separator
        if (more[entry.key] != 0) behind_[entry.member ? entry.key : container.id] += last;
        last = std::to_string(++seen[entry.key]) + " " + entry.key + "\n";
      }
    }
  }

  // Not gone, and not new: not seen on a side, for what it is in was not understood there.
  bool in_opaque(const Outlined& symbol, const ById& there) const {
    for (const Outlined* at = &symbol; !at->container.empty();) {
      const auto other = there.find(at->container);
      if (other != there.end() && other->second->opaque) return true;
      const ById& own = &there == &after_ ? before_ : after_;
      at = own.at(at->container);
    }
    return false;
  }

  static Changed what_changed(const Outlined* was, const Outlined* is) {
    Changed what;
    if (was == nullptr || is == nullptr || was->opaque || is->opaque) {
      what.of.fill(1);
      what.comments = true;
      return what;
    }
    constexpr auto kContract = static_cast<std::size_t>(Capability::kContract);
    for (std::size_t i = 0; i < kCapabilities; ++i) what.of[i] = was->code[i] != is->code[i];
    if (what.of[kContract] == 0 && was->docs != is->docs) {
      what.of[kContract] = 1;
      what.contract_in_words = true;
    }
    what.comments = was->remarks != is->remarks;
    return what;
  }

  // Its container has another one that is found by the same name, and had it before.
  bool has_sibling(const Outlined& added) const {
    return std::ranges::any_of(pair_.before.symbols, [&](const Outlined& other) {
      return other.container == added.container && after_.contains(other.id) &&
             std::find_first_of(other.defines.begin(), other.defines.end(), added.defines.begin(),
                                added.defines.end()) != other.defines.end();
    });
  }

  // --- names ---

  // Code of all that is no statement. What a body has besides statements counts when no statement
  // tells the difference.
  static std::string head_of(const Outlined& symbol) {
    std::string head;
    for (std::size_t i = 0; i < kCapabilities; ++i) {
      if (static_cast<Capability>(i) != Capability::kBody || symbol.units.size() == 1) {
        head += symbol.code[i] + '\n';
      }
    }
    return head;
  }

  using Units = std::vector<const Unit*>;

  // Statements of `a` that `b` does not have.
  static Units only_in(const Outlined& a, const Outlined* b) {
    std::unordered_map<std::string_view, int> there;
    if (b != nullptr) {
      for (std::size_t i = 1; i < b->units.size(); ++i) ++there[b->units[i].code];
    }
    Units units;
    for (std::size_t i = 1; i < a.units.size(); ++i) {
      if (a.units[i].code.empty()) continue;
      if (--there[a.units[i].code] < 0) units.push_back(&a.units[i]);
    }
    return units;
  }

  struct Names {
    std::unordered_set<std::string_view> of;
    std::vector<std::pair<NameRead, UseState>> reads;
  };

  static void read_unit(const Outline& outline, const Outlined& symbol, const Unit& unit,
                        UseState state, Names* names) {
    names_in(outline, symbol, unit, [&](NameIn name) {
      NameRead& read = name.read;
      if (symbol.kind == "import") {
        if (read.role != UseRole::kSuper) read.role = UseRole::kImport;
        read.local = false;
      }
      if (name.own && read.role != UseRole::kImport) return;  // a declaration's own name
      const bool is_head = &unit == symbol.units.data();
      if (is_once(name.leaf) || (is_head && is_mere_word(outline, symbol, read.name))) return;
      names->of.insert(read.name);
      std::vector<NameRead> more;
      more_reads(*outline.tree, name.leaf, &read, &more);
      names->reads.emplace_back(read, state);
      for (const NameRead& one : more) names->reads.emplace_back(one, state);
    });
  }

  void uses_of(const Outlined* was, const Outlined* is, Write* write) {
    if (write->change == Change::kChanged && !write->what.code()) return;
    Names now, then;
    if (is != nullptr) {
      const Units fresh = only_in(*is, was);
      const bool all = was == nullptr || write->opaque || becomes_constant_method(pair_, was, is);
      const bool reordered = was != nullptr && fresh.empty() && only_in(*was, is).empty() &&
                             write->what.has(Capability::kBody);
      const bool head = all || reordered || head_of(*is) != head_of(*was);
      read_unit(pair_.after, *is, is->units[0], head ? UseState::kGained : UseState::kKept, &now);
      std::unordered_set<const Unit*> changed(fresh.begin(), fresh.end());
      for (std::size_t i = 1; i < is->units.size(); ++i) {
        const Unit& unit = is->units[i];
        const bool gained = all || reordered || changed.contains(&unit);
        read_unit(pair_.after, *is, unit, gained ? UseState::kGained : UseState::kKept, &now);
        if (gained) bind(pair_.after, *is, unit, write);
      }
    }
    if (was != nullptr) {
      if (is == nullptr || head_of(*was) != head_of(*is) || write->opaque) {
        read_unit(pair_.before, *was, was->units[0], UseState::kLost, &then);
      }
      for (const Unit* unit : only_in(*was, is)) {
        read_unit(pair_.before, *was, *unit, UseState::kLost, &then);
        bind(pair_.before, *was, *unit, write);
      }
    }
    if (is != nullptr) note_given(*is, &now, *write);
    for (const auto& [read, state] : now.reads) add_use(read, state, *write);
    for (const auto& [read, state] : then.reads) {
      if (!now.of.contains(read.name)) add_use(read, state, *write);
    }
    if (write->opaque) {
      for (const Names* names : {&now, &then}) {
        for (const std::string_view name : names->of) write->maybe.emplace_back(name);
      }
    }
  }

  // The calls of kept statements that give what a new one asks a member of.
  void note_given(const Outlined& symbol, Names* now, const Write& write) {
    std::unordered_set<std::string_view> asked;
    for (const auto& [read, state] : now->reads) {
      const bool member = read.role == UseRole::kMember && read.of_local;
      if (member && state == UseState::kGained) asked.insert(read.qualifier);
    }
    if (asked.empty()) return;
    for (std::size_t i = 1; i < symbol.units.size(); ++i) {
      const std::vector<std::uint32_t>& tokens = symbol.units[i].tokens;
      const bool declares = std::ranges::any_of(tokens, [&](std::uint32_t token) {
        const Node& leaf = *pair_.after.tree->leaves()[token];
        return leaf.says == Fact::kLocal && asked.contains(leaf.text);
      });
      if (!declares) continue;
      Names calls;
      read_unit(pair_.after, symbol, symbol.units[i], UseState::kGained, &calls);
      for (const auto& [read, state] : calls.reads) {
        if (read.arity < 0) continue;
        add_use(read, state, write);
        out_.uses.back().given = true;
      }
    }
  }

  // What a statement that changed may bind for others.
  static void bind(const Outline& outline, const Outlined& symbol, const Unit& unit, Write* write) {
    write->defines.insert(write->defines.end(), unit.defines.begin(), unit.defines.end());
    write->feeds_all |= brings_names(*outline.tree, unit);
    if (!unit.loose) return;
    Names names;
    read_unit(outline, symbol, unit, UseState::kGained, &names);
    for (const std::string_view name : names.of) write->maybe.emplace_back(name);
  }

  void add_use(const NameRead& read, UseState state, const Write& write) {
    out_.uses.push_back({full_name(read), write.symbol, write.path, std::string(read.qualifier),
                         std::string(read.declared), write.language, read.role, state,
                         read.arguments(), read.local, read.of_local, read.made, read.valued,
                         read.named, read.set});
  }

  // --- places ---

  void find_moves() {
    for (const Outlined& was : pair_.before.symbols) {
      const auto is = after_.find(was.id);
      if (is != after_.end()) moves_in(was, *is->second);
    }
  }

  struct Placed {
    const Entry* entry;
    std::size_t now;
  };

  // Entries that both have, as they were, with where they are now; separators aside.
  static std::vector<Placed> placed(const Outlined& was, const Outlined& is) {
    std::unordered_map<std::string_view, std::vector<std::size_t>> places;
    for (std::size_t i = is.entries.size(); i-- > 0;) places[is.entries[i].key].push_back(i);
    std::vector<Placed> both;
    for (const Entry& entry : was.entries) {
      if (entry.key.size() == 1) continue;
      std::vector<std::size_t>& left = places[entry.key];
      if (left.empty()) continue;
      both.push_back({&entry, left.back()});
      left.pop_back();
    }
    return both;
  }

  // What is on another side of a neighbour, where that has a meaning for one of the two.
  void moves_in(const Outlined& was, const Outlined& is) {
    const std::vector<Placed> both = placed(was, is);
    std::vector<char> any(both.size(), 0), meant(both.size(), 0);
    const auto look = [&](std::size_t i, std::size_t* all, std::size_t* ordered, const auto& past) {
      const std::size_t at = both[i].now;
      if (past(*all, at)) any[i] = 1;
      if (past(both[i].entry->ordered ? *all : *ordered, at)) meant[i] = 1;
      if (past(at, *all)) *all = at;
      if (both[i].entry->ordered && past(at, *ordered)) *ordered = at;
    };
    std::size_t all = 0, ordered = 0;
    for (std::size_t i = 0; i < both.size(); ++i) {
      look(i, &all, &ordered, [](std::size_t x, std::size_t y) { return x > y; });
    }
    all = ordered = static_cast<std::size_t>(-1);
    for (std::size_t i = both.size(); i-- > 0;) {
      look(i, &all, &ordered, [](std::size_t x, std::size_t y) { return x < y; });
    }
    for (std::size_t i = 0; i < both.size(); ++i) {
      if (any[i] != 0) add_move(*both[i].entry, is, meant[i] != 0);
    }
  }

  void add_move(const Entry& entry, const Outlined& container, bool meant) {
    const Outlined* moved = entry.member ? after_.at(entry.key) : &container;
    if (!moves_.insert(moved->id).second) return;
    Write write = write_of(pair_.after, *moved);
    write.defines = moved->defines;
    write.change = Change::kMoved;
    write.before = whole(pair_.before, before_.at(moved->id));
    write.after = whole(pair_.after, moved);
    write.ordered = meant;
    out_.writes.push_back(std::move(write));
  }

  const FileChange& change_;
  const Outlines& pair_;
  ById before_, after_;
  std::unordered_set<std::string> moves_;
  std::unordered_map<std::string, std::string> behind_;
  Linkage linkage_{pair_};
  Footprint& out_;
};

}  // namespace

Footprint footprint_of_file(const FileChange& change, const Budget& budget) {
  Footprint footprint;
  if (change.before == change.after) return footprint;
  footprint.paths.push_back(change.path);
  const Outlines pair = outlines_of(change.path, change.before, change.after, budget);
  FileFootprint(change, pair, &footprint).run();
  return settled(std::move(footprint));
}

}  // namespace gittxn::semantic
