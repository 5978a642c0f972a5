#include "semantic/commute.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "semantic/compare/doubled.h"
#include "semantic/compare/events.h"
#include "semantic/compare/moved.h"
#include "semantic/compare/places.h"
#include "semantic/compare/sight.h"
#include "semantic/compare/silent.h"
#include "semantic/kinds.h"
#include "semantic/symbols/calls.h"

namespace gittxn::semantic {
namespace {

constexpr std::size_t kMaxFindings = 64;

class Judge {
 public:
  Judge(const Footprint& a, const Footprint& b) : a_(a), b_(b) {}

  Commuted run() {
    left_added_ = added_by(a_);
    right_added_ = added_by(b_);
    split();
    for (const auto& [x, y] : both_) same_symbol(*x, *y);
    for (const bool turned : {false, true}) {
      turned_ = turned;
      containers();
      names();
      implementers();
      silent_implementers();
      doubles();
      imports();
    }
    turned_ = false;
    definitions();
    neighbours();
    return result();
  }

 private:
  // Seen from the side that is looked at, a_ or b_.
  const Footprint& mine() const { return turned_ ? b_ : a_; }
  const Footprint& theirs() const { return turned_ ? a_ : b_; }
  const std::vector<const Write*>& my_writes() const { return turned_ ? right_ : left_; }
  const std::vector<const Write*>& their_writes() const { return turned_ ? left_ : right_; }

  // What both did alike is no matter between them. A symbol may have been changed and moved: two
  // writes of one side.
  void split() {
    std::map<std::string_view, std::array<std::vector<const Write*>, 2>> symbols;
    for (const Write& write : a_.writes) symbols[write.symbol][0].push_back(&write);
    for (const Write& write : b_.writes) symbols[write.symbol][1].push_back(&write);
    for (const auto& [symbol, writes] : symbols) {
      const auto& [xs, ys] = writes;
      if (xs.size() == 1 && ys.size() == 1 && is_alike(*xs[0], *ys[0])) {
        agreed_.emplace(symbol);
        continue;
      }
      left_.insert(left_.end(), xs.begin(), xs.end());
      right_.insert(right_.end(), ys.begin(), ys.end());
      for (const Write* x : xs) {
        for (const Write* y : ys) both_.emplace_back(x, y);
      }
    }
  }

  // Names of what a side added, with the ids.
  using Added = std::map<std::string, std::set<std::string>, std::less<>>;

  static Added added_by(const Footprint& side) {
    Added added;
    for (const Write& write : side.writes) {
      if (write.change != Change::kAdded) continue;
      for (const std::string& name : write.defines) added[name].insert(write.symbol);
    }
    return added;
  }

  // It may be gone because what it was in has become something else.
  static bool folded(const Footprint& side, const Write& gone) {
    const Write* around = write_in(side, gone.container);
    return around != nullptr && around->change == Change::kChanged &&
           around->what.has(Capability::kBody);
  }

  static bool is_gone(const Footprint& side, const std::string& id) {
    const Write* there = write_in(side, id);
    return there != nullptr && there->change == Change::kRemoved;
  }

  // What one side took out and has elsewhere, in a container that it renamed or another file, was
  // moved: the other, which took it out, did something else.
  bool is_alike(const Write& x, const Write& y) const {
    if (x.change != y.change || x.change == Change::kMoved || x.after != y.after) return false;
    // Lines that are the same in two places would be there twice; one import more is refused by the
    // merge (merge/checks.cc), unless there was one already.
    if (x.change == Change::kChanged) return x.behind == y.behind;
    if (x.opaque || y.opaque) return false;
    if (x.change == Change::kAdded) return x.kind == "import" || x.behind == y.behind;
    if (x.renamed_to != y.renamed_to || folded(a_, x) || folded(b_, y)) return false;
    // Gone with all that it was in, which may be part of something else now.
    if (is_gone(a_, x.container) != is_gone(b_, y.container)) return false;
    return std::ranges::all_of(x.defines, [this](const std::string& name) {
      const auto left = left_added_.find(name), right = right_added_.find(name);
      if (left == left_added_.end()) return right == right_added_.end();
      return right != right_added_.end() && left->second == right->second;
    });
  }

  // What each did, as the ends of "one side ...": mine, theirs, and what follows from both.
  struct Said {
    std::string mine, theirs, more = {};
  };

