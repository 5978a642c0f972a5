// Tests of what is an agent's housekeeping and what is not, on records written by hand of a program
// that the test knows in the place of a real one. ./dev agents --together has the real ones.
#include "capture/housekeeping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bug.h"
#include "base/hash.h"
#include "capture/testing/story.h"

namespace gittxn::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::must;
using testing::Story;

constexpr std::string_view kText = "the program of an agent";
constexpr std::string_view kTools[] = {"Bash", "Read"};
constexpr std::string_view kSearchers[] = {"ugrep"};
constexpr std::string_view kOwnGit = "/own-git/";
constexpr std::string_view kQuestions[] = {"status\n--porcelain=v2\n"};

const agents::KnownProgram* known_here(const std::string& digest) {
  static const std::string known_digest = sha256(kText).str();
  static const agents::KnownProgram known{.program = agents::Program::kClaudeCode,
                                          .digest = known_digest,
                                          .searchers = kSearchers,
                                          .tools = kTools,
                                          .git = "-c\nx=y\n",
                                          .children = kQuestions,
                                          .own_git = kOwnGit,
                                          .keeps_house = true};
  return digest == known.digest ? &known : nullptr;
}

class KeepsHouse : public ::testing::Test {
 protected:
  static constexpr int kClaude = 200, kHook = 300, kGit = 400, kShell = 500;
  KeepsHouse() : program(join_path(story.root(), "claude")) {
    must(write_file(program, kText, Sync::kNo));
    story.known_program = known_here;
    story.conversations.whole = true;
    story.conversations.tools = {"Bash", "Read", "mcp__plugin_git-txn_txn__read"};
  }
  void begins(std::vector<std::string> argv = {"claude", "-p", "x"}) {
    story.fork(kClaude);
    Record& exec = story.add(Op::kExec, program, 0, kClaude);
    exec.mode = S_IFREG | 0755;
    exec.argv = std::move(argv);
  }
  void reports() {
    story.fork(kHook, kClaude);
    story.exec({"/usr/bin/git-txn", "hook", "SessionStart"}, kHook);
  }
  void lists(const std::string& path, int pid = kClaude) { story.add(Op::kList, path, 0, pid); }
  void asks_git(std::vector<std::string> words, int parent = kClaude) {
    words.insert(words.begin(), "git");
    story.fork(kGit, parent);
    story.exec(std::move(words), kGit);
    story.add(Op::kOpenRead, "/elsewhere/.git/HEAD", 0, kGit);  // of a git directory of its own
  }
  // "listing src" and the like: what has to hold, and what is excused.
  std::vector<std::string> hard() { return of(false); }
  std::vector<std::string> excused() { return of(true); }

  Story story;
  std::string program;

 private:
  std::vector<std::string> of(bool housekeeping) {
    ReadSet set = story.told();
    std::erase_if(set.reads, [&](const Read& read) {
      return (read.reader == ReaderClass::kItself) != housekeeping ||
             read.strength != Strength::kHard;
    });
    return Story::lines(set);
  }
};

TEST_F(KeepsHouse, TheAgentListsForItself) {
  begins();
  lists("src");  // before the first hook, too
  reports();
  lists("");
  EXPECT_THAT(excused(), ElementsAre("listing .", "listing src"));
  EXPECT_THAT(hard(), IsEmpty());
}

TEST_F(KeepsHouse, AndReadsTheIndexForItself) {
  begins();
  reports();
  story.add(Op::kOpenRead, ".git/index", 0, kClaude);
  EXPECT_THAT(excused(), ElementsAre("tree ."));
}

TEST_F(KeepsHouse, ButNoContentsAndNoNames) {
  begins();
  reports();
  story.add(Op::kOpenRead, "a.txt", 0, kClaude);
  story.add(Op::kStat, "src/x.c", 0, kClaude);
  story.add(Op::kOpenRead, "CLAUDE.md", -ENOENT, kClaude);
  story.add(Op::kOpenRead, story.repo.git_dir() + "/objects/pack/pack-1.pack", 0, kClaude);
  EXPECT_THAT(excused(), IsEmpty());
  EXPECT_THAT(hard(),
              ElementsAre("tree .", "absence CLAUDE.md", "content a.txt", "metadata src/x.c"));
}

TEST_F(KeepsHouse, WhatAnotherProcessSawAsWellHasToHold) {
  begins();
  reports();
  lists("src");
  story.fork(kShell, kClaude);
  lists("src", kShell);
  EXPECT_THAT(hard(), ElementsAre("listing src"));
  EXPECT_THAT(excused(), IsEmpty());
}

