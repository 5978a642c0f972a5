// Last messages of agents, with a read_set block or not.
#include "agents/observe.h"

#include "base/json.h"
#include "fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gittxn;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  agents::Tally tally;
  const agents::Sink sink = [](agents::Observation&& observation) {
    CHECK(observation.source == ReadSource::kDeclared);
    const auto again = read_fields<agents::Observation>(to_json(observation));
    CHECK(again && *again == observation);
  };
  agents::observe_read_set(agents::Observation(), bytes, sink, tally);
  CHECK(tally.damaged <= tally.lines);
  return 0;
}
