// The child's half calls only what is safe between fork and exec, although the monitor that forks
// has one thread.
#include "capture/trace/launch.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/bug.h"
#include "capture/trace/confine/fence.h"
#include "capture/trace/filter.h"
#include "capture/trace/preload_file.h"

namespace gittxn::capture {

namespace {

enum Step : int { kReady, kDirectory, kStdio, kConfine, kFence, kFilter, kExecute };
struct Word {
  int step;
  int error;
};

// Passing one descriptor with a few bytes; false with errno when the other side is gone.
bool send_with_descriptor(int socket, const void* bytes, std::size_t size, int descriptor) {
  iovec io{const_cast<void*>(bytes), size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &io;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  return ::sendmsg(socket, &message, kHandOver) == static_cast<ssize_t>(size);
}

ssize_t receive_with_descriptor(int socket, void* bytes, std::size_t size, UniqueFd* descriptor) {
  iovec io{bytes, size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &io;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  const cmsghdr* header = got >= 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
    *descriptor = UniqueFd(fd);
  }
  return got;
}

// Everything the child needs, made before the fork.
struct ChildPlan {
  const Launch& launch;
  std::vector<char*> argv;
  std::vector<char*> shell_argv;  // for a script without "#!", as execvp does it
  std::vector<std::string> env_text;
  std::vector<char*> envp;
  std::vector<sock_filter> filter;
  std::vector<sock_filter> fence;
  std::optional<ViewPlan> view;
  std::string input;  // with a view: the path of standard input; "" it has none
  int channel;
  pid_t monitor;
};

char* mutable_text(const std::string& text) {
  return const_cast<char*>(text.c_str());
}

ChildPlan make_plan(const Launch& launch, Backend backend, const Preloaded& preloaded,
                    int channel) {
  static const std::string shell = "/bin/sh";
  ChildPlan plan{.launch = launch, .view = launch.view, .channel = channel, .monitor = ::getpid()};
  for (const std::string& word : launch.spec->argv) plan.argv.push_back(mutable_text(word));
  plan.shell_argv = {mutable_text(shell), mutable_text(launch.program)};
  plan.shell_argv.insert(plan.shell_argv.end(), plan.argv.begin() + 1, plan.argv.end());
  plan.argv.push_back(nullptr);
  plan.shell_argv.push_back(nullptr);
  Environment env = launch.spec->env;
  if (backend == Backend::kHybrid) {
    add_preload(preloaded.library, &env);
    plan.filter = make_filter(SECCOMP_RET_USER_NOTIF, preloaded.ring->config().page);
  }
  if (backend == Backend::kNotify) plan.filter = make_filter(SECCOMP_RET_USER_NOTIF);
  if (backend == Backend::kPtrace) plan.filter = make_filter(SECCOMP_RET_TRACE);
  for (const auto& [name, value] : env) plan.env_text.push_back(name + "=" + value);
  for (const std::string& text : plan.env_text) plan.envp.push_back(mutable_text(text));
  plan.envp.push_back(nullptr);
  plan.fence = make_fence(launch.fence, launch.ruleset < 0 ? Typing::kAllowed : Typing::kRefused);
  const auto input = read_link("/proc/self/fd/" + std::to_string(launch.spec->stdin_fd));
  if (plan.view && input && input->starts_with('/')) plan.input = *input;
  return plan;
}

// Not by exit_group, which the filter gives to a tracer that may not be there, and not by exit,
// which ends one thread, while a sanitizer may have started another.
[[noreturn]] void leave() {
  while (true) ::kill(::getpid(), SIGKILL);
}

[[noreturn]] void give_up(const ChildPlan& plan, Step step, int error) {
  const Word word{step, error};
  ::send(plan.channel, &word, sizeof word, MSG_NOSIGNAL);
  leave();
}

// The three may name one another, so each is first moved above them all.
bool set_stdio(const TraceSpec& spec) {
  std::array<int, 3> fds = {spec.stdin_fd, spec.stdout_fd, spec.stderr_fd};
  for (int& fd : fds) {
    fd = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (fd < 0) return false;
  }
  for (int i = 0; i < 3; ++i) {
    if (::dup2(fds[static_cast<std::size_t>(i)], i) < 0) return false;
  }
  return true;
}

// A file that the caller opened as standard input is on a mount where its mode may be changed, and
// where it may be opened for writing by its descriptor. Opened anew it is on a read-only one, as
// everything else is. What has no name any more stays as it is: nobody else has it.
void reopen_input(const ChildPlan& plan) {
  struct stat given{};
  const int flags = ::fcntl(STDIN_FILENO, F_GETFL);
  if (plan.input.empty() || flags < 0 || (flags & O_ACCMODE) != O_RDONLY) return;
  if (::fstat(STDIN_FILENO, &given) != 0) return;
  if (!S_ISREG(given.st_mode) && !S_ISDIR(given.st_mode)) return;
  const int fd = ::open(plan.input.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return;
  struct stat found{};
  const bool same = ::fstat(fd, &found) == 0 && found.st_dev == given.st_dev &&
                    found.st_ino == given.st_ino && !INJECTED_BUG("confine.given_input");
  if (same) {
    ::lseek(fd, ::lseek(STDIN_FILENO, 0, SEEK_CUR), SEEK_SET);
    ::fcntl(fd, F_SETFL, flags);
    ::dup2(fd, STDIN_FILENO);
  }
  ::close(fd);
}

// The mark is left out only where neither a filter of the trace's nor a confinement takes the
// right to gain privileges (sudo) away anyway; then the walk of base/fence.h is what is left.
int put_up_fence(const ChildPlan& plan) {
  if (plan.fence.empty()) return 0;
  const bool unprivileged = !plan.filter.empty() || plan.launch.ruleset >= 0;
  if (unprivileged && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  const int error = install_fence(plan.fence);
  return error == EACCES && !unprivileged ? 0 : error;
}

// 0 or an errno. Privileges go last: both others need them.
int put_up_confinement(ChildPlan& plan) {
  if (plan.launch.ruleset < 0) return 0;
  if (const int error = confine_self(plan.launch.ruleset); error != 0) return error;
  ::close(plan.launch.ruleset);
  return drop_privileges();
}

[[noreturn]] void child(ChildPlan& plan) {
  // The monitor is gone already if it is not our parent any more.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != plan.monitor) leave();
  if (!set_stdio(*plan.launch.spec)) give_up(plan, kStdio, errno);
  close_other_descriptors({plan.channel, plan.launch.ruleset});
  if (plan.view) {
    if (const int error = enter_view(*plan.view); error != 0) give_up(plan, kConfine, error);
    reopen_input(plan);
  }
  if (!plan.launch.spec->cwd.empty() && ::chdir(plan.launch.spec->cwd.c_str()) != 0) {
    give_up(plan, kDirectory, errno);
  }
  if (const int error = put_up_confinement(plan); error != 0) give_up(plan, kConfine, error);
  if (const int error = put_up_fence(plan); error != 0) give_up(plan, kFence, error);
  int listener = -1;
  if (!plan.filter.empty()) {
    listener = install_filter(plan.filter);
    if (listener < 0) give_up(plan, kFilter, -listener);
  }
  const Word ready{kReady, 0};
  if (!send_with_descriptor(plan.channel, &ready, sizeof ready, listener)) leave();
  if (listener >= 0) ::close(listener);
  char go = 0;
  if (::recv(plan.channel, &go, 1, 0) != 1) leave();
  ::signal(SIGPIPE, SIG_DFL);  // a caller that ignores it does so for itself
  ::pthread_sigmask(SIG_SETMASK, &plan.launch.signal_mask, nullptr);
  ::execve(plan.launch.program.c_str(), plan.argv.data(), plan.envp.data());
  if (errno == ENOEXEC) ::execve("/bin/sh", plan.shell_argv.data(), plan.envp.data());
  give_up(plan, kExecute, errno);
}

std::unexpected<Error> failure(const Launch& plan, const Word& word) {
  switch (word.step) {
    case kDirectory:
      return fail_errno(word.error, "enter '" + plan.spec->cwd + "'");
    case kConfine:
      return fail_errno(word.error, "confine the command");
    case kFence:
      return fail_errno(word.error, "mark the command as a part of its transaction");
    case kStdio:
      return fail_errno(word.error, "give the command its input and output");
    case kFilter:
      return fail(
          Code::kUnsupported,
          word.error == EBUSY
              ? std::string("another tracer or sandbox already listens here")
              : std::string("the system call filter is refused: ") + std::strerror(word.error));
    default:
      if (word.error == ENOENT) {
        return fail(Code::kNotFound,
                    "'" + plan.spec->argv[0] + "' cannot start: its interpreter is missing",
                    "look at its first line");
      }
      return fail_errno(word.error, "start '" + plan.spec->argv[0] + "'");
  }
}

bool is_program(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

Result<std::string> find_program(const TraceSpec& spec) {
  if (spec.argv.empty() || spec.argv[0].empty()) {
    return fail(Code::kUsage, "there is no command to run", "give it after --");
  }
  const std::string& name = spec.program.empty() ? spec.argv[0] : spec.program;
  const auto missing = [&name](std::string_view why) {
    return fail(Code::kNotFound, "there is no program '" + name + "'" + std::string(why),
                "check the spelling, or give its path");
  };
  if (name.find('/') != name.npos) {
    const std::string full = join_path(spec.cwd, name);
    if (!TRY(exists(full))) {
      if (name.starts_with('/')) return missing("");
      return fail(Code::kNotFound, "there is no program '" + name + "' in " + spec.cwd,
                  "a relative path is looked for in the worktree, which has no files from outside "
                  "the repository; give an absolute path");
    }
    if (!is_program(full)) {
      return fail(Code::kFault, "'" + name + "' is not an executable file",
                  "chmod +x it, or name the program that runs it");
    }
    return name;
  }
  const auto path = spec.env.find("PATH");
  std::string_view rest = path == spec.env.end() ? std::string_view("/usr/local/bin:/usr/bin:/bin")
                                                 : std::string_view(path->second);
  while (true) {
    const std::size_t colon = rest.find(':');
    const std::string_view directory = rest.substr(0, colon);
    std::string candidate = join_path(directory.empty() ? "." : directory, name);
    if (is_program(join_path(spec.cwd, candidate))) return candidate;
    if (colon == rest.npos) return missing(" in PATH");
    rest.remove_prefix(colon + 1);
  }
}

Result<Launched> launch(const Launch& plan, Backend backend, const Preloaded& preloaded) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail_errno(errno, "make a socket pair");
  }
  Launched launched;
  launched.channel = UniqueFd(ends[0]);
  UniqueFd theirs(ends[1]);
  if (theirs.get() < 3) return fail(Code::kFault, "standard descriptors are closed");
  ChildPlan child_plan = make_plan(plan, backend, preloaded, theirs.get());
  launched.pid = ::fork();
  if (launched.pid < 0) return fail_errno(errno, "start a process");
  if (launched.pid == 0) child(child_plan);
  theirs.reset();
  Word word{kFilter, ECHILD};
  const ssize_t got =
      receive_with_descriptor(launched.channel.get(), &word, sizeof word, &launched.listener);
  const bool ready = got == sizeof word && word.step == kReady;
  if (ready && (child_plan.filter.empty() || launched.listener.valid())) return launched;
  ::kill(launched.pid, SIGKILL);
  ::waitpid(launched.pid, nullptr, 0);
  return failure(plan, ready ? Word{kFilter, EMFILE} : word);
}

Status let_go(const Launch& plan, const Launched& launched) {
  if (::send(launched.channel.get(), "g", 1, MSG_NOSIGNAL) != 1) {
    return fail(Code::kFault, "the command was killed before it started");
  }
  Word word{};
  ssize_t got = 0;
  do {
    got = ::recv(launched.channel.get(), &word, sizeof word, 0);
  } while (got < 0 && errno == EINTR);
  if (got == sizeof word) return failure(plan, word);
  return {};
}

}  // namespace gittxn::capture
