#include "base/files/dir_watch.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

namespace gittxn {

Result<DirWatch> DirWatch::open(const std::string& dir) {
  DirWatch watch;
  watch.fd_ = UniqueFd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!watch.fd_.valid()) {
    return fail(Code::kUnsupported, fmt::format("watching '{}': no inotify instance is left", dir));
  }
  const std::uint32_t what = IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_ONLYDIR;
  if (::inotify_add_watch(watch.fd_.get(), dir.c_str(), what) < 0) {
    if (errno == ENOENT || errno == EACCES) return fail_errno(errno, "watching '" + dir + "'");
    return fail(Code::kUnsupported, fmt::format("watching '{}': no inotify watch is left", dir));
  }
  return watch;
}

Status DirWatch::wait(std::int64_t ms) {
  struct pollfd one{fd_.get(), POLLIN, 0};
  const std::int64_t most = std::numeric_limits<int>::max();
  const int ready = ::poll(&one, 1, static_cast<int>(std::clamp<std::int64_t>(ms, 0, most)));
  if (ready < 0 && errno != EINTR) return fail_errno(errno, "waiting for a change");
  if (ready <= 0) return {};
  std::array<char, 4096> events{};
  while (::read(fd_.get(), events.data(), events.size()) > 0) {
  }
  return {};
}

}  // namespace gittxn
