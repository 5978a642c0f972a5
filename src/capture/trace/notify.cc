// The notification back end: a thread that receives each stopped call, looks, and lets it go on.
//
// A call is recorded only after the kernel accepted the answer: then the process was still waiting,
// its number had not been given to another one, and what was read from it was its own. The answer
// goes out first, so that the process runs while the record is encoded; one thread does all of it,
// so the order of records is the order of calls.
//
// With a preloaded library (hybrid) most reads do not come here but are in its ring. Their place
// among the notified calls: whatever was claimed in the ring when a call is received was begun
// before it, or at the same time, and is recorded first; when the call changes something, even
// before it is let go, so that what is looked up for an unfinished read is what stood there then.
//
// WAIT_KILLABLE_RECV (filter.cc): once received, only a deadly signal ends the wait, so that a
// signal does not make a call appear twice.
#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "base/bug.h"
#include "capture/trace/decode/environments.h"
#include "capture/trace/decode/lookup.h"
#include "capture/trace/preload_file.h"
#include "capture/trace/process_tree.h"
#include "capture/trace/tracer.h"

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif

namespace gittxn::capture {

namespace {

constexpr unsigned long kSyncWakeUp = 1;  // SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP

extern "C" void ignore_signal(int) {}

class NotifyTracer final : public Tracer {
 public:
  NotifyTracer(UniqueFd listener, TreeState* tree, RecordWriter* writer, Preloaded preloaded)
      : Tracer(tree, writer),
        listener_(std::move(listener)),
        preloaded_(std::move(preloaded)),
        decoder_(::getpid()) {}
  ~NotifyTracer() override { stop(); }
  Status start() override;
  void stop() override;
  void collect() override;
  void reaped(pid_t pid, int wait_status) override;

 private:
  void serve();
  bool receive(seccomp_notif* request);
  void answer(const seccomp_notif& request);
  std::uint64_t meet(const CallSite& site);
  void drain(std::uint64_t mark);
  void add_read(Record& record);
  bool is_of_the_trace(const Record& record) const;
  void record_ends();

