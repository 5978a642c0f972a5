#include "base/files/copy_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <vector>

#include "base/fs.h"

namespace gittxn {
namespace {

constexpr int kMaxCopyDepth = 128;  // of folders; deeper is no tree anybody made

struct Copier {
  CopyLinks links;

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
  if (!links.from.empty() && target.starts_with(links.from)) {
    target = links.to + target.substr(links.from.size());
  }
  if (symlinkat(target.c_str(), to_dir, name.c_str()) != 0) {
    return fail_errno(errno, fmt::format("link '{}'", shown));
  }
  return {};
}

Status Copier::open_folder(int from, const struct stat& info, int to_dir, const std::string& name,
                           const std::string& shown, int depth) const {
  if (depth > kMaxCopyDepth) {
    return fail(Code::kRefused,
                fmt::format("'{}' is more than {} folders deep", shown, kMaxCopyDepth));
  }
  if (mkdirat(to_dir, name.c_str(), 0700) != 0) {
    return fail_errno(errno, fmt::format("create '{}'", shown));
  }
  UniqueFd to(openat(to_dir, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!to.valid()) return fail_errno(errno, fmt::format("open '{}'", shown));
  TRY(folder(from, to.get(), shown, depth));
  return copy_stat(to.get(), info, shown);
}

// Sockets, pipes and devices belong to processes of the other place and are left out.
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

}  // namespace

Status copy_tree(int from, const CopyTo& to, const CopyLinks& links) {
  return Copier{links}.opened(from, to.directory, to.name, to.shown, 0);
}

}  // namespace gittxn
