#include "capture/trace/ring.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/random.h"

namespace gittxn::capture {

namespace {

using ring::Look;
using ring::Slot;
using ring::Tag;

// Between the highest place of a position-independent program with its heap and the lowest of the
// memory that is mapped without an address, whatever the kernel's randomness: nothing else is here.
constexpr std::uint64_t kFirstPage = 0x6800'0000'0000;
constexpr std::uint64_t kPages = 1u << 30;
constexpr std::uint64_t kPageSize = 4096;
constexpr std::uint64_t kSecretBits = 40;
// Positions that were given out and not drained: as many as there are slots, and some that found no
// place, but then each made a call that drained.
constexpr std::uint64_t kMostBehind = ring::kSlots + (1u << 17);
constexpr std::uint32_t kWriteFlags = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
constexpr std::uint64_t kLatest = 253'402'300'800'000;  // the year 10000; more is no time
constexpr int kLooks = 64;  // at an entry that is being filled in, before it is revoked

std::atomic_ref<std::uint64_t> word_of(std::uint64_t& word) {
  return std::atomic_ref<std::uint64_t>(word);
}

std::unexpected<Error> damaged(std::string_view what, std::uint64_t position) {
  return fail(Code::kCorrupt,
              fmt::format("the ring of the trace is damaged: {} at position {}", what, position));
}

}  // namespace

Result<std::unique_ptr<Ring>> Ring::create(std::uint32_t bugs) {
  static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free);
  std::unique_ptr<Ring> ring(new Ring);
  ring->memory_ = UniqueFd(::memfd_create("git-txn-trace", MFD_CLOEXEC));
  if (!ring->memory_.valid()) return fail_errno(errno, "make shared memory");
  if (::ftruncate(ring->memory_.get(), sizeof(ring::Shared)) != 0 ||
      ::fchmod(ring->memory_.get(), 0600) != 0) {
    return fail_errno(errno, "set up shared memory");
  }
  // All of it is written to at once.
  void* got = ::mmap(nullptr, sizeof(ring::Shared), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_POPULATE, ring->memory_.get(), 0);
  if (got == MAP_FAILED) return fail_errno(errno, "map shared memory");
  ring->shared_ = static_cast<ring::Shared*>(got);
  Random random;
  ring::Config& config = ring->config_;
  std::copy(std::begin(ring::kMarker), std::end(ring::kMarker), config.marker);
  for (std::uint8_t& byte : config.run) byte = static_cast<std::uint8_t>(random.next());
  config.page = kFirstPage + random.next() % kPages * kPageSize;
  config.secret = random.next() >> (64 - kSecretBits);
  config.bugs = bugs;
  const std::string name = fmt::format("/proc/{}/fd/{}", ::getpid(), ring->memory_.get());
  std::copy(name.begin(), name.end(), config.ring);
  std::copy(std::begin(config.run), std::end(config.run), ring->shared_->header.run);
  for (std::uint32_t i = 0; i < ring::kSlots; ++i) {
    word_of(ring->shared_->slots[i].state) = ring::word(Tag::kFree, i);
  }
  return ring;
}

Ring::~Ring() {
  if (shared_ != nullptr) ::munmap(shared_, sizeof(ring::Shared));
}

void Ring::greets(std::uint64_t argument, pid_t process) {
  if (!is_greeting(argument)) return;
  const auto number = static_cast<std::uint32_t>(argument & ring::kMaxProcesses);
  const auto owner = processes_.find(number);
  if (owner != processes_.end() && owner->second != process) return;
  std::uint32_t& mine = numbers_[process];
  if (mine > number) return;
  if (mine != number) {
    if (mine != 0) leaving_.push_back({mine, mark()});  // of the program it ran before
    mine = number;
    processes_[number] = process;
    if (processes_.size() > limit_) find_the_dead();
  }
  std::atomic_ref<std::uint32_t>(shared_->met[number % ring::kMet]) = number;
}

void Ring::find_the_dead() {
  std::erase_if(numbers_, [this](const auto& item) {
    const bool dead = ::kill(item.first, 0) != 0 && errno == ESRCH;
    if (dead) leaving_.push_back({item.second, mark()});
    return dead;
  });
  limit_ = std::max<std::size_t>(1u << 12, 2 * numbers_.size());
}

void Ring::directories_change() {
  word_of(shared_->header.epoch).fetch_add(1);
}

void Ring::something_changes() {
  word_of(shared_->header.changes).fetch_add(1);
}

void Ring::another_calls() {
  word_of(shared_->header.others).fetch_add(1);
}

