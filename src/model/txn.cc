#include "model/txn.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "model/fields.h"

namespace gittxn {
namespace {

constexpr NameTable<TxnState, 9> kTxnStates{{
    {TxnState::kOpen, "open"},
    {TxnState::kPrepared, "prepared"},
    {TxnState::kLanding, "landing"},
    {TxnState::kLanded, "landed"},
    {TxnState::kNothing, "nothing"},
    {TxnState::kRejected, "rejected"},
    {TxnState::kAborted, "aborted"},
    {TxnState::kQuarantined, "quarantined"},
    {TxnState::kRepairing, "repairing"},
}};

constexpr NameTable<Isolation, 5> kIsolations{{
    {Isolation::kReadCommitted, "read-committed"},
    {Isolation::kSnapshot, "snapshot"},
    {Isolation::kSemantic, "semantic"},
    {Isolation::kSerializable, "serializable"},
    {Isolation::kStrict, "strict"},
}};

constexpr NameTable<ConflictKind, 8> kConflictKinds{{
    {ConflictKind::kReadStale, "read-stale"},
    {ConflictKind::kWriteWrite, "write-write"},
    {ConflictKind::kPredicate, "predicate"},
    {ConflictKind::kKernel, "kernel"},
    {ConflictKind::kGate, "gate"},
    {ConflictKind::kPolicy, "policy"},
    {ConflictKind::kCycle, "cycle"},
    {ConflictKind::kSymbol, "symbol"},
}};

constexpr auto kWaitReasons = std::to_array<std::pair<WaitReason, std::string_view>>({
    {WaitReason::kNone, ""},
    {WaitReason::kTurn, "turn"},
    {WaitReason::kLandingLock, "landing lock held"},
    {WaitReason::kMovingHead, "the head keeps moving"},
    {WaitReason::kUnfinished, "an earlier landing is not finished"},
    {WaitReason::kLease, "lease"},
    {WaitReason::kPlace, "place of another that has lost"},
    {WaitReason::kTrust, "trust"},
    {WaitReason::kPolicyUnparsed, "the policy on the branch does not parse"},
    {WaitReason::kSigningKey, "signing key"},
    {WaitReason::kInterrupted, "interrupted"},
    {WaitReason::kStoreUnreached, "the store cannot be reached"},
    {WaitReason::kHubRefuses, "the hub refuses it"},
    {WaitReason::kNoAnswer, "the remote does not answer"},
    {WaitReason::kRemoteRefuses, "the remote refuses it"},
    {WaitReason::kUnpushed, "the branch has commits that the remote has not"},
    {WaitReason::kBehind, "the branch cannot be brought to what the remote has"},
    {WaitReason::kDiverged, "the branch and the remote have diverged"},
    {WaitReason::kPullRequest, "a pull request"},
    {WaitReason::kMergedThere, "its pull request was merged there and is not here yet"},
    {WaitReason::kRefLock, "ref lock held"},
    {WaitReason::kRebase, "rebase in progress"},
    {WaitReason::kMerge, "merge in progress"},
    {WaitReason::kCherryPick, "cherry-pick in progress"},
    {WaitReason::kRevert, "revert in progress"},
    {WaitReason::kCherryPickOrRevert, "cherry-pick or revert in progress"},
    {WaitReason::kIndexLock, "index.lock held"},
    {WaitReason::kStaged, "staged edits"},
    {WaitReason::kUnstaged, "uncommitted edits"},
    {WaitReason::kUnmerged, "unmerged"},
    {WaitReason::kUntracked, "untracked file in the way"},
    {WaitReason::kSkipWorktree, "skip-worktree entry differs"},
    {WaitReason::kAssumeUnchanged, "assume-unchanged entry differs"},
    {WaitReason::kNoExchange, "the file system cannot exchange two files in one step"},
    {WaitReason::kOtherFileSystem, "on another file system than the checkout"},
    {WaitReason::kDirectoryReadOnly, "its directory cannot be written to"},
});

}  // namespace

std::string_view state_name(TxnState state) {
  return name_in(kTxnStates, state);
}
std::string_view wait_words(WaitReason reason) {
  return name_in(kWaitReasons, reason);
}
std::optional<WaitReason> wait_reason(std::string_view words) {
  const auto* const found =
      std::ranges::find(kWaitReasons, words, &std::pair<WaitReason, std::string_view>::second);
  if (found == kWaitReasons.end()) return std::nullopt;
  return found->first;
}
std::string_view isolation_name(Isolation level) {
  return name_in(kIsolations, level);
}
Result<Isolation> isolation_from_name(std::string_view name) {
  return value_in(kIsolations, "isolation level", name);
}
std::string_view conflict_kind_name(ConflictKind kind) {
  return name_in(kConflictKinds, kind);
}

bool may_follow(TxnState from, TxnState to) {
  using enum TxnState;
  using Move = std::pair<TxnState, TxnState>;
  static constexpr Move kMoves[] = {
      {kOpen, kPrepared},      {kOpen, kRepairing},       {kOpen, kQuarantined},
      {kOpen, kNothing},       {kOpen, kAborted},         {kPrepared, kLanding},
      {kPrepared, kRepairing}, {kPrepared, kRejected},    {kPrepared, kQuarantined},
      {kPrepared, kNothing},   {kPrepared, kAborted},     {kPrepared, kOpen},
      {kLanding, kLanded},     {kLanding, kPrepared},     {kRepairing, kPrepared},
      {kRepairing, kOpen},     {kRepairing, kRejected},   {kRepairing, kQuarantined},
      {kRepairing, kNothing},  {kRepairing, kAborted},    {kRejected, kOpen},
      {kRejected, kPrepared},  {kRejected, kRepairing},   {kRejected, kAborted},
      {kQuarantined, kOpen},   {kQuarantined, kPrepared}, {kQuarantined, kAborted},
      {kAborted, kOpen},
  };
  return std::ranges::find(kMoves, Move(from, to)) != std::end(kMoves);
}

bool is_final(TxnState state) {
  return state == TxnState::kLanded || state == TxnState::kNothing || state == TxnState::kAborted;
}

void fields(FieldIo& io, Identity& identity) {
  io.thing("identity");
  io.text("name", identity.name);
  io.text("email", identity.email);
}

void fields(FieldIo& io, Attempt& attempt) {
  io.thing("attempt");
  io.integer("number", attempt.number, kPositive);
  io.oid("base", attempt.base);
  io.integer("base_seq", attempt.base_seq, kNotNegative);
  io.text("worktree", attempt.worktree);
  io.texts("traces", attempt.traces);
  if (io.or_null("command_exit", attempt.command_exit)) {
    io.integer("command_exit", *attempt.command_exit);
  }
  io.oid("kept", attempt.kept);
  io.name("reads", attempt.reads);
  io.boolean("reads_complete", attempt.reads_complete);
  io.text("unknown_reason", attempt.unknown_reason);
  io.name("writes", attempt.writes);
  io.name("tool_env", attempt.tool_env);
  if (io.maybe("confine", attempt.confine)) io.text("confine", attempt.confine);
  if (io.maybe("by_hand", attempt.by_hand)) io.boolean("by_hand", attempt.by_hand);
  if (io.maybe("reads_left", attempt.reads_left)) io.boolean("reads_left", attempt.reads_left);
}

void fields(FieldIo& io, Conflict& conflict) {
  io.thing("conflict");
  io.choice("kind", conflict.kind, kConflictKinds);
  io.text("subject", conflict.subject);
  io.text("read_digest", conflict.read_digest);
  io.text("head_digest", conflict.head_digest);
  io.text("changed_by", conflict.changed_by);
  io.text("hint", conflict.hint);
  if (io.newer("read_by")) io.text("read_by", conflict.read_by);
  if (io.maybe("cause", conflict.cause)) io.text("cause", conflict.cause);
  if (io.maybe("question", conflict.question)) io.text("question", conflict.question);
  if (io.maybe("answer", conflict.answer)) io.text("answer", conflict.answer);
  if (io.maybe("shown", conflict.shown)) io.text("shown", conflict.shown);
}

void fields(FieldIo& io, Txn& txn) {
  io.thing("transaction");
  io.name("id", txn.id);
  io.text("name", txn.name);
  io.choice("state", txn.state, kTxnStates);
  io.choice("isolation", txn.isolation, kIsolations);
  io.name("target", txn.target);
  io.texts("command", txn.command);
  io.text("subdir", txn.subdir);
  io.text("owner", txn.owner);
  io.integer("priority", txn.priority);
  io.value("committer", txn.committer);
  if (io.or_null("author", txn.author)) io.value("author", *txn.author);
  io.integer("slot", txn.slot, kNotNegative);
  io.boolean("attached", txn.attached);
  io.list("attempts", txn.attempts);
  io.text("waiting_reason", txn.waiting_reason);
  io.text("waiting_subject", txn.waiting_subject);
  io.oid("landed_commit", txn.landed_commit);
  io.integer("created_wall_ms", txn.created_wall_ms, kNotNegative);
  io.integer("version", txn.version, kNotNegative);
  // These five only where there are any.
  if (io.maybe({"workflow", "phase"}, txn.workflow)) {
    io.text("workflow", txn.workflow);
    io.text("phase", txn.phase);
  }
  if (io.maybe({"parent", "depth"}, txn.parent)) {
    io.name("parent", txn.parent);
    io.integer("depth", txn.depth, kNotNegative);
  }
  if (io.maybe("clone", txn.clone)) io.text("clone", txn.clone);
}

void fields(FieldIo& io, Compensation& compensation) {
  io.thing("compensation");
  io.integer("number", compensation.number, kPositive);
  io.integer("attempt", compensation.attempt, kPositive);
  io.text("name", compensation.name);
  io.texts("argv", compensation.argv);
  io.integer("runs", compensation.runs, kNotNegative);
  io.boolean("ended", compensation.ended);
  io.integer("exit", compensation.exit_status);
  io.boolean("timed_out", compensation.timed_out);
  io.name({"output", "digest of what it printed; empty: it has not run"}, compensation.output);
}

}  // namespace gittxn
