// What the log and its artifacts hold: what is read is written again with the same meaning.
#include "base/json_value.h"
#include "fuzz/check.h"
#include "model/change.h"
#include "model/policy.h"
#include "model/read.h"
#include "model/txn.h"

namespace {

template <typename T>
void round_trip(const gittxn::Json& json, gittxn::Result<T> (*from_json)(const gittxn::Json&)) {
  const auto value = from_json(json);
  if (!value) return;
  const gittxn::Json written = to_json(*value);
  const auto again = from_json(written);
  CHECK(again);
  CHECK(gittxn::canonical_json(to_json(*again)) == gittxn::canonical_json(written));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gittxn;
  const auto json = parse_json({reinterpret_cast<const char*>(data), size});
  if (!json) return 0;
  round_trip(*json, change_from_json);
  round_trip(*json, certificate_from_json);
  round_trip(*json, read_from_json);
  round_trip(*json, conflict_from_json);
  round_trip(*json, identity_from_json);
  round_trip(*json, attempt_from_json);
  round_trip(*json, txn_from_json);
  return 0;
}
