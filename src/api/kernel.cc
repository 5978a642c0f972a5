#include "api/kernel.h"

#include <fmt/format.h>

#include "gates/trust.h"
#include "land/judge/rules.h"
#include "txn/attempt.h"
#include "txn/serve/agent_run.h"
#include "txn/serve/instructions.h"
#include "txn/state.h"
#include "work/recovery.h"
#include "work/handlers.h"

namespace gittxn::api {

Result<Kernel> Kernel::open(Host host) {
  return Kernel(TRY(open_state(std::move(host))));
}

Kernel::Kernel(std::unique_ptr<State> state) : state_(std::move(state)) {}
Kernel::Kernel(Kernel&&) noexcept = default;
Kernel& Kernel::operator=(Kernel&&) noexcept = default;
Kernel::~Kernel() = default;

Result<Policy> Kernel::policy(const std::optional<std::string>& onto) {
  const RefName branch = TRY(state_->target(onto));
  const Oid head = TRY(state_->seen(branch));
  return state_->policy_at(head);
}

Result<std::vector<std::string>> Kernel::trust_listing(const std::optional<std::string>& onto) {
  const Policy found = TRY(policy(onto));
  return gates::trusted_commands(found);
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

Result<std::string> Kernel::instructions() {
  return api::instructions(*state_);
}

Result<ImportReport> Kernel::import_otel(const std::optional<std::string>& id,
                                         const std::string& file) {
  return api::import_otel(*state_, id, file);
}

Result<int> Kernel::enter(const std::string& id, const std::vector<std::string>& command) {
  return api::enter(*state_, id, command);
}

Result<SummaryLine> Kernel::add_summary(const SummaryRequest& request) {
  return api::add_summary(*state_, request);
}

Result<std::vector<SummaryLine>> Kernel::summaries(const std::optional<std::string>& onto,
                                                   const std::vector<std::string>& names) {
  return api::summaries(*state_, onto, names);
}

Result<ShownSummary> Kernel::summary(const std::string& name,
                                     const std::optional<std::string>& onto, IfStale if_stale) {
  return api::summary(*state_, name, onto, if_stale);
}

Status Kernel::remove_summary(const std::string& name) {
  return api::remove_summary(*state_, name);
}

Result<std::vector<std::string>> Kernel::recover(const Progress& progress) {
  return api::recover(*state_, progress);
}

}  // namespace gittxn::api
