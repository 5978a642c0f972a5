#include "catalogue/workers.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace gittxn::catalogue {
namespace {

constexpr std::size_t kMostAnswers = 256;

}  // namespace

Workers::Workers(const std::string& git_dir, const repo::Git& git, const semantic::Budget& budget,
                 const std::vector<LookJob>& jobs)
    : git_dir_(git_dir), git_(git), budget_(budget), jobs_(jobs) {}

Workers::~Workers() {
  const std::lock_guard lock(mutex_);
  ending_ = true;
  changed_.notify_all();
  // The threads are joined when threads_ goes, which is the first member to go.
}

void Workers::start(std::size_t threads) {
  for (std::size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this] { work(); });
  }
}

void Workers::work() {
  const auto objects = repo::Objects::open(git_dir_, git_);
  if (!objects) return answer(std::unexpected(objects.error()));
  for (;;) {
    std::size_t job = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ending_ || answers_.size() < kMostAnswers; });
      if (ending_ || begun_ == jobs_.size()) return;
      job = begun_++;
    }
    answer(look(*objects, job));
  }
}

Result<Looked> Workers::look(const repo::Objects& objects, std::size_t job) {
  const LookJob& what = jobs_[job];
  Looked looked;
  looked.job = job;
  looked.bytes = TRY(objects.blob_size(what.entry.oid));
  const std::size_t weight = std::min<std::size_t>(looked.bytes, kInFlight);
  enter(weight);
  const auto facts = look_into(objects, what.hint, what.entry, budget_);
  leave(weight);
  if (!facts) return std::unexpected(facts.error());
  looked.names = names_in(*facts);
  looked.encoded = encode(*facts);
  return looked;
}

void Workers::enter(std::size_t bytes) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return in_flight_ == 0 || in_flight_ + bytes <= kInFlight; });
  in_flight_ += bytes;
}

void Workers::leave(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  in_flight_ -= bytes;
  changed_.notify_all();
}

void Workers::answer(Result<Looked> looked) {
  const std::lock_guard lock(mutex_);
  answers_.push_back(std::move(looked));
  changed_.notify_all();
}

std::optional<Result<Looked>> Workers::next(std::int64_t wait_ms) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(wait_ms), [this] { return !answers_.empty(); });
  if (answers_.empty()) return std::nullopt;
  Result<Looked> first = std::move(answers_.front());
  answers_.pop_front();
  changed_.notify_all();
  return first;
}

}  // namespace gittxn::catalogue
