#include "capture/trace/confine/confine.h"

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

#include "base/bug.h"
#include "capture/trace/trace.h"

namespace gittxn::capture {
namespace {

// Constants that the headers of Debian 12 lack, with the version that has them.
constexpr std::uint64_t kTruncate = 1ull << 14;
constexpr std::uint64_t kScopeAbstractSockets = 1ull << 0;
constexpr std::uint64_t kScopeSignals = 1ull << 1;
constexpr int kNeededAbi = 2;  // Linux 5.19: moves between directories inside what is allowed
constexpr int kTruncateAbi = 3;
constexpr int kScopesAbi = 6;  // Linux 6.12

struct RulesetAttributes {  // landlock_ruleset_attr, as of version 6
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scoped = 0;
};

constexpr std::uint64_t kWriteFile = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr std::uint64_t kWriteBelow =
    kWriteFile | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER;
// A node of a disk in a temporary directory would be a way to all of it.
constexpr std::uint64_t kNowhere = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK;

Result<UniqueFd> new_ruleset(std::uint64_t handled, int abi) {
  RulesetAttributes attributes;
  attributes.files = handled;
  const bool scopes = abi >= kScopesAbi && !INJECTED_BUG("confine.no_scopes");
  if (scopes) attributes.scoped = kScopeAbstractSockets | kScopeSignals;
  const std::size_t size = scopes ? sizeof attributes : sizeof attributes.files;
  const long fd = ::syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
  if (fd < 0) return fail_errno(errno, "make a Landlock ruleset");
  return UniqueFd(static_cast<int>(fd));
}

// What is not there, or goes away meanwhile, needs no permission.
Status allow(const UniqueFd& ruleset, const std::string& path, std::uint64_t on_file,
             std::uint64_t on_directory) {
  const UniqueFd at(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat info{};
  if (!at.valid() || ::fstat(at.get(), &info) != 0) return {};
  landlock_path_beneath_attr rule{};
  rule.allowed_access = S_ISDIR(info.st_mode) ? on_directory : on_file;
  rule.parent_fd = at.get();
  if (::syscall(SYS_landlock_add_rule, ruleset.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0) {
    return {};
  }
  // A pipe or a socket of the kernel's own has no place in a tree to be below of.
  if (errno == EBADFD) return {};
  return fail_errno(errno, "allow '" + path + "'");
}

bool writes(const Record& record) {
  if (record.op == Op::kOpenCreate) {
    return (record.flags & O_ACCMODE) != O_RDONLY || record.mode == 0;
  }
  return may_change(record.op) && record.op != Op::kSetTimes && record.op != Op::kMount;
}

// How long the longest of these is that the path is at or below; -1 none.
std::ptrdiff_t longest_above(const std::string& path, const std::vector<std::string>& roots) {
  std::ptrdiff_t longest = -1;
  for (const std::string& root : roots) {
    if (path_below(path, root, nullptr)) {
      longest = std::max(longest, static_cast<std::ptrdiff_t>(root.size()));
    }
  }
  return longest;
}

// What many write first and then rename, or make and remove as a lock, beside a file: refused
// beside one that may be written, they write the file itself.
bool is_draft_of_one(const std::string& path, const std::vector<std::string>& files) {
  return std::ranges::any_of(files, [&](const std::string& file) {
    return path.size() > file.size() && path[file.size()] == '.' && path.starts_with(file);
  });
}

// Names of what the process has open already.
bool is_own_output(const std::string& path) {
  return path == "/dev/stdin" || path == "/dev/stdout" || path == "/dev/stderr" ||
         path_below(path, "/dev/fd", nullptr);
}

// Refused for the confinement's sake, as far as can be told: the kernel said so, or it did not say,
// and nothing else is known to be in the way.
bool may_be_refused(const Record& record) {
  if (record.assumed) return !record.predicted || record.result >= 0;
  return record.result == -EACCES || record.result == -EXDEV || record.result == -EROFS;
}

Result<int> landlock_version() {
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

}  // namespace

Result<ConfineMeans> confine_means() {
  ConfineMeans means;
  means.landlock = TRY(landlock_version());
  means.scopes = means.landlock >= kScopesAbi;
  if (const Status view = probe_view(); !view) means.no_mounts = view.error().message;
  return means;
}

Result<UniqueFd> make_ruleset(const Confine& confine) {
  const int abi = TRY(landlock_version());
  const std::uint64_t truncate = abi >= kTruncateAbi ? kTruncate : 0;
  UniqueFd ruleset = TRY(new_ruleset(kWriteBelow | kNowhere | truncate, abi));
  for (const std::string& path : confine.write) {
    TRY(allow(ruleset, path, kWriteFile | truncate, kWriteBelow | truncate));
  }
  return ruleset;
}

std::vector<ViewPlace> view_of(const Confine& confine) {
  std::vector<ViewPlace> places;
  for (const std::string& path : confine.kept) {
    places.push_back({path, ViewPlace::Kind::kReadOnly});
  }
  for (const std::string& path : confine.write) {
    // A device may be written on a read-only mount; and /dev/ptmx looks for its neighbour pts,
    // which a mount of its own would not have.
    struct stat info{};
    if (::stat(path.c_str(), &info) == 0 && S_ISCHR(info.st_mode)) continue;
    places.push_back({path, ViewPlace::Kind::kWritable});  // the same path: it counts, being last
  }
  return places;
}

bool may_write(const Confine& confine, const std::string& path) {
  const std::ptrdiff_t allowed = longest_above(path, confine.write);
  return allowed >= 0 && allowed >= longest_above(path, confine.kept);
}

int confine_self(int ruleset) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  return ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0 ? 0 : errno;
}

Result<std::vector<std::string>> outside_scope(const std::string& record_file,
                                               const Confine& confine, std::size_t most) {
  std::vector<std::string> outside;
  std::set<std::string> seen;
  // Of processes that run git-txn: it asks for more than it needs to look at its own store.
  std::set<std::int32_t> ours;
  const auto look = [&](const Record& record) {
    const std::string name = base_name(record.path);
    if (record.op == Op::kExec && name == "git-txn") ours.insert(record.pid);
    if (record.op == Op::kExec && name != "git-txn") ours.erase(record.pid);
    const bool own_look = ours.contains(record.pid) && name.starts_with("kernel.");
    if (own_look || !may_be_refused(record)) return;
    const std::string path = normal_path(record.path);
    if (!writes(record) || is_own_output(path) || may_write(confine, path)) return;
    if (is_draft_of_one(path, confine.write) || outside.size() >= most) return;
    if (seen.insert(path).second) outside.push_back(path);
  };
  TRY(read_records(record_file, look));
  return outside;
}

}  // namespace gittxn::capture
