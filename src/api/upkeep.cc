// Verification and gates on demand.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/kernel.h"
#include "audit/audit.h"
#include "base/fs.h"
#include "base/json.h"
#include "gates/trust.h"
#include "land/hub.h"
#include "txn/state.h"

namespace gittxn::api {
namespace {

// Brings what others have landed, and says which fences are there.
Result<std::map<RefName, Oid>> look_at_hub(State& state, std::vector<std::string>& notes) {
  const land::Context context = TRY(state.context({}));
  std::map<RefName, Oid> fences;
  for (const store::BranchState& branch : TRY(state.store->branches())) {
    const auto asked = land::ask_hub(context, branch.branch);
    if (asked) {
      fences.emplace(branch.branch, asked->fence);
      continue;
    }
    notes.push_back(asked.error().message + ": only what was seen of it before is checked");
    break;
  }
  return fences;
}

constexpr std::string_view kByChain = "chain\n";

// What is found wrong with the log itself is remembered, so that nothing lands on it. A look that
// saw less takes nothing back.
Status note_damage(State& state, audit::Report& found, audit::Replay replay) {
  const std::string file = damage_file(state);
  const std::string_view by = replay == audit::Replay::kYes ? kByReplay : kByChain;
  std::size_t damage = 0;  // an event of a newer program is none: that one may go on
  while (found.newer.contains(damage)) ++damage;
  if (damage < found.of_log) {
    const std::string noting = fmt::format("{}{}\n", by, found.problems[damage]);
    const Status noted = write_file(file, noting, Sync::kYes);
    // The findings are told all the same.
    if (!noted) found.notes.push_back("it could not be noted: " + noted.error().message);
    return {};
  }
  const auto known = read_file(file, kMostDamageBytes);
  if (!known && known.error().code == Code::kNotFound) return {};
  if (!known) return std::unexpected(known.error());
  if (known->starts_with(kByReplay) && replay != audit::Replay::kYes) {
    found.notes.emplace_back(
        "git txn verify --replay had found it damaged; that look alone says "
        "when it no longer is");
    return {};
  }
  return remove_file(file);
}

}  // namespace

Result<audit::Report> Kernel::verify(bool replay) {
  store::Store* store = TRY(state_->looking());
  if (store == nullptr) return audit::verify_without_store(state_->repository);
  const audit::Replay again = replay ? audit::Replay::kYes : audit::Replay::kNo;
  const auto& hub = state_->membership.hub;
  audit::Place place = hub ? audit::Place{hub->clone, hub->remote} : audit::Place{};
  std::vector<std::string> notes;
  if (hub) place.fences = TRY(look_at_hub(*state_, notes));
  audit::Report report = TRY(audit::verify(state_->repository, *store, again, place));
  const std::vector<std::string> audited = std::exchange(report.notes, std::move(notes));
  TRY(note_damage(*state_, report, again));
  report.notes.insert(report.notes.end(), audited.begin(), audited.end());
  return report;
}

Result<Json> Kernel::state_at(Seq seq) {
  const store::Store* store = TRY(state_->recorded());
  return store->state_at(seq);
}

}  // namespace gittxn::api
