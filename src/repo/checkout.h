// The person's own checkout, when the target branch is checked out somewhere. Their uncommitted
// work is never overwritten, stashed, reset or cleaned: files move with a landing one by one, each
// by an atomic exchange whose displaced bytes are checked, and only when they are the bytes the old
// commit had.
//
// Sequence (land/ calls it; docs/ARCHITECTURE.md has the whole order):
//   probe_checkout      nothing changed: is each touched file clean, is an operation in progress,
//                       can the file system exchange names?
//   stage_checkout      the new bytes, beside the checkout; nothing of the person's is touched.
//   What
//                       it returns is to be on disk before the first file moves
//   IndexLock           index.lock, a finished file naming the transaction, link(2)ed into place
//   probe_checkout      again, under the lock
//   [LandingPrepared, ref swap]
//   move_checkout       removals, exchanges, additions with NOREPLACE; displaced inodes stay under
//                       <git dir>/txn/displaced/<id>
//   finish_checkout     all of that on disk, the new index renamed over the old one, index.lock
//                       unlinked last
// Recovery calls resume_checkout or discard_checkout with what LandingPrepared recorded; both are
// idempotent and may be killed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/change.h"
#include "model/txn.h"
#include "repo/repository.h"

namespace gittxn::repo {

// Why a landing has to wait for the person.
struct CheckoutBlock {
  WaitReason reason = WaitReason::kNone;
  std::string path;
};

// Recorded in LandingPrepared: everything that recovery needs.
struct CheckoutMove {
  CheckoutPlace place;
  Oid old_commit;
  Oid new_commit;
  Changes files;  // files only
};
Json to_json(const CheckoutMove& move);
Result<CheckoutMove> checkout_move_from_json(const Json& json);

// nullopt: clear to go. Our own index.lock for this very landing is no reason to wait. kStale: the
// checkout is not on that branch any more.
Result<std::optional<CheckoutBlock>> probe_checkout(Repository& repository,
                                                    const CheckoutMove& move);

// git does not sync its index, and recovery builds on it once the branch has moved, so a power cut
// must not leave it empty (seen on XFS). It and its directory, for whoever holds its lock to sync.
Result<std::vector<std::string>> index_to_sync(const CheckoutPlace& place);

class IndexLock {
 public:
  // kBusy when it was not had by the deadline (from now; < 0 waits for ever); the message names who
  // holds it when the file says so.
  static Result<IndexLock> acquire(const CheckoutPlace& place, const TxnId& txn,
                                   const Oid& new_commit, std::int64_t deadline_ms);
  // Our own lock as a crash left it; given up from the start, so it stays unless unlink() is
  // called.
  static IndexLock adopt(const CheckoutPlace& place, const TxnId& txn, const Oid& new_commit);
  IndexLock(IndexLock&&) noexcept;
  IndexLock& operator=(IndexLock&&) noexcept;
  ~IndexLock();                 // unlinks the lock unless it was given up
  void abandon();               // leaves the file to recovery (after LandingPrepared)
  Result<bool> stands() const;  // the file is there, and ours
  Status unlink();              // also after abandon(); only the file that is still ours

 private:
  IndexLock(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}
  std::string path_;  // empty: moved from, or done
  std::string text_;
  bool abandoned_ = false;
};

struct MoveReport {
  std::vector<std::string> left_to_person;  // paths whose bytes are the person's: kept, reported
};

// Stages the new bytes and the new index before anything durable is written (git's own filters;
// beside the checkout, on its file system), and syncs the bytes; returns the directories that name
// them, which the caller syncs before move_checkout(), with whatever else it waits for. May be
// called before the index is locked: what the person does since is found by the next probe and by
// the check of the displaced bytes.
Result<std::vector<std::string>> stage_checkout(Repository& repository, const TxnId& txn,
                                                const CheckoutMove& move);
Result<MoveReport> move_checkout(Repository& repository, const TxnId& txn,
                                 const CheckoutMove& move);
// On return the checkout is as durable as the branch. A failed sync is kOutcomeUnknown.
Status finish_checkout(Repository& repository, const TxnId& txn, const CheckoutMove& move,
                       IndexLock lock);
// After a crash past the ref swap: finish each path whose bytes are still old, leave the person's.
// kBusy: the index.lock is somebody else's.
Result<MoveReport> resume_checkout(Repository& repository, const TxnId& txn,
                                   const CheckoutMove& move);
// After a crash with the ref not swapped: removes our own index.lock and staged files. What was
// moved out of the checkout stays kept.
Status discard_checkout(const TxnId& txn, const CheckoutMove& move);

// Compares displaced inodes with what they held when displaced: an editor that had the file open
// wrote to the old inode. Their bytes are kept; gc removes the unchanged ones.
struct LateSave {
  std::string path;  // in the repository
  std::string kept;  // absolute: where the bytes are
};
Result<std::vector<LateSave>> find_late_saves(const CheckoutPlace& place);

// For gc: removes what landings displaced when it is unchanged and at least min_age_ms old.
struct PruneOptions {
  std::int64_t now_wall_ms = 0;
  std::int64_t min_age_ms = 0;
};
struct PruneReport {
  std::vector<std::string> removed;  // directories
  std::uint64_t bytes_freed = 0;
  std::vector<LateSave> kept;
};
Result<PruneReport> prune_displaced(const CheckoutPlace& place, const PruneOptions& options);

}  // namespace gittxn::repo
