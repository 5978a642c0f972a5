// Finds the looks that are an agent's housekeeping (agents/housekeeping.h): those of a process that
// runs a known file as the agent and reports its session through our hooks, and of the children by
// which it asks git. A look that a tool of the session may have made is none, and where a session
// is not known from its beginning to its end nothing is.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agents/housekeeping.h"
#include "capture/interpret.h"
#include "capture/paths/path_resolver.h"
#include "capture/read_log.h"
#include "capture/tool_digest.h"

namespace gittxn::capture {

class Housekeeping {
 public:
  Housekeeping(const InterpretInput& input, TreeModel& model, PathResolver& resolver,
               ToolDigest& tools)
      : input_(input), model_(model), resolver_(resolver), tools_(tools) {}

  // All records before any is interpreted, then start_over(): who starts a hook has looked before.
  void foresee(const Record& record) { follow(record); }
  void start_over();
  // Each kFork and each kExec that succeeded, in order; of a kExec the part that the process has
  // from now on.
  Process::Part next(const Record& record, const Resolved* program);
  bool covers(Process::Part part, ReadKind kind, std::string_view subject,
              std::string_view op) const;
  // A file of a git directory that the agent has for itself.
  bool is_own_git(Process::Part part, std::string_view path) const;
  // kYes: a known file that is run by one of the names that it has as a searcher.
  search::Vouched vouches_for(const Record& exec, const Resolved& program);

 private:
  struct Program {
    std::size_t before = 0;  // what its process ran before, or what started it
    bool perhaps_agent = false;
    bool reports = false;
    bool agent = false;  // found out when the records are read again
  };
  const agents::KnownProgram* known(const Resolved& program);
  bool sessions_allow(const agents::KnownProgram& program) const;
  std::size_t follow(const Record& record);
  void tools_failed();

  const InterpretInput& input_;
  TreeModel& model_;
  PathResolver& resolver_;
  ToolDigest& tools_;
  std::vector<Program> programs_{1};  // in the order of their starts; [0]: outside
  std::size_t started_ = 0;           // of them, since the beginning
  std::map<std::int32_t, std::size_t> runs_;
  const agents::KnownProgram* agent_ = nullptr;
  std::set<std::string> shown_;  // directories that a tool may have shown names of
  bool any_shown_ = false;       // and perhaps others
};

}  // namespace gittxn::capture
