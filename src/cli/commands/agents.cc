// hook, capture: what goes on beside an agent.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "api/agents.h"
#include "base/fs.h"
#include "base/json_value.h"
#include "cli/command_areas.h"
#include "cli/json_out.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

// An agent that gives its hook up sends a signal, and waits for what it kills.
void end_at_once_when_asked() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
}

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

Result<int> capture_import(Session& session, api::Kernel& kernel) {
  const auto& operands = session.args.operands;
  std::optional<std::string> id;
  if (!operands.empty()) id = operands[0];
  const api::ImportReport report = TRY(kernel.import_otel(id, session.text_of("--otel")));
  const bool all = report.damaged + report.left_out == 0;
  return session.done(
      {{"txn", encode_path(report.txn.str())},
       {"observations", report.observations},
       {"damaged", report.damaged},
       {"left_out", report.left_out}},
      fmt::format(
          "{} for {}{}\n", counted(report.observations, "observation"), clean(report.txn.str()),
          all ? ""
              : fmt::format("; {} not understood, {} left out", report.damaged, report.left_out)));
}

const CommandSpec kHookCommand{
    .name = "hook",
    .summary = "note an event of an agent's hook",
    .description =
        "Reads one event of Claude Code or Codex from standard input and notes it for the "
        "transaction that the agent works in. Prints nothing, unless something the agent has read "
        "changed meanwhile: then what to tell it. `git txn run` adds such hooks to the agents it "
        "knows by itself.\n\nIt never fails the agent: outside a transaction, with an event that "
        "makes no sense, or with a full disk it exits 0 all the same.",
    .group = Group::kAgents,
    .stability = Stability::kInternal,
    .handler = hook_command,
    .operands = {{"EVENT"}},
    .flags = {{"--into", "FOLDER",
               "where the transaction keeps observations (default: GIT_TXN_OBSERVED; without "
               "either nothing is done)",
               Value::kFolder, "", "", Stability::kInternal}},
    .examples = {{"git txn hook PostToolUse",
                  "what to put into an agent's settings as a hook of that event"}},
    .outputs = {{""}}};

const CommandSpec kCaptureCommand{
    .name = "capture",
    .summary = "import what another program observed of an agent",
    .description =
        "Turns spans with file arguments into declared reads of an open transaction. Without ID: "
        "the transaction this is called in, else the only open one.",
    .group = Group::kAgents,
    .subcommands = {
        {.name = "capture import",
         .summary = "take spans of OpenTelemetry for reads",
         .handler = capture_import,
         .operands = {{"ID", Value::kTxn, 0, 1}},
         .flags = {needed({"--otel", "FILE", "an export of OpenTelemetry spans, as OTLP JSON"})},
         .examples = {{"git txn capture import --otel spans.json t-7k2m",
                       "what the tools of a framework say that they read"}},
         .outputs = {{"imported"}}}}};

}  // namespace

std::vector<CommandSpec> agent_commands() {
  return {kHookCommand, kCaptureCommand};
}

}  // namespace gittxn::cli
