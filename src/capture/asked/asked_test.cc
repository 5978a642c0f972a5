// Tests of which processes are questions and which looks are theirs, by records written by hand.
#include "capture/asked/asked.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bug.h"
#include "capture/testing/asks.h"

namespace gittxn::capture {
namespace {

using ::testing::AllOf;
using testing::Asks;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using testing::Story;

TEST_F(Asks, ARunOfTheTestsOwnsWhatItLookedAt) {
  tests_look_at("a.txt");
  exits();
  looks("b.txt", Story::kAgent);
  EXPECT_THAT(reads(), ElementsAre("1 a.txt", "0 b.txt"));
  ASSERT_EQ(told.questions.size(), 1u);
  const Question& question = told.questions[0];
  EXPECT_EQ(question.kind, Question::Kind::kRunner);
  EXPECT_EQ(question.name, "pytest");
  EXPECT_THAT(question.argv, ElementsAre("pytest", "-q"));
  EXPECT_EQ(question.tree, story->tree());
  EXPECT_EQ(question.directory, "");
  EXPECT_EQ(question.status, 0);
}

TEST_F(Asks, WhatItStartedIsPartOfIt) {
  tests_look_at("a.txt");
  story->fork(kGrandchild, kChild);
  looks("b.txt", kGrandchild);
  story->exec({"/usr/bin/anything"}, kGrandchild);
  looks("src/x.c", kGrandchild);
  exits(3, kGrandchild);
  exits();
  EXPECT_THAT(reads(), ElementsAre("1 a.txt", "1 b.txt", "1 src/x.c"));
}

TEST_F(Asks, ALookThatSomebodyElseMadeTooCounts) {
  for (const bool first : {true, false}) {
    anew();
    if (first) looks("a.txt", Story::kAgent);
    tests_look_at("a.txt");
    exits();
    if (!first) looks("a.txt", Story::kAgent);
    EXPECT_THAT(reads(), ElementsAre("0 a.txt")) << first;
  }
}

TEST_F(Asks, ARunThatDidNotPassIsNoQuestion) {
  struct End {
    int status;
    std::uint32_t signal;
  };
  for (const End end : {End{1, 0}, End{5, 0}, End{137, 9}}) {
    anew();
    tests_look_at("a.txt");
    exits(end.status).flags = end.signal;
    EXPECT_THAT(reads(), ElementsAre("0 a.txt")) << end.status;
    EXPECT_THAT(told.questions, IsEmpty());
  }
}

TEST_F(Asks, NorIsOneWhoseEndNobodySawOrKnows) {
  tests_look_at("a.txt");
  EXPECT_THAT(reads(), ElementsAre("0 a.txt"));
  exits().assumed = true;
  EXPECT_THAT(reads(), ElementsAre("0 a.txt"));
}

TEST_F(Asks, TheLastWordAboutItsEndCounts) {
  tests_look_at("a.txt");
  exits(0);
  exits(1);
  EXPECT_THAT(reads(), ElementsAre("0 a.txt"));
}

TEST_F(Asks, NorIsOneThatLeftAProcessBehind) {
  tests_look_at("a.txt");
  story->fork(kGrandchild, kChild);
  exits();
  exits(0, kGrandchild);
  EXPECT_THAT(reads(), ElementsAre("0 a.txt"));
}

TEST_F(Asks, NorIsARunOfTestsThatOpenedNone) {
  runs({"pytest", "-q"});
  looks("a.txt");
  exits();
  EXPECT_THAT(reads(), ElementsAre("0 a.txt"));
}

TEST_F(Asks, AProgramThatARunHasBuiltAndStartedIsATest) {
  for (const char* builds : {"make check", "somebody before", "nobody"}) {
    anew();
    const bool before = std::string(builds) == "somebody before";
    if (before) story->create("out/main", O_WRONLY, false);
    runs({"make", "-s", "check"});
    looks("a.txt");
    if (std::string(builds) == "make check") story->create("out/main", O_WRONLY, false, kChild);
    runs({story->at("out/main")}, kGrandchild, kChild);
    exits(0, kGrandchild);
    exits();
    const bool itself = std::string(builds) == "make check";
    EXPECT_THAT(reads(), Contains(itself ? "1 a.txt" : "0 a.txt")) << builds;
  }
}

TEST_F(Asks, AHarnessThatItBuiltIsNone) {
  runs({"cargo", "test"});
  looks("a.txt");
  story->create("target/harness", O_WRONLY, false, kChild);
  runs({story->at("target/harness")}, kGrandchild, kChild);
  exits(0, kGrandchild);
  exits();
  EXPECT_THAT(reads(), Contains("0 a.txt"));
}

// A transaction's log, say, which all commands of a shell write into.
TEST_F(Asks, AFileOfWhichItSawTheNameMayBeWrittenBeforeAndAfter) {
  for (const char* what : {"file", "link"}) {
    anew();
    const bool file = std::string(what) == "file";
    story->create("seen.txt", O_WRONLY, false);
    if (!file) story->add(Op::kSymlink, "seen.txt");
    story->changed("seen.txt");
    tests_look_at("a.txt");
    story->add(Op::kList, "", 0, kChild);
    exits();
    story->overwrite("seen.txt");
    EXPECT_THAT(reads(), ElementsAre("1 a.txt")) << what;
    ASSERT_EQ(told.questions.size(), 1u);
    EXPECT_EQ(told.questions[0].in_between, !file);
    if (!file) continue;
    EXPECT_THAT(told.questions[0].own, ElementsAre("seen.txt"));
    EXPECT_THAT(told.questions[0].unsettled, ElementsAre("seen.txt"));
  }
}

TEST_F(Asks, NorIsOneWhoseInputMayBeAnything) {
  for (const auto kind : {Given::Kind::kPipe, Given::Kind::kSocket, Given::Kind::kUnknown,
                          Given::Kind::kFile, Given::Kind::kOther}) {
    anew();
    runs({"pytest", "-q"}).given[0].kind = kind;
    looks("test_it.py");
    looks("a.txt");
    exits();
    EXPECT_THAT(reads(), ElementsAre("0 a.txt")) << static_cast<int>(kind);
  }
  anew();
  runs({"pytest", "-q"}).given.clear();
  looks("test_it.py");
  looks("a.txt");
  exits();
  EXPECT_THAT(reads(), ElementsAre("0 a.txt"));
}

TEST_F(Asks, AFileOfTheWorktreeIsAnInput) {
  Given& input = runs({"pytest", "-q"}).given[0];
  input.kind = Given::Kind::kFile;
  input.path = story->at("b.txt");
  looks("test_it.py");
  looks("a.txt");
  exits();
  EXPECT_THAT(reads(), ElementsAre("1 a.txt"));
  EXPECT_EQ(told.questions[0].input, story->at("b.txt"));
}

TEST_F(Asks, NorIsOneOfAnotherEnvironmentDirectoryOrVector) {
  using Change = void (*)(Record&, Story&);
  const Change changes[] = {
      [](Record& exec, Story&) { exec.env_digest.clear(); },
      [](Record& exec, Story& its) { exec.path2 = its.root(); },
      [](Record& exec, Story&) { exec.argv_cut = true; },
      [](Record& exec, Story&) { exec.argv = {"pytest", "--collect-only"}; },
      [](Record& exec, Story&) { exec.argv = {"sh", "-c", "pytest"}; },
  };
  for (const Change change : changes) {
    anew();
    change(runs({"pytest", "-q"}), *story);
    looks("test_it.py");
    looks("a.txt");
    exits();
    EXPECT_THAT(reads(), ElementsAre("0 a.txt"));
  }
}

TEST_F(Asks, NorIsOneThatTalkedToSomebody) {
  for (const char* peer : {"inet:10.0.0.1:80", "unix:/run/docker.sock"}) {
    anew();
    tests_look_at("a.txt");
    story->add(Op::kConnect, peer, 0, kChild);
    exits();
    EXPECT_THAT(reads(), Not(Contains("1 a.txt"))) << peer;
  }
  anew();
  tests_look_at("a.txt");
  story->add(Op::kConnect, "inet:127.0.0.1:8080", 0, kChild);
  exits();
  EXPECT_THAT(reads(), ElementsAre("1 a.txt")) << "a server of its own";
}

TEST_F(Asks, NorIsOneThatWroteWhatLands) {
  tests_look_at("a.txt");
  story->create("made.txt", O_WRONLY, false, kChild);
  exits();
  EXPECT_THAT(reads(), ElementsAre("1 a.txt")) << "it is ignored, say";
  story->changed("made.txt");
  EXPECT_THAT(reads(), ElementsAre("0 a.txt"));
}

TEST_F(Asks, NorIsOneOfWhichSomethingThatItLeftWasReadLater) {
  for (const std::string path : {"cache/x", "/tmp/x", "/var/cache/y"}) {
    anew();
    tests_look_at("a.txt");
    story->create(path, O_WRONLY, false, kChild);
    looks(path);  // itself
    exits();
    EXPECT_THAT(reads(), ElementsAre("1 a.txt")) << path;
    looks(path, Story::kAgent);
    EXPECT_THAT(reads(), ElementsAre("0 a.txt")) << path;
  }
}

TEST_F(Asks, ALaterRunMayReadWhatAnEarlierOneLeft) {
  tests_look_at("a.txt");
  story->create("cache/x", O_WRONLY, false, kChild);
  exits();
  runs({"pytest", "-q"}, kGrandchild);
  looks("test_it.py", kGrandchild);
  looks("cache/x", kGrandchild);
  exits(0, kGrandchild);
  EXPECT_THAT(reads(), ElementsAre("1 a.txt"));
}

TEST_F(Asks, TheOutermostThatIsOneOwnsTheLooks) {
  for (const int status : {0, 2}) {
    anew();
    runs({"make", "test"});
    looks("a.txt");
    runs({"pytest", "-q"}, kGrandchild, kChild);
    looks("test_it.py", kGrandchild);
    looks("b.txt", kGrandchild);
    exits(0, kGrandchild);
    exits(status);
    if (status == 0) EXPECT_THAT(reads(), ElementsAre("1 a.txt", "1 b.txt"));
    if (status != 0) EXPECT_THAT(reads(), ElementsAre("0 a.txt", "1 b.txt"));
    EXPECT_EQ(told.questions[0].name, status == 0 ? "make test" : "pytest");
  }
}

TEST_F(Asks, WhatWasWrittenBeforeIsPartOfTheTreeThatItIsAskedOn) {
  story->create("new.txt", O_WRONLY, false);
  story->changed("new.txt");
  repo::testing::must(make_dirs(story->tree()));
  repo::testing::must(write_file(story->at("new.txt"), "new\n", Sync::kNo));
  tests_look_at("a.txt");
  looks("new.txt");
  exits();
  story->create("later.txt", O_WRONLY, false);
  story->changed("later.txt");
  EXPECT_THAT(reads(), ElementsAre("1 a.txt"));
  EXPECT_THAT(told.questions[0].own, ElementsAre("new.txt"));
}

TEST_F(Asks, OnlyWhatLandsAnswersForOneThatMetAFileWhichChangedBeforeAndAfter) {
  story->create("new.txt", O_WRONLY, false);
  story->changed("new.txt");
  tests_look_at("a.txt");
  looks("new.txt");
  exits();
  story->overwrite("new.txt");
  EXPECT_THAT(reads(), ElementsAre("1 a.txt"));
  EXPECT_TRUE(told.questions[0].in_between);
  EXPECT_THAT(told.questions[0].met, ElementsAre("new.txt"));
}

// Nothing of it is left, but by then it was there.
TEST_F(Asks, NorIsOneSettledThatMetAFileWhichWasChangedBackAfterwards) {
  for (const char* path : {"b.txt", "made.txt"}) {
    anew();
    story->create(path, O_WRONLY | O_TRUNC, path[0] == 'b');
    tests_look_at("a.txt");
    looks(path);
    exits();
    const bool there = path[0] == 'b';
    if (there) story->overwrite(path);
    if (!there) story->add(Op::kUnlink, path);
    EXPECT_THAT(reads(), Contains("1 a.txt")) << path;
    EXPECT_TRUE(told.questions[0].in_between);
    story->ignored = [](const std::string& name) { return name == "made.txt"; };
    EXPECT_THAT(reads(), Contains("1 a.txt"));
    EXPECT_EQ(told.questions[0].in_between, there)
        << path << ": what is tracked is not ignored, and what is never lands";
  }
}

TEST_F(Asks, AFileThatItDidNotMeetMayChangeAgainAndIsNamed) {
  story->overwrite("src/x.c");
  story->changed("src/x.c");
  tests_look_at("a.txt");
  exits();
  story->overwrite("src/x.c");
  EXPECT_THAT(reads(), ElementsAre("1 a.txt"));
  EXPECT_THAT(told.questions[0].own, IsEmpty());
  EXPECT_THAT(told.questions[0].unsettled, ElementsAre("src/x.c"));
}

TEST_F(Asks, NorIsOneThatMetAFileWhichAnotherProcessWroteMeanwhile) {
  tests_look_at("a.txt");
  looks("b.txt");
  story->overwrite("b.txt");
  story->changed("b.txt");
  exits();
  EXPECT_THAT(reads(), Contains("0 a.txt"));
}

TEST_F(Asks, AProcessIdThatIsUsedAgainIsAnEndThatNobodySaw) {
  tests_look_at("a.txt");
  runs({"pytest", "-q"});
  looks("test_it.py");
  looks("b.txt");
  exits();
  EXPECT_THAT(reads(), ElementsAre("0 a.txt", "1 b.txt"));
}

TEST_F(Asks, NothingIsAskedOnceTheBaseHasMoved) {
  story->base = story->repo.head();
  tests_look_at("a.txt");
  exits();
  EXPECT_THAT(reads(), Contains("1 a.txt")) << "the base is the snapshot";
}

TEST_F(Asks, OfAProgramThatIsNoneItIsSaidWhy) {
  const auto looks_by = [&](std::vector<std::string> argv, const char* path) {
    runs(std::move(argv));
    looks(path);
    exits();
  };
  looks_by({"/usr/bin/anything", "-x"}, "a.txt");
  looks_by({"make", "install"}, "b.txt");
  looks_by({"long", std::string(70'000, 'x')}, "src/x.c");
  runs({"idle"});
  exits();
  tests_look_at("a.txt");
  exits(1);
  reads();
  EXPECT_THAT(told.no_questions,
              ElementsAre("/usr/bin/anything -x: the program anything is not on the list",
                          AllOf(StartsWith("long xxx"), EndsWith(": it has too many arguments")),
                          "make install: make of the target install is not on the list",
                          "pytest -q: it failed"));
}

// ---- pure processes ----

class Shows : public Asks {
 protected:
  Record& shows(std::vector<std::string> argv = {"head", "-3", "a.txt"}) {
    return runs(std::move(argv));
  }
};

TEST_F(Shows, AProgramThatOnlyPrintsOwnsWhatItRead) {
  shows().env = {"LC_ALL=C.UTF-8"};
  looks("a.txt");
  exits(1);
  EXPECT_THAT(reads(), ElementsAre("1 a.txt"));
  EXPECT_EQ(told.questions[0].kind, Question::Kind::kPure);
  EXPECT_EQ(told.questions[0].status, 1);
  EXPECT_THAT(told.questions[0].env, ElementsAre("LC_ALL=C.UTF-8"));
}

TEST_F(Shows, NotOneOfAnotherOrigin) {
  shows({"/opt/bin/head", "-3", "a.txt"});
  looks("a.txt");
  exits();
  EXPECT_THAT(reads(), ElementsAre("0 a.txt"));
}

TEST_F(Shows, NorOneThatStartsOrBecomesAnotherOrWrites) {
  using Act = void (*)(Shows&);
  const Act acts[] = {
      [](Shows& it) { it.story->fork(kGrandchild, kChild), it.exits(0, kGrandchild); },
      [](Shows& it) { it.story->exec({"sh"}, kChild); },
      [](Shows& it) { it.story->create("/var/cache/out", O_WRONLY, false, kChild); },
      [](Shows& it) { it.looks("/tmp/list"); },
      [](Shows& it) { it.looks("ignored.txt"); },
      [](Shows& it) { it.looks(".git/HEAD"); },
  };
  for (const Act act : acts) {
    anew();
    shows();
    looks("a.txt");
    act(*this);
    exits();
    EXPECT_THAT(reads(), Contains("0 a.txt"));
  }
}

// The search takes the place of what it looked at, and meets what others have added below.
TEST_F(Shows, ASearchMeetsAllThatIsBelowWhereItLooked) {
  for (const bool afterwards : {false, true}) {
    anew();
    const std::string own = "src/deep/new.c";
    story->create(own, O_WRONLY, false);
    story->changed(own);
    repo::testing::must(make_dirs(story->at("src/deep")));
    repo::testing::must(write_file(story->at(own), "new\n", Sync::kNo));
    shows({"grep", "-rn", "x", "src"}).env = {"LC_ALL=C"};
    for (const char* dir : {"src", "src/deep"}) story->add(Op::kList, dir, 0, kChild);
    for (const char* file : {"src/x.c", "src/y.c", "src/deep/z.c"}) looks(file);
    exits();
    if (afterwards) story->overwrite(own);
    told = story->told();
    const Read* search = Story::find(told, ReadKind::kSearch, "src");
    ASSERT_NE(search, nullptr);
    EXPECT_EQ(search->question, afterwards ? 0 : 1);
  }
}

TEST_F(Shows, NorOneWhoseVariablesAreNotKnown) {
  shows().env_known = false;
  looks("a.txt");
  exits();
  EXPECT_THAT(reads(), ElementsAre("0 a.txt"));
}

#ifdef GIT_TXN_BUGS
TEST_F(Asks, ACandidateThatIsAlwaysAQuestionWouldBeNoticed) {
  tests_look_at("a.txt");
  exits(1);
  arm_bug("capture.every_candidate_asks");
  EXPECT_THAT(reads(), ElementsAre("1 a.txt"));
  arm_bug("");
}
#endif

}  // namespace
}  // namespace gittxn::capture
