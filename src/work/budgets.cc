#include "work/budgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/json.h"
#include "base/text.h"
#include "txn/attempt.h"
#include "txn/serve/observed.h"
#include "txn/state.h"
#include "work/workflow_scene.h"

namespace gittxn::api {
namespace {

using store::Kind;
using store::Scope;

constexpr std::size_t kMaxBilledName = 256;
constexpr std::size_t kMaxUsageLines = 10'000;
constexpr std::string_view kBillLine =
    "each line names one of txn, owner and workflow, and figures: {\"owner\": NAME, \"cost\": "
    "17.20}";

Result<Scope> scope_of(State& state, const BudgetOf& of) {
  const int given = (of.txn ? 1 : 0) + (of.owner ? 1 : 0) + (of.workflow ? 1 : 0);
  if (given != 1) {
    return fail(Code::kUsage,
                given == 0 ? "whose budget is it?" : "a budget is of one, and more are named",
                "give one of --txn, --owner and --workflow");
  }
  if (of.txn) return Scope{Scope::Of::kTxn, TRY(state.find(*of.txn)).id.str()};
  if (of.owner) {
    TRY(check_owner(*of.owner));
    return Scope{Scope::Of::kOwner, *of.owner};
  }
  const store::Store* store = TRY(state.looking());
  if (store == nullptr) {
    return fail(Code::kNotFound, fmt::format("no workflow is called '{}'", *of.workflow),
                "make one with: git txn workflow create NAME");
  }
  return Scope{Scope::Of::kWorkflow, TRY(find_workflow(*store, *of.workflow)).id.str()};
}

// Everything that was used by one, with its budgets.
Result<std::vector<BudgetLine>> used_by(const store::View& view, const Scope& scope) {
  std::vector<BudgetLine> lines;
  const store::Amounts amounts = TRY(store::used(view, scope));
  const std::vector<store::Budget> budgets = TRY(store::budgets_of(view, scope));
  for (std::size_t i = 0; i < store::kKinds; ++i) {
    BudgetLine line{scope, static_cast<Kind>(i), amounts[i]};
    const auto budget = std::ranges::find(budgets, line.kind, &store::Budget::kind);
    if (budget != budgets.end()) {
      line.limit = budget->limit;
      line.level = budget->level;
    }
    if (line.limit || line.used > 0) lines.push_back(std::move(line));
  }
  return lines;
}

Result<store::Reconciled> figure_of(const Scope& scope, std::string_view name, const Json& value) {
  const auto kind = store::kind_from_name(name);
  store::Reconciled figure;
  if (!kind)
    return fail(Code::kUsage, fmt::format("a bill has no '{}'", name),
                "it has txn, owner or workflow, and of " + budget_kinds());
  figure.scope = scope;
  figure.kind = *kind;
  constexpr double kMost = static_cast<double>(store::kMaxAmount);
  const double unit = *kind == Kind::kCost ? static_cast<double>(kCostUnit) : 1.0;
  const double number = value.is_number() ? value.get<double>() * unit : -1;
  const bool fits = number >= 0 && number <= kMost && (*kind == Kind::kCost || value.is_integer());
  if (!fits)
    return fail(Code::kUsage, fmt::format("'{}' is no number that it could be", name),
                "cost is a number from 0 on, all others are whole ones");
  figure.billed = std::llround(number);
  return figure;
}

Status add_figures(State& state, const Json& json, std::vector<store::Reconciled>& figures) {
  if (!json.is_object()) return fail(Code::kUsage, "it is no JSON object", std::string(kBillLine));
  BudgetOf of;
  for (const auto& [key, to] : {std::pair{"txn", &of.txn}, std::pair{"owner", &of.owner},
                                std::pair{"workflow", &of.workflow}}) {
    const Json* found = json.find(key);
    if (found == nullptr) continue;
    if (!found->is_string())
      return fail(Code::kUsage, fmt::format("'{}' is no name", key), std::string(kBillLine));
    *to = decode_path(found->text());
    if ((*to)->size() > kMaxBilledName)
      return fail(Code::kUsage, fmt::format("'{}' is longer than 256 bytes", key),
                  std::string(kBillLine));
  }
  const Scope scope = TRY(scope_of(state, of));
  const std::size_t before = figures.size();
  for (const auto& [key, value] : json.items()) {
    if (key == "txn" || key == "owner" || key == "workflow") continue;
    figures.push_back(TRY(figure_of(scope, key, value)));
  }
  if (figures.size() == before)
    return fail(Code::kUsage, "it has no figures", std::string(kBillLine));
  return {};
}

constexpr std::string_view kKeyed = "hand:txn:";

using Conversations = std::set<std::string>;

// That worked in it, and that those went on from: as its read sets say, and while its worktree is
// here, as its agents do.
Result<Conversations> conversations_of(State& state, const Txn& txn) {
  Conversations all;
  if (!state.require_here(txn)) return all;  // what it read is in that clone
  for (const Attempt& attempt : txn.attempts) {
    const ReadSet reads = TRY(recorded_reads(*state.store, txn.id, attempt));
    all.insert(reads.sessions.begin(), reads.sessions.end());
    all.insert(reads.resumed.begin(), reads.resumed.end());
  }
  if (txn.attempts.empty()) return all;
  ObservedFiles now = TRY(read_observed(observed_dir(txn.attempts.back())));
  all.merge(now.sessions);
  all.merge(now.resumed);
  return all;
}

Result<bool> worked_in(State& state, const Txn& txn, const Conversations& conversations) {
  for (const Attempt& attempt : txn.attempts) {
    const ReadSet reads = TRY(recorded_reads(*state.store, txn.id, attempt));
    const auto known = [&](const std::string& one) { return conversations.contains(one); };
    if (std::ranges::any_of(reads.sessions, known)) return true;
  }
  return false;
}

// The transactions that had a report under the key, the first begun first.
Result<std::vector<Txn>> that_used(State& state, const std::string& key) {
  std::vector<Txn> found;
  for (const std::string& id : TRY(store::reported_ids(*state.store, std::string(kKeyed)))) {
    const std::string_view rest = std::string_view(id).substr(kKeyed.size());
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos || rest.substr(colon + 1) != key) continue;
    auto txn = TRY(state.store->txn(TxnId(std::string(rest.substr(0, colon)))));
    if (txn && state.require_here(*txn)) found.push_back(*std::move(txn));
  }
  std::ranges::stable_sort(found, {}, &Txn::created_wall_ms);
  return found;
}

// A key is one of its transaction's, and of those whose conversation it goes on with: what these
// reported is what it knows from there, and not used again. Before there was a transaction in it, a
// key was everybody's: one that was used so goes on as what it is, so that what counted once is not
// counted again.
Result<std::string> id_of_report(State& state, const Txn& txn, const std::string& key) {
  const store::Store& store = *state.store;
  // A number that no event has is one that no other report without a key has.
  if (key.empty()) return fmt::format("hand:new:{}", TRY(state.store->next_slot()));
  const auto counts = [&](const std::string& id) -> Result<bool> {
    return TRY(store::reported_of(store, id)) != store::Amounts{};
  };
  const std::string shared = "hand:key:" + key;
  if (TRY(counts(shared))) return shared;
  const std::string own = fmt::format("{}{}:{}", kKeyed, txn.id.str(), key);
  if (TRY(counts(own))) return own;
  const std::vector<Txn> others = TRY(that_used(state, key));
  if (others.empty()) return own;
  const Conversations conversations = TRY(conversations_of(state, txn));
  for (const Txn& other : others) {
    if (TRY(worked_in(state, other, conversations))) {
      return fmt::format("{}{}:{}", kKeyed, other.id.str(), key);
    }
  }
  return own;
}

}  // namespace

