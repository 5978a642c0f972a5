// Locks that die with their holder, seen by everybody who uses a store: locks of files in its
// folder on this machine, or session locks of the server for the clones of many machines. Nothing
// is ever stale and nothing needs breaking (F3, F8): a holder that is slow, or stopped, still
// holds.
//
// A server lets go of the locks of a connection that it has lost. A named one is lost then, and
// only still_held() tells; a slot is taken again by its holder within about a second
// (server_slots.h). So on a server a lock orders those who behave, and what decides is always
// compare-and-set (the events' rules, the refs, the fence). On one machine the kernel keeps them as
// long as the process lives; and a slot on a server is held in the clone's folder too, so that
// within a clone it is as sure as without a server.
//
// Called by one thread; not to be carried across a fork. A Lock must not outlive its Locks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/store.h"

namespace gittxn::store {

// Number N is proof that owner N, ticket N or whoever gives out to handler N lives.
enum class Slots { kOwners, kTickets, kDeliveries };

class Lock {
 public:
  struct Held;  // of locks.cc
  Lock();
  explicit Lock(std::unique_ptr<Held> held);
  Lock(Lock&&) noexcept;
  Lock& operator=(Lock&&) noexcept;
  ~Lock();

  bool held() const { return held_ != nullptr; }  // was had, and not let go
  bool still_held() const;                        // asks the server, whose silence is a no
  void release();

 private:
  std::unique_ptr<Held> held_;
};

class Locks {
 public:
  // Nothing is opened before the first lock.
  static std::unique_ptr<Locks> of(const Location& place);
  virtual ~Locks() = default;

  // By name; letters, digits, '.', '-'. The deadline counts from now: < 0 waits for ever, 0 tries
  // once. kBusy when not had in time; kInterrupted when a signal handler ran while waiting for
  // ever.
  virtual Result<Lock> acquire(const std::string& name, std::int64_t deadline_ms) = 0;

  // kBusy: it is held, by this process or another.
  virtual Result<Lock> try_slot(Slots slots, std::int64_t number) = 0;
  // At this moment. On a server a no may be of a holder that lives and was cut off just now.
  virtual Result<bool> is_held(Slots slots, std::int64_t number) = 0;
  // Whether its holder is dead. In files that is who does not hold it, and on a server who had it
  // in this clone and holds it no more; of other clones only who did not hold it for as long as
  // confirm() looked, lately. Does not wait.
  virtual Result<bool> is_gone(Slots slots, std::int64_t number) = 0;
  // Before a decision that asks is_gone(), and never under the log's write lock: where some of
  // these are not held on a server, it waits some seconds for whoever was only cut off.
  virtual Status confirm(Slots slots, const std::vector<std::int64_t>& numbers) = 0;
  // Returns when nobody holds it, or at the deadline (as above) with kTimeout.
  virtual Status wait_free(Slots slots, std::int64_t number, std::int64_t deadline_ms) = 0;
};

}  // namespace gittxn::store
