#include "semantic/read/text_lines.h"

#include <git2.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace gittxn::semantic {
namespace {

using PlaceOfLine = std::unordered_map<std::string_view, std::size_t>;
constexpr auto kTwice = static_cast<std::size_t>(-1);

std::string_view line(const TextLines& lines, std::size_t i) {
  return lines.of({i, i + 1});
}

// Walks over both texts; where they part it looks in the new one for the next line that the old one
// has once, behind that place; far behind it, with the same line after it.
class RoughWalk {
 public:
  RoughWalk(const TextLines& before, const PlaceOfLine& once, const TextLines& after)
      : before_(before), once_(once), after_(after) {}

  std::vector<LineHunk> walk() {
    std::vector<LineHunk> hunks;
    std::size_t from = 0, to = 0;
    while (from < before_.count() || to < after_.count()) {
      if (same(from, to)) {
        ++from;
        ++to;
        continue;
      }
      auto [old_next, next] = meeting_behind(from, to);
      while (old_next > from && next > to && same(old_next - 1, next - 1)) {
        --old_next;
        --next;
      }
      hunks.push_back({{from, old_next}, {to, next}});
      from = old_next;
      to = next;
    }
    return hunks;
  }

 private:
  static constexpr std::size_t kNear = 100;

  bool same(std::size_t i, std::size_t j) const {
    return i < before_.count() && j < after_.count() && line(before_, i) == line(after_, j);
  }

  std::pair<std::size_t, std::size_t> meeting_behind(std::size_t from, std::size_t to) const {
    for (std::size_t j = to; j < after_.count(); ++j) {
      const auto found = once_.find(line(after_, j));
      if (found == once_.end() || found->second == kTwice || found->second < from) continue;
      const bool near = found->second - from < kNear;
      if (near || same(found->second + 1, j + 1)) return {found->second, j};
    }
    return {before_.count(), after_.count()};
  }

  const TextLines& before_;
  const PlaceOfLine& once_;
  const TextLines& after_;
};

// git counts lines from 1, and names the line before where there are none.
LineRange range_of(int start, int lines) {
  const auto from = static_cast<std::size_t>(lines == 0 ? start : start - 1);
  return {from, from + static_cast<std::size_t>(lines)};
}

int take_hunk(const git_diff_delta*, const git_diff_hunk* hunk, void* payload) {
  static_cast<std::vector<LineHunk>*>(payload)->push_back(
      {range_of(hunk->old_start, hunk->old_lines), range_of(hunk->new_start, hunk->new_lines)});
  return 0;
}

}  // namespace

Status by_libgit2(std::string_view doing, const std::function<int()>& call) {
  static const int started = git_libgit2_init();  // counted: others may start it as well
  if (started < 0) return fail(Code::kFault, "libgit2 cannot start");
  if (call() == 0) return {};
  const git_error* error = git_error_last();
  return fail(Code::kFault, std::string(doing) + ": " +
                                (error != nullptr ? error->message : "libgit2 gave no reason"));
}

Result<std::vector<LineHunk>> line_difference(std::string_view before, std::string_view after) {
  std::vector<LineHunk> hunks;
  git_diff_options options;
  git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
  options.context_lines = 0;
  options.interhunk_lines = 0;
  options.flags = GIT_DIFF_FORCE_TEXT | GIT_DIFF_PATIENCE;  // as merge_lines
  TRY(by_libgit2("comparing lines", [&] {
    return git_diff_buffers(before.data(), before.size(), "a", after.data(), after.size(), "a",
                            &options, nullptr, nullptr, take_hunk, nullptr, &hunks);
  }));
  return hunks;
}

RoughDifference::RoughDifference(std::string_view before) : before_(before) {
  once_.reserve(before_.count());
  for (std::size_t i = 0; i < before_.count(); ++i) {
    const auto [at, fresh] = once_.emplace(line(before_, i), i);
    if (!fresh) at->second = kTwice;
  }
}

std::vector<LineHunk> RoughDifference::to(const TextLines& after) const {
  return RoughWalk(before_, once_, after).walk();
}

TextLines::TextLines(std::string_view text) : text_(text) {
  for (std::size_t at = 0; at < text.size();
       at = std::min(text.find('\n', at), text.size() - 1) + 1) {
    starts_.push_back(at);
  }
  starts_.push_back(text.size());
}

std::size_t TextLines::at(std::size_t byte) const {
  const auto behind = std::upper_bound(starts_.begin(), starts_.end() - 1, byte);
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(behind - starts_.begin(), 1) - 1);
}

}  // namespace gittxn::semantic
