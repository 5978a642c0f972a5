// The preloaded library (preload/), which this program carries as bytes, as a file that programs
// can load: beside the records of the run it belongs to, for it is told where the ring is.
//
// It is there while the command runs. What a crash leaves is removed with the worktree; nobody
// loads it again.
#pragma once

#include <string>

#include "base/result.h"
#include "capture/trace/ring_layout.h"
#include "capture/trace/trace.h"

namespace gittxn::capture {

// The path for a run. A program built with a shared libasan refuses to start when another library
// is loaded before that one, which it looks for by a part of the name: so that is in ours.
std::string preload_path(const std::string& record_file);

// Writes it, mode 0500. kUnsupported: it could not be loaded from there (a path with a blank or a
// colon, a file system that runs nothing), or this architecture has none.
Status write_preload(const std::string& path, const ring::Config& config);

// LD_PRELOAD as it was, and the library behind what is in it.
void add_preload(const std::string& path, Environment* env);

}  // namespace gittxn::capture
