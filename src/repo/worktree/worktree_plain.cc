// Plain files out of an overlay. They are copied inside a mount of our own, under the lock that
// every mount of the worktree needs, so that nobody writes meanwhile.
//
// On disk if we die: <path>/plain, which the next try removes; or the copy as <path>/tree, over
// which the overlay is still mounted as before, until the mark says that it is plain; or layers
// that a plain worktree has no use for, and that go with it.
#include <fcntl.h>
#include <sys/stat.h>

#include "base/failpoint.h"
#include "base/files/copy_tree.h"
#include "base/fs.h"
#include "repo/worktree/worktree_index.h"
#include "repo/worktree/worktree_mount.h"

namespace gittxn::repo {
namespace {

FAILPOINT(fp_plain_copied, "worktree.plain_copied");
FAILPOINT(fp_plain_exchanged, "worktree.plain_exchanged");
FAILPOINT(fp_plain_marked, "worktree.plain_marked");

constexpr std::string_view kThisIsPlain = "/plain";

// An index that says of the copies what it said of the originals: what was clean is clean, and git
// looks into no file for it. One that does not parse is left to git.
Status carry_index(const std::string& file, const std::string& from, const std::string& to) {
  auto index = IndexFile::read(file);
  if (!index) return {};
  const UniqueFd was = TRY(open_fd(from, O_PATH | O_DIRECTORY));
  const UniqueFd is = TRY(open_fd(to, O_PATH | O_DIRECTORY));
  for (const IndexEntry& entry : index->entries()) {
    const std::string name(index->path(entry));
    struct stat before{};
    struct stat after{};
    if (::fstatat(was.get(), name.c_str(), &before, AT_SYMLINK_NOFOLLOW) == 0 &&
        index->stat_matches(entry, before, IndexFile::Ctime::kIgnored) &&
        ::fstatat(is.get(), name.c_str(), &after, AT_SYMLINK_NOFOLLOW) == 0) {
      index->set_stat(entry, after);
    }
  }
  return write_index(file, *index, IndexTime::kNow);
}

// Inside the mount.
Status copy_files(const Worktree& worktree, const std::string& plain) {
  const UniqueFd from = TRY(open_fd(worktree.tree, O_RDONLY | O_DIRECTORY));
  const UniqueFd to = TRY(open_fd(worktree.path, O_RDONLY | O_DIRECTORY));
  TRY(copy_tree(from.get(), {to.get(), plain.substr(1), "the worktree"}, {}));
  const std::string copy = worktree.path + plain;
  TRY(copy_index(worktree.shared + "/.git/index", worktree.path + "/index"));
  TRY(carry_index(worktree.path + "/index", worktree.tree, copy));
  if (!TRY(exists(copy + "/.git/index"))) return {};
  return carry_index(copy + "/.git/index", worktree.tree, copy);
}

}  // namespace

Result<Worktree> make_plain(const Worktree& worktree) {
  if (worktree.kind != WorktreeKind::kOverlay) return worktree;
  const std::string plain(kThisIsPlain);
  const std::string copy = worktree.path + plain;
  const Mount alone = TRY(Mount::open_alone(worktree));
  TRY(remove_tree(copy));
  TRY_IN("making plain files of the worktree",
         inside(alone, [&] { return copy_files(worktree, plain); }));
  TRY_IN("making plain files of the worktree", syncfs_path(copy));
  TRY(fp_plain_copied.hit());
  TRY(rename_exchange(copy, worktree.tree));
  TRY(fp_plain_exchanged.hit());
  Worktree made = TRY(mark_plain(worktree));
  TRY(fp_plain_marked.hit());
  for (const std::string& layer : {copy, worktree.path + "/upper", worktree.path + "/work"}) {
    TRY(remove_tree(layer));
  }
  return made;
}

}  // namespace gittxn::repo
