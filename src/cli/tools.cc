// mcp, read, instructions: what an agent calls, and what it is told.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "api/tree_tools.h"
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
  std::vector<api::DeclaredRead> reads;
  for (const std::string& operand : session.args.operands) {
    reads.push_back(TRY(api::parse_declared(operand)));
  }
  TRY(tools.declare(reads, session.flag("--reason").value_or(""), {}));
  if (session.json()) session.out->json({{"declared", reads.size()}});
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
