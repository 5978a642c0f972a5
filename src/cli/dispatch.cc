// From a parsed command to its handler.
#include <fmt/format.h>

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "api/fence.h"
#include "api/work.h"
#include "base/json_value.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

using Handler = Result<int> (*)(Session&);

struct Entry {
  std::string_view name;
  Handler handler;
};
constexpr Entry kHandlers[] = {{"run", run_command},
                               {"begin", begin_command},
                               {"exec", exec_command},
                               {"commit", commit_command},
                               {"abort", abort_command},
                               {"stop", stop_command},
                               {"resume", resume_command},
                               {"open", open_command},
                               {"status", status_command},
                               {"log", log_command},
                               {"show", show_command},
                               {"diff", diff_command},
                               {"reads", reads_command},
                               {"writes", writes_command},
                               {"why", why_command},
                               {"symbols", symbols_command},
                               {"impact", impact_command},
                               {"merge-file", merge_file_command},
                               {"merge-driver", merge_driver_command},
                               {"hook", hook_command},
                               {"capture", capture_command},
                               {"mcp", mcp_command},
                               {"read", read_command},
                               {"instructions", instructions_command},
                               {"summary", summary_command},
                               {"events", events_command},
                               {"gate", gate_command},
                               {"trust", trust_command},
                               {"lease", lease_command},
                               {"sentinel", sentinel_command},
                               {"budget", budget_command},
                               {"propose", propose_command},
                               {"promote", promote_command},
                               {"proposals", proposals_command},
                               {"portfolio", portfolio_command},
                               {"workflow", workflow_command},
                               {"compensate", compensate_command},
                               {"init", init_command},
                               {"recover", recover_command},
                               {"verify", verify_command},
                               {"state", state_command},
                               {"gc", gc_command},
                               {"doctor", doctor_command},
                               {"version", version_command},
                               {"internal", internal_command}};

std::string inside_hint(std::string_view command) {
  if (command == "commit") return "your change lands by itself when the command has ended";
  if (command == "trust") return "saying yes to commands is for the person who owns the repository";
  return "what you change here lands with the transaction; do this outside of it";
}

// By the command, and of some by what is asked of it.
bool allowed_inside(const CommandSpec& command, const Parsed& args) {
  const std::string verb = args.operands.empty() ? "" : args.operands[0];
  if (command.name == "gate") return verb != "run";
  if (command.name == "workflow") return verb == "status" || verb == "list";
  if (command.name == "lease" || command.name == "sentinel") return verb == "list";
  if (command.name == "budget") return verb == "show";
  if (command.name == "portfolio") return verb.empty() || verb == "status";
  return command.inside == Inside::kAllowed;
}

}  // namespace

void Printer::text(std::string_view bytes) {
  while (!bytes.empty() && !gone_) {
    ssize_t n = write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      gone_ = true;
      if (errno != EPIPE) failure_ = fail_errno(errno, "writing the result").error();
      return;
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void Printer::json(const Json& value) {
  text(dump_json(value) + "\n");
}

int exit_status(Code code) {
  switch (code) {
    case Code::kUsage:
    case Code::kUnsupported:
    case Code::kRefused:
    case Code::kNotFound:
    case Code::kExists:
      return kExitUsage;
    case Code::kBusy:
    case Code::kStale:
    case Code::kTimeout:
    case Code::kInterrupted:
      return kExitNo;
    case Code::kFault:
    case Code::kCorrupt:
    case Code::kNewer:
    case Code::kNeedsGit:
    case Code::kOutcomeUnknown:
      return kExitFault;
  }
  return kExitFault;
}

Result<std::string> last_operand(const Session& session, std::string (*usage)(const std::string&),
                                 std::size_t index, std::string_view what) {
  const auto& operands = session.args.operands;
  if (operands.size() == index + 1) return operands[index];
  const std::string line = fmt::format("git txn {} {}", session.args.command->name, operands[0]);
  if (operands.size() <= index) {
    return fail(Code::kUsage, fmt::format("{} needs {}", line, what), usage(operands[0]));
  }
  return fail(Code::kUsage, fmt::format("{} takes no '{}'", line, clean(operands[index + 1])),
              usage(operands[0]));
}

Status check_inside(const Session& session) {
  auto inside = session.host.env.find("GIT_TXN_ID");
  if (inside == session.host.env.end() || inside->second.empty()) return {};
  const CommandSpec& command = *session.args.command;
  if (allowed_inside(command, session.args)) return {};
  return fail(Code::kRefused,
              fmt::format("git txn {} is refused inside a transaction (this is {})", command.name,
                          inside->second),
              inside_hint(command.name));
}

namespace {

// What is asked of a command that may append, and only looks: the first operand, or two of them.
constexpr std::pair<std::string_view, std::string_view> kLooks[] = {
    {"budget", "show"},    {"events", "consumer list"},
    {"events", "tail"},    {"gate", "list"},
    {"gate", "show"},      {"lease", "list"},
    {"portfolio", ""},     {"portfolio", "status"},
    {"proposals", ""},     {"proposals", "list"},
    {"proposals", "show"}, {"sentinel", "list"},
    {"summary", "check"},  {"summary", "list"},
    {"summary", "show"},   {"workflow", "list"},
    {"workflow", "status"}};

bool only_looks(const Parsed& args) {
  if (args.command->name == "open") return !args.has("--shell");
  if (args.command->name == "events" && args.has("--dry-run")) return true;
  const std::vector<std::string>& words = args.operands;
  const std::string verb = words.empty() ? "" : words[0];
  const std::string two = words.size() < 2 ? verb : verb + " " + words[1];
  return std::ranges::any_of(kLooks, [&](const auto& look) {
    return look.first == args.command->name && (look.second == verb || look.second == two);
  });
}

// Commands that may have appended events: they give them to the handlers, and what an earlier one
// has left. Who only looks must not run anything.
bool appends(const Session& session) {
  const CommandSpec& command = *session.args.command;
  constexpr std::string_view kThese[] = {"begin",     "events",  "gate",    "open",    "portfolio",
                                         "proposals", "promote", "propose", "summary", "workflow"};
  const bool may = command.inside == Inside::kRefused ||
                   std::ranges::find(kThese, command.name) != std::end(kThese);
  return may && !only_looks(session.args);
}

// Whatever came of the command: what it appended is given out before it exits. A failure of this is
// told, and is none of the command.
void deliver(Session& session) {
  const Status given =
      api::deliver_events(session.host, session.flag("--onto"), session.reporter->progress());
  if (!given)
    session.reporter->note("events were not given to their handlers: " + given.error().message);
}

}  // namespace

Result<int> dispatch(Session& session) {
  // These two an agent starts by itself, some without the variable. They do nothing that is a
  // person's, and to look a transaction up is git at work in the person's checkout, which counts as
  // a read of everything.
  const std::string_view name = session.args.command->name;
  if (name != "hook" && name != "mcp") api::restore_fence(session.host);
  TRY(check_inside(session));
  for (const Entry& entry : kHandlers) {
    if (entry.name != session.args.command->name) continue;
    Result<int> status = entry.handler(session);
    // What was refused, or broke, has nothing to give out.
    const bool ended = status || exit_status(status.error().code) == kExitNo;
    if (ended && appends(session)) deliver(session);
    return status;
  }
  return fail(Code::kFault, fmt::format("no handler for git txn {}", session.args.command->name));
}

}  // namespace gittxn::cli
