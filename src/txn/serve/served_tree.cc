#include "txn/serve/served_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace gittxn::api {

namespace {

constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kMaxBlob = 64u << 20;  // of one file that is searched
constexpr int kTries = 16;                   // a rename on the way makes openat2 give up

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

bool holds_git(std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    if (path.substr(0, slash) == ".git") return true;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return false;
}

std::unexpected<Error> refuse_git(const std::string& path) {
  return fail(Code::kRefused, fmt::format("'{}' is in git's own directory", path),
              "ask git itself, with a command");
}

std::string shown(const std::string& path) {
  return path.empty() ? "." : path;
}

FileMode mode_of(unsigned char type) {
  if (type == DT_DIR) return FileMode::kTree;
  if (type == DT_LNK) return FileMode::kLink;
  return type == DT_REG ? FileMode::kFile : FileMode::kNone;
}

FileMode mode_of(const struct stat& info) {
  if (S_ISDIR(info.st_mode)) return FileMode::kTree;
  if (S_ISLNK(info.st_mode)) return FileMode::kLink;
  return S_ISREG(info.st_mode) ? FileMode::kFile : FileMode::kNone;
}

Result<struct stat> stat_of(const UniqueFd& fd, const std::string& path) {
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return fail_errno(errno, "stat '" + path + "'");
  return info;
}

}  // namespace

Result<ServedTree> ServedTree::open(const std::string& top) {
  ServedTree tree;
  tree.top_ = TRY(real_path(top));
  tree.dir_ = TRY(open_fd(tree.top_, O_PATH | O_DIRECTORY));
  return tree;
}

Result<std::string> ServedTree::path_of(std::string_view given) const {
  if (given.size() > kMaxPath || given.find('\0') != std::string_view::npos) {
    return fail(Code::kUsage, "a path with a NUL, or longer than 4,096 bytes");
  }
  std::string path(given);
  if (path.starts_with('/')) {
    std::string below;
    if (!path_below(normal_path(path), top_, &below)) {
      return fail(Code::kRefused, fmt::format("'{}' is outside of '{}'", path, top_),
                  "only what is in the worktree is served; paths are relative to its top");
    }
    path = below;
  }
  // "a/.." is left to the kernel, because "a" may be a link; only what needs no look-up goes.
  while (path.starts_with("./"))
    path.erase(0, std::min(path.find_first_not_of('/', 1), path.size()));
  while (path.ends_with('/')) path.pop_back();
  if (path == ".") path.clear();
  if (holds_git(path)) return refuse_git(path);
  return path;
}

Result<UniqueFd> ServedTree::open_beneath(const std::string& path, int flags,
                                          std::uint64_t resolve) const {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags) | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | resolve;
  const char* name = path.empty() ? "." : path.c_str();
  for (int left = kTries;; --left) {
    const long fd = ::syscall(SYS_openat2, dir_.get(), name, &how, sizeof how);
    if (fd >= 0) return UniqueFd(static_cast<int>(fd));
    if ((errno == EAGAIN || errno == EINTR) && left > 0) continue;
    break;
  }
  const int error = errno;
  if (error == EXDEV || error == ELOOP) {
    return fail(Code::kRefused,
                fmt::format("'{}' leads out of the worktree, or through a link", shown(path)),
                "only what is in the worktree is served");
  }
  if (error == ENOENT || error == ENOTDIR) {
    return fail(Code::kNotFound, fmt::format("'{}' does not exist", shown(path)));
  }
  if (error == ENOSYS) {
    return fail(Code::kUnsupported, "this kernel has no openat2", "it needs Linux 5.6 or later");
  }
  return fail_errno(error, fmt::format("open '{}'", shown(path)));
}

Result<std::string> ServedTree::real_name(int fd, const std::string& asked) const {
  const std::string real = TRY(read_link(fmt::format("/proc/self/fd/{}", fd)));
  std::string below;
  if (!path_below(real, top_, &below)) {
    return fail(Code::kNotFound, fmt::format("'{}' was moved meanwhile", shown(asked)));
  }
  if (holds_git(below)) return refuse_git(asked);
  return below;
}

