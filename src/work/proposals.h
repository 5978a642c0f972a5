// Proposals, as faces ask for them. store/work/proposals.h says what may be promoted; the
// boundaries are [proposals] of the policy of the proposal's branch, as it is when something is
// decided. The branch is of the proposal, so that nobody promotes by the policy of another one;
// where it is gone only an override begins it.
//
// A yes of a person (approve, override, dismiss), and the choice of a branch, are taken at their
// word outside of transactions, handlers and gates, and refused inside of them (kRefused): what
// runs there is not a person.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/work/proposals.h"
#include "txn/host.h"

namespace gittxn::api {

// `onto`: its branch; unset: the transaction's, or as for run. An empty actor is the caller's git
// identity; its transaction and branch are found out here.
Result<store::ProposalAnswer> propose(State& state, store::ProposalRequest request,
                                      const std::optional<std::string>& onto);

struct ProposalLine {
  store::Proposal proposal;
  store::Tier tier = store::Tier::kDiscard;  // by the policy of now
};
Result<std::vector<ProposalLine>> list_proposals(State& state);
struct ProposalReport {
  ProposalLine line;
  std::vector<std::string> history;  // its events, one line each
};
Result<ProposalReport> show_proposal(State& state, const std::string& id);

// Not promoted is an answer: its tier does not allow it. Which transaction asks is found out here.
Result<store::PromoteAnswer> promote_proposal(State& state, store::PromoteRequest request);
Result<store::Proposal> dismiss_proposal(State& state, store::DismissRequest request);
Result<store::Proposal> link_proposal(State& state, const std::string& id,
                                      const std::string& became, const std::string& actor);

}  // namespace gittxn::api
