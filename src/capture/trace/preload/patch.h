// Sending libc's own calls of its functions to ours: realpath calls readlink, opendir and fopen
// call open, readdir calls getdents64, and no symbol stands between that a library could take.
//
// The beginning of such a function is overwritten with a jump, which is done only where it is
// certain that it is that function: it must make its system call within the first bytes, in the
// one way compilers write it. While a page can be written it cannot be executed; there is one
// thread, and signals are held back. What is not certain is left alone.
#pragma once

#include "capture/trace/preload/raw.h"

extern "C" __attribute__((weak)) void* dlsym(void* handle, const char* name);
// NOLINTNEXTLINE(bugprone-reserved-identifier): libc's name
extern "C" __attribute__((weak)) char __libc_single_threaded;

namespace gittxn::preload {

struct Patch {
  const char* name;
  uint32_t number;  // of its system call
  void* replacement;
};

inline constexpr long kSeen = 96;  // bytes of a function that are looked at
inline constexpr size_t kMaxPatches = 8;
inline constexpr unsigned char kEndbr[4] = {0xf3, 0x0f, 0x1e, 0xfa};

// "mov $number, %eax" and a system call not far behind it.
inline bool makes_call(const unsigned char* code, uint32_t number) {
  constexpr long kMove = 5, kNear = 24;
  for (long at = 0; at + kMove < kSeen; ++at) {
    if (code[at] != 0xb8 || !same(code + at + 1, &number, sizeof number)) continue;
    for (long next = at + kMove; next < at + kNear && next + 1 < kSeen; ++next) {
      if (code[next] == 0x0f && code[next + 1] == 0x05) return true;
    }
  }
  return false;
}

struct Site {
  unsigned char* code;
  unsigned char jump[12];
  size_t size;
};

inline bool prepare(const Patch& patch, Site* site) {
  constexpr long kThisIsNext = -1;  // RTLD_NEXT
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  auto* code = static_cast<unsigned char*>(dlsym(reinterpret_cast<void*>(kThisIsNext), patch.name));
  if (code == nullptr || !makes_call(code, patch.number)) return false;
  site->code = code;
  site->size = 0;
  if (same(code, kEndbr, sizeof kEndbr)) {
    copy(site->jump, kEndbr, sizeof kEndbr);
    site->size = sizeof kEndbr;
  }
  constexpr long kJump = 5, kReach = 0x7fff0000;
  const long from = arg(code) + static_cast<long>(site->size) + kJump;
  const long distance = arg(patch.replacement) - from;
  if (distance > kReach || distance < -kReach) return false;
  const auto relative = static_cast<int32_t>(distance);
  site->jump[site->size] = 0xe9;
  copy(site->jump + site->size + 1, &relative, sizeof relative);
  site->size += kJump;
  return true;
}

struct Sites {
  Site at[kMaxPatches];
  size_t count = 0;
  long low = 0, high = 0;  // the pages they are in
};

inline void find_sites(const Patch* patches, size_t count, Sites* sites) {
  constexpr long kPageMask = ~4095L;
  for (size_t i = 0; i < count && i < kMaxPatches; ++i) {
    Site* site = &sites->at[sites->count];
    if (!prepare(patches[i], site)) continue;
    const long first = arg(site->code) & kPageMask;
    const long last = (arg(site->code) + static_cast<long>(site->size) + 4095) & kPageMask;
    if (sites->count == 0 || first < sites->low) sites->low = first;
    if (sites->count == 0 || last > sites->high) sites->high = last;
    ++sites->count;
  }
}

inline bool is_single_threaded() {
  return dlsym != nullptr && &__libc_single_threaded != nullptr && __libc_single_threaded != 0;
}

// False: nothing was written.
inline bool overwrite(const Sites& sites) {
  constexpr long kRead = 1, kWrite = 2, kExec = 4, kMostSpan = 4L << 20;
  const long span = sites.high - sites.low;
  if (sites.count == 0 || span > kMostSpan) return false;  // not one library
  constexpr long kSetMask = 2;
  const uint64_t all = ~0ull;
  uint64_t before = 0;
  if (raw(__NR_rt_sigprocmask, {kSetMask, arg(&all), arg(&before), 8}) != 0) return false;
  const bool writable = raw(__NR_mprotect, {sites.low, span, kRead | kWrite}) == 0;
  if (writable) {
    for (size_t i = 0; i < sites.count; ++i) {
      copy(sites.at[i].code, sites.at[i].jump, sites.at[i].size);
    }
    // Code that cannot be executed again would end the program at its next call of libc.
    if (raw(__NR_mprotect, {sites.low, span, kRead | kExec}) != 0) {
      raw(__NR_kill, {raw(__NR_getpid, {}), 9});
    }
  }
  raw(__NR_rt_sigprocmask, {kSetMask, arg(&before), 0, 8});
  return writable;
}

}  // namespace gittxn::preload
