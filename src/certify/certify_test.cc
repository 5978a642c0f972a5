// The certifier case by case: what each isolation level allows, when each kind of read holds, and
// what the witness says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "certify/testing/scene.h"

namespace gittxn::certify {
namespace {

using testing::executable;
using testing::file;
using ::testing::HasSubstr;
using testing::kLevels;
using testing::link;
using testing::Scene;

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

TEST_F(Scene, AListingIgnoresContentsDepthAndWhatTheHeadLeftAlone) {
  saw(ReadKind::kListing, "d", "l");
  saw(ReadKind::kListing, "", "l");
  head["d/x"] = file("changed");
  head["d/s/deeper"] = file("z");
  ours["d/s-new/g"] = file("mine");
  EXPECT_TRUE(strict().commit);
}

// In the order of landing the head was first, so the look-up would have met what it did.
TEST_F(Scene, OwnPathsHideNothingThatTheHeadDidToThem) {
  ours["d/n/mine"] = file("mine");
  head["d/n/theirs"] = file("theirs");
  saw(ReadKind::kListing, "d", "l");
  EXPECT_FALSE(semantic().commit) << "both made d/n";
  reads.reads.clear();
  saw(ReadKind::kTree, "d", "t");
  ours = head = base;
  ours["d/x"] = head["d/x"] = file("same");
  EXPECT_FALSE(semantic().commit) << "equal bytes hide nothing";
  EXPECT_FALSE(strict().commit);
  reads.reads.clear();
  EXPECT_TRUE(strict().commit) << "nobody looked";
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

// Two that read a counter and write the next number write the same, and one of them is lost.
TEST_F(Scene, AnUpdateThatBothMadeOfWhatTheyReadIsRefusedAtEveryLevel) {
  ours["a"] = head["a"] = file("next");
  for (const Isolation level : kLevels) EXPECT_TRUE(at(level).commit) << "written, and not read";
  saw(ReadKind::kContent, "a", "a0");
  for (const Isolation level : kLevels) {
    const Verdict verdict = at(level);
    ASSERT_EQ(verdict.conflicts.size(), 1u) << isolation_name(level);
    EXPECT_EQ(verdict.conflicts[0].subject, "a");
    const bool reads_count = level >= Isolation::kSemantic;
    EXPECT_EQ(verdict.conflicts[0].kind,
              reads_count ? ConflictKind::kReadStale : ConflictKind::kWriteWrite);
    EXPECT_THAT(verdict.conflicts[0].changed_by, HasSubstr("Pat Person"));
  }
}

TEST_F(Scene, SoIsAPartOfAFileThatWasReadAndEdited) {
  ours["a"] = head["a"] = file("next");
  saw(ReadKind::kContent, "a", "lines").lines = {1, 3};
  contents = [](const Read&, const SnapshotDiff&, const Changes&) { return std::nullopt; };
  for (const Isolation level : kLevels) EXPECT_FALSE(at(level).commit) << isolation_name(level);
  ours["a"] = file("a0");
  EXPECT_TRUE(strict().commit) << "its own lines are as they were";
}

TEST_F(Scene, SoIsANumberThatWasFree) {
  ours["d/7"] = head["d/7"] = file("taken");
  ours["e/f"] = head["e/f"] = file("new");
  for (const ReadKind kind : {ReadKind::kAbsence, ReadKind::kListing, ReadKind::kTree}) {
    reads.reads.clear();
    saw(kind, kind == ReadKind::kAbsence ? "d/7" : "d", "");
    for (const Isolation level : kLevels) EXPECT_FALSE(at(level).commit) << isolation_name(level);
  }
  reads.reads.clear();
  saw(ReadKind::kListing, "", "l");
  EXPECT_FALSE(at(Isolation::kSnapshot).commit) << "a directory came with an equal file";
  reads.reads.clear();
  saw(ReadKind::kListing, "d/s", "l");
  saw(ReadKind::kMetadata, "d", "040000");
  for (const Isolation level : kLevels) EXPECT_TRUE(at(level).commit) << isolation_name(level);
}

TEST_F(Scene, SoIsASearchThatFoundOrMissedIt) {
  ours["d/7"] = head["d/7"] = file("taken");
  head["b"] = file("theirs");
  saw(ReadKind::kSearch, "", "q");
  std::vector<std::string> asked;
  contents = [&](const Read&, const SnapshotDiff& diff, const Changes&) {
    asked.clear();
    for (const PathChange& change : diff.changes) asked.push_back(change.path);
    const bool shows = find_change(diff.changes, "d/7") != nullptr;
    return shows ? std::optional(Stale{"d/7", "", ""}) : std::nullopt;
  };
  EXPECT_EQ(at(Isolation::kSnapshot).conflicts.at(0).subject, "d/7");
  EXPECT_EQ(asked, std::vector<std::string>{"d/7"}) << "what only the head did is no question here";
  EXPECT_EQ(at(Isolation::kSnapshot).conflicts.at(0).kind, ConflictKind::kWriteWrite);
}

TEST_F(Scene, WithAnUnknownReadSetEqualWritesMayBeOneThatIsLost) {
  reads.complete = false;
  ours["b"] = head["b"] = file("same");
  for (const Isolation level : kLevels) EXPECT_FALSE(at(level).commit) << isolation_name(level);
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
  head["a"] = file("theirs");
  EXPECT_TRUE(strict().commit);
  EXPECT_EQ(strict().checked, 0u);
  ASSERT_EQ(soft().size(), 1u);
  EXPECT_EQ(soft()[0].subject, "a");
}

TEST_F(Scene, HistoryHasToBeTheSameAtExactLevelsAndIsExcusedAtSemantic) {
  saw(ReadKind::kRef, "HEAD", "base").strength = Strength::kSoft;
  kernel = {{"HEAD", "base"}};
  EXPECT_TRUE(strict().commit);
  EXPECT_TRUE(semantic().excused.empty());
  kernel = {{"HEAD", "moved"}};
  for (const Isolation level : kLevels) {
    EXPECT_EQ(at(level).commit, !is_exact(level)) << isolation_name(level);
  }
  EXPECT_EQ(semantic().excused, (std::vector<Excuse>{{Excuse::Why::kHistory, "HEAD"}}));
  EXPECT_TRUE(at(Isolation::kSnapshot).excused.empty()) << "reads are not asked for";
  EXPECT_TRUE(soft().empty());
  kernel.clear();
  EXPECT_FALSE(strict().commit) << "no version given is no proof";
  EXPECT_TRUE(semantic().commit);
}

TEST_F(Scene, HousekeepingOfAnAgentHasToHoldAtExactLevelsAndIsExcusedAtSemantic) {
  saw(ReadKind::kListing, "d", "l").reader = ReaderClass::kItself;
  saw(ReadKind::kTree, "", "t").reader = ReaderClass::kItself;
  EXPECT_TRUE(semantic().excused.empty());
  head["d/new"] = file("n");
  for (const Isolation level : kLevels) {
    EXPECT_EQ(at(level).commit, !is_exact(level)) << isolation_name(level);
  }
  EXPECT_EQ(semantic().excused, (std::vector<Excuse>{{Excuse::Why::kHousekeeping, ""},
                                                     {Excuse::Why::kHousekeeping, "d"}}));
  saw(ReadKind::kListing, "d", "l");
  EXPECT_FALSE(semantic().commit) << "somebody was shown it";
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

TEST_F(Scene, AnUnknownReadSetConflictsWithWhatChangedSinceItIsUnknown) {
  Footprint txn{TxnId("t-me"), reads, {}, Oid("later")};
  txn.reads.complete = false;
  txn.reads.unknown_since = Oid("later");
  const PathChange changed{"b", file("b0"), file("b1")};
  const auto commits = [&](const Changes& since_start, const Changes& since_later) {
    const std::vector<SnapshotDiff> diffs{{Oid("base"), since_start}, {Oid("later"), since_later}};
    Input input;
    input.txn = &txn;
    input.diffs = diffs;
    return certify(input).commit;
  };
  EXPECT_TRUE(commits({changed}, {}));
  EXPECT_FALSE(commits({changed}, {changed}));
  txn.reads.unknown_since = Oid("nowhere");
  EXPECT_FALSE(commits({changed}, {})) << "what nobody can look at counts as everything";
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
  input.diffs = diffs;
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
  input.diffs = diffs;
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
  input.diffs = diffs;
  input.history = history;
  EXPECT_EQ(certify(input).conflicts.at(0).changed_by, "t-2");
}

TEST_F(Scene, OneWitnessASubject) {
  saw(ReadKind::kContent, "a", "a0");
  saw(ReadKind::kMetadata, "a", "100644 a0");
  head["a"] = file("a1");
  EXPECT_EQ(strict().conflicts.size(), 1u);
  EXPECT_EQ(strict().checked, 2u);
}

TEST(ChangedNothing, IsOfTheSnapshotAndOfWhatTheBaseMovedTo) {
  EXPECT_TRUE(changed_nothing(1, 1, 1));
  EXPECT_FALSE(changed_nothing(2, 1, 1));
  EXPECT_FALSE(changed_nothing(2, 2, 1)) << "it may be an update that both made";
  EXPECT_FALSE(changed_nothing(1, 2, 1)) << "it takes back what the branch has";
}

}  // namespace
}  // namespace gittxn::certify
