#include "base/heap.h"

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace gittxn {

namespace {

constexpr std::size_t kReserved = 24u << 20;

using Block = std::unique_ptr<void, void (*)(void*)>;

// The end of this thread's heap, grown by that much; what is given back stays there. Null: it has
// another allocator, or there is no memory.
Block end_of_heap() {
  if (::mallopt(M_MMAP_THRESHOLD, kReserved + (1 << 20)) == 0) return {nullptr, std::free};
  if (::mallopt(M_TRIM_THRESHOLD, 4 * kReserved) == 0) return {nullptr, std::free};
  return {std::malloc(kReserved), std::free};
}

// The first multiple of a size in a block.
char* aligned(void* block, std::uintptr_t size) {
  const auto from = reinterpret_cast<std::uintptr_t>(block);
  return static_cast<char*>(block) + ((from + size - 1) / size * size - from);
}

}  // namespace

void prefer_large_pages() {
  constexpr std::uintptr_t kLarge = 2u << 20;
  constexpr std::size_t kSmallest = 16;
  // Memory up to the first large page stays taken as long as the thread, so that the next
  // allocation comes from that page.
  static thread_local Block gap(nullptr, std::free);
  if (gap != nullptr) return;
  Block block = end_of_heap();
  if (block == nullptr) return;
  char* const begin = aligned(block.get(), kLarge);
  const auto before = static_cast<std::size_t>(begin - static_cast<char*>(block.get()));
  ::madvise(begin, (kReserved - before) / kLarge * kLarge, MADV_HUGEPAGE);
  gap.reset(std::realloc(block.release(), std::max(before, kSmallest)));
}

void take_memory_ahead(std::size_t bytes) {
  constexpr std::uintptr_t kPage = 4096;
  const Block block = end_of_heap();
  if (block == nullptr) return;
  ::madvise(aligned(block.get(), kPage), std::min(bytes, kReserved - kPage) / kPage * kPage,
            MADV_POPULATE_WRITE);
}

}  // namespace gittxn
