#include "gates/place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/files/copy_tree.h"
#include "base/fs.h"
#include "base/if_there.h"

namespace gittxn::gates {
namespace {

Result<UniqueFd> open_beneath(int root, const std::string& path, std::uint64_t flags,
                              std::uint64_t resolve) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.resolve = resolve;
  long fd = syscall(SYS_openat2, root, path.c_str(), &how, sizeof how);
  if (fd >= 0) return UniqueFd(static_cast<int>(fd));
  if (errno == EXDEV) {
    return fail(Code::kRefused,
                fmt::format("'{}' leads out of the repository through a link", path),
                "name a path that stays inside, or make a copy of what the link points to");
  }
  if (errno == ELOOP) {
    return fail(Code::kRefused, fmt::format("'{}' goes through a link of the tree", path),
                "name the place that the link points to");
  }
  return fail_errno(errno, fmt::format("open '{}'", path));
}

// The folder that is to hold the last name, made where it is missing.
Result<UniqueFd> make_parent(int root, const std::string& parent) {
  std::string made;
  std::size_t at = 0;
  while (at < parent.size()) {
    std::size_t slash = std::min(parent.find('/', at), parent.size());
    std::string above = made.empty() ? "." : made;
    made = parent.substr(0, slash);
    UniqueFd holder =
        TRY(open_beneath(root, above, O_PATH | O_DIRECTORY,
                         RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS));
    std::string name = parent.substr(at, slash - at);
    if (mkdirat(holder.get(), name.c_str(), 0777) != 0 && errno != EEXIST) {
      return fail_errno(errno, fmt::format("create '{}'", made));
    }
    at = slash + 1;
  }
  return open_beneath(root, parent.empty() ? "." : parent, O_RDONLY | O_DIRECTORY,
                      RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

}  // namespace

Result<Placed> place_path(const PlaceRequest& request) {
  UniqueFd from_root = TRY(open_fd(request.from, O_PATH | O_DIRECTORY));
  UniqueFd to_root = TRY(open_fd(request.to, O_PATH | O_DIRECTORY));
  std::string parent = parent_dir(request.path);
  std::string name = base_name(request.path);

  // Links on the way and at the end are followed as long as they stay inside: what the name stands
  // for is copied, because in the worktree a link to an untracked file would lead nowhere.
  auto from = TRY(if_there(open_beneath(from_root.get(), request.path, O_RDONLY | O_NONBLOCK,
                                        RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS)));
  if (!from) return Placed::kNotThere;
  UniqueFd to = TRY(make_parent(to_root.get(), parent == "." ? "" : parent));
  struct stat there{};
  if (fstatat(to.get(), name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0)
    return Placed::kAlreadyThere;
  if (errno != ENOENT) return fail_errno(errno, fmt::format("stat '{}'", request.path));
  const CopyLinks links{request.from + "/", request.to + "/"};
  TRY(copy_tree(from->get(), {to.get(), name, request.path}, links));
  return Placed::kCopied;
}

Result<std::optional<std::string>> folder_at(const std::string& from, const std::string& path) {
  const UniqueFd root = TRY(open_fd(from, O_PATH | O_DIRECTORY));
  const auto folder = TRY(
      if_there(open_beneath(root.get(), path, O_PATH, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS)));
  if (!folder) return std::optional<std::string>{};
  struct stat info{};
  if (fstat(folder->get(), &info) != 0) return fail_errno(errno, fmt::format("stat '{}'", path));
  if (!S_ISDIR(info.st_mode)) return std::optional<std::string>{};
  return std::optional<std::string>(TRY(read_link(fmt::format("/proc/self/fd/{}", folder->get()))));
}

Status make_place(const std::string& to, const std::string& path) {
  const UniqueFd root = TRY(open_fd(to, O_PATH | O_DIRECTORY));
  TRY(make_parent(root.get(), path));
  return {};
}

}  // namespace gittxn::gates
