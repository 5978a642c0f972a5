// Inside of a transaction, whatever the environment says.
#include "api/kernel.h"

#include <algorithm>

#include "base/fence.h"
#include "txn/state.h"

namespace gittxn::api {

namespace {

constexpr const char* kInside = "GIT_TXN_ID";

// The transaction of this store that one of the ids stands for. What the kernel keeps of a name may
// be the beginning of an id.
std::string known_here(const Host& host, const std::vector<std::string>& ids) {
  const auto state = open_state(host);
  if (!state) return {};  // no repository, so there is nothing here to be inside of
  for (const std::string& id : ids) {
    // No store, or no such transaction: of another repository.
    if (const auto txn = (*state)->find(id); txn && txn->id.str().starts_with(id)) {
      return txn->id.str();
    }
  }
  return {};
}

}  // namespace

void restore_fence(Host& host) {
  // A caller that claims to be inside is refused a person's commands, whichever id it names.
  if (!host.variable(kInside).empty()) return;
  std::vector<std::string> ids = ids_of_mark(fence_mark());
  const std::string compensated = host.variable("GIT_TXN_COMPENSATES");
  if (!compensated.empty() && std::ranges::find(ids, compensated) != ids.end()) return;
  for (std::string& id : ids_of_ancestors()) ids.push_back(std::move(id));
  if (ids.empty()) return;
  const std::string inside = known_here(host, ids);
  if (!inside.empty()) host.env[kInside] = inside;
}

}  // namespace gittxn::api
