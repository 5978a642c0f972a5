#include "semantic/compare/renames.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "semantic/kinds.h"
#include "semantic/merge/lists.h"

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

  const Outlines& pair_;
  const ById before_, after_;
  std::vector<Write*> gone_, fresh_;
};

}  // namespace

void find_renames(const Outlines& pair, Footprint* footprint) {
  Renames(pair, footprint).run();
}

}  // namespace gittxn::semantic
