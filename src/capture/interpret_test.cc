// From records to reads, rule by rule, on hand-written records.
#include "capture/interpret.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/testing/story.h"

namespace gittxn::capture {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::must;
using testing::Story;

class Interpret : public ::testing::Test, public Story {};

// What a look-up meets.

TEST_F(Interpret, AnOpenedFileIsAContentReadOfItsBlob) {
  exec({"cat", "a.txt"});
  read("a.txt");
  const ReadSet set = told();
  EXPECT_TRUE(set.complete);
  ASSERT_THAT(lines(set), ElementsAre("content a.txt"));
  const Read& a = *find(set, ReadKind::kContent, "a.txt");
  EXPECT_EQ(a.digest, repo.oid("HEAD:a.txt").str());
  EXPECT_EQ(a.snapshot, snapshot);
  EXPECT_EQ(a.pid, kAgent);
  EXPECT_EQ(a.argv, "cat a.txt");
  EXPECT_EQ(a.strength, Strength::kHard);
}

TEST_F(Interpret, StatIsMetadataAccessOnlyTypeAndMode) {
  stat("a.txt");
  add(Op::kAccess, "b.txt");
  add(Op::kReadlink, "tool.sh", -EINVAL);
  const ReadSet set = told();
  EXPECT_EQ(find(set, ReadKind::kMetadata, "a.txt")->digest,
            "100644 " + repo.oid("HEAD:a.txt").str());
  EXPECT_EQ(find(set, ReadKind::kMetadata, "b.txt")->digest, "100644");
  EXPECT_EQ(find(set, ReadKind::kMetadata, "tool.sh")->digest, "100755");
}

TEST_F(Interpret, AccessAndStatOfOnePathIsOneRead) {
  add(Op::kAccess, "a.txt");
  stat("a.txt");
  EXPECT_THAT(reads(), ElementsAre("metadata a.txt"));
}

TEST_F(Interpret, ADirectoryIsOnlyThatItIsOne) {
  add(Op::kOpenRead, "src").mode = S_IFDIR | 0755;
  stat("src");
  const ReadSet set = told();
  ASSERT_THAT(lines(set), ElementsAre("metadata src"));
  EXPECT_EQ(find(set, ReadKind::kMetadata, "src")->digest, "040000");
  EXPECT_EQ(find(set, ReadKind::kEnvironment, "tools")->digest, set.tool_env_digest.str());
}

TEST_F(Interpret, AFailedLookupIsAnAbsenceRead) {
  absent("config.ini");
  absent("no/such/dir/file");
  add(Op::kStat, "a.txt/below", -ENOTDIR);
  EXPECT_THAT(reads(),
              ElementsAre("absence a.txt/below", "absence config.ini", "absence no/such/dir/file"));
}

TEST_F(Interpret, ALookupForARepositoryCanNeverComeTrue) {
  absent("src/.git");
  absent("src/deep/.git/HEAD");
  EXPECT_THAT(reads(), IsEmpty());
}

TEST_F(Interpret, GetdentsIsAListingOfTheSnapshotWithOwnPathsMasked) {
  add(Op::kList, "src");
  const std::string plain = find(told(), ReadKind::kListing, "src")->digest;
  writes.push_back({"src/new.c", {}, {FileMode::kFile, Oid(std::string(40, '1'))}});
  EXPECT_EQ(find(told(), ReadKind::kListing, "src")->digest, plain);
  changed("src/x.c");
  EXPECT_NE(find(told(), ReadKind::kListing, "src")->digest, plain);
}

TEST_F(Interpret, AnExecutedScriptOfTheTreeIsRead) {
  exec({at("tool.sh")});
  EXPECT_THAT(reads(), ElementsAre("content tool.sh", "metadata tool.sh"));
  EXPECT_EQ(find(told(), ReadKind::kMetadata, "tool.sh")->digest, "100755")
      << "without the permission it would not have started";
}

TEST_F(Interpret, AnAssumedResultCountsBothWays) {
  Record& there = add(Op::kOpenRead, "a.txt", -ENOENT);
  there.assumed = true;
  Record& gone = add(Op::kOpenRead, "nothing", 0);
  gone.assumed = true;
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "absence nothing"));
}

