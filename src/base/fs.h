// The file system, as far as durability and atomicity need saying. Nothing here is cached.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace gittxn {

// An owned descriptor; always close-on-exec.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  ~UniqueFd() { reset(); }
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset();

 private:
  int fd_ = -1;
};

Result<UniqueFd> open_fd(const std::string& path, int flags, mode_t mode = 0600);
Result<std::string> read_file(const std::string& path, std::size_t max_bytes = 1u << 30);
Result<std::string> read_fd(int fd, std::size_t max_bytes = 1u << 30);
Status write_all(int fd, std::string_view bytes);

enum class Sync { kNo, kYes };
// Writes a new file whole or not at all: temporary file beside it, optional fsync, rename, optional
// fsync of the directory. A crash leaves the old file, or the new one, and perhaps a "*.tmp-*"
// file.
Status write_file(const std::string& path, std::string_view bytes, Sync sync, mode_t mode = 0600);
Status append_line_durable(const std::string& path, std::string_view line);  // O_APPEND + fdatasync
Status fsync_path(const std::string& path);                                  // file or directory
Status fsync_parent(const std::string& path);  // the directory that names it
Status syncfs_path(const std::string& path);   // the whole file system below it

Status make_dirs(const std::string& path, mode_t mode = 0700);
Status remove_file(const std::string& path);   // absent is success
Status remove_tree(const std::string& path);   // absent is success; never follows links
Result<bool> exists(const std::string& path);  // lstat
Result<std::string> real_path(const std::string& path);
Result<std::string> read_link(const std::string& path);
std::string parent_dir(std::string_view path);  // "a/b" -> "a", "a" -> "."
std::string base_name(std::string_view path);
std::string join_path(std::string_view a, std::string_view b);  // b absolute: b
// Lexical: collapses "//", "." and "x/.."; keeps leading "..". Never touches the disk.
std::string normal_path(std::string_view path);
// `path` relative to `root` if it is root or below it ("" for root itself).
bool path_below(std::string_view path, std::string_view root, std::string* relative);

struct DirEntry {
  std::string name;
  unsigned char type;  // DT_*; DT_UNKNOWN is resolved with lstat
};
Result<std::vector<DirEntry>> list_dir(const std::string& path);  // sorted, without . and ..

// renameat2 with RENAME_EXCHANGE / RENAME_NOREPLACE. kUnsupported where the file system cannot.
Status rename_exchange(const std::string& a, const std::string& b);
Status rename_noreplace(const std::string& from, const std::string& to);
Status rename_over(const std::string& from, const std::string& to);
Status hard_link(const std::string& from, const std::string& to);  // kExists when `to` is there

enum class FsKind { kLocal, kNetwork };
Result<FsKind> fs_kind(const std::string& path);  // statfs
// Of a magic number of statfs(2), and for FUSE the type in the table of mounts ("fuse.sshfs").
FsKind fs_kind_of(unsigned long magic, std::string_view fuse_type);

// What fcntl(2) is asked of a lock of so many bytes; 0: of all from the first on.
struct flock lock_range(short type, off_t first, off_t count);

// An exclusive flock(2) on a file that is created when absent and never unlinked. Dies with its
// holder; the descriptor is close-on-exec and base/subprocess closes it in every child first.
class FileLock {
 public:
  // deadline_ms counts from now: < 0 waits for ever, 0 tries once. kBusy when not had in time;
  // kInterrupted when a signal handler ran while waiting for ever.
  static Result<FileLock> acquire(const std::string& path, std::int64_t deadline_ms);
  bool held() const { return fd_.valid(); }
  void release() { fd_.reset(); }
  // For a forked child that is to hold it on: the lock is free when both have closed theirs.
  int descriptor() const { return fd_.get(); }

 private:
  UniqueFd fd_;
};

// One byte of a file as a lock (open-file-description locks), so that a whole table of locks needs
// one file that is never unlinked: byte N proves that the owner (or ticket) N lives. Held until
// destroyed.
class SlotLock {
 public:
  // kBusy when another open description holds the slot.
  static Result<SlotLock> try_acquire(const std::string& path, std::int64_t slot);
  // Returns when whoever holds the slot lets go or dies, or at the deadline (as above) with
  // kTimeout.
  static Status wait_free(const std::string& path, std::int64_t slot, std::int64_t deadline_ms);
  static Result<bool> is_held(const std::string& path, std::int64_t slot);
  // Writes the slot's byte, which stays when the lock goes: whether this table's slot was ever had.
  // Not synced: after a power cut it may have been forgotten.
  Status mark(const std::string& path, std::int64_t slot) const;
  static Result<bool> is_marked(const std::string& path, std::int64_t slot);
  bool held() const { return fd_.valid(); }
  void release() { fd_.reset(); }

 private:
  UniqueFd fd_;
};

}  // namespace gittxn
