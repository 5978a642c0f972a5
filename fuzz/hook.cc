// Hook events, which an agent writes to our standard input, and the log that we make of them.
#include "agents/observe.h"

#include "agents/hook_log.h"
#include "base/json.h"
#include "fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gittxn;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const agents::Sink round_trip = [](agents::Observation&& observation) {
    const auto again = read_fields<agents::Observation>(to_json(observation));
    CHECK(again && *again == observation);
  };
  agents::Tally tally;
  const auto event = parse_json(bytes);
  agents::observe_hook_event(event ? *event : Json(), 1'795'252'680'159, round_trip, tally);
  CHECK(tally.lines >= 1 && tally.damaged <= tally.lines);

  const std::string line = agents::log_line_of(bytes, 1);
  CHECK(line.size() <= agents::kMaxLogLine && line.find('\n') == line.npos && parse_json(line));
  agents::HookLogReader reader(round_trip);
  reader.feed(line + "\n");
  reader.feed(bytes);  // somebody wrote into the log
  reader.finish();
  return 0;
}
