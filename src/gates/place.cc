#include "gates/place.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "base/fs.h"

namespace gittxn::gates {
namespace {

constexpr int kMaxDepth = 128;  // of folders; deeper is no tree anybody made

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

struct Copier {
  std::string from_root;  // with "/" at the end, for links
  std::string to_root;

  Status opened(int from, int to_dir, const std::string& name, const std::string& shown,
                int depth) const;

 private:
  Status entry(int from_dir, int to_dir, const std::string& name, const std::string& shown,
               int depth) const;
  Status open_folder(int from, const struct stat& info, int to_dir, const std::string& name,
                     const std::string& shown, int depth) const;
  Status folder(int from, int to, const std::string& shown, int depth) const;
  Status link(int from_dir, int to_dir, const std::string& name, const std::string& shown) const;
};

Status copy_bytes(int from, int to, const std::string& shown) {
  if (ioctl(to, FICLONE, from) == 0) return {};
  while (true) {
    ssize_t n = copy_file_range(from, nullptr, to, nullptr, 1 << 30, 0);
    if (n == 0) return {};
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
  }
  if (errno != EXDEV && errno != EINVAL && errno != EOPNOTSUPP && errno != ENOSYS) {
    return fail_errno(errno, fmt::format("copy '{}'", shown));
  }
  // Neither across these file systems: by hand, from the start.
  if (lseek(from, 0, SEEK_SET) < 0 || lseek(to, 0, SEEK_SET) < 0 || ftruncate(to, 0) != 0) {
    return fail_errno(errno, fmt::format("copy '{}'", shown));
  }
  std::vector<char> buffer(1 << 16);
  while (true) {
    ssize_t n = read(from, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, fmt::format("read '{}'", shown));
    if (n == 0) return {};
    TRY(write_all(to, std::string_view(buffer.data(), static_cast<std::size_t>(n))));
  }
}

// Mode and times as they were: build tools compare times.
Status copy_stat(int to, const struct stat& info, const std::string& shown) {
  const timespec times[2] = {info.st_atim, info.st_mtim};
  if (fchmod(to, info.st_mode & 0777) != 0 || futimens(to, times) != 0) {
    return fail_errno(errno, fmt::format("set the mode and times of '{}'", shown));
  }
  return {};
}

// `from` is open; the new file is made beside nothing of that name.
Status copy_open_file(int from, const struct stat& info, int to_dir, const std::string& name,
                      const std::string& shown) {
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  UniqueFd to(openat(to_dir, name.c_str(), kNew, 0600));
  if (!to.valid()) return fail_errno(errno, fmt::format("create '{}'", shown));
  TRY(copy_bytes(from, to.get(), shown));
  return copy_stat(to.get(), info, shown);
}

Status Copier::link(int from_dir, int to_dir, const std::string& name,
                    const std::string& shown) const {
  std::vector<char> buffer(4097);
  ssize_t n = readlinkat(from_dir, name.c_str(), buffer.data(), buffer.size());
  if (n < 0 || n > 4096)
    return fail_errno(n < 0 ? errno : ENAMETOOLONG, fmt::format("read '{}'", shown));
  std::string target(buffer.data(), static_cast<std::size_t>(n));
  if (target.starts_with(from_root)) target = to_root + target.substr(from_root.size());
  if (symlinkat(target.c_str(), to_dir, name.c_str()) != 0) {
    return fail_errno(errno, fmt::format("link '{}'", shown));
  }
  return {};
}

Status Copier::open_folder(int from, const struct stat& info, int to_dir, const std::string& name,
                           const std::string& shown, int depth) const {
  if (depth > kMaxDepth) {
    return fail(Code::kRefused, fmt::format("'{}' is more than {} folders deep", shown, kMaxDepth));
  }
  if (mkdirat(to_dir, name.c_str(), 0700) != 0) {
    return fail_errno(errno, fmt::format("create '{}'", shown));
  }
  UniqueFd to(openat(to_dir, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!to.valid()) return fail_errno(errno, fmt::format("open '{}'", shown));
  TRY(folder(from, to.get(), shown, depth));
  return copy_stat(to.get(), info, shown);
}

// What is neither a file, a folder nor a link belongs to a process of the other place: left out.
Status Copier::opened(int from, int to_dir, const std::string& name, const std::string& shown,
                      int depth) const {
  struct stat info{};
  if (fstat(from, &info) != 0) return fail_errno(errno, fmt::format("stat '{}'", shown));
  if (S_ISREG(info.st_mode)) return copy_open_file(from, info, to_dir, name, shown);
  if (S_ISDIR(info.st_mode)) return open_folder(from, info, to_dir, name, shown, depth);
  return {};
}

Status Copier::entry(int from_dir, int to_dir, const std::string& name, const std::string& shown,
                     int depth) const {
  struct stat info{};
  if (fstatat(from_dir, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return fail_errno(errno, fmt::format("stat '{}'", shown));
  }
  if (S_ISLNK(info.st_mode)) return link(from_dir, to_dir, name, shown);
  if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return {};
  UniqueFd from(openat(from_dir, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!from.valid()) return fail_errno(errno, fmt::format("open '{}'", shown));
  return opened(from.get(), to_dir, name, shown, depth);
}

Status Copier::folder(int from, int to, const std::string& shown, int depth) const {
  int again = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (again < 0) return fail_errno(errno, fmt::format("open '{}'", shown));
  std::unique_ptr<DIR, int (*)(DIR*)> listing(fdopendir(again), closedir);
  if (!listing) {
    close(again);
    return fail_errno(ENOMEM, fmt::format("list '{}'", shown));
  }
  while (true) {
    errno = 0;
    const dirent* found = readdir(listing.get());
    if (!found && errno != 0) return fail_errno(errno, fmt::format("list '{}'", shown));
    if (!found) return {};
    std::string name = found->d_name;
    if (name == "." || name == "..") continue;
    TRY(entry(from, to, name, shown + "/" + name, depth + 1));
  }
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
  auto from = open_beneath(from_root.get(), request.path, O_RDONLY | O_NONBLOCK,
                           RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
  if (!from && from.error().code == Code::kNotFound) return Placed::kNotThere;
  if (!from) return std::unexpected(std::move(from).error());
  UniqueFd to = TRY(make_parent(to_root.get(), parent == "." ? "" : parent));
  struct stat there{};
  if (fstatat(to.get(), name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0)
    return Placed::kAlreadyThere;
  if (errno != ENOENT) return fail_errno(errno, fmt::format("stat '{}'", request.path));
  Copier copier{request.from + "/", request.to + "/"};
  TRY(copier.opened(from->get(), to.get(), name, request.path, 0));
  return Placed::kCopied;
}

}  // namespace gittxn::gates
