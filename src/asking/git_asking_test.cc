// Tests of the git directory of an asking: a commit, its index, its files, and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "asking/testing/world.h"
#include "capture/trace/trace.h"

namespace gittxn::asking {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::must;
using ::testing::Not;

class GitOfAnAsking : public testing::World {
 protected:
  Oid first_ = repo_.head();

  AskSpec git(std::vector<std::string> words, const Oid& commit, const Oid& tree) const {
    words.insert(words.begin(), "/usr/bin/git");
    AskSpec asked = spec(std::move(words));
    asked.tree = tree;
    asked.git = repo::BriefGit{commit, RefName("refs/heads/main"), {}};
    asked.hidden.push_back(repo_.path());
    asked.env["GIT_CONFIG_GLOBAL"] = "/dev/null";
    asked.env["GIT_CONFIG_NOSYSTEM"] = "1";
    return asked;
  }
  // Asks on the present head, with its own files.
  std::string says(std::vector<std::string> words) {
    return said(git(std::move(words), repo_.head(), repo_.tree()));
  }
};

TEST_F(GitOfAnAsking, HasACommitItsIndexAndItsFiles) {
  EXPECT_EQ(says({"log", "--format=%s"}), "first\n");
  EXPECT_EQ(says({"rev-parse", "HEAD", "main"}), first_.str() + "\n" + first_.str() + "\n");
  EXPECT_EQ(says({"rev-parse", "--show-toplevel"}), at_ + "\n");
  EXPECT_EQ(says({"ls-files", "src"}), "src/a.txt\nsrc/b.txt\nsrc/deep/c.txt\n");
  EXPECT_EQ(says({"show", "HEAD:src/a.txt"}), "a\n");
  EXPECT_EQ(says({"grep", "-n", "hello"}), "README:1:hello\n");
  EXPECT_EQ(says({"status", "--short"}), "");
  EXPECT_EQ(says({"status"}), "On branch main\nnothing to commit, working tree clean\n");
  repo_.write("src/a.txt", "changed\n");
  repo_.commit("second");
  EXPECT_EQ(says({"log", "--format=%s"}), "second\nfirst\n");
  EXPECT_EQ(says({"log", "--format=%s", "--", "README"}), "first\n");
  EXPECT_EQ(says({"status", "--short"}), "");
}

// Files that have the age and the length that the index says are told apart only by their bytes.
TEST_F(GitOfAnAsking, TellsTheFilesThatTheCommitHasNot) {
  repo_.write("src/a.txt", "b\n");
  repo_.write("new/n.txt", "new\n");
  repo_.write("seen.log", "ignored\n");
  repo_.git({"rm", "-q", "lib/d.txt"});
  repo_.commit("second");
  const std::string differ = " D lib/d.txt\n M src/a.txt\n?? new/\n";
  const Oid tree = repo_.tree();
  EXPECT_EQ(said(git({"status", "--short"}, first_, tree)), differ);
  EXPECT_EQ(said(git({"diff", "--name-only"}, first_, tree)), "lib/d.txt\nsrc/a.txt\n");
  EXPECT_EQ(said(git({"ls-files", "-o", "--exclude-standard"}, first_, tree)), "new/n.txt\n");
  EXPECT_EQ(said(git({"diff-index", "--name-only", "HEAD"}, first_, tree)),
            "lib/d.txt\nsrc/a.txt\n");
}

TEST_F(GitOfAnAsking, LooksIntoNoFileThatTheCommitHas) {
  const Asked asked = must(ask(git({"diff-files", "--exit-code"}, first_, repo_.tree())));
  EXPECT_EQ(asked.status, 0) << asked.out.end;
  std::vector<std::string> opened;
  must(capture::read_records(asked.record_file, [&](const capture::Record& record) {
    if (capture::content_open(record) && record.path.ends_with(".txt")) {
      opened.push_back(record.path);
    }
  }));
  EXPECT_THAT(opened, IsEmpty());
  EXPECT_THAT(asked.wanted_hidden, IsEmpty());
}

TEST_F(GitOfAnAsking, HasNothingElseOfTheRepository) {
  repo_.git({"branch", "other"});
  repo_.git({"tag", "v1"});
  repo_.git({"remote", "add", "origin", "https://example.org/x"});
  repo_.git({"config", "alias.st", "status"});
  repo_.git({"notes", "add", "-m", "a note"});
  must(write_file(repo_.git_dir() + "/hooks/post-index-change", "#!/bin/sh\necho hook\n", Sync::kNo,
                  0755));
  EXPECT_EQ(says({"for-each-ref", "--format=%(refname)"}), "refs/heads/main\n");
  EXPECT_EQ(says({"remote"}), "");
  EXPECT_THAT(says({"st"}), HasSubstr("not a git command"));
  EXPECT_EQ(says({"rev-parse", "-q", "--verify", "other"}), "status 1\n");
  EXPECT_THAT(says({"log", "-1"}), Not(HasSubstr("a note")));
  EXPECT_EQ(says({"update-index", "--refresh", "--force-write-index"}), "");
}

TEST_F(GitOfAnAsking, HasTheSettingsThatItIsGivenAndTheRulesOfTheRepository) {
  repo_.write("src/\xc3\xa4.txt", "a\n");
  repo_.commit("second");
  AskSpec asked = git({"ls-files", "src"}, repo_.head(), repo_.tree());
  EXPECT_THAT(said(asked), HasSubstr("\\303"));
  asked.git->settings = {"core.quotepath=false"};
  EXPECT_THAT(said(asked), HasSubstr("src/\xc3\xa4.txt"));
  repo_.write("mine.txt", "x\n");
  const Oid before = repo_.head();
  repo_.commit("third");
  must(write_file(repo_.git_dir() + "/info/exclude", "mine.txt\n", Sync::kNo));
  EXPECT_EQ(said(git({"status", "--short"}, before, repo_.tree())), "");
}

TEST_F(GitOfAnAsking, SeesObjectsThatTheRepositoryBorrows) {
  const std::string other = repo_.root() + "/borrowing";
  repo_.git({"clone", "-q", "--shared", repo_.path(), other});
  const auto cloned = must(repo::Repository::open(other, repo_.env()));
  const auto objects = must(repo::seen_objects(cloned, std::string(kRepositoryInside)));
  ASSERT_EQ(objects.size(), 2u);
  EXPECT_EQ(objects[0].from, other + "/.git/objects");
  EXPECT_EQ(objects[0].as, std::string(kRepositoryInside) + "/objects");
  EXPECT_EQ(objects[1].from, repo_.git_dir() + "/objects");
}

TEST_F(GitOfAnAsking, ChangesNothingThatStays) {
  const std::string before = repo_.git({"for-each-ref"});
  EXPECT_EQ(says({"-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q",
                  "--allow-empty", "-m", "x"}),
            "");
  EXPECT_EQ(says({"update-ref", "refs/heads/mine", first_.str()}), "");
  EXPECT_EQ(says({"hash-object", "-w", "README"}), "ce013625030ba8dba906f756967f9e9ca394464a\n");
  EXPECT_EQ(repo_.git({"for-each-ref"}), before);
  EXPECT_EQ(says({"for-each-ref", "--format=%(refname)"}), "refs/heads/main\n");
}

TEST_F(GitOfAnAsking, IsNotThereForAnythingElse) {
  EXPECT_THAT(said("git status"), HasSubstr("not a git repository"));
  EXPECT_EQ(says({"status", "--short"}), "");
  EXPECT_THAT(said("git status"), HasSubstr("not a git repository"));
}

}  // namespace
}  // namespace gittxn::asking
