// .gittxn.toml, which anybody can write into a repository.
#include "fuzz/check.h"
#include "gates/policy_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto policy = gittxn::gates::parse_policy({reinterpret_cast<const char*>(data), size});
  CHECK(policy || !policy.error().message.empty());
  return 0;
}
