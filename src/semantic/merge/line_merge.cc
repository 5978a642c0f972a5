#include "semantic/merge/line_merge.h"

#include <git2.h>

#include <algorithm>

#include "base/text.h"

namespace gittxn::semantic {
namespace {

git_merge_file_input input(std::string_view text, const char* label) {
  git_merge_file_input in = GIT_MERGE_FILE_INPUT_INIT;
  in.ptr = text.empty() ? "" : text.data();
  in.size = text.size();
  in.path = label;
  return in;
}

}  // namespace

Result<LineMerge> merge_lines(const Sides<std::string_view>& sides, const MergeLabels& labels) {
  static const int started = git_libgit2_init();  // counted: others may start it as well
  if (started < 0) return fail(Code::kFault, "libgit2 cannot start");
  const git_merge_file_input base = input(sides[kBase], labels.base.c_str());
  const git_merge_file_input left = input(sides[kLeft], labels.left.c_str());
  const git_merge_file_input right = input(sides[kRight], labels.right.c_str());
  git_merge_file_options options = GIT_MERGE_FILE_OPTIONS_INIT;
  options.ancestor_label = labels.base.c_str();
  options.our_label = labels.left.c_str();
  options.their_label = labels.right.c_str();
  if (labels.style == ConflictText::kDiff3) options.flags |= GIT_MERGE_FILE_STYLE_DIFF3;
  if (labels.style == ConflictText::kUnion) options.favor = GIT_MERGE_FILE_FAVOR_UNION;
  options.marker_size = labels.marker_size;
  git_merge_file_result result = {};
  if (git_merge_file(&result, &base, &left, &right, &options) != 0) {
    const git_error* error = git_error_last();
    return fail(Code::kFault, std::string("merging lines: ") +
                                  (error != nullptr ? error->message : "libgit2 gave no reason"));
  }
  LineMerge merged;
  merged.clean = result.automergeable != 0;
  if (result.ptr != nullptr) merged.text.assign(result.ptr, result.len);
  git_merge_file_result_free(&result);
  const std::string marker = std::string(labels.marker_size, '<') + " " + labels.left;
  if (merged.clean) return merged;
  merged.conflicts =
      static_cast<int>(std::ranges::count_if(lines_of(merged.text), [&](std::string_view line) {
        return line == marker || line.starts_with(marker + "\r");
      }));
  return merged;
}

}  // namespace gittxn::semantic