TEST_F(Interpret, APredictedResultIsTakenAtItsWord) {
  Record& gone = add(Op::kOpenRead, "a.txt", -ENOENT);
  gone.assumed = gone.predicted = true;
  // It is there in the snapshot and nobody removed it: that there is a file was still relied on.
  const ReadSet set = told();
  ASSERT_THAT(lines(set), ElementsAre("metadata a.txt"));
}

TEST_F(Interpret, OneObservationIsOneReadOfTheFirstProcess) {
  read("a.txt");
  fork(101);
  exec({"cat", "a.txt"}, 101);
  add(Op::kOpenRead, "a.txt", 0, 101);
  const ReadSet set = told();
  ASSERT_THAT(lines(set), ElementsAre("content a.txt"));
  EXPECT_EQ(find(set, ReadKind::kContent, "a.txt")->pid, kAgent);
}

// Own writes.

TEST_F(Interpret, AReadOfAWhollyReplacedFileIsNoRead) {
  overwrite("a.txt");
  changed("a.txt");
  read("a.txt");
  stat("a.txt");
  EXPECT_THAT(reads(), IsEmpty());
}

TEST_F(Interpret, AReadBeforeTheReplacementStays) {
  read("a.txt");
  overwrite("a.txt");
  changed("a.txt");
  EXPECT_THAT(reads(), ElementsAre("content a.txt"));
}

TEST_F(Interpret, AppendingAndChangingInPlaceKeepTheBase) {
  create("a.txt", O_WRONLY | O_APPEND, true);
  read("a.txt");
  add(Op::kOpenWrite, "b.txt").flags = O_WRONLY;
  read("b.txt");
  add(Op::kChmod, "src/x.c");
  read("src/x.c");
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "content b.txt", "metadata b.txt",
                                   "content src/x.c", "metadata src/x.c"));
}

TEST_F(Interpret, OpeningForReadingAndWritingReads) {
  add(Op::kOpenReadWrite, "a.txt").flags = O_RDWR;
  add(Op::kOpenReadWrite, "b.txt").flags = O_RDWR | O_TRUNC;
  changed("b.txt");
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "metadata b.txt"));
}

TEST_F(Interpret, ATruncationThatMayHaveBeenRefusedReplacesNothing) {
  Record& record = overwrite("a.txt");
  record.assumed = record.predicted = true;
  record.mode = S_IFREG | 0444;
  read("a.txt");
  EXPECT_THAT(reads(), ElementsAre("content a.txt"));
}

TEST_F(Interpret, RenamingOverAFileReplacesIt) {
  create("a.tmp", O_WRONLY, false);
  rename("a.tmp", "a.txt");
  changed("a.txt");
  read("a.txt");
  absent("a.tmp");
  EXPECT_THAT(reads(), ElementsAre("absence a.tmp")) << "nothing was in the way of it";
}

TEST_F(Interpret, RemovingAndReadingBackIsOwn) {
  add(Op::kUnlink, "a.txt");
  absent("a.txt");
  create("a.txt", O_WRONLY, false);
  read("a.txt");
  changed("a.txt");
  EXPECT_THAT(reads(), ElementsAre("metadata a.txt")) << "it was there to be removed, no more";
}

TEST_F(Interpret, MovingAFileReadsItUnderItsOldName) {
  rename("a.txt", "moved.txt");
  changed("moved.txt");
  read("moved.txt");
  absent("a.txt");
  EXPECT_THAT(reads(), ElementsAre("content a.txt"));
}

TEST_F(Interpret, MovingADirectoryReadsAllOfIt) {
  rename("src", "lib");
  read("lib/deep/z.c");
  EXPECT_THAT(reads(), ElementsAre("absence lib", "metadata src", "listing src",
                                   "metadata src/deep", "listing src/deep", "content src/deep/z.c",
                                   "content src/up", "content src/x.c", "content src/y.c"));
}

