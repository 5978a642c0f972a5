// A file that is made from others, against changes of those.
#include "land/judge/symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "land/testing/land_world.h"

namespace gittxn::land {
namespace {

using testing::FileEdits;
using ::testing::HasSubstr;
using testing::LandWorld;
using testing::Proposal;

class LandGenerated : public ::testing::TestWithParam<Isolation> {
 protected:
  LandGenerated() {
    world.scratch.write(".gittxn.toml",
                        "[generated.\"api/openapi.json\"]\nfrom = [\"src/routes/**\"]\n");
    world.scratch.write("api/openapi.json", "{}\n");
    world.scratch.write("src/routes/a.ts", "export const a = 1;\n");
    world.scratch.write("src/routes/b.ts", "export const b = 1;\n");
    world.scratch.write("web/client.ts", "fetch('x');\n");
    world.scratch.commit("code");
  }
  LandOutcome after(const FileEdits& first, const FileEdits& second,
                    std::vector<std::string> reads = {}) {
    Proposal theirs{"t-a", first, {}}, ours{"t-b", second, std::move(reads)};
    theirs.isolation = ours.isolation = GetParam();
    const TxnId a = world.propose(theirs), b = world.propose(ours);
    const auto landed = world.land(a);
    EXPECT_TRUE(landed) << landed.error().message;
    EXPECT_EQ(landed->result, LandResult::kLanded);
    return testing::must(world.land(b));
  }
  static bool reads_count() { return GetParam() >= Isolation::kSemantic; }

  const FileEdits route = {{"src/routes/a.ts", "export const a = 2;\n"}};
  const FileEdits made = {{"api/openapi.json", "{\"a\": 2}\n"}};
  LandWorld world;
};

INSTANTIATE_TEST_SUITE_P(At, LandGenerated,
                         ::testing::Values(Isolation::kSnapshot, Isolation::kSemantic,
                                           Isolation::kStrict),
                         [](const auto& at) { return std::string(isolation_name(at.param)); });

TEST_P(LandGenerated, ReadingItReadsItsSources) {
  const LandOutcome outcome = after(route, {{"f1", "B\n"}}, {"api/openapi.json"});
  if (!reads_count()) {
    EXPECT_EQ(outcome.result, LandResult::kLanded);
    return;
  }
  ASSERT_EQ(outcome.result, LandResult::kConflict);
  EXPECT_EQ(outcome.conflicts[0].subject, "api/openapi.json");
  EXPECT_EQ(outcome.conflicts[0].changed_by, "t-a");
  EXPECT_THAT(outcome.conflicts[0].hint, HasSubstr("src/routes/a.ts"));
}

TEST_P(LandGenerated, OneThatWasMadeAgainIsReadAsItIs) {
  FileEdits both = route;
  both.merge(FileEdits(made));
  const LandOutcome outcome = after(both, {{"f1", "B\n"}}, {"f2"});
  EXPECT_EQ(outcome.result, LandResult::kLanded);
}

TEST_P(LandGenerated, WhoDidNotReadItIsNotInTheWay) {
  EXPECT_EQ(after(route, {{"f1", "B\n"}}, {"f2"}).result, LandResult::kLanded);
}

TEST_P(LandGenerated, MadeFromWhatHasChanged) {
  for (const bool source_first : {true, false}) {
    LandWorld fresh;
    fresh.scratch.write(".gittxn.toml", "[generated.\"gen/\"]\nfrom = [\"in/*\"]\n");
    fresh.scratch.write("gen/a", "1\n");
    fresh.scratch.write("in/a", "1\n");
    fresh.scratch.commit("code");
    const FileEdits source = {{"in/a", "2\n"}}, artifact = {{"gen/a", "2\n"}};
    Proposal one{"t-a", source_first ? source : artifact, {}};
    Proposal two{"t-b", source_first ? artifact : source, {}};
    one.isolation = two.isolation = GetParam();
    const TxnId a = fresh.propose(one), b = fresh.propose(two);
    EXPECT_EQ(testing::must(fresh.land(a)).result, LandResult::kLanded);
    const LandOutcome outcome = testing::must(fresh.land(b));
    ASSERT_EQ(outcome.result, LandResult::kConflict) << source_first;
    EXPECT_EQ(outcome.conflicts[0].kind, ConflictKind::kSymbol);
    EXPECT_THAT(outcome.conflicts[0].hint, HasSubstr("in/a"));
    EXPECT_THAT(outcome.conflicts[0].hint, HasSubstr("gen/a"));
  }
}

TEST_P(LandGenerated, WhoEditsAUserOfIt) {
  // Without gates nobody could tell whether the two go together.
  const FileEdits user = {{"web/client.ts", "import api from '../api/openapi.json';\n"}};
  EXPECT_EQ(after(route, user).result, LandResult::kConflict);
}

TEST_P(LandGenerated, TwoSourcesOfIt) {
  const LandOutcome outcome = after(route, {{"src/routes/b.ts", "export const b = 2;\n"}});
  EXPECT_EQ(outcome.result, LandResult::kLanded);
}

}  // namespace
}  // namespace gittxn::land
