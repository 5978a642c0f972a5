// The monitor's main thread: signals, clock, caller, and the end of the tree.
#include "capture/trace/monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/bug.h"
#include "base/clock.h"
#include "capture/trace/confine/fence.h"
#include "capture/trace/launch.h"
#include "capture/trace/preload_file.h"
#include "capture/trace/process_tree.h"
#include "capture/trace/record_file.h"
#include "capture/trace/tracer.h"

namespace gittxn::capture {

namespace {

constexpr std::int64_t kShowEveryMs = 200;  // for whoever reads the records while they grow
constexpr std::int64_t kLookAgainMs = 5;    // at a tree that is being ended
constexpr std::int64_t kNewcomersMs = 200;  // between looks for what a tree that ends has started
constexpr std::size_t kMaxNamed = 64;       // processes named in left_running

enum class Ending { kExited, kTimeout, kInterrupted, kOrphaned, kBroken };

class Monitor {
 public:
  explicit Monitor(const MonitorPlan& plan)
      : plan_(plan), spec_(*plan.spec), writer_(plan.record_fd, &clock_) {}
  void run();

 private:
  void look_at_given();
  Status set_up();
  Status start();
  Result<Launched> try_backend(const Launch& launch_plan, Backend backend);
  Ending watch();
  void end_tree(Ending why);
  void keep_tree();
  void report();
  void wait_events(std::int64_t timeout_ms);
  void read_signals();
  void read_caller();
  void reap();
  bool gone();
  bool wait_gone(std::int64_t timeout_ms);
  void interrupt();
  void name_the_rest();
  template <typename... T>
  void tell(Message message, const T&... values);
  std::int64_t now_ms() const { return clock_.monotonic_ns() / 1'000'000; }

  const MonitorPlan& plan_;
  const TraceSpec& spec_;
  SystemClock clock_;
  RecordWriter writer_;
  TreeState tree_;
  std::optional<Record> given_;
  std::unique_ptr<Tracer> tracer_;
  UniqueFd signals_;
  TraceResult result_;
  int interrupts_ = 0;
  bool caller_gone_ = false;
  bool told_to_end_ = false;
};

template <typename... T>
void Monitor::tell(Message message, const T&... values) {
  std::string payload(1, static_cast<char>(message));
  Packer{&payload}(values...);
  // A caller that is gone needs no report.
  static_cast<void>(::send(plan_.caller, payload.data(), payload.size(), MSG_NOSIGNAL));
}

// 0, or why this could not be done. The monitor leads the command's process group, so that the
// terminal tells it of every Ctrl-C it sends there.
Status join_terminal(const MonitorPlan& plan) {
  if (!plan.spec->foreground) {
    if (::setsid() < 0) return fail_errno(errno, "start a session");
    return {};
  }
  if (::setpgid(0, 0) != 0) return fail_errno(errno, "start a process group");
  if (plan.terminal >= 0 && ::tcsetpgrp(plan.terminal, ::getpid()) != 0) {
    return fail_errno(errno, "take the terminal");
  }
  return {};
}

// The file that the command can read through its standard input. Where it is is asked for before
// the command's own mounts are entered.
void Monitor::look_at_given() {
  if (INJECTED_BUG("trace.no_standard_input")) return;
  struct stat info{};
  const int flags = ::fcntl(spec_.stdin_fd, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_WRONLY) return;
  if (::fstat(spec_.stdin_fd, &info) != 0 || !S_ISREG(info.st_mode)) return;
  auto path = read_link(fmt::format("/proc/self/fd/{}", spec_.stdin_fd));
  if (!path || !path->starts_with('/')) return;
  given_ = Record{.op = Op::kOpenRead,
                  .path = *std::move(path),
                  .path2 = std::string(kGiven),
                  .flags = static_cast<std::uint32_t>(flags),
                  .mode = info.st_mode,
                  .dev = info.st_dev,
                  .ino = info.st_ino};
}

Status Monitor::set_up() {
  look_at_given();
  // Before anything else: what the command sees is what we look paths up in.
  if (const int error = enter_namespaces(spec_.enter); error != 0) {
    return fail_errno(error, "enter the mount of the worktree");
  }
  close_other_descriptors({plan_.record_fd, plan_.caller, plan_.terminal, spec_.stdin_fd,
                           spec_.stdout_fd, spec_.stderr_fd});
  sigset_t all{};
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all,
                    nullptr);  // SIGTTOU too: taking the terminal must not stop us
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) return fail_errno(errno, "adopt orphans");
  sigset_t watched{};
  sigemptyset(&watched);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM}) {
    sigaddset(&watched, signal);
    ::signal(signal, SIG_DFL);  // a caller that ignores it would otherwise make us deaf to it
  }
  signals_ = UniqueFd(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals_.valid()) return fail_errno(errno, "wait for signals");
  tree_.wake = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!tree_.wake.valid()) return fail_errno(errno, "make an event counter");
  return join_terminal(plan_);
}

