// The hash of an event is written without building a value; it is that of the value all the same.
#include <gtest/gtest.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/random.h"
#include "model/event.h"

namespace gittxn {
namespace {

std::string text(Random& random) {
  static constexpr std::string_view kSome[] = {"a",
                                               "%",
                                               "\"",
                                               "\\",
                                               "\n",
                                               "\x01",
                                               "\x7f",
                                               "/",
                                               "\xff",
                                               "\xc3",
                                               "\xc3\xa9",
                                               "\xe2\x82\xac",
                                               "\xf0\x9f\x98\x80",
                                               "{\"k\":\"v\"}"};
  std::string out;
  for (std::uint64_t left = random.below(12); left > 0; --left) {
    out += kSome[random.below(std::size(kSome))];
  }
  return out;
}

TEST(EventHash, IsThatOfItsColumnsAsCanonicalJson) {
  Random random(7);
  for (int round = 0; round < 2'000; ++round) {
    Event event;
    event.seq = static_cast<Seq>(random.below(1u << 30));
    event.time = text(random);
    event.type = text(random);
    event.subject = text(random);
    event.schema_version = static_cast<int>(random.below(5));
    event.dedup_key = text(random);
    event.payload = text(random);
    event.prev_hash = Digest(sha256(text(random)).str());
    const Json columns{{"seq", event.seq},
                       {"time", encode_path(event.time)},
                       {"type", encode_path(event.type)},
                       {"subject", encode_path(event.subject)},
                       {"schema_version", event.schema_version},
                       {"dedup_key", encode_path(event.dedup_key)},
                       {"payload", encode_path(event.payload)},
                       {"prev_hash", encode_path(event.prev_hash.str())}};
    ASSERT_EQ(event_hash(event), sha256(event.prev_hash.str() + canonical_json(columns)));
  }
}

}  // namespace
}  // namespace gittxn
