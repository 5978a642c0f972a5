// Directories, renames and kinds of file system.
#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "base/fs.h"
#include "base/text.h"

namespace gittxn {

namespace {

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};
using Dir = std::unique_ptr<DIR, CloseDir>;

// Reads the entries of an open directory, whose descriptor stays the caller's.
Result<std::vector<DirEntry>> read_entries(int fd, const std::string& path) {
  UniqueFd copy(::openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!copy.valid()) return fail_errno(errno, "open directory '" + path + "'");
  Dir dir(::fdopendir(copy.get()));
  if (!dir) return fail_errno(errno, "list '" + path + "'");
  copy.release();
  std::vector<DirEntry> entries;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(dir.get());
    if (entry == nullptr && errno != 0) return fail_errno(errno, "list '" + path + "'");
    if (entry == nullptr) return entries;
    std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    unsigned char type = entry->d_type;
    struct stat info{};
    if (type == DT_UNKNOWN && ::fstatat(fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
      type = static_cast<unsigned char>(IFTODT(info.st_mode));
    }
    entries.push_back({std::move(name), type});
  }
}

// Removes what is below a directory. Works from descriptors, so that a directory swapped for a link
// meanwhile is never followed. Levels below kMaxDepth are moved up to the root of the removal and
// removed from there, so that a deep tree costs neither descriptors nor stack.
class TreeRemover {
 public:
  TreeRemover(int root, dev_t device, std::string path)
      : root_(root), device_(device), path_(std::move(path)) {}

  Status empty_root() {
    do {
      again_ = false;
      TRY(empty_dir(root_, 0));
    } while (again_);
    return {};
  }

 private:
  static constexpr int kMaxDepth = 64;

  Status empty_dir(int dir, int depth) {
    for (const DirEntry& entry : TRY(read_entries(dir, path_))) {
      const char* name = entry.name.c_str();
      if (entry.type == DT_DIR) {
        TRY(remove_dir(dir, name, depth));
      } else if (!unlink_in(dir, name, 0)) {
        return fail_errno(errno, "remove '" + entry.name + "' below '" + path_ + "'");
      }
    }
    return {};
  }

  Status remove_dir(int parent, const char* name, int depth) {
    if (depth >= kMaxDepth) {
      const std::string up = ".removing-" + std::to_string(moved_++);
      if (::renameat(parent, name, root_, up.c_str()) == 0) {
        again_ = true;
        return {};
      }
      return fail_errno(errno, "remove '" + std::string(name) + "' below '" + path_ + "'");
    }
    UniqueFd dir(open_dir(parent, name));
    if (!dir.valid())
      return fail_errno(errno, "open '" + std::string(name) + "' below '" + path_ + "'");
    struct stat info{};
    if (::fstat(dir.get(), &info) != 0)
      return fail_errno(errno, "stat '" + std::string(name) + "'");
    if (info.st_dev != device_) {
      return fail(Code::kFault,
                  "'" + std::string(name) + "' below '" + path_ + "' is a mount point",
                  "unmount it and try again");
    }
    // Tools leave read-only directories (Go's module cache); only their owner's rights are in the
    // way.
    constexpr mode_t kNeeded = S_IRWXU;
    if ((info.st_mode & kNeeded) != kNeeded) ::fchmod(dir.get(), info.st_mode | kNeeded);
    TRY(empty_dir(dir.get(), depth + 1));
    if (!unlink_in(parent, name, AT_REMOVEDIR)) {
      return fail_errno(errno, "remove '" + std::string(name) + "' below '" + path_ + "'");
    }
    return {};
  }

  static int open_dir(int parent, const char* name) {
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int fd = ::openat(parent, name, kFlags);
    if (fd < 0 && errno == EACCES && ::fchmodat(parent, name, S_IRWXU, 0) == 0) {
      fd = ::openat(parent, name, kFlags);
    }
    return fd;
  }

  static bool unlink_in(int dir, const char* name, int flags) {
    return ::unlinkat(dir, name, flags) == 0 || errno == ENOENT;
  }

  int root_;
  dev_t device_;
  std::string path_;
  bool again_ = false;
  int moved_ = 0;
};

Status rename_flags(const std::string& from, const std::string& to, unsigned int flags) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0) return {};
  if (errno == ENOSYS || errno == EINVAL) {
    return fail(Code::kUnsupported, "the file system of '" + to + "' cannot exchange names",
                "use a local file system such as ext4, XFS, btrfs or tmpfs");
  }
  return fail_errno(errno, "rename '" + from + "' to '" + to + "'");
}

