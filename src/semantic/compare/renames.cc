#include "semantic/compare/renames.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "semantic/kinds.h"
#include "semantic/merge/lists.h"
#include "semantic/symbols/imports.h"
#include "semantic/symbols/signatures.h"

namespace gittxn::semantic {
namespace {

constexpr double kLeastLikeness = 0.6;    // of what is renamed and changed at once
constexpr std::size_t kMaxRenames = 200;  // candidates on a side that are compared

using Texts = std::vector<std::string_view>;

bool is_in(const Node& leaf, const Node* node) {
  return node != nullptr && leaf.leaf >= node->leaf && leaf.leaf < node->leaf + node->leaves;
}

// The words of a member that count for those who have a value of its type, whatever that is called.
Texts seen_of(const Outline& outline, const Outlined& symbol, std::string_view type) {
  Texts words;
  const Node* receiver = kid_in(*symbol.nodes.front(), "receiver");
  for (const std::uint32_t token : symbol.units.front().tokens) {
    const Node& leaf = *outline.tree->leaves()[token];
    if (is_in(leaf, receiver) || leaf.says == Fact::kParameter) continue;
    words.push_back(leaf.text == type ? std::string_view() : leaf.text);
  }
  return words;
}

class Renames {
 public:
  Renames(const Outlines& pair, Footprint* footprint)
      : pair_(pair), before_(by_id(pair.before)), after_(by_id(pair.after)) {
    for (Write& write : footprint->writes) {
      if (write.opaque || write.kind == "import") continue;
      if (write.change == Change::kRemoved) gone_.push_back(&write);
      if (write.change == Change::kAdded) fresh_.push_back(&write);
    }
  }

  void run() {
    if (gone_.size() > kMaxRenames || fresh_.size() > kMaxRenames) return;
    for (Write* was : gone_) {
      find_likest(was);
      find_member(was);
      find_again(was);
      find_constant(was);
    }
  }

 private:
  using ById = std::unordered_map<std::string_view, const Outlined*>;
  static ById by_id(const Outline& outline) {
    ById symbols;
    for (const Outlined& symbol : outline.symbols) symbols[symbol.id] = &symbol;
    return symbols;
  }

  void find_likest(Write* was) const {
    Write* best = nullptr;
    double most = 0;
    for (Write* is : fresh_) {
      if (!is->renamed_from.empty()) continue;
      const double likely = same_renamed(*was, *is);
      if (likely > most) {
        most = likely;
        best = is;
      }
    }
    if (best == nullptr) return;
    was->renamed_to = best->symbol;
    best->renamed_from = was->symbol;
  }

  double same_renamed(const Write& was, const Write& is) const {
    const Outlined& a = *before_.at(was.symbol);
    const Outlined& b = *after_.at(is.symbol);
    if (a.kind != b.kind || a.container != b.container) return 0;
    if (a.nodes.empty() || b.nodes.empty()) return 0;
    const double likely = likeness(*pair_.before.tree, *a.nodes[0], *pair_.after.tree, *b.nodes[0]);
    if (a.nameless == b.nameless && !a.nameless.empty()) return likely + 1;
    return likely >= kLeastLikeness ? likely : 0;
  }

  // The same member of a type that has another name.
  void find_member(Write* was) const {
    if (was->of_type.empty()) return;
    const Outlined& a = *before_.at(was->symbol);
    for (const Write* is : fresh_) {
      if (is->of_type.empty() || is->of_type == was->of_type) continue;
      if (is->kind != was->kind || is->defines != was->defines) continue;
      const Outlined& b = *after_.at(is->symbol);
      if (a.nodes.size() != 1 || b.nodes.size() != 1) continue;
      const bool same =
          seen_of(pair_.before, a, was->of_type) == seen_of(pair_.after, b, is->of_type);
      if (same) was->with_type = is->of_type;
    }
  }

  // The function of that name in its container, which has one of it alone before and after.
  void find_again(Write* was) const {
    const auto may_be_called = [](const auto& one) {
      return is_function(one.kind) || one.kind == "variable";
    };
    if (!may_be_called(*was)) return;
    const auto is_its = [&](const auto& other) {
      return other.container == was->container && other.defines == was->defines &&
             may_be_called(other);
    };
    const auto alone = [&](const Outline& outline) {
      return std::ranges::count_if(outline.symbols, [&](const Outlined& symbol) {
               return is_its(symbol) && type_of(outline, symbol) == was->of_type;
             }) == 1;
    };
    const auto found = std::ranges::find_if(
        fresh_, [&](const Write* is) { return is_its(*is) && is->of_type == was->of_type; });
    if (found == fresh_.end() || !alone(pair_.before) || !alone(pair_.after)) return;
    Write& is = **found;
    const Outlined &a = *before_.at(was->symbol), &b = *after_.at(is.symbol);
    note_users(pair_, &a, &b, was);
    note_users(pair_, &a, &b, &is);
    was->signed_alike = is.signed_alike = false;  // each is gone or new
  }

  // A macro that stood for a number is a constant of the same name now.
  void find_constant(Write* was) const {
    if (was->kind != "macro") return;
    for (Write* is : fresh_) {
      if (is->container != was->container || is->defines != was->defines) continue;
      if (!stands_for_constant(pair_, *before_.at(was->symbol), *after_.at(is->symbol))) continue;
      was->number = was->takes_more = is->takes_more = true;
    }
  }

  const Outlines& pair_;
  const ById before_, after_;
  std::vector<Write*> gone_, fresh_;
};

// A reader in Ruby that is a method of its own now, or may be set, too.
void note_readers(const Outlines& pair, Footprint* footprint) {
  const auto is_open = [&](const Write& write) {
    const auto at = std::ranges::find(pair.after.symbols, write.symbol, &Outlined::id);
    return at != pair.after.symbols.end() &&
           at->code[static_cast<std::size_t>(Capability::kVisibility)].empty();
  };
  for (Write& gone : footprint->writes) {
    if (gone.change != Change::kRemoved || !gone.symbol.contains("`attr_reader.")) continue;
    gone.takes_more = std::ranges::any_of(footprint->writes, [&](const Write& other) {
      return other.change == Change::kAdded && other.container == gone.container &&
             other.defines == gone.defines && !other.symbol.contains("`attr_writer.") &&
             is_open(other);
    });
  }
}

}  // namespace

void find_renames(const Outlines& pair, Footprint* footprint) {
  Renames(pair, footprint).run();
  note_readers(pair, footprint);
}

}  // namespace gittxn::semantic
