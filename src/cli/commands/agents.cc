// hook, capture: what goes on beside an agent.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "api/agents.h"
#include "base/fs.h"
#include "base/json_value.h"
#include "cli/json_out.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

// An agent that gives its hook up sends a signal, and waits for what it kills.
void end_at_once_when_asked() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
}

}  // namespace

Result<int> hook_command(Session& session) {
  if (isatty(0)) {
    return fail(Code::kUsage, "git txn hook reads an event from standard input",
                "it is for the hooks of an agent; git txn run adds them by itself");
  }
  end_at_once_when_asked();
  const auto observed = session.host.env.find("GIT_TXN_OBSERVED");
  api::HookCall call;
  call.event = session.args.operands.at(0);
  call.time_ms = session.host.clock->wall_ms();
  if (auto into = session.flag("--into")) {
    call.observed = join_path(session.host.cwd, *into);
  } else if (observed != session.host.env.end()) {
    call.observed = observed->second;
  }
  const api::HookAnswer answer = api::answer_hook(call);
  // Where this does not get out either, there is nobody to tell; and a status would stop the agent.
  Printer out(1);
  out.text(answer.output);
  if (!answer.trouble.empty()) {
    Printer(2).text("git txn hook: " + clean(answer.trouble) + "\n");
  }
  return kExitDone;
}

Result<int> capture_command(Session& session) {
  const auto file = session.flag("--otel");
  if (!file) {
    return fail(Code::kUsage, "git txn capture import needs --otel FILE",
                "git txn capture import --otel spans.json");
  }
  const auto& operands = session.args.operands;
  std::optional<std::string> id;
  if (operands.size() > 1) id = operands[1];
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  const api::ImportReport report = TRY(kernel.import_otel(id, *file));
  if (session.json()) {
    session.out->json({{"txn", encode_path(report.txn.str())},
                       {"observations", report.observations},
                       {"damaged", report.damaged},
                       {"left_out", report.left_out}});
    return kExitDone;
  }
  if (session.quiet()) return kExitDone;
  session.out->text(fmt::format(
      "{} for {}{}\n", counted(static_cast<std::int64_t>(report.observations), "observation"),
      clean(report.txn.str()),
      report.damaged + report.left_out == 0
          ? ""
          : fmt::format("; {} not understood, {} left out", report.damaged, report.left_out)));
  return kExitDone;
}

}  // namespace gittxn::cli
