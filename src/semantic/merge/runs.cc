#include "semantic/merge/runs.h"

#include <algorithm>

#include "base/text.h"
#include "semantic/kinds.h"
#include "semantic/names.h"

namespace gittxn::semantic {
namespace {

class TextCutter {
 public:
  TextCutter(const Sides<TextLines>& lines, const Sides<std::vector<LineHunk>>& hunks)
      : lines_(lines), hunks_(hunks) {}

  std::vector<TextRun> cut() {
    std::vector<TextRun> runs;
    while (next_[kLeft] < hunks_[kLeft].size() || next_[kRight] < hunks_[kRight].size()) {
      const Side first = left_is_next() ? kLeft : kRight;
      const std::size_t from = hunks_[first][next_[first]].before.from;
      runs.push_back(run_to({from, from}));
      LineRange base{from, from};
      Sides<bool> changed = {false, false, false};
      for (bool more = true; more;) {
        more = false;
        for (const Side side : {kLeft, kRight}) {
          while (next_[side] < hunks_[side].size() &&
                 hunks_[side][next_[side]].before.from <= base.to) {
            base.to = std::max(base.to, hunks_[side][next_[side]].before.to);
            moved_[side] = hunks_[side][next_[side]];
            ++next_[side];
            changed[side] = more = true;
          }
        }
      }
      runs.push_back(run_to(base));
      runs.back().changed = true;
      take(changed, &runs.back());
    }
    runs.push_back(run_to({lines_[kBase].count(), lines_[kBase].count()}));
    return runs;
  }

 private:
  bool left_is_next() const {
    if (next_[kLeft] == hunks_[kLeft].size()) return false;
    return next_[kRight] == hunks_[kRight].size() ||
           hunks_[kLeft][next_[kLeft]].before.from <= hunks_[kRight][next_[kRight]].before.from;
  }

  // Up to the end of `base`, from where the last one ended.
  TextRun run_to(LineRange base) {
    TextRun run;
    run.lines[kBase] = {at_[kBase], base.to};
    for (const Side side : {kLeft, kRight}) {
      const LineHunk& last = moved_[side];
      run.lines[side] = {at_[side], last.after.to + (base.to - last.before.to)};
    }
    for (std::size_t i = 0; i < 3; ++i) {
      at_[i] = run.lines[i].to;
      run.texts[i] = lines_[i].of(run.lines[i]);
    }
    return run;
  }

  static void take(const Sides<bool>& changed, TextRun* run) {
    run->taken = changed[kLeft] ? kLeft : kRight;
    run->clashes = changed[kLeft] && changed[kRight] && run->texts[kLeft] != run->texts[kRight];
  }

  const Sides<TextLines>& lines_;
  const Sides<std::vector<LineHunk>>& hunks_;
  Sides<std::size_t> next_ = {0, 0, 0};
  Sides<std::size_t> at_ = {0, 0, 0};
  Sides<LineHunk> moved_;  // the last one of each side
};

// --- indentation ---

struct IndentedLine {
  std::string_view indent, rest;  // the rest has the end of the line
};

using IndentedLines = std::vector<IndentedLine>;

IndentedLines indented_lines(std::string_view text) {
  IndentedLines lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
    lines.push_back({line.substr(0, indent), line.substr(indent)});
    text.remove_prefix(line.size());
  }
  return lines;
}

// A side's indentation of a line: what it took from the beginning, or put there.
struct Shift {
  std::string_view taken, put;
  bool operator==(const Shift&) const = default;
};

std::optional<Shift> shift_of(std::string_view before, std::string_view after) {
  if (after.ends_with(before)) return Shift{{}, after.substr(0, after.size() - before.size())};
  if (before.ends_with(after)) return Shift{before.substr(0, before.size() - after.size()), {}};
  return std::nullopt;
}

class IndentMerger {
 public:
  explicit IndentMerger(const Sides<std::string>& texts) {
    for (std::size_t i = 0; i < 3; ++i) lines_[i] = indented_lines(texts[i]);
  }

  std::optional<std::string> merge() {
    Sides<std::string> bare;
    for (std::size_t i = 0; i < 3; ++i) {
      for (const IndentedLine& line : lines_[i]) bare[i] += line.rest;
    }
    const auto runs = runs_of(bare);
    if (!runs) return std::nullopt;
    find_shifts(*runs);
    for (const TextRun& run : *runs) {
      const auto adds = [&](Side side) { return add_wrapped(run, side) || add_opened(run, side); };
      if (run.clashes ? !adds(kLeft) && !adds(kRight)
                      : !(run.changed ? add_changed(run) : add_kept(run))) {
        return std::nullopt;
      }
    }
    return shifted_ ? std::optional(std::move(out_)) : std::nullopt;
  }

 private:
  static bool says_nothing(const IndentedLine& line) { return line.rest == "\n"; }

