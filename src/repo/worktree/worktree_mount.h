// Getting into a worktree. A plain one is simply there. An overlay, and a folder of the person's
// that is shared with any kind (worktree_share.h), is mounted by one process of its transaction,
// the mount holder, in a mount namespace of its own, so that nothing is mounted where the person
// works; whoever wants to see the files enters that namespace.
//
//   <path>/mount.lock   held by the holder for as long as it lives; never unlinked
//   <path>/mount.users  a FIFO: the holder reads it, each Mount has it open for writing; at its end
//                       of file the last user has gone, and the holder unmounts and ends
//   <path>/mount        who the holder is: boot, process, start time; removed when it ends by
//   itself
//
// Whoever is killed leaves nothing to repair: a holder without users ends, and when it was killed
// itself while others are still inside, the next Mount enters beside them, so that one upper
// directory is never mounted twice. After a reboot the same upper directory is mounted again.
//
// The files of an overlay on disk (<path>/upper) may be read without a mount: take() does.
#pragma once

#include <functional>
#include <string>

#include "base/fs.h"
#include "base/namespaces.h"
#include "base/result.h"
#include "repo/worktree.h"

namespace gittxn::repo {

class Mount {
 public:
  // kUnsupported, with the reason: it cannot be mounted here (any more). kBusy: another process is
  // mounting or unmounting it and does not come to an end.
  static Result<Mount> open(const Worktree& worktree);
  // Of an overlay, without the folders it shares, and nobody else enters while this lives. kBusy:
  // somebody is inside.
  static Result<Mount> open_alone(const Worktree& worktree);
  // For a child to enter; all -1 where nothing is mounted. Valid as long as this object.
  NamespaceFds fds() const { return {user_.get(), mount_.get(), root_.get()}; }

 private:
  FileLock alone_;  // goes last
  UniqueFd user_, mount_, root_, in_use_;
  friend class MountOpener;
};

// Makes plain files of an overlay, for good, so that a program with no way into a mount can open
// them, such as an editor. What they are, and what of them is a change, stays as it was. A plain or
// reflink worktree is given back as it is. kBusy: somebody is inside.
Result<Worktree> make_plain(const Worktree& worktree);

// Runs `work` in a forked child that is inside, and gives back what it returned. The child must not
// use anything that does not outlive a fork (a database connection, a thread).
Status inside(const Mount& mount, const std::function<Status()>& work);

// How an overlay is made here: as the machine's administrator, or in a user namespace.
OverlayMarks overlay_marks();

struct KindSupport {
  WorktreeKind kind = WorktreeKind::kPlain;
  bool usable = true;
  std::string detail;  // why not, or what is different
};
// Tries each kind in a directory made below `root` (which must be there) and removed again.
std::vector<KindSupport> probe_kinds(const std::string& root);

// What "auto" is for this commit: an overlay of more than kManyFiles files where one can be
// mounted, else a reflink where the file system can, else plain. In an overlay fewer files are no
// sooner there, and only who is inside sees them. `root` must be there.
inline constexpr std::size_t kManyFiles = 1000;
Result<WorktreeKind> automatic_kind(Repository& repository, const Oid& base,
                                    const std::string& root);

}  // namespace gittxn::repo
