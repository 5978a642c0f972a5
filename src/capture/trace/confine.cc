#include "capture/trace/confine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "capture/trace/trace.h"

namespace gittxn::capture {
namespace {

// Since Linux 6.2; headers of Debian 12 do not know it.
constexpr std::uint64_t kTruncate = 1ull << 14;
constexpr int kNeededAbi = 2;  // Linux 5.19: moves between directories inside what is allowed
constexpr int kTruncateAbi = 3;

constexpr std::uint64_t kReadFile = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE;
constexpr std::uint64_t kRead = kReadFile | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWriteFile = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr std::uint64_t kWriteBelow =
    kWriteFile | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
    LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER;

class Ruleset {
 public:
  static Result<Ruleset> make(std::uint64_t handled) {
    landlock_ruleset_attr attributes{};
    attributes.handled_access_fs = handled;
    const long fd = ::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (fd < 0) return fail_errno(errno, "make a Landlock ruleset");
    Ruleset ruleset;
    ruleset.fd_ = UniqueFd(static_cast<int>(fd));
    ruleset.handled_ = handled;
    return ruleset;
  }

  // What is not there, or goes away meanwhile, needs no permission.
  Status allow(const std::string& path, std::uint64_t on_file, std::uint64_t on_directory) {
    const UniqueFd at(::open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat info{};
    if (!at.valid() || ::fstat(at.get(), &info) != 0) return {};
    landlock_path_beneath_attr rule{};
    rule.allowed_access = (S_ISDIR(info.st_mode) ? on_directory : on_file) & handled_;
    rule.parent_fd = at.get();
    if (rule.allowed_access == 0) return {};
    if (::syscall(SYS_landlock_add_rule, fd_.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0) {
      return {};
    }
    // A pipe or a socket of the kernel's own has no place in a tree to be below of.
    if (errno == EBADFD) return {};
    return fail_errno(errno, "allow '" + path + "'");
  }

  UniqueFd take() { return std::move(fd_); }

 private:
  UniqueFd fd_;
  std::uint64_t handled_ = 0;
};

// Every neighbour of the directories on the way from the root to the tree.
Status allow_around(Ruleset& ruleset, const std::string& tree) {
  std::string above = "/";
  while (above != tree) {
    std::string rest;
    if (!path_below(tree, above, &rest) || rest.empty()) break;
    const std::string next = rest.substr(0, rest.find('/'));
    const auto entries = list_dir(above);
    if (entries) {  // one that we cannot list either
      for (const DirEntry& entry : *entries) {
        if (entry.name != next) TRY(ruleset.allow(join_path(above, entry.name), kReadFile, kRead));
      }
    }
    above = join_path(above, next);
  }
  return {};
}

bool writes(const Record& record) {
  switch (record.op) {
    case Op::kOpenWrite:
    case Op::kOpenReadWrite:
    case Op::kMkdir:
    case Op::kUnlink:
    case Op::kRmdir:
    case Op::kRename:
    case Op::kLink:
    case Op::kSymlink:
    case Op::kTruncate:
      return true;
    case Op::kOpenCreate:
      return (record.flags & O_ACCMODE) != O_RDONLY || record.mode == 0;
    default:
      return false;
  }
}

bool reads(const Record& record) {
  return record.op == Op::kOpenRead || record.op == Op::kOpenReadWrite || record.op == Op::kList ||
         record.op == Op::kExec;
}

bool below_one(const std::string& path, const std::vector<std::string>& roots) {
  return std::any_of(roots.begin(), roots.end(),
                     [&](const std::string& root) { return path_below(path, root, nullptr); });
}

// Refused for the confinement's sake, as far as can be told: the kernel said so, or it did not say,
// and nothing else is known to be in the way.
bool may_be_refused(const Record& record) {
  if (record.assumed) return !record.predicted || record.result >= 0;
  return record.result == -EACCES || record.result == -EXDEV;
}

}  // namespace

Result<int> landlock_abi() {
  const long abi =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  const std::string hint = "run without --confine; git txn doctor says what this kernel gives";
  if (abi < 0) {
    return fail(
        Code::kUnsupported,
        fmt::format("this kernel has no Landlock to confine with: {}", std::strerror(errno)), hint);
  }
  if (abi < kNeededAbi) {
    return fail(Code::kUnsupported, "this kernel's Landlock is too old: Linux 5.19 is needed",
                hint);
  }
  return static_cast<int>(abi);
}

Result<UniqueFd> make_ruleset(const Confine& confine) {
  const int abi = TRY(landlock_abi());
  const std::uint64_t truncate = abi >= kTruncateAbi ? kTruncate : 0;
  Ruleset ruleset = TRY(Ruleset::make(kWriteBelow | truncate | (confine.read ? kRead : 0)));
  for (const std::string& path : confine.write) {
    TRY(ruleset.allow(path, kWriteFile | truncate, kWriteBelow | truncate));
  }
  if (confine.read) {
    TRY(allow_around(ruleset, confine.tree));
    for (const std::string& path : *confine.read) TRY(ruleset.allow(path, kReadFile, kRead));
  }
  return ruleset.take();
}

int confine_self(int ruleset) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  return ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0 ? 0 : errno;
}

Result<std::vector<std::string>> outside_scope(const std::string& record_file,
                                               const Confine& confine, std::size_t most) {
  std::vector<std::string> outside;
  std::set<std::string> seen;
  const auto note = [&](const std::string& path) {
    if (outside.size() < most && seen.insert(path).second) outside.push_back(path);
  };
  const auto look = [&](const Record& record) {
    if (!may_be_refused(record)) return;
    const std::string path = normal_path(record.path);
    if (writes(record) && !below_one(path, confine.write)) note(path);
    const bool in_tree = path_below(path, confine.tree, nullptr);
    if (confine.read && in_tree && reads(record) && !below_one(path, *confine.read)) note(path);
  };
  TRY(read_records(record_file, look));
  return outside;
}

}  // namespace gittxn::capture