TEST_F(Interpret, ExchangingTwoFilesReadsBoth) {
  rename("a.txt", "b.txt").flags = 2;
  read("a.txt");
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "content b.txt"));
}

TEST_F(Interpret, LinkingAFileReadsItAndObservesThatTheNewNameIsFree) {
  Record& record = add(Op::kLink, "a.txt");
  record.path2 = at("hard.txt");
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "absence hard.txt"));
}

TEST_F(Interpret, CreatingExclusivelyObservesAbsence) {
  create("lock", O_WRONLY | O_EXCL, false);
  add(Op::kMkdir, "newdir");
  Record& link = add(Op::kSymlink, "newlink");
  link.path2 = "a.txt";
  create("plain", O_WRONLY | O_TRUNC, false);
  changed("plain");
  EXPECT_THAT(reads(), ElementsAre("absence lock", "absence newdir", "absence newlink"));
}

TEST_F(Interpret, CreatingWhatIsThereObservesIt) {
  add(Op::kMkdir, "src", -EEXIST);
  create("a.txt", O_WRONLY | O_EXCL, true).result = -EEXIST;
  EXPECT_THAT(reads(), ElementsAre("metadata a.txt", "metadata src"));
}

TEST_F(Interpret, RemovingADirectoryObservesThatItWasEmpty) {
  add(Op::kUnlink, "src/deep/z.c");
  add(Op::kRmdir, "src/deep");
  EXPECT_THAT(reads(),
              ElementsAre("metadata src/deep", "listing src/deep", "metadata src/deep/z.c"));
}

TEST_F(Interpret, WhatTheTransactionMadeIsNotRead) {
  create("out.txt", O_WRONLY | O_TRUNC, false);
  changed("out.txt");
  read("out.txt");
  add(Op::kMkdir, "own");
  create("own/f", O_WRONLY, false);
  read("own/f");
  add(Op::kList, "own");
  EXPECT_THAT(reads(), ElementsAre("absence own"));
}

TEST_F(Interpret, NothingBelowADirectoryOfItsOwnNeedsARead) {
  add(Op::kMkdir, "build");
  absent("build/cache");
  add(Op::kMkdir, "build/deep");
  create("build/deep/lock", O_WRONLY | O_EXCL, false);
  create("build/out", O_WRONLY, false);
  EXPECT_THAT(reads(), ElementsAre("absence build"));
}

TEST_F(Interpret, ALinkOfItsOwnLeadsWhereItSays) {
  Record& link = add(Op::kSymlink, "mine");
  link.path2 = "src";
  read("mine/x.c");
  EXPECT_THAT(reads(), ElementsAre("absence mine", "content src/x.c"));
}

TEST_F(Interpret, AFileWrittenAnewWithTheSameBytesIsARead) {
  overwrite("a.txt");  // and nothing of it in the writes
  read("a.txt");
  const ReadSet set = told();
  ASSERT_THAT(lines(set), ElementsAre("content a.txt"));
  EXPECT_EQ(find(set, ReadKind::kContent, "a.txt")->op, "rewritten unchanged");
}

TEST_F(Interpret, ARemovalThatDidNotHappenIsTakenBack) {
  Record& record = add(Op::kUnlink, "a.txt");
  record.assumed = record.predicted = true;
  read("a.txt");
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "metadata a.txt"));
}

TEST_F(Interpret, AnAppendReadsWhatItAppendsTo) {
  create("a.txt", O_WRONLY | O_APPEND, true);
  create("b.txt", O_WRONLY, true);  // touch
  EXPECT_THAT(reads(), IsEmpty());
  changed("a.txt");
  EXPECT_THAT(reads(), ElementsAre("content a.txt"));
}

TEST_F(Interpret, SuccessOnAPathTheSnapshotLacksIsNoRead) {
  read("untracked.txt");
  absent("later.txt");
  read("later.txt");
  EXPECT_THAT(reads(), ElementsAre("absence later.txt"));
}

