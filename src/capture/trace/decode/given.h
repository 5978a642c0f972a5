// Finds what standard input, output and error of a program that starts lead to (Given of trace.h).
#pragma once

#include <sys/types.h>

#include <vector>

#include "capture/trace/trace.h"

namespace gittxn::capture {

// The properties of an open file that count, as stat(2) says them.
struct OpenFile {
  mode_t mode = 0;
  dev_t device = 0;  // of a device: which one
  dev_t dev = 0;
  ino_t ino = 0;
};
// Its kind, dev and ino.
Given given_as(const OpenFile& file);

// Describes the descriptors 0 to 2 of a process that waits for us in thread `tid`; `process`: a
// descriptor of it (pidfd), or -1. They are copied for a moment, which nobody notices but a file
// system that is told of each close (NFS, FUSE).
std::vector<Given> given_to(pid_t tid, int process);

}  // namespace gittxn::capture
