// Finds the processes that are agents: those that start `git-txn hook`, by themselves or through
// others. Told each record of a new and of a started process, in order.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "capture/trace/trace.h"

namespace gittxn::capture {

// A process that starts `git-txn hook`, by which its agent reports a tool call.
bool starts_hook(const Record& exec);

class AgentProcesses {
 public:
  void on_process(const Record& record);
  // It has started a hook of ours, so it reports its tool calls.
  bool reports(std::int32_t pid) const { return reporting_.contains(pid); }
  // The program that a process runs, by a number of this start of it: a child has the number of its
  // parent until it starts another. 0: not known.
  std::int64_t program(std::int32_t pid) const { return of(programs_, pid); }
  // ... that it ran before: its parent's, where it has started no other.
  std::int64_t program_before(std::int32_t pid) const { return of(before_, pid); }
  // A process that runs this start of a program has started a hook.
  bool is_agent(std::int64_t program) const { return program != 0 && agents_.contains(program); }
  // ... and is the agent itself: the nearest program above a hook that had started a hook before. A
  // script that runs the agent is further above, and a shell of a hook is new each time.
  bool is_itself(std::int64_t program) const { return itself_.contains(program); }

 private:
  using Programs = std::map<std::int32_t, std::int64_t>;
  static std::int64_t of(const Programs& programs, std::int32_t pid) {
    const auto at = programs.find(pid);
    return at == programs.end() ? 0 : at->second;
  }

  std::map<std::int32_t, std::int32_t> parents_;
  Programs programs_, before_;
  std::set<std::int32_t> reporting_;
  std::set<std::int64_t> agents_, itself_;
  std::int64_t started_ = 0;
};

}  // namespace gittxn::capture