  void find(Verdict verdict, Rule rule, const Write& mine, const std::string& their_symbol,
            const std::string& name, const Said& said) {
    Finding finding{verdict,
                    rule,
                    turned_ ? their_symbol : mine.symbol,
                    turned_ ? mine.symbol : their_symbol,
                    name,
                    "one side " + said.mine + ", the other " + said.theirs + said.more,
                    (turned_ ? said.theirs : said.mine) + said.more,
                    turned_ ? said.mine : said.theirs};
    if (seen_.insert({finding.left, finding.right, name, rule, verdict}).second) {
      findings_.push_back(std::move(finding));
    }
  }

  void pair(Verdict verdict, Rule rule, const Write& x, const Write& y) {
    find(verdict, rule, x, y.symbol, {}, {did(x), did(y)});
  }

  void same_symbol(const Write& x, const Write& y) {
    if (x.opaque || y.opaque) {
      // Two edits of a text that was not understood to begin with are two edits of one body; what
      // else they meet is found by words.
      const bool texts = x.never_parsed && y.never_parsed && x.change == Change::kChanged &&
                         y.change == Change::kChanged;
      return pair(texts ? Verdict::kValidate : Verdict::kBlock, Rule::kOpaque, x, y);
    }
    if (x.change == Change::kRemoved || y.change == Change::kRemoved) {
      const Write& gone = x.change == Change::kRemoved ? x : y;
      const Rule rule = gone.renamed_to.empty() ? Rule::kRemovedChanged : Rule::kSignatureBody;
      return pair(Verdict::kBlock, rule, x, y);
    }
    if (x.change == Change::kAdded || y.change == Change::kAdded) {
      return pair(Verdict::kBlock, Rule::kBothAdded, x, y);
    }
    if (x.change == Change::kMoved || y.change == Change::kMoved) {
      const bool meant = x.change == y.change || (x.change == Change::kMoved ? x : y).ordered;
      if (meant) pair(Verdict::kValidate, Rule::kOrder, x, y);
      return;
    }
    both_changed(x, y);
  }

  void both_changed(const Write& x, const Write& y) {
    // The same at two places: it would be there twice, or be gone where only one is too many.
    if (x.after == y.after && x.behind != y.behind) {
      return pair(Verdict::kBlock, Rule::kBothAdded, x, y);
    }
    const bool code = x.what.code() && y.what.code();
    if (!code) return pair(Verdict::kValidate, Rule::kSameSymbol, x, y);
    if (x.kind == "import") return pair(Verdict::kBlock, Rule::kImport, x, y);
    if (x.kind == "macro") return pair(Verdict::kBlock, Rule::kMacro, x, y);
    if (x.what.strong() || y.what.strong()) {
      return pair(Verdict::kBlock, Rule::kSignatureBody, x, y);
    }
    // A value is one decision.
    if (is_any(x.kind, {"key", "table", "element", "variable", "field", "constant"})) {
      return pair(Verdict::kBlock, Rule::kSameSymbol, x, y);
    }
    const bool loose = !is_function(x.kind);
    pair(Verdict::kValidate, loose ? Rule::kLoose : Rule::kSameSymbol, x, y);
  }

  // Who edits something in a container relied on what the container is.
  void containers() {
    for (const Write* write : my_writes()) {
      const bool gone = write->change == Change::kRemoved;
      const bool strong = write->change == Change::kChanged && write->what.strong();
      if (!gone && !strong && !write->opaque) continue;
      if (write->opaque && std::ranges::binary_search(theirs().paths, write->path)) {
        find(Verdict::kValidate, Rule::kOpaque, *write, write->path + "/", {},
             {did(*write), "edited the file"});
      }
      const auto& others = their_writes();
      auto at = std::ranges::upper_bound(others, write->symbol, {}, &Write::symbol);
      for (; at != others.end() && (*at)->symbol.starts_with(write->symbol); ++at) {
        const Write& inner = **at;
        if (inner.symbol == write->symbol) continue;
        if (gone && inner.change == Change::kRemoved) continue;
        const Rule rule = write->opaque ? Rule::kOpaque
                          : gone        ? Rule::kRemovedChanged
                                        : Rule::kContainer;
        pair(Verdict::kBlock, rule, *write, inner);
      }
    }
  }

  // --- names ---

