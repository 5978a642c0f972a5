// Tests, on records written by hand, of which processes of git are questions.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bug.h"
#include "capture/git/git_settings.h"
#include "capture/testing/asks.h"

namespace gittxn::capture {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::must;
using testing::Story;

class AsksGit : public testing::Asks {
 protected:
  // git runs this and shows the snapshot's a.txt.
  Record& shows(std::vector<std::string> argv = {"git", "show", "HEAD:a.txt"}) {
    Record& exec = runs(std::move(argv));
    exec.env = {"HOME=/home/pat"};
    return exec;
  }
  void reads_its_directory() {
    for (const char* file :
         {".git/HEAD", ".git/config", ".git/index", ".git/packed-refs", ".git/refs"}) {
      looks(file);
    }
    story->opens_objects(kChild);
  }
  void asks(std::vector<std::string> argv = {"git", "show", "HEAD:a.txt"}) {
    shows(std::move(argv));
    reads_its_directory();
    exits();
  }
  // The question's number of the first read that it made, and why others are none.
  std::string number() {
    told = story->told();
    for (const Read& read : told.reads) {
      if (read.kind != ReadKind::kEnvironment) return std::to_string(read.question);
    }
    return "no read";
  }
  void expect_none(const std::string& reason) {
    EXPECT_EQ(number(), "0");
    EXPECT_THAT(told.no_questions, Contains(HasSubstr(reason)));
    EXPECT_THAT(told.questions, IsEmpty());
  }
  void writes_own(const std::string& path) {
    story->create(path, O_WRONLY, false);
    story->changed(path);
    must(make_dirs(story->tree()));
    must(write_file(story->at(path), "new\n", Sync::kNo));
  }
};

TEST_F(AsksGit, OneThatReadsTheCommitAndItsFilesIsAQuestion) {
  asks();
  EXPECT_EQ(number(), "1");
  EXPECT_EQ(told.questions[0].name, "git show");
  EXPECT_EQ(told.questions[0].kind, Question::Kind::kPure);
  for (const std::vector<std::string>& argv : {std::vector<std::string>{"git", "ls-files", "src"},
                                               {"git", "log", "--", "src"},
                                               {"git", "grep", "-E", "x.*", "--", "*.c"},
                                               {"git", "ls-tree", "HEAD", "src"}}) {
    anew();
    asks(argv);
    EXPECT_EQ(number(), "1") << argv[1];
  }
}

TEST_F(AsksGit, TheHistoryThatItShowsIsALookOfIt) {
  asks({"git", "log", "--", "src"});
  EXPECT_EQ(number(), "1");
  const Read* read = Story::find(told, ReadKind::kRef, "HEAD");
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->strength, Strength::kSoft);
  EXPECT_EQ(read->question, 1);
}

TEST_F(AsksGit, NotOneThatShowsMoreOfTheRepository) {
  for (const std::vector<std::string>& argv : {std::vector<std::string>{"git", "log", "--all"},
                                               {"git", "log", "--format=%d"},
                                               {"git", "branch", "-a"},
                                               {"git", "tag"},
                                               {"git", "describe"}}) {
    anew();
    asks(argv);
    expect_none("more of the repository");
  }
}

TEST_F(AsksGit, NorOneWithAVariableForGit) {
  for (const char* variable :
       {"GIT_DIR=/elsewhere", "GIT_INDEX_FILE=x", "GIT_CONFIG_COUNT=1", "GIT_EXTERNAL_DIFF=x",
        "GIT_WORK_TREE=/x", "GIT_NEW=1", "GIT_EXEC_PATH=/opt/git-core"}) {
    anew();
    shows().env.emplace_back(variable);
    reads_its_directory();
    exits();
    expect_none("a variable");
  }
  anew();
  shows().env = {"GIT_PAGER=cat", "GIT_TXN_ID=t-1", "GIT_EXEC_PATH=/usr/lib/git-core"};
  reads_its_directory();
  exits();
  EXPECT_EQ(number(), "1");
}

