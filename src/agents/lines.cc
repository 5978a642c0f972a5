#include "agents/lines.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/fs.h"

namespace gittxn::agents {

LineSplitter::LineSplitter(std::size_t max_line, OnLine on_line)
    : max_line_(max_line), on_line_(std::move(on_line)) {}

void LineSplitter::line(std::string_view text) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (text.size() > max_line_) {
    ++too_long_;
  } else if (!text.empty()) {
    on_line_(text);
  }
}

void LineSplitter::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    bytes.remove_prefix(end == bytes.npos ? bytes.size() : end + 1);
    if (!dropping_ && held_.size() + part.size() > max_line_ + 1) {  // 1: a '\r'
      ++too_long_;
      dropping_ = true;
      held_ = std::string();
    }
    if (end == std::string_view::npos) {
      if (!dropping_) held_ += part;
      return;
    }
    if (!dropping_ && held_.empty()) {
      line(part);
    } else if (!dropping_) {
      held_ += part;
      line(std::exchange(held_, std::string()));
    }
    dropping_ = false;
  }
}

void LineSplitter::finish() {
  if (!dropping_) line(std::exchange(held_, std::string()));
  dropping_ = false;
}

Status feed_file(const std::string& path, const std::function<bool(std::string_view)>& feed) {
  // Without O_NONBLOCK the open of a pipe waits for a writer.
  const UniqueFd fd = TRY(open_fd(path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  struct stat info = {};
  if (::fstat(fd.get(), &info) != 0) return fail_errno(errno, "fstat '" + path + "'");
  if (!S_ISREG(info.st_mode)) return fail(Code::kUnsupported, "'" + path + "' is not a file");
  std::string chunk(std::size_t{64} << 10, '\0');
  while (true) {
    const ssize_t got = ::read(fd.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, "read '" + path + "'");
    if (got == 0) return {};
    if (!feed(std::string_view(chunk).substr(0, static_cast<std::size_t>(got)))) return {};
  }
}

}  // namespace gittxn::agents
