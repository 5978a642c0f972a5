// One landing while it is tried: the passes that land.cc lists, and what they share. The passes
// that ask hooks and gates are in land_gates.cc. Internal to land/.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bug.h"
#include "land/candidate.h"
#include "land/judge/asking/ask_again.h"
#include "land/judge/leases.h"
#include "land/land.h"
#include "land/remote.h"
#include "land/turn.h"
#include "land/under_way.h"

namespace gittxn::land {

inline constexpr std::int64_t kFirstPollMs = 50;

// How a pass or a whole try went: an outcome, a wait, a wait that is over, or nothing yet.
struct Step {
  // kAsk: questions are open, and nobody else is to wait while they are asked. kGates: likewise,
  // gates have to run.
  enum class Kind { kGoOn, kDone, kWait, kMoved, kExpired, kAsk, kGates } kind = Kind::kGoOn;
  Wait wait;
};
inline Step go_on() {
  return {};
}
inline Step done() {
  return {Step::Kind::kDone, {}};
}
inline Step moved() {
  return {Step::Kind::kMoved, {}};
}
inline Step wait_for(WaitReason reason, std::string subject) {
  return {Step::Kind::kWait, {reason, std::move(subject)}};
}

// What hooks and gates said of a candidate: gates run while the turn is not held, and the next
// round has to know. While a landing waits for a person, every look would otherwise run them anew,
// and the moment in which the person is out of the way would be missed. Hooks are not traced, nor
// may every gate's certificate be used again, so this counts for a while only: as long as what an
// early gate said may have to wait for a late one anyway.
struct Evidence {
  Candidate asked;      // as certified, before any hook
  Digest hooks;         // their text
  Candidate candidate;  // as the hooks left it, unsigned
  std::vector<gates::GateReport> reports;
  std::int64_t since_ns = 0;  // before the first of them ran, or after the last of those apart
  bool whole = false;         // all have said what they say; else the gates have not

  bool is_of(const Candidate& now) const {
    return asked.head == now.head && asked.tree == now.tree &&
           asked.commit.message == now.commit.message;
  }
};

// What the passes over one head hand on.
struct Round {
  Turn& turn;
  Oid head;
  Policy policy;  // of the head
  Candidate candidate;
};

// commit.gpgsign of the owner, as git reads it.
Result<bool> signing_required(const repo::Repository& repository);

struct Signed {
  Oid commit;               // empty: not signed
  std::string unavailable;  // why not, in the words of git or the signing program
};
// The same commit with a signature, written by git. A key that cannot be used now is a value: the
// landing waits for its owner.
Result<Signed> sign_commit(const repo::Repository& repository, const repo::NewCommit& commit);

class Landing {
 public:
  Landing(const Context& context, const LandOptions& options, Work work)
      : context_(context),
        options_(options),
        work_(std::move(work)),
        person_(*context.clock, options.wait_ms),
        queue_(*context.clock, options.turn_wait_ms),
        askings_(context, options.on_step),
        under_way_(context.repository->txn_dir(), work_.txn.id),
        gates_(context.gates) {
    gates_.on_phase = [this](std::string_view phase) { say(phase); };
  }
  Landing(const Landing&) = delete;
  Landing& operator=(const Landing&) = delete;

  Result<LandOutcome> run();

 private:
  Result<Step> with_turn();
  Result<Step> round(Turn& turn);
  // The passes, in their order (land.cc).
  Result<Step> meet_branch(Round& round);
  Result<Step> meet_remote(Round& round);
  Result<Step> land_pushed(Round& round);
  Result<Step> meet_pull_request(Round& round);
  Result<Step> trust(Round& round);
  Result<Step> phase(Round& round);
  Result<Step> certify(Round& round);
  Result<Step> check(Round& round);
  Result<Step> places(Round& round);
  Result<Step> leases(Round& round);
  Result<Step> look(Round& round);
  Result<Step> sign(Round& round);
  Result<Step> push(Round& round);
  Result<Step> publish(Round& round);

  Result<Step> settle(Decision decision, Candidate* candidate);
  Status ask_apart();
  bool proven(const Candidate& candidate, const Digest& hooks) const;
  Result<Step> heard(std::vector<gates::GateReport> reports);
  Result<Step> hooks(Candidate& candidate);
  Result<Step> gates(Candidate& candidate);
  Status audit_gates();
  Result<std::vector<gates::GateReport>> run_gates(const Candidate& candidate, gates::Turn turn);
  Status gates_apart();
  Status tell_rewound();
  Result<Step> merged(const Oid& commit, std::string_view how);
  Result<Step> not_pulled_yet(const Oid& pushed);
  Status remember_pull_request(const Oid& commit);
  Status drop_pull_branch(const Oid& pushed);
  Result<Step> reject(std::vector<Conflict> conflicts);
  Result<std::optional<Wait>> still_blocked();
  Result<Step> wait_out(Wait wait);
  Status pause(const Wait& wait, std::int64_t* poll_ms);
  Status keep_trying();
  Status check_interrupted() const;
  // Tells those who watch this landing, and those who look at the line.
  void say(std::string_view phase) {
    if (options_.on_step) options_.on_step(phase);
    under_way_.say(phase);
  }
  gates::Candidate for_gates(const Candidate& candidate) const {
    if (INJECTED_BUG("land.gate_sees_base")) {
      return {candidate.head, candidate.head_tree, candidate.head, work_.txn.target, work_.txn.id};
    }
    return {candidate.oid, candidate.tree, candidate.head, work_.txn.target, work_.txn.id};
  }
  const TxnId& id() const { return work_.txn.id; }
  store::Store& store() const { return *context_.store; }

  const Context& context_;
  const LandOptions& options_;
  Work work_;
  Deadline person_;  // how long a person may keep us waiting
  Deadline queue_;   // ... and others who land
  const Deadline& deadline_of(const Wait& wait) const {
    return wait.reason == WaitReason::kPlace ? queue_ : person_;
  }
  LandOutcome outcome_;
  Wait told_;     // the wait the log and the caller know of
  int lost_ = 0;  // rounds that ended with a moved head
  Askings askings_;
  UnderWay under_way_;
  gates::GateContext gates_;  // context_.gates, whose phases are said as ours are
  int asked_apart_ = 0;       // times that questions were asked without the turn
  int gated_apart_ = 0;       // ... and that gates ran
  std::int64_t poll_ms_ = kFirstPollMs;
  std::optional<Evidence> evidence_;
  RemoteRule remote_;
  Oid remote_head_;            // of remote_.ref, as it was last asked
  std::optional<Oid> pushed_;  // by an earlier landing, and the remote has it
  // Of the last candidate, empty when it did not get that far: what moves in checkouts; and what it
  // writes, with the symbols of it that were looked up.
  std::vector<repo::CheckoutMove> moves_;
  Changes writes_;
  TouchedSymbols symbols_;
};

}  // namespace gittxn::land
