// Resolutions that git rerere recorded in the person's checkout, and what is not believed of them.
#include "repo/rerere.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "repo/testing/scratch_repo.h"

namespace gittxn::repo {
namespace {

using testing::must;
using testing::ScratchRepo;

class Rerere : public ::testing::Test {
 protected:
  Rerere() {
    scratch.write("notes", kBase);
    scratch.commit("base");
  }
  // The person merges both by hand with rerere, says `resolved`, and throws the merge away.
  void record(const std::string& resolved = kResolved) {
    scratch.git({"config", "rerere.enabled", "true"});
    scratch.git({"checkout", "-q", "-b", "theirs"});
    scratch.write("notes", kTheirs);
    scratch.commit("theirs");
    scratch.git({"checkout", "-q", "main"});
    scratch.write("notes", kOurs);
    scratch.commit("ours");
    EXPECT_FALSE(
        must(scratch.runner().run({"merge", "theirs"}, {.dir = scratch.path()})).exit.success());
    scratch.write("notes", resolved);
    scratch.git({"rerere"});
    scratch.git({"reset", "-q", "--hard"});
    scratch.git({"config", "--unset", "rerere.enabled"});
  }
  std::optional<std::string> looked_up(const ConflictTexts& texts) {
    Repository repository = scratch.open();
    auto found = must(recorded_resolution(repository, texts, random));
    const std::string tmp = repository.txn_dir() + "/tmp";
    EXPECT_TRUE(!must(exists(tmp)) || must(list_dir(tmp)).empty()) << "it is taken away again";
    return found;
  }
  std::optional<std::string> looked_up() { return looked_up({kBase, kOurs, kTheirs}); }
  // The one folder of the rr-cache.
  std::string folder() {
    const std::string cache = scratch.git_dir() + "/rr-cache";
    for (const DirEntry& entry : must(list_dir(cache))) {
      if (entry.name.size() == 40) return cache + "/" + entry.name;
    }
    return {};
  }

  static constexpr const char* kBase = "1\n2\n3\nline\n5\n6\n7\n";
  static constexpr const char* kOurs = "1\n2\n3\nours\n5\n6\n7\n";
  static constexpr const char* kTheirs = "1\n2\n3\ntheirs\n5\n6\n7\n";
  static constexpr const char* kResolved = "1\n2\n3\nours and theirs\n5\n6\n7\n";
  ScratchRepo scratch;
  Random random{1};
};

TEST_F(Rerere, ARecordedResolutionIsFoundAlsoWithTheSidesTurnedAndOtherLinesAround) {
  record();
  const std::string before = scratch.git({"status", "--porcelain", "--ignored"});
  EXPECT_EQ(looked_up(), kResolved);
  EXPECT_EQ(looked_up({kBase, kTheirs, kOurs}), kResolved);
  const std::string more = "8\n9\n10\n11\n12\n";
  EXPECT_EQ(looked_up({kBase + more, kOurs + more + "13\n", kTheirs + more}),
            kResolved + more + "13\n");
  EXPECT_EQ(looked_up({kBase, kOurs, "1\n2\n3\nothers\n5\n6\n7\n"}), std::nullopt);
  EXPECT_EQ(looked_up({kBase, kOurs, std::string(kBase) + more}), std::nullopt) << "it merges";
  EXPECT_EQ(scratch.git({"status", "--porcelain", "--ignored"}), before);
}

TEST_F(Rerere, ItCountsWhenGitSaysSo) {
  EXPECT_EQ(looked_up(), std::nullopt) << "nothing was ever recorded";
  record();
  {
    Repository repository = scratch.open();
    EXPECT_TRUE(must(records_resolutions(repository))) << "unset, with an rr-cache";
  }
  scratch.git({"config", "rerere.enabled", "false"});
  EXPECT_EQ(looked_up(), std::nullopt);
  scratch.git({"config", "rerere.enabled", "true"});
  EXPECT_EQ(looked_up(), kResolved);
}

TEST_F(Rerere, OneWithMarkersLeftIsNotUsed) {
  record();
  must(write_file(folder() + "/postimage",
                  "1\n2\n3\n<<<<<<< a\nours\n=======\ntheirs\n>>>>>>> b\n5\n6\n7\n", Sync::kNo));
  EXPECT_EQ(looked_up(), std::nullopt);
}

TEST_F(Rerere, LinksAreNotFollowed) {
  record();
  const std::string elsewhere = scratch.file("elsewhere");
  must(rename_noreplace(folder() + "/postimage", elsewhere));
  ASSERT_EQ(::symlink(elsewhere.c_str(), (folder() + "/postimage").c_str()), 0);
  EXPECT_EQ(looked_up(), std::nullopt);
}

TEST_F(Rerere, AFolderThatIsALinkIsNotUsed) {
  record();
  const std::string cache = scratch.git_dir() + "/rr-cache";
  must(rename_noreplace(cache, scratch.git_dir() + "/elsewhere"));
  ASSERT_EQ(::symlink("elsewhere", cache.c_str()), 0);
  EXPECT_EQ(looked_up(), std::nullopt);
}

TEST_F(Rerere, WhatOthersMayHaveWrittenIsNotUsed) {
  record();
  const std::string file = folder() + "/postimage";
  ASSERT_EQ(::chmod(file.c_str(), 0666), 0);
  EXPECT_EQ(looked_up(), std::nullopt) << "everybody may write it";
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  EXPECT_EQ(looked_up(), kResolved);
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  ASSERT_EQ(::chown(file.c_str(), 12345, 12345), 0);
  EXPECT_EQ(looked_up(), std::nullopt);
}

TEST_F(Rerere, WhatIsDamagedIsNotUsed) {
  record();
  const std::string after = folder() + "/postimage", before = folder() + "/preimage";
  const std::string good = must(read_file(before));
  for (const std::string& bad : {std::string(), std::string("x\0y\n", 4), std::string("noise\n")}) {
    must(write_file(before, bad, Sync::kNo));
    EXPECT_EQ(looked_up(), std::nullopt) << bad;
  }
  must(write_file(before, good, Sync::kNo));
  EXPECT_EQ(looked_up(), kResolved);
  ASSERT_EQ(::truncate(after.c_str(), 1LL << 33), 0);
  EXPECT_EQ(looked_up(), std::nullopt) << "huge";
  must(remove_file(after));
  must(make_dirs(after));
  EXPECT_EQ(looked_up(), std::nullopt) << "no file";
  must(remove_tree(after));
  ASSERT_EQ(::mkfifo(after.c_str(), 0600), 0);
  EXPECT_EQ(looked_up(), std::nullopt) << "nobody waits for a pipe";
}

TEST_F(Rerere, APersonsAttributesAndDriversAreNotRun) {
  record();
  must(write_file(scratch.git_dir() + "/info/attributes", "* merge=mine\n", Sync::kNo));
  scratch.git({"config", "merge.mine.driver", "touch " + scratch.file("ran")});
  EXPECT_EQ(looked_up(), kResolved);
  EXPECT_FALSE(must(exists(scratch.file("ran"))));
}

}  // namespace
}  // namespace gittxn::repo
