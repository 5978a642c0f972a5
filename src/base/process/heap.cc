#include "base/heap.h"

#include <malloc.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <memory>

namespace gittxn {

void prefer_large_pages() {
  constexpr int kReserved = 24 << 20;
  constexpr std::uintptr_t kLarge = 2u << 20;
  // The block comes from the end of the heap, and stays there when it is free.
  if (::mallopt(M_MMAP_THRESHOLD, kReserved + (1 << 20)) == 0) return;
  if (::mallopt(M_TRIM_THRESHOLD, 4 * kReserved) == 0) return;
  const std::unique_ptr<void, void (*)(void*)> block(std::malloc(kReserved), std::free);
  if (block == nullptr) return;
  const auto from = reinterpret_cast<std::uintptr_t>(block.get());
  const std::uintptr_t begin = (from + kLarge - 1) / kLarge * kLarge;
  const std::uintptr_t end = (from + kReserved) / kLarge * kLarge;
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace gittxn