Result<std::vector<BudgetLine>> set_budget(State& state, const BudgetOf& of,
                                           const std::vector<std::string>& texts) {
  TRY(refuse_inside(state.host, "budget"));
  const std::vector<BudgetValue> values = TRY(parse_budget(texts));
  store::Store* store = TRY(state.writing());
  const Scope scope = TRY(scope_of(state, of));
  for (const BudgetValue& value : values) {
    TRY(store::set_budget(*store, scope, value.kind, value.amount));
  }
  return used_by(*store, scope);
}

Result<std::vector<std::string>> report_budget(State& state, const std::string& txn,
                                               const std::vector<std::string>& texts,
                                               const std::string& key) {
  TRY(refuse_inside(state.host, "budget"));
  const std::vector<BudgetValue> values = TRY(parse_budget(texts));
  store::Store* store = TRY(state.writing());
  const Txn of = TRY(state.find(txn));
  TRY(state.require_here(of));
  const TxnId id = of.id;
  store::UsageItem item{TRY(id_of_report(state, of, key)), {}};
  for (const BudgetValue& value : values) {
    if (!value.amount) return no_budget("none", "a report has a number");
    if (store::trust_of(value.kind) == store::Trust::kMeasured) {
      return fail(Code::kUsage,
                  fmt::format("{} is measured, not reported", store::kind_name(value.kind)),
                  "report what git-txn cannot see: input, output, cache, calls or cost");
    }
    item.amounts[static_cast<std::size_t>(value.kind)] = *value.amount;
  }
  TRY(store::report_usage(*store, {id, store::UsageSource::kHand, {item}}));
  const store::Amounts counts = TRY(store::reported_of(*store, item.id));
  std::vector<std::string> notes;
  for (const BudgetValue& value : values) {
    const std::size_t kind = static_cast<std::size_t>(value.kind);
    if (item.amounts[kind] >= counts[kind]) continue;
    notes.push_back(
        fmt::format("{} {} was not taken: {} was reported as '{}' before, and the larger counts",
                    store::kind_name(value.kind), amount_text(value.kind, item.amounts[kind]),
                    amount_text(value.kind, counts[kind]), key));
  }
  return notes;
}