  auto their_uses_of(const std::string& name) const {
    return std::ranges::equal_range(theirs().uses, name, {}, &Use::name);
  }

  // Things of the name in the changed files, or known of the use, that this side leaves as they
  // are, or does not have.
  bool others_have(const std::string& name, const Defined& defined, const Use& use) const {
    if (theirs().elsewhere.contains({use.path, name})) return true;
    if (theirs().definitions_of(name) > 1) return true;
    std::set<std::string_view> changed{defined.write->container};
    for (const Defined& other : mine_) {
      if (other.name != name || other.event < Event::kStrong) continue;
      if (other.write->kind != "import") changed.insert(other.write->container);
    }
    return mine().definitions_of(name) > static_cast<int>(changed.size());
  }

  // They say the type that it is a member of, or what is a kind of it or gives one, in the file of
  // the use.
  bool is_typed(const Defined& defined, const Use& use) const {
    const std::string& type = defined.write->of_type;
    if (type.empty()) return false;
    return std::ranges::any_of(their_uses_of(type), [&](const Use& of) {
      if (of.kin && !use.declared.empty() && !use.declared.ends_with(of.qualifier)) return false;
      if (names_another_type(of, *defined.write)) return false;
      return of.path == use.path && of.state != UseState::kLost && of.role != UseRole::kText;
    });
  }

  void names() {
    const Sights sights(theirs());
    mine_ = defined_by(my_writes());
    moved_ = moved_by(mine());
    for (const Defined& defined : mine_) {
      for (const Use& use : their_uses_of(defined.name)) {
        if (use.symbol == defined.write->symbol || agreed_.contains(use.symbol)) continue;
        if (use.kin && !(use.valued && defined.event == Event::kShape)) continue;
        if (moved_.stays(*defined.write, use)) continue;
        judge_use(defined, use, sights.of(defined, use));
      }
    }
  }

  void judge_use(const Defined& defined, const Use& use, Sight sight) {
    if (sight == Sight::kNone) return;
    if (use.given && !defined.write->gives_other) return;
    Whose whose;
    whose.sure =
        sight == Sight::kSure || (defined.event >= Event::kStrong && is_typed(defined, use));
    whose.others = use.role == UseRole::kMember && others_have(use.name, defined, use);
    const auto [verdict, rule] = judge(defined, use, whose);
    if (verdict == Verdict::kCommute) return;
    find(verdict, rule, *defined.write, use.symbol, use.name, {did(*defined.write), used(use)});
  }

  // --- sets ---

  // A type's members are what its implementers must follow.
  void implementers() {
    for (const Write* write : my_writes()) {
      const bool told = write->change != Change::kChanged || write->strong();
      if (!told || write->change == Change::kMoved || shows_more(*write)) continue;
      std::vector<std::string> types;
      const bool mixin = write->language == "ruby" && !write->member;  // a module's
      if ((write->member || mixin) && !write->of_type.empty()) types = {write->of_type};
      // A type that a trait in Rust needs is a member as others are.
      const bool needed = write->language == "rust" && write->member;
      if (write->kind == "type" && !needed) types = write->defines;
      for (const std::string& type : types) {
        for (const Use& use : their_uses_of(type)) {
          if (use.role != UseRole::kSuper || use.state != UseState::kGained) continue;
          if (reach(write->language, use.language) != Reach::kFull) continue;
          if (agreed_.contains(use.symbol) || moved_.stays(*write, use)) continue;
          if (!use.origin.empty() && use.origin != write->path) continue;
          if (write->done && !has_its_own(*write, use.symbol)) continue;
          find(Verdict::kBlock, Rule::kImplementers, *write, use.symbol, type,
               {did(*write), "made " + use.symbol + " one of '" + type + "'"});
        }
      }
    }
  }

  // They give the type a member of that name.
  bool has_its_own(const Write& write, const std::string& type) const {
    return std::ranges::any_of(their_writes(), [&](const Write* other) {
      return other->symbol.starts_with(type) && other->defines == write.defines;
    });
  }

  void doubles() {
    for (const auto& [changed, own] : doubles_in(my_writes(), mine(), their_writes())) {
      find(Verdict::kBlock, Rule::kImplementers, *changed, own->symbol, own->defines.front(),
           {did(*changed), "added " + own->symbol + ", which is called as it was"});
    }
  }

