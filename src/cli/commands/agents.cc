// hook, capture, mcp, read, instructions: what goes on beside an agent, what it calls, what it is
// told.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "api/agents.h"
#include "base/fs.h"
#include "cli/command_areas.h"
#include "cli/json_out.h"
#include "cli/session.h"
#include "mcp/server.h"

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
  api::HookCall call;
  call.event = session.args.operands.at(0);
  call.time_ms = session.host.clock->wall_ms();
  const auto into = session.flag("--into");
  call.observed =
      into ? join_path(session.host.cwd, *into) : variable(session.host.env, "GIT_TXN_OBSERVED");
  const api::HookAnswer answer = api::answer_hook(call);
  // Where this does not get out either, there is nobody to tell; and a status would stop the agent.
  Printer out(1);
  out.text(answer.output);
  if (!answer.trouble.empty()) {
    Printer(2).text("git txn hook: " + clean(answer.trouble) + "\n");
  }
  return kExitDone;
}

constexpr Printed<api::ImportReport> kImportedJson{
    "imported", "How many observations were imported, and what was left.",
    [](FieldIo& io, const api::ImportReport& report) {
      io.text("txn", report.txn.str());
      io.each_count({{"observations", report.observations},
                     {"damaged", report.damaged},
                     {"left_out", report.left_out}});
    }};

constexpr Printed<api::Declaration> kDeclaredJson{
    "declared", "How many reads were declared.", [](FieldIo& io, const api::Declaration& declared) {
      io.integer("declared", declared.size(), kNotNegative);
    }};

constexpr Printed<std::string> kInstructionsJson{
    "instructions", "What agents are told.",
    [](FieldIo& io, const std::string& text) { io.prose("instructions", text); }};

Result<int> capture_import(Session& session, api::Kernel& kernel) {
  const auto& operands = session.args.operands;
  std::optional<std::string> id;
  if (!operands.empty()) id = operands[0];
  const api::ImportReport report = TRY(api::import_otel(kernel, id, session.text_of("--otel")));
  const bool all = report.damaged + report.left_out == 0;
  return session.done(
      kImportedJson(report),
      fmt::format(
          "{} for {}{}\n", counted(report.observations, "observation"), clean(report.txn.str()),
          all ? ""
              : fmt::format("; {} not understood, {} left out", report.damaged, report.left_out)));
}

Result<int> mcp_command(Session& session) {
  if (isatty(0)) {
    return fail(Code::kUsage, "git txn mcp speaks with a program on standard input",
                "name it to an agent as an MCP server: claude mcp add git-txn -- git txn mcp");
  }
  // What was served is on record, so there is nothing to finish when somebody ends us.
  end_at_once_when_asked();
  api::TreeTools tools = TRY(api::TreeTools::open(session.host, session.flag("--into")));
  mcp::ServerOptions options;
  options.version = GIT_TXN_VERSION;
  TRY(mcp::serve(tools, options));
  return kExitDone;
}

Result<int> read_command(Session& session) {
  api::TreeTools tools = TRY(api::TreeTools::open(session.host, session.flag("--into")));
  const std::vector<std::string>& operands = session.args.operands;
  const auto pattern = session.flag("--search");
  const auto glob = session.flag("--glob");
  const bool searched = pattern || glob;
  api::Declaration declared;
  declared.reason = session.text_of("--reason");
  if (session.args.has("--absent")) {
    if (searched)
      return fail(Code::kUsage, "--absent names paths, and --search and --glob a search");
    declared.absent = operands;
  } else if (searched) {
    for (const std::string& path : operands.empty() ? std::vector<std::string>{"."} : operands) {
      api::SearchRequest request;
      request.pattern = pattern.value_or("");
      request.path = path;
      if (glob) request.globs = {*glob};
      declared.searches.push_back(std::move(request));
    }
  } else {
    for (const std::string& operand : operands) {
      declared.paths.push_back(TRY(api::parse_declared(operand)));
    }
  }
  if (declared.size() == 0) {
    return fail(Code::kUsage, "git txn read needs a path", "git txn read PATH[:FIRST-LAST]...");
  }
  TRY(tools.declare(declared, {}));
  return session.show(kDeclaredJson(declared), "");
}

Result<int> instructions_command(Session& session, api::Kernel& kernel) {
  const std::string text = TRY(api::instructions(kernel));
  return session.show(kInstructionsJson(text), text);
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
         .outputs = {{kImportedJson}}}}};

constexpr FlagSpec kToolsInto{
    "--into", "FOLDER", "where the transaction keeps observations (default: GIT_TXN_OBSERVED)",
    Value::kFolder};

const CommandSpec kMcpCommand{
    .name = "mcp",
    .summary = "serve an agent tools to read, search and list with",
    .description =
        "Speaks the Model Context Protocol (2026-07-28, 2025-11-25, 2025-06-18) on standard input "
        "and output. The tools read, search, list, status and declare_read serve the transaction's "
        "worktree and record exactly what they served: a range of lines or a search counts as "
        "that, and not as the whole files.\n\nOutside of a transaction they serve the checkout "
        "around the current directory, and nothing is recorded; so an agent may have it in its own "
        "settings: claude mcp add git-txn -- git txn mcp.",
    .group = Group::kAgents,
    .handler = mcp_command,
    .flags = {kToolsInto},
    .examples = {{"git txn mcp", "what the settings of an agent name as an MCP server"}},
    .outputs = {{""}}};

const CommandSpec kReadCommand{
    .name = "read",
    .summary = "declare what a change depends on",
    .description =
        "For an agent, inside a transaction: says that the change depends on these files, or lines "
        "of them, on the names in a directory, on the absence of a path or on the answer of a "
        "search. It counts as a read of the snapshot: the change does not land when it no longer "
        "holds. Lines hold where others were added above them. What is not so is refused at once: "
        "a path that does not exist, or lines that it does not have.",
    .group = Group::kAgents,
    .handler = read_command,
    .operands = {{"PATH[:FIRST-LAST]", Value::kText, 0, 1000}},
    .flags = {{"--absent", "", "the paths do not exist, and the change depends on that"},
              {"--search", "PATTERN",
               "which lines match this Perl expression below the paths (default: the current "
               "directory)"},
              {"--glob", "GLOB",
               "which files are there whose names match; with --search, search only those"},
              {"--reason", "TEXT", "why, for the record"},
              kToolsInto},
    .examples = {{"git txn read src/math.c:10-40 --reason 'the rounding rule'", "lines 10 to 40"},
                 {"git txn read docs/style.md src", "a whole file, and the names in a directory"},
                 {"git txn read --absent docs/guide.md", "that there is no such file"},
                 {"git txn read --search 'add\\(' --glob '*.c' src", "what the search answers"}},
    .outputs = {{kDeclaredJson}}};

const CommandSpec kInstructionsCommand{
    .name = "instructions",
    .summary = "print what agents are told",
    .description =
        "The text that agents get about working in a transaction, through the MCP server: the file "
        "that txn.instructions names, else the one that came with git-txn. To use another one: git "
        "config txn.instructions FILE.",
    .group = Group::kAgents,
    .handler = instructions_command,
    .examples = {{"git txn instructions | tee ~/git-txn.md", "a copy to edit"}},
    .outputs = {{kInstructionsJson}}};

}  // namespace

std::vector<CommandSpec> agent_commands() {
  return {kHookCommand, kCaptureCommand, kMcpCommand, kReadCommand, kInstructionsCommand};
}

}  // namespace gittxn::cli
