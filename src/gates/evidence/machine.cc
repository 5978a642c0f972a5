#include "gates/evidence/machine.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "base/fs.h"
#include "base/if_there.h"
#include "base/text.h"

namespace gittxn::gates {
namespace {

constexpr std::string_view kControlGroups = "/sys/fs/cgroup";
constexpr std::size_t kMostOfProc = 1u << 16;

// The line of a file in /proc that begins with a name, without it.
Result<std::string> value_in(const std::string& file, std::string_view name) {
  const std::string text = TRY(read_file(file, kMostOfProc));
  for (const std::string_view line : lines_of(text)) {
    if (line.starts_with(name)) return std::string(trimmed(line.substr(name.size())));
  }
  return std::string();
}

// The limits of the control group of this process and of those above it: a program sizes itself by
// the lowest.
Result<std::string> limits() {
  std::string group = TRY(value_in("/proc/self/cgroup", "0::"));
  std::string text;
  while (true) {
    for (const char* limit : {"cpu.max", "memory.max"}) {
      const std::string file = join_path(std::string(kControlGroups) + group, limit);
      const auto value = TRY(unless(Code::kNotFound, read_file(file, kMostOfProc)));
      if (value && !value->starts_with("max")) text += fmt::format("{} ", trimmed(*value));
    }
    if (group.size() < 2) return text;
    group = parent_dir(group);
  }
}

}  // namespace

Result<int> processors() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return fail_errno(errno, "sched_getaffinity");
  return CPU_COUNT(&set);
}

Result<std::string> machine_text() {
  utsname name{};
  if (::uname(&name) != 0) return fail_errno(errno, "uname");
  return fmt::format("{} {} {}, {} processors, limits {}, user {}:{}, umask {}",
                     std::string_view(name.nodename), std::string_view(name.release),
                     std::string_view(name.machine), TRY(processors()), TRY(limits()), ::geteuid(),
                     ::getegid(), TRY(value_in("/proc/self/status", "Umask:")));
}

Result<std::string> checkout_text(const repo::Repository& repository) {
  std::string text;
  for (const char* key : {"core.autocrlf", "core.eol", "core.symlinks", "core.attributesfile"}) {
    if (const auto value = TRY(repository.config().get(key))) {
      text += fmt::format("{}={}\n", key, *value);
    }
  }
  for (const repo::ConfigEntry& entry : TRY(repository.config().below("filter."))) {
    text += fmt::format("{}={}\n", entry.key, entry.value);
  }
  return text;
}

Result<std::vector<std::string>> outside_attributes(const repo::Repository& repository) {
  return std::vector{join_path(repository.place().common_dir, "info/attributes"),
                     std::string("/etc/gitattributes"), TRY(repository.config().attributes_file())};
}

}  // namespace gittxn::gates
