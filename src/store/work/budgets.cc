#include "store/work/budgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/json.h"
#include "model/names.h"
#include "store/area.h"
#include "store/rows.h"

namespace gittxn::store {
namespace {

constexpr NameTable<Kind, kKinds> kKindNames{{{Kind::kInput, "input"},
                                              {Kind::kOutput, "output"},
                                              {Kind::kCache, "cache"},
                                              {Kind::kCost, "cost"},
                                              {Kind::kCalls, "calls"},
                                              {Kind::kWall, "wall"},
                                              {Kind::kBytes, "bytes"}}};
constexpr NameTable<UsageSource, 4> kUsageSources{{{UsageSource::kTranscript, "transcript"},
                                                   {UsageSource::kHook, "hook"},
                                                   {UsageSource::kHand, "hand"},
                                                   {UsageSource::kMeasured, "measured"}}};

}  // namespace

// A kind that was not used is not there.
static void fields(FieldIo& io, UsageItem& item) {
  io.thing("usage");
  io.text("id", item.id);
  for (std::size_t i = 0; i < kKinds; ++i) {
    const char* name = kKindNames[i].second.data();
    if (!io.maybe(name, item.amounts[i])) continue;
    io.integer(name, item.amounts[i], {.least = 0, .most = kMaxAmount});
  }
  if (item.id.empty() || item.id.size() > kMaxUsageId) io.wrong("id", "empty, or too long");
}

// The subjects of the events say whose these are.
static void fields(FieldIo& io, Usage& usage) {
  io.choice("source", usage.source, kUsageSources);
  io.list("items", usage.items);
}

static void fields(FieldIo& io, Reconciled& figures) {
  bool within = figures.within();
  io.choice("kind", figures.kind, kKindNames);
  io.integer("reported", figures.reported, kNotNegative);
  io.integer("billed", figures.billed, kNotNegative);
  io.integer("tolerance_percent", figures.tolerance_percent, kNotNegative);
  io.boolean("within", within);
}

namespace {

constexpr std::string_view kScopeNames[] = {"txn", "owner", "workflow"};
constexpr std::string_view kLevelNames[] = {"within", "warned", "exceeded"};
constexpr std::string_view kAmountColumns = "input, output, cache, cost, calls, wall, bytes";

Result<Kind> kind_of(std::string_view name) {
  if (const auto kind = kind_from_name(name)) return *kind;
  return fail(Code::kCorrupt, "no such kind");
}

Result<Scope> scope_from_text(std::string_view text) {
  const std::size_t colon = text.find(':');
  for (std::size_t i = 0; i < std::size(kScopeNames); ++i) {
    if (text.substr(0, colon) == kScopeNames[i] && colon + 1 < text.size()) {
      return Scope{static_cast<Scope::Of>(i), std::string(text.substr(colon + 1))};
    }
  }
  return fail(Code::kCorrupt, fmt::format("'{}' has no budget", text));
}

Amounts amounts_of(const db::Statement& row) {
  Amounts amounts{};
  for (std::size_t i = 0; i < kKinds; ++i) amounts[i] = row.integer(static_cast<int>(i));
  return amounts;
}

Result<Amounts> item(const db::Database& database, const std::string& id) {
  return TRY(database.first(amounts_of,
                            fmt::format("SELECT {} FROM usage_items WHERE id = ?", kAmountColumns),
                            encode_path(id)))
      .value_or(Amounts{});
}

Result<Amounts> total(const db::Database& database, const Scope& scope) {
  return TRY(database.first(
                 amounts_of,
                 fmt::format("SELECT {} FROM usage_totals WHERE scope = ?", kAmountColumns),
                 encode_path(scope_text(scope))))
      .value_or(Amounts{});
}

// In `table`, whose key is its first column.
Status save_amounts(db::Database& database, std::string_view table, std::string_view key_column,
                    const std::string& key, const Amounts& amounts) {
  const auto save = [&](const auto&... amount) {
    return save_row(database, table, key_column, kAmountColumns, encode_path(key), amount...);
  };
  return std::apply(save, amounts);
}

struct BudgetSet {
  Kind kind = Kind::kInput;
  std::optional<std::int64_t> limit;
};
void fields(FieldIo& io, BudgetSet& set) {
  io.choice("kind", set.kind, kKindNames);
  if (io.or_null("limit", set.limit)) {
    io.integer({"limit", "null takes it away"}, *set.limit, {.least = 1, .most = kMaxAmount});
  }
}

struct BudgetReached {
  Kind kind = Kind::kInput;
  std::int64_t limit = 0;
  std::int64_t used = 0;
  Seq version = 0;
  bool best_effort = false;
  TxnId txn;
};
void fields(FieldIo& io, BudgetReached& reached) {
  io.choice("kind", reached.kind, kKindNames);
  io.integer("limit", reached.limit, kPositive);
  io.integer("used", reached.used, kNotNegative);
  io.integer({"version", "the seq of its `budget.set`"}, reached.version, kNotNegative);
  io.boolean({"best_effort", "true: as reported"}, reached.best_effort);
  io.name({"txn", "whose report it was, \"\" none"}, reached.txn);
}

Status reported(db::Database& database, const Event& event, const Usage& told) {
  const std::optional<Txn> txn = TRY(load_txn(database, TxnId(event.subject)));
  if (!txn) return stale(event, "there is no such transaction");
  Amounts more{};
  for (const UsageItem& one : told.items) {
    const Amounts known = TRY(item(database, one.id));
    const Amounts added = amounts_beyond(known, one.amounts);
    if (added == Amounts{}) continue;
    TRY(save_amounts(database, "usage_items", "id", one.id, amounts_sum(known, added)));
    more = amounts_sum(more, added);
  }
  for (const Scope& scope : scopes_of(*txn)) {
    const Amounts before = TRY(total(database, scope));
    TRY(save_amounts(database, "usage_totals", "scope", scope_text(scope),
                     amounts_sum(before, more)));
  }
  return {};
}

Status budget_was_set(db::Database& database, const Event& event, const BudgetSet& set) {
  TRY(scope_from_text(event.subject));
  if (!set.limit) {
    return database.run("DELETE FROM budgets WHERE scope = ? AND kind = ?",
                        encode_path(event.subject), kind_name(set.kind));
  }
  return save_row(database, "budgets", "scope, kind", "most, version, level",
                  encode_path(event.subject), kind_name(set.kind), *set.limit, event.seq, 0);
}

Status reached(db::Database& database, const Event& event, const BudgetReached& told) {
  const std::int64_t level = event.type == event_type::kBudgetExceeded ? 2 : 1;
  const bool raised = TRY(database.has_row(
      "UPDATE budgets SET level = ? WHERE scope = ? AND kind = ? AND version = ? "
      "AND level < ? RETURNING level",
      level, encode_path(event.subject), kind_name(told.kind), told.version, level));
  return raised ? Status() : stale(event, "there is no such budget, or it has been told");
}

Status reconciled(db::Database&, const Event& event, const Reconciled&) {
  TRY(scope_from_text(event.subject));
  return {};
}

std::string tell_reported(const Json& payload) {
  const bool measured = text_in(payload, "source") == usage_source_name(UsageSource::kMeasured);
  return measured ? "its usage was measured" : filled_in("usage reported by {source}", payload);
}

constexpr std::string_view kBudgetSql = R"sql(
CREATE TABLE usage_items (
  id     TEXT    PRIMARY KEY,
  input  INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache  INTEGER NOT NULL,
  cost   INTEGER NOT NULL,
  calls  INTEGER NOT NULL,
  wall   INTEGER NOT NULL,
  bytes  INTEGER NOT NULL
) STRICT;
CREATE TABLE usage_totals (
  scope  TEXT    PRIMARY KEY,
  input  INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache  INTEGER NOT NULL,
  cost   INTEGER NOT NULL,
  calls  INTEGER NOT NULL,
  wall   INTEGER NOT NULL,
  bytes  INTEGER NOT NULL
) STRICT;
CREATE TABLE budgets (
  scope   TEXT    NOT NULL,
  kind    TEXT    NOT NULL,
  most    INTEGER NOT NULL,
  version INTEGER NOT NULL,
  level   INTEGER NOT NULL,
  PRIMARY KEY (scope, kind)
) STRICT;
)sql";

constexpr ProjectionTable kBudgetTables[] = {
    {"usage_items", "id"}, {"usage_totals", "scope"}, {"budgets", "scope, kind"}};

constexpr const char* kOfScope = "`txn:ID`, `owner:NAME` or `workflow:NAME`";
constexpr const char* kToldOnce = "there is such a budget, and it was not told";
constexpr EventRule kBudgetRules[] = {
    {event_type::kUsageReported,
     {"What a transaction used; of two reports of one id the larger numbers count.", "",
      "the transaction exists"},
     accepts<reported>,
     tell_reported},
    {event_type::kBudgetSet,
     {"How much may be used; null takes the limit away.", kOfScope},
     accepts<budget_was_set>,
     "budget of {kind}: {limit}"},
    {event_type::kBudgetWarning,
     {"Four fifths of a budget are used.", kOfScope, kToldOnce},
     accepts<reached>,
     "{used} of {limit} {kind} used{best_effort? (as reported, best effort): (measured)}"},
    {event_type::kBudgetExceeded,
     {"A budget is used up.", kOfScope, kToldOnce},
     accepts<reached>,
     "{used} of {limit} {kind} used{best_effort? (as reported, best effort): (measured)}"},
    {event_type::kBudgetReconciled,
     {"What was reported against what was billed.", kOfScope},
     accepts<reconciled>,
     "{kind}: {reported} reported, {billed} billed"},
};

Result<Budget> budget_of(const db::Statement& row) {
  return Budget{TRY(scope_from_text(decode_path(row.text(0)))), TRY(kind_of(row.text(1))),
                row.integer(2), row.integer(3), static_cast<Budget::Level>(row.integer(4))};
}

}  // namespace

