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
  Worker(const World& world, const Who& who, std::uint64_t seed, Journal journal);
  Status open();
  Status show_sessions();
  bool was_cut(const Error& error) const;

  // The verbs; each fills in what came of it.
  Status slot(Operation& op);
  Status count_up(Operation& op);
  Status note(Operation& op);
  Status begin_txn(Operation& op);
  Status work_on(Operation& op);
  Status land(Operation& op);
  Status end_txn(Operation& op);
  Status meddle(Operation& op);
  Status lease(Operation& op);
  Status pass(Operation& op);
  Status reset(Operation& op);
  Status move_phase(Operation& op);
  Status verdict(Operation& op);
  Status budget(Operation& op);
  Status usage(Operation& op);
  Status bill(Operation& op);
  Status tail(Operation& op);
  Status come_and_go(Operation& op);
  Status handle(Operation& op);
  Status prune(Operation& op);
  Status look(Operation& op);
  Status verify(Operation& op);
  Status run_program(Operation& op);
  Status propose(Operation& op);
  Status promote(Operation& op);
  Status dismiss(Operation& op);
  Status link(Operation& op);
  Status set_member(Operation& op);
  Status remove_member(Operation& op);
  Status relay(Operation& op);
  Status promise_undo(Operation& op);
  Status undo(Operation& op);
  Status create_workflow(Operation& op);
  Status carry(Operation& op);
  Status evaluate(Operation& op);
  Status summarize(Operation& op);
  Status join_crowd(Operation& op);

  struct Verb {
    const char* name;
    Status (Worker::*run)(Operation&);
    std::uint64_t weight;
  };
  static const std::vector<Verb>& verbs();
  std::uint64_t weight(const Verb& verb) const;

  Status appended(Operation& op, const Result<Seq>& seq);
  Result<std::optional<Workflow>> some_workflow();
  Result<store::Proposal> some_proposal();
  Status land_in_turn(Operation& op, const Txn& txn);
  Status hold(Operation& op, const store::LeaseAsk& ask, store::LeaseAnswer answer,
              const std::string& part);
  std::string branch() { return "refs/heads/h-" + std::to_string(random_.below(kBranches)); }

  World world_;
  Who who_;
  SystemClock clock_;
  Random random_;
  Journal journal_;
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
// What was made is on record with the tag in it; what was not allowed is not.
template <typename T>
Status answered(Operation& op, const Result<T>& answer, std::initializer_list<Code> refusals) {
  if (answer) return made(op);
  const bool refused = std::ranges::find(refusals, answer.error().code) != refusals.end();
  return refused ? Status() : Status(std::unexpected(answer.error()));
}

struct Relaying {
  int told = 0;
  int left = 0;  // that were read and not told in this step
};
// Tells the member at most so many events that it has not been told, in one append; as `git txn
// portfolio relay` does. The other members are nowhere, and count as told as far as that one.
Result<Relaying> relay_some(store::Store& home, store::Store& member, int most);

}  // namespace gittxn::hammer