  void silent_implementers() {
    for (const auto& [write, method, type] : silent_in(my_writes(), their_writes())) {
      find(Verdict::kBlock, Rule::kImplementers, *write, method->symbol, std::string(type),
           {did(*write), "gave '" + std::string(type) + "' the methods of its interface"});
    }
  }

  // What an import brings in is not always said.
  void imports() {
    for (const Write* write : my_writes()) {
      for (const auto& [include, user, name] : theirs().unfed) {
        if (include != write->symbol || agreed_.contains(user)) continue;
        find(Verdict::kBlock, Rule::kImport, *write, user, name,
             {did(*write) + ", which brought it in", "uses '" + name + "' in " + user});
      }
      if (!write->feeds_all || write->change == Change::kMoved) continue;
      const Changed& what = write->what;
      if (write->change == Change::kChanged && !what.code() && !what.contract_in_words) continue;
      const bool members = write->language == "rust" && !write->symbol.contains('*');
      const bool header = is_header(write->path);
      const bool global = write->language == "csharp" && write->symbol.contains("/`globalusing");
      const auto& uses = theirs().uses;
      const auto fed = std::ranges::find_if(uses, [&](const Use& use) {
        const bool reached = use.path == write->path ||
                             (header && family_of(use.language) == Family::kC) ||
                             (global && use.language == write->language);
        if (!reached || use.local || use.given || use.kin || agreed_.contains(use.symbol))
          return false;
        if (use.state == UseState::kLost || use.role == UseRole::kImport) return false;
        if (use.state == UseState::kKept && write->change == Change::kAdded) return false;
        return use.role != UseRole::kText && (!members || use.role == UseRole::kMember);
      });
      if (fed == uses.end()) continue;
      find(Verdict::kValidate, Rule::kImport, *write, fed->symbol, fed->name,
           {did(*write) + ", which may bring in any name",
            "uses '" + fed->name + "' in " + fed->symbol});
    }
  }

  // The id without the file.
  static std::string_view inside(const Write& write) {
    return std::string_view(write.symbol).substr(write.path.size());
  }

  // Two definitions of one name.
  void definitions() {
    std::unordered_map<std::string, std::vector<const Defined*>> there;
    const std::vector<Defined> left = defined_by(left_), right = defined_by(right_);
    for (const Defined& defined : right) {
      if (defines(defined)) there[defined.name].push_back(&defined);
    }
    for (const Defined& mine : left) {
      const auto found = defines(mine) ? there.find(mine.name) : there.end();
      if (found == there.end()) continue;
      for (const Defined* other : found->second) {
        if (other->write->symbol != mine.write->symbol) two_definitions(mine, *other);
      }
    }
    for (const auto& [x, y] : doubled_in(a_, left_, b_, right_)) {
      pair(Verdict::kBlock, Rule::kBothAdded, *x, *y);
    }
  }

  static bool defines(const Defined& defined) {
    const auto& names = defined.write->defines;
    return (defined.event == Event::kAdded || defined.event >= Event::kStrong) &&
           std::ranges::binary_search(names, defined.name);
  }

  // One program may have both, of which the linker takes one; two files with a `main` are two
  // programs. In C++ those of other parameters are others.
  bool is_linked_twice(const Write& a, const Write& b) const {
    if (a.kind != "function" || b.kind != "function" || inside(a) != inside(b)) return false;
    if (a.hidden || b.hidden) return false;
    return !Sights(a_).declares(a.path, "main") || !Sights(b_).declares(b.path, "main");
  }

