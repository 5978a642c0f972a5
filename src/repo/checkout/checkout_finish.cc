// After the files have moved: the new index, everything on disk, the lock away. And the two ways in
// after a crash: resume (the branch has the landing) and discard (it has not).
//
// Order: stat data into the staged index; files and directories synced; index renamed; its
// directory synced; what was staged and not used removed; index.lock unlinked last. A kill anywhere
// leaves our lock, by which recovery knows that it has to come back, or everything done.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "base/failpoint.h"
#include "base/sync.h"
#include "repo/checkout/checkout_stage.h"
#include "repo/refs.h"

namespace gittxn::repo {

using internal::Manifest;
using internal::Slot;

namespace {

FAILPOINT(fp_before_index, "checkout.before_index");
FAILPOINT(fp_after_index, "checkout.after_index");
FAILPOINT(fp_before_unlock, "checkout.before_unlock");

constexpr std::int64_t kResumeLock_ms = 1000;  // the landing lock is held meanwhile

Status unknown(Status synced) {
  if (synced) return {};
  Error error = std::move(synced).error();
  error.code = Code::kOutcomeUnknown;
  return std::unexpected(std::move(error).in("syncing the checkout"));
}

// The stat data of files that are still exactly what was staged. Any other file keeps none, and git
// compares its bytes.
Status settle_staged_index(const CheckoutMove& move, const Manifest& manifest,
                           const std::string& file) {
  IndexFile index = TRY(IndexFile::read(file));
  const TreeRoot root = TRY(TreeRoot::open(move.place.worktree));
  bool changed = false;
  for (const PathChange& change : move.files) {
    const auto slot = manifest.slots.find(change.path);
    const IndexEntry* entry = index.find(change.path);
    if (slot == manifest.slots.end() || slot->second.staged.ino == 0 || entry == nullptr ||
        index.oid(*entry) != change.after.oid) {
      continue;
    }
    const auto found = TRY(root.look(change.path));
    if (!found || !internal::same_inode(slot->second.staged, found->info)) continue;
    const auto digest = digest_at(*found);
    if (!digest || *digest != slot->second.staged.digest) continue;
    const auto after = TRY(stat_at(*found));
    const struct stat& before = found->info;
    if (!after || internal::seen_now(*after).mtime_ns != internal::seen_now(before).mtime_ns ||
        after->st_ino != before.st_ino || after->st_size != before.st_size) {
      continue;
    }
    index.set_stat(*entry, *after);
    changed = true;
  }
  return changed ? write_index(file, index, IndexTime::kNow) : Status{};
}

// The names in the checkout, where the displaced files went if there are any, and the index that is
// to be. The bytes of the files were synced when staged.
Status sync_moved(const CheckoutMove& move, const std::string& directory,
                  const std::string& staged_index) {
  std::set<std::string> directories;
  for (const PathChange& change : move.files) {
    const std::string& top = move.place.worktree;
    // A directory that is gone is named by the one above it.
    for (std::string above = parent_dir(top + "/" + change.path); above.size() >= top.size();
         above = parent_dir(above)) {
      if (!directories.insert(above).second) break;
    }
  }
  if (directories.size() > internal::kMostSyncedAlone) {
    TRY(syncfs_path(directory));
    return fsync_path(staged_index);
  }
  std::vector<std::string> paths = {staged_index};
  for (const std::string& path : directories) {
    struct stat info{};
    if (::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) paths.push_back(path);
  }
  const auto displaces = [](const PathChange& change) { return change.before.present(); };
  if (std::ranges::any_of(move.files, displaces)) paths.push_back(directory);
  return fsync_all(paths);
}

// The index is renamed when every file has moved.
Result<bool> index_has_landing(Repository& repository, const CheckoutMove& move) {
  const IndexFile index = TRY(internal::load_checkout_index(repository, move.place));
  return std::ranges::all_of(move.files, [&](const PathChange& change) {
    return index.has(change.path, change.after.oid);
  });
}

Status remove_staged_index(const CheckoutMove& move, const TxnId& txn) {
  return remove_file(internal::staged_index_path(move.place, txn));
}

}  // namespace

Status finish_checkout(Repository& repository, const TxnId& txn, const CheckoutMove& move,
                       IndexLock lock) {
  if (move.files.empty()) return lock.unlink();
  lock.abandon();  // an error leaves it to recovery
  const std::string directory = TRY(internal::staging_directory(move.place, txn));
  Manifest manifest = TRY(internal::read_manifest(directory));
  const std::string staged = internal::staged_index_path(move.place, txn);
  // Made before the lock was had: somebody may have written the index in between.
  if (manifest.index_state != TRY(internal::index_state(move.place)) || !TRY(exists(staged))) {
    std::vector<std::string> outside;
    for (const PathChange& change : move.files) {
      const bool added = !change.before.present();
      if (added && manifest.slots[change.path].index_only) outside.push_back(change.path);
    }
    TRY(internal::stage_index(repository, txn, move, outside));
  }
  TRY_IN("settling the index", settle_staged_index(move, manifest, staged));
  TRY(unknown(sync_moved(move, directory, staged)));
  TRY(fp_before_index.hit());
  TRY(rename_over(staged, internal::index_path(move.place)));
  TRY(fp_after_index.hit());
  TRY(unknown(fsync_path(move.place.git_dir)));
  TRY(internal::retire_staging(directory, internal::Retire::kKeepName));
  TRY(fp_before_unlock.hit());
  return lock.unlink();
}

Result<MoveReport> resume_checkout(Repository& repository, const TxnId& txn,
                                   const CheckoutMove& move) {
  const bool there = TRY(exists(move.place.worktree)) && TRY(exists(move.place.git_dir));
  if (!there) return MoveReport{};  // a linked worktree that was removed since
  IndexLock lock = IndexLock::adopt(move.place, txn, move.new_commit);
  if (move.files.empty()) {
    TRY(lock.unlink());
    return MoveReport{};
  }
  const std::string directory = TRY(internal::staging_directory(move.place, txn));
  const auto manifest = internal::read_manifest(directory);
  if (!manifest && manifest.error().code != Code::kNotFound) {
    return std::unexpected(manifest.error());
  }
  const bool staged =
      manifest && manifest->new_commit == move.new_commit && TRY(exists(directory + "/new"));
  if (!staged && TRY(index_has_landing(repository, move))) {
    // Killed after the last file had moved, at most the lock is left.
    TRY(unknown(fsync_path(move.place.git_dir)));
    TRY(discard_checkout(txn, move));
    return MoveReport{};
  }
  if (!TRY(lock.stands())) {
    lock = TRY(IndexLock::acquire(move.place, txn, move.new_commit, kResumeLock_ms));
    TRY_IN("syncing the index", fsync_all(TRY(index_to_sync(move.place))));
  }
  lock.abandon();  // from here on it is recovery's, until everything is done
  // Another landing's, or none: nothing of this one has moved yet.
  if (!manifest || manifest->new_commit != move.new_commit) {
    TRY_IN("staging again", fsync_all(TRY(stage_checkout(repository, txn, move))));
  }
  MoveReport report = TRY(move_checkout(repository, txn, move));
  // What was being written there when the power went may be empty now.
  TRY(remove_staged_index(move, txn));
  TRY(finish_checkout(repository, txn, move, std::move(lock)));
  return report;
}

Status discard_checkout(const TxnId& txn, const CheckoutMove& move) {
  const bool there = TRY(exists(move.place.worktree)) && TRY(exists(move.place.git_dir));
  if (!there) return {};
  if (!move.files.empty()) {
    const std::string directory = TRY(internal::staging_directory(move.place, txn));
    auto manifest = internal::read_manifest(directory);
    const bool other = manifest && manifest->new_commit != move.new_commit;
    if (!other) TRY(internal::retire_staging(directory, internal::Retire::kKeepName));
    TRY(remove_staged_index(move, txn));
  }
  return IndexLock::adopt(move.place, txn, move.new_commit).unlink();
}

}  // namespace gittxn::repo
