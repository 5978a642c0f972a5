// Children through vfork and exec.
//
// vfork shares the parent's memory until exec, so a child costs the same however much of it there
// is; fork would copy the tables of all pages, and each page that either writes afterwards. All
// that allocates happens before, and until exec the child calls only functions that are safe there
// and writes to nothing but its own stack. Signals are blocked around it: a handler of the parent's
// would otherwise run in the child, on the parent's memory. A failed exec is told to the parent
// through a close-on-exec pipe, so "no such program" is an error and not an exit status of 127. The
// child's stdin is a memory file: a child that does not read it all can neither block us nor send
// us SIGPIPE.
//
// If we die, the child is killed (PR_SET_PDEATHSIG); its own children may live on.
#include "base/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/clock.h"
#include "base/text.h"

namespace gittxn {

namespace {

constexpr std::int64_t kTermGraceMs = 2000;  // between SIGTERM and SIGKILL
constexpr std::int64_t kDrainMs = 500;       // for output still held open by the child's children
constexpr int kPollWithoutPidfdMs = 10;

enum Step : int { kChdir = 1, kStdio = 2, kExec = 3 };
struct ChildFailure {
  int step;
  int error;
};

// Everything the child needs, made before fork.
struct Plan {
  std::string program;
  std::string cwd;
  std::vector<char*> argv;
  std::vector<std::string> env_text;
  std::vector<char*> envp;
  std::vector<int> keep;
  UniqueFd in, out_write, err_write, report_write;
  pid_t parent = 0;
};

struct Pipe {
  UniqueFd read, write;
};

// A descriptor above stderr, so that the child's dup2 calls cannot overwrite one another.
Result<UniqueFd> above_stderr(int fd) {
  UniqueFd low(fd);
  if (fd < 0) return fail_errno(errno, "open a descriptor");
  if (fd > STDERR_FILENO) return low;
  UniqueFd high(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!high.valid()) return fail_errno(errno, "duplicate a descriptor");
  return high;
}

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "make a pipe");
  UniqueFd read(ends[0]);
  UniqueFd write(ends[1]);
  Pipe pipe;
  pipe.read = TRY(above_stderr(read.release()));
  pipe.write = TRY(above_stderr(write.release()));
  return pipe;
}