TEST_F(AsksGit, NorOneOfARepositoryWithSubmodulesOrFilteredFiles) {
  const auto asks_where = [&](const char* file) {
    story = std::make_unique<Story>(Story::Repo::kFresh);
    story->repo.write(file, "x\n");
    story->snapshot = story->repo.commit("second");
    asks();
  };
  asks_where(".gitmodules");
  expect_none("the repository has submodules");
  asks_where(".gitattributes");
  EXPECT_EQ(number(), "1");
  InterpretInput input = story->input();
  input.search_settings = [] {
    SearchSettings settings{.known = true};
    settings.git_answers = git_settings({{"filter.lfs.clean", "git-lfs clean"}});
    return settings;
  };
  told = must(interpret(story->repo.objects(), input));
  EXPECT_THAT(told.questions, IsEmpty());
  EXPECT_THAT(told.no_questions, Contains(HasSubstr("files may be filtered")));
}

TEST_F(AsksGit, NorOneThatMayShowNotes) {
  story = std::make_unique<Story>(Story::Repo::kFresh);
  story->repo.git({"notes", "add", "-m", "a note"});
  story->repo.git({"pack-refs", "--all"});
  asks({"git", "log", "--", "src"});
  expect_none("commits have notes");
  asks();
  told = story->told();
  ASSERT_EQ(told.questions.size(), 1u);
  EXPECT_EQ(told.questions[0].name, "git show") << "a file has none";
}

TEST_F(AsksGit, NorOneThatPrintsToATerminal) {
  shows().given[1].kind = Given::Kind::kTerminal;
  reads_its_directory();
  exits();
  expect_none("terminal");
}

TEST_F(AsksGit, NorOneThatReadsWhatAnAskingHasNot) {
  for (const char* file : {".git/refs/heads/other", ".git/refs/heads", ".git/refs/replace",
                           ".git/logs/HEAD", ".git/MERGE_HEAD", ".git/sharedindex.1"}) {
    anew();
    shows();
    reads_its_directory();
    looks(file);
    exits();
    expect_none("it read '.git/");
  }
}

TEST_F(AsksGit, NorOneOfAMovedHeadOrOtherReferencesOrSettings) {
  for (const char* file : {".git/HEAD", ".git/refs/heads/main", ".git/packed-refs", ".git/config",
                           ".git/info/exclude", ".git/MERGE_HEAD"}) {
    anew();
    story->overwrite(file);
    asks();
    expect_none(std::string(file) + "' was changed before");
    anew();
    asks();
    story->overwrite(file);
    EXPECT_EQ(number(), "1") << "afterwards, " << file;
  }
}

TEST_F(AsksGit, AStagedFileCountsWhereTheIndexIsPartOfTheAnswer) {
  story->git({"add", "a.txt"}, kGrandchild);
  story->create(".git/index.lock", O_WRONLY, false, kGrandchild);
  Record& rename = story->rename(".git/index.lock", ".git/index");
  rename.pid = kGrandchild;
  asks();
  EXPECT_EQ(number(), "1") << "of the commit";
  anew();
  story->git({"add", "a.txt"}, kGrandchild);
  story->create(".git/index.lock", O_WRONLY, false, kGrandchild);
  asks({"git", "ls-files", "src"});
  expect_none("the index was changed before");
}

TEST_F(AsksGit, AnIndexThatAReaderRefreshedIsTheSame) {
  runs({"git", "status", "--short"}, kGrandchild);
  story->create(".git/index.lock", O_WRONLY, false, kGrandchild);
  exits(0, kGrandchild);
  asks({"git", "ls-files", "src"});
  EXPECT_EQ(number(), "1");
  anew();
  runs({"/opt/git", "status", "--short"}, kGrandchild);
  story->create(".git/index.lock", O_WRONLY, false, kGrandchild);
  exits(0, kGrandchild);
  asks({"git", "ls-files", "src"});
  expect_none("the index was changed before");
}

