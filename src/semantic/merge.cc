#include "semantic/merge.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"
#include "semantic/merge/code_blocks.h"
#include "semantic/merge/entries.h"
#include "semantic/merge/lists.h"
#include "semantic/merge/merge_tree.h"
#include "semantic/merge/plain_code.h"
#include "semantic/merge/runs.h"
#include "semantic/merge/texts/variables.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {
namespace {

struct TreeResult {
  TreeMerge tree;
  std::string why;  // what does not hold of it
  bool clean() const { return why.empty() && tree.pieces.clean(); }
};

class FileMerger {
 public:
  FileMerger(const Language& language, const Sides<std::string>& texts)
      : versions_(language, {}), trees_(versions_.parse_three(texts)) {}

  bool opaque() const { return !trees_[0] || !trees_[1] || !trees_[2]; }

  // What stands against a merge by lines.
  Broken against(const std::string& text) {
    const Tree* merged = parsed(text);
    if (merged == nullptr) return {"the result cannot be parsed", {}};
    return broken_rule(sides(), *merged);
  }

  // A merge that was put together from parts has what is demanded of one, and of one by lines.
  bool holds(const std::string& text) {
    if (!against(text).why.empty()) return false;
    return lost_token(sides(), *parsed(text), {}).empty();
  }

  // The merge of the tree, and what stands against it. What both sides add at one place stands left
  // before right; where that is not clean it is tried the other way round (in TOML a key stands
  // before a table), so that whose side is which decides nothing.
  TreeResult by_structure(Inner inner) {
    TreeResult merged = in_order(sides(), inner, Wanted::kAny);
    if (merged.clean()) return merged;
    const Sides<const Tree*> order = {sides()[kBase], sides()[kRight], sides()[kLeft]};
    TreeResult turned = in_order(order, inner, Wanted::kClean);
    return turned.clean() ? std::move(turned) : std::move(merged);
  }

 private:
  // Each place that is put together from both sides may be put together wrongly. Three are trusted;
  // where there are more, or where a function that both changed was merged by its lines besides,
  // all are conflicts.
  static constexpr int kTrusted = 3;

  // One with conflicts is not checked where only a clean one is wanted: what is in conflict with
  // places put together is in conflict without, too.
  enum class Wanted { kAny, kClean };

  TreeResult in_order(const Sides<const Tree*>& order, Inner inner, Wanted wanted) {
    TreeResult merged{merge_trees(order, inner, Inside::kTogether), {}};
    const TreeMerge& tree = merged.tree;
    const auto in_vain = [&] { return wanted == Wanted::kClean && !tree.pieces.clean(); };
    if (in_vain()) return merged;
    const bool several = tree.inside > kTrusted || (tree.inside > 0 && tree.by_lines);
    if (!several) {
      merged.why = check(&merged.tree, order);
      if (merged.why.empty() || tree.inside == 0) return merged;
    }
    merged = {merge_trees(order, inner, Inside::kConflict), {}};
    if (!in_vain()) merged.why = check(&merged.tree, order);
    return merged;
  }

  // The first rule that the merge breaks. Its columns are laid out here.
  std::string check(TreeMerge* merged, const Sides<const Tree*>& order) {
    if (!merged->pieces.clean()) {
      const Tree* left = parsed(merged->pieces.with(kLeft));
      const Tree* right = parsed(merged->pieces.with(kRight));
      if (left == nullptr || right == nullptr) return "the result cannot be parsed";
      return broken_parts(order, *left, *right, merged->outdone);
    }
    const Tree* tree = parsed(merged->pieces.with(kLeft));
    if (tree != nullptr && !merged->columns.empty()) {
      merged->pieces = Pieces(with_columns(*tree, order, merged->columns));
      tree = parsed(merged->pieces.with(kLeft));
    }
    std::string why =
        tree == nullptr ? "the result cannot be parsed" : broken_rule(order, *tree).why;
    if (why.empty()) why = lost_token(order, *tree, merged->outdone);
    return why.empty() ? why : why + " (after a merge of the tree)";
  }

  // The tree of a result, until the second one after it: both ways round often give one text.
  // nullptr when it is opaque.
  const Tree* parsed(std::string text) {
    const auto is = [&text](const auto& tree) { return tree != nullptr && tree->text() == text; };
    const auto side = std::ranges::find_if(trees_, is);
    if (side != trees_.end()) return side->get();
    auto& [older, newer] = results_;
    if (is(older)) std::swap(older, newer);
    if (!is(newer)) {
      older = std::move(newer);
      newer = versions_.parse(std::move(text));
    }
    return newer.get();
  }

  Sides<const Tree*> sides() const { return {trees_[0].get(), trees_[1].get(), trees_[2].get()}; }

