#include "capture/git/git_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gittxn::capture {
namespace {

using ::testing::ElementsAre;

std::string unknown_in(const std::vector<std::pair<std::string, std::string>>& values) {
  return git_settings(values).unknown;
}

TEST(GitSettings, AreKnownOrMayChangeAnything) {
  EXPECT_EQ(unknown_in({{"user.name", "Pat"}, {"core.filemode", "true"}, {"alias.st", "status"}}),
            "");
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, std::string>>{{"diff.external", "x"},
                                                        {"diff.java.textconv", "x"},
                                                        {"core.fsmonitor", "true"},
                                                        {"core.worktree", "/x"},
                                                        {"log.decorate", "full"},
                                                        {"log.date", "relative"},
                                                        {"format.pretty", "mine"},
                                                        {"notes.displayref", "x"},
                                                        {"status.showstash", "true"},
                                                        {"extensions.partialclone", "origin"},
                                                        {"submodule.recurse", "true"},
                                                        {"mailmap.file", "x"},
                                                        {"blame.ignorerevsfile", "x"},
                                                        {"newsection.key", "1"}}) {
    EXPECT_EQ(unknown_in({{"user.name", "Pat"}, {key, value}}), key) << value;
    EXPECT_FALSE(is_git_setting(key + "=" + value)) << key;
  }
}

TEST(GitSettings, GoWithTheQuestionWhereTheyMatter) {
  const GitSettings settings = git_settings({{"user.name", "Pat"},
                                             {"core.quotepath", "false"},
                                             {"diff.renames", "copies"},
                                             {"branch.main.remote", "origin"},
                                             {"filter.lfs.clean", "git-lfs clean"}});
  EXPECT_THAT(settings.matter, ElementsAre("core.quotepath=false", "diff.renames=copies"));
  EXPECT_TRUE(settings.upstream);
  EXPECT_TRUE(settings.filters);
  EXPECT_FALSE(
      git_settings({{"branch.main.remote", "origin"}, {"branch.main.remote", "txn-target"}})
          .upstream);
  for (const std::string& one : settings.matter) EXPECT_TRUE(is_git_setting(one)) << one;
  EXPECT_FALSE(is_git_setting("user.name=Pat"));
  EXPECT_FALSE(is_git_setting("core.quotepath"));
}

TEST(GitSettings, OfVariablesThoseThatSayNothingOfTheAnswerAreKnown) {
  EXPECT_TRUE(is_plain_for_git({"HOME=/home/pat", "LC_ALL=C", "GIT_TXN_ID=t-1", "GIT_PAGER=cat",
                                "GIT_EXEC_PATH=/usr/lib/git-core", "GIT_AUTHOR_NAME=Pat"}));
  for (const char* one : {"GIT_DIR=/x", "GIT_INDEX_FILE=x", "GIT_CONFIG_COUNT=1", "GIT_TRACE=1",
                          "GIT_EXEC_PATH=/opt/core", "GIT_NEW=1"}) {
    EXPECT_FALSE(is_plain_for_git({one})) << one;
  }
}

}  // namespace
}  // namespace gittxn::capture
