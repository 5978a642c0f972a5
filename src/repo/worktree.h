// A transaction's private worktree: a plain checkout of one commit with a git directory of its own
// that borrows the repository's objects (alternates). An agent's fetch, stash, branch -f, config
// edit or reset touches nobody else.
//
//   <path>/git-txn.worktree  marks the directory as one of ours; removed last
//   <path>/tree          the worktree; <path>/tree/.git is the private git directory
//   <path>/tree/.git     HEAD on a branch named like the target, refs copied, config copied, hooks
//                        copied and a pre-push hook that refuses, remote "txn-target"
//   <path>/index         the index as it was at the start, for an agent that loses its own
//   <path>/take          git directory of a take() in progress; none of the agent's commands sees
//   it
//
// The index is written clean: files are back-dated and the index refreshed, so that `git status`
// has nothing to re-read (a racy index would make git open every file).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/change.h"
#include "model/txn.h"
#include "repo/repository.h"

namespace gittxn::repo {

struct WorktreeSpec {
  std::string path;  // absolute; must not exist
  Oid base;
  RefName target;
  TxnId txn;
  bool with_remote = true;  // gates need none
};

struct Worktree {
  std::string path;     // the directory made
  std::string tree;     // path/tree
  std::string git_dir;  // path/tree/.git
};

// Removes what it made when it fails. A kill leaves a directory that remove_worktree knows by its
// mark.
Result<Worktree> create_worktree(Repository& repository, const WorktreeSpec& spec);
Worktree worktree_at(const std::string& path);
// Absent is success; unlocks read-only directories, follows no link, and refuses (kRefused) a
// directory that create_worktree did not make or that has something mounted in it (kBusy).
Status remove_worktree(const std::string& path);

// What the transaction did, taken as `git add -A` takes it (committed or not; ignored files and
// stashes never; "ignored" by the base's rules, tracked files never). The worktree and its git
// directory are not changed. Everything needed is imported into the repository's own store.
//
//   tracked  is what the base or the agent's index names. What the base tracks and is still there
//   is
//            taken, whatever the agent did to its index or its .gitignore.
//   scratch  a directory with nothing tracked in it whose own new .gitignore says "*"
//   (.pytest_cache,
//            .venv and their like ignore themselves) stays out as it does for git add -A; `notes`
//            names it, so that nothing is hidden by it silently.
struct Taken {
  Oid tree;
  Oid base;  // moved when the agent merged, pulled or reset to the target
  bool base_moved = false;
  Changes changes;  // base -> tree
  std::vector<std::string>
      untracked;  // files taken that no commit or index entry of the agent named
  std::optional<std::string> message;  // of the agent's last commit, when it made one
  std::optional<std::string> author;   // raw, of that commit
  std::vector<Oid> tips;  // the agent's HEAD, branches and stashes that are not in the repository
  std::vector<std::string> notes;  // for a person, a line each
};
// kUnsupported, naming the paths: a submodule change, a repository inside the worktree, an LFS
// object, paths that clash on case-insensitive systems. kNotFound when the worktree is gone.
Result<Taken> take(Repository& repository, const Worktree& worktree, const Oid& base,
                   const RefName& target);

// A commit that keeps the work: tree = taken.tree, parents = base and every tip. Written to the
// repository, made durable, and named refs/txn/<id>/<attempt>. An attempt that was kept before
// keeps that commit as a parent too; the same work kept again is the same commit. `durable`:
// commits whose history is known to be on disk (Objects::make_durable); none: one syncfs.
Result<Oid> keep(Repository& repository, const TxnId& txn, int attempt, const Taken& taken,
                 const std::string& message, const Identity& who, std::int64_t wall_ms,
                 const std::vector<Oid>& durable = {});

}  // namespace gittxn::repo
