#include "work/proposals.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "store/events.h"
#include "txn/state.h"
#include "work/workflow_scene.h"

namespace gittxn::api {
namespace {

constexpr ProposalRules kOnlyOverrides{
    .start = ProposalRules::kNever, .person = ProposalRules::kNever, .log = 0};

// The transaction that this runs inside of. None: of none, or of another repository's, which is
// nothing here but no person either.
Result<std::optional<Txn>> inside(State& state) {
  const std::string id = state.host.variable("GIT_TXN_ID");
  const store::Store* store = id.empty() ? nullptr : TRY(state.looking());
  if (store == nullptr) return std::nullopt;
  return store->txn(TxnId(id));
}

TxnId id_of(const std::optional<Txn>& txn) {
  return txn ? txn->id : TxnId();
}

// The branch that a new proposal is of.
Result<RefName> branch_of(State& state, const std::optional<std::string>& onto) {
  const std::optional<Txn> txn = TRY(inside(state));
  return txn ? txn->target : TRY(state.target(onto));
}

// What holds on the branch at the moment.
Result<ProposalRules> rules_on(State& state, const RefName& branch) {
  const auto head = state.seen(branch);
  if (!head && head.error().code == Code::kNotFound) return kOnlyOverrides;
  if (!head) return std::unexpected(head.error());
  const Policy policy = TRY_IN("the policy of " + short_branch(branch), state.policy_at(*head));
  return policy.proposals;
}

// By what a proposal is judged: of older programs' the branch is not known, and it is as if it were
// proposed here and now.
Result<ProposalRules> rules_for(State& state, const store::Proposal& one) {
  if (!one.branch.empty()) return rules_on(state, one.branch);
  const auto here = branch_of(state, std::nullopt);
  if (!here && here.error().code == Code::kUsage) return kOnlyOverrides;  // HEAD is detached
  return rules_on(state, TRY(here));
}

// What git-txn tells the programs that it runs: the variable, and what it is the name of.
constexpr std::pair<std::string_view, std::string_view> kPrograms[] = {
    {"GIT_TXN_ID", "transaction"},
    {"GIT_TXN_COMPENSATES", "a compensation of"},
    {"GIT_TXN_HANDLER", "handler"},
    {"GIT_TXN_GATE", "gate"}};

Status refuse_programs(const State& state, std::string_view verb) {
  for (const auto& [name, what] : kPrograms) {
    const std::string of = state.host.variable(std::string(name));
    if (of.empty()) continue;
    return fail(Code::kRefused,
                fmt::format("{} is a person's to do, and this is inside of {} {}", verb, what, of),
                "leave it to a person, outside of it");
  }
  return {};
}

Result<store::Store*> looking(State& state, const std::string& id) {
  store::Store* store = TRY(state.looking());
  if (store != nullptr) return store;
  return fail(Code::kNotFound, fmt::format("there is no proposal '{}'", id),
              "make one with: git txn propose TEXT --score S");
}

}  // namespace

Result<store::ProposalAnswer> propose(State& state, store::ProposalRequest request,
                                      const std::optional<std::string>& onto) {
  request.actor = TRY(actor_of(state, request.actor));
  if (request.key.size() > 500) return fail(Code::kUsage, "a key is longer than 500 bytes");
  // Whose policy judges it is not for a program to choose: it would choose the one that lets it.
  if (onto) TRY(refuse_programs(state, "--onto"));
  request.branch = TRY(branch_of(state, onto));
  store::Store* store = TRY(state.writing());
  request.txn = id_of(TRY(inside(state)));
  return store::propose(*store, request, [&] { return rules_on(state, request.branch); });
}

Result<std::vector<ProposalLine>> list_proposals(State& state) {
  std::vector<ProposalLine> lines;
  store::Store* store = TRY(state.looking());
  if (store == nullptr) return lines;
  std::map<std::string, ProposalRules> known;  // by branch
  for (store::Proposal& one : TRY(store::proposals(*store))) {
    auto rules = known.find(one.branch.str());
    if (rules == known.end()) {
      rules = known.emplace(one.branch.str(), TRY(rules_for(state, one))).first;
    }
    const store::Tier tier = store::tier_of(one.score, rules->second);
    lines.push_back({std::move(one), tier});
  }
  return lines;
}

Result<ProposalReport> show_proposal(State& state, const std::string& id) {
  store::Store* store = TRY(looking(state, id));
  ProposalReport report;
  report.line.proposal = TRY(store::find_proposal(*store, id));
  const ProposalRules rules = TRY(rules_for(state, report.line.proposal));
  report.line.tier = store::tier_of(report.line.proposal.score, rules);
  for (const Event& event : TRY(store->events_of(id))) {
    // A workflow or a member may have the same name.
    if (!event.type.starts_with("proposal.")) continue;
    report.history.push_back(fmt::format("{}  {}", event.time, store::events::describe(event)));
  }
  return report;
}

Result<store::PromoteAnswer> promote_proposal(State& state, store::PromoteRequest request) {
  if (request.yes != store::Yes::kItself) {
    TRY(refuse_programs(state, request.yes == store::Yes::kPerson ? "--approve" : "--override"));
  }
  TRY(looking(state, request.id));
  request.actor = TRY(actor_of(state, request.actor));
  store::Store* store = TRY(state.writing());
  request.txn = id_of(TRY(inside(state)));
  // Its branch never changes, so it may be looked at before the decision.
  const store::Proposal one = TRY(store::find_proposal(*store, request.id));
  return store::promote(*store, request, [&] { return rules_for(state, one); });
}

Result<store::Proposal> dismiss_proposal(State& state, store::DismissRequest request) {
  TRY(refuse_programs(state, "dismiss"));
  TRY(looking(state, request.id));
  request.actor = TRY(actor_of(state, request.actor));
  return store::dismiss(*TRY(state.writing()), request);
}

Result<store::Proposal> link_proposal(State& state, const std::string& id,
                                      const std::string& became, const std::string& actor) {
  TRY(looking(state, id));
  store::LinkRequest asked{id, became, TRY(actor_of(state, actor)), id_of(TRY(inside(state)))};
  return store::link(*TRY(state.writing()), asked);
}

}  // namespace gittxn::api
