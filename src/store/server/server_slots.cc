#include "store/server/server_slots.h"

#include <pthread.h>
#include <signal.h>

#include <chrono>

namespace gittxn::store {
namespace {

// A network that says nothing must not keep the thread for long.
const db::ConnectOptions kPatience{.connect_ms = 3'000, .busy_ms = 10'000, .statement_ms = 10'000};

}  // namespace

// A statement outside of a transaction connects again where the connection was lost; then the
// locks are lost too.
Status ServerSlots::reach() {
  if (!database_)
    database_.emplace(TRY(db::Database::connect(place_.url, place_.schema, kPatience)));
  TRY(database_->run("SELECT 1"));
  if (session_ == database_->session()) return {};
  session_ = database_->session();
  for (auto& [key, had] : keys_) had = false;
  return {};
}

Result<bool> try_advisory_lock(const db::Database& database, std::int64_t key) {
  return TRY(database.first(db::text_of, "SELECT pg_try_advisory_lock(?)", key)) == "t";
}

Result<bool> ServerSlots::reach_and_try(std::int64_t key) {
  TRY(reach());
  return try_advisory_lock(*database_, key);
}

Status ServerSlots::take_again() {
  TRY(reach());
  for (auto& [key, had] : keys_) {
    if (!had) had = TRY(try_advisory_lock(*database_, key));
  }
  return {};
}

Status ServerSlots::take(std::int64_t key) {
  const std::scoped_lock lock(mutex_);
  if (keys_.contains(key)) return fail(Code::kBusy, "held by this process");
  // The server counts a session's second taking of a lock; here the first is looked for above.
  const bool had = TRY(asked_again([&] { return reach_and_try(key); }));
  if (!had) return fail(Code::kBusy, "held");
  keys_.emplace(key, true);
  if (!thread_.joinable()) start();
  wake_.notify_all();
  return {};
}

void ServerSlots::let_go(std::int64_t key) {
  const std::scoped_lock lock(mutex_);
  const auto found = keys_.find(key);
  if (found == keys_.end()) return;
  const bool had = found->second && session_ == database_->session();
  keys_.erase(found);
  if (!had) return;
  // When this fails the connection is lost, and the lock with it.
  (void)database_->run("SELECT pg_advisory_unlock(?)", key);
}

Result<bool> ServerSlots::holds(std::int64_t key) {
  const std::scoped_lock lock(mutex_);
  TRY(reach());
  const auto found = keys_.find(key);
  return found != keys_.end() && found->second;
}

Result<bool> ServerSlots::is_held(std::int64_t key) {
  const std::scoped_lock lock(mutex_);
  return asked_again([&] { return anybody_holds(key); });
}

Result<bool> ServerSlots::anybody_holds(std::int64_t key) {
  TRY(reach());
  const auto bits = static_cast<std::uint64_t>(key);
  // Asked and not tried: trying would hold it for a moment.
  return database_->has_row(
      "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1 "
      "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
      "AND CAST(classid AS BIGINT) = ? AND CAST(objid AS BIGINT) = ?",
      static_cast<std::int64_t>(bits >> 32), static_cast<std::int64_t>(bits & 0xffff'ffffu));
}

void ServerSlots::start() {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // the thread is born with it
  thread_ = std::jthread([this](const std::stop_token& stop) { look_after(stop); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void ServerSlots::look_after(const std::stop_token& stop) {
  const std::chrono::milliseconds pause(quick() ? kLookMs / 10 : kLookMs);
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait(lock, stop, [this] { return !keys_.empty(); });
    wake_.wait_for(lock, stop, pause, [] { return false; });
    if (stop.stop_requested() || keys_.empty()) continue;
    // A server that is away is asked again at the next look; who needs it meanwhile is told.
    static_cast<void>(take_again().has_value());
  }
}

}  // namespace gittxn::store
