#include "semantic/merge.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "semantic/merge/lists.h"
#include "semantic/merge/merge_tree.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {
namespace {

class FileMerger {
 public:
  FileMerger(const Language& language, const Sides<std::string>& texts) : versions_(language, {}) {
    for (std::size_t i = 0; i < 3; ++i) trees_[i] = versions_.parse(texts[i]);
  }

  bool opaque() const { return !trees_[0] || !trees_[1] || !trees_[2]; }

  // What stands against a merge by lines.
  Broken against(const std::string& text) {
    const auto merged = versions_.parse(text);
    if (merged == nullptr) return {"the result cannot be parsed", {}};
    return broken_rule(sides(), *merged);
  }

  TreeMerge by_structure(Inner inner) {
    TreeMerge merged = merge_trees(sides(), inner);
    if (!merged.clean) return merged;
    auto tree = versions_.parse(merged.text);
    if (tree != nullptr && !merged.columns.empty()) {
      merged.text = with_columns(*tree, sides(), merged.columns);
      tree = versions_.parse(merged.text);
    }
    merged.why = tree == nullptr ? "the result cannot be parsed" : broken_rule(sides(), *tree).why;
    if (merged.why.empty()) merged.why = lost_token(sides(), *tree);
    if (!merged.why.empty()) merged.why += " (after a merge of the tree)";
    merged.clean = merged.why.empty();
    return merged;
  }

 private:
  Sides<const Tree*> sides() const { return {trees_[0].get(), trees_[1].get(), trees_[2].get()}; }

  Versions versions_;
  Sides<std::unique_ptr<Tree>> trees_;
};

}  // namespace

std::string_view rule_name(MergeRule rule) {
  constexpr std::string_view kNames[] = {"one-side", "lines", "structure", "conflict"};
  return kNames[static_cast<std::size_t>(rule)];
}

Result<Merged> merge_file(const Language* language, const Sides<std::string>& texts,
                          const MergeLabels& labels) {
  const auto& [base, left, right] = texts;
  if (left == right || right == base) return Merged{MergeRule::kOneSide, left, {}, 0};
  if (left == base) return Merged{MergeRule::kOneSide, right, {}, 0};
  if (std::ranges::any_of(texts, [](const std::string& text) { return text.contains('\0'); })) {
    return Merged{MergeRule::kConflict, left, "bytes that are no text", 0};
  }
  LineMerge lines = TRY(merge_lines({base, left, right}, labels));
  Merged out;
  out.text = std::move(lines.text);
  out.conflicts = lines.conflicts;
  std::optional<FileMerger> merger;
  if (language != nullptr) merger.emplace(*language, texts);
  if (!merger || merger->opaque()) {
    if (lines.clean) out.rule = MergeRule::kLines;
    out.why = lines.clean ? "" : "both sides changed the same lines";
    return out;
  }
  Broken broken;
  if (lines.clean) {
    broken = merger->against(out.text);
    if (broken.why.empty()) out.rule = MergeRule::kLines;
    if (out.clean()) return out;
  }
  // Lines that merged and were refused would merge the same way again, inside of a node.
  TreeMerge tree = merger->by_structure(lines.clean ? Inner::kStructure : Inner::kLines);
  // Each place that is put together from both sides may be put together wrongly. One is trusted;
  // with several, a person looks at all of them.
  if (tree.clean && tree.inside && lines.conflicts > 1) {
    tree.clean = false;
    tree.why =
        std::to_string(lines.conflicts) + " conflicts of lines, not all between declarations";
  }
  if (tree.clean)
    return Merged{MergeRule::kStructure, std::move(tree.text), std::move(tree.made), 0};
  out.why = lines.clean ? std::move(broken.why) : std::move(tree.why);
  if (!lines.clean) return out;
  ConflictedText conflict = TRY(conflict_at(texts, out.text, broken.places, labels));
  out.text = std::move(conflict.text);
  out.conflicts = conflict.conflicts;
  return out;
}

}  // namespace gittxn::semantic
