#include "store/work/likeness.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "store/testing/check.h"

namespace gittxn::store {
namespace {

int alike(std::string_view a, std::string_view b) {
  const int likeness = text_likeness(shingles_of(a), shingles_of(b));
  EXPECT_EQ(likeness, text_likeness(shingles_of(b), shingles_of(a))) << a << " / " << b;
  return likeness;
}

TEST(Likeness, OfTextsIsOneWithoutCaseSpaceAndPunctuation) {
  EXPECT_EQ(alike("Fix the flaky test in auth.", "fix  the FLAKY test, in auth"), 1000);
  EXPECT_EQ(alike("größe prüfen", "größe prüfen!"), 1000);
  EXPECT_EQ(alike("a", "A"), 1000);
}

TEST(Likeness, OfTextsFallsWithWhatDiffers) {
  const int near = alike("fix the flaky login test in the auth module",
                         "fix the flaky login tests in the auth module");
  const int far = alike("fix the flaky login test in the auth module",
                        "rewrite the flaky login page of the shop");
  EXPECT_GT(near, 850);
  EXPECT_LT(far, 500);
  EXPECT_LT(alike("rename src to dst everywhere", "rename dst to src everywhere"), 1000)
      << "the order counts";
  EXPECT_EQ(alike("parser", "xyz"), 0);
  EXPECT_EQ(alike("!!!", "!!!"), 0) << "nothing is said";
  EXPECT_EQ(alike("", ""), 0);
}

TEST(Likeness, OfTextsOfOtherLengthsIsNotComputed) {
  const auto may = [](std::string_view a, std::string_view b, int likeness) {
    return may_be_alike(shingles_of(a), shingles_of(b), likeness);
  };
  EXPECT_FALSE(may("fix the test", "fix the test, and then all of the other tests too", 850));
  EXPECT_FALSE(may("fix the test, and then all of the other tests too", "fix the test", 850));
  EXPECT_TRUE(may("fix the test", "fix the tests", 850));
  EXPECT_TRUE(may("parser", "xyzuvw", 850)) << "only the lengths are looked at";
  // It never turns away what would have been the same.
  Random random(5);
  const std::string_view words[] = {"a ", "lexer ", "leaks ", "when ", "empty ", "files "};
  const auto any = [&] {
    std::string text;
    for (std::uint64_t n = 1 + random.below(8); n > 0; --n) text += words[random.below(6)];
    return text;
  };
  for (int round = 0; round < 2000; ++round) {
    const std::string a = any();
    const std::string b = any();
    EXPECT_TRUE(may(a, b, alike(a, b))) << a << "/ " << b;
  }
}

// One character of forty would be the same text otherwise.
TEST(Likeness, TextsThatNameDifferentNumbersAreDifferent) {
  EXPECT_EQ(alike("the assertion of the parser test in line 120 fails",
                  "the assertion of the parser test in line 121 fails"),
            0);
  EXPECT_GT(alike("the assertion of the parser test in line 120 fails",
                  "the assertion of the parser tests in line 120 fails"),
            850);
}

TEST(Likeness, OfEmbeddingsIsTheCosine) {
  const auto of = [](std::string_view json) { return parse_embedding(json).value(); };
  EXPECT_EQ(embedding_likeness(of("[1, 2, 3]"), of("[2, 4, 6]")), 1000);
  EXPECT_EQ(embedding_likeness(of("[1, 0]"), of("[0, 1]")), 0);
  EXPECT_EQ(embedding_likeness(of("[1, 0]"), of("[-1, 0]")), 0);
  EXPECT_EQ(embedding_likeness(of("[1, 0]"), of("[1, 1]")), 707);
  EXPECT_EQ(embedding_likeness(of("[1, 0]"), of("[1, 0, 0]")), 0) << "of two models";
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    std::string a = "[";
    std::string b = "[";
    double dot = 0, aa = 0, bb = 0;
    for (int i = 0; i < 64; ++i) {
      const double x = static_cast<double>(random.below(2001)) / 1000 - 1;
      const double y = x + (static_cast<double>(random.below(2001)) / 1000 - 1) / 2;
      a += fmt::format("{}{}", i == 0 ? "" : ",", x);
      b += fmt::format("{}{}", i == 0 ? "" : ",", y);
      dot += x * y, aa += x * x, bb += y * y;
    }
    const double expected = std::max(0.0, dot / std::sqrt(aa * bb) * 1000);
    EXPECT_NEAR(embedding_likeness(of(a + "]"), of(b + "]")), expected, 1.1);
  }
}

TEST(Likeness, AnErrorIsShorterThanWhatWasGiven) {
  const std::string much(200'000, 'x');
  for (const std::string& text : {"[1, \"" + much + "\"]", "[1, " + much + "]", "\"" + much}) {
    const auto refused = parse_embedding(text);
    ASSERT_FALSE(refused);
    EXPECT_LT(refused.error().message.size(), 300u);
  }
}

TEST(Likeness, TakesNoEmbeddingThatIsNone) {
  for (const char* text : {"", "x", "[]", "{}", "[1,\"2\"]", "[0, 0]", "[1, null]", "[[1]]",
                           "[1e999]", "[NaN]", "[1] [2]", "0.5"}) {
    SCOPED_TRACE(text);
    EXPECT_CODE(parse_embedding(text), Code::kUsage);
  }
  std::string many = "[1";
  for (std::size_t i = 0; i < kMaxDimensions; ++i) many += ",1";
  EXPECT_CODE(parse_embedding(many + "]"), Code::kUsage);
  EXPECT_CODE(parse_embedding("[" + std::string(kMaxEmbeddingBytes, ' ') + "1]"), Code::kUsage);
}

}  // namespace
}  // namespace gittxn::store
