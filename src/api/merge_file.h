// One file merged from its three versions: `git txn merge-file`, and git's merge driver. It needs
// no repository and keeps nothing in one.
//
// All versions are read before anything is written, so the result may go into one of them. It is
// written beside the file and moved over it: a crash leaves the file as it was, or merged, and
// perhaps a "*.tmp-*" file beside it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/merge.h"
#include "txn/host.h"

namespace gittxn::api {

inline constexpr std::size_t kMaxMergedBytes = 256u << 20;  // of each version

struct MergeFileRequest {
  std::string base, left, right;  // files; relative ones to Host::cwd
  std::string out;                // a file, or the name of a new one
  // A name of merge_languages(); empty: what `names` tell, the first that does; when none does,
  // lines alone.
  std::string language;
  std::vector<std::string> names;
  std::string base_label, left_label, right_label;  // behind the markers of a conflict
  int marker_size = 7;                              // 1 to 1000
  // The style of conflicts; nothing: the one that git's merge.conflictStyle names at Host::cwd.
  std::optional<semantic::ConflictText> style;
};

struct MergeFileReport {
  semantic::Merged merged;
  std::string_view language;  // kLinesAlone when none
};

// The language of a file of which nothing but its lines is known.
inline constexpr std::string_view kLinesAlone = "text";

// Every name that MergeFileRequest::language takes, kLinesAlone among them.
std::vector<std::string> merge_languages();

// A conflict is no error: its text is written. kUsage: an unknown language, a version over
// kMaxMergedBytes, an `out` that is no file; kNotFound, kFault: a version that cannot be read, or
// `out` not written. `out` is as it was after any error.
Result<MergeFileReport> merge_file(const Host& host, const MergeFileRequest& request);

}  // namespace gittxn::api
