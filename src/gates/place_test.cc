#include "gates/place.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/testing/temp_dir.h"

namespace gittxn::gates {
namespace {

class Place : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* dir : {"from/node_modules/.bin", "from/node_modules/lib", "to", "outside"}) {
      ASSERT_TRUE(make_dirs(at(dir)));
    }
    put("from/.env", "KEY=1\n");
    put("from/node_modules/lib/index.js", "lib\n");
    put("outside/secret", "secret\n");
  }
  std::string at(const std::string& name) { return join_path(dir_.path(), name); }
  void put(const std::string& name, const std::string& bytes) {
    ASSERT_TRUE(write_file(at(name), bytes, Sync::kNo, 0644));
  }
  void link(const std::string& target, const std::string& name) {
    ASSERT_EQ(symlink(target.c_str(), at(name).c_str()), 0);
  }
  Result<Placed> place(const std::string& path) { return place_path({at("from"), at("to"), path}); }
  std::string text(const std::string& name) { return read_file(at(name)).value_or("(absent)"); }

  gittxn::testing::TempDir dir_;
};

TEST_F(Place, CopiesAFileWithModeAndTime) {
  ASSERT_EQ(chmod(at("from/.env").c_str(), 0640), 0);
  const timespec old[2] = {{1'600'000'000, 0}, {1'600'000'000, 5}};
  ASSERT_EQ(utimensat(AT_FDCWD, at("from/.env").c_str(), old, 0), 0);
  EXPECT_EQ(place(".env").value(), Placed::kCopied);
  struct stat info{};
  ASSERT_EQ(stat(at("to/.env").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
  EXPECT_EQ(info.st_mtim.tv_sec, 1'600'000'000);
  EXPECT_EQ(info.st_nlink, 1u) << "a hard link would be a way to write into the original";
  EXPECT_EQ(text("to/.env"), "KEY=1\n");
}

TEST_F(Place, CopiesAFolderWithItsLinks) {
  link("../lib/index.js", "from/node_modules/.bin/tool");
  link(at("from/node_modules/lib"), "from/node_modules/absolute");
  EXPECT_EQ(place("node_modules").value(), Placed::kCopied);
  EXPECT_EQ(text("to/node_modules/.bin/tool"), "lib\n");
  EXPECT_EQ(read_link(at("to/node_modules/.bin/tool")).value(), "../lib/index.js");
  EXPECT_EQ(read_link(at("to/node_modules/absolute")).value(), at("to/node_modules/lib"))
      << "an absolute link into the checkout would be a writable way back";
}

TEST_F(Place, WritingToTheCopyLeavesTheOriginal) {
  ASSERT_EQ(place("node_modules").value(), Placed::kCopied);
  put("to/node_modules/lib/index.js", "changed\n");
  EXPECT_EQ(text("from/node_modules/lib/index.js"), "lib\n");
}

TEST_F(Place, MakesTheFoldersAbove) {
  EXPECT_EQ(place("node_modules/lib/index.js").value(), Placed::kCopied);
  EXPECT_EQ(text("to/node_modules/lib/index.js"), "lib\n");
}

TEST_F(Place, WhatIsNotThereIsSkippedAndWhatIsThereIsLeft) {
  EXPECT_EQ(place("missing").value(), Placed::kNotThere);
  EXPECT_EQ(place("missing/below").value(), Placed::kNotThere);
  put("to/.env", "the tree's own\n");
  EXPECT_EQ(place(".env").value(), Placed::kAlreadyThere);
  EXPECT_EQ(text("to/.env"), "the tree's own\n");
}

TEST_F(Place, ALinkInsideIsFollowed) {
  link(".env", "from/.env.link");
  EXPECT_EQ(place(".env.link").value(), Placed::kCopied);
  EXPECT_EQ(text("to/.env.link"), "KEY=1\n");
}

TEST_F(Place, ALinkThatLeadsOutIsRefused) {
  link("../outside", "from/escape");
  link(at("outside/secret"), "from/absolute");
  for (const char* path : {"escape", "escape/secret", "absolute"}) {
    auto result = place(path);
    ASSERT_FALSE(result.has_value()) << path;
    EXPECT_EQ(result.error().code, Code::kRefused) << path;
    EXPECT_THAT(result.error().message, ::testing::HasSubstr("leads out of the repository"));
  }
  EXPECT_FALSE(exists(at("to/escape")).value());
}

TEST_F(Place, ALinkInTheWorktreeIsNotWrittenThrough) {
  link("../outside", "to/node_modules");
  auto result = place("node_modules/lib/index.js");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Code::kRefused);
  EXPECT_FALSE(exists(at("outside/lib")).value());
}

TEST_F(Place, DotDotNeverLeaves) {
  for (const char* path :
       {"../outside/secret", "node_modules/../../outside/secret", "/etc/passwd"}) {
    EXPECT_FALSE(place(path).has_value()) << path;
  }
}

TEST_F(Place, PipesAndSocketsAreLeftOut) {
  ASSERT_EQ(mkfifo(at("from/node_modules/pipe").c_str(), 0600), 0);
  EXPECT_EQ(place("node_modules").value(), Placed::kCopied);
  EXPECT_FALSE(exists(at("to/node_modules/pipe")).value());
}

}  // namespace
}  // namespace gittxn::gates
