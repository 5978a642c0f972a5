// git-txn as a function. What a process is comes in as a value, but for its three standard
// descriptors and its directory, which the commands of transactions inherit.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/subprocess.h"

namespace gittxn::cli {

struct Process {
  std::vector<std::string> arguments;  // without the name of the program
  Environment env;
  std::string
      program;  // its path, for hooks; empty where nobody knows, and agents have no hooks then
  Clock* clock = nullptr;
  Random* random = nullptr;
  std::atomic<int>* interrupts = nullptr;  // how often we were asked to stop; taken one by one
};

// The exit status.
int run_program(Process process);

}  // namespace gittxn::cli
