// git's own program. Bytes in worktrees and checkouts always go through it (filters, sparse, split
// index, whatever it learns next); so does everything libgit2 cannot read.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/subprocess.h"

namespace gittxn::repo {

// The caller's environment without every GIT_* variable that points git at a repository, an index, an
// object directory or a configuration (git rev-parse --local-env-vars), with LC_ALL=C, no pager, no
// terminal prompt, no optional locks, and GIT_NO_LAZY_FETCH unset.
Environment git_environment(const Environment& caller);

struct GitOptions {
  std::string dir;                    // -C
  Environment extra;                  // added last, e.g. GIT_INDEX_FILE
  std::string input;
  std::int64_t timeout_ms = -1;
};

class Git {
 public:
  explicit Git(Environment caller) : env_(git_environment(caller)) {}
  // Any exit status is a value.
  Result<Output> run(std::vector<std::string> args, const GitOptions& options) const;
  // Exit 0 or an error that quotes git's own message. Returns stdout.
  Result<std::string> must(std::vector<std::string> args, const GitOptions& options) const;
  const Environment& env() const { return env_; }

 private:
  Environment env_;
};

}  // namespace gittxn::repo
