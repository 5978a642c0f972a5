#include "mcp/server.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <deque>
#include <optional>
#include <utility>

#include "base/files/dir_watch.h"
#include "base/fs.h"
#include "base/json.h"
#include "mcp/message.h"
#include "mcp/session.h"

namespace gittxn::mcp {

namespace {

constexpr std::size_t kMaxQueued = 256;  // more stays in the pipe, and the client waits

// Splits the input into messages. A line that is too long is dropped as it comes.
class Input {
 public:
  explicit Input(int fd) : fd_(fd) {}

  bool ended() const { return ended_; }
  // One read(2); call when poll says there is something.
  Status fill(std::deque<Message>& queue) {
    std::array<char, 1 << 16> buffer;
    const ssize_t got = ::read(fd_, buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return {};
    if (got < 0) return fail_errno(errno, "reading standard input");
    std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
    if (got == 0) {
      ended_ = true;
      if (!held_.empty() || dropping_) line(queue);  // a last line without an end
      return {};
    }
    while (!bytes.empty()) {
      const std::size_t end = std::min(bytes.find('\n'), bytes.size());
      dropping_ = dropping_ || held_.size() + end > kMaxLine;
      if (dropping_) {
        held_.clear();
      } else {
        held_ += bytes.substr(0, end);
      }
      if (end < bytes.size()) line(queue);
      bytes.remove_prefix(std::min(end + 1, bytes.size()));
    }
    return {};
  }

 private:
  void line(std::deque<Message>& queue) {
    if (dropping_) {
      queue.push_back(oversized_message());
    } else if (held_.find_first_not_of(" \t\r") != std::string::npos) {
      queue.push_back(parse_message(held_));
    }
    held_.clear();
    dropping_ = false;
  }

  int fd_;
  std::string held_;
  bool dropping_ = false;
  bool ended_ = false;
};

class Server {
 public:
  Server(api::TreeTools& tools, const ServerOptions& options)
      : options_(options), tools_(tools), session_(tools, options.version), input_(options.in) {
    // Without a watch that is left a brief is told with the next answer only.
    if (auto watch = DirWatch::open(tools.observed())) watch_ = *std::move(watch);
  }

  Status run() {
    while (!gone_ && !interrupted()) {
      if (queue_.empty()) {
        if (input_.ended()) break;
        TRY(wait(-1));
        continue;
      }
      const Message message = std::move(queue_.front());
      queue_.pop_front();
      const auto stop = [&] { return cancelled(message.id); };
      if (message.kind == Message::Kind::kRequest && stop()) continue;
      TRY(send(session_.answer(message, stop)));
    }
    return {};
  }

 private:
  bool interrupted() const { return options_.interrupted && options_.interrupted(); }

  // Takes what has come, after at most `timeout_ms` (-1: until something does).
  Status wait(int timeout_ms) {
    const bool full = queue_.size() >= kMaxQueued || input_.ended();
    std::array<pollfd, 2> fds{
        {{full ? -1 : options_.in, POLLIN, 0}, {watch_ ? watch_->fd() : -1, POLLIN, 0}}};
    const int ready = ::poll(fds.data(), fds.size(), timeout_ms);
    if (ready < 0 && errno != EINTR) return fail_errno(errno, "waiting for standard input");
    if (ready <= 0) return {};
    if (fds[1].revents != 0) {
      TRY(watch_->wait(0));
      const api::TreeTools::News news = tools_.news();
      if (news.number > told_) {
        told_ = news.number;
        TRY(send(session_.news_line(news)));
      }
    }
    if (fds[0].revents != 0) TRY(input_.fill(queue_));
    return {};
  }

  // Whether a request that is worked on, or waits, is wanted no more.
  bool cancelled(const std::string& id) {
    if (gone_ || interrupted() || !wait(0)) return true;
    for (const Message& message : queue_) {
      if (message.kind != Message::Kind::kNotification) continue;
      if (message.method != "notifications/cancelled") continue;
      const Json* named = message.params->find("requestId");
      if (named != nullptr && dump_json(*named) == id) return true;
    }
    return false;
  }

  Status send(std::string line) {
    if (line.empty() || gone_) return {};
    const auto written = write_all(options_.out, line += '\n');
    if (!written) {
      gone_ = true;  // nobody reads; what was served is recorded
      if (errno != EPIPE) return written;
    }
    return {};
  }

  const ServerOptions& options_;
  api::TreeTools& tools_;
  Session session_;
  Input input_;
  std::optional<DirWatch> watch_;  // of the directory of observations
  std::deque<Message> queue_;
  int told_ = 0;  // number of the last brief
  bool gone_ = false;
};

}  // namespace

Status serve(api::TreeTools& tools, const ServerOptions& options) {
  return Server(tools, options).run();
}

}  // namespace gittxn::mcp
