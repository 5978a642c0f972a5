// JSON from a log or a policy certificate, and file names in it.
#include "base/json.h"
#include "fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gittxn;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  CHECK(decode_path(encode_path(bytes)) == bytes);
  const auto value = parse_json(bytes);
  if (!value) return 0;
  const std::string once = canonical_json(*value);
  const auto again = parse_json(once);
  CHECK(again && canonical_json(*again) == once);
  CHECK(parse_json(dump_json(*value)));
  return 0;
}
