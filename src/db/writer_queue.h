// A fair place in line for whoever wants to write.
//
// SQLite lets one process write at a time and makes the others poll; under load its busy wait
// starves some of them for a second and more. Here the line forms before SQLite is asked, so its
// own wait is never reached by our processes.
//
// The line is a row of bytes of one file, each a lock that dies with its holder
// (open-file-description locks): NOW, and sixteen places behind it. Who wants to write takes the
// last place, and then each time the one in front of it before it lets its own go, so that nobody
// is passed by somebody who came later, however often that one comes again. Waiting is looking,
// with short pauses: the kernel has no lock wait with a deadline that leaves signals alone, and a
// plain blocking wait would hang for ever behind a stopped process. One that is stopped in the line
// is passed after a second; one that is stopped while it writes keeps all others waiting.
#pragma once

#include <cstdint>
#include <string>

#include "base/fs.h"
#include "base/result.h"

namespace gittxn::db {

class WriterQueue {
 public:
  // The file is created when absent (0600) and never unlinked. Where it is there and may only be
  // read (from inside of a confinement) the queue is had all the same, and nobody enters it:
  // kFault.
  static Result<WriterQueue> open(const std::string& path);

  // Held until destroyed; must not outlive its queue.
  class Turn {
   public:
    Turn(Turn&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn();

   private:
    friend class WriterQueue;
    explicit Turn(int fd) : fd_(fd) {}
    int fd_;
  };
  // kBusy when the turn did not come in time: somebody is stopped in the middle of writing.
  Result<Turn> enter(std::int64_t deadline_ms);

 private:
  WriterQueue(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}
  UniqueFd fd_;
  std::string path_;
  bool only_read_ = false;
};

}  // namespace gittxn::db
