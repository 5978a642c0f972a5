// A walk over /proc, because a list of children file (PROC_CHILDREN) is not in every kernel.
#include "capture/trace/process_tree.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "capture/trace/decode/tracee.h"

namespace gittxn::capture {

namespace {

using Children = std::unordered_multimap<pid_t, std::pair<pid_t, ProcessStat>>;

Children all_processes() {
  Children children;
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), ::closedir);
  while (const dirent* entry = proc == nullptr ? nullptr : ::readdir(proc.get())) {
    pid_t pid = 0;
    std::from_chars(entry->d_name, entry->d_name + std::strlen(entry->d_name), pid);
    const ProcessStat stat = pid > 0 ? process_stat(pid) : ProcessStat{};
    if (stat.state != '\0') children.emplace(stat.parent, std::pair(pid, stat));
  }
  return children;
}

}  // namespace

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> found;
  const Children children = all_processes();
  const auto [first, last] = children.equal_range(parent);
  for (auto it = first; it != last; ++it) found.push_back(it->second.first);
  return found;
}

std::vector<pid_t> descendants(pid_t top, const std::vector<pid_t>& spare) {
  Children children = all_processes();
  std::vector<pid_t> found;
  std::vector<pid_t> next = {top};
  while (!next.empty()) {
    const pid_t parent = next.back();
    next.pop_back();
    const auto [first, last] = children.equal_range(parent);
    for (auto it = first; it != last; ++it) {
      const auto& [pid, stat] = it->second;
      if (std::ranges::find(spare, pid) != spare.end()) continue;
      next.push_back(pid);
      if (stat.state != 'Z' && stat.state != 'X') found.push_back(pid);
    }
    children.erase(first, last);  // a torn walk could show a circle
  }
  return found;
}

int exit_status_of(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

Record exit_record(pid_t process, int wait_status) {
  const bool killed = WIFSIGNALED(wait_status);
  return {.op = Op::kExit,
          .pid = process,
          .result = exit_status_of(wait_status),
          .flags = killed ? static_cast<std::uint32_t>(WTERMSIG(wait_status)) : 0};
}

bool kill_descendants(const std::vector<pid_t>& spare, const std::function<void()>& pump) {
  constexpr std::int64_t kLimitNs = 30'000'000'000;
  SystemClock clock;
  const std::int64_t deadline = clock.monotonic_ns() + kLimitNs;
  // A zombie's children are found in the next round, under the reaper. Two empty rounds in a row: a
  // process that forked and ended between two reads of the walk is seen by the second.
  for (int empty_rounds = 0; empty_rounds < 2;) {
    const std::vector<pid_t> left = descendants(::getpid(), spare);
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    pump();
    empty_rounds = left.empty() ? empty_rounds + 1 : 0;
    if (left.empty()) continue;
    if (clock.monotonic_ns() > deadline) return false;
    clock.sleep_ms(2);
  }
  return true;
}

}  // namespace gittxn::capture
