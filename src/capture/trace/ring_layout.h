// Memory that the monitor and the preloaded library (preload/) share: the ring that path reads are
// written to, and the few words around it. Included by both, so it needs no library.
//
// A position is given to one call, ever; it belongs to the slot position % kSlots. The word of a
// slot says which position it is at and how far that one is, and every change of it is a
// compare-and-swap, so that either side can be stopped or killed between any two instructions:
//
//   kFree      its position has not been claimed yet
//   kClaimed   a writer fills it in; its call has not been made
//   kPending   whole; the call is being made
//   kDone      the call returned; error and mode are in the word
//   kVoid      the writer gave up and makes the call outside the page: it is notified
//   kRevoked   the monitor did not wait for the writer. Nobody else gets the slot before
//   kReleased  ... the writer saw that and let go; it makes its call outside the page
//
//   writer   free(p) -> claimed -> pending -> done; claimed -> void; revoked -> released
//   monitor  free(p), pending, done, void, released -> free(p + kSlots); claimed -> revoked
//
// A writer whose slot is not free(p) has no place: the ring is full, and its call is notified.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace gittxn::capture::ring {

inline constexpr uint32_t kSlots = 4096;
// One position in so many is not used: its call is notified, and that tells the monitor to drain.
inline constexpr uint32_t kWakeEvery = 512;
inline constexpr size_t kPathRoom = 224;
inline constexpr uint32_t kMaxProcesses = (1u << 24) - 1;

enum class Tag : uint64_t { kFree = 1, kClaimed, kPending, kDone, kVoid, kRevoked, kReleased };

constexpr uint64_t word(Tag tag, uint64_t position) {
  return static_cast<uint64_t>(tag) | (position & 0xffffffffu) << 4;
}
// error: 0, or what the call failed with; mode: st_mode, 0 unknown.
constexpr uint64_t done_word(uint64_t position, uint32_t error, uint32_t mode) {
  return word(Tag::kDone, position) | static_cast<uint64_t>(error & 0xfffu) << 36 |
         static_cast<uint64_t>(mode & 0xffffu) << 48;
}
constexpr Tag tag_of(uint64_t state) {
  return static_cast<Tag>(state & 15u);
}
constexpr uint32_t position_of(uint64_t state) {
  return static_cast<uint32_t>(state >> 4);
}
constexpr uint32_t error_of(uint64_t state) {
  return (state >> 36) & 0xfffu;
}
constexpr uint32_t mode_of(uint64_t state) {
  return static_cast<uint32_t>(state >> 48);
}

enum class Look : uint8_t { kOpen = 1, kStat, kAccess, kReadlink, kList };

struct Slot {
  uint64_t state;
  uint64_t time_ms;  // wall clock when it was claimed; 0 unknown
  uint32_t process;  // as its writer was numbered in `processes`
  uint32_t flags;    // as passed; kList: the descriptor
  uint16_t length;   // of path, without an end mark
  Look look;
  uint8_t nofollow;
  char path[kPathRoom];
  char unused[4];
};
static_assert(sizeof(Slot) == 256);

struct Header {
  uint8_t run[16];              // as in Config: that this is the ring meant
  alignas(64) uint64_t closed;  // not 0: the library writes no more
  uint64_t epoch;               // changes when paths of directories are about to change
  uint64_t moving;              // not 0: such a call has not returned; relative paths are notified
  uint64_t changes;             // how many calls that may change something were let go
  uint64_t others;              // how many calls were let go that no library made
  alignas(64) uint64_t tail;    // the next position
  uint64_t processes;           // how many numbers were given out
};

inline constexpr uint32_t kMet = 1024;

struct Shared {
  Header header;
  uint32_t met[kMet];  // at number % kMet: the monitor knows who has this number
  alignas(64) Slot slots[kSlots];
};

// The library's call numbers are those of libc. In a call that it makes outside the page the sixth
// argument, which no path call has, carries who makes it.
constexpr uint64_t greeting(uint64_t secret, uint32_t process) {
  return secret << 24 | (process & 0xffffffu);
}

enum Bug : uint32_t {
  kDropWhenFull = 1,
  kKeepNumberAfterFork = 2,
  kForgetToAskCwd = 4,
  kNumberOfAChild = 8,  // that libc starts in our memory
  kKeepDescriptors = 16,
};

// In the library's file; what is not constant is put in when the file is written.
struct Config {
  uint8_t marker[16];
  uint8_t run[16];
  uint64_t page;    // where the allowed page is
  uint64_t secret;  // 40 bits, for greetings
  char ring[64];    // path of the shared memory
  uint32_t bugs;    // injected ones, for tests
  uint32_t unused;
};
inline constexpr uint8_t kMarker[16] = {0x67, 0x69, 0x74, 0x2d, 0x74, 0x78, 0x6e, 0x00,
                                        0xd1, 0x7c, 0x3e, 0xa5, 0x90, 0x4b, 0xe8, 0x26};

}  // namespace gittxn::capture::ring
