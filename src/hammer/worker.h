// One process of the hammer: operations of every kind on the store, drawn by a seed, until it is
// told to stop or killed. What it can see to be wrong by itself, it says at once and ends.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/subprocess.h"
#include "hammer/journal.h"
#include "store/store.h"
#include "store/work/lease_moves.h"
#include "store/work/proposals.h"
#include "store/work/workflows.h"

namespace gittxn::hammer {

inline constexpr int kBranches = 2;                 // that transactions land on
inline constexpr int kCounters = 2;                 // branches that are counted up by everybody
inline constexpr int kWorkflows = 3;                // begun by the first process of all
inline constexpr int kParts = 6;                    // of the tree, to be leased
inline constexpr int kSentinels = 3;                // the last is reset now and then
inline constexpr std::int64_t kEveryMs = 120;       // of a sentinel
inline constexpr const char* kShared = "t-shared";  // whose usage everybody reports
inline constexpr int kTopics = 60;                  // that work is proposed about
inline constexpr int kSummaryNames = 4;
inline constexpr int kCrowd = 3;  // of these transactions may be alive at a time
inline constexpr const char* kCrowdOwner = "crowd";
inline constexpr const char* kLed = "led";  // the member that is there, and is told

struct World {
  store::Location place;
  store::Location member;  // of the portfolio: it is told what moves the workflows
  std::string journals;    // the folder of the journals, and of the witnesses
  std::string program;     // git-txn; empty: the store alone
  std::string often;       // ",move,land,": verbs that are drawn more often
  std::string repository;
  Environment env;
};

// What proves that two are not in one place at one time, whatever the store says: a lock of a byte
// that dies with its holder, never waited for.
class Witness {
 public:
  enum class As { kAlone, kTogether };
  // kCorrupt: somebody else is there.
  static Result<Witness> enter(const World& world, const std::string& what, As as);
  Witness(Witness&&) noexcept = default;
  Witness& operator=(Witness&&) noexcept = default;

 private:
  explicit Witness(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

class Worker {
 public:
  static Result<Worker> start(const World& world, const Who& who, std::uint64_t seed);
  // One operation. One during which the server ended our connection has no end in the journal, and
  // the stores are opened again.
  Status work();

 private:
  Worker(const World& world, const Who& who, std::uint64_t seed, UniqueFd journal)
      : world_(world), who_(who), random_(seed), journal_(std::move(journal)) {}
  Status open();
  Status show_sessions();
  bool was_cut(const Error& error) const;

  // The verbs; each fills in what came of it.
  using Run = Status(Operation& op);
  Run slot, count_up, note, begin_txn, work_on, land, end_txn, meddle, lease, pass, reset,
      move_phase, verdict, budget, usage, bill, tail, come_and_go, handle, prune, look, verify,
      run_program, propose, promote, dismiss, link, set_member, remove_member, relay, promise_undo,
      undo, create_workflow, carry, evaluate, summarize, join_crowd;
  struct Verb {
    const char* name;
    Run Worker::* run;
    std::uint64_t weight;
  };
  static const Verb kVerbs[];

  Status appended(Operation& op, const Result<Seq>& seq);
  Result<std::optional<Workflow>> some_workflow();
  Result<store::Proposal> some_proposal();
  Result<std::optional<Txn>> my_txn();  // nullopt: there is none
  Status land_in_turn(Operation& op, const Txn& txn);
  Status hold(Operation& op, const store::LeaseAsk& ask, store::LeaseAnswer answer,
              const std::string& part);
  std::string branch() { return "refs/heads/h-" + std::to_string(random_.below(kBranches)); }

  World world_;
  Who who_;
  SystemClock clock_;
  Random random_;
  UniqueFd journal_;
  int operations_ = 0;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<store::Store> member_;
  std::uint64_t sessions_ = 0;  // of both with their server, as they have our name
  std::optional<TxnId> mine_;   // the transaction that this process works on
  int begun_ = 0;
};

// Those that the first process makes before the others begin.
Status make_world(const World& world);
// What a process calls its connections, for whoever ends them.
std::string name_of(const Who& who);
Txn new_txn(const TxnId& id, const std::string& name, const std::string& target);

inline Status made(Operation& op) {
  op.ended = Ended::kMade;
  return {};
}
// Nothing, when the state did not allow it for one of these reasons; any other error as it is.
inline Status refused(const Error& error, std::initializer_list<Code> reasons) {
  const bool is = std::ranges::find(reasons, error.code) != reasons.end();
  return is ? Status() : Status(std::unexpected(error));
}
// What was made is on record with the tag in it; what was not allowed is not.
template <typename T>
Status answered(Operation& op, const Result<T>& answer, std::initializer_list<Code> reasons) {
  return answer ? made(op) : refused(answer.error(), reasons);
}

struct Relaying {
  int told = 0;
  int left = 0;  // that were read and not told in this step
};
// Tells the member at most so many events that it has not been told, in one append; as `git txn
// portfolio relay` does. The other members are nowhere, and count as told as far as that one.
Result<Relaying> relay_some(store::Store& home, store::Store& member, int most);

}  // namespace gittxn::hammer
