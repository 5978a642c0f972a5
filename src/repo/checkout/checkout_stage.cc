// Staging: the new files and the new index, made by git's own program beside the checkout, and a
// record of what the old files are. Runs outside the landing lock; nothing the person has is
// touched.
//
// git checkout-index writes into an empty worktree of its own, so that attributes come from the new
// index: a landing that changes .gitattributes brings its files out by the new rules, as git
// checkout does.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <set>

#include "base/failpoint.h"
#include "base/sync.h"
#include "repo/checkout/checkout_stage.h"

namespace gittxn::repo {

using internal::Manifest;
using internal::Seen;
using internal::Slot;

namespace {

FAILPOINT(fp_mid_stage, "checkout.mid_stage");
FAILPOINT(fp_after_stage, "checkout.after_stage");

struct Staging {
  Repository& repository;
  const TxnId& txn;
  const CheckoutMove& move;
  std::string directory;
  Manifest manifest{};

  Status refuse_submodules() const {
    for (const PathChange& change : move.files) {
      for (const TreeEntry* side : {&change.before, &change.after}) {
        if (side->mode != FileMode::kSubmodule && side->mode != FileMode::kTree) continue;
        return fail(Code::kUnsupported, "'" + change.path + "' is no file: submodules do not land");
      }
    }
    return {};
  }

  bool has_new_file(const PathChange& change) {
    const Slot& slot = manifest.slots[change.path];
    return change.after.present() && !slot.index_only && !slot.persons;
  }

  // What is outside a sparse checkout has no bytes on disk to move.
  Result<std::vector<std::string>> find_index_only(const IndexFile& index, const TreeRoot& root) {
    std::vector<std::string> added;
    for (const PathChange& change : move.files) {
      Slot& slot = manifest.slots[change.path];
      if (!change.before.present()) added.push_back(change.path);
      const IndexEntry* entry = index.find(change.path);
      if (entry == nullptr || !entry->skip_worktree) continue;
      const auto there = TRY(root.stat(change.path));
      slot.index_only = !there;
    }
    auto outside =
        TRY(internal::outside_sparse(repository, move.place, directory + "/sparse", added));
    for (const std::string& path : outside) manifest.slots[path].index_only = true;
    return outside;
  }

  // The staged index has the new entry, unless the person has staged something else meanwhile.
  Status find_persons() {
    const IndexFile index = TRY(IndexFile::read(internal::staged_index_path(move.place, txn)));
    for (const PathChange& change : move.files) {
      manifest.slots[change.path].persons = !index.has(change.path, change.after.oid);
    }
    return {};
  }

  Status write_new_files() {
    GitOptions git = internal::checkout_options(move.place);
    git.dir = directory + "/new";
    git.extra["GIT_WORK_TREE"] = git.dir;
    git.extra["GIT_INDEX_FILE"] = internal::staged_index_path(move.place, txn);
    TRY(make_dirs(git.dir));
    std::string input;
    for (const PathChange& change : move.files) {
      if (has_new_file(change)) input += change.path + '\0';
    }
    TRY_IN("writing the new files",
           repository.git().feed({"-c", "core.fsmonitor=false", "checkout-index", "-f", "-z",
                                  "--stdin", "--ignore-skip-worktree-bits"},
                                 git, std::move(input)));
    return {};
  }

  Status record_new_files() {
    const TreeRoot root = TRY(TreeRoot::open(directory + "/new"));
    for (const PathChange& change : move.files) {
      if (!has_new_file(change)) continue;
      Slot& slot = manifest.slots[change.path];
      const auto found = TRY(root.look(change.path));
      if (!found || !internal::same_kind(found->info, change.after.mode)) {
        return fail(Code::kFault, "git did not write '" + change.path + "' to be staged");
      }
      slot.staged = internal::seen_now(found->info);
      slot.staged.digest = TRY(digest_at(*found));
    }
    return {};
  }

