#include "base/threads.h"

#include <sched.h>

#include "base/signals.h"

namespace gittxn {

BesideThread::BesideThread(std::function<void()> work, bool* started) : work_(std::move(work)) {
  const BlockedSignals blocked;
  pthread_attr_t how;
  const bool has_how = ::pthread_attr_init(&how) == 0;
  const int here = ::sched_getcpu();
  if (has_how && here >= 0 && ::sched_getaffinity(0, sizeof allowed_, &allowed_) == 0) {
    cpu_set_t others = allowed_;
    CPU_CLR(static_cast<std::size_t>(here), &others);
    apart_ =
        CPU_COUNT(&others) > 0 && ::pthread_attr_setaffinity_np(&how, sizeof others, &others) == 0;
  }
  running_ = ::pthread_create(&thread_, has_how ? &how : nullptr, run, this) == 0;
  if (has_how) ::pthread_attr_destroy(&how);
  *started = running_;
}

void BesideThread::join() {
  if (running_) ::pthread_join(thread_, nullptr);
  running_ = false;
}

void* BesideThread::run(void* self) {
  auto& thread = *static_cast<BesideThread*>(self);
  if (thread.apart_) ::sched_setaffinity(0, sizeof thread.allowed_, &thread.allowed_);
  thread.work_();
  return nullptr;
}

}  // namespace gittxn