  void two_definitions(const Defined& x, const Defined& y) {
    const Write &a = *x.write, &b = *y.write;
    const bool here = a.path == b.path;
    const bool both_new = a.change == Change::kAdded && b.change == Change::kAdded;
    const Reach reached = reach(a.language, b.language);
    if (reached != Reach::kFull) return;
    const auto told = [&](Verdict verdict, Rule rule) {
      find(verdict, rule, a, b.symbol, x.name,
           {did(a), did(b), ": both are found as '" + x.name + "'"});
    };
    const bool imports = a.kind == "import" || b.kind == "import";
    if (imports) {
      if (!here || !both_new) return;
      return told(a.kind == b.kind ? Verdict::kBlock : Verdict::kValidate, Rule::kImport);
    }
    const bool in_types = !a.of_type.empty() && !b.of_type.empty();
    if (here && a.container == b.container) {
      // Methods of two types in Go are not in these, nor are their definitions in C++.
      if (in_types && a.of_type != b.of_type) return;
      const auto scope = [](const Write& of) {
        const std::string name = of.symbol.substr(0, of.symbol.rfind('`'));
        return name.substr(0, name.rfind("::"));
      };
      const bool apart = is_declared_elsewhere(a) && is_declared_elsewhere(b);
      if (apart && scope(a) != scope(b)) return;
      return told(Verdict::kValidate, Rule::kNewDefinition);
    }
    // What a file declares may be part of what another one does.
    const bool open = is_any(a.language, {"ruby", "csharp", "kotlin", "php"});
    if (!here && both_new && open && inside(a) == inside(b)) {
      // A module is opened again, a type is partial: the later one wins, or there is one too many.
      const bool contained = a.container != a.path + "/" && b.container != b.path + "/";
      return told(contained ? Verdict::kBlock : Verdict::kValidate, Rule::kBothAdded);
    }
    if (in_types) {
      if (overrides_otherwise(a, b, b_) || overrides_otherwise(b, a, a_)) {
        return told(Verdict::kBlock, Rule::kImplementers);
      }
      // One may override the other.
      const bool each = makes(x.name) || x.name == "operator";
      if (!both_new && !each) told(Verdict::kValidate, Rule::kAmbiguous);
      return;
    }
    if (here || !a.of_type.empty() || !b.of_type.empty()) return;
    if (family_of(a.language) == Family::kC) {
      const bool linked = both_new && is_linked_twice(a, b);
      return linked ? told(Verdict::kBlock, Rule::kBothAdded)
                    : told(Verdict::kValidate, Rule::kNewDefinition);
    }
    const auto folder = [](const std::string& path) { return path.substr(0, path.rfind('/') + 1); };
    if (a.language == "go" && both_new && folder(a.path) == folder(b.path)) {
      told(Verdict::kBlock, Rule::kBothAdded);
    }
  }

  // --- places ---

  void neighbours() {
    const auto left = places_in(left_), right = places_in(right_);
    for (const auto& [container, mine] : left) {
      const auto other = right.find(container);
      if (other == right.end()) continue;
      const Here& theirs = other->second;
      if (mine.placed != nullptr && theirs.placed != nullptr) {
        pair(Verdict::kValidate, Rule::kOrder, *mine.placed, *theirs.placed);
      }
      if (mine.runs != nullptr && theirs.runs != nullptr) {
        pair(Verdict::kValidate, Rule::kLoose, *mine.runs, *theirs.runs);
      }
    }
  }

  Commuted result() {
    std::ranges::stable_sort(findings_, [](const Finding& x, const Finding& y) {
      return std::tie(y.verdict, x.rule, x.left, x.right, x.name) <
             std::tie(x.verdict, y.rule, y.left, y.right, y.name);
    });
    Commuted commuted;
    if (!findings_.empty()) commuted.verdict = findings_.front().verdict;
    if (findings_.size() > kMaxFindings) {
      commuted.more = findings_.size() - kMaxFindings;
      findings_.resize(kMaxFindings);
    }
    commuted.findings = std::move(findings_);
    return commuted;
  }

  const Footprint& a_;
  const Footprint& b_;
  bool turned_ = false;
  Added left_added_, right_added_;
  std::vector<Defined> mine_;  // of the side that is looked at
  Moved moved_;                // by it
  std::vector<const Write*> left_, right_;
  std::vector<std::pair<const Write*, const Write*>> both_;
  std::set<std::string, std::less<>> agreed_;
  std::set<std::tuple<std::string, std::string, std::string, Rule, Verdict>> seen_;
  std::vector<Finding> findings_;
};

}  // namespace

std::string_view rule_name(Rule rule) {
  constexpr std::string_view kNames[] = {
      "disjoint",        "same-symbol", "signature-body", "both-added",
      "removed-changed", "container",   "opaque",         "definition-use",
      "new-definition",  "ambiguous",   "body-caller",    "implementers",
      "import",          "macro",       "order",          "loose"};
  return kNames[static_cast<std::size_t>(rule)];
}

Commuted commute(const Footprint& a, const Footprint& b) {
  return Judge(a, b).run();
}

}  // namespace gittxn::semantic
