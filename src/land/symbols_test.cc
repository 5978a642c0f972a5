// Two changes of one file, and of what one file uses of another: what lands, at which level, and
// what is said.
#include "land/symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "land/testing/land_world.h"

namespace gittxn::land {
namespace {

using ::testing::HasSubstr;
using testing::LandWorld;
using testing::Proposal;

constexpr const char* kBase =
    "int add(int a, int b) {\n  return a + b;\n}\n\n"
    "int twice(int a) {\n  return 2 * a;\n}\n\n"
    "int half(int a) {\n  return a / 2;\n}\n";

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

class LandSymbols : public ::testing::TestWithParam<Isolation> {
 protected:
  LandSymbols() {
    world.scratch.write("src/math.c", kBase);
    world.scratch.write("src/main.c", "int add(int a, int b);\nint main(void) {\n  return 0;\n}\n");
    world.scratch.commit("code");
  }
  // Both from one base; `first` is on the branch when `second` asks.
  LandOutcome after(const Proposal& first, const Proposal& second) {
    const TxnId a = world.propose(first), b = world.propose(second);
    const auto landed = world.land(a);
    EXPECT_TRUE(landed) << landed.error().message;
    EXPECT_EQ(landed->result, LandResult::kLanded);
    return testing::must(world.land(b));
  }
  Proposal change(const char* id, testing::Edits edits, std::vector<std::string> reads) {
    Proposal proposal{id, std::move(edits), std::move(reads)};
    proposal.isolation = GetParam();
    return proposal;
  }

  LandWorld world;
};

INSTANTIATE_TEST_SUITE_P(At, LandSymbols,
                         ::testing::Values(Isolation::kSnapshot, Isolation::kStrict),
                         [](const auto& at) { return std::string(isolation_name(at.param)); });

TEST_P(LandSymbols, DifferentFunctionsOfOneFileBothLand) {
  const std::string left = with(kBase, "a + b", "b + a"), right = with(kBase, "a / 2", "a >> 1");
  const LandOutcome outcome = after(change("t-a", {{"src/math.c", left}}, {"src/math.c"}),
                                    change("t-b", {{"src/math.c", right}}, {"src/math.c"}));
  ASSERT_EQ(outcome.result, LandResult::kLanded)
      << (outcome.conflicts.empty() ? "" : outcome.conflicts[0].hint);
  EXPECT_THAT(world.shown("src/math.c"), HasSubstr("b + a"));
  EXPECT_THAT(world.shown("src/math.c"), HasSubstr("a >> 1"));
  EXPECT_THAT(outcome.notes, ::testing::Contains(HasSubstr("src/math.c")));
  EXPECT_EQ(world.status(), "") << "the checkout moved with it";
}

TEST_P(LandSymbols, ANewCallOfWhatHasAnotherSignatureNowDoesNot) {
  const std::string changed = with(kBase, "int add(int a, int b)", "int add(int a, int b, int c)");
  const std::string caller = "int add(int a, int b);\nint main(void) {\n  return add(1, 2);\n}\n";
  const LandOutcome outcome = after(change("t-a", {{"src/math.c", changed}}, {"src/math.c"}),
                                    change("t-b", {{"src/main.c", caller}}, {"src/main.c"}));
  ASSERT_EQ(outcome.result, LandResult::kConflict);
  EXPECT_EQ(outcome.conflicts[0].kind, ConflictKind::kSymbol);
  EXPECT_EQ(outcome.conflicts[0].changed_by, "t-a");
  EXPECT_THAT(outcome.conflicts[0].hint, HasSubstr("add"));
}

TEST_P(LandSymbols, ANewSignatureOfWhatIsCalledAnewDoesNot) {
  const std::string changed = with(kBase, "int add(int a, int b)", "int add(int a, int b, int c)");
  const std::string caller = "int add(int a, int b);\nint main(void) {\n  return add(1, 2);\n}\n";
  const LandOutcome outcome = after(change("t-a", {{"src/main.c", caller}}, {"src/main.c"}),
                                    change("t-b", {{"src/math.c", changed}}, {"src/math.c"}));
  ASSERT_EQ(outcome.result, LandResult::kConflict);
  EXPECT_EQ(outcome.conflicts[0].kind, ConflictKind::kSymbol);
}

TEST_P(LandSymbols, TheSameBodyTwiceDoesNotWithoutGates) {
  const std::string body =
      "int long_one(int a) {\n  a += 1;\n  a += 2;\n  a += 3;\n  a += 4;\n"
      "  a += 5;\n  a += 6;\n  return a;\n}\n";
  world.scratch.write("src/one.c", body);
  world.scratch.commit("a longer one");
  const LandOutcome outcome =
      after(change("t-a", {{"src/one.c", with(body, "a += 1", "a += 10")}}, {"src/one.c"}),
            change("t-b", {{"src/one.c", with(body, "a += 6", "a += 60")}}, {"src/one.c"}));
  ASSERT_EQ(outcome.result, LandResult::kConflict);
  EXPECT_THAT(outcome.conflicts[0].subject, HasSubstr("long_one"));
}

TEST_P(LandSymbols, AReformattedFileThatWasReadHolds) {
  const std::string laid_out =
      with(with(kBase, "{\n  return a + b;\n}", "{ return a + b; }"), "2 * a", "2  *  a");
  const LandOutcome outcome = after(change("t-a", {{"src/math.c", laid_out}}, {}),
                                    change("t-b", {{"f1", "B\n"}}, {"src/math.c"}));
  EXPECT_EQ(outcome.result, LandResult::kLanded);
}

TEST_P(LandSymbols, ACommentThatChangedIsAnotherFileToAPerson) {
  const std::string commented = with(kBase, "int half", "/* rounds down */\nint half");
  const LandOutcome outcome = after(change("t-a", {{"src/math.c", commented}}, {}),
                                    change("t-b", {{"f1", "B\n"}}, {"src/math.c"}));
  EXPECT_EQ(outcome.result,
            GetParam() == Isolation::kStrict ? LandResult::kConflict : LandResult::kLanded);
}

TEST_P(LandSymbols, InAnUnknownLanguageTheFileIsOneThing) {
  const std::string text = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
  world.scratch.write("notes", text);
  world.scratch.commit("notes");
  const LandOutcome outcome =
      after(change("t-a", {{"notes", with(text, "one", "ONE")}}, {"notes"}),
            change("t-b", {{"notes", with(text, "seven", "SEVEN")}}, {"notes"}));
  EXPECT_EQ(outcome.result, LandResult::kConflict);
}

TEST_P(LandSymbols, DeletedAgainstChangedDoesNot) {
  const std::string changed = with(kBase, "a / 2", "a >> 1");
  const LandOutcome outcome = after(change("t-a", {{"src/math.c", std::nullopt}}, {"src/math.c"}),
                                    change("t-b", {{"src/math.c", changed}}, {"src/math.c"}));
  ASSERT_EQ(outcome.result, LandResult::kConflict);
  EXPECT_EQ(outcome.conflicts[0].kind, ConflictKind::kWriteWrite);
}

}  // namespace
}  // namespace gittxn::land
