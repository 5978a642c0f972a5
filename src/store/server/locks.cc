#include "store/server/locks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "base/clock.h"
#include "base/fs.h"
#include "base/hash.h"
#include "db/database.h"
#include "model/names.h"
#include "store/server/server_slots.h"

namespace gittxn::store {

struct Lock::Held {
  virtual ~Held() = default;
  virtual bool still() = 0;
};

Lock::Lock() = default;
Lock::Lock(std::unique_ptr<Held> held) : held_(std::move(held)) {}
Lock::Lock(Lock&&) noexcept = default;
Lock& Lock::operator=(Lock&&) noexcept = default;
Lock::~Lock() = default;

bool Lock::still_held() const {
  return held_ != nullptr && held_->still();
}

void Lock::release() {
  held_.reset();
}

namespace {

constexpr NameTable<Slots, 3> kSlotsNames{
    {{Slots::kOwners, "owners"}, {Slots::kTickets, "tickets"}, {Slots::kDeliveries, "handlers"}}};

std::string slots_file(const std::string& dir, Slots slots) {
  return join_path(dir, name_in(kSlotsNames, slots));
}

// Files

template <typename Kind>
struct FileHeld final : Lock::Held {
  explicit FileHeld(Kind lock) : lock_(std::move(lock)) {}
  bool still() override { return true; }
  Kind lock_;
};

class FileLocks final : public Locks {
 public:
  explicit FileLocks(std::string dir) : dir_(std::move(dir)) {}

  Result<Lock> acquire(const std::string& name, std::int64_t deadline_ms) override {
    const std::string path = join_path(join_path(dir_, "locks"), name);
    TRY(make_dirs(parent_dir(path)));
    return Lock(std::make_unique<FileHeld<FileLock>>(TRY(FileLock::acquire(path, deadline_ms))));
  }
  Result<Lock> try_slot(Slots slots, std::int64_t number) override {
    SlotLock lock = TRY(SlotLock::try_acquire(slots_file(dir_, slots), number));
    return Lock(std::make_unique<FileHeld<SlotLock>>(std::move(lock)));
  }
  Result<bool> is_held(Slots slots, std::int64_t number) override {
    return SlotLock::is_held(slots_file(dir_, slots), number);
  }
  Result<bool> is_gone(Slots slots, std::int64_t number) override {
    return !TRY(is_held(slots, number));
  }
  Status confirm(Slots, const std::vector<std::int64_t>&) override { return {}; }
  Status wait_free(Slots slots, std::int64_t number, std::int64_t deadline_ms) override {
    return SlotLock::wait_free(slots_file(dir_, slots), number, deadline_ms);
  }

 private:
  std::string dir_;
};

// The server

// The connection whose session holds the named locks. The server counts a session's second taking
// of a lock; here it is busy, as another process would find it.
struct Session {
  db::Database database;
  std::set<std::int64_t> keys;
  std::uint64_t number = 0;  // of the connection the keys are held by
};

struct ServerHeld final : Lock::Held {
  ServerHeld(std::shared_ptr<Session> session, std::int64_t key)
      : session_(std::move(session)), key_(key), number_(session_->number) {}
  ServerHeld(const ServerHeld&) = delete;
  ServerHeld& operator=(const ServerHeld&) = delete;
  ~ServerHeld() override {
    if (session_->number != number_ || session_->keys.erase(key_) == 0) return;
    // When this fails the connection is lost, and the lock with it.
    (void)session_->database.run("SELECT pg_advisory_unlock(?)", key_);
  }
  bool still() override {
    if (session_->number != number_) return false;
    const Status answered = session_->database.execute("SELECT 1");
    return answered && session_->database.session() == number_;
  }

  std::shared_ptr<Session> session_;
  std::int64_t key_;
  std::uint64_t number_;
};

// In the clone's folder and on the server.
struct ServerSlot final : Lock::Held {
  ServerSlot(SlotLock here, std::shared_ptr<ServerSlots> slots, std::int64_t key)
      : here_(std::move(here)), slots_(std::move(slots)), key_(key) {}
  ServerSlot(const ServerSlot&) = delete;
  ServerSlot& operator=(const ServerSlot&) = delete;
  ~ServerSlot() override { slots_->let_go(key_); }
  bool still() override {
    const auto held = slots_->holds(key_);
    return held && *held;
  }

  SlotLock here_;
  std::shared_ptr<ServerSlots> slots_;
  std::int64_t key_;
};

constexpr std::int64_t kPauseMs = 50;
// A holder that was confirmed to be dead counts as that for longer than a writer may wait for its
// turn.
constexpr std::int64_t kBelievedMs = 60'000;
// Waiting is cut into pieces, so that a signal is seen.
constexpr std::int64_t kPieceMs = 2'000;

class ServerLocks final : public Locks {
 public:
  explicit ServerLocks(const Location& place)
      : place_(place), slots_(std::make_shared<ServerSlots>(place)) {}

  Result<Lock> acquire(const std::string& name, std::int64_t deadline_ms) override {
    const std::int64_t key = key_of("lock/" + name);
    const std::int64_t begun_ms = monotonic_ms();
    while (true) {
      const std::int64_t waited_ms = monotonic_ms() - begun_ms;
      const std::int64_t left_ms =
          deadline_ms < 0 ? kPieceMs : std::max<std::int64_t>(0, deadline_ms - waited_ms);
      auto lock = asked_again([&] { return take(key, std::min(left_ms, kPieceMs)); });
      if (lock || lock.error().code != Code::kBusy) return lock;
      if (deadline_ms >= 0 && left_ms <= kPieceMs) {
        return fail(Code::kBusy, fmt::format("'{}' is held by somebody else", name));
      }
    }
  }

