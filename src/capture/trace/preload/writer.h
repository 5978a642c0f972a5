// One entry of the ring, from its writer's side: claimed, filled in, published, completed. What it
// may find at each step is in ring_layout.h; no step waits for anybody.
#pragma once

#include "capture/trace/ring_layout.h"

namespace gittxn::preload {

namespace ring = capture::ring;

template <typename T>
T load(const T* from) {
  return __atomic_load_n(from, __ATOMIC_SEQ_CST);
}
template <typename T>
void store(T* to, T value) {
  __atomic_store_n(to, value, __ATOMIC_SEQ_CST);
}
template <typename T>
bool swap(T* at, T from, T to) {
  return __atomic_compare_exchange_n(at, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

// The monitor had the entry last: it is asked of the other processor some calls before its turn,
// and comes while those are made.
inline void fetch_ahead(ring::Shared* shared, uint64_t at) {
  constexpr uint64_t kAhead = 8;
  constexpr size_t kLine = 64, kFetched = 2 * kLine;
  const char* slot = reinterpret_cast<const char*>(&shared->slots[(at + kAhead) % ring::kSlots]);
  for (size_t line = 0; line < kFetched; line += kLine) __builtin_prefetch(slot + line, 1);
}

// nullptr: there is no place, or this call is the one that wakes the monitor.
inline ring::Slot* claim(ring::Shared* shared, uint64_t* position) {
  const uint64_t at = __atomic_fetch_add(&shared->header.tail, 1, __ATOMIC_SEQ_CST);
  *position = at;
  fetch_ahead(shared, at);
  if (at % ring::kWakeEvery == ring::kWakeEvery - 1) return nullptr;
  ring::Slot* slot = &shared->slots[at % ring::kSlots];
  const bool mine =
      swap(&slot->state, ring::word(ring::Tag::kFree, at), ring::word(ring::Tag::kClaimed, at));
  return mine ? slot : nullptr;
}

// The call will be made outside.
inline void abandon(ring::Slot* slot, uint64_t position) {
  using ring::Tag;
  using ring::word;
  if (swap(&slot->state, word(Tag::kClaimed, position), word(Tag::kVoid, position))) return;
  swap(&slot->state, word(Tag::kRevoked, position), word(Tag::kReleased, position));
}

// False: the monitor did not wait; the call has to be made outside.
inline bool publish(ring::Slot* slot, uint64_t position) {
  using ring::Tag;
  using ring::word;
  if (swap(&slot->state, word(Tag::kClaimed, position), word(Tag::kPending, position))) return true;
  abandon(slot, position);
  return false;
}

// The monitor may have taken the entry without this; then it counts as it stood.
inline void complete(ring::Slot* slot, uint64_t position, uint32_t error, uint32_t mode) {
  swap(&slot->state, ring::word(ring::Tag::kPending, position),
       ring::done_word(position, error, mode));
}

}  // namespace gittxn::preload
