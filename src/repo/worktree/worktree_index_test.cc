// The index reader against git's own listing, and against damaged bytes.
#include "repo/worktree/worktree_index.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "repo/testing/agent.h"

namespace gittxn::repo {
namespace {

using testing::must;
using testing::ScratchRepo;

std::string listing(const IndexFile& index) {
  std::string text;
  for (const IndexEntry& entry : index.entries()) {
    text += fmt::format("{:06o} {} {}\t{}", entry.mode, index.oid(entry).str(), entry.stage,
                        index.path(entry)) +
            '\0';
  }
  return text;
}

ScratchRepo odd_repo() {
  ScratchRepo repo;
  for (const std::string name :
       {"a", "ab", "abc/d", "abc/de", "line\nbreak", "\xff\xfe", "z/y/x/w"}) {
    repo.write(name, name);
  }
  testing::write_raw(repo.file(std::string(255, 'n')), "long");
  repo.write("run", "x", 0755);
  repo.commit("odd");
  return repo;
}

TEST(IndexFile, ReadsWhatGitWrites) {
  const ScratchRepo repo = odd_repo();
  const std::string file = repo.git_dir() + "/index";
  for (const char* version : {"2", "3", "4"}) {
    repo.git({"update-index", "--index-version", version});
    if (std::string(version) != "2") {
      repo.git({"update-index", "--skip-worktree", "abc/d"});
      repo.git({"update-index", "--assume-unchanged", "a"});
    }
    IndexFile index = must(IndexFile::parse(must(read_file(file))));
    EXPECT_EQ(listing(index), repo.git({"ls-files", "-s", "-z"}));
    ASSERT_NE(index.find("abc/d"), nullptr);
    EXPECT_EQ(index.find("abc"), nullptr);
    EXPECT_TRUE(index.has_below("abc"));
    EXPECT_FALSE(index.has_below("ab"));
    if (std::string(version) == "2") continue;
    EXPECT_TRUE(index.find("abc/d")->skip_worktree);
    EXPECT_TRUE(index.find("a")->assume_unchanged);
    for (const IndexEntry& entry : index.entries()) index.clear_flags(entry);
    must(write_index(file, index, IndexTime::kKeep));
    EXPECT_EQ(repo.git({"ls-files", "-v"}).find_first_of("Shs"), std::string::npos);
    EXPECT_EQ(repo.git({"fsck"}), "");
  }
}

TEST(IndexFile, ConflictsComeInTheirOrder) {
  const ScratchRepo repo = odd_repo();
  repo.git({"checkout", "-q", "-b", "side"});
  repo.write("a", "side");
  repo.commit("side");
  repo.git({"checkout", "-q", "main"});
  repo.write("a", "main");
  repo.commit("main");
  EXPECT_NE(repo.git_status({"merge", "-q", "side"}), 0);
  const IndexFile index = must(IndexFile::parse(must(read_file(repo.git_dir() + "/index"))));
  EXPECT_EQ(listing(index), repo.git({"ls-files", "-s", "-z"}));
  EXPECT_EQ(index.find("a")->stage, 1);
}

TEST(IndexFile, SplitAndSparseAreWrittenOutWhole) {
  const ScratchRepo repo = odd_repo();
  const std::string file = repo.git_dir() + "/index";
  const std::string expected = repo.git({"ls-files", "-s", "-z"});
  repo.git({"update-index", "--split-index"});
  const auto parsed = IndexFile::parse(must(read_file(file)));
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code, Code::kNeedsGit);
  const Git git = repo.runner();
  const GitOptions options{.dir = repo.path()};
  const IndexFile index = must(load_index({git, options, file}, repo.root() + "/whole"));
  EXPECT_EQ(listing(index), expected);
}

TEST(IndexFile, DamageIsAnErrorAndNothingWorse) {
  const ScratchRepo repo = odd_repo();
  const std::string whole = must(read_file(repo.git_dir() + "/index"));
  const std::uint64_t seed = Random().next();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  Random random(seed);
  for (int i = 0; i < 3000; ++i) {
    std::string bytes =
        whole.substr(0, random.below(2) == 0 ? whole.size() : random.below(whole.size()));
    for (int k = 0; k < 3 && !bytes.empty(); ++k) {
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    }
    if (auto index = IndexFile::parse(std::move(bytes))) (void)listing(*index);
  }
  EXPECT_FALSE(IndexFile::parse(""));
  EXPECT_FALSE(IndexFile::parse("DIRC"));
}

TEST(BlobOid, IsGits) {
  const ScratchRepo repo;
  for (const std::string text : {"", "hello\n", "\0\xff"}) {
    EXPECT_EQ(blob_oid(text).str(), repo.git({"hash-object", "--stdin"}, text));
  }
}

}  // namespace
}  // namespace gittxn::repo
