#include "agents/observation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/fields.h"
#include "agents/lines.h"
#include "agents/testing/describe.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/random.h"

namespace gittxn::agents {
namespace {

using ::testing::ElementsAre;

std::string random_text(Random& random) {
  std::string text(random.below(12), ' ');
  for (char& c : text) c = static_cast<char>(random.below(256));
  return text;
}

Detail random_detail(Random& random) {
  const auto text = [&] { return random_text(random); };
  const auto number = [&] { return static_cast<std::int64_t>(random.below(1ULL << 53)); };
  switch (random.below(std::variant_size_v<Detail>)) {
    case 0:
      return OtherTool{};
    case 1:
      return FileRead{text(), {number(), number()}, static_cast<Via>(random.below(3))};
    case 2:
      return Listing{text(), static_cast<Via>(random.below(3))};
    case 3:
      return FileWrite{text(), static_cast<WriteHow>(random.below(5))};
    case 4:
      return Query{static_cast<QueryKind>(random.below(3)),
                   text(),
                   text(),
                   {{text(), text()}},
                   {text(), text()},
                   random.below(2) == 0};
    case 5:
      return Command{text(),
                     {text()},
                     static_cast<int>(random.below(256)),
                     random.below(2) == 0,
                     random.below(2) == 0};
    case 6:
      return Url{text()};
    case 7:
      return Usage{text(), number(), number(), number(), number()};
    case 8:
      return Prompt{Digest(text()), number()};
    case 9:
      return Instructions{text(), text(), text()};
    case 10:
      return SubAgent{static_cast<Phase>(random.below(3)), text(), text(), text(), text()};
    case 11:
      return SummaryUse{text(), text()};
    default:
      return Session{static_cast<SessionPhase>(random.below(4)), text(), text(), text()};
  }
}

TEST(Observation, ComesBackFromJsonAsItWas) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto text = [&] { return random_text(random); };
    Observation one;
    one.source = static_cast<ReadSource>(random.below(5));
    one.program = static_cast<Program>(random.below(4));
    one.session = text();
    one.agent = text();
    one.agent_type = text();
    one.cwd = text();
    one.tool = text();
    one.tool_use_id = text();
    one.note = text();
    one.start_ms = static_cast<std::int64_t>(random.below(1ULL << 53));
    one.end_ms = -1;
    one.outcome = static_cast<Outcome>(random.below(4));
    one.detail = random_detail(random);
    const auto parsed = parse_json(canonical_json(to_json(one)));
    ASSERT_TRUE(parsed);
    const auto again = read_fields<Observation>(*parsed);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, one);
  }
}

TEST(Observation, IsReadStrictly) {
  Observation one;
  one.detail = FileRead{"a", {}, Via::kTool};
  const Json good = to_json(one);
  ASSERT_TRUE(read_fields<Observation>(good));
  for (const auto& [key, value] : good.items()) {
    Json bad = good;
    bad.erase(key);
    EXPECT_FALSE(read_fields<Observation>(bad)) << "without " << key;
    bad[key] = Json::array();
    EXPECT_FALSE(read_fields<Observation>(bad)) << "wrong " << key;
    bad[key] = "nonsense";
    if (key == "kind" || key == "outcome" || key == "source" || key == "via") {
      EXPECT_FALSE(read_fields<Observation>(bad)) << "unknown " << key;
    }
  }
  Json more = good;
  more["more"] = 1;
  EXPECT_FALSE(read_fields<Observation>(more));
  EXPECT_FALSE(read_fields<Observation>(Json()));
  more = good;
  more["path"] = std::string(kMaxText + 1, 'a');
  EXPECT_FALSE(read_fields<Observation>(more));
}

TEST(Fields, TimesAreThoseThatTheClockWrites) {
  for (const std::int64_t ms :
       {std::int64_t{1}, std::int64_t{951782399999}, std::int64_t{951868800000},
        std::int64_t{1795252681340}, std::int64_t{4107542400000}}) {
    EXPECT_EQ(parse_utc(format_utc(ms)), ms) << format_utc(ms);
  }
  EXPECT_EQ(parse_utc("2026-11-21T09:18:01Z"), 1795252681000);
  EXPECT_EQ(parse_utc("2026-11-21T09:18:01.3409999Z"), 1795252681340);
  for (const char* const bad :
       {"", "Z", "2026-11-21", "2026-11-21T09:18:01", "2026-13-21T09:18:01Z",
        "2026-11-21T24:18:01Z", "2026-11-21T09:18:01.Z", "2026-11-21T09:18:01.x4Z",
        "0000-00-00T00:00:00Z"}) {
    EXPECT_EQ(parse_utc(bad), 0) << bad;
  }
}

TEST(Fields, FileUrls) {
  EXPECT_EQ(from_file_url("file:///a%20b/%C3%A9"), "/a b/é");
  EXPECT_EQ(from_file_url("/a%20b"), "/a%20b");
  EXPECT_EQ(from_file_url("file://host/a"), "file://host/a");
}

TEST(Fields, LoneSurrogatesAreRepairedAndNothingElse) {
  const auto parsed = [](std::string_view text) {
    const auto json = parse_foreign(text);
    return json ? json->text() : "(not JSON)";
  };
  EXPECT_EQ(parsed(R"("a\ud83d\ude00b")"),
            "a\xF0\x9F\x98\x80"
            "b");
  EXPECT_EQ(parsed(R"("a\ud83db")"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(parsed(R"("\ude00\ud83d\ud83d\ude00")"), "\xEF\xBF\xBD\xEF\xBF\xBD\xF0\x9F\x98\x80");
  EXPECT_EQ(parsed(R"("\\ud83d\ud83d")"), "\\ud83d\xEF\xBF\xBD");
  EXPECT_EQ(parsed(R"("\ud83)"), "(not JSON)");
  EXPECT_EQ(parsed("\"\\ud83d\xff\""), "(not JSON)");
}

TEST(Lines, AreBounded) {
  std::vector<std::string> seen;
  LineSplitter lines(4, [&](std::string_view line) { seen.emplace_back(line); });
  lines.feed("ab");
  lines.feed("cd\r\n\n\r\nabcde\nx\nabcdefghij");
  lines.feed("klm\nyes\nno");
  lines.finish();
  EXPECT_THAT(seen, ElementsAre("abcd", "x", "yes", "no"));
  EXPECT_EQ(lines.too_long(), 2U);
}

}  // namespace
}  // namespace gittxn::agents
