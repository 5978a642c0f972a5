// What the log and its artifacts hold: what is read is written again with the same meaning.
#include "base/json.h"
#include "fuzz/check.h"
#include "model/fields.h"

namespace {

template <typename T>
void round_trip(const gittxn::Json& json) {
  const auto value = gittxn::read_fields<T>(json);
  if (!value) return;
  const gittxn::Json written = to_json(*value);
  const auto again = gittxn::read_fields<T>(written);
  CHECK(again);
  CHECK(gittxn::canonical_json(to_json(*again)) == gittxn::canonical_json(written));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gittxn;
  const auto json = parse_json({reinterpret_cast<const char*>(data), size});
  if (!json) return 0;
  round_trip<PathChange>(*json);
  round_trip<Certificate>(*json);
  round_trip<Read>(*json);
  round_trip<Conflict>(*json);
  round_trip<Identity>(*json);
  round_trip<Attempt>(*json);
  round_trip<Txn>(*json);
  return 0;
}
