// The person's own checkout, when the target branch is checked out somewhere. Their uncommitted work is
// never overwritten, stashed, reset or cleaned: files move with a landing one by one, each by an atomic
// exchange whose displaced bytes are checked, and only when they are the bytes the old commit had.
//
// Sequence (land/ calls it; docs/ARCHITECTURE.md has the whole order):
//   probe_checkout      nothing changed: is each touched file clean, is an operation in progress,
//                       can the file system exchange names?
//   lock_index          index.lock, a finished file naming the transaction, link(2)ed into place
//   check_clean         again, under the lock
//   [LandingPrepared, ref swap]
//   move_checkout       exchange each file, additions with NOREPLACE, removals by exchange; displaced
//                       inodes stay under <git dir>/txn/displaced/<id>
//   finish_checkout     the new index renamed over the old one, index.lock unlinked last
// Recovery calls resume_checkout with what LandingPrepared recorded; it is idempotent.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/change.h"
#include "model/txn.h"
#include "repo/repository.h"

namespace gittxn::repo {

// Why a landing has to wait for the person, in their words.
struct CheckoutBlock {
  std::string reason;   // "uncommitted edits", "staged edits", "untracked file in the way", "merge in
                        // progress", "skip-worktree entry differs", "index.lock held", ...
  std::string path;
};

// Recorded in LandingPrepared: everything that recovery needs.
struct CheckoutMove {
  CheckoutPlace place;
  Oid old_commit;
  Oid new_commit;
  Changes files;        // files only
};
Json to_json(const CheckoutMove& move);
Result<CheckoutMove> checkout_move_from_json(const Json& json);

// nullopt: clear to go.
Result<std::optional<CheckoutBlock>> probe_checkout(Repository& repository, const CheckoutMove& move);

class IndexLock {
 public:
  // kBusy when it was not had by the deadline; the message names who holds it when the file says so.
  static Result<IndexLock> acquire(const CheckoutPlace& place, const TxnId& txn, const Oid& new_commit,
                                   std::int64_t deadline_ms);
  IndexLock(IndexLock&&) noexcept;
  IndexLock& operator=(IndexLock&&) noexcept;
  ~IndexLock();               // unlinks the lock unless it was committed or given up
  void abandon();             // leaves the file for recovery (after LandingPrepared)
  Status unlink();

 private:
  explicit IndexLock(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

struct MoveReport {
  std::vector<std::string> left_to_person;  // paths whose bytes are the person's: kept, reported
};

// Stages the new bytes before anything durable is written (git's own filters; beside the checkout, on
// its file system). Call before LandingPrepared; nothing of the person's is touched.
Status stage_checkout(Repository& repository, const TxnId& txn, const CheckoutMove& move);
Result<MoveReport> move_checkout(Repository& repository, const TxnId& txn, const CheckoutMove& move);
Status finish_checkout(Repository& repository, const TxnId& txn, const CheckoutMove& move, IndexLock lock);
// After a crash past the ref swap: finish each path whose bytes are still old, leave the person's.
Result<MoveReport> resume_checkout(Repository& repository, const TxnId& txn, const CheckoutMove& move);
// After a crash with the ref not swapped: removes our own index.lock and staged files.
Status discard_checkout(Repository& repository, const TxnId& txn, const CheckoutMove& move);
// Compares displaced inodes with what they held when displaced: an editor that had the file open wrote
// to the old inode. Returns paths saved late (their bytes are kept); gc removes the unchanged ones.
Result<std::vector<std::string>> late_saves(Repository& repository, const CheckoutPlace& place);

}  // namespace gittxn::repo