// The type that the mount table gives for a device, such as "fuse.sshfs"; empty when not listed.
Result<std::string> mount_type(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return fail_errno(errno, "stat '" + path + "'");
  const std::string device =
      " " + std::to_string(major(info.st_dev)) + ":" + std::to_string(minor(info.st_dev)) + " ";
  const std::string table = TRY(read_file("/proc/self/mountinfo"));
  for (const std::string_view line : lines_of(table)) {
    const std::size_t dash = line.find(" - ");
    if (line.find(device) >= dash) continue;  // absent, or only in the part after the dash
    const std::string_view rest = line.substr(dash + 3);
    return std::string(rest.substr(0, rest.find(' ')));
  }
  return std::string();
}

}  // namespace

Status make_dirs(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) == 0) return {};
  const int error = errno;
  struct stat info{};
  if (::stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return {};
    return fail(Code::kExists, "'" + path + "' is there and is not a directory");
  }
  if (error != ENOENT) return fail_errno(error, "make directory '" + path + "'");
  const std::string parent = parent_dir(path);
  if (parent == path) return fail_errno(error, "make directory '" + path + "'");
  TRY(make_dirs(parent, mode));
  // Another process may have made it meanwhile.
  if (::mkdir(path.c_str(), mode) != 0 && errno != EEXIST) {
    return fail_errno(errno, "make directory '" + path + "'");
  }
  return {};
}

Status remove_tree(const std::string& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return fail_errno(errno, "stat '" + path + "'");
  }
  if (!S_ISDIR(info.st_mode)) return remove_file(path);
  if ((info.st_mode & S_IRWXU) != S_IRWXU) ::chmod(path.c_str(), info.st_mode | S_IRWXU);
  UniqueFd root = TRY(open_fd(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  TRY(TreeRemover(root.get(), info.st_dev, path).empty_root());
  if (::rmdir(path.c_str()) != 0 && errno != ENOENT)
    return fail_errno(errno, "remove '" + path + "'");
  return {};
}

Result<std::vector<DirEntry>> list_dir(const std::string& path) {
  UniqueFd fd = TRY(open_fd(path, O_RDONLY | O_DIRECTORY));
  auto entries = TRY(read_entries(fd.get(), path));
  std::sort(entries.begin(), entries.end(),
            [](const DirEntry& a, const DirEntry& b) { return a.name < b.name; });
  return entries;
}

Status rename_exchange(const std::string& a, const std::string& b) {
  return rename_flags(a, b, RENAME_EXCHANGE);
}

Status rename_noreplace(const std::string& from, const std::string& to) {
  return rename_flags(from, to, RENAME_NOREPLACE);
}

Status rename_over(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  return fail_errno(errno, "rename '" + from + "' to '" + to + "'");
}

Status hard_link(const std::string& from, const std::string& to) {
  if (::link(from.c_str(), to.c_str()) == 0) return {};
  return fail_errno(errno, "link '" + to + "' to '" + from + "'");
}

FsKind fs_kind_of(unsigned long magic, std::string_view fuse_type) {
  // Kinds where locks, renames or other machines' writes do not behave as one kernel's do. Those
  // without a name in linux/magic.h: SMB2, CIFS, GFS2, Lustre.
  constexpr std::array<unsigned long, 12> kNetwork = {
      NFS_SUPER_MAGIC, SMB_SUPER_MAGIC,  V9FS_MAGIC,       AFS_SUPER_MAGIC,
      AFS_FS_MAGIC,    CEPH_SUPER_MAGIC, CODA_SUPER_MAGIC, NCP_SUPER_MAGIC,
      0xfe534d42ul,    0xff534d42ul,     0x01161970ul,     0x0bd00bd0ul};
  constexpr std::array<std::string_view, 8> kFuseNetwork = {
      "fuse.sshfs", "fuse.rclone", "fuse.s3fs",      "fuse.glusterfs",
      "fuse.ceph",  "fuse.davfs",  "fuse.curlftpfs", "fuse.gcsfuse"};
  const unsigned long kind = magic & 0xfffffffful;  // f_type is signed on some machines
  const bool network =
      kind == FUSE_SUPER_MAGIC
          ? std::find(kFuseNetwork.begin(), kFuseNetwork.end(), fuse_type) != kFuseNetwork.end()
          : std::find(kNetwork.begin(), kNetwork.end(), kind) != kNetwork.end();
  return network ? FsKind::kNetwork : FsKind::kLocal;
}

Result<FsKind> fs_kind(const std::string& path) {
  struct statfs info{};
  if (::statfs(path.c_str(), &info) != 0) return fail_errno(errno, "statfs '" + path + "'");
  std::string fuse_type;  // what FUSE serves is only in the table of mounts
  if (info.f_type == FUSE_SUPER_MAGIC) fuse_type = TRY(mount_type(path));
  return fs_kind_of(static_cast<unsigned long>(info.f_type), fuse_type);
}

}  // namespace gittxn