TEST_F(AsksGit, FilesOfTheTransactionAreAskedWithAsItLeavesThem) {
  writes_own("new.txt");
  asks({"git", "ls-files", "src"});
  EXPECT_EQ(number(), "1");
  EXPECT_THAT(told.questions[0].own, ElementsAre("new.txt"));
  story->overwrite("new.txt");
  EXPECT_EQ(number(), "1") << "of one that is not tracked git says the name";
  EXPECT_THAT(told.questions[0].own, ElementsAre("new.txt"));
  for (const char* counts : {"a.txt", ".gitattributes"}) {
    anew();
    writes_own(counts);
    asks({"git", "ls-files", "src"});
    story->overwrite(counts);
    expect_none(std::string("'") + counts + "' was changed before and after it");
  }
  anew();
  writes_own("new.txt");
  story->add(Op::kUnlink, "new.txt");
  asks({"git", "ls-files", "src"});
  story->create("new.txt", O_WRONLY, false);
  expect_none("'new.txt' was changed before and after it");
}

TEST_F(AsksGit, OneThatComparesFilesMeetsThemAll) {
  story->create("mine.txt", O_WRONLY, false);
  asks({"git", "ls-files", "src"});
  expect_none("'mine.txt' was then what it is not in the end");
  story->ignored = [](const std::string& path) -> Result<bool> { return path == "mine.txt"; };
  EXPECT_EQ(number(), "1") << "ignored";
  anew();
  story->create("mine.txt", O_WRONLY, false);
  story->add(Op::kUnlink, "mine.txt");
  asks({"git", "ls-files", "src"});
  EXPECT_EQ(number(), "1") << "it had gone";
  anew();
  story->create("mine.txt", O_WRONLY, false);
  asks();
  EXPECT_EQ(number(), "1") << "one that shows the commit meets none";
}

TEST_F(AsksGit, RulesOfTheTransactionThatSayHowFilesAreShownCount) {
  story->create(".gitattributes", O_WRONLY, false);
  asks();
  expect_none("'.gitattributes' was then");
}

TEST_F(AsksGit, OneInsideOfARunnerLeavesItAlone) {
  tests_look_at("b.txt");
  runs({"git", "branch", "-a"}, kGrandchild, kChild);
  looks(".git/HEAD", kGrandchild);
  looks(".git/logs/HEAD", kGrandchild);
  exits(0, kGrandchild);
  exits();
  EXPECT_THAT(reads(), ElementsAre("1 b.txt"));
  EXPECT_EQ(told.questions[0].name, "pytest");
}

TEST_F(AsksGit, ASettingThatIsOnNoListMakesNoneAQuestion) {
  asks();
  InterpretInput input = story->input();
  input.search_settings = [] {
    SearchSettings settings{.known = true};
    settings.git_answers = git_settings({{"diff.external", "x"}});
    return settings;
  };
  told = must(interpret(story->repo.objects(), input));
  EXPECT_THAT(told.questions, IsEmpty());
  EXPECT_THAT(told.no_questions,
              Contains(HasSubstr("the setting diff.external may change its answer")));
}

#ifdef GIT_TXN_BUGS
TEST_F(AsksGit, ALaxerWatchOverTheGitDirectoryWouldBeNoticed) {
  struct Lax {
    const char* bug;
    void (*act)(AsksGit&);
    std::vector<std::string> argv;
  };
  const Lax all[] = {
      {"capture.git_asks_for_more", [](AsksGit&) {}, {"git", "log", "--all"}},
      {"capture.git_stands_still",
       [](AsksGit& it) { it.story->overwrite(".git/refs/heads/main"); },
       {"git", "ls-files", "src"}},
      {"capture.git_meets_no_file",
       [](AsksGit& it) { it.story->create("mine.txt", O_WRONLY, false); },
       {"git", "ls-files", "src"}},
  };
  for (const Lax& one : all) {
    anew();
    one.act(*this);
    asks(one.argv);
    EXPECT_EQ(number(), "0") << one.bug;
    arm_bug(one.bug);
    EXPECT_EQ(number(), "1") << one.bug;
    arm_bug("");
  }
}
#endif

}  // namespace
}  // namespace gittxn::capture