// Where something were there it would have gone on from that.
TEST_F(Interpret, AnAppendToNothingReadsThatNothingWasThere) {
  create("log.txt", O_WRONLY | O_APPEND, false);
  create("whole.txt", O_WRONLY | O_TRUNC, false);
  changed("log.txt");
  changed("whole.txt");
  EXPECT_THAT(reads(), ElementsAre("absence log.txt"));
}

TEST_F(Interpret, WhatWasOnlyTouchedIsNoAppend) {
  create("stamp", O_WRONLY, false);
  changed("stamp", Oid("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"));
  EXPECT_THAT(reads(), IsEmpty());
}

// Aliases: one canonical path.

TEST_F(Interpret, EverySpellingIsTheSamePath) {
  read("src/../a.txt");
  read("./a.txt");
  read(".//src//deep/../../a.txt");
  read("../tree/a.txt");
  read(root() + "/wt/../wt/tree/a.txt");
  EXPECT_THAT(reads(), ElementsAre("content a.txt"));
}

TEST_F(Interpret, LinksOnTheWayAreReads) {
  read("to-a");
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "content to-a"));
}

TEST_F(Interpret, DirectoryLinksAndLinksUpwards) {
  read("to-src/x.c");
  read("to-src/up");
  read("to-src/../a.txt");
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "content b.txt", "content src/up",
                                   "content src/x.c", "content to-src"));
}

TEST_F(Interpret, AnUnfollowedLinkIsItself) {
  stat("to-a");
  add(Op::kReadlink, "to-src");
  const ReadSet set = told();
  EXPECT_THAT(lines(set), ElementsAre("metadata to-a", "content to-src"));
  EXPECT_THAT(find(set, ReadKind::kMetadata, "to-a")->digest, HasSubstr("120000 "));
}

TEST_F(Interpret, ALinkWithASlashIsItsDirectory) {
  stat("to-src/");
  EXPECT_THAT(reads(), ElementsAre("metadata src", "content to-src"));
}

TEST_F(Interpret, CaseMakesAnotherPath) {
  absent("A.TXT");
  read("a.txt");
  EXPECT_THAT(reads(), ElementsAre("absence A.TXT", "content a.txt"));
}

TEST_F(Interpret, ALinkFromOutsideIntoTheTree) {
  const std::string way = root() + "/way";
  must(make_dirs(tree()));
  ASSERT_EQ(::symlink((root() + "/wt").c_str(), way.c_str()), 0);
  read(way + "/tree/src/x.c");
  absent(way + "/tree/missing");
  EXPECT_THAT(reads(), ElementsAre("absence missing", "content src/x.c"));
}

TEST_F(Interpret, ALinkOutOfTheTreeIsReadAndWhatIsBehindItIsNot) {
  read("out/dict/words");
  EXPECT_THAT(reads(), ElementsAre("content out"));
}

TEST_F(Interpret, ACircleOfLinksEnds) {
  add(Op::kOpenRead, "loop", -ELOOP);
  add(Op::kOpenRead, "loop/x", -ELOOP);
  EXPECT_THAT(reads(), ElementsAre("content loop"));
}

TEST_F(Interpret, OddNamesAreBytes) {
  const std::string odd = "new\nline \xff\xfe";
  absent(odd);
  const ReadSet set = told();
  ASSERT_EQ(set.reads.size(), 2u);
  EXPECT_EQ(set.reads[0].subject, odd);
}

// Connections, notes, and what is not known.

TEST_F(Interpret, ConnectionsByWhoListens) {
  add(Op::kConnect, "inet:192.0.2.1:443");
  add(Op::kConnect, "unix:/var/run/nscd/socket");
  create("test.sock", O_EXCL, false).path2 = "bind";
  add(Op::kConnect, "unix:" + at("test.sock"));
  const ReadSet set = told();
  EXPECT_TRUE(set.complete) << set.unknown_reason;
  EXPECT_THAT(lines(set), ElementsAre("external 192.0.2.1:443?", "absence test.sock"));
}

