// Files, whole or not at all. Paths are in paths.cc, directories and renames in fs_tree.cc, locks
// in file_lock.cc.
#include "base/fs.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/bug.h"
#include "base/random.h"

namespace gittxn {

void UniqueFd::reset() {
  // close() frees the descriptor even when it reports an error; data that matters was synced
  // before.
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Result<UniqueFd> open_fd(const std::string& path, int flags, mode_t mode) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return fail_errno(errno, "open '" + path + "'");
  return UniqueFd(fd);
}

Result<std::string> read_fd(int fd, std::size_t max_bytes) {
  std::string bytes;
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, "read");
    if (got == 0) return bytes;
    if (bytes.size() + static_cast<std::size_t>(got) > max_bytes) {
      return fail(Code::kFault, "more than " + std::to_string(max_bytes) + " bytes to read");
    }
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  UniqueFd fd = TRY(open_fd(path, O_RDONLY));
  return TRY_IN("reading '" + path + "'", read_fd(fd.get(), max_bytes));
}

Status write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail_errno(errno, "write");
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

namespace {

// tests/crash/powercut --unsynced must lose work without these.
bool syncs_left_out() {
  return INJECTED_BUG("base.no_sync");
}

Status fsync_fd(int fd, const std::string& path) {
  if (syncs_left_out()) return {};
  if (::fsync(fd) != 0) return fail_errno(errno, "fsync '" + path + "'");
  return {};
}

Status fill_file(const std::string& path, std::string_view bytes, Sync sync, mode_t mode) {
  UniqueFd fd = TRY(open_fd(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode));
  TRY_IN("writing '" + path + "'", write_all(fd.get(), bytes));
  if (sync == Sync::kYes) TRY(fsync_fd(fd.get(), path));
  return {};
}

// A rename or append that took effect but whose sync failed may or may not survive a power cut.
Status outcome_unknown(Status synced) {
  if (synced) return {};
  Error error = std::move(synced).error();
  error.code = Code::kOutcomeUnknown;
  return std::unexpected(std::move(error));
}

}  // namespace

Status write_file(const std::string& path, std::string_view bytes, Sync sync, mode_t mode) {
  const std::string temporary = path + ".tmp-" + Random().name(10);
  Status done = fill_file(temporary, bytes, sync, mode);
  if (done) done = rename_over(temporary, path);
  if (!done) {
    ::unlink(temporary.c_str());  // the first error is the one to report
    return done;
  }
  if (sync == Sync::kNo) return {};
  return outcome_unknown(fsync_parent(path));
}

Status append_line_durable(const std::string& path, std::string_view line) {
  if (line.find('\n') != line.npos) return fail(Code::kUsage, "a line holds no line break");
  const bool created = !TRY(exists(path));
  UniqueFd fd = TRY(open_fd(path, O_RDWR | O_CREAT | O_APPEND, 0600));
  std::string text(line);
  text += '\n';
  // A power cut can leave the last line torn; it must not swallow this one.
  const off_t end = ::lseek(fd.get(), 0, SEEK_END);
  if (end < 0) return fail_errno(errno, "seek in '" + path + "'");
  char last = '\n';
  if (end > 0 && ::pread(fd.get(), &last, 1, end - 1) != 1) {
    return fail_errno(errno, "read '" + path + "'");
  }
  if (last != '\n') text.insert(0, 1, '\n');
  TRY_IN("appending to '" + path + "'", write_all(fd.get(), text));
  if (!syncs_left_out() && ::fdatasync(fd.get()) != 0) {
    return outcome_unknown(fail_errno(errno, "fdatasync '" + path + "'"));
  }
  return created ? outcome_unknown(fsync_parent(path)) : Status();
}

Status fsync_path(const std::string& path) {
  UniqueFd fd = TRY(open_fd(path, O_RDONLY));
  return fsync_fd(fd.get(), path);
}

Status fsync_parent(const std::string& path) {
  return fsync_path(parent_dir(path));
}

Status syncfs_path(const std::string& path) {
  UniqueFd fd = TRY(open_fd(path, O_RDONLY));
  if (!syncs_left_out() && ::syncfs(fd.get()) != 0)
    return fail_errno(errno, "syncfs '" + path + "'");
  return {};
}

Status remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return fail_errno(errno, "remove '" + path + "'");
  }
  return {};
}

Result<bool> exists(const std::string& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return fail_errno(errno, "stat '" + path + "'");
}

Result<std::string> real_path(const std::string& path) {
  char* resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return fail_errno(errno, "resolve '" + path + "'");
  std::string result(resolved);
  ::free(resolved);
  return result;
}

Result<std::string> read_link(const std::string& path) {
  std::string target(256, '\0');
  while (true) {
    const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
    if (length < 0) return fail_errno(errno, "read link '" + path + "'");
    if (static_cast<std::size_t>(length) < target.size()) {
      target.resize(static_cast<std::size_t>(length));
      return target;
    }
    target.resize(target.size() * 2);
  }
}

}  // namespace gittxn
