// What back ends and operations are called, as people type and read them, and what operations do.
#include <algorithm>
#include <array>
#include <cerrno>
#include <initializer_list>
#include <iterator>
#include <string>

#include "capture/trace/trace.h"
#include "questions/question.h"

namespace gittxn::capture {

namespace {
constexpr std::array<std::string_view, 27> kOpNames = {
    "exec",   "open-read", "open-write", "open-read-write", "open-create", "stat",
    "access", "readlink",  "list",       "mkdir",           "unlink",      "rmdir",
    "rename", "link",      "symlink",    "chmod",           "truncate",    "set-times",
    "chdir",  "connect",   "mount",      "other",           "fork",        "exit",
    "note",   "blind",     "was-link"};
static_assert(kOpNames.size() == static_cast<std::size_t>(Op::kWasLink) + 1);
constexpr std::array<std::string_view, 6> kBackendNames = {"auto",   "bpf",    "hybrid",
                                                           "notify", "ptrace", "off"};
static_assert(kBackendNames.size() == static_cast<std::size_t>(Backend::kOff) + 1);

constexpr std::uint32_t set_of(std::initializer_list<Op> ops) {
  std::uint32_t set = 0;
  for (const Op op : ops) set |= 1u << static_cast<unsigned>(op);
  return set;
}
constexpr bool in(std::uint32_t set, Op op) {
  return (set >> static_cast<unsigned>(op) & 1u) != 0;
}
constexpr std::uint32_t kChanging = set_of(
    {Op::kOpenWrite, Op::kOpenReadWrite, Op::kOpenCreate, Op::kMkdir, Op::kUnlink, Op::kRmdir,
     Op::kRename, Op::kLink, Op::kSymlink, Op::kChmod, Op::kTruncate, Op::kSetTimes, Op::kMount});
constexpr std::uint32_t kLooking =
    set_of({Op::kOpenRead, Op::kStat, Op::kAccess, Op::kReadlink, Op::kList, Op::kOther});
constexpr std::uint32_t kOfEntries = set_of(
    {Op::kReadlink, Op::kMkdir, Op::kUnlink, Op::kRmdir, Op::kRename, Op::kSymlink, Op::kWasLink});
}  // namespace

bool unknown_result(const Record& record) {
  return record.assumed && !record.predicted;
}

bool failed(const Record& record) {
  return record.result < 0 && !unknown_result(record);
}

Outcome outcome_of(const Record& record) {
  if (unknown_result(record)) return Outcome::kUnknown;
  if (record.result >= 0) return Outcome::kDone;
  switch (-record.result) {
    case ENOENT:
    case ENOTDIR:
      return Outcome::kNothingThere;
    case EEXIST:
    case EISDIR:
    case ENOTEMPTY:
      return Outcome::kSomethingThere;
    default:
      return Outcome::kOther;
  }
}

bool changes_something(const Record& record) {
  return may_change(record.op) && !failed(record);
}

bool may_change(Op op) {
  return in(kChanging, op);
}

bool only_looks(Op op) {
  return in(kLooking, op);
}

bool is_plain_look(const Record& record) {
  return only_looks(record.op) && !S_ISLNK(record.mode);
}

bool has_second_path(Op op) {
  return op == Op::kRename || op == Op::kLink;
}

bool keeps_last_link(const Record& record) {
  return record.nofollow || in(kOfEntries, record.op);
}

bool content_open(const Record& record) {
  return record.op == Op::kOpenRead || record.op == Op::kOpenReadWrite;
}

bool asks_for_settings(std::string_view program) {
  static constexpr std::string_view kPrograms[] = {"grep", "egrep", "fgrep",  "rg", "git",
                                                   "find", "fd",    "fdfind", "ls"};
  return std::ranges::find(kPrograms, program) != std::end(kPrograms) ||
         questions::only_prints(program);
}

bool is_setting(std::string_view variable) {
  static constexpr std::string_view kNames[] = {"LANG",
                                                "LANGUAGE",
                                                "LOCPATH",
                                                "POSIXLY_CORRECT",
                                                "RIPGREP_CONFIG_PATH",
                                                "TEST_BLOCK_SIZE",
                                                "HOME",
                                                "XDG_CONFIG_HOME",
                                                "LD_LIBRARY_PATH",
                                                "TZ",
                                                "TERM",
                                                "COLUMNS",
                                                "NO_COLOR",
                                                "BLOCK_SIZE",
                                                "_POSIX2_VERSION",
                                                "TABSIZE",
                                                "QUOTING_STYLE",
                                                "TIME_STYLE",
                                                "LS_COLORS",
                                                "TREE_COLORS",
                                                "JQ_COLORS",
                                                "MAGIC"};
  return std::ranges::find(kNames, variable) != std::end(kNames) || variable.starts_with("LC_") ||
         variable.starts_with("GIT_") || variable.starts_with("GREP_");
}

bool was_there(const Record& record) {
  if (record.mode != 0) return true;
  if (unknown_result(record)) return false;
  switch (record.op) {
    case Op::kOpenCreate:
    case Op::kMkdir:
    case Op::kSymlink:
      return record.result == -EEXIST;
    case Op::kReadlink:
      return record.result >= 0 || record.result == -EINVAL;  // there, and no link
    default:
      return record.result >= 0;
  }
}

std::string_view op_name(Op op) {
  const auto index = static_cast<std::size_t>(op);
  return index < kOpNames.size() ? kOpNames[index] : "?";
}

std::string_view backend_name(Backend backend) {
  const auto index = static_cast<std::size_t>(backend);
  return index < kBackendNames.size() ? kBackendNames[index] : "?";
}

Result<Backend> backend_from_name(std::string_view name) {
  const auto at = std::ranges::find(kBackendNames, name);
  if (at != kBackendNames.end()) return static_cast<Backend>(at - kBackendNames.begin());
  return fail(Code::kUsage, "no trace back end is called '" + std::string(name) + "'",
              "use --trace auto, bpf, hybrid, notify, ptrace or off");
}

}  // namespace gittxn::capture
