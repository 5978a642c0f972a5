// Commit objects of a repository: written by any tool, or by somebody who means harm.
#include "fuzz/check.h"
#include "repo/objects/object_store.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const gittxn::Oid oid(std::string(40, 'a'));
  const auto info =
      gittxn::repo::internal::parse_commit(oid, {reinterpret_cast<const char*>(data), size});
  if (info) CHECK(info->tree.str().size() == 40);
  return 0;
}
