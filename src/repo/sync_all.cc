#include "repo/sync_all.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>

#include "base/fs.h"

namespace gittxn::repo::internal {
namespace {

constexpr std::size_t kMostThreads = 16;

// Signals are for the thread that called us: one that a worker took would interrupt nothing.
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

// False when no more threads are to be had: those that run, and the caller, do it all.
template <typename Work>
bool start(std::vector<std::jthread>& workers, const Work& work) {
  try {
    workers.emplace_back(work);
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace

Status sync_all(const std::vector<std::string>& paths) {
  std::vector<Status> results(paths.size());
  std::atomic<std::size_t> next{0};
  auto work = [&] {
    for (std::size_t i = next++; i < paths.size(); i = next++) results[i] = fsync_path(paths[i]);
  };
  {
    std::vector<std::jthread> workers;
    {
      const BlockedSignals blocked;
      const std::size_t wanted = std::min(paths.size(), kMostThreads);
      while (workers.size() + 1 < wanted && start(workers, work)) continue;
    }
    work();
  }
  for (Status& result : results) {
    if (!result) return std::move(result);
  }
  return {};
}

}  // namespace gittxn::repo::internal