// With the bugs that tests put into the library.
Result<std::unique_ptr<Ring>> make_ring() {
  std::uint32_t bugs = 0;
  if (INJECTED_BUG("preload.drop_when_full")) bugs |= ring::kDropWhenFull;
  if (INJECTED_BUG("preload.parents_number")) bugs |= ring::kKeepNumberAfterFork;
  if (INJECTED_BUG("preload.old_directory")) bugs |= ring::kForgetToAskCwd;
  if (INJECTED_BUG("preload.number_of_a_child")) bugs |= ring::kNumberOfAChild;
  if (INJECTED_BUG("preload.kept_descriptors")) bugs |= ring::kKeepDescriptors;
  return Ring::create(bugs);
}

Result<Launched> Monitor::try_backend(const Launch& launch_plan, Backend backend) {
  if (backend == Backend::kBpf) TRY(may_use_bpf());
  Preloaded preloaded;
  if (backend == Backend::kHybrid) {
    preloaded.ring = TRY(make_ring());
    preloaded.library = preload_path(spec_.record_file);
    TRY(write_preload(preloaded.library, preloaded.ring->config()));
  }
  Launched launched = TRY(launch(launch_plan, backend, preloaded));
  tree_.root = launched.pid;
  if (backend == Backend::kBpf) {
    tracer_ = make_bpf_tracer(&tree_, &writer_, spec_.ring_bytes);
  } else if (backend == Backend::kHybrid || backend == Backend::kNotify) {
    tracer_ =
        make_notify_tracer(std::move(launched.listener), &tree_, &writer_, std::move(preloaded));
  } else if (backend == Backend::kPtrace) {
    tracer_ = make_ptrace_tracer(std::move(launched.listener), &tree_, &writer_);
  }
  if (tracer_ == nullptr) return launched;
  const Status started = tracer_->start();
  if (started) return launched;
  tracer_.reset();
  ::kill(launched.pid, SIGKILL);
  ::waitpid(launched.pid, nullptr, 0);
  return std::unexpected(started.error());
}

