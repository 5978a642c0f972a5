// The index file of a worktree, which an agent's tools write.
#include "fuzz/check.h"
#include "repo/worktree/worktree_index.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto index = gittxn::repo::IndexFile::parse({reinterpret_cast<const char*>(data), size});
  if (!index) return 0;
  for (const auto& entry : index->entries()) {
    CHECK(index->find(index->path(entry)) != nullptr);
    CHECK(index->oid(entry).str().size() == 40);
    index->clear_flags(entry);
  }
  CHECK(gittxn::repo::IndexFile::parse(index->finish()));
  return 0;
}
