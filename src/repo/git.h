// git's own program. Bytes in worktrees and checkouts always go through it (filters, sparse, split
// index, whatever it learns next); so does everything libgit2 cannot read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/subprocess.h"

namespace gittxn::repo {

// The caller's environment without every GIT_* variable that points git at a repository, an index,
// an object directory or a configuration (git rev-parse --local-env-vars); the rest as it is. For
// programs of the user that are run somewhere else: agents, gates.
Environment without_repository(const Environment& caller);
// without_repository, with LC_ALL=C, no pager, no terminal prompt, no optional locks, no
// replacement objects, and GIT_NO_LAZY_FETCH unset. For our own git commands.
Environment git_environment(const Environment& caller);
// What `git -c key=value txn ...` passed on: only for questions about the caller's own
// configuration.
Environment caller_config(const Environment& caller);

enum class Hooks { kOff, kOn };

struct GitOptions {
  std::string dir = {};    // -C
  Environment extra = {};  // added last, e.g. GIT_INDEX_FILE
  std::string input = {};
  std::int64_t timeout_ms = -1;
  Hooks hooks = Hooks::kOff;  // kOff: core.hooksPath=/dev/null, also for what git runs
};

// What an error of git's is told as: "git WHAT: SAID", as it stands on git's standard error. Where
// the system itself says why (a full disk), the advice is the system's.
std::unexpected<Error> git_failed(std::string_view what, std::string_view said);

class Git {
 public:
  explicit Git(const Environment& caller) : env_(git_environment(caller)) {}
  // Any exit status is a value.
  Result<Output> run(std::vector<std::string> args, const GitOptions& options) const;
  // Exit 0 or an error that quotes git's own message. Returns stdout.
  Result<std::string> must(std::vector<std::string> args, const GitOptions& options) const;
  // Likewise with this on its standard input; for an empty one nothing is run.
  Status feed(std::vector<std::string> args, GitOptions options, std::string input) const;
  // Likewise, for one that prints one line: without its end.
  Result<std::string> line(std::vector<std::string> args, const GitOptions& options) const;
  const Environment& env() const { return env_; }

 private:
  Environment env_;
};

}  // namespace gittxn::repo