Status Monitor::start() {
  TRY(set_up());
  const std::string program = plan_.program.empty() ? TRY(find_program(spec_)) : plan_.program;
  Launch launch_plan{&spec_, program, plan_.signal_mask};
  UniqueFd ruleset;
  if (spec_.confine) {
    ruleset = TRY(make_ruleset(*spec_.confine));
    launch_plan.ruleset = ruleset.get();
    if (spec_.confine->mounts) launch_plan.view = plan_view(view_of(*spec_.confine));
  }
  launch_plan.fence = TRY(fence_for(spec_.env));
  if (const std::string name = fence_name(launch_plan.fence); !name.empty()) {
    ::prctl(PR_SET_NAME, name.c_str(), 0, 0, 0);
  }
  std::string refused;
  for (const Backend backend :
       {Backend::kHybrid, Backend::kBpf, Backend::kNotify, Backend::kPtrace, Backend::kOff}) {
    if (spec_.backend != Backend::kAuto && spec_.backend != backend) continue;
    Result<Launched> launched = try_backend(launch_plan, backend);
    if (!launched && launched.error().code == Code::kUnsupported) {
      if (spec_.backend != Backend::kAuto) {
        return fail(Code::kUnsupported,
                    fmt::format("trace back end '{}' does not work here: {}", backend_name(backend),
                                launched.error().message),
                    "use --trace auto, or see what git txn doctor says");
      }
      refused += fmt::format("; {}: {}", backend_name(backend), launched.error().message);
      continue;
    }
    if (!launched) return std::unexpected(launched.error());
    result_.used = backend;
    if (given_) writer_.add(*std::move(given_));
    if (backend == Backend::kOff) {
      writer_.lose(spec_.backend == Backend::kOff ? "the trace is off"
                                                  : "no trace back end works here" + refused);
    }
    return let_go(launch_plan, *launched);
  }
  return fail(Code::kUnsupported, "no trace back end works here" + refused);
}

void Monitor::run() {
  if (const Status started = start(); !started) {
    writer_.lose("the command did not start");
    kill_descendants({}, [this] { reap(); });
    const Error& error = started.error();
    tell(Message::kFailed, error.code, error.message, error.hint, error.where);
    return;
  }
  tell(Message::kStarted);
  // The command's ends of pipes must be the last ones: a reader waits for their end.
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (int fd = 0; null.valid() && fd < 3; ++fd) ::dup2(null.get(), fd);
  for (const int fd : {spec_.stdin_fd, spec_.stdout_fd, spec_.stderr_fd}) {
    if (fd > 2) ::close(fd);
  }
  const Ending why = watch();
  if (why == Ending::kExited && spec_.keep_running && !wait_gone(spec_.linger_ms))
    return keep_tree();
  end_tree(why);
  if (tracer_ != nullptr) tracer_->stop();
  report();
}

Ending Monitor::watch() {
  const std::int64_t deadline = now_ms() + spec_.timeout_ms;
  while (true) {
    reap();
    if (tree_.root_status != -1) return Ending::kExited;
    if (caller_gone_) return Ending::kOrphaned;
    if (tree_.tracer_failed) return Ending::kBroken;
    if (told_to_end_ || interrupts_ > 1) return Ending::kInterrupted;
    if (tree_.root_stopped.exchange(false) && spec_.foreground) tell(Message::kStopped);
    std::int64_t timeout_ms = kShowEveryMs;
    if (spec_.timeout_ms >= 0) {
      timeout_ms = std::min(timeout_ms, deadline - now_ms());
      if (timeout_ms <= 0) return Ending::kTimeout;
    }
    wait_events(timeout_ms);
    if (tracer_ != nullptr) tracer_->collect();
    writer_.show();
  }
}

void Monitor::end_tree(Ending why) {
  result_.timed_out = why == Ending::kTimeout;
  const bool patient = why != Ending::kOrphaned && why != Ending::kBroken;
  const int interrupts = interrupts_;
  if (INJECTED_BUG("trace.tree_lives_on")) return;
  if (why == Ending::kExited && wait_gone(spec_.linger_ms)) return;
  if (why == Ending::kExited) name_the_rest();
  if (patient) {
    const std::int64_t deadline = now_ms() + spec_.grace_ms;
    std::set<pid_t> told;  // a second SIGTERM often means: do not clean up
    while (!gone() && !caller_gone_ && interrupts_ == interrupts && now_ms() < deadline) {
      for (const pid_t pid : descendants(::getpid())) {
        if (told.insert(pid).second) ::kill(pid, SIGTERM);
        ::kill(pid, SIGCONT);
      }
      if (wait_gone(std::min(kNewcomersMs, deadline - now_ms()))) return;
    }
  }
  if (!kill_descendants({}, [this] { wait_gone(kLookAgainMs); })) {
    name_the_rest();
    writer_.lose("a process of the command does not die");
  }
}

