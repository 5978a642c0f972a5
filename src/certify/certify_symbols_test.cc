// What symbols say of a transaction and the head, and which of it each level takes for an answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bug.h"
#include "certify/testing/scene.h"

namespace gittxn::certify {
namespace {

using testing::executable;
using testing::file;
using ::testing::HasSubstr;
using testing::kLevels;
using testing::Scene;

// ---- what symbols say ----

using Weight = SymbolClash::Weight;

TEST_F(Scene, AMergedFileIsNoOverlapAndItsReadsHold) {
  ours["a"] = file("a1");
  head["a"] = file("a2");
  saw(ReadKind::kContent, "a", "a0").reader = ReaderClass::kEdits;
  saw(ReadKind::kMetadata, "a", "100644 a0").reader = ReaderClass::kShown;
  for (const Isolation level : kLevels) EXPECT_FALSE(at(level).commit);
  symbols.emplace();
  symbols->merged = {"a"};
  for (const Isolation level : kLevels) {
    EXPECT_EQ(at(level).commit, !is_exact(level)) << isolation_name(level);
  }
  EXPECT_EQ(semantic().excused, (std::vector<Excuse>{{Excuse::Why::kMerged, "a"}}));
  EXPECT_EQ(strict().conflicts.at(0).kind, ConflictKind::kWriteWrite) << "however it merges";
  head["a"] = executable("a2");
  EXPECT_FALSE(semantic().commit) << "not the same kind of file";
}

// Its lines are as they were, and the file is another one.
TEST_F(Scene, APartOfAMergedFileIsAsTheWhole) {
  ours["a"] = file("a1");
  head["a"] = file("a2");
  Read& part = saw(ReadKind::kContent, "a", "lines");
  part.lines = {1, 3};
  part.reader = ReaderClass::kShown;
  symbols.emplace();
  symbols->merged = {"a"};
  EXPECT_TRUE(semantic().commit);
  EXPECT_FALSE(strict().commit);
  reads.reads[0].reader = ReaderClass::kAny;
  EXPECT_FALSE(semantic().commit) << "nobody could look at its lines";
}

TEST_F(Scene, OfAMergedFileWhoComputedHasReadItsBytes) {
  ours["a"] = file("a1");
  head["a"] = file("a2");
  symbols.emplace();
  symbols->merged = {"a"};
  for (const ReadKind kind : {ReadKind::kContent, ReadKind::kMetadata}) {
    for (const ReaderClass reader : {ReaderClass::kAny, ReaderClass::kEdits, ReaderClass::kShown}) {
      reads.reads.clear();
      Read& read = saw(kind, "a", kind == ReadKind::kContent ? "a0" : "100644 a0");
      read.reader = reader;
      read.argv = "python3 count.py";
      const Verdict verdict = semantic();
      EXPECT_EQ(verdict.commit, reader != ReaderClass::kAny);
      if (verdict.commit) continue;
      EXPECT_THAT(verdict.excused, ::testing::IsEmpty());
      EXPECT_EQ(verdict.conflicts.at(0).hint,
                "'a' was read and has changed now; both changes merge, but the program that "
                "read it may have used all of it");
      EXPECT_EQ(verdict.conflicts.at(0).read_by, "python3 count.py");
      EXPECT_TRUE(at(Isolation::kSnapshot).commit) << "reads are not asked for";
    }
  }
}

// An edit of it beside another program that has read it.
TEST_F(Scene, OneReaderWhoMayHaveComputedIsEnough) {
  head["a"] = file("a2");
  says_the_same = [](const Read&, const PathChange&) { return true; };
  saw(ReadKind::kContent, "a", "a0").reader = ReaderClass::kShown;
  saw(ReadKind::kContent, "a", "a0").reader = ReaderClass::kEdits;
  EXPECT_TRUE(semantic().commit);
  saw(ReadKind::kContent, "a", "a0");
  normalize(reads);
  ASSERT_EQ(reads.reads.size(), 1u);
  const Verdict verdict = semantic();
  ASSERT_EQ(verdict.conflicts.size(), 1u);
  EXPECT_THAT(verdict.conflicts[0].hint, HasSubstr("only its layout has changed"));
}

#ifdef GIT_TXN_BUGS
TEST_F(Scene, AnyReaderThatIsExcusedWouldBeNoticed) {
  ours["a"] = file("a1");
  head["a"] = file("a2");
  symbols.emplace();
  symbols->merged = {"a"};
  saw(ReadKind::kContent, "a", "a0");
  EXPECT_FALSE(semantic().commit);
  arm_bug("certify.any_reader");
  EXPECT_TRUE(semantic().commit);
  arm_bug("");
}
#endif

TEST_F(Scene, WhatTheHeadDidToAMergedFileIsNotMaskedFromWiderReads) {
  ours["d/x"] = file("x1");
  head["d/x"] = file("x2");
  saw(ReadKind::kTree, "d", "d0");
  symbols.emplace();
  symbols->merged = {"d/x"};
  EXPECT_TRUE(at(Isolation::kSnapshot).commit);
  const Verdict verdict = semantic();
  ASSERT_EQ(verdict.conflicts.size(), 1u);
  EXPECT_EQ(verdict.conflicts[0].kind, ConflictKind::kReadStale);
}

TEST_F(Scene, ABlockInAMergedFileIsAConflictAtEveryLevel) {
  ours["a"] = file("a1");
  head["a"] = file("a2");
  symbols.emplace();
  symbols->merged = {"a"};
  symbols->clashes = {{Weight::kBlocks, "a", "a", "a/f().", "both changed f"}};
  for (const Isolation level : kLevels) {
    const Verdict verdict = at(level);
    EXPECT_FALSE(verdict.commit) << isolation_name(level);
    if (is_exact(level)) continue;  // it is one by its path alone
    ASSERT_EQ(verdict.conflicts.size(), 1u) << isolation_name(level);
    EXPECT_EQ(verdict.conflicts[0].kind, ConflictKind::kSymbol);
    EXPECT_EQ(verdict.conflicts[0].subject, "a/f().");
    EXPECT_EQ(verdict.conflicts[0].hint, "both changed f");
    EXPECT_THAT(verdict.conflicts[0].changed_by, HasSubstr("Pat Person"));
  }
}

TEST_F(Scene, ABlockBetweenFilesIsWhatOneReliedOn) {
  ours["a"] = file("a1");
  head["b"] = file("b2");
  symbols.emplace();
  symbols->clashes = {{Weight::kBlocks, "a", "b", "b/f().", "f has another signature"}};
  EXPECT_TRUE(at(Isolation::kReadCommitted).commit);
  EXPECT_FALSE(at(Isolation::kSnapshot).commit);
  EXPECT_FALSE(at(Isolation::kStrict).commit);
}

TEST_F(Scene, WhatNeedsChecksIsTheGatesToSayBelowStrict) {
  ours["a"] = file("a1");
  head["a"] = file("a2");
  symbols.emplace();
  symbols->merged = {"a"};
  symbols->clashes = {{Weight::kNeedsChecks, "a", "a", "a/f().", "both changed f's body"}};
  for (const Isolation level : kLevels) EXPECT_FALSE(at(level).commit) << "without gates";
  symbols->checks = Symbols::Checks::kGates;
  EXPECT_TRUE(at(Isolation::kReadCommitted).commit);
  EXPECT_TRUE(at(Isolation::kSnapshot).commit);
  EXPECT_FALSE(at(Isolation::kSerializable).commit);
  EXPECT_FALSE(at(Isolation::kStrict).commit) << "nothing is settled by checks alone";
}

TEST_F(Scene, WhatNeedsChecksBetweenFilesIsNotReliedOn) {
  ours["a"] = file("a1");
  head["b"] = file("b2");
  symbols.emplace();
  symbols->clashes = {{Weight::kNeedsChecks, "a", "b", "b/f().", "f's body changed"}};
  for (const Isolation level : kLevels) EXPECT_TRUE(at(level).commit) << isolation_name(level);
}

TEST_F(Scene, WhatABuildIsMadeWithNeedsChecksInWhateverFiles) {
  ours["a"] = file("a1");
  head["b"] = file("b2");
  symbols.emplace();
  symbols->clashes = {
      {Weight::kNeedsChecks, "a", "b", "toolchain", "a is made with it", SymbolClash::Tie::kBuild}};
  EXPECT_TRUE(at(Isolation::kReadCommitted).commit);
  EXPECT_FALSE(at(Isolation::kSnapshot).commit) << "without gates";
  EXPECT_FALSE(at(Isolation::kStrict).commit);
  symbols->checks = Symbols::Checks::kGates;
  EXPECT_TRUE(at(Isolation::kSnapshot).commit);
  EXPECT_FALSE(at(Isolation::kSerializable).commit);
  EXPECT_FALSE(at(Isolation::kStrict).commit);
}

TEST_F(Scene, AFileThatSaysTheSameHolds) {
  head["a"] = file("a2");
  saw(ReadKind::kContent, "a", "a0").reader = ReaderClass::kShown;
  saw(ReadKind::kMetadata, "a", "100644 a0").reader = ReaderClass::kShown;
  bool same = false;
  says_the_same = [&](const Read& read, const PathChange& change) {
    EXPECT_EQ(read.subject, change.path);
    return same;
  };
  EXPECT_FALSE(semantic().commit);
  same = true;
  EXPECT_TRUE(semantic().commit);
  EXPECT_EQ(semantic().excused, (std::vector<Excuse>{{Excuse::Why::kLayout, "a"}})) << "once";
  EXPECT_FALSE(strict().commit) << "it has other bytes";
  EXPECT_FALSE(at(Isolation::kSerializable).commit);
  head["a"] = executable("a2");
  EXPECT_FALSE(semantic().commit) << "its mode was looked at";
  head.erase("a");
  EXPECT_FALSE(semantic().commit) << "gone is not the same";
  ours["a"] = head["a"] = file("a2");
  EXPECT_FALSE(semantic().commit) << "a blank line that both added is there once";
}

TEST_F(Scene, WhoReadsWhatIsGeneratedReadsWhatItIsMadeFrom) {
  head["src"] = file("s2");
  saw(ReadKind::kContent, "api", "a0");
  EXPECT_TRUE(at(Isolation::kStrict).commit);
  out_of_date = [](const Changes& changes) {
    std::vector<OutOfDate> files;
    if (find_change(changes, "src") != nullptr)
      files = {{"api", "src", "s2"}, {"gen/", "src", "s2"}};
    return files;
  };
  EXPECT_TRUE(at(Isolation::kSnapshot).commit) << "reads are not asked for";
  const Verdict verdict = at(Isolation::kStrict);
  ASSERT_EQ(verdict.conflicts.size(), 1u);
  EXPECT_EQ(verdict.conflicts[0].kind, ConflictKind::kReadStale);
  EXPECT_EQ(verdict.conflicts[0].subject, "api");
  EXPECT_EQ(verdict.conflicts[0].hint, "'api' was read, and 'src', which it is made from, changed");
  EXPECT_THAT(verdict.conflicts[0].changed_by, HasSubstr("Pat Person"));
  reads.reads.clear();
  saw(ReadKind::kContent, "gen/a", "g0");
  saw(ReadKind::kContent, "gent", "t0");
  EXPECT_EQ(strict().conflicts.size(), 1u);
  ours["src"] = file("s2");
  EXPECT_FALSE(strict().commit) << "equal bytes hide nothing";
  ours["src"] = file("s3");
  symbols.emplace();
  symbols->merged = {"src"};
  EXPECT_TRUE(semantic().commit) << "what was merged is for the check of writes";
}

}  // namespace
}  // namespace gittxn::certify
