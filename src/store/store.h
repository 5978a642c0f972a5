// The kernel's store: one hash-chained event sequence and the projections that follow from it, in
// the repository's common git directory under txn/ (kernel.db, artifacts/, owners, locks), or on a
// PostgreSQL server for the clones of many machines.
//
// Every state change is append() or decide(): BEGIN IMMEDIATE, check, events, projections, COMMIT
// with synchronous=FULL. There is no other way to change state, so a state without its event (F1)
// and an event without its state (F7) cannot exist. Projections are a pure function of the events:
// verify_replay() rebuilds them from nothing and compares byte for byte.
//
// One Store per thread; any number of processes. A kill at any point leaves the last committed
// append.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "db/patience.h"
#include "model/event.h"
#include "model/policy.h"
#include "model/read.h"
#include "model/txn.h"

namespace gittxn::db {
class Database;
}

namespace gittxn::store {

inline constexpr int kSchemaVersion = 3;

// A landing that has been prepared and not yet resolved. At most one per branch.
struct PreparedLanding {
  TxnId txn;
  RefName branch;
  Oid old_head;
  Oid new_head;
  Oid tree;
  Seq seq = 0;
  std::string payload;  // the event's canonical JSON (checkout moves, digests)
  // Where the branch is a hub's (land/hub.h): the fence's value before, and with the landing.
  Oid fence_before = {};
  Oid fence = {};
};

struct BranchState {
  RefName branch;
  Oid head;          // last head the log knows (landing or outside move)
  Oid durable_head;  // empty: never synced
  Oid fence = {};    // the hub's, by the last landing that was resolved; empty: none yet
  std::optional<PreparedLanding> prepared;
};

struct LandedRow {
  Seq seq = 0;
  RefName branch;
  TxnId txn;  // empty: outside move
  Oid old_head;
  Oid new_head;
  std::string time = {};  // of the event
  std::string who = {};   // of an outside move
};

struct Ticket {             // a place in the queue for a branch's turn
  std::int64_t number = 0;  // also its slot in <txn dir>/tickets
  RefName branch;
  TxnId txn;
  int priority = 0;
  std::string owner;
};

struct VerifyReport {
  Seq events = 0;
  std::vector<std::string> problems;  // empty: all holds
  std::set<std::size_t> newer = {};   // which of them are no damage: a newer program wrote that
};

struct TxnFilter {
  std::vector<TxnState> states;  // empty: all
  int limit = 0;                 // 0: all; newest first
};

// The state at one moment. A decision inside of Store::decide() gets the state before its events,
// under the write lock.
class View {
 public:
  virtual ~View() = default;
  // The kernel's clock: since 1970, never earlier than any event, and not moved by a wall clock
  // that jumps (5-kernel, F12). Deadlines are in it. Under the write lock it stands still, and is
  // the time of the events that follow.
  virtual Result<std::int64_t> now_ms() const = 0;
  virtual Result<std::optional<Txn>> txn(const TxnId& id) const = 0;
  virtual Result<std::optional<BranchState>> branch(const RefName& name) const = 0;
  virtual Result<Seq> head() const = 0;
  // For the questions that other headers of store/ ask; nobody else writes SQL.
  virtual const db::Database& tables() const = 0;
};

enum class Create { kYes, kNo };
struct Plan;  // what the present layout is; internal, see schema.h
class Locks;  // store/server/locks.h

// Where a store is.
struct Location {
  std::string dir;  // <common git dir>/txn: of this machine; kernel.db and artifacts/ without a url
  // A PostgreSQL server, as libpq reads it, and the schema there: the log and the artifacts are of
  // all machines that use it, and so is its clock.
  std::string url = {};
  std::string schema = "git_txn";
  enum class Time { kServer, kOwn } time = Time::kServer;  // kOwn: of tests, which have a clock
  db::Patience patience = {};                              // with a server that cannot be reached
  Location(std::string directory) : dir(std::move(directory)) {}  // NOLINT: a folder is a location
  bool on_server() const { return !url.empty(); }
};

class Store final : public View {
 public:
  struct State;  // of the files of store/ alone
  State& state() { return *state_; }

  // Creates the store when absent (mode 0700). kNewer: a store of a newer schema, untouched.
  // kCorrupt. kUnsupported: a network file system. Older schemas are migrated in one transaction
  // after a backup.
  // kFault: no server answers there.
  static Result<Store> open(const Location& place, const Clock& clock);
  // kNotFound when there is no store; creates nothing. For commands that only look. A store whose
  // last events do not hold together opens too, so that verify can say what is wrong; append() then
  // fails with kCorrupt, as open() does at once.
  static Result<Store> open_existing(const Location& place, const Clock& clock);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store() override;