// The listener would take every path call of what is left down with it, so the monitor stays as
// long as they do, without a caller and without recording.
void Monitor::keep_tree() {
  name_the_rest();
  writer_.lose("processes were left running");
  report();
  caller_gone_ = true;
  while (!gone()) wait_events(-1);
  if (tracer_ != nullptr) tracer_->stop();
}

void Monitor::report() {
  const int status = tree_.root_status;
  result_.exit_status = status != -1 ? exit_status_of(status) : 128 + SIGKILL;
  read_signals();  // a Ctrl-C that ended the command has reached us with it
  result_.interrupted = interrupts_ > 0 || told_to_end_;
  writer_.finish();
  result_.lost = writer_.lost();
  tell(Message::kDone, result_.used, result_.exit_status, result_.timed_out, result_.interrupted,
       result_.lost, result_.left_running);
}

void Monitor::wait_events(std::int64_t timeout_ms) {
  std::array<pollfd, 3> fds = {pollfd{signals_.get(), POLLIN, 0},
                               pollfd{tree_.wake.get(), POLLIN, 0},
                               pollfd{caller_gone_ ? -1 : plan_.caller, POLLIN, 0}};
  const int limit =
      timeout_ms < 0 ? -1 : static_cast<int>(std::min<std::int64_t>(timeout_ms, 1 << 30));
  if (::poll(fds.data(), fds.size(), limit) <= 0) return;
  if (fds[0].revents != 0) read_signals();
  if (fds[1].revents != 0) {
    std::uint64_t count = 0;
    static_cast<void>(::read(tree_.wake.get(), &count, sizeof count) == sizeof count);
  }
  if (fds[2].revents != 0) read_caller();
}

void Monitor::read_signals() {
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
    // Our own SIGINT to the group comes back to us.
    if (info.ssi_signo == SIGINT && info.ssi_pid != static_cast<std::uint32_t>(::getpid())) {
      ++interrupts_;
    }
    if (info.ssi_signo == SIGTERM) told_to_end_ = true;
  }
}

void Monitor::read_caller() {
  char message = 0;
  const ssize_t got = ::recv(plan_.caller, &message, 1, MSG_DONTWAIT);
  if (got == 1 && message == static_cast<char>(Message::kInterrupt)) return interrupt();
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  caller_gone_ = true;
}

void Monitor::interrupt() {
  if (++interrupts_ > 1) return;
  ::kill(0, SIGINT);
  if (::getpgid(tree_.root) != ::getpgrp()) ::kill(tree_.root, SIGINT);
}

void Monitor::reap() {
  if (result_.used == Backend::kPtrace) return;  // its thread does
  while (true) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED);
    if (pid < 0 && errno == ECHILD) tree_.empty = true;
    if (pid <= 0) return;
    if (tracer_ != nullptr && !WIFSTOPPED(status)) tracer_->reaped(pid, status);
    if (pid != tree_.root) continue;
    if (WIFSTOPPED(status))
      tree_.root_stopped = true;
    else
      tree_.root_status = status;
  }
}

bool Monitor::gone() {
  reap();
  return tree_.empty;
}

bool Monitor::wait_gone(std::int64_t timeout_ms) {
  const std::int64_t deadline = now_ms() + timeout_ms;
  const bool had_caller = !caller_gone_;
  while (!gone()) {
    const std::int64_t left = deadline - now_ms();
    if (left <= 0 || (had_caller && caller_gone_)) return false;
    wait_events(left);
  }
  return true;
}

void Monitor::name_the_rest() {
  for (const pid_t pid : descendants(::getpid())) {
    if (result_.left_running.size() < kMaxNamed) result_.left_running.push_back(command_line(pid));
  }
}

}  // namespace

void run_monitor(const MonitorPlan& plan) {
  {
    // Big, and never on the stack of a small thread.
    const auto monitor = std::make_unique<Monitor>(plan);
    monitor->run();
  }
  ::_exit(0);
}

}  // namespace gittxn::capture
