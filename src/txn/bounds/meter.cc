#include "txn/bounds/meter.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace gittxn::api {

Status OutputMeter::open(capture::TraceSpec& spec) {
  both_ = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
  if (!both_.valid()) return fail_errno(errno, "epoll_create1");
  int* const ends[] = {&spec.stdout_fd, &spec.stderr_fd};
  for (int i = 0; i < 2; ++i) {
    int made[2];
    if (::pipe2(made, O_CLOEXEC) != 0) return fail_errno(errno, "pipe2");
    streams_[i].from = UniqueFd(made[0]);
    streams_[i].command = UniqueFd(made[1]);
    streams_[i].to = *ends[i];
    if (::fcntl(made[0], F_SETFL, O_NONBLOCK) != 0) return fail_errno(errno, "fcntl");
    epoll_event event{};
    event.events = EPOLLIN;
    if (::epoll_ctl(both_.get(), EPOLL_CTL_ADD, made[0], &event) != 0) {
      return fail_errno(errno, "epoll_ctl");
    }
    *ends[i] = made[1];
  }
  spec.watch_fd = both_.get();
  spec.on_readable = [this] { pass(); };
  return {};
}

void OutputMeter::pass(Stream& stream) {
  std::array<char, 65536> buffer;
  while (stream.from.valid()) {
    const ssize_t got = ::read(stream.from.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;  // nothing more now: the other end is ours too
    bytes_ += got;
    const std::string_view said(buffer.data(), static_cast<std::size_t>(got));
    if (write_all(stream.to, said)) continue;
    stream.command.reset();
    stream.from.reset();
  }
}

void OutputMeter::pass() {
  for (Stream& stream : streams_) pass(stream);
}

}  // namespace gittxn::api