void Ring::set_directories(Directories now) {
  word_of(shared_->header.moving) = now == Directories::kMove ? 1 : 0;
}

std::uint64_t Ring::mark() const {
  return word_of(shared_->header.tail).load();
}

void Ring::close() {
  word_of(shared_->header.closed) = 1;
}

// Moves the slot of a position on to its next one, unless its writer still has it.
Result<Ring::Step> Ring::take(std::uint64_t position, Slot* entry) {
  Slot& slot = shared_->slots[position % ring::kSlots];
  std::atomic_ref<std::uint64_t> state = word_of(slot.state);
  const std::uint64_t next = ring::word(Tag::kFree, position + ring::kSlots);
  int looks = 0;
  while (true) {
    std::uint64_t seen = state.load();
    const Tag tag = ring::tag_of(seen);
    if (tag < Tag::kFree || tag > Tag::kReleased) {
      return damaged("a state that no entry has", position);
    }
    const bool elsewhere = ring::position_of(seen) != static_cast<std::uint32_t>(position);
    if (elsewhere && tag == Tag::kFree) {
      return damaged("a slot that is free for another call", position);
    }
    if (elsewhere && tag < Tag::kRevoked) return damaged("an entry out of its place", position);
    if (tag == Tag::kRevoked) return Step::kNothing;
    const bool claimed = tag == Tag::kClaimed;
    if (claimed && ++looks < kLooks) continue;
    const bool filled_in = tag == Tag::kPending || tag == Tag::kDone;
    if (filled_in) {
      // All but the state, which its writer may be changing, and what is behind the path.
      constexpr std::size_t kFirst = offsetof(Slot, time_ms);
      std::memcpy(&entry->time_ms, &slot.time_ms, offsetof(Slot, path) - kFirst);
      std::memcpy(entry->path, slot.path, std::min<std::size_t>(entry->length, sizeof slot.path));
      entry->state = seen;
    }
    if (state.compare_exchange_strong(seen, claimed ? ring::word(Tag::kRevoked, position) : next)) {
      return filled_in ? Step::kEntry : Step::kNothing;
    }
  }
}

// All records of the ring have the same parts, so nothing is left of the one before.
Status Ring::tell(const Slot& entry, Record& record) const {
  const std::uint64_t position = ring::position_of(entry.state);
  const auto process = processes_.find(entry.process);
  if (process == processes_.end()) return damaged("an entry of nobody", position);
  if (entry.look < Look::kOpen || entry.look > Look::kList) return damaged("no look", position);
  if (entry.look == Look::kOpen && (entry.flags & kWriteFlags) != 0) {
    return damaged("an entry that writes", position);
  }
  if (entry.nofollow > 1 || entry.length == 0 || entry.length > sizeof entry.path ||
      entry.path[0] != '/' || ::strnlen(entry.path, entry.length) != entry.length) {
    return damaged("an entry without a path", position);
  }
  constexpr Op kOps[] = {Op::kOpenRead, Op::kStat, Op::kAccess, Op::kReadlink, Op::kList};
  const bool opens_path = entry.look == Look::kOpen && (entry.flags & O_PATH) != 0;
  record.seq = 0;
  record.again = false;
  record.op = opens_path ? Op::kStat : kOps[static_cast<std::size_t>(entry.look) - 1];
  record.pid = process->second;
  record.path.assign(entry.path, entry.length);
  record.flags = entry.flags;
  record.nofollow = entry.nofollow != 0;
  record.assumed = ring::tag_of(entry.state) == Tag::kPending;
  record.result = -static_cast<std::int32_t>(ring::error_of(entry.state));
  record.mode = ring::mode_of(entry.state);
  record.time_ms = entry.time_ms <= kLatest ? static_cast<std::int64_t>(entry.time_ms) : 0;
  return {};
}

Status Ring::drain(std::uint64_t mark, const std::function<void(Record&)>& sink) {
  if (mark < head_ || mark - head_ > kMostBehind) {
    close();
    return damaged("its end", mark);
  }
  Slot entry;
  Record record;
  for (; head_ < mark; ++head_) {
    const Result<Step> step = take(head_, &entry);
    if (step && *step == Step::kNothing) continue;
    const Status told = step ? tell(entry, record) : std::unexpected(step.error());
    if (!told) {
      close();
      return told;
    }
    sink(record);
  }
  std::erase_if(leaving_, [this](const Leaving& gone) {
    if (gone.mark > head_) return false;
    processes_.erase(gone.number);
    return true;
  });
  return {};
}

}  // namespace gittxn::capture
