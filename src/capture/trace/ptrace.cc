// The ptrace back end: the same filter, but the calls stop for a tracer (RET_TRACE), and stop again
// when they return, so that every result is the kernel's own. Slower by an order of magnitude; for
// kernels and containers that have no notification listener to give.
//
// The tracing thread seizes the command before it runs; children are followed by the kernel. It is
// the one thread that may wait, and so it also reaps for the main thread. If we die, every traced
// process is killed (EXITKILL).
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <unordered_map>
#include <utility>

#include "capture/trace/decode/environments.h"
#include "capture/trace/process_tree.h"
#include "capture/trace/tracer.h"

// glibc's and the kernel's header cannot both be included; this is <linux/ptrace.h>.
namespace {
constexpr int kGetSyscallInfo = 0x420e;
constexpr std::uint8_t kInfoExit = 2, kInfoSeccomp = 3;
struct SeccompInfo {
  std::uint64_t nr;
  std::uint64_t args[6];
  std::uint32_t ret_data;
};
struct ExitInfo {
  std::int64_t rval;
  std::uint8_t is_error;
};
struct SyscallInfo {
  std::uint8_t op, pad[3];
  std::uint32_t arch;
  std::uint64_t instruction_pointer, stack_pointer;
  union {
    SeccompInfo seccomp;
    ExitInfo exit;
  };
};
}  // namespace

namespace gittxn::capture {

namespace {

constexpr int kSyscallStop = SIGTRAP | 0x80;

class PtraceTracer final : public Tracer {
 public:
  PtraceTracer(UniqueFd unused_listener, TreeState* tree, RecordWriter* writer)
      : Tracer(tree, writer), unused_listener_(std::move(unused_listener)), decoder_(::getpid()) {}
  ~PtraceTracer() override { stop(); }
  Status start() override;
  void stop() override {
    if (thread_.joinable()) thread_.join();
  }

 private:
  void serve();
  void ended(pid_t tid, int status);
  void stopped(pid_t tid, int status);
  void resume(pid_t tid, int signal);
  bool ask(pid_t tid, SyscallInfo* info);
  void enter(pid_t tid);
  void leave(pid_t tid);
  void executed(pid_t tid);

  UniqueFd unused_listener_;
  Decoder decoder_;
  Environments environments_;
  std::unordered_map<pid_t, Decoded> waiting_;  // calls that have not returned
  std::thread thread_;
};

Status PtraceTracer::start() {
  std::promise<int> seized;
  std::future<int> outcome = seized.get_future();
  thread_ = std::thread([this, &seized] {
    constexpr long kOptions = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                              PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD |
                              PTRACE_O_EXITKILL;
    const bool done = ::ptrace(PTRACE_SEIZE, tree_->root, nullptr, kOptions) == 0;
    const int error = done ? 0 : errno;
    seized.set_value(error);
    if (error == 0) serve();
  });
  const int error = outcome.get();
  if (error == 0) return {};
  thread_.join();
  return fail(Code::kUnsupported, std::string("ptrace is refused: ") + std::strerror(error));
}

void PtraceTracer::serve() {
  while (true) {
    int status = 0;
    const pid_t tid = ::waitpid(-1, &status, __WALL);
    if (tid < 0 && errno == EINTR) continue;
    if (tid < 0) break;  // ECHILD: all of the tree has ended
    if (WIFSTOPPED(status))
      stopped(tid, status);
    else
      ended(tid, status);
  }
  tree_->empty = true;
  tree_->wake_main();
}

void PtraceTracer::ended(pid_t tid, int status) {
  waiting_.erase(tid);
  // The end of a leading thread is that of its process, and comes when the last thread has ended.
  if (decoder_.family().knows(tid)) writer_->add(exit_record(tid, status));
  decoder_.family().forget(tid);
  if (tid != tree_->root) return;
  tree_->root_status = status;
  tree_->wake_main();
}

void PtraceTracer::stopped(pid_t tid, int status) {
  const int event = status >> 16;
  const int signal = WSTOPSIG(status);
  const bool returns = event == 0 && signal == kSyscallStop;
  if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {  // job control: until SIGCONT
    if (tid == tree_->root) {
      tree_->root_stopped = true;
      tree_->wake_main();
    }
    ::ptrace(PTRACE_LISTEN, tid, nullptr, 0);
    return;
  }
  if (event == PTRACE_EVENT_SECCOMP) enter(tid);
  if (event == PTRACE_EVENT_EXEC) executed(tid);
  if (returns) leave(tid);
  resume(tid, event == 0 && !returns ? signal : 0);
}

// Errors mean that it was killed meanwhile; its end is reported by waitpid.
void PtraceTracer::resume(pid_t tid, int signal) {
  const auto request = waiting_.contains(tid) ? PTRACE_SYSCALL : PTRACE_CONT;
  ::ptrace(request, tid, nullptr, static_cast<long>(signal));
}

// False: the process was killed meanwhile.
bool PtraceTracer::ask(pid_t tid, SyscallInfo* info) {
  const auto request = static_cast<enum __ptrace_request>(kGetSyscallInfo);
  if (::ptrace(request, tid, sizeof *info, info) > 0) return true;
  if (errno != ESRCH) writer_->lose("this kernel does not tell a tracer about calls (before 5.3)");
  return false;
}

void PtraceTracer::enter(pid_t tid) {
  SyscallInfo info{};
  if (!ask(tid, &info) || info.op != kInfoSeccomp) return;
  CallSite site{
      .tid = tid, .arch = info.arch, .number = static_cast<std::uint32_t>(info.seccomp.nr)};
  std::ranges::copy(info.seccomp.args, site.args.begin());
  Decoded decoded;
  const bool alive = decoder_.decode(site, &decoded);
  for (Record& record : decoded.before) writer_->add(std::move(record));
  decoded.before.clear();
  if (alive && decoded.has_call) waiting_.insert_or_assign(tid, std::move(decoded));
}

void PtraceTracer::leave(pid_t tid) {
  auto call = waiting_.extract(tid);
  if (call.empty()) return;
  Decoded decoded = std::move(call.mapped());
  SyscallInfo info{};
  if (!ask(tid, &info)) return;  // killed inside the call
  if (info.op == kInfoExit) {
    const std::int64_t value = info.exit.rval;
    if (was_restarted(value)) return;
    decoded.call.assumed = false;
    decoded.call.predicted = false;
    // A descriptor number or a length says nothing about the repository, and would make every
    // repetition look new.
    decoded.call.result = value < 0 ? static_cast<std::int32_t>(value) : 0;
  }
  const bool happened = decoded.call.result >= 0;
  if (happened && decoded.environment_known) {
    environments_.describe(decoded.environment, &decoded.call);
  }
  writer_->add(std::move(decoded.call));
  if (!happened) return;
  for (Record& record : decoded.after) writer_->add(std::move(record));
}

// A program started by a thread that is not the first takes over the first one's number.
void PtraceTracer::executed(pid_t tid) {
  unsigned long former = 0;
  if (::ptrace(PTRACE_GETEVENTMSG, tid, nullptr, &former) != 0) return;
  const auto old = static_cast<pid_t>(former);
  if (old == tid) return;
  auto call = waiting_.extract(old);
  if (!call.empty()) waiting_.insert_or_assign(tid, std::move(call.mapped()));
}

}  // namespace

std::unique_ptr<Tracer> make_ptrace_tracer(UniqueFd unused_listener, TreeState* tree,
                                           RecordWriter* writer) {
  return std::make_unique<PtraceTracer>(std::move(unused_listener), tree, writer);
}

}  // namespace gittxn::capture
