// The parts of take(), which share one view of the private worktree. Internal to worktree_*.cc.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "repo/objects.h"
#include "repo/repository.h"
#include "repo/worktree.h"
#include "repo/worktree/worktree_ignore.h"
#include "repo/worktree/worktree_index.h"
#include "repo/worktree/worktree_paths.h"

namespace gittxn::repo::internal {

// The upper directory of an overlay as the tree it makes, without a mount and without a look at
// what was not touched. An entry of the upper directory is what a path is now; a character device
// 0/0 is a path that was removed; a directory is laid over the one below unless its "opaque" mark
// says that it stands for itself; its "redirect" mark names another one below that it is laid over,
// because it was moved (Documentation/filesystems/overlayfs.rst).
//
// What is below is the base's tree, so the object database is asked for it and not the disk.
struct UpperScan {
  bool untouched = true;                     // there is nothing in it but the agent's git directory
  std::map<std::string, TreeEntry> touched;  // of the base, with something of the upper's there now
  std::map<std::string, TreeEntry> gone;     // of the base, with nothing there now
  std::map<std::string, std::string> moved;  // of a moved directory: path now -> path in the base
  // .gitattributes files of the base that are untouched, in directories that the upper has.
  std::map<std::string, TreeEntry> attributes;
};
Result<UpperScan> scan_upper(const Worktree& worktree, const Objects& objects, const Oid& base);

// A git directory that the agent never saw, made for one take(): the repository's configuration,
// rules and attributes, and a copy of the agent's index. It reads the repository's objects and the
// agent's; what git writes through `git` goes into the repository's own store.
struct TakeView {
  Repository* repository = nullptr;
  Worktree worktree;
  Oid base;
  RefName target;
  std::string dir;    // <path>/take, or of a look
  std::string index;  // DIR/index
  GitOptions git;     // GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE, object directories
  bool partial_clone = false;
  bool sparse = false;  // the worktree is, or the agent made it so
  // An overlay: `worktree` is its upper directory, and the index names only what that touches.
  std::optional<UpperScan> upper;
  std::set<std::string> named;  // an overlay: by the agent's index alone
  std::string shared;           // an overlay: the shared checkout below
};

// The index of an overlay's take: what the upper directory touches, as the agent's index or the
// base names it, and the attributes that apply to it. Fills view.upper. `agents`: the agent's own
// index, nullptr when it is the shared checkout's.
Status make_upper_index(TakeView& view, const IndexFile* agents, Taken* taken);
// The files that a moved directory brought along, hashed under their new names. `untracked` gets
// those that nobody named and the rules do not ignore.
Status add_moved(TakeView& view, IgnoreRules& rules, std::vector<std::string>* untracked);
// The tree: the base's, with what the index now says of the paths it names.
Result<Oid> upper_tree(TakeView& view);

// Brings the copied index to what the worktree holds. `untracked`: the files taken that it did not
// name.
Status update_index(TakeView& view, const TreeRoot& root, Taken* taken);

// kUnsupported when one of these paths is content of git-lfs.
Status refuse_lfs(const TakeView& view, const std::vector<std::string>& paths);
// kUnsupported: submodules, git-lfs, names that differ only in case. `objects` sees taken.tree.
Status check_changes(const TakeView& view, const Objects& objects, const Taken& taken);

// The commits that the agent made: base, message and author, tips.
Status read_commits(const TakeView& view, const Objects& objects, Taken* taken);

// The submodules that the taken index names in which something is changed that no commit has; see
// worktree_submodule.cc. Nothing of their configuration is run.
Result<std::vector<std::string>> changed_submodules(const TakeView& view);
// Takes those that are checked out below `git.dir` out of its index, so that no git looks into one.
Status forget_submodules(const TakeView& view, const GitOptions& git);
Result<std::vector<std::string>> gitlinks_of(const IndexSource& source);

// The work in worktrees that the agent made, and in none of the commits `elsewhere`.
Status read_linked(const TakeView& view, const Objects& objects, const std::vector<Oid>& elsewhere,
                   Taken* taken);

// Of a small file that the agent may have written; "" where it cannot be read.
std::string first_line_of(const std::string& path);

// Says for a person that these paths are in the middle of a merge.
void note_unmerged(const std::vector<std::string>& paths, Taken* taken);

// "a, b and 3 more", quoted as git does.
std::string name_paths(const std::vector<std::string>& paths);

}  // namespace gittxn::repo::internal
