// What is allowed below what is kept below what is allowed, by each of the two that decide it, and
// what is given up. The ways out that a whole command has are in tests/e2e/confine.sh.
#include "capture/trace/confine/confine.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "capture/trace/confine/view.h"
#include "capture/trace/testing/traced.h"

namespace gittxn::capture {
namespace {

using testing::TempDir;

TEST(Confine, TheLongestPlaceDecides) {
  Confine confine;
  confine.write = {"/tmp", "/tmp/mine/tree", "/srv/me/.cache"};
  confine.kept = {"/tmp/mine"};
  EXPECT_TRUE(may_write(confine, "/tmp/x"));
  EXPECT_TRUE(may_write(confine, "/tmp/mined"));
  EXPECT_FALSE(may_write(confine, "/tmp/mine"));
  EXPECT_FALSE(may_write(confine, "/tmp/mine/repo/README"));
  EXPECT_TRUE(may_write(confine, "/tmp/mine/tree/README"));
  EXPECT_FALSE(may_write(confine, "/srv/me/.profile"));
  EXPECT_TRUE(may_write(confine, "/srv/me/.cache/go"));
}

// The exit status of `work` in a child.
int status_of(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

class View : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const Status view = probe_view(); !view) GTEST_SKIP() << view.error().message;
    for (const char* name : {"mine", "mine/tree", "other"}) {
      ASSERT_TRUE(make_dirs(dir_ / name));
    }
    const std::string top = real_path(dir_.path()).value_or("");
    confine_.write = {top, join_path(top, "mine/tree")};
    confine_.kept = {join_path(top, "mine")};
  }

  // errno of chmod, in the view.
  int chmod_in_view(const std::string& name) {
    return status_of([&] {
      ViewPlan plan = plan_view(view_of(confine_));
      if (const int error = enter_view(plan); error != 0) return 200;
      return ::chmod((dir_ / name).c_str(), 0700) == 0 ? 0 : errno;
    });
  }

  TempDir dir_;
  Confine confine_;
};

TEST_F(View, AnInnerPlaceIsPutOverAnOuterOne) {
  EXPECT_EQ(chmod_in_view("other"), 0);
  EXPECT_EQ(chmod_in_view("mine"), EROFS);
  EXPECT_EQ(chmod_in_view("mine/tree"), 0);
  confine_.write.clear();
  EXPECT_EQ(chmod_in_view("other"), EROFS);
}

TEST_F(View, NothingOfItIsSeenOutside) {
  EXPECT_EQ(chmod_in_view("mine"), EROFS);
  EXPECT_EQ(::chmod((dir_ / "mine").c_str(), 0700), 0);
}

TEST_F(View, APlaceThatHasGoneIsLeftOut) {
  confine_.write.push_back(dir_ / "gone");
  EXPECT_EQ(chmod_in_view("other"), 0);
}

// A process that may mount could undo the rest.
TEST(Confine, RightsToMountAreGivenUp) {
  constexpr int kSysAdmin = 21;
  EXPECT_EQ(status_of([] {
              if (const int error = drop_privileges(); error != 0) return 200;
              if (::geteuid() != 0) return 0;
              return ::prctl(PR_CAPBSET_READ, kSysAdmin, 0, 0, 0) == 0 ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace gittxn::capture
