// init
#include <fmt/format.h>

#include "api/init.h"
#include "base/json_value.h"
#include "cli/session.h"

namespace gittxn::cli {

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
  request.clone = session.flag("--clone").value_or("");
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  const api::JoinReport joined = TRY(api::join_hub(kernel, request));
  if (session.json()) {
    session.out->json(Json{{"store", encode_path(joined.store)},
                           {"schema", joined.schema},
                           {"hub", encode_path(joined.hub)},
                           {"clone", joined.clone},
                           {"log", joined.log},
                           {"already", joined.already}});
  } else if (!session.quiet()) {
    session.out->text(fmt::format("{} {} lands on {}, with the store {}\n",
                                  joined.already ? "as before, this clone" : "this clone",
                                  clean(joined.clone), clean(joined.hub), clean(joined.store)));
  }
  return kExitDone;
}

}  // namespace gittxn::cli
