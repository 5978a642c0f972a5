// mcp, read, instructions: what an agent calls, and what it is told.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "api/agents.h"
#include "base/json_value.h"
#include "cli/session.h"
#include "mcp/server.h"

namespace gittxn::cli {

Result<int> mcp_command(Session& session) {
  if (isatty(0)) {
    return fail(Code::kUsage, "git txn mcp speaks with a program on standard input",
                "name it to an agent as an MCP server: claude mcp add git-txn -- git txn mcp");
  }
  // What was served is on record, so there is nothing to finish when somebody ends us.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
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
  declared.reason = session.flag("--reason").value_or("");
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
  if (session.json()) session.out->json({{"declared", declared.size()}});
  return kExitDone;
}

Result<int> instructions_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  const std::string text = TRY(kernel.instructions());
  if (session.json()) {
    session.out->json({{"instructions", text}});
  } else {
    session.out->text(text);
  }
  return kExitDone;
}

}  // namespace gittxn::cli
