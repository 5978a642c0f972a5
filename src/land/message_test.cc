#include "land/message.h"

#include <gtest/gtest.h>

namespace gittxn::land {
namespace {

const Trailers kOurs{{"Txn-Id", "t-1"}, {"Txn-Env", "unknown"}};
constexpr const char* kLines = "Txn-Id: t-1\nTxn-Env: unknown\n";

TEST(Message, TrailersAreAParagraphOfTheirOwn) {
  EXPECT_EQ(with_trailers("fix it\n", kOurs), std::string("fix it\n\n") + kLines);
  EXPECT_EQ(with_trailers("fix it\n\nbecause\n\n\n", kOurs),
            std::string("fix it\n\nbecause\n\n") + kLines);
}

TEST(Message, TheyJoinTrailersThatAreThere) {
  EXPECT_EQ(with_trailers("fix it\n\nSigned-off-by: A <a@b>\n", kOurs),
            std::string("fix it\n\nSigned-off-by: A <a@b>\n") + kLines);
}

TEST(Message, ASubjectThatLooksLikeATrailerIsNone) {
  EXPECT_EQ(with_trailers("fix: it\n", kOurs), std::string("fix: it\n\n") + kLines);
}

TEST(Message, TrailersOfAnEarlierLifeGo) {
  const std::string landed = with_trailers("fix it\n", {{"Txn-Id", "t-old"}, {"Txn-Base", "x"}});
  EXPECT_EQ(with_trailers(landed, kOurs), std::string("fix it\n\n") + kLines);
}

TEST(Message, ReadsATrailerBack) {
  EXPECT_EQ(trailer_of(with_trailers("fix it\n", kOurs), "Txn-Id"), "t-1");
  EXPECT_EQ(trailer_of("fix it\n\nTxn-Id: t-9 is in the text\nand goes on\n", "Txn-Id"), "");
  EXPECT_EQ(trailer_of("Txn-Id: t-9\n", "Txn-Id"), "");
}

TEST(Message, IdentityIsCleanedAsGitDoes) {
  const std::string raw = raw_identity({" A <B>\n", "a@b>"}, 1'700'000'000'999);
  EXPECT_TRUE(raw.starts_with("A B <a@b> 1700000000 ")) << raw;
}

}  // namespace
}  // namespace gittxn::land
