// A walk over /proc, because a list of children file (PROC_CHILDREN) is not in every kernel.
#include "capture/trace/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"

namespace gittxn::capture {

namespace {

struct ProcessLine {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = 'Z';
};

ProcessLine read_line(int proc, const char* name) {
  ProcessLine line;
  const std::string path = std::string(name) + "/stat";
  const int fd = ::openat(proc, path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return line;
  std::array<char, 512> buffer;
  const ssize_t got = ::read(fd, buffer.data(), buffer.size());
  ::close(fd);
  // "123 (any ) name) S 1 ...": what follows the last parenthesis cannot be forged by the name.
  std::string_view text(buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  const std::size_t close = text.rfind(')');
  if (close == text.npos || text.size() < close + 5) return line;
  line.state = text[close + 2];
  std::from_chars(text.data() + close + 4, text.data() + text.size(), line.parent);
  std::from_chars(name, name + std::strlen(name), line.pid);
  return line;
}

using Children = std::unordered_multimap<pid_t, ProcessLine>;

Children all_processes() {
  Children children;
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), ::closedir);
  while (const dirent* entry = proc == nullptr ? nullptr : ::readdir(proc.get())) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    const ProcessLine line = read_line(::dirfd(proc.get()), entry->d_name);
    if (line.pid != 0) children.emplace(line.parent, line);
  }
  return children;
}

}  // namespace

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> found;
  const Children children = all_processes();
  const auto [first, last] = children.equal_range(parent);
  for (auto it = first; it != last; ++it) found.push_back(it->second.pid);
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
      if (std::ranges::find(spare, it->second.pid) != spare.end()) continue;
      next.push_back(it->second.pid);
      if (it->second.state != 'Z' && it->second.state != 'X') found.push_back(it->second.pid);
    }
    children.erase(first, last);  // a torn walk could show a circle
  }
  return found;
}

int exit_status_of(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

void signal_all(const std::vector<pid_t>& processes, int signal) {
  for (const pid_t pid : processes) ::kill(pid, signal);
}

bool kill_descendants(const KillOptions& options, const std::function<void()>& pump) {
  SystemClock clock;
  const std::int64_t deadline = clock.monotonic_ns() + options.limit_ms * 1'000'000;
  // A zombie's children are found in the next round, under the reaper. Two empty rounds in a row: a
  // process that forked and ended between two reads of the walk is seen by the second.
  for (int empty_rounds = 0; empty_rounds < 2;) {
    const std::vector<pid_t> left = descendants(::getpid(), options.spare);
    signal_all(left, SIGKILL);
    pump();
    empty_rounds = left.empty() ? empty_rounds + 1 : 0;
    if (left.empty()) continue;
    if (clock.monotonic_ns() > deadline) return false;
    clock.sleep_ms(2);
  }
  return true;
}

}  // namespace gittxn::capture
