// Internal to checkout_*.cc: the directory of one landing beside a checkout, and what it says.
//
//   <root>/<txn>/manifest.json  a slot a path: which inode is staged, what the old bytes are;
//                               durable before the first file moves, never written again
//   <root>/<txn>/new/<path>     the new file, until it is exchanged; then what it displaced, until
//                               that is checked
//   <root>/<txn>/out/<path>     a removed file until it is checked
//   <root>/<txn>/old/<path>     displaced and checked; kept until gc: an editor may have it open
//   <root>/<txn>.<n>            an earlier landing of the transaction that displaced something
//
// <root> is <git dir>/txn/displaced where names can be exchanged between there and the checkout,
// else (another file system, a bind mount) <worktree>/.git-txn/displaced, with a .gitignore that
// ignores it all: git status does not show it, and no file of the repository has to name it.
//
// Which state a path is in follows from which inode is where, so it does not matter where we die:
//   new/<path> is the staged inode    not exchanged (or exchanged back)
//   new/<path> is another inode       exchanged, not checked
//   new/<path> is absent              done
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "repo/checkout.h"
#include "repo/worktree/worktree_index.h"
#include "repo/worktree/worktree_paths.h"

namespace gittxn::repo::internal {

// What a file was when it was looked at.
struct Seen {
  std::int64_t dev = 0, ino = 0, size = 0, mtime_ns = 0, mode = 0;
  Digest digest;  // of the bytes as they are on disk; empty: unknown
};
Seen seen_now(const struct stat& info);
bool same_inode(const Seen& seen, const struct stat& info);

struct Slot {
  bool index_only = false;  // outside a sparse checkout: nothing on disk
  bool persons = false;     // they have staged something else at this path: neither file nor index
  Seen staged;              // ino 0: nothing is staged (a removal)
  Seen old;                 // ino 0: there was nothing; digest empty: not known to be clean
};

struct Manifest {
  Oid new_commit;
  std::string index_state;            // of the index that the staged one was made from
  std::map<std::string, Slot> slots;  // by path
};
// Written and not synced; its path. Nothing reads it before it is published, synced by then.
Result<std::string> draft_manifest(const std::string& directory, Manifest manifest);
Status publish_manifest(const std::string& directory, const std::string& draft);
Result<Manifest> read_manifest(const std::string& directory);

// More files and directories than this are synced with their whole file system.
inline constexpr std::size_t kMostSyncedAlone = 64;

// Where staged and displaced files of this checkout are; not made.
Result<std::string> staging_root(const CheckoutPlace& place);
Status make_staging_root(const CheckoutPlace& place, const std::string& root);
Result<std::string> staging_directory(const CheckoutPlace& place, const TxnId& txn);
// Removes what is only ours of an earlier staging; what was displaced stays, under another name
// when the name is needed again or the manifest cannot be read.
enum class Retire { kKeepName, kFreeName };
Status retire_staging(const std::string& directory, Retire how);
// Every file below a folder of the directory, as "folder/..."; none where there is no folder.
Result<std::vector<std::string>> files_below(const std::string& directory,
                                             const std::string& folder);

// True when names can be exchanged between these two directories.
Result<bool> same_mount(int a, int b);

// GIT_DIR and GIT_WORK_TREE of the checkout, paths literal.
GitOptions checkout_options(const CheckoutPlace& place);
std::string index_path(const CheckoutPlace& place);
// Beside the index, so that it can be renamed over it.
std::string staged_index_path(const CheckoutPlace& place, const TxnId& txn);
// Changes whenever somebody writes the index.
Result<std::string> index_state(const CheckoutPlace& place);
Result<IndexFile> load_checkout_index(Repository& repository, const CheckoutPlace& place);

// A copy of the index with `new` for every touched path that is still `old` in it. Paths the person
// has staged something for since are left as they are. `outside`: added paths that a sparse
// checkout has not on disk.
Status stage_index(Repository& repository, const TxnId& txn, const CheckoutMove& move,
                   const std::vector<std::string>& outside);
// Of these added paths, those outside the patterns of a sparse checkout.
Result<std::vector<std::string>> outside_sparse(Repository& repository, const CheckoutPlace& place,
                                                const std::string& scratch,
                                                const std::vector<std::string>& paths);

// The names git would give what is on disk at these paths (regular files; filters applied).
Result<std::vector<Oid>> hash_paths(Repository& repository, const CheckoutPlace& place,
                                    const std::vector<std::string>& paths);
// True when a file's type and executable bit are those of the entry, as far as this checkout keeps
// them.
bool same_kind(const struct stat& info, FileMode mode);

std::string lock_path(const CheckoutPlace& place);
// The lock file of some transaction for this new commit stands.
Result<bool> lock_names(const CheckoutPlace& place, const Oid& new_commit);

}  // namespace gittxn::repo::internal
