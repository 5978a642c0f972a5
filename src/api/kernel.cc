#include "api/kernel.h"

#include <fmt/format.h>

#include "gates/trust.h"
#include "store/events.h"
#include "txn/attempt.h"
#include "work/handlers.h"

namespace gittxn::api {

int schema_version() {
  return store::kSchemaVersion;
}

std::vector<std::string> event_types() {
  return store::events::types();
}

Result<Kernel> Kernel::open(Host host) {
  return Kernel(TRY(open_state(std::move(host))));
}

Result<Policy> Kernel::policy(const std::optional<std::string>& onto) {
  return state_->policy_on(TRY(state_->target(onto)));
}

Result<std::vector<std::string>> Kernel::trust_listing(const std::optional<std::string>& onto) {
  return gates::trusted_commands(TRY(policy(onto)));
}

Result<bool> Kernel::trusted(const std::optional<std::string>& onto) {
  const Policy found = TRY(policy(onto));
  if (found.trust_hash.empty()) return true;
  store::Store* store = TRY(state_->looking());
  if (store == nullptr) return false;
  return store->is_trusted(found.trust_hash);
}

Status Kernel::trust(const std::optional<std::string>& onto, const std::string& hash) {
  TRY(refuse_inside(state_->host, "trust"));
  const Policy found = TRY(policy(onto));
  if (found.trust_hash.str() != hash) {
    return fail(
        Code::kRefused,
        fmt::format("the policy on the branch has the hash {}, not {}",
                    found.trust_hash.empty() ? "of no commands" : found.trust_hash.str(), hash),
        "read what it would run with: git txn trust");
  }
  store::Store* store = TRY(state_->writing());
  const auto caller = TRY(state_->caller());
  TRY(gates::grant_trust(*store, found, caller));
  return register_handlers(*state_, found);
}

Result<int> Kernel::enter(const std::string& id, const std::vector<std::string>& command) {
  return api::enter(*state_, id, command);
}

}  // namespace gittxn::api
