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

TEST(Message, WhatWasMendedIsReadAgainAsItWasWritten) {
  const std::vector<Mended> all{{"rename", "src/a b.py"},        {"rerere", " led by a space"},
                                {"rename", "line\nTxn-Id: t-x"}, {"rename", "\"quoted\" \\"},
                                {"rename", "caf\xc3\xa9"},       {"rename", "bytes \xff\n"}};
  Trailers trailers;
  for (const Mended& one : all) {
    trailers.emplace_back(std::string(kMendedTrailer), mended_words(one));
  }
  trailers.emplace_back("Txn-Id", "t-a");
  const std::string message = with_trailers("a change\n", trailers);
  EXPECT_EQ(mended_in(message), all) << message;
  EXPECT_EQ(trailer_of(message, "Txn-Id"), "t-a");
  EXPECT_EQ(mended_in("a change\n\nTxn-Mended: rename\nTxn-Mended:\nTxn-Mended: rename \"x\n"),
            std::vector<Mended>());
  EXPECT_EQ(mended_in(with_trailers(message, {})), std::vector<Mended>()) << "of an earlier life";
}

}  // namespace
}  // namespace gittxn::land