const Area kBudgets{kBudgetSql, kBudgetTables, kBudgetRules};

std::string_view kind_name(Kind kind) {
  return name_in(kKindNames, kind);
}

std::optional<Kind> kind_from_name(std::string_view name) {
  for (const auto& [kind, its_name] : kKindNames) {
    if (its_name == name) return kind;
  }
  return std::nullopt;
}

Trust trust_of(Kind kind) {
  return kind == Kind::kWall || kind == Kind::kBytes ? Trust::kMeasured : Trust::kSelfReported;
}

Amounts amounts_beyond(const Amounts& known, const Amounts& next) {
  Amounts more{};
  for (std::size_t i = 0; i < kKinds; ++i) more[i] = std::max<std::int64_t>(next[i] - known[i], 0);
  return more;
}

Amounts amounts_sum(const Amounts& a, const Amounts& b) {
  Amounts both{};
  for (std::size_t i = 0; i < kKinds; ++i) {
    both[i] = std::min(a[i] + b[i], std::int64_t{1} << 60);
  }
  return both;
}

std::string_view usage_source_name(UsageSource source) {
  return name_in(kUsageSources, source);
}

std::string scope_text(const Scope& scope) {
  return fmt::format("{}:{}", kScopeNames[static_cast<std::size_t>(scope.of)], scope.name);
}

