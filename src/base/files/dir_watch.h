// Waiting until a file of a directory is written, made or moved there (inotify). What changes
// between two waits ends the second at once, so: look, then wait, then look again. Linux queues
// what it tells, and drops some when nobody reads for long; a wait therefore always has a limit.
#pragma once

#include <cstdint>
#include <string>

#include "base/fs.h"
#include "base/result.h"

namespace gittxn {

class DirWatch {
 public:
  // kUnsupported: the user has no watch left (fs.inotify), or the file system cannot say.
  static Result<DirWatch> open(const std::string& dir);
  // Returns when something changed since the last call, after `ms`, or when a signal handler ran.
  Status wait(std::int64_t ms);
  int fd() const { return fd_.get(); }  // readable when wait() would return at once

 private:
  UniqueFd fd_;
};

}  // namespace gittxn
