// The walk reads /proc/PID/stat, which everybody may read of everybody, also where Landlock or
// another user id hides the rest of a process.
#include "base/fence.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>

#include "base/fs.h"
#include "base/text.h"

namespace gittxn {

namespace {

constexpr std::size_t kMaxStat = 4096;
constexpr int kMostAncestors = 4096;  // a torn walk could show a circle

struct Ancestor {
  std::string name;
  pid_t parent = 0;
  unsigned long long started = 0;
};

// "123 (any ) name) S 1 ...": what follows the last parenthesis cannot be forged by the name.
std::optional<Ancestor> process_at(pid_t pid) {
  const auto text = read_file(fmt::format("/proc/{}/stat", pid), kMaxStat);
  if (!text) return std::nullopt;
  const std::size_t open = text->find('(');
  const std::size_t close = text->rfind(')');
  if (open == text->npos || close == text->npos || close < open) return std::nullopt;
  Ancestor found;
  found.name = text->substr(open + 1, close - open - 1);
  std::size_t at = close + 1;
  for (int field = 3; field <= 22 && at != text->npos; ++field) {  // as proc(5) numbers them
    const char* begin = text->data() + at + 1;
    const char* end = text->data() + text->size();
    if (field == 4) std::from_chars(begin, end, found.parent);
    if (field == 22) std::from_chars(begin, end, found.started);
    at = text->find(' ', at + 1);
  }
  return found;
}

}  // namespace

std::string fence_mark() {
  std::string mark;
  while (mark.size() < kMaxFenceMark) {
    errno = 0;
    if (::syscall(SYS_prctl, kFenceAsk, mark.size(), 0, 0, 0) != -1) break;
    if (errno <= kFenceAnswer || errno > kFenceAnswer + 255) break;
    mark.push_back(static_cast<char>(errno - kFenceAnswer));
  }
  return mark;
}

std::vector<std::string> ids_of_mark(std::string_view mark) {
  std::vector<std::string> ids;
  for (const std::string_view id : pieces_of(mark, ' ')) {
    if (!id.empty()) ids.emplace_back(id);
  }
  return ids;
}

std::vector<std::string> ids_of_ancestors() {
  std::vector<std::string> ids;
  constexpr std::string_view kBeforeId = kFenceName.substr(0, kFenceName.size() - 2);
  auto here = process_at(::getpid());
  for (int n = 0; here && here->parent > 0 && n < kMostAncestors; ++n) {
    auto above = process_at(here->parent);
    // A number that was given out again meanwhile: its process is younger than its child.
    if (!above || above->started > here->started) break;
    if (above->name.starts_with(kFenceName)) ids.push_back(above->name.substr(kBeforeId.size()));
    here = std::move(above);
  }
  return ids;
}

}  // namespace gittxn
