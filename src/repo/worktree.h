// A transaction's private worktree: a checkout of one commit with a git directory of its own that
// borrows the repository's objects (alternates). An agent's fetch, stash, branch -f, config edit or
// reset touches nobody else. Three kinds, which differ in how the files get there and in nothing
// that a command, or whoever takes its change, could tell:
//
//   plain    every file is written
//   overlay  <path>/upper over a checkout that all transactions of the commit share
//            (shared_checkout.h); only a process inside its mount sees it (worktree_mount.h)
//   reflink  a copy of the shared checkout that shares its blocks
//
//   <path>/git-txn.worktree  marks the directory as one of ours, and says the kind; removed last
//   <path>/tree          the worktree; <path>/tree/.git is the private git directory
//   <path>/tree/.git     HEAD on a branch named like the target, refs copied, config copied, hooks
//                        copied and a pre-push hook that refuses, remote "txn-target"
//   <path>/index         the index as it was at the start, for an agent that loses its own
//   <path>/packed-refs   the refs as they were at the start: what an agent read when it named one
//   <path>/take          git directory of a take() in progress, which no command of the agent sees
//   <path>/upper, work   of an overlay: what differs from the shared checkout, .git included, and
//                        the kernel's scratch directory; <path>/tree is where it is mounted
//
// The index is written clean: files are back-dated and the index refreshed, so that `git status`
// has nothing to re-read (a racy index would make git open every file).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/change.h"
#include "model/names.h"
#include "model/txn.h"
#include "repo/repository.h"

