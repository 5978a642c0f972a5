// Numbers that this process holds on a PostgreSQL server, as session locks of one connection. A
// server lets go of them when it loses the connection, though their holder lives. So a thread
// looks every half second, and where the connection was lost it takes the same numbers again on a
// new one. Somebody else may have had one meanwhile: then it is tried again at every look, until
// that one lets go or ours is given up.
//
// Whoever finds a number free therefore waits for kGraceMs before it believes that its holder is
// dead. That is longer than a look, a new connection and the taking need together.
//
// The thread has this connection in turn with the callers, takes no signals, and runs only while
// there is a number to look after. Not to be carried across a fork. A kill ends the connection.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "base/result.h"
#include "db/database.h"
#include "store/store.h"

namespace gittxn::store {

// What asks the server for a lock, or about one, may be asked again: what a connection had is gone
// with it. So where one broke off in the middle of it, another one is asked, once.
template <typename Ask>
auto asked_again(Ask ask) -> decltype(ask()) {
  auto answer = ask();
  if (answer || answer.error().code != Code::kFault) return answer;
  return ask();
}

// False: another session has it.
Result<bool> try_advisory_lock(const db::Database& database, std::int64_t key);

class ServerSlots {
 public:
  explicit ServerSlots(Location place) : place_(std::move(place)) {}
  ServerSlots(const ServerSlots&) = delete;
  ServerSlots& operator=(const ServerSlots&) = delete;
  ~ServerSlots() = default;

  Status take(std::int64_t key);  // kBusy: somebody holds it, this process or another
  void let_go(std::int64_t key);
  Result<bool> holds(std::int64_t key);    // of ours: asks the server
  Result<bool> is_held(std::int64_t key);  // by anybody, without trying it

  // How long a number has to be free before its holder counts as dead. Tests with a clock of their
  // own have ten times the pace.
  std::int64_t grace_ms() const { return quick() ? kGraceMs / 10 : kGraceMs; }

 private:
  static constexpr std::int64_t kLookMs = 500;
  static constexpr std::int64_t kGraceMs = 5'000;

  bool quick() const { return place_.time == Location::Time::kOwn; }
  // With the mutex held, all of these.
  Status reach();
  Result<bool> reach_and_try(std::int64_t key);
  Result<bool> anybody_holds(std::int64_t key);
  Status take_again();

  void look_after(const std::stop_token& stop);
  void start();

  Location place_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::optional<db::Database> database_;
  std::uint64_t session_ = 0;          // of the connection that `keys_` speaks of
  std::map<std::int64_t, bool> keys_;  // whether the server has it as ours
  std::jthread thread_;                // the last member: it ends before the others go
};

}  // namespace gittxn::store
