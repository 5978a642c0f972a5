#include "api/proposals.h"

#include <fmt/format.h>

#include "api/state.h"
#include "api/workflow_scene.h"
#include "store/events.h"

namespace gittxn::api {
namespace {

constexpr std::string_view kHandler = "GIT_TXN_HANDLER";

// The transaction that this runs inside of; empty: of none.
Result<TxnId> inside(Kernel::State& state) {
  const std::string id = state.variable("GIT_TXN_ID");
  if (id.empty()) return TxnId();
  return TRY(state.find(id)).id;
}

// What holds on the branch at the moment when it is called.
Result<store::RulesNow> rules_of(Kernel::State& state, const std::optional<std::string>& onto) {
  const std::string id = onto ? std::string() : state.variable("GIT_TXN_ID");
  const RefName branch = id.empty() ? TRY(state.target(onto)) : TRY(state.find(id)).target;
  return store::RulesNow([&state, branch]() -> Result<ProposalRules> {
    const Oid head = TRY(state.seen(branch));
    const Policy policy =
        TRY_IN("the policy of " + short_branch(branch), land::policy_at(state.repository, head));
    return policy.proposals;
  });
}

Status refuse_programs(const Kernel::State& state, std::string_view verb) {
  for (const std::string_view name : {std::string_view("GIT_TXN_ID"), kHandler}) {
    const std::string of = state.variable(std::string(name));
    if (of.empty()) continue;
    return fail(Code::kRefused,
                fmt::format("{} is a person's to do, and this is inside of {} {}", verb,
                            name == kHandler ? "handler" : "transaction", of),
                "leave it to a person, outside of it");
  }
  return {};
}

Result<store::Store*> looking(Kernel::State& state, const std::string& id) {
  store::Store* store = TRY(state.looking());
  if (store != nullptr) return store;
  return fail(Code::kNotFound, fmt::format("there is no proposal '{}'", id),
              "make one with: git txn propose TEXT --score S");
}

}  // namespace

Result<store::ProposalAnswer> propose(Kernel& kernel, const ProposeRequest& request) {
  Kernel::State& state = kernel.state();
  store::ProposalRequest proposed;
  proposed.text = request.text;
  proposed.score = TRY(store::parse_score(request.score));
  if (request.embedding) proposed.embedding = TRY(store::parse_embedding(*request.embedding));
  proposed.source = request.source;
  proposed.actor = TRY(actor_of(state, request.actor));
  const store::RulesNow rules = TRY(rules_of(state, request.onto));
  store::Store* store = TRY(state.writing());
  proposed.txn = TRY(inside(state));
  return store::propose(*store, proposed, rules);
}

Result<std::vector<ProposalLine>> list_proposals(Kernel& kernel,
                                                 const std::optional<std::string>& onto) {
  Kernel::State& state = kernel.state();
  std::vector<ProposalLine> lines;
  store::Store* store = TRY(state.looking());
  if (store == nullptr) return lines;
  const store::RulesNow rules_now = TRY(rules_of(state, onto));
  const ProposalRules rules = TRY(rules_now());
  for (store::Proposal& one : TRY(store::proposals(*store))) {
    const store::Tier tier = store::tier_of(one.score, rules);
    lines.push_back({std::move(one), tier});
  }
  return lines;
}

Result<ProposalReport> show_proposal(Kernel& kernel, const std::string& id,
                                     const std::optional<std::string>& onto) {
  Kernel::State& state = kernel.state();
  store::Store* store = TRY(looking(state, id));
  ProposalReport report;
  report.line.proposal = TRY(store::find_proposal(*store, id));
  const store::RulesNow rules_now = TRY(rules_of(state, onto));
  report.line.tier = store::tier_of(report.line.proposal.score, TRY(rules_now()));
  for (const Event& event : TRY(store->events_of(id))) {
    report.history.push_back(fmt::format("{}  {}", event.time, store::events::describe(event)));
  }
  return report;
}

Result<store::PromoteAnswer> promote_proposal(Kernel& kernel, const PromotionRequest& request) {
  Kernel::State& state = kernel.state();
  if (request.yes != store::Yes::kItself) {
    TRY(refuse_programs(state, request.yes == store::Yes::kPerson ? "--approve" : "--override"));
  }
  store::Store* store = TRY(looking(state, request.id));
  store::PromoteRequest asked;
  asked.id = request.id;
  asked.yes = request.yes;
  asked.reason = request.reason;
  asked.became = request.became;
  asked.actor = TRY(actor_of(state, request.actor));
  const store::RulesNow rules = TRY(rules_of(state, request.onto));
  store = TRY(state.writing());
  asked.txn = TRY(inside(state));
  return store::promote(*store, asked, rules);
}

Result<store::Proposal> dismiss_proposal(Kernel& kernel, const store::DismissRequest& request) {
  Kernel::State& state = kernel.state();
  TRY(refuse_programs(state, "dismiss"));
  TRY(looking(state, request.id));
  store::DismissRequest asked = request;
  asked.actor = TRY(actor_of(state, request.actor));
  return store::dismiss(*TRY(state.writing()), asked);
}

Result<store::Proposal> link_proposal(Kernel& kernel, const std::string& id,
                                      const std::string& became, const std::string& actor) {
  Kernel::State& state = kernel.state();
  TRY(looking(state, id));
  store::LinkRequest asked{id, became, TRY(actor_of(state, actor)), TRY(inside(state))};
  return store::link(*TRY(state.writing()), asked);
}

}  // namespace gittxn::api
