// Tests of the names and words by which an agent's listings are judged, on real files and queries.
#include "land/judge/shown_names.h"

#include <gtest/gtest.h>

#include "repo/testing/scratch_repo.h"
#include "search/argv.h"
#include "search/query.h"

namespace gittxn::land {
namespace {

using certify::NamePart;
using repo::testing::must;

class ShownNames : public ::testing::Test {
 protected:
  repo::testing::ScratchRepo repo;

  ShownNames() {
    repo.write("a.txt", "the old guide\nlast\n");
    repo.write("docs/plan.md", "x\n");
  }
  // True if the word stands in lines that were added between the two commits.
  bool named(const Oid& before, const Oid& after, std::string_view word) {
    const repo::Objects objects = repo.objects();
    Footprint txn;
    txn.writes = must(objects.diff(before, after));
    return certify::NameRules(name_rules(objects, txn, {})).named(word);
  }
  static Read search(std::vector<std::string> argv, const std::string& cwd = "") {
    search::Surroundings around;
    around.top = "/top";
    around.cwd = cwd;
    const auto query = search::query_from_argv("/usr/bin/" + argv[0], argv, around);
    Read read;
    read.kind = ReadKind::kSearch;
    read.query = query ? search::query_text(*query) : "";
    return read;
  }
  NamePart part(const Read& read, std::string_view path) {
    const repo::Objects objects = repo.objects();
    const Footprint txn;
    return name_rules(objects, txn, {}).part_of_search(read, path);
  }
};

TEST_F(ShownNames, AWordOfALineThatWasAddedIsNamed) {
  const Oid before = repo.commit("before");
  repo.write("a.txt", "the old guide\nsee Manual.md, half_way\nlast\n");
  const Oid after = repo.commit("after");
  for (const char* word : {"manual.md", "Manual", "MD", "see", "half_way", "way"}) {
    EXPECT_TRUE(named(before, after, word)) << word;
  }
  for (const char* word : {"guide", "last", "anual", "man", "e"}) {
    EXPECT_FALSE(named(before, after, word)) << word;
  }
}

TEST_F(ShownNames, SoIsTheNameOfAFileThatWasMadeAndTheTextOfALink) {
  const Oid before = repo.commit("before");
  repo.write("docs/guide-new.md", "\n");
  ASSERT_EQ(::symlink("../target.c", repo.file("docs/link").c_str()), 0);
  const Oid after = repo.commit("after");
  for (const char* word : {"guide", "new.md", "target", "link"}) {
    EXPECT_TRUE(named(before, after, word)) << word;
  }
  for (const char* word : {"docs", "plan"}) EXPECT_FALSE(named(before, after, word)) << word;
}

TEST_F(ShownNames, WhatWentNamesNothing) {
  const Oid before = repo.commit("before");
  repo.git({"rm", "-q", "docs/plan.md"});
  repo.write("a.txt", "the old guide\n");
  const Oid after = repo.commit("after");
  for (const char* word : {"plan", "x", "last", "guide"}) {
    EXPECT_FALSE(named(before, after, word)) << word;
  }
}

TEST_F(ShownNames, WhatCannotBeReadHasEveryWord) {
  const repo::Objects objects = repo.objects();
  Footprint txn;
  txn.writes.push_back({"b", {}, {FileMode::kFile, Oid(std::string(40, '7'))}});
  EXPECT_TRUE(name_rules(objects, txn, {}).named("anything"));
}

TEST_F(ShownNames, EntriesOfASearchAreAsDeepAsItWent) {
  const Read top = search({"ls"});
  EXPECT_EQ(part(top, "a"), NamePart::kEntry);
  EXPECT_EQ(part(top, "docs/a"), NamePart::kNone);
  const Read one = search({"ls", "docs"});
  EXPECT_EQ(part(one, "docs/a"), NamePart::kEntry);
  EXPECT_EQ(part(one, "docs/s/a"), NamePart::kNone);
  EXPECT_EQ(part(one, "docsx"), NamePart::kNone);
  EXPECT_EQ(part(one, "docs"), NamePart::kRoot);
  EXPECT_EQ(part(search({"ls", "deep"}, "docs"), "docs"), NamePart::kRoot);
  EXPECT_EQ(part(search({"ls", "-R", "docs"}), "docs/s/a"), NamePart::kEntry);
  const Read all = search({"find", "docs", "-name", "*.md"});
  EXPECT_EQ(part(all, "docs/s/a"), NamePart::kEntry);
  EXPECT_EQ(part(all, "a"), NamePart::kNone);
  const Read near = search({"find", ".", "-maxdepth", "2"});
  EXPECT_EQ(part(near, "docs/a"), NamePart::kEntry);
  EXPECT_EQ(part(near, "docs/s/a"), NamePart::kNone);
}

TEST_F(ShownNames, OfContentsAndOfWhatIsNotUnderstoodAllIsTheRoot) {
  EXPECT_EQ(part(search({"grep", "-rn", "x", "docs"}), "a"), NamePart::kRoot);
  EXPECT_EQ(part(Read{}, "a"), NamePart::kRoot);
}

}  // namespace
}  // namespace gittxn::land
