// From records to reads: which of the things a process tree asked the kernel are observations of the
// repository, and which are its own writes, its tools, its environment, or git keeping its index.
// The rules are design document 2-capture, "From records to reads"; each has a test.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/trace/trace.h"
#include "model/change.h"
#include "model/read.h"
#include "repo/objects.h"

namespace gittxn::capture {

// Where things are, so that a path can be told from a path.
struct Places {
  std::string tree;                     // the worktree (real path)
  std::string private_git_dir;          // tree/.git
  std::string common_git_dir;           // the repository's own: its object store and refs
  std::vector<std::string> checkouts;   // other checkouts of the same repository (the person's)
};

struct InterpretInput {
  Places places;
  std::vector<std::string> record_files;   // one per command, in order
  Oid snapshot;                            // the commit the reads are read from
  Changes writes;                          // what the transaction took, for masking
  // True when the snapshot's ignore rules ignore this untracked path.
  std::function<Result<bool>(const std::string& path)> ignored;
  // Cache of tool digests across runs, by (dev, ino, size, ctime): a file in the kernel's directory.
  std::string tool_cache_file;
};

// kCorrupt never: damaged records make the set unknown with the reason.
Result<ReadSet> interpret(const repo::Objects& objects, const InterpretInput& input);

}  // namespace gittxn::capture
