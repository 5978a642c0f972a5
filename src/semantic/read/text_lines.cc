#include "semantic/read/text_lines.h"

#include <git2.h>

#include <algorithm>
#include <string>

namespace gittxn::semantic {
namespace {

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
