#include "semantic/merge/prose.h"

#include <algorithm>
#include <vector>

#include "semantic/read/text_lines.h"

namespace gittxn::semantic {
namespace {

// What ends a comment or a string, with the white space before it.
std::size_t end_of_words(std::string_view text) {
  return text.find_last_not_of(" \t\r\n\"'*/") + 1;
}

// Lines that each side added at one place.
std::string both_added(std::string_view left, std::string_view right) {
  const TextLines first(left), second(right);
  const auto line = [](const TextLines& lines, std::size_t i) { return lines.of({i, i + 1}); };
  std::size_t begin = 0, end = 0;
  const std::size_t least = std::min(first.count(), second.count());
  while (begin < least && line(first, begin) == line(second, begin)) ++begin;
  while (begin + end < least &&
         line(first, first.count() - 1 - end) == line(second, second.count() - 1 - end)) {
    ++end;
  }
  // Empty lines alone are what stands between two paragraphs.
  if (is_blank(first.of({0, begin}))) begin = 0;
  if (is_blank(first.of({first.count() - end, first.count()}))) end = 0;
  return std::string(first.of({0, first.count() - end})) +
         std::string(second.of({begin, second.count()}));
}

class ProseMerger {
 public:
  explicit ProseMerger(const Sides<std::string>& texts)
      : texts_(texts),
        base_(texts[kBase]),
        sides_{TextLines(texts[0]), TextLines(texts[1]), TextLines(texts[2])} {}

  std::optional<std::string> merge() {
    for (const Side side : {kLeft, kRight}) {
      auto hunks = line_difference(texts_[kBase], texts_[side]);
      if (!hunks) return std::nullopt;
      hunks_[side] = *std::move(hunks);
    }
    std::string out;
    std::size_t at = 0;  // lines of the base that are in the result
    while (has(kLeft) || has(kRight)) {
      const bool left_first =
          has(kLeft) && (!has(kRight) || next(kLeft).before.from <= next(kRight).before.from);
      const Side side = left_first ? kLeft : kRight;
      const LineHunk hunk = next(side);
      out += base_.of({at, hunk.before.from});
      at = hunk.before.to;
      ++at_[side];
      if (!has(other(side)) || next(other(side)).before.from > hunk.before.to) {
        out += sides_[side].of(hunk.after);
        continue;
      }
      const LineHunk there = next(other(side));
      ++at_[other(side)];
      const std::string_view left = sides_[kLeft].of((side == kLeft ? hunk : there).after);
      const std::string_view right = sides_[kRight].of((side == kRight ? hunk : there).after);
      const bool one_place =
          hunk.before.from == there.before.from && hunk.before.to == there.before.to;
      if (one_place && left == right) {
        out += left;
      } else if (one_place && hunk.before.from == hunk.before.to) {
        out += both_added(left, right);
      } else {
        return std::nullopt;
      }
      // A third change that touches these two.
      for (const Side each : {kLeft, kRight}) {
        if (has(each) && next(each).before.from <= at) return std::nullopt;
      }
    }
    return out + std::string(base_.of({at, base_.count()}));
  }

 private:
  bool has(Side side) const { return at_[side] < hunks_[side].size(); }
  const LineHunk& next(Side side) const { return hunks_[side][at_[side]]; }

  const Sides<std::string>& texts_;
  TextLines base_;
  Sides<TextLines> sides_;
  Sides<std::vector<LineHunk>> hunks_;
  Sides<std::size_t> at_ = {0, 0, 0};  // hunks that are in the result
};

}  // namespace

bool is_for_people(const Node& node) {
  if (node.comment) return true;
  if (node.kind == "expression_statement")
    return node.kids.size() == 1 && is_for_people(*node.kids[0]);
  return node.kids.empty() && node.kind == "string" && node.parent != nullptr &&
         node.parent->kind == "expression_statement" && node.parent->kids.size() == 1;
}

std::optional<std::string> merge_prose(const Sides<std::string_view>& texts) {
  Sides<std::string> words;
  Sides<std::string_view> ends;
  for (const Side side : {kBase, kLeft, kRight}) {
    const std::size_t end = end_of_words(texts[side]);
    words[side] = std::string(texts[side].substr(0, end)) + "\n";
    ends[side] = texts[side].substr(end);
  }
  const bool one_end = ends[kLeft] == ends[kRight] || ends[kRight] == ends[kBase];
  if (!one_end && ends[kLeft] != ends[kBase]) return std::nullopt;
  auto merged = ProseMerger(words).merge();
  if (!merged) return std::nullopt;
  if (merged->ends_with('\n')) merged->pop_back();
  return *merged + std::string(one_end ? ends[kLeft] : ends[kRight]);
}

}  // namespace gittxn::semantic