Result<std::vector<BudgetLine>> show_budgets(State& state, const std::optional<BudgetOf>& of) {
  std::vector<BudgetLine> lines;
  store::Store* store = TRY(state.looking());
  if (store == nullptr) return lines;
  if (of) return used_by(*store, TRY(scope_of(state, *of)));
  for (const store::Budget& budget : TRY(store::all_budgets(*store))) {
    const store::Amounts amounts = TRY(store::used(*store, budget.scope));
    lines.push_back({budget.scope, budget.kind, amounts[static_cast<std::size_t>(budget.kind)],
                     budget.limit, budget.level});
  }
  return lines;
}

Result<std::vector<store::Reconciled>> reconcile_budgets(State& state, std::string_view bill,
                                                         std::int64_t tolerance_percent) {
  TRY(refuse_inside(state.host, "budget"));
  store::Store* store = TRY(state.writing());
  std::vector<store::Reconciled> figures;
  int line = 0;
  for (const std::string_view text : lines_of(bill)) {
    ++line;
    if (trimmed(text).empty()) continue;
    std::string twice;
    const auto json = parse_json(text, {.repeated = &twice});
    if (!json) {
      return fail(Code::kUsage, fmt::format("line {} of the bill is no JSON", line),
                  std::string(kBillLine));
    }
    if (!twice.empty()) {
      return fail(Code::kUsage, fmt::format("line {} of the bill has '{}' twice", line, twice),
                  std::string(kBillLine));
    }
    TRY_IN(fmt::format("line {} of the bill", line), add_figures(state, *json, figures));
    if (figures.size() > kMaxUsageLines) {
      return fail(Code::kUsage, "a bill has at most 10000 figures", "give it in parts");
    }
  }
  if (figures.empty()) return fail(Code::kUsage, "the bill is empty", std::string(kBillLine));
  for (store::Reconciled& figure : figures) figure.tolerance_percent = tolerance_percent;
  TRY(store::reconcile(*store, figures));
  return figures;
}

}  // namespace gittxn::api
