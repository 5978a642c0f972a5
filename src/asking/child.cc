// Nothing here has to be undone: what the first process makes lives in its namespaces, and what it
// writes is in the asking's own directory.
#include "asking/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/fs.h"
#include "base/subprocess.h"
#include "capture/trace/record_file.h"

namespace gittxn::asking {
namespace {

constexpr std::int64_t kGraceMs = 200;  // for what an asking leaves behind to end by itself

// --- the report ---

std::string packed(const Result<Ran>& ran) {
  std::string text;
  capture::Packer put(&text);
  put.byte(ran ? 1 : 0);
  if (!ran) {
    const Error& error = ran.error();
    put(error.code, error.message, error.hint, error.where);
    return text;
  }
  const capture::TraceResult& trace = ran->trace;
  put(trace.used, trace.exit_status, trace.timed_out, trace.lost, trace.left_running,
      ran->wanted.hidden, ran->wanted.reached, ran->wanted.led_from, ran->wanted.led_to);
  return text;
}

[[noreturn]] void tell(int report, const Result<Ran>& ran) {
  // A caller that is gone needs no report.
  ::_exit(write_all(report, packed(ran)) ? 0 : 1);
}

// --- the first process ---

Environment environment_of(const AskSpec& spec) {
  Environment env = spec.env;
  env.try_emplace("TMPDIR", "/tmp");
  env.try_emplace("TZ", "UTC");
  const bool has_locale = env.contains("LANG") || std::ranges::any_of(env, [](const auto& one) {
                            return one.first.starts_with("LC_");
                          });
  if (!has_locale) env.emplace("LC_ALL", "C.UTF-8");
  return env;
}

Result<UniqueFd> open_input(const ChildPlan& plan) {
  const std::string& input = plan.spec->input;
  if (input.empty()) return open_fd("/dev/null", O_RDONLY);
  const std::string path = join_path(plan.places.at, input);
  UniqueFd fd = TRY_IN("standard input", open_fd(path, O_RDONLY | O_NOCTTY | O_NONBLOCK));
  struct stat info{};
  if (::fstat(fd.get(), &info) == 0 && S_ISREG(info.st_mode)) return fd;
  return fail(Code::kUsage, fmt::format("'{}' is no file to be standard input", path));
}

Result<Ran> run_inside(const ChildPlan& plan) {
  TRY(mount_places(plan.places));
  if (::chdir("/") != 0) return fail_errno(errno, "enter /");
  const UniqueFd input = TRY(open_input(plan));
  capture::TraceSpec trace;
  trace.argv = plan.spec->argv;
  trace.program = plan.spec->program;
  trace.cwd = plan.places.cwd;
  trace.env = environment_of(*plan.spec);
  trace.record_file = join_path(kRecordsInside, "records");
  trace.confine = confine_to(plan.places, plan.spec->confine);
  trace.backend = plan.spec->trace;
  trace.stdin_fd = input.get();
  trace.stdout_fd = plan.out;
  trace.stderr_fd = plan.err;
  trace.timeout_ms = plan.spec->timeout_ms;
  trace.grace_ms = kGraceMs;
  Ran ran;
  ran.trace = TRY(capture::run_traced(trace));
  auto wanted = find_wanted(trace.record_file, plan.places,
                            plan.spec->follow_links ? Links::kYes : Links::kNo);
  if (wanted) {
    ran.wanted = *std::move(wanted);
  } else if (wanted.error().code != Code::kRefused) {
    return std::unexpected(wanted.error());
  } else if (ran.trace.lost.empty()) {
    ran.trace.lost = wanted.error().message;
  }
  if (ran.trace.left_running.size() > kMostNamed) ran.trace.left_running.resize(kMostNamed);
  return ran;
}

[[noreturn]] void be_first(const ChildPlan& plan) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A warden that died before that line died with the caller, who has the other end of this.
  pollfd caller{plan.report, 0, 0};
  if (::poll(&caller, 1, 0) != 0) ::_exit(1);
  tell(plan.report, run_inside(plan));
}

// --- the warden ---

bool write_map(const char* path, const std::string& text) {
  const auto map = open_fd(path, O_WRONLY);
  return map && write_all(map->get(), text);
}

// Leaves the namespaces of the caller. The machine's administrator needs no namespace of users, so
// that files of others can be read as the original command could. Returns 0 or an errno.
int leave(Network network) {
  const int apart =
      CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | (network == Network::kNone ? CLONE_NEWNET : 0);
  const std::string user = fmt::format("{0} {0} 1", ::geteuid());
  const std::string group = fmt::format("{0} {0} 1", ::getegid());
  if (::unshare(apart) == 0) return 0;
  if (::unshare(apart | CLONE_NEWUSER) != 0) return errno;
  const bool written = write_map("/proc/self/setgroups", "deny") &&
                       write_map("/proc/self/uid_map", user) &&
                       write_map("/proc/self/gid_map", group);
  return written ? 0 : EPERM;
}

pid_t first_process = 0;  // for the handler

void end_first_process(int /*signal*/) {
  ::kill(first_process, SIGKILL);
}

[[noreturn]] void be_warden(const ChildPlan& plan, pid_t caller, const sigset_t& before) {
  close_other_descriptors({plan.report, plan.out, plan.err});
  if (const int error = leave(plan.places.network); error != 0) {
    tell(plan.report,
         fail(Code::kUnsupported,
              fmt::format("this machine gives no namespaces to ask in: {}", std::strerror(error)),
              "run as a user who may have user namespaces, or as the machine's administrator"));
  }
  // Only now, for a change of user would take it back.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != caller) ::_exit(1);
  first_process = ::fork();
  if (first_process < 0) tell(plan.report, fail_errno(errno, "start the first process"));
  if (first_process == 0) {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    be_first(plan);
  }
  for (const int fd : {plan.report, plan.out, plan.err}) ::close(fd);
  ::signal(SIGTERM, end_first_process);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  // Reaped only when nobody can be told to end it any more, so that its number is no other's.
  siginfo_t unused{};
  while (::waitid(P_PID, static_cast<id_t>(first_process), &unused, WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
  ::signal(SIGTERM, SIG_IGN);
  ::waitpid(first_process, nullptr, 0);
  ::_exit(0);
}

}  // namespace

Result<Ran> ran_in(const std::string& report) {
  capture::Unpacker get(report);
  int good = 0;
  get.byte(good);
  Ran ran;
  Error error;
  std::uint64_t code = 0;
  if (good == 1) {
    get(ran.trace.used, ran.trace.exit_status, ran.trace.timed_out, ran.trace.lost,
        ran.trace.left_running, ran.wanted.hidden, ran.wanted.reached, ran.wanted.led_from,
        ran.wanted.led_to);
  } else {
    get(code, error.message, error.hint, error.where);
  }
  const bool paired = ran.wanted.led_from.size() == ran.wanted.led_to.size();
  if (!get.good() || !paired || code > static_cast<std::uint64_t>(Code::kOutcomeUnknown)) {
    return fail(Code::kFault, "the first process of an asking was killed");
  }
  if (good == 1) return ran;
  error.code = static_cast<Code>(code);
  return std::unexpected(std::move(error));
}

Result<pid_t> start_asking(const ChildPlan& plan) {
  const pid_t caller = ::getpid();
  // Until it can pass it on the warden takes no SIGTERM.
  sigset_t term{};
  sigset_t before{};
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &term, &before);
  const pid_t warden = ::fork();
  const int error = errno;
  if (warden == 0) be_warden(plan, caller, before);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (warden < 0) return fail_errno(error, "start an asking");
  return warden;
}

}  // namespace gittxn::asking