  UniqueFd listener_;
  Preloaded preloaded_;
  std::uint64_t moves_ = 0;
  Decoder decoder_;
  Decoded decoded_;
  Environments environments_;
  std::vector<char> request_;
  std::vector<char> response_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> done_{false};
  std::atomic<bool> waits_{false};  // for a call, and there is a ring to empty meanwhile
  std::thread thread_;
  std::mutex ends_mutex_;
  std::vector<std::pair<pid_t, int>> ends_;  // wait statuses
  std::atomic<bool> has_ends_{false};
};

Status NotifyTracer::start() {
  seccomp_notif_sizes sizes{};
  if (::syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0) {
    return fail_errno(errno, "ask the kernel for the size of a notification");
  }
  request_.resize(std::max<std::size_t>(sizes.seccomp_notif, sizeof(seccomp_notif)));
  response_.resize(std::max<std::size_t>(sizes.seccomp_notif_resp, sizeof(seccomp_notif_resp)));
  set_synchronous_wakeup(listener_.get());
  struct sigaction action{};
  action.sa_handler = ignore_signal;  // without SA_RESTART: it only interrupts the wait
  ::sigaction(SIGUSR1, &action, nullptr);
  thread_ = std::thread([this] { serve(); });
  return {};
}

void NotifyTracer::stop() {
  if (!thread_.joinable()) return;
  // The tree is gone, so what it has left in the ring is all there will be.
  // Older kernels do not end the wait when the last process is gone. The signal may come just
  // before the wait begins, so it is sent until it has worked.
  stop_ = true;
  while (!done_) {
    ::pthread_kill(thread_.native_handle(), SIGUSR1);
    ::usleep(500);
  }
  thread_.join();
  if (preloaded_.ring != nullptr) drain(preloaded_.ring->mark());
  record_ends();
}

void NotifyTracer::reaped(pid_t pid, int wait_status) {
  const std::lock_guard lock(ends_mutex_);
  ends_.emplace_back(pid, wait_status);
  has_ends_ = true;
}

// Before the next call is looked at: the numbers are free and could be another's by then. What they
// have left in the ring comes first.
void NotifyTracer::record_ends() {
  if (!has_ends_) return;
  std::vector<std::pair<pid_t, int>> ends;
  {
    const std::lock_guard lock(ends_mutex_);
    ends.swap(ends_);
    has_ends_ = false;
  }
  if (preloaded_.ring != nullptr) drain(preloaded_.ring->mark());
  for (const auto& [pid, status] : ends) {
    if (!decoder_.family().knows(pid)) continue;
    writer_->add(exit_record(pid, status));
    decoder_.family().forget(pid);
  }
}

// The thread waits in the kernel, which a signal ends.
void NotifyTracer::collect() {
  if (thread_.joinable() && waits_) ::pthread_kill(thread_.native_handle(), SIGUSR1);
}

void NotifyTracer::serve() {
  sigset_t wake{};
  sigemptyset(&wake);
  sigaddset(&wake, SIGUSR1);
  ::pthread_sigmask(SIG_UNBLOCK, &wake, nullptr);
  auto* request = reinterpret_cast<seccomp_notif*>(request_.data());
  while (!stop_ && receive(request)) {
    if (request->id != 0) {
      answer(*request);
    } else if (preloaded_.ring != nullptr) {
      drain(preloaded_.ring->mark());
    }
  }
  done_ = true;
}

// False: nothing can come any more. An id of 0: nothing came this time.
bool NotifyTracer::receive(seccomp_notif* request) {
  std::memset(request_.data(), 0, request_.size());
  waits_ = preloaded_.ring != nullptr;
  const int received = ::ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_RECV, request);
  const int error = errno;
  waits_ = false;
  if (received == 0) return true;
  std::memset(request_.data(), 0, request_.size());
  if (error == EINTR) return true;
  if (error == ENOENT) {  // this process was killed, or every process is gone
    pollfd waiting{listener_.get(), POLLIN, 0};
    return ::poll(&waiting, 1, 0) < 0 || (waiting.revents & POLLHUP) == 0;
  }
  fail_tracing("the trace lost its listener", error);
  return false;
}

// Before a call is let go: who makes it, and whether directories stay where they are. Returns how
// much of the ring comes before it.
std::uint64_t NotifyTracer::meet(const CallSite& site) {
  Ring& ring = *preloaded_.ring;
  ring.greets(site.args.back(), decoded_.call.pid);
  WorkingDirs& directories = decoder_.directories();
  // The library keeps one directory for a process; where threads have their own it has to ask.
  const bool moving = directories.moving() || directories.parted();
  const bool may_change_it = decoded_.has_call && may_change(decoded_.call.op);
  if (may_change_it && !INJECTED_BUG("trace.changes_uncounted")) ring.something_changes();
  if (!site.by_library) ring.another_calls();
  ring.set_directories(moving ? Ring::Directories::kMove : Ring::Directories::kStand);
  if (std::exchange(moves_, directories.moves()) != directories.moves()) ring.directories_change();
  return ring.mark();
}

void NotifyTracer::drain(std::uint64_t mark) {
  const Status drained = preloaded_.ring->drain(mark, [this](Record& record) { add_read(record); });
  if (drained) return;
  writer_->lose(drained.error().message);
  preloaded_.ring.reset();
}

// What the library could not tell: the outcome of a call that has not returned, and what kind of
// thing access() found.
void NotifyTracer::add_read(Record& record) {
  const bool found = record.op == Op::kAccess && record.result == 0;
  if (!decoder_.may_look() || !(record.assumed || found)) return writer_->add(std::move(record));
  Record look = record;
  predict(&look);
  if (found) {
    const std::uint32_t mode = look.mode;
    look = record;
    look.mode = mode;
  }
  writer_->add(std::move(look));
}

// The loader opens the library. In a program on a machine of its own (valgrind) nothing is called
// from the allowed page, so that what the library itself needs is notified too.
bool NotifyTracer::is_of_the_trace(const Record& record) const {
  if (preloaded_.ring == nullptr) return false;
  if (record.path == Ring::kPath) return true;
  return is_preload(preloaded_.library, record.path) && !changes_something(record);
}

void NotifyTracer::answer(const seccomp_notif& request) {
  CallSite site{.tid = static_cast<pid_t>(request.pid),
                .arch = request.data.arch,
                .number = static_cast<std::uint32_t>(request.data.nr)};
  std::ranges::copy(request.data.args, site.args.begin());
  Ring* ring = preloaded_.ring.get();
  site.by_library = ring != nullptr && ring->is_greeting(site.args.back());
  record_ends();
  const bool alive = decoder_.decode(site, &decoded_);
  const std::uint64_t mark = ring == nullptr ? 0 : meet(site);
  const bool first = decoded_.has_call && changes_something(decoded_.call);
  if (ring != nullptr && first && !INJECTED_BUG("trace.ring_drained_late")) drain(mark);
  std::memset(response_.data(), 0, response_.size());
  auto* response = reinterpret_cast<seccomp_notif_resp*>(response_.data());
  response->id = request.id;
  response->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  bool went_on = false;
  do {  // collect() may come too late to end the wait
    went_on = ::ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_SEND, response) == 0;
  } while (!went_on && errno == EINTR);
  // ENOENT: killed meanwhile. Anything else (a kernel before 5.5 cannot continue a call) would
  // leave the process waiting for ever.
  if (!went_on && errno != ENOENT) return fail_tracing("the trace lost its listener", errno);
  if (preloaded_.ring != nullptr && !INJECTED_BUG("trace.ring_drained_late")) drain(mark);
  for (Record& record : decoded_.before) writer_->add(std::move(record));
  if (!alive || !went_on || !decoded_.has_call) return;
  if (is_of_the_trace(decoded_.call)) return;
  if (decoded_.environment_known) environments_.describe(decoded_.environment, &decoded_.call);
  writer_->add(std::move(decoded_.call));
  for (Record& record : decoded_.after) writer_->add(std::move(record));
}

}  // namespace

void TreeState::wake_main() const {
  const std::uint64_t one = 1;
  // The counter can only be full when a wake-up is pending already.
  static_cast<void>(::write(wake.get(), &one, sizeof one) == sizeof one);
}

void Tracer::fail_tracing(std::string_view what, int error) {
  writer_->lose(std::string(what) + ": " + std::strerror(error));
  tree_->tracer_failed = true;
  tree_->wake_main();
}

bool set_synchronous_wakeup(int listener) {
  return ::ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, kSyncWakeUp) == 0;
}

std::unique_ptr<Tracer> make_notify_tracer(UniqueFd listener, TreeState* tree, RecordWriter* writer,
                                           Preloaded preloaded) {
  return std::make_unique<NotifyTracer>(std::move(listener), tree, writer, std::move(preloaded));
}

}  // namespace gittxn::capture
