// init
#include <fmt/format.h>

#include "api/init.h"
#include "base/json_value.h"
#include "cli/command_areas.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

Result<int> init_command(Session& session) {
  const auto store = session.flag("--store");
  const auto hub = session.flag("--hub");
  if (!store || !hub) {
    return fail(Code::kUsage,
                store || hub ? "git txn init needs both --store and --hub"
                             : "a repository of one machine needs no init",
                "for clones of several machines: git txn init --store URL --hub REMOTE");
  }
  api::JoinRequest request;
  request.store = *store;
  request.hub = *hub;
  request.schema = session.flag("--schema").value_or(request.schema);
  request.clone = session.text_of("--clone");
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  const api::JoinReport joined = TRY(api::join_hub(kernel, request));
  return session.done(Json{{"store", encode_path(joined.store)},
                           {"schema", joined.schema},
                           {"hub", encode_path(joined.hub)},
                           {"clone", joined.clone},
                           {"log", joined.log},
                           {"already", joined.already}},
                      fmt::format("{} {} lands on {}, with the store {}\n",
                                  joined.already ? "as before, this clone" : "this clone",
                                  clean(joined.clone), clean(joined.hub), clean(joined.store)));
}

const CommandSpec kInitCommand{
    .name = "init",
    .summary = "share one store with other clones that land on the same hub",
    .description =
        "A repository of one machine needs no init: the first command makes its store. With a hub, "
        "each clone has its own worktrees, and all of them one log, one queue and one set of "
        "leases, on the server; transactions begin at the hub's branch, and landing pushes the "
        "branch and its fence (a ref below refs/txn/fence/) in one atomic step. The local branch "
        "follows where that loses nothing.\n\nWhoever may write to the server's database may do "
        "what a transaction may: trust in a policy's commands is shared by all clones of a hub. To "
        "leave: git config --unset txn.hub.",
    .group = Group::kCare,
    .effect = Effect::kWrites,
    .handler = init_command,
    .flags = {{"--store", "URL",
               "the PostgreSQL server with the store of all clones: "
               "postgresql://USER@HOST/DATABASE, without a password (that belongs into ~/.pgpass)"},
              {"--hub", "REMOTE", "the remote of this clone whose branches they all land on"},
              {"--schema", "NAME", "the schema on the server, one for each hub (default git_txn)"},
              {"--clone", "NAME",
               "what this clone is called (default: the name of the host and a few letters)"}},
    .examples = {{"git txn init --store postgresql://txn@db.example.org/txn --hub origin",
                  "in each clone, on each machine"}},
    .outputs = {{"joined"}}};

}  // namespace

std::vector<CommandSpec> hub_commands() {
  return {kInitCommand};
}

}  // namespace gittxn::cli
