#include "base/heap.h"

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace gittxn {

void prefer_large_pages() {
  constexpr std::size_t kReserved = 24u << 20;
  constexpr std::uintptr_t kLarge = 2u << 20;
  constexpr std::size_t kSmallest = 16;
  // Memory up to the first large page stays taken as long as the thread, so that the next
  // allocation comes from that page.
  static thread_local std::unique_ptr<void, void (*)(void*)> gap(nullptr, std::free);
  if (gap != nullptr) return;
  // The block comes from the end of the heap, and what is given back stays there.
  if (::mallopt(M_MMAP_THRESHOLD, kReserved + (1 << 20)) == 0) return;
  if (::mallopt(M_TRIM_THRESHOLD, 4 * kReserved) == 0) return;
  std::unique_ptr<void, void (*)(void*)> block(std::malloc(kReserved), std::free);
  if (block == nullptr) return;
  const auto from = reinterpret_cast<std::uintptr_t>(block.get());
  const std::uintptr_t begin = (from + kLarge - 1) / kLarge * kLarge;
  const std::uintptr_t end = (from + kReserved) / kLarge * kLarge;
  ::madvise(static_cast<char*>(block.get()) + (begin - from), end - begin, MADV_HUGEPAGE);
  gap.reset(std::realloc(block.release(), std::max<std::size_t>(begin - from, kSmallest)));
}

}  // namespace gittxn