TEST_F(KeepsHouse, AndWhatAToolSaysThatItWasShown) {
  begins();
  reports();
  lists("src");
  Observed mention;
  mention.what = Observed::What::kDirectory;
  mention.path = story.at("src");
  mention.source = ReadSource::kTranscript;
  story.observations.push_back(mention);
  EXPECT_THAT(hard(), ElementsAre("listing src"));
  EXPECT_THAT(excused(), IsEmpty());
}

TEST_F(KeepsHouse, ADirectoryWhereACallFailedMayHaveBeenShown) {
  begins();
  reports();
  lists("");
  lists("src");
  story.conversations.failed = {{"src/z.c", story.tree()}};
  EXPECT_THAT(hard(), ElementsAre("listing src"));
  story.conversations.failed = {{"to-src/z.c", story.tree()}};  // a link
  EXPECT_THAT(hard(), ElementsAre("listing src"));
  story.conversations.failed = {{story.at("new/z.c"), ""}};  // where that is nobody knows
  EXPECT_THAT(hard(), ElementsAre("listing .", "listing src"));
  story.conversations.failed = {{"src/z.c", ""}};
  EXPECT_THAT(hard(), ElementsAre("listing .", "listing src"));
  story.conversations.failed = {{"/etc/nothing/there", ""}};
  EXPECT_THAT(hard(), IsEmpty());
}

TEST_F(KeepsHouse, ATaskOfItsGitThatNobodyIsShown) {
  begins();
  reports();
  asks_git({"-c", "x=y", "status", "--porcelain=v2"});
  lists("src", kGit);
  story.add(Op::kStat, "src/x.c", 0, kGit);
  story.add(Op::kOpenRead, "src/y.c", 0, kGit);
  EXPECT_THAT(excused(), ElementsAre("listing src", "metadata src/x.c"));
  EXPECT_THAT(hard(), ElementsAre("content src/y.c"));
}

TEST_F(KeepsHouse, ByExactlyThoseWords) {
  begins();
  reports();
  asks_git({"-c", "x=y", "status", "--porcelain=v2", "-z"});
  lists("src", kGit);
  EXPECT_THAT(excused(), IsEmpty());
}

TEST_F(KeepsHouse, ItsOwnGitDirectoryIsNobodysSettings) {
  const auto searched_after = [&](const std::string& file, int pid) {
    begins();
    reports();
    story.create(file, O_EXCL, false, pid);
    story.fork(kGit, kShell);
    Record& exec = story.exec({"ls", "src"}, kGit);
    exec.path2 = story.tree();
    exec.env_known = true;
    story.add(Op::kStat, "src", 0, kGit).mode = S_IFDIR | 0755;
    lists("src", kGit);
    return std::ranges::count(hard(), "search src") == 1;
  };
  EXPECT_TRUE(searched_after("/tmp/own-git/1/config", kClaude));
  EXPECT_FALSE(searched_after("/tmp/own-git/1/config", kShell));
}

TEST_F(KeepsHouse, AListingOfWhatARunLeftUsesNothingOfIt) {
  const auto asked_after = [&](int lister, const std::string& what, mode_t type) {
    begins();
    reports();
    story.fork(kShell, kClaude);
    Record& exec = story.exec({"pytest", "-q"}, kShell);
    exec.path2 = story.tree();
    exec.env_digest = std::string(64, 'e');
    exec.given.resize(kGiven012, {.kind = Given::Kind::kNull});
    story.add(Op::kOpenRead, "test_it.py", 0, kShell);
    story.add(Op::kOpenRead, "a.txt", 0, kShell);
    story.add(Op::kMkdir, "cache", 0, kShell).mode = 0;
    story.create("cache/it", O_EXCL, false, kShell);
    story.add(Op::kExit, "/", 0, kShell);
    story.fork(kGit, kClaude);
    story.add(Op::kOpenRead, what, 0, lister).mode = type | 0755;
    return story.told().questions.size() == 1;
  };
  EXPECT_TRUE(asked_after(kClaude, "cache", S_IFDIR));
  EXPECT_FALSE(asked_after(kGit, "cache", S_IFDIR));
}