namespace gittxn::repo {

// Whose attributes an overlay keeps its marks in: trusted ones need the machine's administrator.
enum class OverlayMarks { kTrusted, kUser };
inline constexpr NameTable<OverlayMarks, 2> kOverlayMarks{{
    {OverlayMarks::kTrusted, "trusted"},
    {OverlayMarks::kUser, "user"},
}};

enum class WorktreeKind { kPlain, kOverlay, kReflink };
inline constexpr NameTable<WorktreeKind, 3> kWorktreeKinds{{
    {WorktreeKind::kPlain, "plain"},
    {WorktreeKind::kOverlay, "overlay"},
    {WorktreeKind::kReflink, "reflink"},
}};
Result<WorktreeKind> kind_from_name(std::string_view name);  // kUsage

struct WorktreeSpec {
  std::string path;  // absolute; must not exist
  Oid base;
  RefName target;
  TxnId txn;
  bool with_remote = true;  // gates need none
  WorktreeKind kind = WorktreeKind::kPlain;
  std::string shared = {};  // where shared checkouts are; for the kinds that need one
  std::optional<OverlayMarks> marks = {};  // unset: what this process may do (overlay_marks)
};

struct Worktree {
  std::string path;     // the directory made
  std::string tree;     // path/tree: where commands see it
  std::string git_dir;  // path/tree/.git
  WorktreeKind kind = WorktreeKind::kPlain;
  std::string files = {};  // what it has for itself, for whoever is not inside: tree, or path/upper
  std::string shared = {};  // overlay: the tree of the shared checkout below
  OverlayMarks marks = OverlayMarks::kTrusted;
};

// Removes what it made when it fails. A kill leaves a directory that remove_worktree knows by its
// mark.
// kUnsupported, with the reason and the way out: this kind of worktree cannot be had here.
Result<Worktree> create_worktree(Repository& repository, const WorktreeSpec& spec);
// The files of a worktree become those of the tree `to`, and its commit the one of the
// specification, which is not checked out: what differs is a change of the worktree. `from`: the
// tree that take() found in it. What git ignores stays where the tree has nothing. The private git
// directory is made anew: what a command has written into its own (filters, hooks, branches)
// decides nothing, and is gone. From inside its mount (worktree_mount.h).
//
// kRefused, with git's words: the files cannot be written; nothing has changed. If we die: new
// files at the old commit, or no git directory, which has_files() tells.
Status put_worktree_onto(Repository& repository, const WorktreeSpec& spec, const Worktree& worktree,
                         const Oid& from, const Oid& to);
// Without a look: for those who made it themselves.
Worktree worktree_at(const std::string& path, WorktreeKind kind = WorktreeKind::kPlain);
// By its mark. kNotFound: there is none (any more).
Result<Worktree> find_worktree(const std::string& path);
// Its mark says that it is plain from here on: the caller has made <path>/tree so (make_plain).
Result<Worktree> mark_plain(const Worktree& worktree);
// Whether its files are there, whoever may see them.
Result<bool> has_files(const std::string& path);
// Where the bytes of a path of the tree are, for whoever is not inside; nullopt: nothing is there.
// Links are not followed.
Result<std::optional<std::string>> path_on_disk(const Worktree& worktree, std::string_view path);
// Absent is success; unlocks read-only directories, follows no link, and refuses (kRefused) a
// directory that create_worktree did not make or that has something mounted in it (kBusy).
Status remove_worktree(const std::string& path);

// What the transaction did, taken as `git add -A` takes it (committed or not; ignored files and
// stashes never; "ignored" by the base's rules, tracked files never). The worktree and its git
// directory are not changed. Everything needed is imported into the repository's own store.
//
//   tracked  is what the base or the agent's index names. What the base tracks and is still there
//            is taken, whatever the agent did to its index or its .gitignore.
//   scratch  a directory with nothing tracked in it whose own new .gitignore says "*" (.venv and
//            its like ignore themselves) stays out as it does for git add -A; `notes` names it, so
//            that nothing is hidden by it silently.
// A worktree that the agent made of its own, with what is in it and nowhere else.
struct LinkedWork {
  std::string path;
  Oid tip;  // a commit: its HEAD, or on that what was not committed
};
struct Taken {
  Oid tree;
  Oid base;  // moved when the agent merged, pulled or reset to the target
  bool base_moved = false;
  Changes changes;  // base -> tree
  std::vector<std::string>
      untracked;                     // files taken that no commit or index entry of the agent named
  std::vector<std::string> ignored;  // what the base's rules kept out; a directory ends with '/'
  std::optional<std::string> message;  // of the agent's last commit, when it made one
  std::optional<std::string> author;   // raw, of that commit
  std::optional<Oid> head;             // the agent's HEAD, when it made commits of its own
  std::vector<Oid> tips;  // the agent's HEAD, branches and stashes that are not in the repository
  std::vector<LinkedWork> linked = {};  // their tips are among `tips`
  std::vector<std::string> notes;       // for a person, a line each
};
// kUnsupported, naming the paths: a submodule change, a repository inside the worktree, an LFS
// object, paths that clash on case-insensitive systems. kNotFound when the worktree is gone.
Result<Taken> take(Repository& repository, const Worktree& worktree, const Oid& base,
                   const RefName& target);
// The same while a command is at work there, for who only looks: what take() needs is in `folder`,
// away from the worktree, which may be taken or removed meanwhile. A file that is being written is
// seen as far as it is. A crash leaves the folder.
Result<Taken> take_a_look(Repository& repository, const Worktree& worktree, const Oid& base,
                          const RefName& target, const std::string& folder);

// Why a changed file of git-lfs cannot land on the branch, and what ends that; both empty when it
// can. It lands as git add takes it: the filter makes the pointer, and the contents are kept with
// those of the repository, synced by nobody but git-lfs. That is not enough where the filter is not
// set up, or where a landing is pushed, which takes the pointer alone along.
struct LfsTrouble {
  std::string why, next;
};
Result<LfsTrouble> lfs_trouble(const Repository& repository, const RefName& target);

// Changes files while the agent is at work, as a patch of git's says, all or none. The repository's
// configuration counts, and not the worktree's own: what the agent has written there (filters)
// would be run by us, outside of whatever the agent is confined to. From inside its mount
// (worktree_mount.h).
Status apply_patch(const Repository& repository, const Worktree& worktree,
                   const std::string& patch);

// A commit that keeps the work: tree = taken.tree, parents = base and every tip. Written to the
// repository, made durable, and named refs/txn/<id>/<attempt>. An attempt that was kept before
// keeps that commit as a parent too; the same work kept again is the same commit. `durable`:
// commits whose history is known to be on disk (Objects::make_durable); none: one syncfs.
Result<Oid> keep(Repository& repository, const TxnId& txn, int attempt, const Taken& taken,
                 const std::string& message, const Identity& who, std::int64_t wall_ms,
                 const std::vector<Oid>& durable = {});

}  // namespace gittxn::repo
