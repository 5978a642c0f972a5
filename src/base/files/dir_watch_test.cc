#include "base/files/dir_watch.h"

#include <gtest/gtest.h>

#include "base/testing/temp_dir.h"

namespace gittxn {
namespace {

constexpr std::int64_t kLong = 60'000;  // a test that waits for it has failed

TEST(DirWatch, SeesWhatWasWrittenBeforeTheWait) {
  const testing::TempDir dir;
  auto watch = DirWatch::open(dir.at("."));
  ASSERT_TRUE(watch);
  ASSERT_TRUE(write_file(dir.at("a"), "x", Sync::kNo));
  EXPECT_TRUE(watch->wait(kLong));
  EXPECT_TRUE(append_line_durable(dir.at("a"), "y"));
  EXPECT_TRUE(watch->wait(kLong));
}

TEST(DirWatch, EndsWithItsTime) {
  const testing::TempDir dir;
  auto watch = DirWatch::open(dir.at("."));
  ASSERT_TRUE(watch);
  EXPECT_TRUE(watch->wait(1));
  EXPECT_TRUE(watch->wait(-5));
}

TEST(DirWatch, NeedsADirectory) {
  const testing::TempDir dir;
  ASSERT_TRUE(write_file(dir.at("a"), "x", Sync::kNo));
  EXPECT_FALSE(DirWatch::open(dir.at("nowhere")));
  EXPECT_FALSE(DirWatch::open(dir.at("a")));
}

}  // namespace
}  // namespace gittxn
