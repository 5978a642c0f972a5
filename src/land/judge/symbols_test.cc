// Two changes of one file, and of what one file uses of another: what lands, at which level, and
// what is said.
#include "land/judge/symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "land/testing/land_world.h"
#include "semantic/testing/edits.h"

namespace gittxn::land {
namespace {

using testing::replaced;

using ::testing::HasSubstr;
using testing::LandWorld;
using ::testing::Not;
using testing::Proposal;

constexpr const char* kBase =
    "int add(int a, int b) {\n  return a + b;\n}\n\n"
    "int twice(int a) {\n  return 2 * a;\n}\n\n"
    "int half(int a) {\n  return a / 2;\n}\n";

class SymbolWorld : public ::testing::Test {
 protected:
  SymbolWorld() {
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
  // Two edits of src/math.c that have nothing to do with each other.
  LandOutcome both_edit() {
    const std::string left = replaced(kBase, "a + b", "b + a"),
                      right = replaced(kBase, "a / 2", "a >> 1");
    return after({"t-a", {{"src/math.c", left}}, {"src/math.c"}},
                 {"t-b", {{"src/math.c", right}}, {"src/math.c"}});
  }
  std::string on_branch(const std::string& path) {
    return testing::must(world.scratch.objects().blob(world.scratch.oid("main:" + path)));
  }

  LandWorld world;
};

class LandSymbols : public SymbolWorld, public ::testing::WithParamInterface<Isolation> {
 protected:
  Proposal change(const std::string& id, testing::FileEdits edits, std::vector<std::string> reads) {
    Proposal proposal{id, std::move(edits), std::move(reads)};
    proposal.isolation = GetParam();
    return proposal;
  }
};

INSTANTIATE_TEST_SUITE_P(At, LandSymbols,
                         ::testing::Values(Isolation::kSnapshot, Isolation::kSemantic),
                         [](const auto& at) { return std::string(isolation_name(at.param)); });

TEST_P(LandSymbols, DifferentFunctionsOfOneFileBothLand) {
  const std::string left = replaced(kBase, "a + b", "b + a"),
                    right = replaced(kBase, "a / 2", "a >> 1");
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
  const std::string changed =
      replaced(kBase, "int add(int a, int b)", "int add(int a, int b, int c)");
  const std::string caller = "int add(int a, int b);\nint main(void) {\n  return add(1, 2);\n}\n";
  const LandOutcome outcome = after(change("t-a", {{"src/math.c", changed}}, {"src/math.c"}),
                                    change("t-b", {{"src/main.c", caller}}, {"src/main.c"}));
  ASSERT_EQ(outcome.result, LandResult::kConflict);
  EXPECT_EQ(outcome.conflicts[0].kind, ConflictKind::kSymbol);
  EXPECT_EQ(outcome.conflicts[0].changed_by, "t-a");
  EXPECT_THAT(outcome.conflicts[0].hint, HasSubstr("add"));
}

TEST_P(LandSymbols, ANewSignatureOfWhatIsCalledAnewDoesNot) {
  const std::string changed =
      replaced(kBase, "int add(int a, int b)", "int add(int a, int b, int c)");
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
      after(change("t-a", {{"src/one.c", replaced(body, "a += 1", "a += 10")}}, {"src/one.c"}),
            change("t-b", {{"src/one.c", replaced(body, "a += 6", "a += 60")}}, {"src/one.c"}));
  ASSERT_EQ(outcome.result, LandResult::kConflict);
  EXPECT_THAT(outcome.conflicts[0].subject, HasSubstr("long_one"));
}

TEST_P(LandSymbols, AReformattedFileThatWasReadHolds) {
  const std::string laid_out =
      replaced(replaced(kBase, "{\n  return a + b;\n}", "{ return a + b; }"), "2 * a", "2  *  a");
  const LandOutcome outcome = after(change("t-a", {{"src/math.c", laid_out}}, {}),
                                    change("t-b", {{"f1", "B\n"}}, {"src/math.c"}));
  EXPECT_EQ(outcome.result, LandResult::kLanded);
}

TEST_P(LandSymbols, ACommentThatChangedIsAnotherFileToAPerson) {
  const std::string commented = replaced(kBase, "int half", "/* rounds down */\nint half");
  const LandOutcome outcome = after(change("t-a", {{"src/math.c", commented}}, {}),
                                    change("t-b", {{"f1", "B\n"}}, {"src/math.c"}));
  EXPECT_EQ(outcome.result,
            GetParam() == Isolation::kSemantic ? LandResult::kConflict : LandResult::kLanded);
}

// chmod on one side and an edit on the other, whichever came first.
TEST_P(LandSymbols, TheModeOfOneSideGoesWithTheContentsOfTheOther) {
  Proposal mode = change("t-mode", {}, {});
  mode.other_modes = {"src/math.c", "f1"};
  const std::string text = replaced(kBase, "a + b", "b + a");
  Proposal edit = change("t-edit", {{"src/math.c", text}, {"f1", "other\n"}}, {"f1"});
  for (const bool first : {true, false}) {
    const std::string before = world.scratch.git({"rev-parse", "HEAD"});
    const LandOutcome outcome = first ? after(mode, edit) : after(edit, mode);
    ASSERT_EQ(outcome.result, LandResult::kLanded)
        << (outcome.conflicts.empty() ? "" : outcome.conflicts[0].hint);
    EXPECT_THAT(world.scratch.git({"ls-tree", "main", "f1", "src/math.c"}),
                ::testing::AllOf(HasSubstr("100755 blob"), Not(HasSubstr("100644"))));
    EXPECT_EQ(on_branch("src/math.c"), text);
    EXPECT_EQ(on_branch("f1"), "other\n");
    EXPECT_EQ(world.status(), "");
    world.scratch.git({"reset", "-q", "--hard", before});
    mode.id += "-2";
    edit.id += "-2";
  }
}

TEST_P(LandSymbols, AModeGoesWithTwoEditsOfOneFile) {
  Proposal left = change("t-a", {{"src/math.c", replaced(kBase, "a + b", "b + a")}}, {});
  left.other_modes = {"src/math.c"};
  const LandOutcome outcome = after(
      left, change("t-b", {{"src/math.c", replaced(kBase, "a / 2", "a >> 1")}}, {"src/math.c"}));
  ASSERT_EQ(outcome.result, LandResult::kLanded);
  EXPECT_THAT(world.scratch.git({"ls-tree", "main", "src/math.c"}), HasSubstr("100755 blob"));
  EXPECT_THAT(on_branch("src/math.c"), ::testing::AllOf(HasSubstr("b + a"), HasSubstr("a >> 1")));
}

TEST_P(LandSymbols, TheSameContentsInTwoModesAreOneUpdateMadeTwice) {
  Proposal left = change("t-a", {{"f1", "2\n"}}, {"f1"});
  left.other_modes = {"f1"};
  EXPECT_EQ(after(left, change("t-b", {{"f1", "2\n"}}, {"f1"})).result, LandResult::kConflict);
}

TEST_F(SymbolWorld, AtStrictAModeBesideAnEditIsWriteWrite) {
  Proposal mode{"t-mode", {}};
  mode.other_modes = {"f1"};
  Proposal edit{"t-edit", {{"f1", "other\n"}}};
  edit.isolation = Isolation::kStrict;
  const LandOutcome outcome = after(mode, edit);
  ASSERT_EQ(outcome.result, LandResult::kConflict);
  EXPECT_EQ(outcome.conflicts[0].kind, ConflictKind::kWriteWrite);
  EXPECT_EQ(outcome.conflicts[0].subject, "f1");
}

TEST_P(LandSymbols, InAnUnknownLanguageTheFileIsOneThing) {
  const std::string text = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
  world.scratch.write("notes", text);
  world.scratch.commit("notes");
  const LandOutcome outcome =
      after(change("t-a", {{"notes", replaced(text, "one", "ONE")}}, {"notes"}),
            change("t-b", {{"notes", replaced(text, "seven", "SEVEN")}}, {"notes"}));
  ASSERT_EQ(outcome.result, LandResult::kConflict);
  EXPECT_THAT(outcome.notes, Not(::testing::Contains(HasSubstr("were merged"))));
  if (GetParam() != Isolation::kSemantic) return;
  EXPECT_EQ(outcome.conflicts[0].subject, "notes");
  EXPECT_EQ(outcome.conflicts[0].hint,
            "both sides changed notes, which has no structure to merge by");
}

constexpr const char* kLog = "# Changes\n\n- the first\n";

TEST_P(LandSymbols, LinesOfAUnionGoTogether) {
  world.scratch.write("CHANGES", kLog);
  world.scratch.write(".gitattributes", "CHANGES merge=union\n");
  world.scratch.commit("a log");
  const std::string one = std::string(kLog) + "- one\n", two = std::string(kLog) + "- two\n";
  const LandOutcome outcome = after(change("t-a", {{"CHANGES", one}}, {"CHANGES"}),
                                    change("t-b", {{"CHANGES", two}}, {"CHANGES"}));
  ASSERT_EQ(outcome.result, LandResult::kLanded);
  EXPECT_EQ(on_branch("CHANGES"), std::string(kLog) + "- one\n- two\n");
  EXPECT_THAT(outcome.notes, ::testing::Contains(HasSubstr("union of lines")));
}

TEST_P(LandSymbols, ABinaryUnionIsNotMerged) {
  const std::string image("\x89PNG\0\r\n", 7);
  world.scratch.write("image", image);
  world.scratch.write(".gitattributes", "image merge=union\n");
  world.scratch.commit("an image");
  const LandOutcome outcome = after(change("t-a", {{"image", image + "a"}}, {}),
                                    change("t-b", {{"image", image + "b"}}, {}));
  EXPECT_EQ(outcome.result, LandResult::kConflict);
}

// What .gitattributes and the configuration say of src/math.c.
struct Said {
  const char* name;
  const char* attributes;
  const char* key;  // of the configuration, or nullptr
  const char* value;
  LandResult result;
  const char* note;
};
constexpr const char* kOwnDriver = "git txn merge-driver %O %A %B %P";
constexpr const char* kNot = "not to be merged";
constexpr LandResult kLanded = LandResult::kLanded, kConflict = LandResult::kConflict;
const Said kSaid[] = {
    {"Nothing", "", nullptr, nullptr, kLanded, "merged"},
    {"Unset", "*.c -merge\n", nullptr, nullptr, kConflict, kNot},
    {"Binary", "*.c binary\n", nullptr, nullptr, kConflict, kNot},
    {"Set", "*.c merge\n", nullptr, nullptr, kLanded, "merged"},
    {"ADriverOfItsOwn", "*.c merge=x\n", "merge.x.driver", "x %O %A %B", kConflict, "'x'"},
    {"ThisDriver", "*.c merge=x\n", "merge.x.driver", kOwnDriver, kLanded, "merged"},
    {"ADriverWithoutACommand", "*.c merge=x\n", nullptr, nullptr, kLanded, "merged"},
    {"TheDefault", "", "merge.default", "binary", kConflict, kNot},
};

class LandAttributes : public SymbolWorld, public ::testing::WithParamInterface<Said> {};
INSTANTIATE_TEST_SUITE_P(Say, LandAttributes, ::testing::ValuesIn(kSaid),
                         [](const auto& said) { return std::string(said.param.name); });

TEST_P(LandAttributes, WhatIsMerged) {
  world.scratch.write(".gitattributes", GetParam().attributes);
  world.scratch.commit("attributes");
  if (GetParam().key != nullptr) world.scratch.git({"config", GetParam().key, GetParam().value});
  const LandOutcome outcome = both_edit();
  EXPECT_EQ(outcome.result, GetParam().result);
  EXPECT_THAT(outcome.notes, ::testing::Contains(HasSubstr(GetParam().note)));
}

TEST_F(SymbolWorld, AttributesAreThoseOfTheBranchAndNotOfTheCheckout) {
  world.scratch.write(".gitattributes", "*.c -merge\n");
  world.scratch.write("src/.gitattributes", "math.c merge\n");
  world.scratch.commit("attributes");
  world.scratch.write("src/.gitattributes", "math.c -merge\n");  // the person's, not committed
  EXPECT_EQ(both_edit().result, LandResult::kLanded);
}

TEST_F(SymbolWorld, AttributesOfTheRepositoryItselfCountToo) {
  world.scratch.write(".git/info/attributes", "math.c -merge\n");
  EXPECT_EQ(both_edit().result, LandResult::kConflict);
}

TEST_P(LandSymbols, DeletedAgainstChangedDoesNot) {
  const std::string changed = replaced(kBase, "a / 2", "a >> 1");
  const LandOutcome outcome = after(change("t-a", {{"src/math.c", std::nullopt}}, {"src/math.c"}),
                                    change("t-b", {{"src/math.c", changed}}, {"src/math.c"}));
  ASSERT_EQ(outcome.result, LandResult::kConflict);
  EXPECT_EQ(outcome.conflicts[0].kind, ConflictKind::kWriteWrite);
}

// Whatever lands of two random edits of one file has what both did to its symbols.
TEST_P(LandSymbols, WhatLandsHasBothSides) {
  namespace edits = semantic::testing;
  std::map<std::string, std::string> samples = edits::samples();
  for (const auto& [path, text] : samples) world.scratch.write(path, text);
  world.scratch.commit("samples");
  Random random(20);
  int round = 0, landed = 0, refused = 0;
  for (auto& [path, base] : samples) {
    const std::string left = edits::edited(path, base, random, "qlq");
    const std::string right = edits::edited(path, base, random, "zrz");
    if (left == base || right == base || left == right) continue;
    const std::string id = "t-" + std::to_string(++round);
    const LandOutcome outcome = after(change(id + "-a", {{path, left}}, {path}),
                                      change(id + "-b", {{path, right}}, {path}));
    const std::string now = on_branch(path);
    if (outcome.result == LandResult::kLanded) {
      ++landed;
      EXPECT_EQ(edits::meaning(edits::symbols(path, now)),
                edits::combined(edits::meaning(edits::symbols(path, base)),
                                edits::meaning(edits::symbols(path, left)),
                                edits::meaning(edits::symbols(path, right))))
          << path << "\n--- base\n"
          << base << "--- left\n"
          << left << "--- right\n"
          << right << "--- landed\n"
          << now;
    } else {
      ++refused;
      EXPECT_EQ(now, left);
    }
    base = now;
  }
  EXPECT_GT(landed, 3);
  EXPECT_GT(refused, 1);
}

}  // namespace
}  // namespace gittxn::land