  // The old bytes as they are on disk, where git says that they are what the index has. The rest is
  // asked again when it is displaced.
  Status record_old_files(const IndexFile& index, const TreeRoot& root) {
    struct stat of_index{};
    if (::lstat(internal::index_path(move.place).c_str(), &of_index) != 0) {
      return fail_errno(errno, "stat the index");
    }
    std::vector<std::string> unclear;
    for (const PathChange& change : move.files) {
      Slot& slot = manifest.slots[change.path];
      if (!change.before.present() || slot.index_only) continue;
      const auto found = TRY(root.look(change.path));
      if (!found || !internal::same_kind(found->info, change.before.mode)) continue;
      slot.old = internal::seen_now(found->info);
      const Digest digest = TRY(digest_at(*found));
      const IndexEntry* entry = index.find(change.path);
      const auto after = TRY(stat_at(*found));
      const Seen again = after ? internal::seen_now(*after) : Seen();
      if (again.mtime_ns != slot.old.mtime_ns || again.ino != slot.old.ino) continue;
      slot.old.digest = digest;
      const bool known = entry != nullptr && index.oid(*entry) == change.before.oid &&
                         index.stat_matches(*entry, found->info) &&
                         !index.is_racy(*entry, of_index);
      if (known) continue;
      if (S_ISLNK(found->info.st_mode)) {
        const Oid oid = blob_oid(TRY(bytes_at(*found)));
        if (oid != change.before.oid) slot.old.digest = Digest();
      } else {
        unclear.push_back(change.path);
      }
    }
    const std::vector<Oid> oids = TRY(internal::hash_paths(repository, move.place, unclear));
    std::map<std::string, Oid> before;
    for (const PathChange& change : move.files) before[change.path] = change.before.oid;
    for (std::size_t i = 0; i < unclear.size(); ++i) {
      if (oids[i] != before[unclear[i]]) manifest.slots[unclear[i]].old.digest = Digest();
    }
    return {};
  }

  // After a power cut a staged file that has been exchanged must hold its bytes, and the record of
  // what it displaced must be there: first all bytes, then all names, which are what it returns.
  // The staged index is synced when it is done; where the power goes before that, it is made anew.
  Result<std::vector<std::string>> record() const {
    const std::string draft = TRY(internal::draft_manifest(directory, manifest));
    std::set<std::string> directories;
    std::vector<std::string> files = {draft};
    for (const auto& [path, slot] : manifest.slots) {
      if (slot.staged.ino == 0) continue;
      const std::string file = directory + "/new/" + path;
      if (!S_ISLNK(slot.staged.mode)) files.push_back(file);
      for (std::string above = parent_dir(file); above.size() > directory.size();
           above = parent_dir(above)) {
        if (!directories.insert(above).second) break;
      }
    }
    std::vector<std::string> names = {directory};
    if (files.size() + directories.size() > internal::kMostSyncedAlone) {
      TRY(syncfs_path(directory));
    } else {
      TRY(fsync_all(files));
      names.push_back(parent_dir(directory));
      names.insert(names.end(), directories.begin(), directories.end());
    }
    TRY(internal::publish_manifest(directory, draft));
    return names;
  }
};

}  // namespace

Result<std::vector<std::string>> stage_checkout(Repository& repository, const TxnId& txn,
                                                const CheckoutMove& move) {
  if (move.files.empty()) return std::vector<std::string>{};
  Staging staging{repository, txn, move, TRY(internal::staging_directory(move.place, txn))};
  TRY(staging.refuse_submodules());
  TRY(internal::make_staging_root(move.place, parent_dir(staging.directory)));
  TRY_IN("clearing an earlier landing",
         internal::retire_staging(staging.directory, internal::Retire::kFreeName));
  TRY(make_dirs(staging.directory));
  Manifest& manifest = staging.manifest;
  manifest.new_commit = move.new_commit;
  manifest.index_state = TRY(internal::index_state(move.place));
  const IndexFile index = TRY(internal::load_checkout_index(repository, move.place));
  const TreeRoot root = TRY(TreeRoot::open(move.place.worktree));
  const auto outside = TRY(staging.find_index_only(index, root));
  TRY(internal::stage_index(repository, txn, move, outside));
  TRY(fp_mid_stage.hit());
  TRY(staging.find_persons());
  TRY(staging.write_new_files());
  TRY(staging.record_new_files());
  TRY(staging.record_old_files(index, root));
  std::vector<std::string> names = TRY(staging.record());
  TRY(fp_after_stage.hit());
  return names;
}

}  // namespace gittxn::repo
