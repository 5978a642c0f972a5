// Two commands at the same time, one of them stopped where the other does most harm; and what
// commands leave that were killed.
#include <gtest/gtest.h>
#include <utime.h>

#include <algorithm>

#include "api/testing/kernel_world.h"
#include "base/fs.h"
#include "catalogue/footprints.h"
#include "repo/testing/landing.h"

namespace gittxn::api {
namespace {

using repo::testing::must;
using repo::testing::Victim;

class Together : public ::testing::Test, public testing::KernelWorld {
 protected:
  Together() {
    scratch_.write("f1", "line\n");
    scratch_.commit("start");
  }

  Txn begin() { return must(kernel().begin(script(""), Progress{})); }
  void lands_and_keeps_its_worktree() {
    RunOptions options = script("echo x >added");
    options.keep = true;
    ASSERT_EQ(must(kernel().run(options, Progress{})).txn.state, TxnState::kLanded);
  }
  bool has_worktree(const TxnId& id) { return kernel().worktree_of(id.str()).has_value(); }
};

TEST_F(Together, GcLeavesWhatIsBegunMeanwhile) {
  lands_and_keeps_its_worktree();
  Victim gc("api.gc.worktree_removed=stop", [&] { must(kernel().gc(false, Progress{})); });
  ASSERT_TRUE(gc.wait_stopped());
  const Txn begun = begin();
  gc.go_on();
  EXPECT_EQ(gc.wait(), 0);
  EXPECT_TRUE(has_worktree(begun.id));
}

TEST_F(Together, GcLeavesWhatIsResumedMeanwhile) {
  const TxnId id = begin().id;
  must(kernel().exec(id.str(), {"sh", "-c", "echo y >other"}, {}, Progress{}));
  must(kernel().abort(id.str(), "changed my mind", {}));
  lands_and_keeps_its_worktree();
  Victim gc("api.gc.worktree_removed=stop", [&] { must(kernel().gc(true, Progress{})); });
  ASSERT_TRUE(gc.wait_stopped());
  must(kernel().resume(id.str(), Kernel::By::kHand, {}, Progress{}));
  gc.go_on();
  EXPECT_EQ(gc.wait(), 0);
  EXPECT_EQ(scratch_.git({"show", "refs/txn/" + id.str() + "/1:other"}), "y");
}

TEST_F(Together, NobodyTakesUpWhatIsBeingResumed) {
  const TxnId id = begin().id;
  must(kernel().exec(id.str(), {"sh", "-c", "echo y >other"}, {}, Progress{}));
  must(remove_tree(parent_dir(must(kernel().worktree_of(id.str())))));
  Victim resume("api.resume.restored=stop",
                [&] { must(kernel().resume(id.str(), Kernel::By::kHand, {}, Progress{})); });
  ASSERT_TRUE(resume.wait_stopped());
  const auto aborted = kernel().abort(id.str(), "too early", {});
  ASSERT_FALSE(aborted.has_value());
  EXPECT_EQ(aborted.error().code, Code::kBusy) << aborted.error().message;
  resume.go_on();
  EXPECT_EQ(resume.wait(), 0);
  EXPECT_EQ(must(kernel().abort(id.str(), "now", {})).state, TxnState::kAborted);
}

// What the first attempt did is judged, and lands, from the commit that it started from.
TEST_F(Together, ARetryKilledAtItsBeginningChangesNothingOfTheAttemptBefore) {
  scratch_.env()["REPO"] = scratch_.path();
  const std::string text = "cp f1 copy; cd \"$REPO\" && echo moved >f1 && git commit -qam moved";
  Victim run("api.begin.pinned=2", [&] { must(kernel().run(script(text), Progress{})); });
  EXPECT_EQ(run.wait(), repo::testing::kKilled);
  const TxnId id = must(kernel().status()).lines.at(0).txn.id;
  const Outcome outcome = must(kernel().commit(id.str(), script(""), Progress{}));
  EXPECT_EQ(outcome.txn.state, TxnState::kQuarantined);
  EXPECT_EQ(scratch_.git({"show", "main:f1"}), "moved");
}

// So that whoever lands it holds the turn of the branch for less long.
TEST_F(Together, WhatAChangeDoesIsMadeWhileItIsKeptWhereOthersHaveLanded) {
  repo::testing::ScratchRepo nothing;
  const repo::Objects no_objects = nothing.objects();
  const auto is_made = [&](const std::string& text) {
    RunOptions named = script("");
    named.name = "its subject is not made of the change";
    const TxnId id = must(kernel().begin(named, Progress{})).id;
    must(kernel().exec(id.str(), {"sh", "-c", text}, {}, Progress{}));
    const Oid work(scratch_.git({"rev-parse", "refs/txn/" + id.str() + "/1"}));
    const repo::Objects objects = scratch_.objects();
    const Changes changes = must(objects.diff(must(objects.commit(work)).parents.at(0), work));
    const auto cache = catalogue::cache_in(scratch_.git_dir() + "/txn", clock_);
    return catalogue::Footprints(no_objects, cache, 1000).of(changes.at(0)).has_value();
  };
  EXPECT_FALSE(is_made("echo 'x = 1' >a.py")) << "nobody will ask for it";
  const std::string moving = "git -C " + scratch_.path() + " commit -q --allow-empty -m moved";
  EXPECT_TRUE(is_made("echo 'x = 1' >a.py; " + moving));
}

TEST_F(Together, GcRemovesWhatKilledRefUpdatesLeft) {
  lands_and_keeps_its_worktree();
  const std::string dir = scratch_.git_dir() + "/txn/tmp";
  const auto leave = [&](const std::string& name, std::int64_t age_ms) {
    const std::string path = dir + "/" + name;
    must(write_file(path, "0123\n", Sync::kNo));
    const auto when = static_cast<std::time_t>((clock_.wall_ms() - age_ms) / 1000);
    const utimbuf times{when, when};
    ASSERT_EQ(::utime(path.c_str(), &times), 0);
  };
  constexpr std::int64_t kMinuteMs = 60'000;
  leave("ref-old", 61 * kMinuteMs);
  leave("ref-young", 59 * kMinuteMs);
  leave("somebody-elses", 61 * kMinuteMs);
  const GcReport report = must(kernel().gc(true, Progress{}));
  EXPECT_FALSE(must(exists(dir + "/ref-old")));
  EXPECT_TRUE(must(exists(dir + "/ref-young"))) << "its writer may live, --force or not";
  EXPECT_TRUE(must(exists(dir + "/somebody-elses")));
  EXPECT_NE(std::find(report.removed.begin(), report.removed.end(), "leftover " + dir + "/ref-old"),
            report.removed.end());
}

}  // namespace
}  // namespace gittxn::api