  // Finds the shift of each line of the base that a side has as well.
  void find_shifts(const std::vector<TextRun>& runs) {
    for (const Side side : {kLeft, kRight}) {
      shifts_[side].resize(lines_[kBase].size());
      for (const TextRun& run : runs) {
        const LineRange& base = run.lines[kBase];
        if (run.texts[side] != run.texts[kBase]) continue;
        for (std::size_t i = base.from; i < base.to; ++i) {
          const IndentedLine& now = lines_[side][run.lines[side].from + (i - base.from)];
          if (!says_nothing(now)) shifts_[side][i] = shift_of(lines_[kBase][i].indent, now.indent);
          shifted_ = shifted_ || (!says_nothing(now) && now.indent != lines_[kBase][i].indent);
        }
      }
    }
  }

  // Lines that all have.
  bool add_kept(const TextRun& run) {
    const std::size_t count = run.lines[kBase].to - run.lines[kBase].from;
    for (std::size_t i = 0; i < count; ++i) {
      const auto at = [&](Side side) { return lines_[side][run.lines[side].from + i]; };
      const std::string_view base = at(kBase).indent, left = at(kLeft).indent;
      const std::string_view right = at(kRight).indent;
      if (left != base && right != base && left != right) return false;
      out_ += std::string(left == base ? right : left) + std::string(at(kLeft).rest);
    }
    return true;
  }

  // Lines that one side wrote, or both alike.
  bool add_changed(const TextRun& run) {
    const auto side = static_cast<Side>(run.taken);
    const bool alike = run.texts[kLeft] == run.texts[kRight];
    const auto shift = alike ? Shift{} : shift_beyond(run.lines[kBase], side);
    if (!shift) return false;
    for (std::size_t i = run.lines[side].from; i < run.lines[side].to; ++i) {
      const IndentedLine& line = lines_[side][i];
      if (says_nothing(line)) {
        out_ += std::string(line.indent) + "\n";
        continue;
      }
      if (alike && line.indent !=
                       lines_[other(side)][run.lines[other(side)].from + (i - run.lines[side].from)]
                           .indent) {
        return false;
      }
      if (!line.indent.starts_with(shift->taken)) return false;
      out_ += std::string(shift->put) + std::string(line.indent.substr(shift->taken.size()));
      out_ += line.rest;
    }
    return true;
  }

  // `side` put lines around those of the base and indented them, and the other side wrote others
  // in their place, which go there. Not where what that side wrote may stand outside as well.
  bool add_wrapped(const TextRun& run, Side side) {
    const LineRange &base = run.lines[kBase], &around = run.lines[side];
    const LineRange& inside = run.lines[other(side)];
    const std::size_t count = base.to - base.from;
    if (count == 0 || inside.from == inside.to || around.to - around.from <= count) return false;
    const auto from = first_in(side, around, base);
    if (!from) return false;
    const LineRange before{around.from, *from}, behind{*from + count, around.to};
    const auto shift = shift_of(lines_[kBase][base.from].indent, lines_[side][*from].indent);
    if (!shift || shift->put.empty() || shift_around(base, other(side)) != Shift{}) return false;
    for (std::size_t i = 0; i < count; ++i) {
      const IndentedLine &was = lines_[kBase][base.from + i], &is = lines_[side][*from + i];
      if (!says_nothing(was) && shift_of(was.indent, is.indent) != shift) return false;
    }
    if (may_stand_outside(inside, other(side), base, before, behind)) return false;
    if (goes_on(kBase, base) || goes_on(other(side), inside)) return false;
    add_as_is(side, before);
    for (std::size_t i = inside.from; i < inside.to; ++i) {
      const IndentedLine& line = lines_[other(side)][i];
      if (!says_nothing(line)) out_ += std::string(shift->put) + std::string(line.indent);
      out_ += line.rest;
    }
    add_as_is(side, behind);
    return shifted_ = true;
  }

  // Both sides put the same lines there, and `side` has lines more, with which something begins
  // around the rest of them and what follows.
  bool add_opened(const TextRun& run, Side side) {
    const LineRange &lines = run.lines[side], &fewer = run.lines[other(side)];
    const std::size_t count = fewer.to - fewer.from;
    const auto here = [&](std::size_t i) { return lines_[side][lines.from + i]; };
    const auto there = [&](std::size_t i) { return lines_[other(side)][fewer.from + i]; };
    if (run.lines[kBase].from != run.lines[kBase].to || lines.to - lines.from <= count)
      return false;
    std::size_t first = 0;  // of those that `side` has more
    while (first < count && here(first).rest == there(first).rest) ++first;
    const std::size_t more = lines.to - lines.from - count;
    const auto shift = shift_behind(run.lines[kBase].to, side);
    if (!shift || shift->put.empty() || shift_behind(run.lines[kBase].to, other(side)) != Shift{}) {
      return false;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const IndentedLine &is = here(i < first ? i : i + more), &was = there(i);
      if (is.rest != was.rest) return false;
      const Shift wanted = i < first ? Shift{} : *shift;
      if (!says_nothing(was) && shift_of(was.indent, is.indent) != wanted) return false;
    }
    const std::string_view opens = trimmed(here(first + more - 1).rest);
    if (count == first || !(opens.ends_with(':') || opens.ends_with('{'))) return false;
    add_as_is(side, lines);
    return shifted_ = true;
  }