  Versions versions_;
  Sides<std::unique_ptr<Tree>> trees_;
  std::array<std::unique_ptr<Tree>, 2> results_;
};

// Lines between markers, of all conflicts.
std::size_t lines_in_conflict(std::string_view text, const MergeLabels& labels) {
  const std::string open(labels.marker_size, '<'), close(labels.marker_size, '>');
  std::size_t count = 0;
  bool inside = false;
  for (const std::string_view line : lines_of(text)) {
    if (line.starts_with(open + " " + labels.left)) inside = true;
    if (inside) ++count;
    if (line.starts_with(close + " " + labels.right)) inside = false;
  }
  return count;
}

Merged in_conflict(ConflictedText conflict, std::string why, const MergeLabels& labels) {
  Merged out{MergeRule::kConflict, std::move(conflict.text), std::move(why)};
  const std::string marker = std::string(labels.marker_size, '<') + " " + labels.left;
  std::size_t number = 0;
  for (const std::string_view line : lines_of(out.text)) {
    ++number;
    if (line != marker && line != marker + "\r") continue;
    const std::size_t i = out.conflicts.size();
    out.conflicts.push_back({number, i < conflict.reasons.size() ? conflict.reasons[i] : out.why});
  }
  return out;
}

// Each block of code as what it is, and what stands around them. Nothing where the versions have
// other blocks, or a block conflicts.
Result<std::optional<std::string>> merge_blocks(std::string_view path,
                                                const Sides<std::string>& texts) {
  Sides<std::vector<TextBlock>> blocks;
  for (std::size_t i = 0; i < 3; ++i) blocks[i] = blocks_of(path, texts[i]);
  const std::size_t count = blocks[kBase].size();
  if (count < 2 || blocks[kLeft].size() != count || blocks[kRight].size() != count) {
    return std::nullopt;
  }
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    const TextBlock& base = blocks[kBase][i];
    const MergeAs as = base.code ? MergeAs(base.language) : MergeAs(path, "");
    const auto text = [&](Side side) { return std::string(blocks[side][i].text); };
    Merged block = TRY(merge_file(as, {text(kBase), text(kLeft), text(kRight)}, {}));
    if (!block.clean()) return std::nullopt;
    out += block.text;
  }
  return out;
}

// With what both sides declare in the same words at two places at left's alone, where that can be
// merged whosever place it is, and nothing else is there twice.
Result<std::optional<std::string>> merge_once(std::string_view path,
                                              const Sides<std::string>& texts, std::string key) {
  constexpr int kMost = 16;
  Sides<std::string> ours = texts, turned = {texts[kBase], texts[kRight], texts[kLeft]};
  for (int i = 0; i < kMost; ++i) {
    auto without = without_second(path, ours, key), other_way = without_second(path, turned, key);
    if (!without || !other_way) return std::nullopt;
    ours = *std::move(without);
    turned = *std::move(other_way);
    LineMerge lines = TRY(merge_lines({ours[0], ours[1], ours[2]}, {}));
    const LineMerge back = TRY(merge_lines({turned[0], turned[1], turned[2]}, {}));
    if (!lines.clean || !back.clean) return std::nullopt;
    key = key_added_twice(path, ours, lines.text);
    if (key != key_added_twice(path, turned, back.text)) return std::nullopt;
    if (key.empty()) return std::move(lines.text);
  }
  return std::nullopt;
}

Result<Merged> merge_by_lines(std::string_view path, const Sides<std::string>& texts,
                              const MergeLabels& labels) {
  LineMerge lines = TRY(merge_lines({texts[0], texts[1], texts[2]}, labels));
  const TextKind kind = text_kind_of(path);
  const GoneVariable gone = gone_variable(path, texts);
  if (lines.clean) {
    const std::string key = key_added_twice(path, texts, lines.text);
    if (!gone.name.empty()) {
      ConflictedText apart = TRY(conflict_at(texts, lines.text, gone.places, labels));
      return in_conflict(std::move(apart),
                         "one side removed '" + gone.name + "', the other uses it anew", labels);
    }
    if (key.empty()) {
      return Merged{MergeRule::kLines, std::move(lines.text), {}};
    }
    if (auto once = TRY(merge_once(path, texts, key))) {
      return Merged{MergeRule::kStructure, *std::move(once), "what both added alike"};
    }
    ConflictedText whole =
        TRY(conflict_at(texts, lines.text, places_of_key(path, texts, key), labels));
    return in_conflict(std::move(whole), "both sides added '" + key + "'", labels);
  }
  auto entries = merge_entries(kind, path, texts);
  const bool told = kind == TextKind::kParagraphs || kind == TextKind::kElements;
  if (entries && gone.name.empty() && (!told || key_added_twice(path, texts, *entries).empty())) {
    return Merged{MergeRule::kStructure, *std::move(entries), "entries of both"};
  }
  if (auto blocks = TRY(merge_blocks(path, texts))) {
    return Merged{MergeRule::kStructure, *std::move(blocks), "blocks of code"};
  }
  return in_conflict({std::move(lines.text), lines.conflicts}, "both sides changed the same lines",
                     labels);
}

