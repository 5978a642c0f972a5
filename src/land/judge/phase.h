// The phase a transaction belongs to, as something that it read: which versions of its workflow,
// of the phase and of the phase's gates it was begun under. Whether they still hold is judged at
// every level, because it is no observation of the agent's but the rule it works under:
//
//   in each round   before anything is certified: where one is another now, the policy of the head
//                   says whether it is dropped (rejected, with the version as the witness) or
//                   carried over to the phase that is open (an event, and certified under it)
//   at Prepared     once more under the write lock, so that a phase that is left a moment before is
//                   never landed in; a phase is not left while one of its landings is unresolved
#pragma once

#include <string>
#include <vector>

#include "land/candidate.h"
#include "model/workflow.h"

namespace gittxn::land {

// The reads that membership stands for, of that snapshot.
std::vector<Read> phase_reads(const PhaseMember& member, const Oid& snapshot);
// In the place of those that were recorded when the work was taken: it may have been carried over
// since.
Status renew_phase_reads(const store::Store& store, const Txn& txn, const Oid& snapshot,
                         ReadSet& reads);

// Of what a remote has already: it landed there while the phase was open.
void drop_phase_reads(ReadSet& reads);

struct PhaseJudgement {
  enum class How { kHolds, kCarried, kDropped } how = How::kHolds;
  PhaseMember member;               // kCarried: where it is now
  std::vector<Conflict> conflicts;  // kDropped: what is another now
};
// kCarried is an event before this returns.
Result<PhaseJudgement> judge_phase(const Context& context, const Work& work, const Policy& policy);
// The same for a look: nothing is recorded.
Result<PhaseJudgement> phase_now(const store::Store& store, const Txn& txn, const Policy& policy);

// That the transaction's workflow was cancelled, as a conflict of every transaction in it.
Conflict cancelled_conflict(const Workflow& workflow);

// The version of what a kernel read names, with the policy of the head; nullopt: nobody knows it.
Result<std::optional<std::string>> version_now(const store::View& view, const Policy& policy,
                                               const std::string& subject, const TxnId& reader);

// What a branch is about to be counts as what it is: of two landings that read each other's branch
// one at most is made. "": there is no such reference.
Result<std::string> value_now(const Context& context, const store::View& view, const RefName& ref);

// kStale: what the candidate was judged with is not what the kernel has, or a branch that was read
// has moved or is about to. For a check under the write lock.
Status check_kernel_reads(const Context& context, const store::View& view, const Work& work,
                          const Candidate& candidate);

// True when the conflict is about the rule the work was certified under, left since a moment ago:
// the next round asks the policy what that means, and no agent has to run again.
bool is_about_rule(const Work& work, const Conflict& conflict);

}  // namespace gittxn::land
