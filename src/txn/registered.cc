#include "txn/registered.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bug.h"
#include "store/events.h"
#include "store/work/compensations.h"
#include "txn/state.h"

namespace gittxn::api {

namespace events = store::events;

Status check_request(const Compensation& asked) {
  constexpr std::size_t kMaxCompensationName = 256;
  constexpr std::size_t kMaxArgvBytes = 64u << 10;
  if (asked.argv.empty() || asked.argv.front().empty()) {
    return fail(Code::kUsage, "no command to run", "git txn compensate -- COMMAND...");
  }
  std::size_t bytes = 0;
  for (const std::string& word : asked.argv) bytes += word.size() + 1;
  if (asked.name.size() > kMaxCompensationName || bytes > kMaxArgvBytes) {
    return fail(Code::kUsage, "the compensation is too long",
                "at most 64 KiB of arguments; put the rest into a script");
  }
  return {};
}

Result<Compensation> register_for(State& state, const TxnId& id, Compensation asked) {
  TRY(check_request(asked));
  store::Store* store = TRY(state.writing());
  const auto decision = [&](const store::View& view) -> Result<std::vector<NewEvent>> {
    const auto txn = TRY(view.txn(id));
    if (!txn || txn->state != TxnState::kOpen || txn->attempts.empty()) {
      return fail(Code::kUsage, id.str() + " is not an open transaction of this repository");
    }
    const auto known = TRY(store::compensations(view, id));
    if (known.size() >= store::kMaxCompensations) {
      return fail(Code::kUsage,
                  fmt::format("{} has {} compensations already", id.str(), known.size()));
    }
    asked.number = static_cast<int>(known.size()) + 1;
    asked.attempt = static_cast<int>(txn->attempts.size());
    return std::vector<NewEvent>{events::compensation_registered(id, asked)};
  };
  TRY(store->decide(decision));
  return asked;
}

Result<std::vector<Compensation>> owed_compensations(State& state, const Txn& txn) {
  std::vector<Compensation> owed;
  if (!store::ended_without_landing(txn) && !INJECTED_BUG("compensation.always")) return owed;
  owed = TRY(store::compensations(*state.store, txn.id));
  std::erase_if(owed, [](const Compensation& one) { return one.ended; });
  std::ranges::reverse(owed);  // what was done last is undone first
  return owed;
}

}  // namespace gittxn::api
