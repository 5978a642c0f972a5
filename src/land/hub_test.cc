// Two clones on one hub: what lands is on the hub and in the log, or in neither, whoever dies when;
// and a lander that wakes up too late cannot land any more.
#include "land/hub.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "land/testing/land_world.h"

namespace gittxn::land {
namespace {

using testing::LandWorld;
using testing::Member;
using testing::must;
using testing::Process;

class TwoClones : public ::testing::Test {
 protected:
  std::string hub(std::vector<std::string> args) const {
    return origin_.scratch.git_in(url_, std::move(args));
  }
  Oid on_hub(const std::string& ref) const {
    return Oid(hub({"rev-parse", "-q", "--verify", ref}));
  }
  Oid main() const { return on_hub("refs/heads/main"); }
  Oid fence() const { return on_hub("refs/txn/fence/main"); }
  std::string shown(const std::string& path) const { return hub({"show", "main:" + path}); }
  store::BranchState branch() { return *must(a_.process().store.branch(LandWorld::kBranch)); }

  void must_land(LandWorld& clone, const TxnId& id) {
    const auto outcome = clone.land(id, 10'000);
    ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
    EXPECT_EQ(outcome->result, LandResult::kLanded);
    EXPECT_EQ(main(), outcome->commit);
  }
  // A person, with a clone of their own and no git-txn.
  Oid person_pushes(const std::string& path, const std::string& text) {
    origin_.scratch.git({"pull", "-q", "--ff-only", url_, "main"});
    const Oid commit = origin_.person_commits(path, text);
    origin_.scratch.git({"push", "-q", url_, "main"});
    return commit;
  }
  // What the hub has since the log began, and what the log says of it.
  void expect_history_is_the_log() {
    std::vector<std::string> said;
    Process opened = b_.process();
    for (const store::LandedRow& row : must(opened.store.landed_since(LandWorld::kBranch, 0))) {
      if (!row.txn.empty()) said.push_back(row.new_head.str());
    }
    std::vector<std::string> there;
    std::istringstream lines(
        hub({"log", "--first-parent", "--reverse", "--grep=^Txn-Id: ", "--format=%H", "main"}));
    for (std::string line; std::getline(lines, line);) there.push_back(line);
    EXPECT_EQ(there, said);
    EXPECT_EQ(branch().head, main());
    EXPECT_FALSE(branch().prepared);
    if (!said.empty()) {
      EXPECT_EQ(branch().fence, fence());
    }
  }
  void TearDown() override { EXPECT_TRUE(b_.problems().empty()); }

  LandWorld origin_;  // a person's, who made the hub
  std::string url_ = origin_.scratch.root() + "/hub.git";
  std::string store_ = origin_.scratch.root() + "/shared";
  LandWorld a_{make_hub(), Member{store_, {"origin", "a"}}};
  LandWorld b_{url_, Member{store_, {"origin", "b"}}};

 private:
  std::string make_hub() {
    origin_.scratch.git({"clone", "-q", "--bare", ".", url_});
    return url_;
  }
};

using Landing = TwoClones;

TEST_F(Landing, IsOnTheHubAndTheOthersBeginThere) {
  const Oid start = main();
  const TxnId a = a_.propose({"t-a", {{"f1", "A\n"}}, {"f4"}});
  must_land(a_, a);
  EXPECT_EQ(a_.main(), main()) << "the local branch follows";
  EXPECT_EQ(a_.status(), "");
  EXPECT_EQ(b_.main(), start) << "the other's does when it lands, or pulls";
  const TxnId b = b_.propose({"t-b", {{"f2", "B\n"}}, {"f1"}});
  must_land(b_, b);
  EXPECT_EQ(b_.main(), main());
  EXPECT_EQ(shown("f1"), "A");
  EXPECT_EQ(shown("f2"), "B");
  expect_history_is_the_log();
}

TEST_F(Landing, WhatTheOtherReadIsCertifiedOnTheHub) {
  const TxnId a = a_.propose({"t-a", {{"f1", "A\n"}}});
  const TxnId b = b_.propose({"t-b", {{"f2", "B\n"}}, {"f1"}});
  must_land(a_, a);
  const auto outcome = b_.land(b);
  ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
  ASSERT_EQ(outcome->result, LandResult::kConflict);
  EXPECT_EQ(outcome->conflicts.at(0).subject, "f1");
  expect_history_is_the_log();
}

TEST_F(Landing, TheHubsHookIsAskedAndTheClonesHookHearsOfItsOwnBranch) {
  const auto hook = [&](const std::string& git_dir, const std::string& verdict) {
    const std::string path = git_dir + "/hooks/reference-transaction";
    must(make_dirs(parent_dir(path)));
    must(write_file(path,
                    "#!/bin/sh\nstep=$1; while read -r old new ref; do\n"
                    "echo \"$step $ref\" >>'" +
                        git_dir + "/told'; done\n" + verdict,
                    Sync::kNo, 0755));
  };
  const auto told = [](const std::string& git_dir) {
    return read_file(git_dir + "/told").value_or("");
  };
  const std::string clone = a_.scratch.git_dir();
  hook(url_, "");
  hook(clone, "");
  must_land(a_, a_.propose({"t-a", {{"f1", "A\n"}}}));
  EXPECT_NE(told(url_).find("committed refs/heads/main"), std::string::npos) << told(url_);
  EXPECT_EQ(told(clone), "prepared refs/heads/main\ncommitted refs/heads/main\n");
  // The clone's no holds back its own branch, and not what the hub has already.
  hook(clone, "[ \"$step\" != prepared ] || { echo busy here; exit 1; }\n");
  const auto alone = a_.land(a_.propose({"t-b", {{"f1", "B\n"}}}), 10'000);
  ASSERT_TRUE(alone.has_value()) << alone.error().message;
  EXPECT_EQ(alone->result, LandResult::kLanded);
  EXPECT_NE(a_.main(), main());
  ASSERT_FALSE(alone->notes.empty());
  EXPECT_NE(alone->notes.back().find("busy here"), std::string::npos) << alone->notes.back();
  // The hub's no is the landing's.
  hook(url_, "[ \"$step\" != prepared ] || { echo frozen there >&2; exit 1; }\n");
  const Oid before = main();
  const auto refused = a_.land(a_.propose({"t-c", {{"f2", "C\n"}}}));
  ASSERT_TRUE(refused.has_value()) << refused.error().message;
  ASSERT_EQ(refused->result, LandResult::kWaiting);
  EXPECT_EQ(refused->wait->reason, WaitReason::kHubRefuses);
  EXPECT_NE(refused->wait->subject.find("frozen there"), std::string::npos)
      << refused->wait->subject;
  EXPECT_EQ(main(), before);
  must(remove_file(url_ + "/hooks/reference-transaction"));
}

TEST_F(Landing, AHubThatWasRewoundIsTold) {
  const Oid start = main();
  must_land(a_, a_.propose({"t-a", {{"f1", "A\n"}}}));
  hub({"update-ref", "refs/heads/main", start.str()});
  const auto outcome = b_.land(b_.propose({"t-b", {{"f2", "B\n"}}}), 10'000);
  ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
  EXPECT_EQ(outcome->result, LandResult::kLanded);
  ASSERT_FALSE(outcome->notes.empty());
  EXPECT_NE(outcome->notes.front().find("refs/heads/main on origin was rewound from "),
            std::string::npos)
      << outcome->notes.front();
}

TEST_F(Landing, APersonsPushIsAnOutsideMove) {
  const TxnId a = a_.propose({"t-a", {{"f1", "A\n"}}, {"f4"}});
  const TxnId b = b_.propose({"t-b", {{"f2", "B\n"}}, {"f3"}});
  const Oid pushed = person_pushes("f3", "person\n");
  must_land(a_, a);
  EXPECT_EQ(hub({"rev-parse", "main^"}), pushed.str());
  EXPECT_EQ(b_.land(b)->result, LandResult::kConflict);
  expect_history_is_the_log();
}

TEST_F(Landing, ACloneWithCommitsOfItsOwnIsLeftAlone) {
  const Oid own = a_.person_commits("f5", "not pushed\n");
  const TxnId a = a_.propose({"t-a", {{"f1", "A\n"}}});
  const auto outcome = a_.land(a);
  ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
  EXPECT_EQ(outcome->result, LandResult::kLanded);
  EXPECT_EQ(a_.main(), own);
  ASSERT_EQ(outcome->notes.size(), 1u);
  EXPECT_NE(outcome->notes[0].find("commits that the hub has not"), std::string::npos);
  expect_history_is_the_log();
}

TEST_F(Landing, WaitsForAHubThatIsAway) {
  const TxnId a = a_.propose({"t-a", {{"f1", "A\n"}}});
  must(rename_noreplace(url_, url_ + ".away"));
  const auto outcome = a_.land(a);
  must(rename_noreplace(url_ + ".away", url_));
  ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
  EXPECT_EQ(outcome->result, LandResult::kWaiting);
  EXPECT_EQ(outcome->wait->reason, WaitReason::kNoAnswer);
  must_land(a_, a);
  expect_history_is_the_log();
}

TEST_F(Landing, WaitsForAHubThatRefuses) {
  const TxnId a = a_.propose({"t-a", {{"f1", "A\n"}}});
  const std::string hook = url_ + "/hooks/pre-receive";
  must(write_file(hook, "#!/bin/sh\necho closed today >&2\nexit 1\n", Sync::kNo, 0755));
  const auto outcome = a_.land(a);
  ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
  EXPECT_EQ(outcome->result, LandResult::kWaiting);
  EXPECT_EQ(outcome->wait->reason, WaitReason::kHubRefuses);
  EXPECT_NE(outcome->wait->subject.find("closed today"), std::string::npos);
  EXPECT_FALSE(branch().prepared);
  must(remove_file(hook));
  must_land(a_, a);
  expect_history_is_the_log();
}

TEST_F(Landing, StopsWhereTheFenceIsOfAnotherLog) {
  must_land(a_, a_.propose({"t-a", {{"f1", "A\n"}}}));
  hub({"update-ref", "refs/txn/fence/main", main().str()});
  const TxnId b = b_.propose({"t-b", {{"f2", "B\n"}}});
  const Oid before = main();
  const auto outcome = b_.land(b);
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().code, Code::kCorrupt);
  EXPECT_NE(outcome.error().message.find("which is not of this log"), std::string::npos);
  EXPECT_EQ(main(), before);
}

using HubCrash = TwoClones;

TEST_F(HubCrash, AKillAtAnyPointOfALanding) {
  std::set<std::string> killed;
  int n = 0;
  for (const char* prefix : {"land.", "hub.", "store."}) {
    for (const std::string& point : testing::failpoints_of(prefix)) {
      SCOPED_TRACE(point);
      const std::string text = fmt::format("{}\n", ++n);
      const Oid before = main();
      const TxnId a = a_.propose({fmt::format("t-a{}", n), {{"f1", text}}, {"f4"}});
      if (!a_.killed_at(point, a)) {  // it is not on the way of this landing
        EXPECT_EQ(a_.txn(a).state, TxnState::kLanded);
        continue;
      }
      killed.insert(point);
      // Whoever comes next resolves it, from another machine.
      b_.recover();
      const Seq once = b_.last_event();
      b_.recover();
      EXPECT_EQ(b_.last_event(), once) << "a second recovery changed something";
      const bool landed = main() != before;
      EXPECT_EQ(b_.txn(a).state, landed ? TxnState::kLanded : TxnState::kPrepared);
      if (!landed) must_land(a_, a);
      EXPECT_EQ(shown("f1") + "\n", text);
      expect_history_is_the_log();
    }
  }
  EXPECT_GE(killed.size(), 12u);
  for (const char* point : {"hub.before_push", "hub.after_push", "land.after_prepared",
                            "land.before_landed", "land.after_landed"}) {
    EXPECT_TRUE(killed.contains(point)) << point;
  }
  must_land(b_, b_.propose({"t-b", {{"f2", "B\n"}}, {"f1"}}));
  expect_history_is_the_log();
}

TEST_F(HubCrash, AKillAtAnyPointOfResolvingIt) {
  int n = 0;
  int killed = 0;
  for (const char* scene : {"hub.before_push", "hub.after_push"}) {
    for (const std::string& point : testing::failpoints_of("hub.resolve.")) {
      SCOPED_TRACE(std::string(scene) + ", then " + point);
      const std::string text = fmt::format("{}\n", ++n);
      const Oid before = main();
      const TxnId a = a_.propose({fmt::format("t-a{}", n), {{"f1", text}}, {"f4"}});
      ASSERT_TRUE(a_.killed_at(scene, a));
      if (b_.recovery_killed_at(point)) ++killed;
      a_.recover();
      const bool landed = main() != before;
      EXPECT_EQ(landed, std::string_view(scene) == "hub.after_push");
      EXPECT_EQ(a_.txn(a).state, landed ? TxnState::kLanded : TxnState::kPrepared);
      if (!landed) must_land(a_, a);
      expect_history_is_the_log();
    }
  }
  EXPECT_EQ(killed, 5);  // what reached the hub needs no fence to be moved
}

// The lander was stopped before its push. Meanwhile its machine was given up for lost.
TEST_F(HubCrash, ALanderThatWakesUpTooLateIsRefusedByTheFence) {
  const Oid before = main();
  const TxnId a = a_.propose({"t-a", {{"f1", "A\n"}}});
  ASSERT_TRUE(a_.killed_at("hub.before_push", a));
  const store::PreparedLanding paused = *branch().prepared;
  b_.recover();
  ASSERT_EQ(b_.txn(a).state, TxnState::kPrepared);

  // The branch has not moved: without the fence nothing on the hub would speak against it.
  const PushAnswer answer = must(push_landing(a_.process().context, paused));
  EXPECT_EQ(answer.how, PushAnswer::How::kMoved) << answer.why;
  EXPECT_EQ(main(), before);
  expect_history_is_the_log();
}

TEST_F(HubCrash, ALandingThatHappenedAndWasRewrittenIsBothInTheLog) {
  const Oid before = main();
  const TxnId a = a_.propose({"t-a", {{"f1", "A\n"}}});
  ASSERT_TRUE(a_.killed_at("hub.after_push", a));
  hub({"update-ref", "refs/heads/main", before.str()});
  b_.recover();
  EXPECT_EQ(b_.txn(a).state, TxnState::kLanded) << "the fence tells";
  must_land(b_, b_.propose({"t-b", {{"f2", "B\n"}}}));
  EXPECT_EQ(b_.events_of_type(event_type::kOutsideMove), 2);  // the first is the beginning
  EXPECT_EQ(branch().head, main());
}

TEST_F(HubCrash, WhatIsDurableHereIsOfThisClone) {
  Process a = a_.process();
  EXPECT_TRUE(must(durable_heads(a.context, LandWorld::kBranch)).empty());
  must(make_head_durable(a.context, LandWorld::kBranch, main()));
  EXPECT_EQ(must(durable_heads(a.context, LandWorld::kBranch)), std::vector<Oid>{main()});
  EXPECT_TRUE(must(durable_heads(b_.process().context, LandWorld::kBranch)).empty());
}

TEST(FenceRef, NamesABranchWithoutItsFolders) {
  EXPECT_EQ(fence_ref(RefName("refs/heads/main")).str(), "refs/txn/fence/main");
  EXPECT_EQ(fence_ref(RefName("refs/heads/a/b%2F")).str(), "refs/txn/fence/a%2Fb%252F");
}

}  // namespace
}  // namespace gittxn::land