// Conflicts of git's merge, or of the tree's where these are smaller.
Result<Merged> left_in_conflict(const Sides<std::string>& texts, const TreeMerge& tree,
                                std::string why, const MergeLabels& labels) {
  ConflictedText parts;
  if (why.empty()) parts = TRY(written(tree.pieces, labels));
  LineMerge lines = TRY(merge_lines({texts[0], texts[1], texts[2]}, labels));
  const bool smaller =
      why.empty() && parts.conflicts <= lines.conflicts &&
      lines_in_conflict(parts.text, labels) <= lines_in_conflict(lines.text, labels);
  if (smaller) return in_conflict(std::move(parts), tree.pieces.why(), labels);
  if (why.empty()) why = tree.pieces.why();
  return in_conflict({std::move(lines.text), lines.conflicts}, std::move(why), labels);
}

// Written by a program, on lines that nobody reads: what a tree says of it is not worth its
// seconds.
bool is_minified(std::string_view text) {
  constexpr std::size_t kLarge = 100'000, kLongLine = 1'000;
  if (text.size() < kLarge) return false;
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  return text.size() / lines > kLongLine;
}

// The merge of three versions of which no two are the same.
Result<Merged> merge_versions(const MergeAs& as, const Sides<std::string>& texts,
                              const MergeLabels& labels) {
  std::optional<FileMerger> merger;
  if (as.language != nullptr && std::ranges::none_of(texts, is_minified)) {
    merger.emplace(*as.language, texts);
  }
  if (!merger || merger->opaque()) {
    return merge_by_lines(as.language == nullptr ? as.path : "", texts, labels);
  }
  // Conflicts are not split here, so that no style of showing them decides anything.
  const MergeLabels whole{.style = ConflictText::kDiff3};
  LineMerge lines = TRY(merge_lines({texts[0], texts[1], texts[2]}, whole));
  Broken broken;
  if (lines.clean) {
    broken = merger->against(lines.text);
    if (broken.why.empty()) return Merged{MergeRule::kLines, std::move(lines.text), {}};
  }
  // Lines that merged and were refused would merge the same way again, inside of a node.
  auto [tree, why] = merger->by_structure(lines.clean ? Inner::kStructure : Inner::kLines);
  if (why.empty() && tree.pieces.clean()) {
    return Merged{MergeRule::kStructure, tree.pieces.with(kLeft), std::move(tree.made)};
  }
  if (!lines.clean) {
    auto indented = merge_indented(texts);
    if (indented && merger->holds(*indented)) {
      return Merged{MergeRule::kStructure, *std::move(indented), "lines that a side indented"};
    }
    return left_in_conflict(texts, tree, std::move(why), labels);
  }
  ConflictedText conflict = TRY(conflict_at(texts, lines.text, broken.places, labels));
  return in_conflict(std::move(conflict), std::move(broken.why), labels);
}

// --- the ends of lines ---

enum class LineEnd { kNone, kLf, kCrlf, kMixed };

LineEnd line_end_of(std::string_view text) {
  LineEnd end = LineEnd::kNone;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    const LineEnd here = at > 0 && text[at - 1] == '\r' ? LineEnd::kCrlf : LineEnd::kLf;
    if (end != LineEnd::kNone && end != here) return LineEnd::kMixed;
    end = here;
  }
  return end;
}

std::string with_lf(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    out += text[i];
  }
  return out;
}

std::string with_crlf(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? std::string_view("\r\n") : std::string_view(&c, 1);
  return out;
}

}  // namespace

std::string_view rule_name(MergeRule rule) {
  constexpr std::string_view kNames[] = {"one-side", "lines", "structure", "conflict"};
  return kNames[static_cast<std::size_t>(rule)];
}

Result<Merged> merge_file(const MergeAs& as, const Sides<std::string>& texts,
                          const MergeLabels& labels) {
  const auto& [base, left, right] = texts;
  if (left == right || right == base) return Merged{MergeRule::kOneSide, left, {}};
  if (left == base) return Merged{MergeRule::kOneSide, right, {}};
  if (std::ranges::any_of(texts, [](const std::string& text) { return text.contains('\0'); })) {
    return Merged{MergeRule::kConflict, left, "bytes that are no text"};
  }
  const Sides<LineEnd> ends = {line_end_of(base), line_end_of(left), line_end_of(right)};
  const auto uniform = [](LineEnd end) { return end == LineEnd::kLf || end == LineEnd::kCrlf; };
  if (!std::ranges::all_of(ends, uniform) || (ends[0] == ends[1] && ends[0] == ends[2])) {
    return merge_versions(as, texts, labels);
  }
  const LineEnd end = ends[kLeft] == ends[kBase] ? ends[kRight] : ends[kLeft];
  Merged merged = TRY(merge_file(as, {with_lf(base), with_lf(left), with_lf(right)}, labels));
  if (end == LineEnd::kCrlf) merged.text = with_crlf(merged.text);
  return merged;
}

}  // namespace gittxn::semantic
