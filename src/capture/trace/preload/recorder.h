// Writing a path read into the ring: before the call what it asks, after it what it answered.
//
// No locks, no memory, no libc; a signal may come between any two instructions, and its handler may
// record too. Whatever stands in the way (a full ring, a long path, a process that shares its
// memory with its parent, directories that are being moved) makes begin() say no, and the caller
// then makes the call outside the page: the monitor sees it.
#pragma once

#include <asm/stat.h>
#include <linux/fcntl.h>

#include "capture/trace/preload/met_files.h"
#include "capture/trace/preload/raw.h"
#include "capture/trace/preload/writer.h"

// Named otherwise here, to need no header of libc.
extern "C" __attribute__((weak)) int libc_clock_gettime(int clock,
                                                        void* time) __asm__("clock_gettime");

namespace gittxn::preload {

using ring::Look;

// Filled in by the monitor when it writes the library's file.
extern "C" const volatile ring::Config txn_config;

struct Wanted {
  Look look;
  uint8_t nofollow;
  uint32_t flags;
  int dir;
  const char* path;  // nullptr: `dir` itself
};

// A path that was asked for once. Readers copy it and look whether `version` is still the same and
// even; a writer that finds it odd leaves it alone.
struct Remembered {
  uint32_t version;
  uint32_t length;
  uint64_t epoch;
  uint64_t key[3];
  char path[ring::kPathRoom];
};

constexpr uint32_t kDirectories = 8;
constexpr uint32_t kBeingNumbered = 0xffffffffu;

// This process's own. The kernel empties it in a forked child, so that a child is never taken for
// its parent. One that shares its parent's memory has another pid than the one in here, which is
// asked for only while there can be such a child (txn_sharers), or where libc may call from it.
struct alignas(4096) Process {
  uint32_t pid;
  uint32_t number;   // in the ring's records
  uint32_t greeted;  // the monitor knows the number
  uint32_t chdirs;   // under way
  uint32_t started;  // the pid of the one that ran the library's start; 0 in a forked child
  uint64_t chdirs_done;
  Remembered cwd;
  Remembered directories[kDirectories];
  uint64_t standing[kDirectories];  // standing_word() of a descriptor that is the remembered one
  uint32_t asked;                   // how often it was asked what a descriptor is
  uint32_t parts;                   // of the ring, a bit each, that fetch_part() has fetched
};

struct Library {
  ring::Shared* shared;
  PageCall page;
  MetFiles met;
  uint32_t sees_ends;  // of descriptors (ends.h)
};
// Not 0: a sandbox was put up, no call is made but the one asked for.
extern "C" __attribute__((visibility("hidden"))) uint32_t txn_plain;
// How many children may be running in this process's memory. Counted by vfork; what a forked child
// inherits of it only costs it time.
extern "C" __attribute__((visibility("hidden"))) uint32_t txn_sharers;
// How many calls were made that give numbers of descriptors another meaning, but for those of one
// number that ends.h sees.
extern "C" __attribute__((visibility("hidden"))) uint32_t txn_moved;
// Not 0: a thread has descriptors of its own, so that a number says little.
extern "C" __attribute__((visibility("hidden"))) uint32_t txn_parted;
extern Library library;
extern Process process;

inline bool bug(ring::Bug which) {
  return (txn_config.bugs & which) != 0;
}

inline uint32_t own_pid() {
  return static_cast<uint32_t>(raw(__NR_getpid, {}));
}

// Gives this process its number. False: it is being given, or there is none left.
inline bool adopt(uint32_t pid) {
  if (!swap(&process.pid, 0u, kBeingNumbered)) return false;
  ring::Header& header = library.shared->header;
  const uint64_t number = __atomic_add_fetch(&header.processes, 1, __ATOMIC_SEQ_CST);
  process.number = number <= ring::kMaxProcesses ? static_cast<uint32_t>(number) : 0;
  store(&process.pid, pid);
  return true;
}

enum class Who { kStranger, kUnknown, kGreeted };
enum class Caller { kProgram, kLibc };
inline Who who_am_i(Caller caller = Caller::kProgram) {
  if (library.shared == nullptr || txn_plain != 0 || load(&library.shared->header.closed) != 0) {
    return Who::kStranger;
  }
  if (bug(ring::kKeepNumberAfterFork) && load(&process.greeted) != 0) return Who::kGreeted;
  const bool shared = load(&txn_sharers) != 0;
  const uint32_t known = load(&process.pid);
  if (known == 0) {
    const uint32_t mine = shared ? 0 : own_pid();
    const bool is_owner = caller == Caller::kProgram || load(&process.started) == mine;
    if (mine == 0 || !(is_owner || bug(ring::kNumberOfAChild)) || !adopt(mine)) {
      return Who::kStranger;
    }
  }
  if (known == kBeingNumbered || process.number == 0) return Who::kStranger;
  if (known != 0 && (shared || caller == Caller::kLibc) && known != own_pid()) {
    return Who::kStranger;
  }
  return load(&process.greeted) != 0 ? Who::kGreeted : Who::kUnknown;
}

// Outside the page: notified. Tells the monitor who this is, unless it is somebody in disguise. A
// signal that comes before the monitor has looked interrupts the call, which but for open no caller
// expects: then it is made again.
inline long notified(Who who, long number, const Args& args) {
  constexpr long kInterrupted = -4;
  const uint32_t mine = who == Who::kStranger ? 0 : process.number;
  const uint64_t last = mine == 0 ? 0 : ring::greeting(txn_config.secret, mine);
  long result = 0;
  do {
    result = raw(number, args, last);
  } while (result == kInterrupted && number != __NR_openat);
  // Another filter may have answered it before the monitor saw it.
  if (who == Who::kUnknown && load(&library.shared->met[mine % ring::kMet]) == mine) {
    store(&process.greeted, 1u);
  }
  return result;
}

// Directories stand still: none is being moved by anybody, and this process changes none.
struct Stillness {
  uint64_t epoch, chdirs_done;
  static bool now(Stillness* out) {
    out->epoch = load(&library.shared->header.epoch);
    out->chdirs_done = load(&process.chdirs_done);
    return load(&library.shared->header.moving) == 0 && load(&process.chdirs) == 0;
  }
  bool lasts() const {
    Stillness later{};
    return now(&later) && later.epoch == epoch && later.chdirs_done == chdirs_done;
  }
};

// With the beginning of the key, or all of it.
template <size_t kWords>
size_t recall(Remembered* from, uint64_t epoch, const uint64_t (&key)[kWords], char* out) {
  const uint32_t version = load(&from->version);
  bool known = true;
  for (size_t i = 0; i < kWords; ++i) known = known && from->key[i] == key[i];
  if ((version & 1u) != 0 || from->epoch != epoch || !known) return 0;
  const size_t length = from->length;
  if (length == 0 || length > ring::kPathRoom) return 0;
  copy(out, from->path, length);
  return load(&from->version) == version ? length : 0;
}

inline void remember(Remembered* at, uint64_t epoch, const uint64_t (&key)[3], const char* path,
                     size_t length) {
  const uint32_t version = load(&at->version);
  if ((version & 1u) != 0 || !swap(&at->version, version, version + 1)) return;
  at->epoch = epoch;
  copy(at->key, key, sizeof key);
  copy(at->path, path, length);
  at->length = static_cast<uint32_t>(length);
  store(&at->version, version + 2);
}

// The length of the current directory's path in `out`; 0: ask the monitor.
inline size_t current_directory(char* out) {
  Stillness still{};
  if (!Stillness::now(&still)) return 0;
  const uint64_t key[3] = {bug(ring::kForgetToAskCwd) ? 0 : still.chdirs_done, 0, 0};
  if (const size_t known = recall(&process.cwd, still.epoch, key, out); known != 0) return known;
  const long size = raw(__NR_getcwd, {arg(out), arg(ring::kPathRoom)});
  if (size < 2 || out[0] != '/' || !still.lasts()) return 0;
  const size_t length = static_cast<size_t>(size) - 1;
  remember(&process.cwd, still.epoch, key, out, length);
  return length;
}

// See ends.h.
void watch_ends();
void forget(int fd);

// A number of a descriptor, and how often numbers were given another meaning that it is not known
// of which; 0: a number too large.
constexpr uint64_t kNumber = (1u << 24) - 1;
inline uint64_t standing_word(int fd) {
  const uint64_t number = static_cast<uint64_t>(fd) + 1;
  if (number > kNumber) return 0;
  if (bug(ring::kKeepDescriptors)) return number;
  const uint64_t moved = load(&txn_moved) + load(&library.shared->header.others);
  return moved << 24 | number;
}

// The path of a descriptor's directory, as the kernel tells it or as it was remembered for the
// same inode; asking for it costs ten times as much as asking for the inode.
inline size_t asked_path(int fd, const Stillness& still, Remembered* at, char* out) {
  struct stat info;
  if (raw(__NR_fstat, {fd, arg(&info)}) != 0) return 0;
  if ((info.st_mode & 0170000u) != 0040000u) return 0;  // no directory
  const uint64_t key[3] = {static_cast<uint64_t>(fd) + 1, info.st_dev, info.st_ino};
  if (const size_t known = recall(at, still.epoch, key, out); known != 0) return known;
  char name[40] = "/proc/thread-self/fd/";
  size_t end = 21;
  char digits[12];
  size_t count = 0;
  for (int rest = fd; count == 0 || rest != 0; rest /= 10) {
    digits[count++] = static_cast<char>('0' + rest % 10);
  }
  while (count > 0) name[end++] = digits[--count];
  name[end] = '\0';
  const long size = library.page(__NR_readlink, arg(name), arg(out), arg(ring::kPathRoom), 0, 0);
  if (size < 1 || out[0] != '/' || size >= static_cast<long>(ring::kPathRoom)) return 0;
  constexpr char kDeleted[] = " (deleted)";
  constexpr long kTail = sizeof kDeleted - 1;
  if (size > kTail && same(out + size - kTail, kDeleted, kTail)) return 0;
  if (!still.lasts()) return 0;
  remember(at, still.epoch, key, out, static_cast<size_t>(size));
  return static_cast<size_t>(size);
}

// The same as current_directory() for a descriptor. It is asked each time that it still is the
// same directory, unless it is known to be (ends.h).
inline size_t descriptor_path(int fd, char* out) {
  constexpr uint32_t kEnough = 64;  // calls, after which a process will make more
  Stillness still{};
  if (fd < 0 || !Stillness::now(&still)) return 0;
  const uint32_t place = static_cast<uint32_t>(fd) % kDirectories;
  Remembered* at = &process.directories[place];
  // Before it is asked: what comes later makes this word an old one.
  const uint64_t word = standing_word(fd);
  if (word != 0 && load(&process.standing[place]) == word) {
    const uint64_t key[1] = {static_cast<uint64_t>(fd) + 1};
    if (const size_t known = recall(at, still.epoch, key, out); known != 0) return known;
  }
  if (__atomic_add_fetch(&process.asked, 1, __ATOMIC_RELAXED) == kEnough) watch_ends();
  const size_t length = asked_path(fd, still, at, out);
  const bool believed = load(&library.sees_ends) != 0 && load(&txn_parted) == 0;
  if (length != 0 && believed) store(&process.standing[place], word);
  return length;
}

inline bool starts(const char* text, size_t length, const char* with, size_t size) {
  return length >= size && same(text, with, size);
}

// Below /proc and /dev, but for shared memory, names mean something else for each process: only the
// monitor tells them.
inline bool has_alias(const char* path, size_t length) {
  if (starts(path, length, "/proc/", 6)) return true;
  if (!starts(path, length, "/dev/", 5) || starts(path, length, "/dev/shm/", 9)) return false;
  return length != 9 || !same(path, "/dev/null", 9);
}

// The absolute path as the monitor would put it together; 0: it has to.
inline size_t compose(const Wanted& wanted, char* out) {
  if (wanted.path == nullptr) return descriptor_path(wanted.dir, out);
  size_t length = 0;
  if (wanted.path[0] != '/') {
    length = wanted.dir == AT_FDCWD ? current_directory(out) : descriptor_path(wanted.dir, out);
    if (length == 0) return 0;
    if (length > 1) {
      if (length == ring::kPathRoom) return 0;
      out[length++] = '/';
    }
  }
  for (const char* from = wanted.path; *from != '\0'; ++from) {
    if (length == ring::kPathRoom) return 0;
    out[length++] = *from;
  }
  return has_alias(out, length) ? 0 : length;
}

// Not the coarse clock, which is up to a tick behind: a look must not seem to come before the agent
// said that it begins.
inline uint64_t wall_ms() {
  constexpr int kRealtime = 0;
  int64_t time[2] = {0, 0};
  if (libc_clock_gettime == nullptr || libc_clock_gettime(kRealtime, time) != 0) return 0;
  return static_cast<uint64_t>(time[0] * 1000 + time[1] / 1'000'000);
}

// A place in the ring with everything in it but the result; no slot: make the call outside.
struct Entry {
  ring::Slot* slot = nullptr;
  uint64_t position = 0;
  uint64_t changes = 0;  // before the call
  uint64_t path = 0;     // its hash (met_files.h); of a listing that of the directory
  bool special = false;  // below /sys or /dev
};

inline void describe(const char* path, size_t length, Look look, Entry* entry) {
  entry->special = starts(path, length, "/sys/", 5) || starts(path, length, "/dev/", 5);
  if (look == Look::kList) {
    entry->path = hash_of_directory(entry->changes, path, length);
  } else if (look == Look::kOpen || look == Look::kStat) {
    entry->path = hash_of_path(entry->changes, path, length);
  }
}

// One fault for each page of the ring adds up where faults are dear, as in virtual machines: 3 ms
// for all of it in one of those, and half of that so. A kernel before 5.14 does not do it.
inline void fetch_part(const ring::Slot* slots, uint64_t position) {
  constexpr size_t kParts = 32, kSlotsOfPart = ring::kSlots / kParts;
  constexpr long kPageMask = ~4095L, kPopulateWrite = 23;
  const size_t part = position % ring::kSlots / kSlotsOfPart;
  if ((load(&process.parts) & 1u << part) != 0) return;
  __atomic_fetch_or(&process.parts, 1u << part, __ATOMIC_RELAXED);
  const long from = arg(slots + part * kSlotsOfPart) & kPageMask;
  const long end = (arg(slots + (part + 1) * kSlotsOfPart) + 4095) & kPageMask;
  raw(__NR_madvise, {from, end - from, kPopulateWrite});
}

inline Entry begin(const Wanted& wanted) {
  Entry entry;
  ring::Slot* slot = claim(library.shared, &entry.position);
  if (slot == nullptr) return entry;
  fetch_part(&library.shared->slots[0], entry.position);
  entry.changes = load(&library.shared->header.changes);
  // Not before the claim: what was claimed before directories move is recorded before that, and so
  // must have its path from before.
  const size_t length = compose(wanted, slot->path);
  if (length == 0) {
    abandon(slot, entry.position);
    return entry;
  }
  describe(slot->path, length, wanted.look, &entry);
  slot->process = process.number;
  slot->flags = wanted.flags;
  slot->length = static_cast<uint16_t>(length);
  slot->look = wanted.look;
  slot->nofollow = wanted.nofollow;
  slot->time_ms = wall_ms();
  if (publish(slot, entry.position)) entry.slot = slot;
  return entry;
}

}  // namespace gittxn::preload
