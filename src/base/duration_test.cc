#include "base/duration.h"

#include <gtest/gtest.h>

namespace gittxn {
namespace {

TEST(Duration, ParsesEveryUnitAndCompounds) {
  EXPECT_EQ(parse_duration_ms("0").value(), 0);
  EXPECT_EQ(parse_duration_ms("250ms").value(), 250);
  EXPECT_EQ(parse_duration_ms("90s").value(), 90'000);
  EXPECT_EQ(parse_duration_ms("10m").value(), 600'000);
  EXPECT_EQ(parse_duration_ms("2h").value(), 7'200'000);
  EXPECT_EQ(parse_duration_ms("1d").value(), 86'400'000);
  EXPECT_EQ(parse_duration_ms("1h30m").value(), 5'400'000);
  EXPECT_EQ(parse_duration_ms("1s500ms").value(), 1'500);
}

TEST(Duration, RefusesWhatCouldMeanTwoThings) {
  for (const char* text : {"", "5", "-1s", "1.5h", "s", "10 m", "10m ", " 10m", "30m1h", "1m1m",
                           "10x", "1mm", "9999999999999999999d", "400d", "1H", "0x10s", "367d"}) {
    auto result = parse_duration_ms(text);
    ASSERT_FALSE(result.has_value()) << text;
    EXPECT_EQ(result.error().code, Code::kUsage) << text;
    EXPECT_NE(result.error().message.find("is not a duration"), std::string::npos);
    EXPECT_FALSE(result.error().hint.empty());
  }
}

TEST(Duration, FormatsForPeople) {
  EXPECT_EQ(format_duration(-5), "0 ms");
  EXPECT_EQ(format_duration(46), "46 ms");
  EXPECT_EQ(format_duration(340), "0.3 s");
  EXPECT_EQ(format_duration(1'899), "1.8 s");
  EXPECT_EQ(format_duration(9'999), "9.9 s");
  EXPECT_EQ(format_duration(45'000), "45 s");
  EXPECT_EQ(format_duration(240'000), "4 min");
  EXPECT_EQ(format_duration(250'000), "4 min 10 s");
  EXPECT_EQ(format_duration(1'810'000), "30 min");
  EXPECT_EQ(format_duration(7'500'000), "2 h 5 min");
  EXPECT_EQ(format_duration(7'200'000), "2 h");
  EXPECT_EQ(format_duration(4 * 86'400'000LL), "4 d");
  EXPECT_EQ(format_duration(3 * 86'400'000LL + 4 * 3'600'000LL), "3 d 4 h");
}

}  // namespace
}  // namespace gittxn