  // The way a side indented the first line of the base from `line` on that says something.
  std::optional<Shift> shift_behind(std::size_t line, Side side) const {
    while (line < shifts_[side].size() && says_nothing(lines_[kBase][line])) ++line;
    return line < shifts_[side].size() ? shifts_[side][line] : std::nullopt;
  }

  // The line of `side` at which all those of the base begin that stand there; nothing where they
  // are not, or twice.
  std::optional<std::size_t> first_in(Side side, const LineRange& lines,
                                      const LineRange& base) const {
    const auto rest = [](const IndentedLine& line) { return line.rest; };
    const auto at = [&](Side version, std::size_t i) {
      return lines_[version].begin() + static_cast<std::ptrdiff_t>(i);
    };
    const auto wanted = std::ranges::subrange(at(kBase, base.from), at(kBase, base.to));
    const auto there = std::ranges::subrange(at(side, lines.from), at(side, lines.to));
    const auto first = std::ranges::search(there, wanted, {}, rest, rest);
    if (first.empty()) return std::nullopt;
    const auto others = std::ranges::subrange(first.begin() + 1, there.end());
    if (!std::ranges::search(others, wanted, {}, rest, rest).empty()) return std::nullopt;
    return static_cast<std::size_t>(first.begin() - lines_[side].begin());
  }

  // That side put lines before, or behind, a line of the base at an end at which there is something
  // around it.
  bool may_stand_outside(const LineRange& inside, Side side, const LineRange& base,
                         const LineRange& before, const LineRange& behind) const {
    const auto says = [&](std::size_t i, std::size_t line) {
      return lines_[side][i].rest == lines_[kBase][line].rest;
    };
    for (std::size_t i = inside.from; i < inside.to; ++i) {
      if (before.from != before.to && i > inside.from && says(i, base.from)) return true;
      if (behind.from != behind.to && i + 1 < inside.to && says(i, base.to - 1)) return true;
    }
    return false;
  }

  // The lines end something that begins before them: a block, an "if", a "try".
  bool goes_on(Side side, const LineRange& lines) const {
    int depth = 0;
    for (std::size_t i = lines.from; i < lines.to; ++i) {
      for (const char c : lines_[side][i].rest) {
        if (c == '(' || c == '[' || c == '{') ++depth;
        if ((c == ')' || c == ']' || c == '}') && --depth < 0) return true;
      }
    }
    return is_any(first_word(lines_[side][lines.from].rest),
                  {"else", "elif", "elsif", "elseif", "except", "catch", "rescue", "ensure",
                   "finally", "case", "when", "default", "then", "end", "fi", "done", "esac"});
  }

  void add_as_is(Side side, const LineRange& lines) {
    for (std::size_t i = lines.from; i < lines.to; ++i) {
      out_ += std::string(lines_[side][i].indent) + std::string(lines_[side][i].rest);
    }
  }

  // The indentation of the other side there that `side` did not make.
  std::optional<Shift> shift_beyond(const LineRange& base, Side side) const {
    const auto there = shift_around(base, other(side));
    if (!there || *there == Shift{}) return there;
    const auto own = shift_around(base, side);
    if (own == there) return Shift{};
    return own == Shift{} ? there : std::nullopt;
  }

  // The way a side indented the base's lines at a place, before and behind it; nothing
  // where that is not one way.
  std::optional<Shift> shift_around(const LineRange& base, Side side) const {
    const auto& shifts = shifts_[side];
    std::size_t from = base.from, to = base.to;
    const auto known = [&](std::size_t i) { return shifts[i].has_value(); };
    bool inside = false;
    for (std::size_t i = from; i < to; ++i) inside = inside || known(i);
    std::optional<Shift> found;
    if (!inside) {
      while (from > 0 && !known(from - 1)) --from;
      while (to < shifts.size() && !known(to)) ++to;
      // Nothing is indented before the first line and behind the last.
      if (from == 0 || to == shifts.size()) found = Shift{};
      if (from > 0) --from;
      to = std::min(to + 1, shifts.size());
    }
    for (std::size_t i = from; i < to; ++i) {
      if (!known(i)) continue;
      if (found && *found != *shifts[i]) return std::nullopt;
      found = shifts[i];
    }
    return found;
  }

  Sides<IndentedLines> lines_;
  Sides<std::vector<std::optional<Shift>>> shifts_;
  bool shifted_ = false;
  std::string out_;
};

}  // namespace

std::optional<std::string> merge_indented(const Sides<std::string>& texts) {
  return IndentMerger(texts).merge();
}

Result<std::vector<TextRun>> runs_of(const Sides<std::string>& texts) {
  const Sides<TextLines> lines = {TextLines(texts[0]), TextLines(texts[1]), TextLines(texts[2])};
  Sides<std::vector<LineHunk>> hunks;
  for (const Side side : {kLeft, kRight}) {
    hunks[side] = TRY(line_difference(texts[kBase], texts[side]));
  }
  return TextCutter(lines, hunks).cut();
}

}  // namespace gittxn::semantic
