// A hub in trouble, and clones that are not as they should be: what a person has is never touched,
// nothing goes where it was not meant to, and nobody who comes late stops the others.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "land/hub.h"
#include "land/testing/land_world.h"
#include "store/log/pruning.h"

namespace gittxn::land {
namespace {

using testing::LandWorld;
using testing::Member;
using testing::must;
using testing::Process;

class Trouble : public ::testing::Test {
 protected:
  std::string hub(std::vector<std::string> args) const {
    return origin_.scratch.git_in(url_, std::move(args));
  }
  Oid on_hub(const std::string& ref) const {
    return Oid(hub({"rev-parse", "-q", "--verify", ref}));
  }
  Oid main() const { return on_hub("refs/heads/main"); }
  Oid fence() const { return on_hub("refs/txn/fence/main"); }
  store::BranchState branch() { return *must(a_.process().store.branch(LandWorld::kBranch)); }

  static void must_land(LandWorld& clone, const TxnId& id) {
    const auto outcome = clone.land(id, 20'000);
    ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
    EXPECT_EQ(outcome->result, LandResult::kLanded);
  }
  static LandOutcome landed(LandWorld& clone, const TxnId& id) {
    LandOutcome outcome = must(clone.land(id));
    EXPECT_EQ(outcome.result, LandResult::kLanded);
    return outcome;
  }
  // A wait that ran out at once.
  static Wait waiting(LandWorld& clone, const TxnId& id) {
    const LandOutcome outcome = must(clone.land(id));
    EXPECT_EQ(outcome.result, LandResult::kWaiting);
    return outcome.wait.value_or(Wait{});
  }
  static Error refused(LandWorld& clone, const TxnId& id) {
    auto outcome = clone.land(id);
    EXPECT_FALSE(outcome.has_value());
    return outcome ? Error{} : outcome.error();
  }
  Oid person_pushes(const std::string& path, const std::string& text) {
    origin_.scratch.git({"pull", "-q", "--ff-only", url_, "main"});
    const Oid commit = origin_.person_commits(path, text);
    origin_.scratch.git({"push", "-q", url_, "main"});
    return commit;
  }
  // A program that a clone runs in the place of git's own, at the hub's end.
  std::string program(const std::string& name, const std::string& body) const {
    std::string path = origin_.scratch.root() + "/" + name;
    must(
        write_file(path, "#!/bin/sh\ncd " + origin_.scratch.root() + "\n" + body, Sync::kNo, 0755));
    return path;
  }
  void hook(const std::string& body) const {
    must(write_file(url_ + "/hooks/pre-receive", "#!/bin/sh\n" + body, Sync::kNo, 0755));
  }
  bool there(const std::string& name) const {
    return must(exists(origin_.scratch.root() + "/" + name));
  }
  std::string file(const LandWorld& clone, const std::string& name) const {
    return must(read_file(clone.scratch.file(name), 1000));
  }
  // The log and the hub agree, and go on.
  void expect_sound() {
    EXPECT_FALSE(branch().prepared);
    EXPECT_EQ(branch().fence, fence());
    must_land(b_, b_.propose({"t-last", {{"last", "x\n"}}}));
    EXPECT_EQ(branch().head, main());
    EXPECT_EQ(branch().fence, fence());
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

using Follow = Trouble;

TEST_F(Follow, ARebaseInProgressIsLeftAlone) {
  person_pushes("f5", "person\n");
  a_.scratch.git({"pull", "-q", "origin", "main"});
  a_.scratch.git({"-c", "sequence.editor=sed -i s/^pick/edit/", "rebase", "-q", "-i", "HEAD~1"});
  const Oid head = a_.scratch.head();
  const Oid main_here = a_.main();
  const LandOutcome outcome = landed(a_, a_.propose({"t-a", {{"f1", "A\n"}}}));
  EXPECT_EQ(a_.scratch.head(), head) << "an amend would rewrite what landed";
  EXPECT_EQ(a_.main(), main_here);
  EXPECT_EQ(a_.status(), "");
  ASSERT_EQ(outcome.notes.size(), 1u);
  EXPECT_NE(outcome.notes[0].find("in the middle of a rebase"), std::string::npos);
  expect_sound();
}

TEST_F(Follow, AnIgnoredFileIsNotOverwritten) {
  must(write_file(a_.scratch.git_dir() + "/info/exclude", "conf.local\n", Sync::kNo));
  a_.scratch.write("conf.local", "mine\n");
  person_pushes("conf.local", "theirs\n");
  const LandOutcome outcome = landed(a_, a_.propose({"t-a", {{"f1", "A\n"}}}));
  EXPECT_EQ(file(a_, "conf.local"), "mine\n");
  ASSERT_EQ(outcome.notes.size(), 1u);
  EXPECT_NE(outcome.notes[0].find("conf.local"), std::string::npos) << outcome.notes[0];
  expect_sound();
}

TEST_F(Follow, NothingIsPutAside) {
  a_.scratch.git({"config", "merge.autoStash", "true"});
  a_.scratch.git({"config", "branch.main.mergeOptions", "--squash"});
  a_.scratch.write("f3", "edited\n");
  person_pushes("f3", "theirs\n");
  const LandOutcome outcome = landed(a_, a_.propose({"t-a", {{"f1", "A\n"}}}));
  EXPECT_EQ(file(a_, "f3"), "edited\n");
  EXPECT_EQ(a_.scratch.git({"stash", "list"}), "");
  EXPECT_EQ(outcome.notes.size(), 1u);
  a_.scratch.git({"checkout", "-q", "f3"});
  landed(a_, a_.propose({"t-b", {{"f2", "B\n"}}}));
  EXPECT_EQ(a_.main(), main());
  EXPECT_EQ(a_.status(), "");
}

using Place = Trouble;

TEST_F(Place, APushThatGoesElsewhereIsRefusedBeforeAnythingIsPrepared) {
  const TxnId a = a_.propose({"t-a", {{"f1", "A\n"}}});
  const std::string mirror = origin_.scratch.root() + "/mirror.git";
  origin_.scratch.git({"clone", "-q", "--bare", ".", mirror});
  const Oid before = main();
  const std::vector<std::vector<std::string>> ways = {
      {"remote", "set-url", "--add", "origin", mirror},
      {"config", "remote.origin.pushurl", mirror},
      {"config", "url." + mirror + ".pushInsteadOf", url_}};
  for (const std::vector<std::string>& way : ways) {
    SCOPED_TRACE(way.at(1));
    const std::string config = must(read_file(a_.scratch.git_dir() + "/config", 1 << 16));
    a_.scratch.git(way);
    const Error error = refused(a_, a);
    EXPECT_EQ(error.code, Code::kRefused);
    EXPECT_NE(error.message.find("pushed"), std::string::npos) << error.message;
    EXPECT_EQ(a_.txn(a).state, TxnState::kPrepared);
    EXPECT_EQ(a_.events_of_type(event_type::kLandingPrepared), 0);
    EXPECT_EQ(main(), before);
    EXPECT_EQ(Oid(origin_.scratch.git_in(mirror, {"rev-parse", "main"})), before);
    // The advice is of use.
    a_.scratch.git({"config", "--replace-all", "remote.origin.pushurl", url_});
    EXPECT_TRUE(check_one_place(a_.process().context, "origin"));
    must(write_file(a_.scratch.git_dir() + "/config", config, Sync::kNo));
  }
  must_land(a_, a);
  expect_sound();
}

TEST_F(Place, ANoToWhatTheHubHasAllTheSameIsALanding) {
  const TxnId a = a_.propose({"t-a", {{"f1", "A\n"}}});
  ASSERT_TRUE(a_.killed_at("hub.after_push", a));
  Process process = a_.process();
  const auto resolution =
      resolve_push(process.context, *branch().prepared, {PushAnswer::How::kRefused, "no"});
  ASSERT_TRUE(resolution) << resolution.error().message;
  EXPECT_EQ(resolution->how, Resolution::How::kLanded);
  EXPECT_EQ(a_.txn(a).state, TxnState::kLanded);
  expect_sound();
}

TEST_F(Place, AnotherRepositoryThanTheHubIsRefused) {
  const std::string log = must(store::log_uri(a_.process().store));
  const Oid mark = must(log_mark(a_.process().context, log));
  a_.scratch.git({"push", "-q", "origin", mark.str() + ":refs/txn/log"});
  a_.member->hub.log = log;
  const TxnId a = a_.propose({"t-a", {{"f1", "A\n"}}});
  const std::string other = origin_.scratch.root() + "/other.git";
  origin_.scratch.git({"clone", "-q", "--bare", url_, other});
  a_.scratch.git({"remote", "set-url", "origin", other});
  const Error unmarked = refused(a_, a);
  EXPECT_EQ(unmarked.code, Code::kRefused);
  EXPECT_NE(unmarked.message.find("has no refs/txn/log"), std::string::npos) << unmarked.message;
  a_.scratch.git(
      {"push", "-q", other, must(log_mark(a_.process().context, "x")).str() + ":refs/txn/log"});
  const Error marked = refused(a_, a);
  EXPECT_EQ(marked.code, Code::kRefused);
  EXPECT_NE(marked.message.find("in another log"), std::string::npos) << marked.message;
  EXPECT_EQ(a_.events_of_type(event_type::kOutsideMove), 1) << "the beginning";
  a_.scratch.git({"remote", "set-url", "origin", url_});
  must_land(a_, a);
  expect_sound();
}

using Late = Trouble;

TEST_F(Late, AResolverWhoWasOvertakenLooksAgain) {
  const TxnId a = a_.propose({"t-a", {{"f1", "A\n"}}});
  ASSERT_TRUE(a_.killed_at("hub.before_push", a));
  const store::PreparedLanding known = *branch().prepared;
  b_.recover();
  must_land(a_, a);
  Process late = b_.process();
  const auto resolution = resolve_on_hub(late.context, known);
  ASSERT_FALSE(resolution);
  EXPECT_EQ(resolution.error().code, Code::kStale) << resolution.error().message;
  expect_sound();
}

TEST_F(Late, ARefusedLandingMovesItsFenceWhereItMay) {
  must_land(a_, a_.propose({"t-0", {{"f0", "0\n"}}}));
  const Oid before = fence();
  hook("! grep -q refs/heads/\n");
  const TxnId a = a_.propose({"t-a", {{"f1", "A\n"}}});
  EXPECT_EQ(waiting(a_, a).reason, WaitReason::kHubRefuses);
  EXPECT_NE(fence(), before);
  EXPECT_EQ(branch().fence, fence());
  hook("exit 0\n");
  must_land(a_, a);
  expect_sound();
}

// The hub refused everything, so two landings were prepared on one fence; and whoever was about to
// close the first one does it now.
TEST_F(Late, AFenceThatClosesAnEarlierLandingIsNoStop) {
  must_land(a_, a_.propose({"t-0", {{"f0", "0\n"}}}));
  const Oid before = fence();
  const TxnId a = a_.propose({"t-a", {{"f1", "A\n"}}});
  ASSERT_TRUE(a_.killed_at("hub.before_push", a));
  const store::PreparedLanding first = *branch().prepared;
  hook("exit 1\n");
  Process process = a_.process();
  must(resolve_push(process.context, first, {PushAnswer::How::kRefused, "no"}));
  EXPECT_EQ(fence(), before);
  hook("exit 0\n");
  const TxnId b = b_.propose({"t-b", {{"f2", "B\n"}}});
  ASSERT_TRUE(b_.killed_at("hub.before_push", b));
  ASSERT_EQ(branch().prepared->fence_before, before);
  const std::string text =
      fmt::format("git-txn fence\nbranch refs/heads/main\nafter {}\ncloses {}\n", before.str(),
                  first.fence.str());
  const std::string late = origin_.scratch.git_in(url_, {"hash-object", "-w", "--stdin"}, text);
  hub({"update-ref", "refs/txn/fence/main", late, before.str()});

  const RecoveryReport report = b_.recover();
  EXPECT_TRUE(report.stops.empty()) << report.stops.at(0).message;
  EXPECT_EQ(b_.txn(b).state, TxnState::kPrepared);
  EXPECT_EQ(branch().fence.str(), late);
  must_land(b_, b);
  must_land(a_, a);
  expect_sound();
}

using Slow = Trouble;

// Its own hook keeps a push for longer than we wait for an answer.
TEST_F(Slow, APushThatIsUnderWayIsWaitedFor) {
  hub({"config", "receive.keepAlive", "0"});
  a_.scratch.git({"config", "remote.origin.receivepack",
                  program("receive", "exec setsid git-receive-pack \"$@\"\n")});
  a_.scratch.git({"config", "remote.origin.uploadpack",
                  program("upload",
                          "[ ! -e once ] || touch asked\n"
                          "[ ! -e pushed ] || touch once\n"
                          "exec git-upload-pack \"$@\"\n")});
  const std::string root = origin_.scratch.root();
  hook(fmt::format("touch {}/pushed\nuntil [ -e {}/asked ]; do sleep 0.1; done\n", root, root));
  const TxnId a = a_.propose({"t-a", {{"f1", "A\n"}}});
  a_.member->hub.timeout_ms = 6000;
  const LandOutcome outcome = landed(a_, a);
  EXPECT_TRUE(there("asked"));
  EXPECT_EQ(main(), outcome.commit);
  EXPECT_EQ(a_.events_of_type(event_type::kLandingPrepared), 1);
  a_.member->hub.timeout_ms = 60'000;
  expect_sound();
}

TEST_F(Slow, APushThatWasCutOffIsToldAndNotTriedAtOnce) {
  a_.scratch.git({"config", "remote.origin.receivepack",
                  program("receive",
                          "[ -e cut ] || { touch cut; exit 1; }\n"
                          "exec git-receive-pack \"$@\"\n")});
  const TxnId a = a_.propose({"t-a", {{"f1", "A\n"}}});
  a_.member->hub.timeout_ms = 2000;
  const Wait wait = waiting(a_, a);
  EXPECT_EQ(wait.reason, WaitReason::kNoAnswer);
  EXPECT_NE(wait.subject.find("origin: "), std::string::npos);
  EXPECT_EQ(a_.events_of_type(event_type::kLandingPrepared), 1);
  EXPECT_FALSE(branch().prepared);
  a_.member->hub.timeout_ms = 60'000;
  must_land(a_, a);
  expect_sound();
}

TEST_F(Slow, AHubThatGoesAwayInAPushIsWaitedFor) {
  const std::string away = url_ + ".away";
  a_.scratch.git(
      {"config", "remote.origin.receivepack",
       program("receive", fmt::format("[ -e cut ] || {{ touch cut; mv {} {}; exit 1; }}\n"
                                      "exec git-receive-pack \"$@\"\n",
                                      url_, away))});
  const TxnId a = a_.propose({"t-a", {{"f1", "A\n"}}});
  Process opened = a_.process();
  LandOptions options;
  options.wait_ms = -1;
  std::vector<WaitReason> waits;
  options.on_wait = [&](const Wait& wait) {
    if (wait.reason != WaitReason::kNone) waits.push_back(wait.reason);
    if (must(exists(away))) must(rename_noreplace(away, url_));
  };
  const auto outcome = land(opened.context, a, options);
  ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
  EXPECT_EQ(outcome->result, LandResult::kLanded);
  EXPECT_EQ(waits, std::vector<WaitReason>{WaitReason::kNoAnswer});
  expect_sound();
}

TEST_F(Slow, AFetchThatFailsIsNotRepeated) {
  const Oid pushed = person_pushes("f5", "person\n");
  const Oid blob(hub({"rev-parse", pushed.str() + ":f5"}));
  must(remove_file(url_ + "/objects/" + blob.str().substr(0, 2) + "/" + blob.str().substr(2)));
  a_.scratch.git({"config", "remote.origin.uploadpack",
                  program("upload", "echo x >>calls\nexec git-upload-pack \"$@\"\n")});
  const auto asked = ask_hub(a_.process().context, LandWorld::kBranch);
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().code, Code::kTimeout);
  const std::string calls = must(read_file(origin_.scratch.root() + "/calls", 1000));
  EXPECT_EQ(calls, "x\nx\n") << "it was listed, and fetched from";
}

using Seen = Trouble;

TEST_F(Seen, WhatAnotherProcessHeardLaterStays) {
  const Oid first = person_pushes("f5", "1\n");
  a_.scratch.git({"fetch", "-q", "origin"});
  const Oid older(a_.scratch.git({"rev-parse", "refs/remotes/origin/main^"}));
  a_.scratch.git({"update-ref", "refs/remotes/origin/main", older.str()});
  // Another process has heard of something newer after this one was answered.
  const Oid newer(
      a_.scratch.git({"commit-tree", "-p", first.str(), "-m", "newer", first.str() + "^{tree}"}));
  a_.scratch.git({"config", "remote.origin.uploadpack",
                  program("upload", fmt::format("git -C {} update-ref refs/remotes/origin/main {}\n"
                                                "exec git-upload-pack \"$@\"\n",
                                                a_.scratch.path(), newer.str()))});
  EXPECT_EQ(must(ask_hub(a_.process().context, LandWorld::kBranch)).head, first);
  EXPECT_EQ(a_.scratch.oid("refs/remotes/origin/main"), newer);
}

TEST_F(Seen, ABranchThatTheHubHasNoMoreIsInNobodysWay) {
  for (const auto& [stale, wanted] :
       {std::pair("feat", "feat/x"), std::pair("deep/er/y", "deep")}) {
    SCOPED_TRACE(wanted);
    hub({"branch", stale, "main"});
    a_.scratch.git({"fetch", "-q", "origin"});
    a_.scratch.git({"pack-refs", "--all"});
    hub({"branch", "-D", stale});
    person_pushes("f5", std::string(wanted) + "\n");
    hub({"branch", wanted, "main"});
    const RefName branch(std::string("refs/heads/") + wanted);
    const auto asked = ask_hub(a_.process().context, branch);
    ASSERT_TRUE(asked) << asked.error().message;
    EXPECT_EQ(a_.scratch.oid(std::string("refs/remotes/origin/") + wanted), main());
  }
}

TEST_F(Seen, ABranchThatWasDeletedOnTheHubIsBroughtBackThere) {
  must_land(a_, a_.propose({"t-a", {{"f1", "A\n"}}}));
  const Oid before = main();
  hub({"update-ref", "-d", "refs/heads/main"});
  const auto head = checkpoint(a_.process().context, LandWorld::kBranch);
  ASSERT_FALSE(head);
  EXPECT_NE(head.error().message.find("on the hub origin"), std::string::npos);
  EXPECT_EQ(head.error().hint,
            "bring it back with: git push origin " + before.str() + ":refs/heads/main");
  a_.scratch.git({"push", "-q", "origin", before.str() + ":refs/heads/main"});
  EXPECT_TRUE(checkpoint(a_.process().context, LandWorld::kBranch));
}

TEST_F(Seen, ALockOnTheHubIsNoRefusal) {
  const TxnId a = a_.propose({"t-a", {{"f1", "A\n"}}});
  must(write_file(url_ + "/refs/heads/main.lock", "", Sync::kNo));
  const Wait wait = waiting(a_, a);
  EXPECT_EQ(wait.reason, WaitReason::kRefLock) << wait.subject;
  EXPECT_EQ(a_.events_of_type(event_type::kLandingPrepared), 1);
  must(remove_file(url_ + "/refs/heads/main.lock"));
  must_land(a_, a);
  expect_sound();
}

}  // namespace
}  // namespace gittxn::land
