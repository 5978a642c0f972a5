// From a parsed command to its handler.
#include <fmt/format.h>

#include <unistd.h>
#include <cerrno>
#include <nlohmann/json.hpp>

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
                               {"gate", gate_command},
                               {"trust", trust_command},
                               {"workflow", workflow_command},
                               {"compensate", compensate_command},
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

// Commands that only look, but for these.
bool writes(const CommandSpec& command, const Parsed& args) {
  if (command.name == "gate") return args.operands[0] == "run";
  if (command.name != "workflow") return false;
  return args.operands[0] != "status" && args.operands[0] != "list";
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

Status check_inside(const Session& session) {
  auto inside = session.host.env.find("GIT_TXN_ID");
  if (inside == session.host.env.end() || inside->second.empty()) return {};
  const CommandSpec& command = *session.args.command;
  if (command.inside == Inside::kAllowed && !writes(command, session.args)) return {};
  return fail(Code::kRefused,
              fmt::format("git txn {} is refused inside a transaction (this is {})", command.name,
                          inside->second),
              inside_hint(command.name));
}

Result<int> dispatch(Session& session) {
  TRY(check_inside(session));
  for (const Entry& entry : kHandlers) {
    if (entry.name == session.args.command->name) return entry.handler(session);
  }
  return fail(Code::kFault, fmt::format("no handler for git txn {}", session.args.command->name));
}

}  // namespace gittxn::cli
