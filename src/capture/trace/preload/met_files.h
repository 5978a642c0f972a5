// Regular files that this process has met: seen by a stat, or named so by the directory that lists
// them. Opening one needs no question what it is, as long as nothing has changed since, which the
// monitor counts (ring::Header::changes) before it lets a call go that may.
//
// Only what their paths hash to is kept. A forked child has what its parent met.
#pragma once

#include <linux/stat.h>

#include "capture/trace/preload/raw.h"
#include "capture/trace/preload/writer.h"

namespace gittxn::preload {

constexpr uint32_t kMetFiles = 256;

struct MetFiles {
  uint64_t at[kMetFiles];  // 0: none
};

// Both halves of a product, so that each bit counts for all places.
inline uint64_t stir(uint64_t hash, uint64_t value) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(hash ^ value) * 0x9e3779b97f4a7c15ull;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

__attribute__((noinline)) inline uint64_t hash_of(uint64_t hash, const char* text, size_t length) {
  hash = stir(hash, length);
  uint64_t word = 0;
  for (; length >= sizeof word; text += sizeof word, length -= sizeof word) {
    __builtin_memcpy(&word, text, sizeof word);
    hash = stir(hash, word);
  }
  word = 0;
  for (size_t i = 0; i < length; ++i) {
    word |= static_cast<uint64_t>(static_cast<unsigned char>(text[i])) << 8 * i;
  }
  return stir(hash, word);
}

inline uint64_t hash_of_directory(uint64_t changes, const char* path, size_t length) {
  return hash_of(changes, path, length == 1 ? 0 : length);
}
inline uint64_t hash_in(uint64_t directory, const char* name, size_t length) {
  return hash_of(directory, name, length) | 1;
}
// The hash of an absolute path: of its directory, then of its name, as a listing has them.
inline uint64_t hash_of_path(uint64_t changes, const char* path, size_t length) {
  size_t name = length;
  while (name > 1 && path[name - 1] != '/') --name;
  return hash_in(hash_of(changes, path, name - 1), path + name, length - name);
}

inline void meet(MetFiles* files, uint64_t hash) {
  __atomic_store_n(&files->at[(hash >> 1) % kMetFiles], hash, __ATOMIC_RELAXED);
}
inline bool is_met(const MetFiles* files, uint64_t hash) {
  return __atomic_load_n(&files->at[(hash >> 1) % kMetFiles], __ATOMIC_RELAXED) == hash;
}

// `entries` is what getdents64 wrote; each has its inode, the place of the next one, its size, its
// type and its name. `directory` is the hash of the directory's path.
inline void meet_listed(MetFiles* files, uint64_t directory, const char* entries, size_t size) {
  constexpr size_t kSize = 16, kType = 18, kName = 19;
  constexpr char kRegular = 8;
  for (size_t at = 0; at + kName < size;) {
    uint16_t step = 0;
    __builtin_memcpy(&step, entries + at + kSize, sizeof step);
    if (step <= kName || step > size - at) return;
    const char* name = entries + at + kName;
    size_t length = 0;
    while (length < step - kName && name[length] != '\0') ++length;
    if (entries[at + kType] == kRegular) meet(files, hash_in(directory, name, length));
    at += step;
  }
}

}  // namespace gittxn::preload
