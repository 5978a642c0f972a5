// The preloaded library (preload/), which this program carries as bytes, as a file that programs
// can load: beside the records of the run it belongs to, for it is told where the ring is.
//
// It is there while the command runs. What a crash leaves is removed with the worktree; nobody
// loads it again.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "capture/trace/ring_layout.h"
#include "capture/trace/trace.h"

namespace gittxn::capture {

// The path for a run, a symbolic link to the library beside it. A program built with a shared
// libasan (gcc's way) refuses to start when another library is loaded before that one, which it
// looks for by a part of the name that was to be loaded: so that is in ours. One that has it built
// in (clang's way) refuses when such a name is mapped, which is the name of the file itself.
std::string preload_path(const std::string& record_file);

// Writes both, mode 0500; remove_preload removes both. kUnsupported: it could not be loaded from
// there (a path with a blank or a colon, a file system that runs nothing), or this architecture has
// none.
Status write_preload(const std::string& path, const ring::Config& config);
Status remove_preload(const std::string& path);

// Whether `opened` is the library of the run, by either name: a loader opens the link, and what
// looks into the files that are mapped (valgrind, for their symbols) the file behind it.
bool is_preload(const std::string& path, std::string_view opened);

// LD_PRELOAD as it was, and the library behind what is in it.
void add_preload(const std::string& path, Environment* env);
// LD_PRELOAD without the libraries of this and any other run.
std::string without_preload(std::string_view value);

}  // namespace gittxn::capture
