// The certifier case by case: what each isolation level allows, when each kind of read holds, and
// what the witness says.
#include "certify/certify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "certify/testing/reference.h"

namespace gittxn::certify {
namespace {

using testing::diff;
using ::testing::HasSubstr;
using testing::Tree;

TreeEntry file(const char* oid) {
  return {FileMode::kFile, Oid(oid)};
}
TreeEntry executable(const char* oid) {
  return {FileMode::kExecutable, Oid(oid)};
}
TreeEntry link(const char* oid) {
  return {FileMode::kLink, Oid(oid)};
}

constexpr Isolation kLevels[] = {Isolation::kReadCommitted, Isolation::kSnapshot,
                                 Isolation::kSemantic, Isolation::kSerializable,
                                 Isolation::kStrict};

// A transaction that starts at `base`, and a head that others moved to.
class Scene : public ::testing::Test {
 protected:
  Tree base{{"a", file("a0")}, {"b", file("b0")}, {"d/x", file("x0")}, {"d/s/y", file("y0")}};
  Tree ours = base;
  Tree head = base;
  ReadSet reads;
  std::vector<std::pair<std::string, std::string>> kernel;
  std::vector<SummaryState> summaries;
  std::optional<Symbols> symbols;
  SaysTheSame says_the_same;
  FindOutOfDate out_of_date;

  void SetUp() override { reads.complete = true; }

  Read& saw(ReadKind kind, std::string subject, std::string digest) {
    Read read;
    read.kind = kind;
    read.subject = std::move(subject);
    read.digest = std::move(digest);
    read.snapshot = Oid("base");
    reads.reads.push_back(read);
    return reads.reads.back();
  }

