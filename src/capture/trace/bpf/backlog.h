// Events that left the kernel's ring and were not yet made into records.
//
// The ring is small and no traced process waits for it: what finds no room there is lost. So one
// thread does nothing but empty it into this, and another one, which may fall behind on a busy
// machine, does the rest. One thread puts and one takes.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace gittxn::capture {

class Backlog {
 public:
  // At most so much, and what put() gathers before it gives it away; then put() waits.
  explicit Backlog(std::size_t most_bytes = 64u << 20, std::size_t batch_bytes = 256u << 10)
      : most_bytes_(most_bytes), batch_bytes_(batch_bytes) {}

  void put(std::string_view event) {
    const auto size = static_cast<std::uint32_t>(event.size());
    gathered_.append(reinterpret_cast<const char*>(&size), sizeof size).append(event);
    if (gathered_.size() >= batch_bytes_) flush();
  }
  // What was put so far can be taken.
  void flush() {
    if (gathered_.empty()) return;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return bytes_ < most_bytes_; });
    bytes_ += gathered_.size();
    batches_.push_back(std::move(gathered_));
    gathered_.clear();
    changed_.notify_all();
  }
  // Nothing comes any more.
  void close() {
    flush();
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  // Hands out events in their order; waits for some. False: closed, and all were handed out.
  bool take(const std::function<void(std::string_view)>& sink) {
    std::string batch;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return closed_ || !batches_.empty(); });
      if (batches_.empty()) return false;
      batch = std::move(batches_.front());
      batches_.pop_front();
      bytes_ -= batch.size();
      changed_.notify_all();
    }
    std::string_view rest = batch;
    while (!rest.empty()) {
      std::uint32_t size = 0;
      rest.copy(reinterpret_cast<char*>(&size), sizeof size);
      sink(rest.substr(sizeof size, size));
      rest.remove_prefix(sizeof size + size);
    }
    return true;
  }

 private:
  const std::size_t most_bytes_, batch_bytes_;
  std::string gathered_;  // of the thread that puts
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> batches_;
  std::size_t bytes_ = 0;
  bool closed_ = false;
};

}  // namespace gittxn::capture
