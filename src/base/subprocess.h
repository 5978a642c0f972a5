// Running other programs. No shell is ever involved; the environment is given whole; a child closes
// every descriptor it was not given before anything else (locks must not live on in it).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/fs.h"
#include "base/result.h"

namespace gittxn {

using Environment = std::map<std::string, std::string>;
Environment environment_from(char** envp);

struct Command {
  std::vector<std::string> argv;  // argv[0] is looked up in env PATH when it has no slash
  std::string cwd;                // empty: inherit
  Environment env;
  std::string input;             // given on stdin; stdin is /dev/null when empty
  std::int64_t timeout_ms = -1;  // < 0: none. On expiry: SIGTERM to the process group, then SIGKILL
  std::size_t max_output = 1u << 30;
  // When set, output goes here as it arrives (and is not collected). fd is 1 or 2.
  std::function<void(int fd, std::string_view bytes)> on_output;
};

struct Exit {
  int status = 0;  // exit status, or 128 + signal
  bool timed_out = false;
  bool success() const { return status == 0 && !timed_out; }
};

struct Output {
  Exit exit;
  std::string out;
  std::string err;
};

// Runs to completion in its own process group. An exit status other than 0 is a value, not an
// error; kNotFound when the program does not exist.
Result<Output> run(const Command& command);

// Child side, after fork and before exec: closes everything above stderr except `keep`.
void close_other_descriptors(const std::vector<int>& keep);

// argv as a person could paste it into a shell.
std::string quote_argv(const std::vector<std::string>& argv);

}  // namespace gittxn
