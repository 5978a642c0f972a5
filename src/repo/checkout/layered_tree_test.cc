// Tests of what a layer holds. asking/ mounts them, and tests that together they are the tree.
#include "repo/checkout/layered_tree.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "repo/testing/place.h"

namespace gittxn::repo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::must;
using ::testing::Not;

class Layered : public ::testing::Test {
 protected:
  Layered() : repo_(testing::some_repo()), repository_(repo_.open()) {}
  LayeredTrees::Layers layers() {
    if (!trees_) {
      trees_.emplace(must(LayeredTrees::open(repository_, repo_.root() + "/shared", dir())));
    }
    return must(trees_->layers_of(repo_.tree()));
  }
  std::string dir() const { return repo_.root() + "/trees"; }
  // Names below `above` with what they are: '-' a mark that nothing is there.
  static std::vector<std::string> listing(const std::string& above, const std::string& in = "") {
    std::vector<std::string> all;
    for (const DirEntry& entry : must(list_dir(join_path(above, in)))) {
      const std::string name = join_path(in, entry.name);
      struct stat info{};
      EXPECT_EQ(::lstat(join_path(above, name).c_str(), &info), 0) << name;
      const bool mark = S_ISCHR(info.st_mode) && info.st_rdev == 0;
      all.push_back((mark ? "-" : "") + name);
      if (!S_ISDIR(info.st_mode)) continue;
      for (std::string& below : listing(above, name)) all.push_back(std::move(below));
    }
    return all;
  }

  testing::ScratchRepo repo_;
  Repository repository_;
  std::optional<LayeredTrees> trees_;
};

TEST_F(Layered, HoldsWhatDiffersAndMarksWhatIsGone) {
  const LayeredTrees::Layers first = layers();
  EXPECT_THAT(listing(first.above), ElementsAre("-.git"));
  repo_.git({"rm", "-q", "-r", "src/b.txt", "src/deep", "lib", "docs/link"});
  repo_.write("src/a.txt", "changed\n");
  repo_.write("docs", "a file now\n");
  repo_.write("lib", "another\n");
  repo_.commit("second");
  const LayeredTrees::Layers second = layers();
  EXPECT_EQ(second.below, first.below);
  EXPECT_THAT(listing(second.above),
              ElementsAre("-.git", "docs", "lib", "src", "src/a.txt", "-src/b.txt", "-src/deep"));
  EXPECT_EQ(must(read_file(second.above + "/src/a.txt")), "changed\n");
  EXPECT_EQ(layers().above, second.above) << "made once";
}

TEST_F(Layered, LiesOverACheckoutThatIsThereAnyway) {
  if (const std::string why = testing::missing(overlay_marks()); !why.empty()) GTEST_SKIP() << why;
  const testing::Place place(repo_, WorktreeKind::kOverlay, "wt", overlay_marks());
  repo_.write("src/a.txt", "changed\n");
  repo_.commit("second");
  EXPECT_EQ(layers().below, place.worktree().shared);
  EXPECT_THAT(listing(layers().above), ElementsAre("-.git", "src", "src/a.txt"));
  must(trees_->check());
  must(remove_tree(parent_dir(place.worktree().shared)));
  EXPECT_EQ(trees_->check().error().code, Code::kStale);
  EXPECT_THAT(layers().below, HasSubstr("/trees/whole."));
  must(trees_->check());
}

TEST_F(Layered, IsACheckoutOfItsOwnWhereTooMuchDiffers) {
  const LayeredTrees::Layers first = layers();
  for (std::size_t i = 0; i <= kMostLayered; ++i) repo_.write(fmt::format("m/{}", i), "x");
  repo_.commit("many");
  EXPECT_NE(layers().below, first.below);
  EXPECT_THAT(listing(layers().above), ElementsAre("-.git"));
  repo_.write("src/.gitattributes", "*.txt text eol=crlf\n");
  repo_.commit("a rule");
  EXPECT_THAT(must(read_file(layers().below + "/src/a.txt")), "a\r\n");
  EXPECT_THAT(layers().below, Not(HasSubstr("whole.0")));
}

}  // namespace
}  // namespace gittxn::repo
