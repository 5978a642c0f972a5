// Usage of transactions, and the budgets that limit it (5-kernel, "Budgets"; F6).
//
// A report says where its numbers come from. Tokens, cost and tool calls are what an agent, a hook
// or a person says, so whoever misreports them is not caught here: budgets of these warn, marked
// best-effort, and `budget reconcile` compares them with the bill. Wall time and the bytes of a
// command's output are measured by git-txn alone, nobody can report them, and they are enforced.
//
// What was reported under one id counts once, in whatever transaction, by whatever source and
// however often: of two reports the larger numbers. Each report is added up for its transaction,
// the owner and the workflow of that, as they are when it comes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "model/event.h"
#include "store/store.h"

namespace gittxn::store {

// In the order of Amounts. Tokens of a prompt without what a cache gave or took; cost in millionths
// of the currency of the bill.
enum class Kind { kInput, kOutput, kCache, kCost, kCalls, kWall, kBytes };
inline constexpr std::size_t kKinds = 7;
using Amounts = std::array<std::int64_t, kKinds>;
inline constexpr std::int64_t kMaxAmount = 1'000'000'000'000'000;
// Kind by kind: what `next` says beyond what is known, and both together, which never overflows.
Amounts amounts_beyond(const Amounts& known, const Amounts& next);
Amounts amounts_sum(const Amounts& a, const Amounts& b);

std::string_view kind_name(Kind kind);  // "input", "output", "cache", "cost", "calls", ...
std::optional<Kind> kind_from_name(std::string_view name);
enum class Trust { kSelfReported, kMeasured };
Trust trust_of(Kind kind);

enum class UsageSource { kTranscript, kHook, kHand, kMeasured };
std::string_view usage_source_name(UsageSource source);

struct UsageItem {
  std::string id;  // what it is of: an answer of the model, a call of a tool, a command
  Amounts amounts{};
};
struct Usage {
  TxnId txn;
  UsageSource source = UsageSource::kHand;
  std::vector<UsageItem> items{};
};
inline constexpr std::size_t kMaxUsageItems = 2000;  // in one event
inline constexpr std::size_t kMaxUsageId = 512;

struct Scope {
  enum class Of { kTxn, kOwner, kWorkflow } of = Of::kTxn;
  std::string name;
  auto operator<=>(const Scope&) const = default;
};
std::string scope_text(const Scope& scope);  // "owner:bob", the subject of its events
std::vector<Scope> scopes_of(const Txn& txn);

struct Budget {
  Scope scope;
  Kind kind = Kind::kInput;
  std::int64_t limit = 0;
  Seq version = 0;  // the event that set it
  enum class Level { kWithin, kWarned, kExceeded } level = Level::kWithin;
};
inline constexpr std::int64_t kWarnPercent = 80;

Result<Amounts> used(const View& view, const Scope& scope);
Result<std::vector<Budget>> budgets_of(const View& view, const Scope& scope);
Result<std::vector<Budget>> all_budgets(const View& view);
// What is left of the enforced kind for this transaction, by the tightest budget; nullopt: no
// limit. Never below 0.
struct Left {
  std::int64_t amount = 0;
  Scope scope;
};
Result<std::optional<Left>> left_of(const View& view, const Txn& txn, Kind kind);

// The next three append under the write lock: the fact, and budget.warning and budget.exceeded for
// budgets that it brings over their levels, once each until the budget is set anew.
// kUsage: an amount out of bounds, an id that is empty or too long, something measured that is not
// ours to measure. kNotFound: no such transaction. Nothing new is success.
Status report_usage(Store& store, const Usage& usage,
                    Store::Durable durable = Store::Durable::kNow);
// What counts of an id, by all reports of it.
Result<Amounts> reported_of(const View& view, const std::string& id);
// The ids that begin so of which something counts, in no order.
Result<std::vector<std::string>> reported_ids(const View& view, const std::string& prefix);
// nullopt takes the budget away.
Status set_budget(Store& store, const Scope& scope, Kind kind, std::optional<std::int64_t> limit);
struct Reconciled {
  Scope scope;
  Kind kind = Kind::kCost;
  std::int64_t reported = 0;
  std::int64_t billed = 0;
  std::int64_t tolerance_percent = 0;
  bool within() const;  // of the billed figure
};
// Records what was compared; `reported` is filled in.
Status reconcile(Store& store, std::vector<Reconciled>& figures);

namespace events {
NewEvent usage_reported(const Usage& usage);
NewEvent budget_set(const Budget& budget, std::optional<std::int64_t> limit);
NewEvent budget_reached(const Budget& budget, Budget::Level level, std::int64_t used,
                        const TxnId& txn);
NewEvent budget_reconciled(const Reconciled& figures);
}  // namespace events

}  // namespace gittxn::store
