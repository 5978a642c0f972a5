// Which back ends work here, found by running something under each: kernels, containers and
// sandboxes refuse in too many ways to ask about.
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/random.h"
#include "capture/trace/filter.h"
#include "capture/trace/launch.h"
#include "capture/trace/monitor.h"
#include "capture/trace/tracer.h"

namespace gittxn::capture {

namespace {

// Asks in a child whether a filter's listener has the wake-up, because a filter cannot be taken off
// again. The child ends by a signal: exit_group would wait for somebody to look at it, and exit
// ends one thread, while a sanitizer may have started another.
bool has_synchronous_wakeup() {
  const std::vector<sock_filter> filter = make_filter(SECCOMP_RET_USER_NOTIF);
  const UniqueFd found(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  std::uint64_t one = 1;
  const pid_t child = ::fork();
  if (child == 0) {
    const int listener = install_filter(filter);
    const bool has = listener >= 0 && set_synchronous_wakeup(listener);
    if (has) static_cast<void>(::write(found.get(), &one, sizeof one) == sizeof one);
    while (true) ::kill(::getpid(), SIGKILL);
  }
  if (child < 0 || ::waitpid(child, nullptr, 0) != child) return false;
  return ::read(found.get(), &one, sizeof one) == sizeof one;
}

Status try_run(Backend backend) {
  const UniqueFd records(::memfd_create("trace-probe", MFD_CLOEXEC));
  const UniqueFd null = TRY(open_fd("/dev/null", O_RDWR));
  if (!records.valid()) return fail_errno(errno, "make a memory file");
  TraceSpec spec;
  // The first look of a process is notified under every back end, the others are the library's.
  spec.argv = {"cat", "/dev/null", "/dev/null", "/dev/null"};
  spec.record_file = "/tmp/git-txn-probe-" + Random().name(12);  // for what lies beside it
  spec.cwd = "/";
  spec.backend = backend;
  spec.stdin_fd = spec.stdout_fd = spec.stderr_fd = null.get();
  const TraceResult result = TRY(run_into(spec, records.get()));
  if (!result.lost.empty()) return fail(Code::kFault, result.lost);
  bool saw_program = false;
  bool saw_result = false;
  const RecordSummary summary =
      TRY(read_records("/proc/self/fd/" + std::to_string(records.get()), [&](const Record& record) {
        saw_program = saw_program || (record.op == Op::kExec && record.path.ends_with("/cat"));
        saw_result = saw_result || (record.op == Op::kOpenRead && !record.assumed);
      }));
  if (!summary.complete) return fail(Code::kFault, summary.reason);
  if (!saw_program) return fail(Code::kFault, "a program that was run left no record");
  if (backend == Backend::kHybrid && !saw_result) {
    return fail(Code::kUnsupported, "programs do not load the library that is preloaded");
  }
  return {};
}

}  // namespace

std::vector<Capability> probe_backends() {
  std::vector<Capability> found;
  for (const Backend backend :
       {Backend::kHybrid, Backend::kBpf, Backend::kNotify, Backend::kPtrace}) {
    const Status ran = try_run(backend);
    Capability capability{backend, ran.has_value(), ran ? "" : ran.error().message};
    const bool notified = backend == Backend::kHybrid || backend == Backend::kNotify;
    if (notified && capability.usable && !has_synchronous_wakeup()) {
      capability.detail = "no synchronous wake-up (Linux 6.6 has it): traced calls cost more";
    }
    if (backend == Backend::kPtrace && capability.usable) {
      capability.detail = "several times slower than notify";
    }
    found.push_back(std::move(capability));
  }
  found.push_back({Backend::kOff, true, "read sets are unknown"});
  return found;
}

}  // namespace gittxn::capture
