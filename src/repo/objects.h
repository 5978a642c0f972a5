// Objects and trees through libgit2: no index, no worktree, no O(files) step. A tree is only
// descended into where two trees differ. One Objects per thread.
//
// Where libgit2 answers with anything the design calls "ask git" (a promised object of a partial
// clone, a shallow history) the functions here fall back to git's program themselves; they never
// guess. An object that neither has is kNotFound, a malformed one kCorrupt.
//
// On disk: new objects are loose files, written whole under a temporary name and renamed; children
// before parents. Nothing is durable until make_durable.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/change.h"
#include "model/txn.h"
#include "repo/git.h"

namespace gittxn::repo {

struct CommitInfo {
  Oid oid;
  Oid tree;
  std::vector<Oid> parents;
  std::string author;  // raw "Name <mail> 1700000000 +0100"
  std::string committer;
  std::string encoding;  // empty: UTF-8
  std::string message;   // bytes, whole
};

// The files that a commit needs on disk, and the commits that are there.
struct Unsynced {
  Oid tip;
  std::vector<Oid> durable;
  std::vector<std::string> files;        // loose objects and packs
  std::vector<std::string> directories;  // every one that names some of them
};

struct NewCommit {
  Oid tree;
  std::vector<Oid> parents;
  std::string author;  // raw, as above
  std::string committer;
  std::string message;
  std::string encoding;  // empty: UTF-8
};

struct NamedEntry {
  std::string name;
  TreeEntry entry;
};

// One line of a tree, with the name of its object as the tree has it.
struct ListedEntry {
  std::string_view name;
  FileMode mode = FileMode::kNone;
  const char* id = nullptr;
  TreeEntry entry() const;
};
// The entries of a tree; they are as long as it.
struct Listing {
  std::vector<ListedEntry> entries;  // sorted by name (bytes)
  std::shared_ptr<const void> bytes;
};

// A path both sides changed to different things, or a file of one side where the other has a
// directory.
struct MergeConflict {
  std::string path;
  TreeEntry base, ours, theirs;
};
struct MergeOutcome {
  Oid tree;                              // empty when there are conflicts
  std::vector<MergeConflict> conflicts;  // sorted by path
};

class Objects {
 public:
  // git_dir: a repository's common directory, or a private git directory (alternates are followed).
  static Result<Objects> open(const std::string& git_dir, const Git& git);
  // The same, but what is written stays in memory and goes with this object: for trees that are
  // only compared. Their files need not be anywhere.
  static Result<Objects> open_in_memory(const std::string& git_dir, const Git& git);
  // Another one of the same, for a thread of its own: what one has unpacked the other need not.
  Result<Objects> beside() const;
  Objects(Objects&&) noexcept;
  Objects& operator=(Objects&&) noexcept;
  ~Objects();

  Result<CommitInfo> commit(const Oid& oid) const;
  Result<Oid> tree_of(const Oid& commitish) const;  // commit or tree -> tree
  Result<TreeEntry> entry_at(const Oid& tree, std::string_view path) const;  // absent: kNone
  Result<std::vector<NamedEntry>> list(const Oid& tree) const;  // sorted by name (bytes)
  Result<Listing> listing(const Oid& tree) const;  // the same for less, without texts of its own
  // All entries of this name that are no directories, at any depth, by path. What was found last is
  // kept: trees never change, and whoever asks about a tree asks again.
  Result<std::vector<NamedEntry>> all_named(const Oid& tree, std::string_view name) const;
  // Unpacks the trees of a commit in reverse order of their paths, for an object beside() this one
  // that reads them in that order. Ends when all are unpacked, one cannot be read, or it is enough.
  void unpack_trees(const Oid& tree, const std::function<bool()>& enough) const;
  Result<std::string> blob(const Oid& oid, std::size_t max_bytes = 1u << 30) const;
  Result<Oid> blob_id(std::string_view bytes) const;  // the name they would have; writes nothing
  Result<std::uint64_t> blob_size(const Oid& oid) const;  // without its bytes where they are here
  Result<bool> contains(const Oid& oid) const;            // here, without fetching

  // Differences of two trees, descending only where they differ; empty oid is the empty tree.
  // Commits may be given for their trees. A file on one side where the other has a directory is one
  // entry with both, before what is below it.
  Result<Changes> diff(const Oid& before, const Oid& after) const;
  // Three-way at tree level. Same change on both sides is no conflict. Never merges inside a file.
  Result<MergeOutcome> merge(const Oid& base, const Oid& ours, const Oid& theirs) const;
  // The tree with these changes applied (each `before` is checked: kStale when it differs).
  // Directories come and go with their files; entries of mode kTree are only looked at for the file
  // beside them.
  Result<Oid> apply(const Oid& tree, Changes changes) const;

  Result<std::optional<Oid>> merge_base(const Oid& a, const Oid& b) const;
  Result<bool> is_ancestor(const Oid& ancestor, const Oid& descendant) const;  // or equal
  // Commits in (from, to] along first parents, oldest first; nullopt when `from` is not in to's
  // history. Where `from` was merged from the side, the path turns to that parent: each commit's
  // predecessor in the list (`from` for the first) is always one of its parents.
  Result<std::optional<std::vector<Oid>>> first_parent_path(const Oid& from, const Oid& to) const;

  Result<Oid> write_blob(std::string_view bytes);
  Result<Oid> write_commit(const NewCommit& commit);     // the unsigned bytes
  Result<Oid> write_raw_commit(std::string_view bytes);  // e.g. with a gpgsig header
  std::string commit_bytes(const NewCommit& commit) const;

  // Copies every object reachable from `tree` (and from `commits`) that this store lacks out of
  // `from`, which may borrow from us. Objects are loose or one pack; not yet durable. An object
  // that is here is taken to have its children here, except what differs from `known`, a commit or
  // tree that is complete here: there every object is looked at (a power cut may have left a tree
  // without its blobs). kUnsupported when a commit's parents are cut off by a shallow fetch.
  Status import(const Objects& from, const Oid& tree, const std::vector<Oid>& commits,
                const Oid& known = {});

  // Step 1 of landing: fsyncs every object file (loose, or the packs that hold it, and the
  // directories that name them) reachable from `tip` and not from any of `durable`, whoever wrote
  // them. With no `durable` it is one syncfs of the object directory's file system. kCorrupt when
  // one is missing.
  Status make_durable(const Oid& tip, const std::vector<Oid>& durable) const;
  // The same in two steps, for a caller who has other files and directories to sync in that wait:
  // what make_durable() would sync, `durable` not being empty; then the sync of it and of `also`.
  Result<Unsynced> unsynced(const Oid& tip, const std::vector<Oid>& durable) const;
  Status sync(const Unsynced& unsynced, const std::vector<std::string>& also) const;

  const std::string& git_dir() const;

 private:
  struct State;
  explicit Objects(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gittxn::repo