std::vector<Scope> scopes_of(const Txn& txn) {
  std::vector<Scope> scopes{{Scope::Of::kTxn, txn.id.str()}};
  if (!txn.owner.empty()) scopes.push_back({Scope::Of::kOwner, txn.owner});
  if (!txn.workflow.empty()) scopes.push_back({Scope::Of::kWorkflow, txn.workflow});
  return scopes;
}

Result<Amounts> used(const View& view, const Scope& scope) {
  return total(view.tables(), scope);
}

Result<std::vector<Budget>> budgets_of(const View& view, const Scope& scope) {
  return view.tables().all(
      budget_of,
      "SELECT scope, kind, most, version, level FROM budgets WHERE scope = ? ORDER BY kind",
      encode_path(scope_text(scope)));
}

Result<std::vector<Budget>> all_budgets(const View& view) {
  return view.tables().all(
      budget_of, "SELECT scope, kind, most, version, level FROM budgets ORDER BY scope, kind");
}

Result<std::optional<Left>> left_of(const View& view, const Txn& txn, Kind kind) {
  std::optional<Left> tightest;
  for (const Scope& scope : scopes_of(txn)) {
    const Amounts amounts = TRY(used(view, scope));
    for (const Budget& budget : TRY(budgets_of(view, scope))) {
      if (budget.kind != kind) continue;
      const std::int64_t left =
          std::max<std::int64_t>(budget.limit - amounts[static_cast<std::size_t>(kind)], 0);
      if (!tightest || left < tightest->amount) tightest = Left{left, scope};
    }
  }
  return tightest;
}

Result<Amounts> reported_of(const View& view, const std::string& id) {
  return item(view.tables(), id);
}

Result<std::vector<std::string>> reported_ids(const View& view, const std::string& prefix) {
  const std::string first = encode_path(prefix);
  std::string behind = first;
  ++behind.back();
  const auto id_of = [](const db::Statement& row) { return decode_path(row.text(0)); };
  return view.tables().all(id_of, "SELECT id FROM usage_items WHERE id >= ? AND id < ?", first,
                           behind);
}

bool Reconciled::within() const {
  const std::int64_t difference = reported > billed ? reported - billed : billed - reported;
  return difference <= billed / 100 * tolerance_percent + billed % 100 * tolerance_percent / 100;
}

namespace events {

NewEvent usage_reported(const Usage& usage) {
  return event_with(event_type::kUsageReported, usage.txn.str(), usage);
}

NewEvent budget_set(const Budget& budget, std::optional<std::int64_t> limit) {
  return event_with(event_type::kBudgetSet, scope_text(budget.scope),
                    BudgetSet{budget.kind, limit});
}

NewEvent budget_reached(const Budget& budget, Budget::Level level, std::int64_t used,
                        const TxnId& txn) {
  const bool exceeded = level == Budget::Level::kExceeded;
  const std::string subject = scope_text(budget.scope);
  return event_with(exceeded ? event_type::kBudgetExceeded : event_type::kBudgetWarning, subject,
                    BudgetReached{budget.kind, budget.limit, used, budget.version,
                                  trust_of(budget.kind) == Trust::kSelfReported, txn},
                    fmt::format("budget:{}/{}:{}:{}", encode_path(subject), kind_name(budget.kind),
                                kLevelNames[static_cast<std::size_t>(level)], budget.version));
}

NewEvent budget_reconciled(const Reconciled& figures) {
  return event_with(event_type::kBudgetReconciled, scope_text(figures.scope), figures);
}

}  // namespace events

}  // namespace gittxn::store