  template <typename Use>
  auto with_input(Isolation level, Use use) {
    Footprint txn{TxnId("t-me"), reads, diff(base, ours), Oid("base")};
    const std::vector<SnapshotDiff> diffs{{Oid("base"), diff(base, head)}};
    const std::vector<Landed> history{{Oid("0123456789"), TxnId{},
                                       "Pat Person <pat@example.org> 1700000000 +0100",
                                       diff(base, head)}};
    Input input;
    input.txn = &txn;
    input.diffs = &diffs;
    input.history = &history;
    input.kernel = &kernel;
    input.summaries = &summaries;
    input.level = level;
    if (symbols) input.symbols = &*symbols;
    input.says_the_same = says_the_same;
    input.out_of_date = out_of_date;
    return use(input);
  }
  Verdict at(Isolation level) {
    return with_input(level, [](const Input& input) { return certify(input); });
  }
  Verdict strict() { return at(Isolation::kStrict); }
  std::vector<Conflict> soft() {
    return with_input(Isolation::kStrict, [](const Input& i) { return stale_soft_reads(i); });
  }
};

// Anomalies, and the levels that allow them.

TEST_F(Scene, LostUpdateIsRefusedAtEveryLevel) {
  saw(ReadKind::kContent, "a", "a0");
  ours["a"] = file("mine");
  head["a"] = file("theirs");
  for (Isolation level : kLevels) {
    const Verdict verdict = at(level);
    EXPECT_FALSE(verdict.commit) << isolation_name(level);
    EXPECT_EQ(verdict.conflicts[0].kind, ConflictKind::kWriteWrite) << isolation_name(level);
  }
}

TEST_F(Scene, WriteSkewIsAllowedBelowSerializableOnly) {
  saw(ReadKind::kContent, "a", "a0");
  ours["b"] = file("mine");
  head["a"] = file("theirs");
  EXPECT_TRUE(at(Isolation::kReadCommitted).commit);
  EXPECT_TRUE(at(Isolation::kSnapshot).commit);
  EXPECT_FALSE(at(Isolation::kSerializable).commit);
  EXPECT_FALSE(at(Isolation::kStrict).commit);
}

TEST_F(Scene, PhantomInAListingIsAllowedBelowSerializableOnly) {
  saw(ReadKind::kListing, "d", "l");
  ours["b"] = file("count of d");
  head["d/new"] = file("n");
  EXPECT_TRUE(at(Isolation::kSnapshot).commit);
  const Verdict verdict = strict();
  ASSERT_EQ(verdict.conflicts.size(), 1u);
  EXPECT_EQ(verdict.conflicts[0].subject, "d");
  EXPECT_EQ(verdict.conflicts[0].head_digest, "+d/new");
}

TEST_F(Scene, PhantomOfALookupIsAllowedBelowSerializableOnly) {
  saw(ReadKind::kAbsence, "d/config", "");
  ours["b"] = file("no config");
  head["d/config"] = file("c");
  EXPECT_TRUE(at(Isolation::kReadCommitted).commit);
  EXPECT_FALSE(at(Isolation::kSerializable).commit);
  EXPECT_FALSE(strict().commit);
}

TEST_F(Scene, ReadOnlyTransactionSeesOneStateAtStrict) {
  saw(ReadKind::kContent, "a", "a0");
  saw(ReadKind::kContent, "b", "b0");
  head["b"] = file("theirs");
  EXPECT_TRUE(at(Isolation::kSnapshot).commit);
  EXPECT_FALSE(strict().commit);
}

TEST_F(Scene, NothingIsRefusedWhenTheHeadDidNotMove) {
  saw(ReadKind::kContent, "a", "a0");
  saw(ReadKind::kTree, "", "t");
  ours["a"] = file("mine");
  reads.complete = false;
  for (Isolation level : kLevels) EXPECT_TRUE(at(level).commit);
}

// When a read holds.

TEST_F(Scene, TheExecutableBitIsMetadataAndNoContent) {
  head["a"] = executable("a0");
  saw(ReadKind::kContent, "a", "a0");
  EXPECT_TRUE(strict().commit);
  saw(ReadKind::kMetadata, "a", "100644");
  EXPECT_FALSE(strict().commit);
}

TEST_F(Scene, MetadataWithoutABlobIsAboutTypeAndModeOnly) {
  head["a"] = file("other");
  saw(ReadKind::kMetadata, "a", "100644");
  EXPECT_TRUE(strict().commit);
  reads.reads.clear();
  saw(ReadKind::kMetadata, "a", "100644 a0");
  EXPECT_FALSE(strict().commit);
}

TEST_F(Scene, AFileThatBecameALinkToTheSameBytesIsStale) {
  head["a"] = link("a0");
  saw(ReadKind::kContent, "a", "a0");
  EXPECT_FALSE(strict().commit);
}

TEST_F(Scene, AListingIgnoresContentsDepthAndOwnPaths) {
  saw(ReadKind::kListing, "d", "l");
  saw(ReadKind::kListing, "", "l");
  head["d/x"] = file("changed");
  head["d/s/deeper"] = file("z");
  head["d/s-new/f"] = file("z");
  ours["d/s-new/g"] = file("mine");
  EXPECT_TRUE(strict().commit);
}

TEST_F(Scene, AListedDirectoryThatWentIsStale) {
  saw(ReadKind::kListing, "d/s", "l");
  head.erase("d/s/y");
  EXPECT_FALSE(strict().commit);
}

TEST_F(Scene, AnAbsentPathStaysAbsentWhenOnlyItsDirectoryAppears) {
  saw(ReadKind::kAbsence, "new/dir/file", "");
  head["new/dir/other"] = file("z");
  EXPECT_TRUE(strict().commit);
  head["new/dir/file"] = file("z");
  EXPECT_FALSE(strict().commit);
}

TEST_F(Scene, AnAbsentPathIsStaleWhenItsDirectoryBecomesAFile) {
  saw(ReadKind::kAbsence, "new/file", "");
  head["new"] = file("z");
  const Verdict verdict = strict();
  ASSERT_EQ(verdict.conflicts.size(), 1u);
  EXPECT_EQ(verdict.conflicts[0].subject, "new/file");
  EXPECT_THAT(verdict.conflicts[0].changed_by, HasSubstr("Pat Person"));
}

TEST_F(Scene, AnAbsentPathThatADirectoryTakesIsStale) {
  saw(ReadKind::kAbsence, "new", "");
  head["new/file"] = file("z");
  EXPECT_FALSE(strict().commit);
}

TEST_F(Scene, ATreeReadHoldsWhileNothingBelowChanges) {
  saw(ReadKind::kTree, "d", "t");
  head["a"] = file("theirs");
  head["d-other"] = file("theirs");
  EXPECT_TRUE(strict().commit);
  head["d/s/y"] = file("theirs");
  EXPECT_FALSE(strict().commit);
}

TEST_F(Scene, UncommittedBytesHoldOnlyOnceTheHeadHasThem) {
  saw(ReadKind::kContent, "a", std::string(kUncommitted) + "typed");
  EXPECT_FALSE(strict().commit);
  head["a"] = file("other");
  EXPECT_FALSE(strict().commit);
  head["a"] = file("typed");
  EXPECT_TRUE(strict().commit);
}

TEST_F(Scene, AReadOfAPathTheTransactionAlsoWritesIsStillCertified) {
  saw(ReadKind::kContent, "a", "a0");
  ours["a"] = file("same");
  head["a"] = file("same");
  EXPECT_TRUE(at(Isolation::kSnapshot).commit);
  const Verdict verdict = strict();
  ASSERT_EQ(verdict.conflicts.size(), 1u);
  EXPECT_EQ(verdict.conflicts[0].kind, ConflictKind::kReadStale);
}

TEST_F(Scene, KernelReadsCompareVersionsAtStrict) {
  saw(ReadKind::kKernel, "policy", "v1");
  kernel = {{"policy", "v1"}};
  EXPECT_TRUE(strict().commit);
  kernel = {{"policy", "v2"}};
  const Verdict verdict = strict();
  ASSERT_EQ(verdict.conflicts.size(), 1u);
  EXPECT_EQ(verdict.conflicts[0].kind, ConflictKind::kKernel);
  EXPECT_EQ(verdict.conflicts[0].head_digest, "v2");
  EXPECT_TRUE(at(Isolation::kSnapshot).commit);
  kernel.clear();
  EXPECT_FALSE(strict().commit) << "no version given is no proof";
}

TEST_F(Scene, ASummaryHoldsWhileWhatItWasMadeFromDoes) {
  saw(ReadKind::kSummary, "overview", "manifest");
  EXPECT_FALSE(strict().commit) << "nothing said of it is no proof";
  EXPECT_THAT(strict().conflicts[0].hint, HasSubstr("not in the store"));
  summaries = {{"overview", "manifest", "", "", "", true}};
  EXPECT_TRUE(strict().commit);
  EXPECT_EQ(strict().checked, 1u);
  head["a"] = file("theirs");
  summaries = {{"overview", "manifest", "a", "a0", "theirs", false}};
  const Verdict verdict = strict();
  ASSERT_EQ(verdict.conflicts.size(), 1u);
  EXPECT_EQ(verdict.conflicts[0].kind, ConflictKind::kReadStale);
  EXPECT_EQ(verdict.conflicts[0].subject, "a");
  EXPECT_EQ(verdict.conflicts[0].read_digest, "a0");
  EXPECT_EQ(verdict.conflicts[0].head_digest, "theirs");
  EXPECT_THAT(verdict.conflicts[0].hint, HasSubstr("summary 'overview'"));
  EXPECT_THAT(verdict.conflicts[0].changed_by, HasSubstr("Pat Person"));
  summaries = {{"overview", "another manifest", "", "", "", true}};
  EXPECT_FALSE(strict().commit) << "another summary of that name";
  EXPECT_TRUE(at(Isolation::kSnapshot).commit);
}

TEST_F(Scene, ARefReadComparesTheObjectItNamed) {
  saw(ReadKind::kRef, "refs/heads/main", "base");
  kernel = {{"refs/heads/main", "base"}};
  EXPECT_TRUE(strict().commit);
  kernel[0].second = "moved";
  EXPECT_EQ(strict().conflicts[0].kind, ConflictKind::kReadStale);
}

TEST_F(Scene, ASoftReadIsReportedAndRefusesNothing) {
  saw(ReadKind::kContent, "a", "a0").strength = Strength::kSoft;
  saw(ReadKind::kRef, "refs/heads/main", "base").strength = Strength::kSoft;
  head["a"] = file("theirs");
  EXPECT_TRUE(strict().commit);
  EXPECT_EQ(strict().checked, 0u);
  ASSERT_EQ(soft().size(), 1u);
  EXPECT_EQ(soft()[0].subject, "a");
  kernel = {{"refs/heads/main", "moved"}};
  EXPECT_EQ(soft().size(), 2u);
}

// Writes.

TEST_F(Scene, TheSameChangeOnBothSidesIsNoOverlap) {
  ours["a"] = head["a"] = file("same");
  ours.erase("b");
  head.erase("b");
  ours["n/1"] = head["n/1"] = file("n");
  ours["n/2"] = file("mine");
  EXPECT_TRUE(strict().commit);
}

TEST_F(Scene, AFileAgainstADirectoryOfTheSameName) {
  ours["n"] = file("mine");
  head["n/deep"] = file("theirs");
  EXPECT_EQ(strict().conflicts[0].kind, ConflictKind::kWriteWrite);
  EXPECT_EQ(strict().conflicts[0].subject, "n");
}

TEST_F(Scene, AWriteIntoADirectoryThatBecameAFile) {
  ours["d/mine"] = file("mine");
  head.erase("d/x");
  head.erase("d/s/y");
  head["d"] = file("theirs");
  const Verdict verdict = at(Isolation::kReadCommitted);
  ASSERT_EQ(verdict.conflicts.size(), 1u);
  EXPECT_EQ(verdict.conflicts[0].subject, "d/mine");
  EXPECT_THAT(verdict.conflicts[0].hint, HasSubstr("in the way"));
}

TEST_F(Scene, AWriteIntoADirectoryThatTheTransactionMadeAFile) {
  head["d/theirs"] = file("theirs");
  ours.erase("d/x");
  ours.erase("d/s/y");
  ours["d"] = link("mine");
  const Verdict verdict = at(Isolation::kReadCommitted);
  ASSERT_EQ(verdict.conflicts.size(), 1u);
  EXPECT_EQ(verdict.conflicts[0].subject, "d");
}

TEST_F(Scene, DeletedHereAndChangedThereIsAnOverlap) {
  ours.erase("a");
  head["a"] = file("theirs");
  const Verdict verdict = strict();
  ASSERT_EQ(verdict.conflicts.size(), 1u);
  EXPECT_EQ(verdict.conflicts[0].read_digest, "nothing");
  EXPECT_EQ(verdict.conflicts[0].head_digest, "theirs");
}

// What is not known counts as everything.

TEST_F(Scene, AnUnknownReadSetConflictsWithAnyChangeAtStrict) {
  reads.complete = false;
  reads.unknown_reason = "trace lost 3 records";
  ours["b"] = file("mine");
  head["d/s/y"] = file("theirs");
  EXPECT_TRUE(at(Isolation::kSnapshot).commit);
  const Verdict verdict = strict();
  ASSERT_EQ(verdict.conflicts.size(), 1u);
  EXPECT_EQ(verdict.conflicts[0].subject, "(everything)");
  EXPECT_THAT(verdict.conflicts[0].hint, HasSubstr("trace lost 3 records"));
}

TEST_F(Scene, ASnapshotWithoutADifferenceIsNeverTakenForUnchanged) {
  saw(ReadKind::kContent, "a", "a0").snapshot = Oid("elsewhere");
  const Verdict verdict = strict();
  ASSERT_EQ(verdict.conflicts.size(), 1u);
  EXPECT_THAT(verdict.conflicts[0].subject, HasSubstr("elsewhere"));
}

TEST_F(Scene, ReadsOfTwoSnapshotsAreJudgedByTheirOwnDifference) {
  saw(ReadKind::kContent, "a", "a0");
  saw(ReadKind::kContent, "b", "b1").snapshot = Oid("later");
  Footprint txn{TxnId("t-me"), reads, {}, Oid("later")};
  const PathChange b_changed{"b", file("b0"), file("b1")};
  const PathChange a_changed{"a", file("a0"), file("a1")};
  // b changed before the later snapshot: both reads hold.
  std::vector<SnapshotDiff> diffs{{Oid("base"), {b_changed}}, {Oid("later"), {}}};
  Input input;
  input.txn = &txn;
  input.diffs = &diffs;
  EXPECT_TRUE(certify(input).commit);
  diffs[0].changes = {a_changed, b_changed};
  const Verdict verdict = certify(input);
  ASSERT_EQ(verdict.conflicts.size(), 1u);
  EXPECT_EQ(verdict.conflicts[0].subject, "a");
}

TEST_F(Scene, UnsortedInputGivesTheSameAnswer) {
  saw(ReadKind::kContent, "b", "b0");
  saw(ReadKind::kContent, "a", "a0");
  Footprint txn{TxnId("t-me"), reads, {}, Oid("base")};
  std::vector<SnapshotDiff> diffs{{Oid("base"), {}}};
  for (const char* path : {"z", "y", "b", "c"}) {
    diffs[0].changes.push_back({path, file("0"), file("1")});
  }
  Input input;
  input.txn = &txn;
  input.diffs = &diffs;
  ASSERT_EQ(certify(input).conflicts.size(), 1u);
  EXPECT_EQ(certify(input).conflicts[0].subject, "b");
}

// Witnesses.

TEST_F(Scene, AWitnessHasEveryField) {
  saw(ReadKind::kContent, "a", "a0");
  head["a"] = file("a1");
  const Conflict conflict = strict().conflicts.at(0);
  EXPECT_EQ(conflict.read_digest, "a0");
  EXPECT_EQ(conflict.head_digest, "a1");
  EXPECT_EQ(conflict.changed_by, "commit 0123456 by Pat Person <pat@example.org>");
  EXPECT_EQ(conflict.hint, "'a' was read and has changed now");
}

TEST_F(Scene, TheWitnessNamesTheLastTransactionThatChangedThePath) {
  saw(ReadKind::kContent, "a", "a0");
  Footprint txn{TxnId("t-me"), reads, {}, Oid("base")};
  const PathChange first{"a", file("a0"), file("a1")};
  const PathChange second{"a", file("a1"), file("a2")};
  const PathChange other{"b", file("b0"), file("b1")};
  const std::vector<Landed> history{{Oid("1"), TxnId("t-1"), "", {first}},
                                    {Oid("2"), TxnId("t-2"), "", {second}},
                                    {Oid("3"), TxnId("t-3"), "", {other}}};
  const std::vector<SnapshotDiff> diffs{{Oid("base"), {{"a", file("a0"), file("a2")}, other}}};
  Input input;
  input.txn = &txn;
  input.diffs = &diffs;
  input.history = &history;
  EXPECT_EQ(certify(input).conflicts.at(0).changed_by, "t-2");
}

TEST_F(Scene, OneWitnessASubject) {
  saw(ReadKind::kContent, "a", "a0");
  saw(ReadKind::kMetadata, "a", "100644 a0");
  head["a"] = file("a1");
  EXPECT_EQ(strict().conflicts.size(), 1u);
  EXPECT_EQ(strict().checked, 2u);
}

// ---- what symbols say ----

using Weight = SymbolClash::Weight;

TEST_F(Scene, AMergedFileIsNoOverlapAndItsReadsHold) {
  ours["a"] = file("a1");
  head["a"] = file("a2");
  saw(ReadKind::kContent, "a", "a0");
  saw(ReadKind::kMetadata, "a", "100644 a0");
  for (const Isolation level : kLevels) EXPECT_FALSE(at(level).commit);
  symbols.emplace();
  symbols->merged = {"a"};
  for (const Isolation level : kLevels) EXPECT_TRUE(at(level).commit) << isolation_name(level);
  head["a"] = executable("a2");
  EXPECT_FALSE(at(Isolation::kStrict).commit) << "not the same kind of file";
}

TEST_F(Scene, WhatTheHeadDidToAMergedFileIsNotMaskedFromWiderReads) {
  ours["d/x"] = file("x1");
  head["d/x"] = file("x2");
  saw(ReadKind::kTree, "d", "d0");
  symbols.emplace();
  symbols->merged = {"d/x"};
  EXPECT_TRUE(at(Isolation::kSnapshot).commit);
  const Verdict verdict = at(Isolation::kStrict);
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
  saw(ReadKind::kContent, "a", "a0");
  saw(ReadKind::kMetadata, "a", "100644 a0");
  bool same = false;
  says_the_same = [&](const Read& read, const PathChange& change) {
    EXPECT_EQ(read.subject, change.path);
    return same;
  };
  EXPECT_FALSE(at(Isolation::kStrict).commit);
  same = true;
  EXPECT_TRUE(at(Isolation::kStrict).commit);
  head["a"] = executable("a2");
  EXPECT_FALSE(at(Isolation::kStrict).commit) << "its mode was looked at";
  head.erase("a");
  EXPECT_FALSE(at(Isolation::kStrict).commit) << "gone is not the same";
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
  EXPECT_TRUE(at(Isolation::kStrict).commit) << "both made the same of it";
}

}  // namespace
}  // namespace gittxn::certify
