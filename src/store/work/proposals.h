// Work that somebody proposes: what was said, how sure its author is, and what became of it
// (5-kernel, "Proposals"; F2, invariant 7 of the contract review).
//
// The score decides who may begin it, by the boundaries of the policy (model/policy.h): from
// `start` on anybody, from `person` on a person, below that only an override that says who and why.
// The boundaries that held are in the event, and its projection refuses a promotion that they do
// not allow: a log with one cannot be, whoever appended it and whatever they had asked before.
//
// Of two proposals that say the same the second is refused and linked to the first, in the decision
// that would append it, so that two at once leave one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/policy.h"
#include "store/store.h"
#include "store/work/likeness.h"

namespace gittxn::store {

inline constexpr int kMaxScore = 1000;             // thousandths
inline constexpr std::size_t kMaxProposal = 4096;  // bytes of its text, of a reason, of an actor
inline constexpr std::size_t kMaxSource = 512;     // bytes of where it is from, and of a link
// Agents propose, and each proposal is compared with those that are there: so both are bounded.
inline constexpr std::int64_t kMaxOpenProposals = 2'000;
inline constexpr std::int64_t kClosedCompared = 2'000;  // the newest of those not open any more
inline constexpr std::size_t kMaxBecame = 64;           // links of one

// "0.83" in thousandths; further digits are cut off, so that no tier is reached by rounding.
// kUsage: no number, none from 0 to 1, or written in another way.
Result<int> parse_score(std::string_view text);
std::string score_text(int score);  // "0.83"

enum class Tier { kDiscard, kLog, kPerson, kStart };
std::string_view tier_name(Tier tier);  // "discard", "log", "person", "start"
Tier tier_of(int score, const ProposalRules& rules);

// Who says yes to beginning it.
enum class Yes {
  kItself,    // nobody: whoever asks, a program too
  kPerson,    // a person
  kOverride,  // a person, whatever the tier, for a reason
};
std::string_view yes_name(Yes yes);  // "itself", "person", "override"
// Whether that is enough. The one place that says so.
bool may_start(Tier tier, Yes yes);

struct Proposal {
  enum class State { kOpen, kPromoted, kDismissed, kDiscarded };
  std::string id;  // "p-12", of the event that it was made with
  State state = State::kOpen;
  std::string text;
  int score = 0;
  std::string source;                    // where it is from, as told; "" nobody said
  std::string actor;                     // who proposed it
  TxnId txn;                             // inside of which; empty: of none
  std::string made;                      // when, UTC
  int repeats = 0;                       // how often it was proposed again
  int best_score = 0;                    // of all of these; decides nothing
  std::string by;                        // who promoted or dismissed it; "" nobody has
  std::optional<Yes> yes = {};           // promoted: how
  std::string reason;                    // of an override, or of dismissing it
  std::vector<std::string> became = {};  // what it led to, in order
  RefName branch = {};                   // whose policy judges it; empty: made by an older program
  std::string again = {};                // the promoted one that it says again; "" none
};
std::string_view proposal_state_name(Proposal::State state);

Result<std::optional<Proposal>> proposal(const View& view, std::string_view id);
Result<Proposal> find_proposal(const View& view, const std::string& id);  // kNotFound
Result<std::vector<Proposal>> proposals(const View& view);                // newest first

// The policy as it is when something is decided: asked under the write lock, and by propose() once
// before.
using RulesNow = std::function<Result<ProposalRules>()>;

struct Likeness {
  enum class By { kText, kEmbedding } by = By::kText;
  std::string id;  // of the proposal that was there
  int likeness = 0;
};
std::string_view likeness_name(Likeness::By by);  // "text", "embedding"

struct ProposalRequest {
  std::string text;
  int score = 0;
  Embedding embedding = {};  // empty: there is none
  std::string source = {};
  std::string actor;
  TxnId txn = {};
  RefName branch = {};  // whose policy judges it, from now on
  // What was promoted and says the same keeps nothing off: a bug may come back.
  bool again = false;
  // The proposal made under this key is returned, and none is made. "": no key.
  std::string key = {};
};
struct ProposalAnswer {
  Proposal proposal;               // the new one, or the one that says the same
  std::optional<Likeness> repeat;  // it was refused, and that is on record
  Tier tier = Tier::kDiscard;      // of what was asked
};
// kUsage: a text, score, source or actor out of bounds. kRefused: too many are open.
Result<ProposalAnswer> propose(Store& store, const ProposalRequest& request, const RulesNow& rules);

struct PromoteRequest {
  std::string id;
  Yes yes = Yes::kItself;
  std::string reason = {};  // of an override: not empty
  std::string became = {};  // "txn:ID" and "workflow:ID" must be there; "": not known yet
  std::string actor;
  TxnId txn = {};  // not empty: then it is no person's
};
struct PromoteAnswer {
  Proposal proposal;
  Tier tier = Tier::kDiscard;
  bool promoted = false;  // false: its tier does not allow it, which is on record
};
// kNotFound. kStale: it was promoted, or dismissed and this is no override. kRefused: what only a
// person may say, from inside of a transaction. kUsage: no reason, no such thing to link.
Result<PromoteAnswer> promote(Store& store, const PromoteRequest& request, const RulesNow& rules);

struct DismissRequest {
  std::string id;
  std::string reason;  // not empty
  std::string actor;
};
// kStale: it is not open any more.
Result<Proposal> dismiss(Store& store, const DismissRequest& request);

struct LinkRequest {
  std::string id;
  std::string became;
  std::string actor;
  TxnId txn = {};
};
// kStale: it was not promoted. kRefused: it has as many as may be. The same link again is success.
Result<Proposal> link(Store& store, const LinkRequest& request);

namespace events {
struct Promotion {
  std::string id;
  ProposalRules rules;
  Yes yes = Yes::kItself;
  std::string reason = {};
  std::string became = {};
  std::string actor;
  TxnId txn = {};
};
// `again`: of the promoted one that it says again; "" none.
NewEvent proposal_made(const std::string& id, const ProposalRequest& request,
                       const ProposalRules& rules, const std::string& again = {});
NewEvent proposal_repeated(const Likeness& likeness, const ProposalRequest& request);
NewEvent proposal_refused(const Promotion& asked);
NewEvent proposal_promoted(const Promotion& promotion);
NewEvent proposal_dismissed(const DismissRequest& request);
NewEvent proposal_linked(const LinkRequest& request);
}  // namespace events

}  // namespace gittxn::store