TEST_F(KeepsHouse, NorIsAFileThatARunLeftItsOwn) {
  begins();
  reports();
  story.fork(kShell, kClaude);
  Record& exec = story.exec({"pytest", "-q"}, kShell);
  exec.path2 = story.tree();
  exec.env_digest = std::string(64, 'e');
  exec.given.resize(kGiven012, {.kind = Given::Kind::kNull});
  story.add(Op::kOpenRead, "test_it.py", 0, kShell);
  story.add(Op::kOpenRead, "a.txt", 0, kShell);
  story.create("cache", O_EXCL, false, kShell);
  story.add(Op::kExit, "/", 0, kShell);
  EXPECT_EQ(story.told().questions.size(), 1u);
  story.add(Op::kOpenRead, "cache", 0, kClaude);
  EXPECT_THAT(story.told().questions, IsEmpty());
}

TEST_F(KeepsHouse, AnyOtherConfigurationMayBe) {
  begins();
  reports();
  story.create("/tmp/elsewhere/config", O_EXCL, false, kClaude);
  story.fork(kGit, kShell);
  Record& exec = story.exec({"ls", "src"}, kGit);
  exec.path2 = story.tree();
  exec.env_known = true;
  lists("src", kGit);
  EXPECT_THAT(hard(), ElementsAre("listing src"));
}

TEST_F(KeepsHouse, AndFromNobodyElse) {
  begins();
  reports();
  story.fork(kShell, kClaude);
  story.exec({"bash", "-c", "git status"}, kShell);
  asks_git({"-c", "x=y", "status", "--porcelain=v2"}, kShell);
  lists("src", kGit);
  EXPECT_THAT(excused(), IsEmpty());
}

TEST_F(KeepsHouse, NothingOfAVersionThatIsNotKnown) {
  must(write_file(program, "another version", Sync::kNo));
  begins();
  reports();
  lists("src");
  EXPECT_THAT(excused(), IsEmpty());
}

TEST_F(KeepsHouse, NothingOfOneThatReportsNothing) {
  begins();
  lists("src");
  EXPECT_THAT(excused(), IsEmpty());
}

TEST_F(KeepsHouse, NorOfOneThatStartedOneThatDoes) {
  begins();
  constexpr int kInner = 600;
  story.fork(kInner, kClaude);
  Record& exec = story.add(Op::kExec, program, 0, kInner);
  exec.argv = {"claude", "-p", "y"};
  story.fork(kHook, kInner);
  story.exec({"/usr/bin/git-txn", "hook", "SessionStart"}, kHook);
  lists("src");
  EXPECT_THAT(excused(), IsEmpty());
  lists("", kInner);
  EXPECT_THAT(excused(), ElementsAre("listing ."));
}

TEST_F(KeepsHouse, NothingOfASessionThatIsNotWhole) {
  story.conversations.whole = false;
  begins();
  reports();
  lists("src");
  EXPECT_THAT(excused(), IsEmpty());
}

TEST_F(KeepsHouse, NothingWhereAnotherToolWasUsed) {
  story.conversations.tools.insert("Glob");
  begins();
  reports();
  lists("src");
  EXPECT_THAT(excused(), IsEmpty());
}

TEST_F(KeepsHouse, NothingWhenItIsASearcher) {
  begins({"ugrep", "-r", "x"});
  reports();
  lists("src");
  EXPECT_THAT(excused(), IsEmpty());
}

TEST_F(KeepsHouse, NothingBelowItsOwnFolder) {
  begins();
  reports();
  lists(".claude");
  lists(".claude/skills");
  EXPECT_THAT(excused(), IsEmpty());
}

#ifdef GIT_TXN_BUGS
TEST_F(KeepsHouse, ABugThatExcusesMoreWouldBeNoticed) {
  begins();
  reports();
  story.add(Op::kOpenRead, "a.txt", 0, kClaude);
  lists("src");
  story.conversations.failed = {{"src/z.c", story.tree()}};
  EXPECT_THAT(excused(), IsEmpty());
  arm_bug("capture.housekeeping_of_contents");
  EXPECT_THAT(excused(), ::testing::Contains("content a.txt"));
  arm_bug("capture.housekeeping_shown");
  EXPECT_THAT(excused(), ElementsAre("listing src"));
  story.conversations = {};
  arm_bug("capture.housekeeping_of_any_session");
  EXPECT_THAT(excused(), ElementsAre("listing src"));
  arm_bug("");
}

TEST_F(KeepsHouse, ABugThatTakesAnyQuestionForItsOwnWouldBeNoticed) {
  begins();
  reports();
  asks_git({"ls-files"});
  lists("src", kGit);
  EXPECT_THAT(excused(), IsEmpty());
  arm_bug("agents.any_child_keeps_house");
  EXPECT_THAT(excused(), ElementsAre("listing src"));
  arm_bug("");
}
#endif

}  // namespace
}  // namespace gittxn::capture
