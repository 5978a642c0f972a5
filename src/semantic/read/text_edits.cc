#include "semantic/read/text_edits.h"

#include <algorithm>
#include <unordered_map>

namespace gittxn::semantic {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

struct LinePair {
  std::size_t a = 0, b = 0;  // lines
};

class LineMatcher {
 public:
  LineMatcher(std::string_view a, std::string_view b)
      : a_text_(a), b_text_(b), a_(lines_of(a)), b_(lines_of(b)) {}

  std::vector<TextEdit> edits() {
    std::size_t front = 0;
    while (front < a_.size() && front < b_.size() && a_[front] == b_[front]) ++front;
    at_ = {front, front};
    LinePair end{a_.size(), b_.size()};
    while (end.a > front && end.b > front && a_[end.a - 1] == b_[end.b - 1]) {
      --end.a;
      --end.b;
    }
    for (const LinePair& pair : in_order(end)) {
      differ_up_to(pair);
      at_ = {pair.a + 1, pair.b + 1};
    }
    differ_up_to(end);
    return std::move(out_);
  }

 private:
  // Pairs of lines that are in both once, the longest sequence of them that is in order in both.
  std::vector<LinePair> in_order(LinePair end) const {
    struct Seen {
      std::size_t a = kNone, b = kNone;
      int times_a = 0, times_b = 0;
    };
    std::unordered_map<std::string_view, Seen> seen;
    for (std::size_t i = at_.a; i < end.a; ++i) {
      Seen& line = seen[a_[i]];
      line.a = i;
      ++line.times_a;
    }
    std::vector<LinePair> once;
    for (std::size_t i = at_.b; i < end.b; ++i) {
      const auto found = seen.find(b_[i]);
      if (found != seen.end() && ++found->second.times_b == 1) found->second.b = i;
    }
    for (std::size_t i = at_.a; i < end.a; ++i) {
      const Seen& line = seen[a_[i]];
      if (line.times_a == 1 && line.times_b == 1) once.push_back({i, line.b});
    }
    std::vector<std::size_t> tails, before(once.size(), kNone);
    for (std::size_t i = 0; i < once.size(); ++i) {
      const auto place =
          std::lower_bound(tails.begin(), tails.end(), once[i].b,
                           [&](std::size_t x, std::size_t b) { return once[x].b < b; });
      if (place != tails.begin()) before[i] = *(place - 1);
      if (place == tails.end()) {
        tails.push_back(i);
      } else {
        *place = i;
      }
    }
    std::vector<LinePair> chosen;
    for (std::size_t i = tails.empty() ? kNone : tails.back(); i != kNone; i = before[i]) {
      chosen.push_back(once[i]);
    }
    std::ranges::reverse(chosen);
    return chosen;
  }

  // From `at_` on, what both ends have in common aside.
  void differ_up_to(LinePair end) {
    LinePair from = at_;
    while (from.a < end.a && from.b < end.b && a_[from.a] == b_[from.b]) {
      ++from.a;
      ++from.b;
    }
    while (from.a < end.a && from.b < end.b && a_[end.a - 1] == b_[end.b - 1]) {
      --end.a;
      --end.b;
    }
    if (from.a == end.a && from.b == end.b) return;
    out_.push_back({begin_of(a_text_, a_, from.a), begin_of(a_text_, a_, end.a),
                    begin_of(b_text_, b_, from.b), begin_of(b_text_, b_, end.b)});
  }

  static std::size_t begin_of(std::string_view text, const std::vector<std::string_view>& lines,
                              std::size_t line) {
    return line == lines.size() ? text.size()
                                : static_cast<std::size_t>(lines[line].data() - text.data());
  }

  std::string_view a_text_, b_text_;
  std::vector<std::string_view> a_, b_;
  LinePair at_;
  std::vector<TextEdit> out_;
};

}  // namespace

std::vector<TextEdit> text_edits(std::string_view old_text, std::string_view new_text) {
  return LineMatcher(old_text, new_text).edits();
}

}  // namespace gittxn::semantic
