// Questions of git that are asked again: what its answer is made from has to be in the asking, and
// nothing else.
#include "land/judge/asking/ask_again.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "asking/testing/world.h"
#include "base/bug.h"
#include "base/clock.h"
#include "repo/testing/place.h"
#include "repo/testing/scratch_repo.h"

namespace gittxn::land {
namespace {

using certify::Answer;
using repo::testing::must;
using ::testing::HasSubstr;
using How = Answer::How;

class AsksGitAgain : public ::testing::Test {
 protected:
  asking::testing::PlaceOutside outside_;
  repo::testing::ScratchRepo repo_ = repo::testing::some_repo();
  repo::Repository repository_ = repo_.open();
  Oid snapshot_ = repo_.head();
  std::vector<std::string> settings_;
  SystemClock clock_;

  void SetUp() override {
    const std::string why = asking::testing::missing_for_asking();
    if (!why.empty()) GTEST_SKIP() << why;
    must(make_dirs(outside_ / "worktrees"));
  }

  // Asks `git WORDS`, which ended with 0 and looked at the history, again on the present head.
  Answer asked(std::vector<std::string> words) {
    Question question;
    question.number = 1;
    question.kind = Question::Kind::kPure;
    question.program = "/usr/bin/git";
    question.argv = std::move(words);
    question.argv.insert(question.argv.begin(), "git");
    question.tree = outside_ / "worktrees/t-1/tree";
    question.settings = settings_;
    Read look;
    look.kind = ReadKind::kRef;
    look.subject = "HEAD";
    look.digest = snapshot_.str();
    look.strength = Strength::kSoft;
    look.snapshot = snapshot_;
    look.question = 1;
    Footprint footprint{TxnId("t-1"), {}, {}, snapshot_};
    footprint.reads.reads = {look};
    footprint.reads.questions = {question};
    Candidate candidate;
    candidate.head = repo_.head();
    candidate.head_tree = must(repository_.objects().tree_of(candidate.head));
    Context context;
    context.repository = &repository_;
    context.clock = &clock_;
    context.gates.worktree_root = outside_ / "worktrees";
    context.gates.caller = repo_.env();
    context.asks.root = outside_ / "asking";
    context.asks.pure_ms = 60'000;
    const std::vector<std::int64_t> questions{1};
    Askings askings(context, {});
    const auto answers =
        must(askings.answers(footprint, RefName("refs/heads/main"), candidate, questions));
    return answers.empty() ? Answer{0, How::kOther, "not asked"} : answers.front();
  }
  void expect_other(std::vector<std::string> words, const std::string& why) {
    const Answer answer = asked(std::move(words));
    EXPECT_EQ(answer.how, How::kOther);
    EXPECT_THAT(answer.why, HasSubstr(why));
  }
};

TEST_F(AsksGitAgain, ByTheSnapshotAndTheHead) {
  const std::vector<std::string> log{"log", "--format=%s", "--", "src/a.txt"};
  repo_.write("README", "more\n");
  repo_.commit("another file");
  EXPECT_EQ(asked(log).how, How::kSame) << asked(log).why;
  EXPECT_EQ(asked({"status"}).how, How::kSame);
  EXPECT_EQ(asked({"grep", "-n", "a", "--", "src"}).how, How::kSame);
  expect_other({"rev-parse", "HEAD"}, "prints something else now");
  repo_.write("src/a.txt", "changed\n");
  repo_.commit("this file");
  expect_other(log, "prints something else now");
#ifdef GIT_TXN_BUGS
  arm_bug("land.git_stays_at_the_snapshot");
  EXPECT_EQ(asked(log).how, How::kSame);
  arm_bug("");
#endif
}

TEST_F(AsksGitAgain, WithTheSettingsOfTheQuestionAndNoOthers) {
  repo_.write("src/\xc3\xa4.txt", "a\n");
  snapshot_ = repo_.commit("a name");
  repo_.git({"config", "alias.st", "status"});
  repo_.git({"config", "diff.external", "false"});
  repo_.write("README", "more\n");
  repo_.commit("another file");
  EXPECT_EQ(asked({"ls-files", "src"}).how, How::kSame);
  settings_ = {"core.quotepath=false"};
  EXPECT_EQ(asked({"ls-files", "src"}).how, How::kSame);
  for (const char* setting : {"core.fsmonitor=/bin/true", "diff.external=x", "core.quotepath"}) {
    settings_ = {setting};
    expect_other({"ls-files", "src"}, "cannot be run again as it was");
  }
}

TEST_F(AsksGitAgain, NotWhereAnAskingHasLessThanItNeeds) {
  repo_.git({"branch", "other"});
  repo_.write("README", "more\n");
  repo_.commit("another file");
  expect_other({"log", "--format=%s", "other"}, "it ends with status 128 instead of 0");
  expect_other({"log", "--all", "--format=%s"}, "cannot be run again as it was");
  expect_other({"branch", "-a"}, "cannot be run again as it was");
  repo_.write(".gitmodules", "[submodule \"x\"]\n\tpath = x\n\turl = ../x\n");
  repo_.commit("modules");
  expect_other({"status", "--short"}, "cannot be run again as it was");
}

}  // namespace
}  // namespace gittxn::land
