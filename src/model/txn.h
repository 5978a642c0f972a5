// A transaction: one isolated try to change the repository, and its states.
//
//   open ──ask to land──> prepared ──> landing ──> landed
//     │                    │  │  ^        │
//     │                    │  │  └─lost───┘        a landing that did not happen: back to prepared
//     │                    │  └──> repairing       between tries: a new attempt (open) or asked
//     again │                    └─────> rejected (gate or policy) | quarantined (retries used up)
//     └──> nothing (no change) | aborted
//
// A landing is only ever landed or lost, because its LandingPrepared must be resolved either way;
// who rejects after that goes through prepared. rejected, quarantined and aborted are kept whole:
// resume reopens them, and rejected and quarantined ones may simply be asked for again. An open or
// rejected one whose agent goes on, or is run again, is repairing meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace gittxn {

class FieldIo;  // base/fields.h

enum class TxnState {
  kOpen,
  kPrepared,
  kLanding,
  kLanded,
  kNothing,
  kRejected,
  kAborted,
  kQuarantined,
  kRepairing,
};
// Weakest first: policy raises a level, and nothing lowers one. What each demands:
// certify/certify.h.
enum class Isolation { kReadCommitted, kSnapshot, kSemantic, kSerializable, kStrict };
inline constexpr Isolation kDefaultIsolation = Isolation::kSemantic;  // where nobody names one

// Why a landing waits, or who waits for a lease or the store. Of the person's checkout: from
// kRebase on.
enum class WaitReason {
  kNone,  // the wait is over
  kTurn,
  kLandingLock,
  kMovingHead,
  kUnfinished,
  kLease,
  kPlace,
  kTrust,
  kPolicyUnparsed,
  kSigningKey,
  kInterrupted,
  kStoreUnreached,
  kHubRefuses,
  kNoAnswer,
  kRemoteRefuses,
  kUnpushed,
  kBehind,
  kDiverged,
  kPullRequest,
  kMergedThere,
  kRefLock,
  kRebase,
  kMerge,
  kCherryPick,
  kRevert,
  kCherryPickOrRevert,
  kIndexLock,
  kStaged,
  kUnstaged,
  kUnmerged,
  kUntracked,
  kSkipWorktree,
  kAssumeUnchanged,
  kNoExchange,
  kOtherFileSystem,
  kDirectoryReadOnly,
};

std::string_view state_name(TxnState state);
// As the log and --json have it; "" of kNone.
std::string_view wait_words(WaitReason reason);
// nullopt: a reason that only another version of the program has.
std::optional<WaitReason> wait_reason(std::string_view words);
std::string_view isolation_name(Isolation level);
Result<Isolation> isolation_from_name(std::string_view name);
// True for the moves the diagram above allows; the store refuses every other one.
bool may_follow(TxnState from, TxnState to);
// landed, nothing, aborted: nobody works on it and nothing waits for it (an aborted one can be
// resumed).
bool is_final(TxnState state);

struct Identity {
  std::string name;
  std::string email;
  bool operator==(const Identity&) const = default;
};

// One try of a transaction: a base, a worktree, and what came out of it.
struct Attempt {
  int number = 1;
  Oid base;                         // the snapshot's commit
  Seq base_seq = 0;                 // the snapshot's kernel event
  std::string worktree;             // absolute; empty once removed
  std::vector<std::string> traces;  // trace files, one per command
  std::optional<int> command_exit;
  Oid kept;      // commit under refs/txn/<id>/<n> with the work, once taken
  Digest reads;  // artifact: JSON lines of the read set
  bool reads_complete = false;
  std::string unknown_reason;
  Digest writes;  // artifact: JSON lines of the changes
  Digest tool_env;
  std::string confine;   // what one of its commands was confined to ("writes"); "" none was
  bool by_hand = false;  // a person has taken it up since its last command
  // `reads` are those alone that no trace shows: the others are made when somebody asks.
  bool reads_left = false;
  bool operator==(const Attempt&) const = default;
};

struct Txn {
  TxnId id;
  std::string name;
  TxnState state = TxnState::kOpen;
  Isolation isolation = kDefaultIsolation;
  RefName target;  // resolved branch
  std::vector<std::string> command;
  std::string subdir;  // where in the tree the command starts
  std::string owner;
  int priority = 0;
  Identity committer;
  std::optional<Identity> author;  // --author
  std::int64_t slot = 0;           // owner liveness slot (base/fs.h SlotLock on <txn dir>/owners)
  bool attached = false;           // its owner proves life by holding the slot
  std::vector<Attempt> attempts;
  std::string waiting_reason;  // as the log has it (wait_words()), "" when it does not wait
  std::string waiting_subject;
  Oid landed_commit;
  std::int64_t created_wall_ms = 0;
  std::string workflow;  // it belongs to this phase of it; "" to none
  std::string phase;
  TxnId parent;       // begun from inside of this one; "" from outside of any
  int depth = 0;      // how many are above it
  std::string clone;  // where several share a store: the one that has its worktree and its work
  Seq version = 0;    // event that last changed it
  bool operator==(const Txn&) const = default;
};

void fields(FieldIo& io, Identity& identity);
void fields(FieldIo& io, Attempt& attempt);
void fields(FieldIo& io, Txn& txn);

// A command that undoes what a transaction did outside of the repository.
struct Compensation {
  int number = 1;  // of its transaction, in the order of registration
  int attempt = 1;
  std::string name;
  std::vector<std::string> argv;
  int runs = 0;  // how often it was started
  bool ended = false;
  int exit_status = 0;  // with `ended`
  bool timed_out = false;
  Digest output;  // artifact; with `ended`
  bool operator==(const Compensation&) const = default;
};
void fields(FieldIo& io, Compensation& compensation);

// Why a transaction did not land: the witness a person sees.
enum class ConflictKind {
  kReadStale,
  kWriteWrite,
  kPredicate,
  kKernel,
  kGate,
  kPolicy,
  kCycle,
  kSymbol,  // what one changed in a symbol the other relies on
};
struct Conflict {
  ConflictKind kind = ConflictKind::kReadStale;
  std::string subject;
  std::string read_digest;
  std::string head_digest;
  std::string changed_by;  // a transaction id, or a commit with its author
  std::string hint;
  std::string read_by;  // who made the read (maker_of); empty: it is about no read
  std::string cause;    // the path whose change it met, where the subject is no path
  // The command that looked at the subject, if that was a question (model/read.h). If it was run
  // again: a sentence that says what became of its answer, and the lines of its output that show
  // it. Both are printable and bounded.
  std::string question = {};
  std::string answer = {};
  std::string shown = {};
  bool operator==(const Conflict&) const = default;
};
void fields(FieldIo& io, Conflict& conflict);
std::string_view conflict_kind_name(ConflictKind kind);

}  // namespace gittxn
