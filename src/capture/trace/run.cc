// The caller's side: prepares what can fail, forks the monitor, relays Ctrl-C and the terminal, and
// kills the tree itself when the monitor dies.
//
// If we are killed between any two lines the monitor sees our end of the socket close and kills the
// tree; before the fork there is at most an empty record file, which counts as incomplete.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "capture/trace/decode/calls.h"
#include "capture/trace/launch.h"
#include "capture/trace/monitor.h"
#include "capture/trace/preload_file.h"
#include "capture/trace/process_tree.h"
#include "capture/trace/record_file.h"

namespace gittxn::capture {

namespace {

constexpr int kPollMs = 50;
constexpr std::size_t kMaxMessage = 64u << 10;

// Orphans of a monitor that died come to us; restored afterwards.
class Subreaper {
 public:
  Subreaper() {
    ::prctl(PR_GET_CHILD_SUBREAPER, &before_, 0, 0, 0);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  }
  ~Subreaper() { ::prctl(PR_SET_CHILD_SUBREAPER, before_, 0, 0, 0); }
  Subreaper(const Subreaper&) = delete;
  Subreaper& operator=(const Subreaper&) = delete;

 private:
  int before_ = 0;
};

// The terminal, given away and taken back, but never taken from somebody else: a job in the
// background has none to give. A process in the background that changes the foreground group is
// stopped by SIGTTOU unless it blocks that.
class Terminal {
 public:
  explicit Terminal(const TraceSpec& spec) {
    if (!spec.foreground) return;
    fd_ = ::isatty(spec.stdin_fd) ? UniqueFd(::fcntl(spec.stdin_fd, F_DUPFD_CLOEXEC, 3))
                                  : UniqueFd(::open("/dev/tty", O_RDWR | O_CLOEXEC));
    has_modes_ = fd_.valid() && ::tcgetattr(fd_.get(), &modes_) == 0;
  }
  ~Terminal() { take_back(); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  bool is_ours() const { return fd_.valid() && ::tcgetpgrp(fd_.get()) == ::getpgrp(); }
  // What the monitor takes for the command when it starts.
  int for_command() {
    given_ = is_ours();
    return given_ ? fd_.get() : -1;
  }
  void give(pid_t group) {
    set_group(group);
    given_ = true;
  }
  void take_back() {
    if (std::exchange(given_, false)) set_group(::getpgrp());
  }
  // A program that was killed cannot put the modes back itself.
  void restore_modes() {
    take_back();
    if (has_modes_ && is_ours()) ::tcsetattr(fd_.get(), TCSADRAIN, &modes_);
  }

 private:
  void set_group(pid_t group) {
    sigset_t stop{};
    sigset_t before{};
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTOU);
    ::pthread_sigmask(SIG_BLOCK, &stop, &before);
    ::tcsetpgrp(fd_.get(), group);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  UniqueFd fd_;
  termios modes_{};
  bool has_modes_ = false;
  bool given_ = false;
};

struct Session {
  const TraceSpec* spec;
  pid_t monitor;
  int socket;
  Terminal* terminal;
  std::vector<pid_t> others;  // children of ours that have nothing to do with this
};

// A Ctrl-Z stopped the command: the job that the person's shell knows is our own group, so that
// stops too, with the terminal given back; and `fg` goes the other way.
void stop_with_command(const Session& session) {
  session.terminal->take_back();
  ::kill(0, SIGTSTP);
  // Here again after SIGCONT (or at once, where nobody could continue us): from `fg` with the
  // terminal, from `bg` without.
  if (session.terminal->is_ours()) session.terminal->give(session.monitor);
  ::kill(-session.monitor, SIGCONT);
}

Result<TraceResult> monitor_died(const Session& session) {
  ::kill(session.monitor, SIGKILL);  // it may only have lost its mind
  ::waitpid(session.monitor, nullptr, 0);
  const auto reap = [&session] {
    for (const pid_t pid : children_of(::getpid())) {
      const bool other = std::ranges::find(session.others, pid) != session.others.end();
      if (!other) ::waitpid(pid, nullptr, WNOHANG);
    }
  };
  const bool dead = kill_descendants(session.others, reap);
  session.terminal->restore_modes();
  TraceResult result;
  result.exit_status = 128 + SIGKILL;
  result.lost = dead ? "the monitor of the trace was killed"
                     : "the monitor of the trace was killed, and a process does not die";
  return result;
}

Error error_in(std::string_view payload) {
  Error error;
  std::uint64_t code = 0;
  Unpacker{payload}(code, error.message, error.hint, error.where);
  if (code <= static_cast<std::uint64_t>(Code::kOutcomeUnknown)) {
    error.code = static_cast<Code>(code);
  }
  return error;
}

Result<TraceResult> result_in(std::string_view payload) {
  Unpacker in(payload);
  TraceResult result;
  in(result.used, result.exit_status, result.timed_out, result.interrupted, result.lost,
     result.left_running);
  if (!in.good()) return fail(Code::kFault, "the monitor sent a damaged report");
  return result;
}

Result<TraceResult> converse(const Session& session) {
  std::string message(kMaxMessage, '\0');
  int watched = session.spec->on_readable ? session.spec->watch_fd : -1;
  while (true) {
    if (session.spec->interrupted && session.spec->interrupted()) {
      const char interrupt = static_cast<char>(Message::kInterrupt);
      static_cast<void>(::send(session.socket, &interrupt, 1, MSG_NOSIGNAL));
    }
    std::array<pollfd, 2> waiting = {pollfd{session.socket, POLLIN, 0}, pollfd{watched, POLLIN, 0}};
    if (::poll(waiting.data(), waiting.size(), session.spec->interrupted ? kPollMs : -1) <= 0) {
      continue;
    }
    if ((waiting[1].revents & POLLIN) != 0)
      session.spec->on_readable();
    else if (waiting[1].revents != 0)
      watched = -1;
    if (waiting[0].revents == 0) continue;
    const ssize_t got = ::recv(session.socket, message.data(), message.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return monitor_died(session);
    const std::string_view payload(message.data() + 1, static_cast<std::size_t>(got) - 1);
    switch (static_cast<Message>(message[0])) {
      case Message::kFailed:
        return std::unexpected(error_in(payload));
      case Message::kDone:
        return result_in(payload);
      case Message::kStarted:
        if (session.spec->started) session.spec->started();
        break;
      case Message::kStopped:
        stop_with_command(session);
        break;
      case Message::kInterrupt:
        break;
    }
  }
}

Result<TraceResult> fork_monitor(const TraceSpec& spec, MonitorPlan plan) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail_errno(errno, "make a socket pair");
  }
  const UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  const Subreaper subreaper;
  Terminal terminal(spec);
  plan.caller = theirs.get();
  plan.terminal = terminal.for_command();
  ::pthread_sigmask(SIG_SETMASK, nullptr, &plan.signal_mask);
  Session session{&spec, 0, ours.get(), &terminal, {}};
  siginfo_t unused{};
  if (::waitid(P_ALL, 0, &unused, WEXITED | WNOHANG | WNOWAIT) == 0) {  // else no child at all
    session.others = children_of(::getpid());
  }
  session.monitor = ::fork();
  if (session.monitor < 0) return fail_errno(errno, "start the monitor of the trace");
  if (session.monitor == 0) run_monitor(plan);
  theirs.reset();
  Result<TraceResult> result = converse(session);
  if (result && result->exit_status > 128) terminal.restore_modes();
  // With keep_running the monitor lives as long as what it serves.
  ::waitpid(session.monitor, nullptr, spec.keep_running ? WNOHANG : 0);
  return result;
}

}  // namespace

Result<TraceResult> run_into(const TraceSpec& spec, int record_fd) {
  MonitorPlan plan;
  plan.spec = &spec;
  plan.record_fd = record_fd;
  if (spec.enter.mount < 0) plan.program = TRY(find_program(spec));
  if (kNativeArch == 0 && spec.backend != Backend::kOff) {
    return fail(Code::kUnsupported, "this machine's architecture has no system-call trace yet",
                "use --trace off");
  }
  Result<TraceResult> result = fork_monitor(spec, std::move(plan));
  // What is left running may start programs that want the library; it goes with the worktree then,
  // as it does when it cannot be removed now.
  if (!spec.keep_running) static_cast<void>(remove_preload(preload_path(spec.record_file)));
  return result;
}

Result<TraceResult> run_traced(const TraceSpec& spec) {
  // A program that is not there leaves no file behind.
  if (spec.enter.mount < 0) TRY(find_program(spec));
  const UniqueFd records =
      TRY_IN("creating the trace record file",
             open_fd(spec.record_file, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0600));
  return run_into(spec, records.get());
}

}  // namespace gittxn::capture
