// Work beside the thread that asks for it.
#pragma once

#include <pthread.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <utility>

namespace gittxn {

// A thread that takes no signals. It begins on another processor than the one of its starter, where
// there is one, and then goes where the kernel puts it: some kernels leave a new thread beside its
// starter, and that it waits there for some milliseconds, in which a file is parsed.
class BesideThread {
 public:
  // `started` tells whether there is one; no more threads may be to be had.
  BesideThread(std::function<void()> work, bool* started);
  ~BesideThread() { join(); }
  BesideThread(const BesideThread&) = delete;
  BesideThread& operator=(const BesideThread&) = delete;
  void join();

 private:
  static void* run(void* self);

  std::function<void()> work_;
  cpu_set_t allowed_{};
  bool apart_ = false;  // it began with fewer processors than it is allowed
  bool running_ = false;
  pthread_t thread_{};
};

// The result of work on a thread. When it goes it waits for the thread.
template <typename T>
class Beside {
 public:
  Beside() = default;
  template <typename Make>
  explicit Beside(Make make) {
    const auto task = std::make_shared<std::packaged_task<T()>>(std::move(make));
    std::future<T> made = task->get_future();
    bool started = false;
    thread_ = std::make_unique<BesideThread>([task] { (*task)(); }, &started);
    if (started) made_ = std::move(made);
  }

  // False when no more threads were to be had, and after get().
  bool valid() const { return made_.valid(); }
  void wait() const { made_.wait(); }
  // True: get() does not wait. The result must be valid().
  bool ready() const {
    return made_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  T get() { return made_.get(); }

 private:
  std::future<T> made_;
  std::unique_ptr<BesideThread> thread_;
};

template <typename Make>
auto on_a_thread(Make make) -> Beside<decltype(make())> {
  return Beside<decltype(make())>(std::move(make));
}

}  // namespace gittxn
