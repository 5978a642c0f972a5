// The answers are git's own in a checkout of the same commit.
#include "repo/attributes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/fs.h"
#include "repo/testing/scratch_repo.h"

namespace gittxn::repo {
namespace {

using testing::must;
using testing::ScratchRepo;

class Attributes : public ::testing::Test {
 protected:
  std::vector<std::string> of(const std::vector<std::string>& paths) {
    Repository repository = scratch.open();
    std::vector<std::string> values;
    for (auto& of_path :
         must(attributes_of(repository, scratch.oid("HEAD"), {"merge"}, paths, random))) {
      values.push_back(std::move(of_path.front()));
    }
    return values;
  }

  ScratchRepo scratch;
  Random random{1};
};

TEST_F(Attributes, OfNoPathAreNone) {
  scratch.write("a", "");
  scratch.commit("one");
  EXPECT_TRUE(of({}).empty());
}

TEST_F(Attributes, AreUnspecifiedWithoutAFile) {
  scratch.write("d/a", "");
  scratch.commit("one");
  EXPECT_EQ(of({"d/a", "gone"}), (std::vector<std::string>{"unspecified", "unspecified"}));
  EXPECT_FALSE(must(exists(scratch.file(".git/txn/tmp")))) << "nothing is written for it";
}

TEST_F(Attributes, ComeFromEveryDirectoryAboveTheNearestFirst) {
  scratch.write(".gitattributes", "*.c merge=top\n[attr]lock -merge\n*.lock lock\n");
  scratch.write("a/.gitattributes", "*.c merge=a\n");
  scratch.write("a/b/.gitattributes", "x.c -merge\n\"with space.c\" merge\n");
  scratch.commit("attributes");
  const std::vector<std::string> paths = {
      "x.c",   "a/x.c",     "a/b/x.c",        "a/b/with space.c",
      "a/y.c", "a/b/c/z.c", "a/package.lock", "a/plain"};
  std::vector<std::string> truth;
  for (const std::string& path : paths) {
    const std::string line = scratch.git({"check-attr", "merge", "--", path});
    const std::size_t value = line.rfind(": ") + 2;
    truth.push_back(line.substr(value, line.find_last_not_of('\n') + 1 - value));
  }
  EXPECT_EQ(of(paths), truth);
  EXPECT_EQ(truth[2], "unset") << "or this asks nothing";
  EXPECT_TRUE(must(list_dir(scratch.file(".git/txn/tmp"))).empty()) << "it is taken away again";
}

TEST_F(Attributes, OfACheckoutDoNotCount) {
  scratch.write(".gitattributes", "*.c merge=committed\n");
  scratch.commit("attributes");
  scratch.write(".gitattributes", "*.c merge=typed\n");
  scratch.git({"add", "-A"});
  EXPECT_EQ(of({"x.c"}), std::vector<std::string>{"committed"});
}

TEST_F(Attributes, BehindALinkAreNone) {
  scratch.write("real", "*.c -merge\n");
  ASSERT_EQ(::symlink("real", scratch.file(".gitattributes").c_str()), 0);
  scratch.commit("a link");
  EXPECT_EQ(of({"x.c"}), std::vector<std::string>{"unspecified"});
}

}  // namespace
}  // namespace gittxn::repo
