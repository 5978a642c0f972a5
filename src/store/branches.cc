// Branches as the log knows them, and the landings on them.
#include <fmt/format.h>

#include "base/json_value.h"
#include "model/codec.h"
#include "store/area.h"
#include "store/rows.h"
#include "store/transactions.h"

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
  db::Statement insert =
      TRY(database.statement("INSERT INTO landed (seq, branch, txn, old_head, new_head, time, who) "
                             "VALUES (?, ?, ?, ?, ?, ?, ?)"));
  insert.bind_all(row.seq, row.branch.str(), row.txn.str(), row.old_head.str(), row.new_head.str(),
                  row.time, encode_path(row.who));
  return insert.run();
}

Status outside_move(db::Database& database, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  Oid old_head;
  Oid new_head;
  std::string who;
  fields.oid("old", old_head);
  fields.oid("new", new_head);
  fields.text("who", who);
  TRY(fields.done());
  const RefName name{event.subject};
  BranchState branch = TRY(branch_or_new(database, name, old_head));
  if (branch.prepared) return stale(event, "a landing on it is not resolved yet");
  if (branch.head != old_head) return stale(event, "its head in the log is " + branch.head.str());
  branch.head = new_head;
  TRY(insert_landed(database,
                    LandedRow{event.seq, name, TxnId(), old_head, new_head, event.time, who}));
  return save_branch(database, branch);
}

Status durable_head(db::Database& database, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  Oid head;
  fields.oid("head", head);
  TRY(fields.done());
  BranchState branch = TRY(branch_or_new(database, RefName(event.subject), head));
  branch.durable_head = head;
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
  bool fence_told = false;
};
Result<Resolved> resolve(const db::Database& database, const Event& event, Fields& fields) {
  PreparedLanding told;
  fields.name("txn", told.txn);
  fields.name("branch", told.branch);
  fields.oid("old", told.old_head);
  fields.oid("new", told.new_head);
  fields.integer("prepared", told.seq);
  const bool fence_told = fields.has("fence");
  if (fence_told) fields.oid("fence", told.fence);
  TRY(fields.done());
  std::optional<BranchState> branch = TRY(load_branch(database, told.branch));
  if (!branch || !branch->prepared || branch->prepared->seq != told.seq) {
    return stale(event, fmt::format("landing {} is not unresolved", told.seq));
  }
  const PreparedLanding& known = *branch->prepared;
  if (known.txn != told.txn || event.subject != told.txn.str() || known.old_head != told.old_head ||
      known.new_head != told.new_head) {
    return stale(event, fmt::format("landing {} is another one", told.seq));
  }
  Resolved resolved{*branch, known, fence_told};
  resolved.branch.prepared.reset();
  if (fence_told) resolved.branch.fence = told.fence;
  return resolved;
}

Status landing_lost(db::Database& database, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  std::string why;
  fields.text("why", why);
  const Resolved resolved = TRY(resolve(database, event, fields));
  Txn txn = TRY(known_txn(database, event));
  TRY(move_txn(txn, TxnState::kPrepared, event));
  TRY(update_txn(database, txn));
  return save_branch(database, resolved.branch);
}

Status transaction_landed(db::Database& database, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  std::vector<std::string> left;
  fields.texts("left_to_person", left);
  Resolved resolved = TRY(resolve(database, event, fields));
  const PreparedLanding& landing = resolved.landing;
  Txn txn = TRY(known_txn(database, event));
  TRY(move_txn(txn, TxnState::kLanded, event));
  txn.landed_commit = landing.new_head;
  TRY(update_txn(database, txn));
  TRY(insert_landed(database, LandedRow{event.seq, landing.branch, landing.txn, landing.old_head,
                                        landing.new_head, event.time}));
  resolved.branch.head = landing.new_head;
  resolved.branch.durable_head = landing.new_head;
  if (!resolved.fence_told && !landing.fence.empty()) resolved.branch.fence = landing.fence;
  return save_branch(database, resolved.branch);
}

Status checkout_pending(db::Database&, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  std::string worktree;
  std::vector<std::string> paths;
  fields.text("worktree", worktree);
  fields.texts("paths", paths);
  return fields.done();
}

std::string move_text(const Json& payload) {
  return fmt::format("{} -> {}", telling::brief(telling::text(payload, "old")),
                     telling::brief(telling::text(payload, "new")));
}
std::string tell_landing_prepared(const Json& payload) {
  return "landing prepared, " + move_text(payload);
}
std::string tell_landing_lost(const Json& payload) {
  return "landing lost" + telling::after_colon(telling::text(payload, "why"));
}
std::string tell_transaction_landed(const Json& payload) {
  return "landed, " + move_text(payload);
}
std::string tell_outside_move(const Json& payload) {
  return fmt::format("moved outside, {}{}", move_text(payload),
                     telling::after_colon(telling::text(payload, "who")));
}
std::string tell_durable_head(const Json& payload) {
  return "durable head " + telling::brief(telling::text(payload, "head"));
}
std::string tell_checkout_pending(const Json& payload) {
  return "files left to the person in " + telling::text(payload, "worktree");
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

constexpr EventRule kBranchRules[] = {
    {event_type::kLandingPrepared, landing_prepared, tell_landing_prepared},
    {event_type::kLandingLost, landing_lost, tell_landing_lost},
    {event_type::kTransactionLanded, transaction_landed, tell_transaction_landed},
    {event_type::kOutsideMove, outside_move, tell_outside_move},
    {event_type::kDurableHead, durable_head, tell_durable_head},
    {event_type::kCheckoutPending, checkout_pending, tell_checkout_pending},
};

}  // namespace

const Area kBranches{kBranchSql, kBranchTables, kBranchRules};

}  // namespace gittxn::store
