// One process of the hammer: operations of every kind on the store, drawn by a seed, until it is
// told to stop or killed. What it can see to be wrong by itself, it says at once and ends.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/subprocess.h"
#include "hammer/journal.h"
#include "store/lease_moves.h"
#include "store/store.h"

namespace gittxn::hammer {

inline constexpr int kBranches = 2;                 // that transactions land on
inline constexpr int kCounters = 2;                 // branches that are counted up by everybody
inline constexpr int kWorkflows = 3;                // begun by the first process of all
inline constexpr int kParts = 6;                    // of the tree, to be leased
inline constexpr int kSentinels = 3;                // the last is reset now and then
inline constexpr std::int64_t kEveryMs = 120;       // of a sentinel
inline constexpr const char* kShared = "t-shared";  // whose usage everybody reports

struct World {
  store::Location place;
  std::string journals;  // the folder of the journals, and of the witnesses
  std::string program;   // git-txn; empty: the store alone
  std::string repository;
  Environment env;
};

// What proves that two are not in one place at one time, whatever the store says: a lock of a byte
// that dies with its holder, never waited for.
class Witness {
 public:
  enum class As { kAlone, kTogether };
  // kFault: somebody else is there.
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
  Status work();  // one operation

 private:
  Worker(const World& world, const Who& who, std::uint64_t seed, Journal journal,
         store::Store store);

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

  struct Verb {
    const char* name;
    Status (Worker::*run)(Operation&);
    std::uint64_t weight;
  };
  static const std::vector<Verb>& verbs();

  Status appended(Operation& op, const Result<Seq>& seq);
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
  std::optional<TxnId> mine_;  // the transaction that this process works on
  int begun_ = 0;
};

// Those that the first process makes before the others begin.
Status make_world(const World& world);

}  // namespace gittxn::hammer
