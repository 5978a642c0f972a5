#include "semantic/merge/runs.h"

#include <algorithm>

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

}  // namespace

Result<std::vector<TextRun>> runs_of(const Sides<std::string>& texts) {
  const Sides<TextLines> lines = {TextLines(texts[0]), TextLines(texts[1]), TextLines(texts[2])};
  Sides<std::vector<LineHunk>> hunks;
  for (const Side side : {kLeft, kRight}) {
    hunks[side] = TRY(line_difference(texts[kBase], texts[side]));
  }
  return TextCutter(lines, hunks).cut();
}

}  // namespace gittxn::semantic
