// Branches as the log knows them, and the landings on them.
#include <fmt/format.h>

#include "store/area.h"
#include "store/events.h"
#include "store/rows.h"

namespace gittxn::store {
namespace {

Result<BranchState> branch_or_new(const db::Database& database, const RefName& name,
                                  const Oid& head) {
  std::optional<BranchState> branch = TRY(load_branch(database, name));
  if (branch) return *std::move(branch);
  BranchState fresh;
  fresh.branch = name;
  fresh.head = head;
  return fresh;
}

Status insert_landed(db::Database& database, const LandedRow& row) {
  return insert_row(database, "landed", "seq, branch, txn, old_head, new_head, time, who", row.seq,
                    row.branch, row.txn, row.old_head, row.new_head, row.time,
                    encode_path(row.who));
}

struct OutsideMove {
  Oid old_head;
  Oid new_head;
  std::string who;
};
void fields(FieldIo& io, OutsideMove& move) {
  io.oid("old", move.old_head);
  io.oid("new", move.new_head);
  io.text("who", move.who);
}

struct DurableHead {
  Oid head;
};
void fields(FieldIo& io, DurableHead& durable) {
  io.oid("head", durable.head);
}

struct CheckoutPending {
  std::string worktree;
  std::vector<std::string> paths;
};
void fields(FieldIo& io, CheckoutPending& pending) {
  io.text("worktree", pending.worktree);
  io.texts("paths", pending.paths);
}

// The end of a landing: which one it was, and what became of it.
struct LandingEnd {
  TxnId txn;
  RefName branch;
  Oid old_head;
  Oid new_head;
  Seq prepared = 0;
  std::optional<Oid> fence;
};
void end_fields(FieldIo& io, LandingEnd& end) {
  io.name("txn", end.txn);
  io.name("branch", end.branch);
  io.oid("old", end.old_head);
  io.oid("new", end.new_head);
  io.integer({"prepared", "seq"}, end.prepared, kPositive);
  if (io.maybe("fence", end.fence)) io.oid({"fence", "where it was closed"}, *end.fence);
}
struct LandingLost {
  LandingEnd end;
  std::string why;
};
void fields(FieldIo& io, LandingLost& lost) {
  end_fields(io, lost.end);
  io.text("why", lost.why);
}
struct TransactionLanded {
  LandingEnd end;
  std::vector<std::string> left_to_person;
};
void fields(FieldIo& io, TransactionLanded& landed) {
  end_fields(io, landed.end);
  io.texts("left_to_person", landed.left_to_person);
}

Status outside_move(db::Database& database, const Event& event, const OutsideMove& move) {
  const RefName name{event.subject};
  BranchState branch = TRY(branch_or_new(database, name, move.old_head));
  if (branch.prepared) return stale(event, "a landing on it is not resolved yet");
  if (branch.head != move.old_head) {
    return stale(event, "its head in the log is " + branch.head.str());
  }
  branch.head = move.new_head;
  TRY(insert_landed(database, LandedRow{event.seq, name, TxnId(), move.old_head, move.new_head,
                                        event.time, move.who}));
  return save_branch(database, branch);
}

Status durable_head(db::Database& database, const Event& event, const DurableHead& durable) {
  BranchState branch = TRY(branch_or_new(database, RefName(event.subject), durable.head));
  branch.durable_head = durable.head;
  return save_branch(database, branch);
}

// Landings

Status landing_prepared(db::Database& database, const Event& event, const Json&) {
  PreparedLanding landing = TRY(landing_from_payload(event.payload, event.seq));
  if (landing.txn.str() != event.subject) return stale(event, "its payload names another");
  Txn txn = TRY(known_txn(database, event));
  if (txn.target != landing.branch) return stale(event, "its target is " + txn.target.str());
  BranchState branch = TRY(branch_or_new(database, landing.branch, landing.old_head));
  if (branch.prepared) {
    return stale(event, "the landing of " + branch.prepared->txn.str() + " is not resolved yet");
  }
  if (branch.head != landing.old_head) {
    return stale(event, "the branch's head in the log is " + branch.head.str());
  }
  if (!landing.fence.empty() && branch.fence != landing.fence_before) {
    return stale(event, "the branch's fence in the log is " + branch.fence.str());
  }
  TRY(move_txn(txn, TxnState::kLanding, event));
  TRY(update_txn(database, txn));
  branch.prepared = std::move(landing);
  return save_branch(database, branch);
}

// The end of a landing: checks that it is the unresolved one of its branch, and takes it off.
struct Resolved {
  BranchState branch;
  PreparedLanding landing;
};
Result<Resolved> resolve(const db::Database& database, const Event& event, const LandingEnd& told) {
  std::optional<BranchState> branch = TRY(load_branch(database, told.branch));
  if (!branch || !branch->prepared || branch->prepared->seq != told.prepared) {
    return stale(event, fmt::format("landing {} is not unresolved", told.prepared));
  }
  const PreparedLanding& known = *branch->prepared;
  if (known.txn != told.txn || event.subject != told.txn.str() || known.old_head != told.old_head ||
      known.new_head != told.new_head) {
    return stale(event, fmt::format("landing {} is another one", told.prepared));
  }
  Resolved resolved{*branch, known};
  resolved.branch.prepared.reset();
  if (told.fence) resolved.branch.fence = *told.fence;
  return resolved;
}

Status landing_lost(db::Database& database, const Event& event, const LandingLost& lost) {
  const Resolved resolved = TRY(resolve(database, event, lost.end));
  Txn txn = TRY(known_txn(database, event));
  TRY(move_txn(txn, TxnState::kPrepared, event));
  TRY(update_txn(database, txn));
  return save_branch(database, resolved.branch);
}

Status transaction_landed(db::Database& database, const Event& event,
                          const TransactionLanded& landed) {
  Resolved resolved = TRY(resolve(database, event, landed.end));
  const PreparedLanding& landing = resolved.landing;
  Txn txn = TRY(known_txn(database, event));
  TRY(move_txn(txn, TxnState::kLanded, event));
  txn.landed_commit = landing.new_head;
  TRY(update_txn(database, txn));
  TRY(insert_landed(database, LandedRow{event.seq, landing.branch, landing.txn, landing.old_head,
                                        landing.new_head, event.time}));
  resolved.branch.head = landing.new_head;
  resolved.branch.durable_head = landing.new_head;
  if (!landed.end.fence && !landing.fence.empty()) resolved.branch.fence = landing.fence;
  return save_branch(database, resolved.branch);
}

constexpr std::string_view kBranchSql = R"sql(
CREATE TABLE branches (
  name         TEXT    PRIMARY KEY,
  head         TEXT    NOT NULL,
  durable_head TEXT    NOT NULL,
  prepared_seq INTEGER NOT NULL,
  prepared     TEXT    NOT NULL,
  fence        TEXT    NOT NULL
) STRICT;
CREATE TABLE landed (
  seq      INTEGER PRIMARY KEY,
  branch   TEXT    NOT NULL,
  txn      TEXT    NOT NULL,
  old_head TEXT    NOT NULL,
  new_head TEXT    NOT NULL,
  time     TEXT    NOT NULL,
  who      TEXT    NOT NULL
) STRICT;
CREATE INDEX landed_by_branch ON landed (branch, seq);
)sql";

constexpr ProjectionTable kBranchTables[] = {{"branches", "name"}, {"landed", "seq"}};

constexpr const char* kThisOne = "landing, this one";
constexpr EventRule kBranchRules[] = {
    {event_type::kLandingPrepared,
     {"A landing that is about to move the branch.",
      "prepared; no unresolved landing on the branch; `old` is the branch's head in the log", "",
      "", "landing"},
     {landing_payload, landing_prepared},
     "landing prepared, {~old} -> {~new}"},
    {event_type::kLandingLost,
     {"A landing that did not happen.", "", kThisOne, "prepared"},
     accepts<landing_lost>,
     "landing lost{:why}"},
    {event_type::kTransactionLanded,
     {"The branch has moved to what the transaction made.", "", kThisOne, "landed"},
     accepts<transaction_landed>,
     "landed, {~old} -> {~new}"},
    {event_type::kOutsideMove,
     {"Somebody moved the branch without a transaction.", "the branch",
      "no unresolved landing on it; `old` is its head in the log"},
     accepts<outside_move>,
     "moved outside, {~old} -> {~new}{:who}"},
    {event_type::kDurableHead,
     {"A head of the branch that is on disk.", "the branch"},
     accepts<durable_head>,
     "durable head {~head}"},
    {event_type::kCheckoutPending,
     {"Files of a checkout that are left to the person."},
     accepts<only_told<CheckoutPending>>,
     "files left to the person in {worktree}"},
};

}  // namespace

