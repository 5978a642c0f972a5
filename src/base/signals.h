// Keeping signals from threads that are started.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace gittxn {

// While it is there, new threads begin with all signals blocked, so that they stay for the thread
// that was there before: one that another thread took would interrupt nothing.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace gittxn