Result<UniqueFd> open_input(const std::string& input) {
  if (input.empty()) return above_stderr(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  UniqueFd fd = TRY(above_stderr(::memfd_create("input", MFD_CLOEXEC)));
  TRY_IN("storing a program's input", write_all(fd.get(), input));
  if (::lseek(fd.get(), 0, SEEK_SET) != 0) return fail_errno(errno, "rewind a program's input");
  return fd;
}

bool is_program(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

// argv[0] with a slash stands (relative to cwd); else the first program in PATH. Empty elements of
// PATH, which would mean the current directory, are passed over.
Result<std::string> find_program(const Command& command) {
  const std::string& name = command.argv[0];
  if (name.find('/') != name.npos) return name;
  const auto it = command.env.find("PATH");
  const std::string_view path =
      it == command.env.end() ? "/usr/local/bin:/usr/bin:/bin" : std::string_view(it->second);
  for (const std::string_view dir : pieces_of(path, ':')) {
    if (dir.empty()) continue;
    std::string candidate = join_path(dir, name);
    if (is_program(join_path(command.cwd, candidate))) return candidate;
  }
  return fail(Code::kNotFound, "there is no program '" + name + "' in PATH",
              "install it or give its full path");
}

Result<Plan> make_plan(const Command& command) {
  if (command.argv.empty() || command.argv[0].empty()) {
    return fail(Code::kUsage, "no program to run was given");
  }
  Plan plan;
  plan.program = TRY(find_program(command));
  plan.cwd = command.cwd;
  plan.parent = ::getpid();
  for (const std::string& word : command.argv) plan.argv.push_back(const_cast<char*>(word.c_str()));
  plan.argv.push_back(nullptr);
  for (const auto& [name, value] : command.env) plan.env_text.push_back(name + "=" + value);
  for (std::string& text : plan.env_text) plan.envp.push_back(text.data());
  plan.envp.push_back(nullptr);
  return plan;
}

void reset_signals() {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &action, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void give_up(const Plan& plan, Step step) {
  const ChildFailure failure{step, errno};
  // If even this fails the parent sees exit status 127.
  [[maybe_unused]] const ssize_t put = ::write(plan.report_write.get(), &failure, sizeof failure);
  ::_exit(127);
}

[[noreturn]] void child_main(const Plan& plan) {
  close_other_descriptors(plan.keep);
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(127);  // it died before the line above
  reset_signals();
  if (::dup2(plan.in.get(), STDIN_FILENO) < 0 || ::dup2(plan.out_write.get(), STDOUT_FILENO) < 0 ||
      ::dup2(plan.err_write.get(), STDERR_FILENO) < 0) {
    give_up(plan, kStdio);
  }
  if (!plan.cwd.empty() && ::chdir(plan.cwd.c_str()) != 0) give_up(plan, kChdir);
  ::execve(plan.program.c_str(), plan.argv.data(), plan.envp.data());
  give_up(plan, kExec);
}

// The child's id, or -1 with errno.
pid_t start(const Plan& plan) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::vfork();  // NOLINT(bugprone-unsafe-functions): see above
  if (pid == 0) child_main(plan);
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

// A running child: reads its output, keeps its deadline, reaps it.
class Child {
 public:
  Child(const Command& command, pid_t pid, UniqueFd out, UniqueFd err)
      : command_(command), pid_(pid) {
    streams_[0] = {std::move(out), STDOUT_FILENO, &output_.out};
    streams_[1] = {std::move(err), STDERR_FILENO, &output_.err};
    pidfd_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (command.timeout_ms >= 0) deadline_ns_ = now_ns() + command.timeout_ms * kNsPerMs;
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {  // only on an error path, or when on_output threw: leave nothing behind
    if (reaped_) return;
    signal_group(SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  Result<Output> finish() {
    while (!done()) {
      TRY(poll_once());
      keep_deadline();
      TRY(try_reap());
    }
    return std::move(output_);
  }

 private:
  struct Stream {
    UniqueFd fd;
    int number = 0;
    std::string* collected = nullptr;
  };

  static std::int64_t now_ns() { return SystemClock().monotonic_ns(); }
  bool open_streams() const { return streams_[0].fd.valid() || streams_[1].fd.valid(); }
  bool done() const { return reaped_ && (!open_streams() || now_ns() >= drain_end_ns_); }
  void signal_group(int number) { ::kill(-pid_, number); }

  int wait_ms() const {
    std::int64_t end_ns = -1;
    if (reaped_) {
      end_ns = drain_end_ns_;
    } else if (deadline_ns_ >= 0) {
      end_ns = deadline_ns_;
    }
    std::int64_t wait =
        end_ns < 0 ? -1 : std::max<std::int64_t>(0, (end_ns - now_ns()) / kNsPerMs + 1);
    if (!pidfd_.valid() && !reaped_)
      wait = wait < 0 ? kPollWithoutPidfdMs : std::min<std::int64_t>(wait, kPollWithoutPidfdMs);
    return static_cast<int>(std::min<std::int64_t>(wait, 60'000));
  }

  Status poll_once() {
    std::array<pollfd, 3> polls{};
    for (std::size_t i = 0; i < 2; ++i) polls[i] = {streams_[i].fd.get(), POLLIN, 0};
    polls[2] = {reaped_ ? -1 : pidfd_.get(), POLLIN, 0};
    if (::poll(polls.data(), polls.size(), wait_ms()) < 0 && errno != EINTR) {
      return fail_errno(errno, "wait for '" + command_.argv[0] + "'");
    }
    for (std::size_t i = 0; i < 2; ++i) {
      if (polls[i].revents != 0) TRY(take(&streams_[i]));
    }
    return {};
  }

  Status take(Stream* stream) {
    std::array<char, 1 << 16> buffer;
    const ssize_t got = ::read(stream->fd.get(), buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return {};
    if (got < 0) return fail_errno(errno, "read output of '" + command_.argv[0] + "'");
    if (got == 0) {
      stream->fd.reset();
      return {};
    }
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
    if (command_.on_output) {
      command_.on_output(stream->number, bytes);
      return {};
    }
    collected_ += bytes.size();
    if (collected_ > command_.max_output) {
      return fail(Code::kFault, "'" + command_.argv[0] + "' wrote more than " +
                                    std::to_string(command_.max_output) + " bytes and was stopped");
    }
    stream->collected->append(bytes);
    return {};
  }

  void keep_deadline() {
    if (reaped_ || deadline_ns_ < 0 || now_ns() < deadline_ns_) return;
    signal_group(output_.exit.timed_out ? SIGKILL : SIGTERM);
    output_.exit.timed_out = true;
    deadline_ns_ = now_ns() + kTermGraceMs * kNsPerMs;
  }

  Status try_reap() {
    if (reaped_) return {};
    int status = 0;
    const pid_t got = ::waitpid(pid_, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR)) return {};
    if (got < 0) {
      reaped_ = true;
      return fail_errno(errno, "wait for '" + command_.argv[0] + "'");
    }
    reaped_ = true;
    drain_end_ns_ = now_ns() + kDrainMs * kNsPerMs;
    // After a time-out nothing of the group may live on, not even what ignored SIGTERM.
    if (output_.exit.timed_out) signal_group(SIGKILL);
    output_.exit.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return {};
  }

  const Command& command_;
  pid_t pid_;
  UniqueFd pidfd_;
  std::array<Stream, 2> streams_;
  std::size_t collected_ = 0;
  std::int64_t deadline_ns_ = -1;
  std::int64_t drain_end_ns_ = 0;
  bool reaped_ = false;
  Output output_;
};

Status explain(const Command& command, const ChildFailure& failure) {
  if (failure.step == kChdir) return fail_errno(failure.error, "enter '" + command.cwd + "'");
  if (failure.step == kStdio) return fail_errno(failure.error, "set up a child's descriptors");
  if (failure.error == ENOEXEC) {
    return fail(Code::kFault, "'" + command.argv[0] + "' is not a program",
                "a script must start with #! and its interpreter");
  }
  return fail_errno(failure.error, "run '" + command.argv[0] + "'");
}

}  // namespace

Environment environment_from(char** envp) {
  Environment env;
  for (; envp != nullptr && *envp != nullptr; ++envp) {
    const std::string_view entry(*envp);
    const std::size_t equals = entry.find('=');
    if (equals == entry.npos || equals == 0) continue;
    env.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return env;
}

Result<Output> run(const Command& command) {
  Plan plan = TRY(make_plan(command));
  plan.in = TRY(open_input(command.input));
  Pipe out = TRY(make_pipe());
  Pipe err = TRY(make_pipe());
  Pipe report = TRY(make_pipe());
  plan.out_write = std::move(out.write);
  plan.err_write = std::move(err.write);
  plan.report_write = std::move(report.write);
  plan.keep = {plan.in.get(), plan.out_write.get(), plan.err_write.get(), plan.report_write.get()};
  const pid_t pid = start(plan);
  if (pid < 0) return fail_errno(errno, "start '" + command.argv[0] + "'");
  ::setpgid(pid, pid);  // in both, whoever comes first; fails harmlessly after exec
  plan.in.reset();
  plan.out_write.reset();
  plan.err_write.reset();
  plan.report_write.reset();
  Child child(command, pid, std::move(out.read), std::move(err.read));
  const std::string told = TRY(read_fd(report.read.get(), sizeof(ChildFailure)));
  if (told.size() == sizeof(ChildFailure)) {
    ChildFailure failure{};
    std::memcpy(&failure, told.data(), sizeof failure);
    TRY(explain(command, failure));
  }
  return child.finish();
}

std::string quote_argv(const std::vector<std::string>& argv) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^";
  std::string line;
  for (const std::string& word : argv) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(kSafe) == word.npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace gittxn