const Area kBranches{kBranchSql, kBranchTables, kBranchRules};

namespace events {
namespace {

LandingEnd end_of(const PreparedLanding& landing, const Oid& fence) {
  LandingEnd end{landing.txn, landing.branch, landing.old_head, landing.new_head, landing.seq, {}};
  if (!fence.empty()) end.fence = fence;
  return end;
}

}  // namespace

NewEvent landing_lost(const PreparedLanding& landing, const std::string& why, const Oid& fence) {
  return event_with(event_type::kLandingLost, landing.txn.str(),
                    LandingLost{end_of(landing, fence), why},
                    event_key("landing", std::to_string(landing.seq), "lost", "1"));
}

NewEvent transaction_landed(const PreparedLanding& landing,
                            const std::vector<std::string>& left_to_person, const Oid& fence) {
  return event_with(event_type::kTransactionLanded, landing.txn.str(),
                    TransactionLanded{end_of(landing, fence), left_to_person},
                    event_key("landing", std::to_string(landing.seq), "landed", "1"));
}

NewEvent outside_move(const RefName& branch, const Oid& old_head, const Oid& new_head,
                      const std::string& who) {
  return event_with(event_type::kOutsideMove, branch.str(), OutsideMove{old_head, new_head, who});
}

NewEvent durable_head(const RefName& branch, const Oid& head) {
  return event_with(event_type::kDurableHead, branch.str(), DurableHead{head});
}

NewEvent checkout_pending(const TxnId& id, const std::string& worktree,
                          const std::vector<std::string>& paths) {
  return event_with(event_type::kCheckoutPending, id.str(), CheckoutPending{worktree, paths});
}

}  // namespace events

}  // namespace gittxn::store
