// What back ends and operations are called, as people type and read them; which operations change
// something.
#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <string>

#include "capture/trace/trace.h"

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
}  // namespace

bool changes_something(const Record& record) {
  switch (record.op) {
    case Op::kOpenWrite:
    case Op::kOpenReadWrite:
    case Op::kOpenCreate:
    case Op::kMkdir:
    case Op::kUnlink:
    case Op::kRmdir:
    case Op::kRename:
    case Op::kLink:
    case Op::kSymlink:
    case Op::kChmod:
    case Op::kTruncate:
    case Op::kSetTimes:
    case Op::kMount:
      // A call that certainly failed changed nothing.
      return record.result >= 0 || (record.assumed && !record.predicted);
    default:
      return false;
  }
}

bool asks_for_settings(std::string_view program) {
  static constexpr std::string_view kPrograms[] = {"grep", "egrep", "fgrep",  "rg", "git",
                                                   "find", "fd",    "fdfind", "ls"};
  return std::ranges::find(kPrograms, program) != std::end(kPrograms);
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
                                                "LD_LIBRARY_PATH"};
  return std::ranges::find(kNames, variable) != std::end(kNames) || variable.starts_with("LC_") ||
         variable.starts_with("GIT_") || variable.starts_with("GREP_");
}

bool was_there(const Record& record) {
  if (record.mode != 0) return true;
  if (record.assumed && !record.predicted) return false;
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