TEST_F(Interpret, ADaemonMakesTheSetUnknown) {
  add(Op::kConnect, "unix:/run/docker.sock");
  const ReadSet set = told();
  EXPECT_FALSE(set.complete);
  EXPECT_EQ(set.unknown_reason, "daemon /run/docker.sock");
}

TEST_F(Interpret, ARefusedConnectionIsNone) {
  add(Op::kConnect, "unix:/run/docker.sock", -ECONNREFUSED);
  EXPECT_TRUE(told().complete);
}

TEST_F(Interpret, NotesAndBlindSpots) {
  add(Op::kNote, "setuid program lost its bit: /usr/bin/sudo");
  EXPECT_TRUE(told().complete);
  EXPECT_THAT(told().notes, ElementsAre("setuid program lost its bit: /usr/bin/sudo"));
  add(Op::kBlind, "a 32-bit program");
  add(Op::kMount, "/mnt");
  EXPECT_EQ(told().unknown_reason, "a 32-bit program");
  EXPECT_THAT(told().notes, Contains(HasSubstr("mounts were changed")));
}

TEST_F(Interpret, LostRecordsMakeTheSetUnknown) {
  read("a.txt");
  end_reason = "the disk was full";
  const ReadSet set = told();
  EXPECT_FALSE(set.complete);
  EXPECT_THAT(set.unknown_reason, HasSubstr("the disk was full"));
  EXPECT_THAT(lines(set), ElementsAre("content a.txt"));
}

TEST_F(Interpret, ACutOffFileMakesTheSetUnknown) {
  read("a.txt");
  cut_off = true;
  EXPECT_FALSE(told().complete);
}

// A transaction that was traced by an older program, and is taken by this one.
TEST_F(Interpret, RecordsOfAnotherVersionMakeTheSetUnknown) {
  exec({"cat", "a.txt"});
  read("a.txt");
  const InterpretInput in = input();
  std::string bytes = must(read_file(in.record_files[0]));
  bytes[7] = '\x02';
  must(write_file(in.record_files[0], bytes, Sync::kNo));
  const ReadSet set = must(interpret(repo.objects(), in));
  EXPECT_FALSE(set.complete);
  EXPECT_THAT(set.unknown_reason, HasSubstr("written by another version"));
}

TEST_F(Interpret, NoFileOrNoTraceMakesTheSetUnknown) {
  InterpretInput in = input();
  in.record_files = {root() + "/not there"};
  EXPECT_FALSE(must(interpret(repo.objects(), in)).complete);
  in.record_files.clear();
  EXPECT_EQ(must(interpret(repo.objects(), in)).unknown_reason, "nothing was traced");
}

TEST_F(Interpret, ASnapshotThatCannotBeReadIsAnError) {
  InterpretInput in = input();
  in.snapshot = Oid(std::string(40, '9'));
  EXPECT_FALSE(interpret(repo.objects(), in).has_value());
}

TEST_F(Interpret, LaterCommandsOfATransactionKnowWhatEarlierOnesWrote) {
  overwrite("a.txt");
  changed("a.txt");
  InterpretInput in = input();
  const std::string first = root() + "/first";
  must(rename_over(in.record_files[0], first));
  Story second;
  second.add(Op::kOpenRead, at("a.txt"));
  second.add(Op::kOpenRead, at("b.txt"));
  in.record_files = {first, second.write_records()};
  EXPECT_THAT(lines(must(interpret(repo.objects(), in))), ElementsAre("content b.txt"));
}

TEST_F(Interpret, AnArgumentVectorIsCutBetweenCharacters) {
  exec({"grep", std::string(190, 'x') + "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"});
  read("a.txt");
  const ReadSet set = told();
  const std::string& argv = find(set, ReadKind::kContent, "a.txt")->argv;
  EXPECT_LE(argv.size(), 200u);
  EXPECT_EQ(encode_path(argv), argv) << "not valid UTF-8";
}

}  // namespace
}  // namespace gittxn::capture
