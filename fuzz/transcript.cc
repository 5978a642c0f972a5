// Session files of Claude Code, in two chunks.
#include "agents/session_file.h"

#include "base/json.h"
#include "fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gittxn;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::vector<agents::Observation> whole;
  std::vector<agents::Observation> parts;
  const auto one = agents::transcript_reader(
      [&](agents::Observation&& each) { whole.push_back(std::move(each)); });
  one->feed(bytes);
  one->finish();
  const auto two = agents::transcript_reader(
      [&](agents::Observation&& each) { parts.push_back(std::move(each)); });
  two->feed(bytes.substr(0, size / 2));
  two->feed(bytes.substr(size / 2));
  two->finish();
  CHECK(whole == parts && one->tally() == two->tally());
  CHECK(one->tally().damaged <= one->tally().lines);
  for (const auto& each : whole) {
    const auto again = read_fields<agents::Observation>(to_json(each));
    CHECK(again && *again == each);
  }
  return 0;
}
