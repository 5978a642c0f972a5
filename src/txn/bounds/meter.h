// The bytes that a command prints, counted as they pass: its standard output and standard error are
// pipes of ours then, and everything is handed on at once.
#pragma once

#include <cstdint>

#include "base/fs.h"
#include "capture/trace/trace.h"

namespace gittxn::api {

class OutputMeter {
 public:
  // Puts its pipes into `spec`, in front of the descriptors that are there.
  Status open(capture::TraceSpec& spec);
  // Hands on what has come. To be called often, and once after the command has ended. Where nobody
  // reads any more the pipe is closed, and the command gets what it would have got without us.
  void pass();
  std::int64_t bytes() const { return bytes_; }

 private:
  struct Stream {
    UniqueFd from, command;  // the ends of the pipe
    int to = -1;
  };
  void pass(Stream& stream);

  Stream streams_[2];
  UniqueFd both_;  // an epoll instance: readable when either is
  std::int64_t bytes_ = 0;
};

}  // namespace gittxn::api
