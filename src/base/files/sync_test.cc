#include "base/sync.h"

#include <gtest/gtest.h>

#include "base/testing/temp_dir.h"

namespace gittxn {
namespace {

using testing::TempDir;

TEST(SyncAll, TriesEveryPathAndReportsTheFirstThatFailed) {
  TempDir dir;
  std::vector<std::string> paths = {dir.path()};
  for (int i = 0; i < 100; ++i) {
    paths.push_back(dir.at(std::to_string(i)));
    ASSERT_TRUE(write_draft(paths.back(), "x", Sync::kNo));
  }
  EXPECT_TRUE(fsync_all(paths));
  EXPECT_TRUE(fsync_all({}));
  paths.insert(paths.begin() + 7, dir.at("missing"));
  paths.push_back(dir.at("missing too"));
  const Status failed = fsync_all(paths);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::kNotFound);
  EXPECT_NE(failed.error().message.find("missing'"), std::string::npos) << failed.error().message;
}

TEST(Draft, IsNeverWrittenOverAnotherFile) {
  TempDir dir;
  for (const Sync sync : {Sync::kYes, Sync::kNo}) {
    const std::string path = dir.at(sync == Sync::kYes ? "synced" : "not");
    ASSERT_TRUE(write_draft(path, "first", sync));
    const Status again = write_draft(path, "second", sync);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, Code::kExists);
    EXPECT_EQ(read_file(path).value(), "first");
  }
}

}  // namespace
}  // namespace gittxn