Result<ServedTree::File> ServedTree::open_file(const std::string& path) const {
  File file;
  // A FIFO must not block us, nor a terminal become ours.
  file.fd = TRY(open_beneath(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0));
  file.path = TRY(real_name(file.fd.get(), path));
  const struct stat info = TRY(stat_of(file.fd, path));
  if (S_ISDIR(info.st_mode)) {
    return fail(Code::kUsage, fmt::format("'{}' is a directory", shown(path)),
                "its names are for list");
  }
  if (!S_ISREG(info.st_mode)) {
    return fail(Code::kUsage, fmt::format("'{}' is not a regular file", path));
  }
  file.size = static_cast<std::uint64_t>(info.st_size);
  return file;
}

Result<ServedTree::Named> ServedTree::resolve(const std::string& path) const {
  const UniqueFd fd = TRY(open_beneath(path, O_PATH, 0));
  const FileMode mode = mode_of(TRY(stat_of(fd, path)));
  if (mode != FileMode::kTree && mode != FileMode::kFile) {
    return fail(Code::kUsage,
                fmt::format("'{}' is neither a directory nor a regular file", shown(path)));
  }
  return Named{TRY(real_name(fd.get(), path)), mode == FileMode::kTree};
}

Result<TreeEntry> ServedTree::entry(const std::string& path) const {
  if (path.empty()) return TreeEntry{FileMode::kTree, Oid{}};
  const std::size_t slash = path.rfind('/');
  const auto known = listed_.find(slash == std::string::npos ? "" : path.substr(0, slash));
  if (known != listed_.end()) {
    const std::string name = base_name(path);
    for (const search::NamedEntry& each : known->second) {
      if (each.name == name) return each.entry;
    }
    return TreeEntry{};
  }
  if (holds_git(path)) return TreeEntry{};
  auto fd = open_beneath(path, O_PATH | O_NOFOLLOW, RESOLVE_NO_SYMLINKS);
  if (!fd && fd.error().code == Code::kNotFound) return TreeEntry{};
  if (!fd && fd.error().code == Code::kRefused) return TreeEntry{FileMode::kLink, Oid(path)};
  if (!fd) return std::unexpected(std::move(fd).error());
  return TreeEntry{mode_of(TRY(stat_of(*fd, path))), Oid(path)};
}

Result<std::vector<search::NamedEntry>> ServedTree::list(const std::string& path) const {
  const auto known = listed_.find(path);
  if (known != listed_.end()) return known->second;
  UniqueFd fd = TRY(open_beneath(path, O_RDONLY | O_DIRECTORY, RESOLVE_NO_SYMLINKS));
  TRY(real_name(fd.get(), path));
  const std::unique_ptr<DIR, CloseDir> dir(::fdopendir(fd.get()));
  if (!dir) return fail_errno(errno, fmt::format("list '{}'", shown(path)));
  const int at = fd.release();  // of the stream from here on
  std::vector<search::NamedEntry> entries;
  errno = 0;
  while (const dirent* each = ::readdir(dir.get())) {
    const std::string name = each->d_name;
    if (name == "." || name == ".." || name == ".git") continue;
    FileMode mode = mode_of(each->d_type);
    struct stat info{};
    if (each->d_type == DT_UNKNOWN &&
        ::fstatat(at, each->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0) {
      mode = mode_of(info);
    }
    // Sockets, FIFOs and devices are in no commit.
    if (mode != FileMode::kNone) {
      entries.push_back({name, {mode, Oid(path.empty() ? name : path + "/" + name)}});
    }
    errno = 0;
  }
  if (errno != 0) return fail_errno(errno, fmt::format("list '{}'", shown(path)));
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return listed_.emplace(path, std::move(entries)).first->second;
}

Result<std::string> ServedTree::blob(const Oid& oid) const {
  const UniqueFd fd = TRY(
      open_beneath(oid.str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW, RESOLVE_NO_SYMLINKS));
  if (!S_ISREG(TRY(stat_of(fd, oid.str())).st_mode))
    return fail(Code::kUsage, "'" + oid.str() + "' is no regular file");
  return read_fd(fd.get(), kMaxBlob);
}

}  // namespace gittxn::api
