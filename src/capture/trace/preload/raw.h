// System calls without libc, from the library's own code (the filter notifies path calls from here)
// and from the allowed page. Results are the kernel's: -errno on failure.
#pragma once

#include <asm/unistd.h>
#include <stddef.h>
#include <stdint.h>

#include <type_traits>

namespace gittxn::preload {

struct Args {
  long a = 0, b = 0, c = 0, d = 0, e = 0;
};

// `last` is the sixth argument. Nothing of it stays in its register, which the program's own calls,
// and those of a child it forks, would take to the kernel.
inline long raw(long number, const Args& args, uint64_t last = 0) {
  long result = 0;
  register long r10 __asm__("r10") = args.d;
  register long r8 __asm__("r8") = args.e;
  register uint64_t r9 __asm__("r9") = last;
  __asm__ volatile(
      "syscall\n"
      "xor %%r9d, %%r9d"
      : "=a"(result), "+r"(r9)
      : "0"(number), "D"(args.a), "S"(args.b), "d"(args.c), "r"(r10), "r"(r8)
      : "rcx", "r11", "memory");
  return result;
}

template <typename T>
long arg(T value) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<long>(value);
  } else {
    return static_cast<long>(value);
  }
}

inline constexpr long kFirstError = -4095;
inline bool failed(long result) {
  return result < 0 && result >= kFirstError;
}

// The code of the page: f(number, a, b, c, d, e) -> result. Copied from here.
using PageCall = long (*)(long number, long a, long b, long c, long d, long e);
extern "C" const unsigned char txn_page_code[] __attribute__((visibility("hidden")));
extern "C" const unsigned char txn_page_code_end[] __attribute__((visibility("hidden")));

// volatile keeps the compiler from calling libc for it.
inline void copy(void* to, const void* from, size_t size) {
  auto* out = static_cast<unsigned char*>(to);
  const auto* in = static_cast<const unsigned char*>(from);
  for (; size >= 16; out += 16, in += 16, size -= 16) {
    __asm__ volatile("movups (%1), %%xmm0\n movups %%xmm0, (%0)"
                     :
                     : "r"(out), "r"(in)
                     : "xmm0", "memory");
  }
  __asm__ volatile("rep movsb" : "+D"(out), "+S"(in), "+c"(size) : : "memory");
}

inline bool same(const void* a, const void* b, size_t size) {
  const auto* left = static_cast<const volatile unsigned char*>(a);
  const auto* right = static_cast<const volatile unsigned char*>(b);
  for (size_t i = 0; i < size; ++i) {
    if (left[i] != right[i]) return false;
  }
  return true;
}

}  // namespace gittxn::preload
