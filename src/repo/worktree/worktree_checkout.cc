// Getting files into a directory: those of a commit by git (filters, line ends, sparse patterns),
// or by sharing the blocks of a checkout that git wrote; those of a patch.
//
// On disk if we die in a patch: <path>/patch, which the next one removes, and some of the files
// changed.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "base/clock.h"
#include "base/fs.h"
#include "repo/checkout/shared_checkout.h"
#include "repo/worktree/worktree_gitdir.h"
#include "repo/worktree/worktree_index.h"

namespace gittxn::repo::internal {
namespace {

constexpr std::int64_t kBackdate_s = 3600;
constexpr int kMostCopyDepth = 512;

std::unexpected<Error> cannot_clone(const std::string& path, int error) {
  if (error != EOPNOTSUPP && error != ENOTTY && error != EINVAL && error != EXDEV) {
    return fail_errno(error, "share the blocks of '" + path + "'");
  }
  return fail(Code::kUnsupported,
              "the file system of '" + path + "' cannot share blocks between files",
              "use --worktree overlay or plain; git txn doctor says what works here");
}

Status clone_file(int from_dir, int to_dir, const std::string& name, const struct stat& info) {
  const UniqueFd from(::openat(from_dir, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!from.valid()) return fail_errno(errno, "open '" + name + "'");
  const UniqueFd to(::openat(to_dir, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!to.valid()) return fail_errno(errno, "create '" + name + "'");
  if (::ioctl(to.get(), FICLONE, from.get()) != 0) return cannot_clone(name, errno);
  if (::fchmod(to.get(), info.st_mode & 0777) != 0)
    return fail_errno(errno, "chmod '" + name + "'");
  return {};
}

Status clone_tree(int from, int to, int depth) {
  if (depth > kMostCopyDepth) {
    return fail(Code::kUnsupported, "directories nested too deeply to copy");
  }
  for (const DirEntry& entry : TRY(list_dir(fmt::format("/proc/self/fd/{}", from)))) {
    if (depth == 0 && entry.name == ".git") continue;
    struct stat info{};
    if (::fstatat(from, entry.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      return fail_errno(errno, "stat '" + entry.name + "'");
    }
    if (S_ISREG(info.st_mode)) TRY(clone_file(from, to, entry.name, info));
    if (S_ISLNK(info.st_mode)) {
      const std::string text = TRY(read_link(fmt::format("/proc/self/fd/{}/{}", from, entry.name)));
      if (::symlinkat(text.c_str(), to, entry.name.c_str()) != 0) {
        return fail_errno(errno, "link '" + entry.name + "'");
      }
    }
    if (!S_ISDIR(info.st_mode)) continue;
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    if (::mkdirat(to, entry.name.c_str(), info.st_mode & 0777) != 0) {
      return fail_errno(errno, "make '" + entry.name + "'");
    }
    const UniqueFd below_from(::openat(from, entry.name.c_str(), kFlags));
    const UniqueFd below_to(::openat(to, entry.name.c_str(), kFlags));
    if (!below_from.valid() || !below_to.valid()) {
      return fail_errno(errno, "open '" + entry.name + "'");
    }
    TRY(clone_tree(below_from.get(), below_to.get(), depth + 1));
  }
  return {};
}

}  // namespace

GitOptions checkout_options(const std::string& git_dir, const std::string& tree) {
  return {
      .dir = tree,
      .extra = {
          {"GIT_DIR", git_dir}, {"GIT_WORK_TREE", tree}, {"GIT_INDEX_FILE", tree + "/.git/index"}}};
}

// Back-dates the files that git has just written and tells the index, which then needs no look at
// them. Without this every file is as young as the index, so git would open and hash each one when
// asked for the status: racy by git's rule, and reads of everything to whoever traces the agent.
Status settle_index(const Repository& repository, const std::string& tree, const GitOptions& git,
                    const std::set<std::string>* written) {
  const std::string file = tree + "/.git/index";
  const timespec past = {.tv_sec = SystemClock().wall_ms() / 1000 - kBackdate_s, .tv_nsec = 0};
  const timespec times[2] = {past, past};
  // A sparse index, where the person's configuration asks for one, is written out whole: git makes
  // it sparse again when it next writes.
  IndexFile index = TRY(load_index({repository.git(), git, file}, tree + "/.git/index.whole"));
  TRY(remove_file(tree + "/.git/index.whole"));
  UniqueFd root = TRY(open_fd(tree, O_RDONLY | O_DIRECTORY));
  std::string name;
  for (const IndexEntry& entry : index.entries()) {
    const auto kind = static_cast<FileMode>(entry.mode);
    if (entry.skip_worktree || kind == FileMode::kSubmodule) continue;
    name = index.path(entry);
    struct stat info{};
    const bool young = written == nullptr || written->contains(name);
    if ((young && ::utimensat(root.get(), name.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0) ||
        ::fstatat(root.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      return fail_errno(errno, fmt::format("back-date '{}'", name));
    }
    index.set_stat(entry, info);
  }
  return write_index(file, index, IndexTime::kNow);
}

Status check_out(const Repository& repository, const std::string& git_dir, const std::string& tree,
                 const Oid& commit) {
  const GitOptions git = checkout_options(git_dir, tree);
  TRY_IN("checking out " + commit.str(),
         repository.git().must(
             {"-c", "submodule.recurse=false", "read-tree", "-m", "-u", commit.str()}, git));
  TRY_IN("settling the index", settle_index(repository, tree, git));
  return {};
}

Status reflink_checkout(const Repository& repository, const Worktree& worktree) {
  const UniqueFd from = TRY(open_fd(worktree.shared, O_RDONLY | O_DIRECTORY));
  const UniqueFd to = TRY(open_fd(worktree.tree, O_RDONLY | O_DIRECTORY));
  TRY_IN("copying the shared checkout", clone_tree(from.get(), to.get(), 0));
  TRY(copy_index(worktree.shared + "/.git/index", worktree.git_dir + "/index"));
  return settle_index(repository, worktree.tree, checkout_options(worktree.git_dir, worktree.tree));
}

}  // namespace gittxn::repo::internal

namespace gittxn::repo {

// With a git directory that the agent never saw, made for the one patch.
Status apply_patch(const Repository& repository, const Worktree& worktree,
                   const std::string& patch) {
  const std::string own = worktree.path + "/patch";
  TRY(remove_tree(own));
  const auto inherited = TRY(internal::inherited_config(repository));
  TRY(internal::make_git_directory(repository, own, RefName("refs/heads/patching"),
                                   TRY(internal::object_directories(repository)),
                                   inherited.entries));
  GitOptions git;
  git.dir = worktree.tree;
  git.extra = {{"GIT_DIR", own}, {"GIT_WORK_TREE", worktree.tree}};
  git.input = patch;
  TRY(repository.git().must({"apply", "--whitespace=nowarn"}, git));
  return remove_tree(own);
}

}  // namespace gittxn::repo
