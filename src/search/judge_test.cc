// The judge where the real programs cannot be asked: the transaction's own paths, changed rules,
// and trees that cannot be read.
#include <gtest/gtest.h>

#include "search/argv.h"
#include "search/evaluate.h"
#include "search/testing/world.h"

namespace gittxn::search {
namespace {

using testing::Files;
using testing::MapTree;
using testing::Store;

class SearchJudge : public ::testing::Test {
 protected:
  void put(Files& files, const std::string& path, const std::string& text,
           FileMode mode = FileMode::kFile) {
    files[path] = {mode, store.put(text)};
  }
  Query query(const std::vector<std::string>& argv) {
    Surroundings around;
    around.git_settings = Vouched::kYes;
    around.outside_rules = Vouched::kYes;
    Refined<Query> made = query_from_argv("/usr/bin/" + argv[0], argv, around);
    EXPECT_TRUE(made) << made.error().reason;
    return made.value_or(Query{});
  }
  Judgement ask(const std::vector<std::string>& argv, const std::vector<std::string>& own = {}) {
    return judge(query(argv), MapTree(before, store), MapTree(after, store),
                 gittxn::testing::diff(before, after), own);
  }

  Store store;
  Files before;
  Files after;
};

TEST_F(SearchJudge, HoldsUntilALineThatMatchesChanges) {
  put(before, "src/a.cc", "one\nfoo\n");
  put(before, "src/b.cc", "two\n");
  after = before;
  put(after, "src/b.cc", "two\nthree\n");
  put(after, "docs/c", "foo\n");
  EXPECT_TRUE(ask({"grep", "-rn", "foo", "src"}).holds);
  EXPECT_FALSE(ask({"grep", "-rn", "foo", "."}).holds);
  put(after, "src/a.cc", "zero\none\nfoo\n");
  EXPECT_TRUE(ask({"grep", "-r", "foo", "src"}).holds);
  const Judgement stale = ask({"grep", "-rn", "foo", "src"});
  EXPECT_EQ(stale.reason, "'src/a.cc' changes the answer");
  EXPECT_EQ(stale.path, "src/a.cc");
  EXPECT_EQ(stale.was, "src/a.cc:2:foo");
  EXPECT_EQ(stale.is, "src/a.cc:3:foo");
  EXPECT_FALSE(ask({"grep", "-r", "-B2", "foo", "src"}).holds);
  EXPECT_TRUE(ask({"grep", "-rl", "foo", "src"}).holds);
}

// `grep -r x .` searches git's index too, and that holds every name.
TEST_F(SearchJudge, ANameInTheIndexMayMatch) {
  put(before, "a", "x\n");
  after = before;
  put(after, "a", "y\n");
  put(after, "new-foo.c", "y\n");
  Query about = query({"grep", "-rn", "foo", "."});
  const auto ask_again = [&](const std::vector<std::string>& own = {}) {
    return judge(about, MapTree(before, store), MapTree(after, store),
                 gittxn::testing::diff(before, after), own)
        .holds;
  };
  EXPECT_TRUE(ask_again());
  about.git_index = true;
  EXPECT_FALSE(ask_again());
  EXPECT_FALSE(ask_again({"new-foo.c"})) << "one's own path hides nothing";
  about.patterns = {"quux"};
  EXPECT_TRUE(ask_again());
  about.patterns = {"NEW"};
  EXPECT_TRUE(ask_again());
  about.ignore_case = true;
  EXPECT_FALSE(ask_again());
  about = query({"grep", "-rn", "zz.*zz", "."});
  about.git_index = true;
  EXPECT_FALSE(ask_again()) << "what stands around a name in the index is no text";
  after.erase("new-foo.c");
  EXPECT_TRUE(ask_again()) << "no name came or went";
}

TEST_F(SearchJudge, OwnPathsHideNothing) {
  put(before, "a", "x\n");
  after = before;
  put(after, "a", "foo\n");
  EXPECT_FALSE(ask({"grep", "-r", "foo", "."}).holds);
  EXPECT_FALSE(ask({"grep", "-r", "foo", "."}, {"a"}).holds);
  EXPECT_TRUE(ask({"grep", "-r", "bar", "."}, {"a"}).holds);
}

TEST_F(SearchJudge, ReevaluatesWhatAChangedRuleGoverns) {
  put(before, "src/a.py", "foo\n");
  put(before, "lib/b", "foo\n");
  put(before, "src/.gitignore", "*.c\n");
  after = before;
  put(after, "src/.gitignore", "*.c\n*.o\n");
  EXPECT_TRUE(ask({"rg", "foo"}).holds);
  EXPECT_TRUE(ask({"fd", "-e", "py"}).holds);
  put(after, "src/.gitignore", "*.py\n");
  EXPECT_EQ(ask({"rg", "foo"}).reason, "'src/a.py' changes the answer");
  EXPECT_TRUE(ask({"rg", "bar"}).holds);
  EXPECT_TRUE(ask({"rg", "foo", "lib"}).holds);
  EXPECT_TRUE(ask({"rg", "--no-ignore", "foo"}).holds);
  EXPECT_FALSE(ask({"fd", "-e", "py"}).holds);
  // A rule above the root governs it.
  put(after, ".gitignore", "b\n");
  EXPECT_FALSE(ask({"rg", "foo", "lib"}).holds);
}

TEST_F(SearchJudge, DoesNotGuessAboutRulesItCannotRead) {
  put(before, ".gitignore", "[ab]*\n");
  put(before, "a.py", "foo\n");
  after = before;
  put(after, "a.py", "bar\n");
  EXPECT_FALSE(ask({"rg", "foo"}).holds);
  after = before;
  put(after, ".gitignore", "[cd]*\n");
  EXPECT_FALSE(ask({"rg", "foo"}).holds);
  EXPECT_TRUE(ask({"rg", "zzz"}).holds) << "nothing would be printed either way";
}

TEST_F(SearchJudge, MindsOwnIgnoreFilesAndOwnFilesUnderNewRules) {
  put(before, ".gitignore", "*.o\n");
  put(before, "a.o", "foo\n");
  after = before;
  put(after, "a.o", "foo foo\n");
  EXPECT_TRUE(ask({"rg", "foo"}).holds);
  EXPECT_FALSE(ask({"rg", "foo"}, {".ignore"}).holds) << "its own rules may show a.o";
  after = before;
  put(after, ".gitignore", "*.o\n*.tmp\n");
  EXPECT_TRUE(ask({"rg", "foo"}).holds);
  EXPECT_FALSE(ask({"rg", "foo"}, {"x.tmp"}).holds) << "a new rule may hide its own file";
}

TEST_F(SearchJudge, FailsClosedOnRootsAndLinks) {
  put(before, "src/a", "x\n");
  after = before;
  after.erase("src/a");
  put(after, "src", "file\n");
  EXPECT_FALSE(ask({"grep", "-r", "foo", "src"}).holds);
  put(before, "l", "src", FileMode::kLink);
  EXPECT_FALSE(evaluate(query({"grep", "-r", "foo", "l"}), MapTree(before, store)));
  EXPECT_FALSE(evaluate(query({"ls", "l"}), MapTree(before, store)));
}

TEST_F(SearchJudge, DoesNotHoldWhenAttributesChange) {
  put(before, "a", "foo\n");
  after = before;
  put(after, "lib/.gitattributes", "* -diff\n");
  EXPECT_FALSE(ask({"git", "grep", "foo"}).holds);
  EXPECT_FALSE(ask({"grep", "-r", "foo", "a"}).holds);
  EXPECT_TRUE(ask({"find", ".", "-name", "a"}).holds);
}

// A search of many files stays when one goes; rg says so when the last one does.
TEST_F(SearchJudge, NoticesThatThereIsNothingLeftToSearch) {
  put(before, "a.go", "x\n");
  put(before, "b.go", "x\n");
  put(before, "c", "x\n");
  after = before;
  after.erase("a.go");
  EXPECT_TRUE(ask({"rg", "-t", "go", "foo"}).holds);
  after.erase("b.go");
  EXPECT_FALSE(ask({"rg", "-t", "go", "foo"}).holds);
}

// A binary file, and one whose text is not ASCII, answer by their bytes.
TEST_F(SearchJudge, TakesBytesWhereMeaningIsNotCertain) {
  put(before, "bin", std::string("a\0b\n", 4));
  put(before, "utf", "caf\xc3\xa9\n");
  after = before;
  put(after, "bin", std::string("a\0c\n", 4));
  EXPECT_FALSE(ask({"grep", "-r", "foo", "."}).holds);
  after = before;
  put(after, "utf", "th\xc3\xa9\n");
  EXPECT_TRUE(ask({"grep", "-rF", "foo", "."}).holds);
  EXPECT_FALSE(ask({"grep", "-riF", "foo", "."}).holds);
}

class Unreadable : public Tree {
 public:
  Result<TreeEntry> entry(const std::string& path) const override {
    if (path.empty()) return TreeEntry{FileMode::kTree, Oid{}};
    return fail(Code::kFault, "no disk");
  }
  Result<std::vector<NamedEntry>> list(const std::string&) const override {
    return fail(Code::kFault, "no disk");
  }
  Result<std::string> blob(const Oid&) const override { return fail(Code::kFault, "no disk"); }
};

TEST_F(SearchJudge, DoesNotHoldWhenATreeCannotBeRead) {
  put(after, "a", "x\n");
  const Judgement verdict = judge(query({"grep", "-r", "foo", "."}), MapTree(before, store),
                                  Unreadable(), gittxn::testing::diff(before, after), {});
  EXPECT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.reason, "cannot read the tree: no disk");
}

TEST_F(SearchJudge, SaysWhatASearchLookedAt) {
  put(before, "src/a.cc", "x\n");
  put(before, "src/b.py", "x\n");
  put(before, "src/.gitignore", "b.*\n");
  put(before, ".hid/c", "x\n");
  const Refined<Answer> answer = evaluate(query({"rg", "x"}), MapTree(before, store));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->files, std::vector<std::string>{"src/a.cc"});
  EXPECT_EQ(answer->directories, (std::vector<std::string>{"", "src"}));
  EXPECT_EQ(answer->ignore_files, std::vector<std::string>{"src/.gitignore"});
  EXPECT_FALSE(evaluate(query({"rg", "x"}), MapTree(before, store), 2));
}

}  // namespace
}  // namespace gittxn::search