  Result<Lock> try_slot(Slots slots, std::int64_t number) override {
    SlotLock here = TRY(SlotLock::try_acquire(file(slots), number));
    const std::int64_t key = key_of(slots, number);
    const Status taken = slots_->take(key);
    if (!taken && taken.error().code == Code::kBusy) {
      return fail(Code::kBusy,
                  fmt::format("slot {} of the {} is held", number, name_in(kSlotsNames, slots)));
    }
    if (!taken) return std::unexpected(taken.error());
    // Without the mark this clone waits as long for its dead as it does for those of others.
    static_cast<void>(here.mark(file(slots), number).has_value());
    return Lock(std::make_unique<ServerSlot>(std::move(here), slots_, key));
  }

  Result<bool> is_held(Slots slots, std::int64_t number) override {
    if (TRY(SlotLock::is_held(file(slots), number))) return true;
    return slots_->is_held(key_of(slots, number));
  }

  Result<bool> is_gone(Slots slots, std::int64_t number) override {
    if (TRY(is_held(slots, number))) {
      gone_.erase({slots, number});
      return false;
    }
    // Of this clone's own, which were ever had here, the kernel says it: whoever had it is dead, or
    // has let it go.
    if (TRY(SlotLock::is_marked(file(slots), number))) return true;
    return believed(slots, number);
  }

  Status confirm(Slots slots, const std::vector<std::int64_t>& numbers) override {
    std::vector<std::int64_t> missing;
    for (const std::int64_t number : numbers) {
      if (!TRY(is_gone(slots, number))) missing.push_back(number);
    }
    const std::int64_t until_ms = monotonic_ms() + slots_->grace_ms();
    while (true) {
      std::vector<std::int64_t> still;
      for (const std::int64_t number : missing) {
        if (!TRY(is_held(slots, number))) still.push_back(number);
      }
      missing = std::move(still);
      if (missing.empty() || monotonic_ms() >= until_ms) break;
      SystemClock().sleep_ms(kPauseMs);
    }
    for (const std::int64_t number : missing) gone_[{slots, number}] = monotonic_ms();
    return {};
  }

  Status wait_free(Slots slots, std::int64_t number, std::int64_t deadline_ms) override {
    const std::int64_t begun_ms = monotonic_ms();
    while (TRY(is_held(slots, number))) {
      const std::int64_t waited_ms = monotonic_ms() - begun_ms;
      if (deadline_ms >= 0 && waited_ms >= deadline_ms) {
        return fail(Code::kTimeout, fmt::format("slot {} is still held", number));
      }
      SystemClock().sleep_ms(kPauseMs);
    }
    return {};
  }

 private:
  std::string file(Slots slots) const { return slots_file(place_.dir, slots); }
  static std::int64_t monotonic_ms() { return SystemClock().monotonic_ns() / 1'000'000; }
  bool believed(Slots slots, std::int64_t number) const {
    const auto found = gone_.find({slots, number});
    return found != gone_.end() && monotonic_ms() - found->second <= kBelievedMs;
  }

  std::int64_t key_of(std::string_view name) const {
    const std::string hex = sha256(place_.schema + "/" + std::string(name)).str().substr(0, 15);
    return std::strtoll(hex.c_str(), nullptr, 16);
  }
  std::int64_t key_of(Slots slots, std::int64_t number) const {
    return key_of(fmt::format("{}/{}", name_in(kSlotsNames, slots), number));
  }

  Result<std::shared_ptr<Session>> connected() {
    if (!session_) {
      session_ = std::make_shared<Session>(Session{
          TRY(db::Database::connect(place_.url, place_.schema, {.patience = place_.patience})),
          {},
          0});
    }
    // A statement outside of a transaction connects again where the connection was lost; then the
    // locks are lost too.
    TRY(session_->database.execute("SELECT 1"));
    if (session_->number != session_->database.session()) {
      session_->number = session_->database.session();
      session_->keys.clear();
    }
    return session_;
  }

  // kBusy when not had in time.
  Result<Lock> take(std::int64_t key, std::int64_t wait_ms) {
    const std::shared_ptr<Session> session = TRY(connected());
    if (session->keys.contains(key)) {
      if (wait_ms > 0) SystemClock().sleep_ms(wait_ms);
      return fail(Code::kBusy, "held by this process");
    }
    if (wait_ms > 0) {
      TRY(session->database.execute(fmt::format("SET lock_timeout = {}", wait_ms)));
      TRY(session->database.run("SELECT pg_advisory_lock(?)", key));
    } else if (!TRY(try_advisory_lock(session->database, key))) {
      return fail(Code::kBusy, "held");
    }
    session->keys.insert(key);
    return Lock(std::make_unique<ServerHeld>(session, key));
  }

  Location place_;
  std::shared_ptr<ServerSlots> slots_;
  std::shared_ptr<Session> session_;                             // of the named ones
  std::map<std::pair<Slots, std::int64_t>, std::int64_t> gone_;  // confirmed, and when
};

}  // namespace

std::unique_ptr<Locks> Locks::of(const Location& place) {
  if (place.on_server()) return std::make_unique<ServerLocks>(place);
  return std::make_unique<FileLocks>(place.dir);
}

}  // namespace gittxn::store
