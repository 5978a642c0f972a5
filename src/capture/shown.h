// Finds what an agent alone was shown: listings, and files, whose output was the answer of an
// agent's tool call and went nowhere else (docs/design/0040-answers.md). `x=$(ls)`, `cat f | wc -l`
// and `ls >f` are none.
//
// A tool call that ran a command is known by the agent's hooks, which say what the command was and
// when; its outermost process is a child of the program that starts these hooks, with the words of
// the command among its arguments. What that was given as standard output and error leads to the
// agent, if it leads to a pipe, a socket, a terminal or a file that the agent has not got for
// itself. A program that only lists names (of the system, or the agent's own file under another
// name), or only shows files (of the system; one that starts another process is none), and was
// given the same, or /dev/null, shows them to the agent alone. So does the agent itself with a file
// of one of its own tool calls. Unless anybody else can have read what it leads to:
//   - another program has such a pipe as its input
//   - somebody but the agent opens the file, moves or links it, or has it as input
//   - somebody opens what a descriptor leads to through /proc
//   - a command of a tool call reads a file outside that the agent has written since: it may have
//     put there what it was shown
// This fails closed: what is not known makes a read one that anybody may have computed with.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "capture/agent_processes.h"
#include "capture/interpret.h"
#include "capture/paths/path_resolver.h"

namespace gittxn::capture {

class Shown {
 public:
  Shown(const InterpretInput& input, const AgentProcesses& agents)
      : input_(input),
        agents_(agents),
        watches_(!input.commands.empty() ||
                 std::ranges::any_of(input.observations, &Observed::shown)) {}

  void forked(const Record& fork);
  // The numbers that reads of a process carry; 0: they are nobody's.
  struct Numbers {
    std::int64_t names = 0;    // listings, and searches by names
    std::int64_t files = 0;    // contents and metadata
    std::int64_t printed = 0;  // looks at the transaction's own files, by what only prints
  };
  // A program was started, as `agents` was told: what its process carries from now on.
  Numbers started(const Record& exec, const Resolved& program);
  // The agent looks at a file of one of its own calls.
  std::int64_t by_itself(std::int32_t pid);
  // A record with a path, resolved; `to` as in observer.h.
  void on_path(const Record& record, const Resolved& at, const Resolved* to);
  // After the last record: whether the agent alone was shown what carries the number.
  bool to_agent_alone(std::int64_t number) const;

 private:
  using Object = std::pair<std::uint64_t, std::uint64_t>;  // device, inode
  struct Call {
    std::int64_t agent = 0;  // the program
    std::uint64_t from = 0;  // record
    std::vector<Given> outputs = {};
    bool spoiled = false;
    bool by_itself = false;  // it is what the agent looks at for itself
  };
  // A process that shows something: what its reads carry.
  struct Showing {
    std::int64_t call = 0;
    bool spoiled = false;  // it has started another process
  };
  struct Agent {          // a start of a program that is of no call
    std::string program;  // its file
    std::vector<Given> given;
  };
  struct Written {
    std::int64_t program = 0;
    std::uint64_t last = 0;  // record
  };

  Call* call_of(std::int32_t pid);
  std::int64_t begin(const Record& exec);
  bool is_answer(const Given& output, std::int64_t agent) const;
  Numbers shows(const Record& exec, const Resolved& program, std::int64_t call);
  std::int64_t showing_of(std::int64_t call);
  bool leads_to_agent(const Given& output, const Call& call) const;
  void reads(std::int32_t pid, const std::string& real, const Object& object);
  bool was_read(const std::string& name, std::int64_t agent) const;

  const InterpretInput& input_;
  const AgentProcesses& agents_;
  bool watches_;  // an agent was shown something
  std::uint64_t now_ = 0;
  std::vector<Call> calls_;                             // by number - 1
  std::vector<Showing> showings_;                       // by number - 1
  std::map<std::int32_t, std::int64_t> shows_;          // process -> showing of files
  std::map<std::int64_t, std::int64_t> by_itself_;      // agent -> what it carries at present
  std::map<std::int32_t, std::int64_t> members_;        // process -> call
  std::map<std::int64_t, Agent> others_;                // starts of programs that are of no call
  std::set<Object> inputs_;                             // pipes that programs have as their input
  std::map<std::string, std::set<std::int64_t>> read_;  // file outside, object -> who read it
  std::map<std::string, Written> written_;              // files outside, by programs of no call
};

// True if a program that came with the system, as it was started, does nothing with the files that
// it reads but an edit: by its words alone, or as an editor at a terminal, for whoever types there.
bool only_edits(const Record& exec, const Resolved& program);

}  // namespace gittxn::capture
