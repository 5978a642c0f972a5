#include "capture/trace/decode/lookup.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>

#include "base/fs.h"
#include "capture/trace/decode/tracee.h"

namespace gittxn::capture {

namespace {

struct Looked {
  int error = 0;
  struct stat info{};
};

// A path that is too long for one call is walked in pieces, each a directory descriptor.
Looked look_up_long(std::string_view path, int flags) {
  Looked look;
  UniqueFd base(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  while (path.size() >= PATH_MAX - 1) {
    const std::size_t cut = path.rfind('/', PATH_MAX - 2);
    if (cut == path.npos || cut == 0) {
      look.error = ENAMETOOLONG;
      return look;
    }
    std::string piece(path.substr(0, cut));
    piece.erase(0, piece.find_first_not_of('/'));
    path.remove_prefix(cut + 1);
    UniqueFd next(::openat(base.get(), piece.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!next.valid()) {
      look.error = errno;
      return look;
    }
    base = std::move(next);
  }
  const std::string rest(path.substr(std::min(path.find_first_not_of('/'), path.size())));
  if (::fstatat(base.get(), rest.c_str(), &look.info, flags) != 0) look.error = errno;
  return look;
}

enum class Links { kFollow, kStay };
Looked look_up(const std::string& path, Links links) {
  const int flags = AT_NO_AUTOMOUNT | (links == Links::kStay ? AT_SYMLINK_NOFOLLOW : 0);
  if (path.size() >= PATH_MAX - 1) return look_up_long(path, flags);
  Looked look;
  if (::fstatat(AT_FDCWD, path.c_str(), &look.info, flags) != 0) look.error = errno;
  return look;
}

void tell(const Looked& look, Record* record) {
  if (look.error != 0) return;
  record->mode = look.info.st_mode;
  record->dev = look.info.st_dev;
  record->ino = look.info.st_ino;
}

// The result of making a new name: -EEXIST, or that of finding its parent.
int making(const std::string& path, const Looked& look) {
  if (look.error == 0) return -EEXIST;
  if (look.error != ENOENT) return -look.error;
  std::string_view parent(path);
  while (parent.size() > 1 && parent.back() == '/') parent.remove_suffix(1);
  parent = parent.substr(0, std::max<std::size_t>(parent.rfind('/'), 1));
  return -look_up(std::string(parent), Links::kFollow).error;
}

int opening(const Record& record, const Looked& look) {
  const bool create = record.op == Op::kOpenCreate;
  if (look.error != 0 && create) return making(record.path, look);
  if (look.error != 0) return -look.error;
  const bool writes = record.op != Op::kOpenRead && (record.flags & O_ACCMODE) != O_RDONLY;
  if (create && (record.flags & O_EXCL) != 0) return -EEXIST;
  if (S_ISLNK(look.info.st_mode)) return -ELOOP;  // only without O_PATH, which is a kStat
  if (S_ISDIR(look.info.st_mode)) return writes || create ? -EISDIR : 0;
  return (record.flags & O_DIRECTORY) != 0 ? -ENOTDIR : 0;
}

int outcome(const Record& record, const Looked& look) {
  const mode_t mode = look.info.st_mode;
  switch (record.op) {
    case Op::kOpenRead:
    case Op::kOpenWrite:
    case Op::kOpenReadWrite:
    case Op::kOpenCreate:
      return opening(record, look);
    case Op::kMkdir:
    case Op::kSymlink:
      return making(record.path, look);
    default:
      if (look.error != 0) return -look.error;
  }
  switch (record.op) {
    case Op::kStat: {
      constexpr std::uint32_t kPathOfDirectory = O_PATH | O_DIRECTORY;
      const bool directory = (record.flags & kPathOfDirectory) == kPathOfDirectory;
      return directory && !S_ISDIR(mode) ? -ENOTDIR : 0;
    }
    case Op::kReadlink:
      return S_ISLNK(mode) ? 0 : -EINVAL;
    case Op::kUnlink:
    case Op::kTruncate:
      return S_ISDIR(mode) ? -EISDIR : 0;
    case Op::kRmdir:
    case Op::kChdir:
      return S_ISDIR(mode) ? 0 : -ENOTDIR;
    case Op::kExec:
      return S_ISREG(mode) && (mode & 0111) != 0 ? 0 : -EACCES;
    case Op::kLink:
      return making(record.path2, look_up(record.path2, Links::kStay));
    case Op::kRename:
      if ((record.flags & RENAME_NOREPLACE) != 0) {
        return making(record.path2, look_up(record.path2, Links::kStay));
      }
      return -look_up(parent_dir(record.path2), Links::kFollow).error;
    default:
      return 0;
  }
}

// Takes "<prefix>" or "<prefix>/..." off the front of `path`.
bool take_prefix(std::string_view* path, std::string_view prefix) {
  if (!path->starts_with(prefix)) return false;
  if (path->size() > prefix.size() && (*path)[prefix.size()] != '/') return false;
  path->remove_prefix(prefix.size());
  return true;
}

std::string_view take_name(std::string_view* path) {  // "/name..." -> name
  const std::size_t start = std::min(path->find_first_not_of('/'), path->size());
  const std::size_t end = std::min(path->find('/', start), path->size());
  const std::string_view name = path->substr(start, end - start);
  path->remove_prefix(end);
  return name;
}

// /dev/fd/N, /dev/stdin and the like are links to /proc/self/fd.
std::string without_dev_alias(std::string path, pid_t process) {
  std::string_view rest(path);
  std::string self = "/proc/" + std::to_string(process) + "/fd";
  if (take_prefix(&rest, "/dev/fd")) return self.append(rest);
  constexpr std::array<std::string_view, 3> kStd = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
  for (std::size_t i = 0; i < kStd.size(); ++i) {
    if (path == kStd[i]) return self + "/" + std::to_string(i);
  }
  return path;
}

std::string without_proc_alias(std::string path, Whose whose, Alias alias) {
  std::string_view rest(path);
  std::string owner;
  if (take_prefix(&rest, "/proc/self"))
    owner = std::to_string(whose.process);
  else if (take_prefix(&rest, "/proc/thread-self"))
    owner = std::to_string(whose.tid);
  else {
    rest = std::string_view(path).substr(5);
    owner = take_name(&rest);
    if (owner.empty() || owner.find_first_not_of("0123456789") != owner.npos) return path;
  }
  std::string link = "/proc/" + owner;
  const std::string whole = link + std::string(rest);
  std::string_view name = take_name(&rest);
  if (name == "task") {
    link.append("/task/").append(take_name(&rest));
    name = take_name(&rest);
  }
  link.append("/").append(name);
  if (name == "fd")
    link.append("/").append(take_name(&rest));
  else if (name != "cwd" && name != "root" && name != "exe")
    return whole;
  if (rest.empty() && alias == Alias::kKeepLast) return whole;
  auto target = read_link(link);
  if (!target || !target->starts_with('/')) return whole;
  if (*target == "/" && !rest.empty()) target->clear();
  return target->append(rest);
}

}  // namespace

std::string absolute_path(Whose whose, std::string base, std::string path, Alias alias) {
  if (!path.starts_with('/')) {
    if (base.size() > 1) base.push_back('/');
    return base.append(path);
  }
  if (path.starts_with("/dev/")) path = without_dev_alias(std::move(path), whose.process);
  if (path.starts_with("/proc/")) path = without_proc_alias(std::move(path), whose, alias);
  return path;
}

void predict(Record* record) {
  const Looked look = look_up(record->path, record->nofollow ? Links::kStay : Links::kFollow);
  record->predicted = true;
  tell(look, record);
  record->result = outcome(*record, look);
}

void look_at(const std::string& path, Record* record) {
  tell(look_up(path, Links::kStay), record);
}

std::string interpreter_of(const std::string& program) {
  const UniqueFd fd(::open(program.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid()) return {};
  std::array<char, 256> head;  // what the kernel reads (BINPRM_BUF_SIZE)
  const ssize_t got = ::pread(fd.get(), head.data(), head.size(), 0);
  std::string_view line(head.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  if (!line.starts_with("#!")) return {};
  line = line.substr(2, line.find('\n') - 2);
  const std::size_t start = line.find_first_not_of(" \t");
  if (start == line.npos) return {};
  line.remove_prefix(start);
  return std::string(line.substr(0, line.find_first_of(" \t")));
}

}  // namespace gittxn::capture
