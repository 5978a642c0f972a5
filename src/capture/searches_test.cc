// Searchers that really run, really traced, in a real private worktree: which of their looks one
// search read stands for, and which stay.
#include "capture/searches.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "base/json.h"
#include "capture/search_settings.h"
#include "capture/trace/testing/traced.h"
#include "repo/testing/agent.h"

namespace gittxn::capture {
namespace {

using repo::testing::Agent;
using repo::testing::must;
using repo::testing::ScratchRepo;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

class Searching : public ::testing::TestWithParam<Backend> {
 protected:
  Searching() {
    repo.env()["LC_ALL"] = "C.UTF-8";
    repo.write("a.txt", "alpha\n");
    repo.write("b.txt", "beta\n");
    repo.write("src/x.c", "int alpha;\n");
    repo.write("src/deep/z.c", "int z;\n");
    repo.write("src/data.bin", "0101\n");
  }

  void SetUp() override { SKIP_UNUSABLE(GetParam()); }

  // Hard reads, "kind subject".
  std::vector<std::string> reads_of(const std::string& script) {
    if (!agent) {
      repo.commit("base");
      agent.emplace(repo);
    }
    TraceSpec spec;
    spec.argv = {"/bin/sh", "-c", script};
    spec.cwd = agent->worktree().tree;
    spec.env = repo.env();
    spec.backend = GetParam();
    spec.record_file = repo.root() + "/records-" + std::to_string(++runs);
    const UniqueFd null = must(open_fd("/dev/null", O_RDWR));
    spec.stdin_fd = spec.stdout_fd = null.get();
    must(run_traced(spec));
    InterpretInput input;
    input.places.tree = agent->worktree().tree;
    input.places.private_git_dir = agent->worktree().git_dir;
    input.places.common_git_dir = repo.git_dir();
    input.places.checkouts = {repo.path()};
    input.record_files = {spec.record_file};
    input.snapshot = agent->base();
    input.writes = agent->take_all().changes;
    input.tool_cache_file = repo.root() + "/tools";
    input.search_settings = [&] { return search_settings(input.places, repo.env()); };
    set = must(interpret(repo.objects(), input));
    EXPECT_TRUE(set.complete) << set.unknown_reason;
    std::vector<std::string> lines;
    for (const Read& read : set.reads) {
      if (read.kind == ReadKind::kEnvironment || read.strength == Strength::kSoft) continue;
      lines.push_back(std::string(read_kind_name(read.kind)) + " " +
                      (read.subject.empty() ? "." : read.subject));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  const Read* search() const {
    for (const Read& read : set.reads) {
      if (read.kind == ReadKind::kSearch) return &read;
    }
    return nullptr;
  }

  ScratchRepo repo;
  std::optional<Agent> agent;
  ReadSet set;
  int runs = 0;
};

TEST_P(Searching, ManyOpensAreOneSearch) {
  EXPECT_THAT(reads_of("grep -rn alpha src"), ElementsAre("search src"));
  ASSERT_NE(search(), nullptr);
  EXPECT_EQ(search()->argv, "grep -rn alpha src");
  EXPECT_GE(search()->explains, 5);
  EXPECT_EQ(search()->snapshot, agent->base());
  const auto query = search::query_from_text(search()->query);
  ASSERT_TRUE(query) << query.error().message;
  EXPECT_EQ(query->patterns, std::vector<std::string>{"alpha"});
  EXPECT_THAT(reads_of("cd src && grep -rn alpha"), ElementsAre("metadata src", "search src"));
  EXPECT_THAT(reads_of("grep -n alpha a.txt b.txt"), ElementsAre("search ."));
  EXPECT_THAT(reads_of("find src -name '*.c'"), ElementsAre("search src"));
  EXPECT_THAT(reads_of("find src -name '*.c' -exec grep -n alpha {} +"),
              ElementsAre("search src", "search src"))
      << "the names, and what was looked for in the files";
  EXPECT_THAT(reads_of("ls src"), ElementsAre("search src"));
  EXPECT_THAT(reads_of("git grep -n alpha -- src"), ElementsAre("search src"));
  EXPECT_THAT(reads_of("git grep -n alpha src"), ElementsAre("search src"));
}

TEST_P(Searching, AListingThatCountsAfterAllIsThatOfTheSnapshotWithoutOwnPaths) {
  const auto lines = reads_of("rm src/data.bin; grep -rn alpha src; git config core.pager cat");
  EXPECT_EQ(search(), nullptr) << "settings were changed meanwhile";
  ASSERT_THAT(lines, IsSupersetOf({"content src/x.c", "listing src", "listing src/deep"}));
  const Oid tree = must(repo.objects().tree_of(agent->base()));
  for (const Read& read : set.reads) {
    if (read.kind != ReadKind::kListing) continue;
    auto entries = must(repo.objects().list(must(repo.objects().entry_at(tree, read.subject)).oid));
    std::erase_if(entries, [](const auto& entry) { return entry.name == "data.bin"; });
    EXPECT_EQ(read.digest, listing_digest(std::move(entries)).str()) << read.subject;
  }
}

TEST_P(Searching, TheIndexIsSearchedAsAFileToo) {
  EXPECT_THAT(reads_of("grep -rn alpha ."), ElementsAre("search ."));
  ASSERT_NE(search(), nullptr);
  const auto query = search::query_from_text(search()->query);
  EXPECT_TRUE(query && query->git_index);
  EXPECT_THAT(reads_of("grep -rn --exclude-dir=.git alpha ."), ElementsAre("search ."));
  const auto without = search::query_from_text(search()->query);
  EXPECT_TRUE(without && !without->git_index);
}

TEST_P(Searching, IgnoreRulesStay) {
  if (::access("/usr/bin/rg", X_OK) != 0) GTEST_SKIP() << "rg is not installed";
  repo.write(".gitignore", "*.bin\n");
  repo.write("src/data.bin", "");
  repo.remove("src/data.bin");
  EXPECT_THAT(reads_of("rg -n alpha ."), ElementsAre("content .gitignore", "search ."));
  EXPECT_THAT(reads_of("rg -n alpha ./src"),
              ElementsAre("content .gitignore", "metadata .gitignore", "search src"));
  EXPECT_THAT(reads_of("echo '*.c' >> .gitignore; rg -n alpha ."),
              IsSupersetOf({"content a.txt", "content b.txt"}))
      << "which rules held is not in any tree";
}

TEST_P(Searching, WhatAnotherProcessReadStillCounts) {
  EXPECT_THAT(reads_of("grep -rn alpha src; cat src/x.c"),
              ElementsAre("content src/x.c", "search src"));
  EXPECT_THAT(reads_of("cat src/x.c; grep -rn alpha src"),
              ElementsAre("content src/x.c", "search src"));
}

TEST_P(Searching, OwnFilesAreNobodysAndOwnPathsStayReads) {
  EXPECT_THAT(reads_of("echo alpha > src/new.c; grep -rn alpha src"),
              ElementsAre("metadata src", "search src"));
  EXPECT_THAT(reads_of("grep -rn alpha src; echo more >> src/x.c"),
              ElementsAre("content src/x.c", "search src"));
  // Replaced whole it is no read for the write, but what the search saw of it before is one.
  for (const std::string search : {"grep -rn alpha src", "git grep -n alpha -- src"}) {
    EXPECT_THAT(reads_of(search + "; echo new > src/x.c; echo 1 > src/data.bin"),
                IsSupersetOf({"content src/data.bin", "content src/x.c", "search src"}))
        << search;
    agent->git({"checkout", "-q", "."});
  }
  EXPECT_THAT(reads_of("rm src/deep/z.c; grep -rn int src"),
              IsSupersetOf({"search src", "metadata src/deep/z.c"}));
}

TEST_P(Searching, WhatIsNotProvenStays) {
  const auto opens = IsSupersetOf({"content src/x.c", "content src/deep/z.c"});
  EXPECT_THAT(reads_of("grep -rnz alpha src"), opens) << "an option outside the list";
  EXPECT_THAT(reads_of("LC_ALL=tr_TR.UTF-8 grep -rin alpha src"), opens) << "another alphabet";
  must(make_dirs(repo.root() + "/bin"));
  must(write_file(repo.root() + "/bin/grep", "#!/bin/sh\ncat src/*.c src/deep/*.c\n", Sync::kNo,
                  0755));
  EXPECT_THAT(reads_of("PATH=" + repo.root() + "/bin:$PATH; grep -rn alpha src"), opens)
      << "a name proves nothing";
  EXPECT_EQ(search(), nullptr);
  EXPECT_THAT(reads_of("git config grep.patternType perl; git grep alpha -- src"),
              Contains("tree src"));
  EXPECT_EQ(search(), nullptr) << "what the setting was before cannot be told";
}

TEST_P(Searching, ConvertedFilesAreNotTheirBlobs) {
  repo.write(".gitattributes", "*.c eol=crlf\n*.txt text=auto\n");
  EXPECT_THAT(reads_of("grep -rn alpha src"), Contains("content src/x.c"));
  EXPECT_EQ(search(), nullptr);
  EXPECT_THAT(reads_of("find src -name '*.c'"), ElementsAre("search src")) << "names are names";
}

INSTANTIATE_TEST_SUITE_P(Back, Searching, ::testing::Values(Backend::kNotify, Backend::kPtrace),
                         [](const auto& each) { return std::string(backend_name(each.param)); });

TEST(Attributes, OnlyKnownOnesAreHarmless) {
  for (const char* text : {"", "# text\n", "* text=auto\n", "*.sh text eol=lf\n*.png binary\n",
                           "a -text\n", "docs/** linguist-documentation\n", "/x export-ignore"}) {
    EXPECT_FALSE(attributes_matter(text, Reader::kAny)) << text;
  }
  for (const char* text : {"*.c eol=crlf\n", "*.bin filter=lfs diff=lfs merge=lfs -text\n",
                           "* text=auto\n*.h ident\n", "a working-tree-encoding=UTF-16\n",
                           "[attr]mine eol=crlf\n", "\"a b\" text\n", "a mine\n", "a crlf"}) {
    EXPECT_TRUE(attributes_matter(text, Reader::kAny)) << text;
  }
  EXPECT_TRUE(attributes_matter("*.png binary\n", Reader::kGitGrep));
  EXPECT_TRUE(attributes_matter("*.txt text eol=crlf\n", Reader::kAny));
  EXPECT_FALSE(attributes_matter("*.txt text eol=crlf\n* -crlf\n", Reader::kLines));
  EXPECT_TRUE(attributes_matter("*.txt text eol=crlf ident\n", Reader::kLines));
}

}  // namespace
}  // namespace gittxn::capture
