// Builders and readers of events: one builder an event type, so that nobody writes a payload by
// hand, and the readers of the payloads others need back. docs/formats/events.md is the table of
// all of them.
//
// The subject of a transaction's and a landing's event is the transaction's id, of a branch's event
// the branch's full name. Pure functions; project() in projection.cc decides what each event may
// follow.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/fields.h"
#include "base/ids.h"
#include "base/result.h"
#include "model/event.h"
#include "model/policy.h"
#include "model/txn.h"
#include "model/verdict.h"
#include "store/store.h"

namespace gittxn::store::events {

// A new transaction: state open, no attempt yet. A repeat of the same one is no second event; the
// same id with anything else in it is kExists.
NewEvent txn_begun(const Txn& txn);

// Attempts. A new one makes a transaction that was being repaired open again.
NewEvent attempt_started(const TxnId& id, const Attempt& attempt);
// `confine`: what it is confined to; "" not at all.
NewEvent command_started(const TxnId& id, int attempt, const std::string& trace,
                         const std::vector<std::string>& argv,  // trace empty: not traced
                         const std::string& confine = "");
NewEvent command_ended(const TxnId& id, int attempt, int exit_status);
// While a command runs. Extended: everything that was read until then holds at this head of the
// branch too. Told: it does not; a brief with this number names these subjects.
NewEvent extended(const TxnId& id, int attempt, const Oid& head, std::size_t reads);
NewEvent told(const TxnId& id, int attempt, const Oid& head, int number,
              const std::vector<std::string>& subjects);
// A sub-agent with a worktree of its own, below the attempt's directory.
struct Child {
  int attempt = 1;
  int number = 1;     // of the children of the attempt
  std::string name;   // as its agent calls the worktree
  std::string phase;  // begun; then joined, conflict, nothing or left, perhaps several times
  Oid tree;           // of what it changed; empty with begun and nothing
};
void fields(FieldIo& io, Child& child);
NewEvent child(const TxnId& id, const Child& child);
Result<std::optional<Child>> child_of(const Event& event);  // none: another type
NewEvent worktree_removed(const TxnId& id, int attempt);

// What came out of an attempt. May be recorded again after more work.
struct Taken {
  int attempt = 1;
  Oid base;      // the attempt's base from now on; empty: as it was
  Oid kept;      // the commit under refs/txn/<id>/<attempt>
  Digest reads;  // artifact
  bool reads_complete = false;
  std::string unknown_reason;
  Digest writes;  // artifact
  Digest tool_env;
  bool reads_left = false;  // the traces were not read; then the reads are not complete
};
NewEvent taken(const TxnId& id, const Taken& taken);

// Moves of the state diagram (model/txn.h). Every move ends a wait.
// Asked to land: the identity and signature are its owner's, captured here.
NewEvent prepared(const TxnId& id, int attempt, const std::optional<Identity>& committer = {});
NewEvent repairing(const TxnId& id, const std::string& rung, const std::string& why);
NewEvent rejected(const TxnId& id, int attempt, const std::vector<Conflict>& conflicts);
NewEvent quarantined(const TxnId& id, const std::string& why,
                     const std::vector<Conflict>& conflicts);
NewEvent aborted(const TxnId& id, const std::string& why, const std::string& actor);
// `merged`: somebody else brought its change to the branch, as this commit.
NewEvent nothing(const TxnId& id, const std::string& why, const Oid& merged = {});
// Back to open under a (new) owner; of an open one it only changes the owner.
struct Reopened {
  std::string owner;
  std::int64_t slot = 0;
  bool attached = false;
  bool by_hand = false;  // a person goes on with it
};
NewEvent reopened(const TxnId& id, const Reopened& reopened);

// Facts about a transaction that leave its state alone.
NewEvent waiting(const TxnId& id, WaitReason reason,
                 const std::string& subject);  // kNone: it is over
NewEvent conflicted(const TxnId& id, int attempt, const std::vector<Conflict>& conflicts);
NewEvent owner_lost(const TxnId& id, std::int64_t slot);

// A landing. `prepared` is refused (kStale) while the branch has an unresolved one, when the
// branch's head or fence in the log is not `old_head` or `fence_before`, or when the transaction is
// not prepared. The other two take the landing as the store gave it back, with its seq.
struct LandingDetails {
  Digest patch;  // of the changes against old_head
  Digest reads;
  Digest writes;
  Admission admitted = {};
};
NewEvent landing_prepared(const PreparedLanding& landing, const LandingDetails& details,
                          const Json& checkout);  // an array: what moves in checkouts
// `fence`: what it is on the hub now, where whoever resolves the landing has moved it.
NewEvent landing_lost(const PreparedLanding& landing, const std::string& why,
                      const Oid& fence = {});
NewEvent transaction_landed(const PreparedLanding& landing,
                            const std::vector<std::string>& left_to_person = {},
                            const Oid& fence = {});
// Of an event landing.prepared, and of PreparedLanding::payload.
Result<PreparedLanding> prepared_landing(const Event& event);
Result<Json> landing_checkout(const std::string& payload);
Result<Admission> admitted_by(const Event& event);  // of one landing.prepared
// Reads it from the last landing in the history of a transaction that was not lost.
Result<Admission> admitted_of(const std::vector<Event>& history);

// Branches. The first event about a branch tells the log its head. An outside move is refused when
// `old_head` is not the head in the log, and while a landing on that branch is unresolved.
NewEvent outside_move(const RefName& branch, const Oid& old_head, const Oid& new_head,
                      const std::string& who);
NewEvent durable_head(const RefName& branch, const Oid& head);
NewEvent checkout_pending(const TxnId& id, const std::string& worktree,
                          const std::vector<std::string>& paths);

NewEvent gate_evaluated(const Certificate& certificate);
NewEvent trusted(const Digest& trust_hash, const std::string& actor);

// A stored summary (model/summary.h); of one name the newest counts (store/summaries.h). `txn`:
// whose request it was, empty: a person's. A transaction's repeat of the same is no second event.
inline constexpr std::string_view kSummaries = "summaries";
struct SummaryAdded {
  std::string name;
  Digest manifest;  // artifact; it names the text's
  TxnId txn;
};
NewEvent summary_added(const SummaryAdded& added);

// The queue. The number is one that next_slot() gave, whose slot lock the waiter holds already.
NewEvent ticket_taken(const Ticket& ticket);
NewEvent ticket_done(const Ticket& ticket, const std::string& why);
NewEvent slot_reserved();  // only through Store::next_slot, and where a lease skips a number

// Reading back.
Result<std::vector<Conflict>> conflicts_of(const Event& event);  // empty when the type has none
std::string describe(const Event& event);                        // one line for a person
std::vector<std::string> types();                                // all there are, sorted

}  // namespace gittxn::store::events
