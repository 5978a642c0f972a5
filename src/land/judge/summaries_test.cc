// Look-ups of summaries in trees, and what became of them in another one.
#include "land/judge/summaries.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "repo/testing/scratch_repo.h"
#include "store/testing/temp_store.h"

namespace gittxn::land {
namespace {

using repo::testing::must;

class Lookups : public ::testing::Test {
 protected:
  repo::testing::ScratchRepo repo;
  Oid before;

  void SetUp() override {
    repo.write("src/a.c", "a\n");
    repo.write("src/b.c", "b\n");
    repo.write("README", "r\n");
    before = repo.commit("start");
  }
  std::string at(const Oid& commit, ReadKind kind, const std::string& subject) {
    const auto objects = repo.objects();
    return must(look_up(objects, must(objects.tree_of(commit)), kind, subject));
  }
  // The source that is stale in `commit`, of a summary made from one look-up at the start.
  std::string stale(const Oid& commit, ReadKind kind, const std::string& subject) {
    const auto objects = repo.objects();
    const Summary summary{"s", {}, 0, "", {{kind, subject, at(before, kind, subject)}}};
    const auto found = must(first_stale(objects, must(objects.tree_of(commit)), summary));
    return found ? "stale " + found->source.subject : "holds";
  }
};

TEST_F(Lookups, EachKindNoticesWhatItLookedAt) {
  repo.write("src/a.c", "changed\n");
  repo.write("src/new/c.c", "c\n");
  const Oid after = repo.commit("later");
  EXPECT_EQ(stale(after, ReadKind::kContent, "src/a.c"), "stale src/a.c");
  EXPECT_EQ(stale(after, ReadKind::kContent, "src/b.c"), "holds");
  EXPECT_EQ(stale(after, ReadKind::kMetadata, "src/a.c"), "stale src/a.c");
  EXPECT_EQ(stale(after, ReadKind::kMetadata, "src"), "holds");
  EXPECT_EQ(stale(after, ReadKind::kAbsence, "src/new/c.c"), "stale src/new/c.c");
  EXPECT_EQ(stale(after, ReadKind::kAbsence, "nothing"), "holds");
  EXPECT_EQ(stale(after, ReadKind::kListing, "src"), "stale src");
  EXPECT_EQ(stale(after, ReadKind::kListing, "src/a.c"), "holds") << "no directory on both sides";
  EXPECT_EQ(stale(after, ReadKind::kTree, "src"), "stale src");
  EXPECT_EQ(stale(after, ReadKind::kTree, ""), "stale ");
  EXPECT_EQ(stale(after, ReadKind::kTree, "README"), "holds");
  EXPECT_EQ(stale(before, ReadKind::kTree, ""), "holds");
  const auto objects = repo.objects();
  EXPECT_FALSE(look_up(objects, must(objects.tree_of(after)), ReadKind::kKernel, "policy"));
}

TEST_F(Lookups, TheCertifierIsToldOfWhatIsInTheStoreAlone) {
  store::testing::TempStore place;
  store::Store store = place.open();
  const auto objects = repo.objects();
  const Summary summary{
      "facts",
      {},
      0,
      "t-1",
      {{ReadKind::kContent, "src/a.c", at(before, ReadKind::kContent, "src/a.c")}}};
  const Digest manifest = must(store.put_artifact(manifest_text(summary)));
  const Digest junk = must(store.put_artifact("junk"));
  ReadSet reads;
  const auto read = [&](const std::string& name, const std::string& digest) {
    Read one;
    one.kind = ReadKind::kSummary;
    one.subject = name;
    one.digest = digest;
    reads.reads.push_back(one);
  };
  read("facts", manifest.str());
  read("facts", manifest.str());
  read("facts", std::string(64, '0'));   // nothing is there
  read("other", manifest.str());         // another name than it was stored by
  read("facts", "../../../etc/passwd");  // what an agent may write
  read("junk", junk.str());
  repo.write("src/a.c", "changed\n");
  const Oid after = repo.commit("later");
  auto states = must(summary_states(store, objects, reads, must(objects.tree_of(before))));
  ASSERT_EQ(states.size(), 1u);
  EXPECT_TRUE(states[0].holds);
  states = must(summary_states(store, objects, reads, must(objects.tree_of(after))));
  ASSERT_EQ(states.size(), 1u);
  EXPECT_FALSE(states[0].holds);
  EXPECT_EQ(states[0].source, "src/a.c");
  EXPECT_EQ(states[0].source_now, at(after, ReadKind::kContent, "src/a.c"));
}

}  // namespace
}  // namespace gittxn::land