  // kSoon: on disk with whatever is appended next and durable, and no order is lost; a power cut
  // before that takes it back, as if it had come earlier. For what is part of a step whose end is
  // durable, where a kill just before the append is harmless, and so is all that is done between.
  // (A server makes everything durable at once.)
  enum class Durable { kNow, kSoon };
  // Appends all or nothing; returns the last number. `check` runs first under the write lock, its
  // error aborts. A repeated dedup_key makes no second event. kNewer: migrated since it was opened.
  using Check = std::function<Status(const View&)>;
  Result<Seq> append(const std::vector<NewEvent>& events, const Check& check = {},
                     Durable durable = Durable::kNow);
  Result<Seq> append_soon(const std::vector<NewEvent>& events) {
    return append(events, {}, Durable::kSoon);
  }
  // Makes what was appended soon durable by `sync`, which is given the files that hold it (none on
  // a server), to be waited for with others. Its error is kOutcomeUnknown, and nothing more is
  // written through this store: what the kernel still holds in memory proves nothing about the
  // disk.
  Status make_durable(const std::function<Status(const std::vector<std::string>& files)>& sync);
  // The same, waited for alone. A process that appends no other way spares the sync of the folder
  // that is a part of SQLite's first one.
  Status make_durable();
  // The same, where what is to be appended follows from what is seen under the write lock. Nothing
  // is an answer too: then nothing is written, and the head returned. An error aborts.
  using Decision = std::function<Result<std::vector<NewEvent>>(const View&)>;
  Result<Seq> decide(const Decision& decision, Durable durable = Durable::kNow);

  Result<std::int64_t> now_ms() const override;
  const db::Database& tables() const override;
  Result<std::optional<Txn>> txn(const TxnId& id) const override;
  Result<std::optional<BranchState>> branch(const RefName& name) const override;
  Result<Seq> head() const override;
  Result<std::vector<BranchState>> branches() const;
  Result<std::vector<Txn>> txns(const TxnFilter& filter) const;
  Result<TxnId> find_txn(const std::string& id_or_name) const;  // exact id, unique prefix, or name
  Result<std::vector<LandedRow>> landed_since(const RefName& branch, Seq after) const;
  Result<std::vector<Certificate>> certificates(const Oid& tree) const;          // the oldest first
  Result<std::vector<Certificate>> newest_certificates(std::size_t most) const;  // the newest first
  Result<bool> is_trusted(const Digest& trust_hash) const;
  Result<std::vector<Ticket>> tickets(const RefName& branch) const;  // oldest first
  // Unique; reused only where the power went before anything durable was appended.
  Result<std::int64_t> next_slot();
  Result<std::vector<Event>> events(Seq from, int limit) const;
  Result<std::vector<Event>> events_of(const std::string& subject) const;

  // Artifacts: bytes too large for an event, content-addressed, durable before they are named.
  Result<Digest> put_artifact(std::string_view bytes);
  // The same of several, synced at the same time; their names in this order.
  Result<std::vector<Digest>> put_artifacts(const std::vector<std::string_view>& all);
  // The same for what the next event is to name: on disk when that event is, and not before.
  Result<std::vector<Digest>> put_artifacts_soon(const std::vector<std::string_view>& all);
  // kCorrupt: it is gone, or not what its name says.
  Result<std::string> artifact(const Digest& digest) const;

  Result<VerifyReport> verify() const;         // the chain, from the first event
  Result<VerifyReport> verify_replay() const;  // projections rebuilt from the log, byte for byte
  Result<Json> state_at(Seq seq) const;        // what the kernel knew then
  const std::string& dir() const;
  const Location& place() const;
  // Those that everybody who uses this store sees; they live as long as it does.
  Locks& locks() const;
  // Makes the reads of an attempt that were left (model/txn.h), from its traces and the `recorded`
  // ones. For store/work/recorded.h, which asks whoever knows traces.
  using LeftReads = std::function<Result<ReadSet>(const TxnId&, const Attempt&, ReadSet recorded)>;
  void set_left_reads(LeftReads make);
  const LeftReads& left_reads() const;

 private:
  friend Result<Store> open_with_plan(const Location&, const Clock&, Create, const Plan&);
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gittxn::store
