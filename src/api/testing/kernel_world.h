// A repository of the test's own, and the facade opened in it as one command would open it.
#pragma once

#include <string>
#include <utility>

#include "api/kernel.h"
#include "repo/testing/scratch_repo.h"

namespace gittxn::api::testing {

class KernelWorld {
 protected:
  Kernel kernel() { return kernel_in(scratch_.path()); }
  Kernel kernel_in(const std::string& cwd) {
    Host host;
    host.cwd = cwd;
    host.env = scratch_.env();
    host.clock = &clock_;
    host.random = &random_;
    host.json = true;  // the command's output goes to stderr
    return repo::testing::must(Kernel::open(std::move(host)));
  }
  // A small shell command for an agent; nobody is waited for.
  static RunOptions script(const std::string& text) {
    RunOptions options;
    options.command = {"sh", "-c", text};
    options.wait_ms = 0;
    return options;
  }

  repo::testing::ScratchRepo scratch_;
  SystemClock clock_;
  Random random_{7};
};

}  // namespace gittxn::api::testing
