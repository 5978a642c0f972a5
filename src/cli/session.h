// One run of the program: what was asked, what the process is, where things are printed. The
// handlers of the commands get one and return the exit status.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/kernel.h"
#include "cli/parse.h"
#include "cli/reporter.h"
#include "cli/text.h"

namespace gittxn::cli {

inline constexpr int kExitDone = 0;
inline constexpr int kExitNo = 1;
inline constexpr int kExitFault = 2;
inline constexpr int kExitUsage = 3;
// Of a merge driver: to git, 1 to 128 is a conflict whose text has been written.
inline constexpr int kExitDriver = 129;

// Standard output. A reader that went away (`| head`) ends the printing quietly; any other failure
// is remembered, because a result that nobody got is a fault.
class Printer {
 public:
  explicit Printer(int fd) : fd_(fd) {}
  void text(std::string_view bytes);
  void json(const Json& value);  // one line
  const std::optional<Error>& failure() const { return failure_; }
  bool gone() const { return gone_; }  // nobody reads any more, or it failed

 private:
  int fd_;
  bool gone_ = false;
  std::optional<Error> failure_;
};

struct Session {
  Parsed args;
  api::Host host;
  Style style;  // of standard output
  bool output_is_terminal = false;
  Printer* out = nullptr;
  Reporter* reporter = nullptr;

  const std::string& id() const { return args.operands.at(0); }  // of commands that take one
  bool json() const { return args.has("--json"); }
  bool quiet() const { return args.has("--quiet"); }
  std::optional<std::string> flag(const std::string& name) const { return args.text(name); }
};

// The operand at `index`, and none behind it, of a verb whose usage is what `usage(verb)` says.
Result<std::string> last_operand(const Session& session, std::string (*usage)(const std::string&),
                                 std::size_t index, std::string_view what);

int exit_status(Code code);
// Refuses, by name, what must not be done from inside a transaction.
Status check_inside(const Session& session);
// Runs the command that was parsed.
Result<int> dispatch(Session& session);

// The handlers, by floor of interest. Each is in the file its comment names.
Result<int> run_command(Session&);  // work.cc
Result<int> begin_command(Session&);
Result<int> exec_command(Session&);
Result<int> commit_command(Session&);
Result<int> abort_command(Session&);
Result<int> stop_command(Session&);
Result<int> resume_command(Session&);
Result<int> open_command(Session&);
Result<int> status_command(Session&);  // look.cc
Result<int> log_command(Session&);
Result<int> show_command(Session&);
Result<int> diff_command(Session&);
Result<int> reads_command(Session&);
Result<int> writes_command(Session&);
Result<int> why_command(Session&);
Result<int> symbols_command(Session&);  // symbols.cc
Result<int> impact_command(Session&);
Result<int> merge_file_command(Session&);  // merge.cc
Result<int> merge_driver_command(Session&);
Result<int> hook_command(Session&);  // agents.cc
Result<int> capture_command(Session&);
Result<int> mcp_command(Session&);  // tools.cc
Result<int> read_command(Session&);
Result<int> instructions_command(Session&);
Result<int> summary_command(Session&);  // summary.cc
Result<int> events_command(Session&);   // events.cc
Result<int> gate_command(Session&);     // policy.cc
Result<int> trust_command(Session&);
Result<int> lease_command(Session&);  // leases.cc
Result<int> sentinel_command(Session&);
Result<int> budget_command(Session&);   // budgets.cc
Result<int> propose_command(Session&);  // proposals.cc
Result<int> promote_command(Session&);
Result<int> proposals_command(Session&);
Result<int> portfolio_command(Session&);   // portfolio.cc
Result<int> recover_command(Session&);     // care.cc
Result<int> workflow_command(Session&);    // workflow.cc
Result<int> compensate_command(Session&);  // compensate.cc
Result<int> init_command(Session&);        // hub.cc
Result<int> recover_command(Session&);     // care.cc
Result<int> verify_command(Session&);
Result<int> state_command(Session&);
Result<int> gc_command(Session&);
Result<int> doctor_command(Session&);
Result<int> version_command(Session&);
Result<int> internal_command(Session&);

}  // namespace gittxn::cli
