// The record file: what goes in comes out, repetitions do not, and damage is never taken for whole.
#include "capture/trace/record_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/random.h"

namespace gittxn::capture {
namespace {

class MemoryFile {
 public:
  MemoryFile() : fd_(::memfd_create("records", MFD_CLOEXEC)) {}
  explicit MemoryFile(std::string_view bytes) : MemoryFile() {
    EXPECT_TRUE(write_all(fd_.get(), bytes).has_value());
  }
  int fd() const { return fd_.get(); }
  std::string name() const { return "/proc/self/fd/" + std::to_string(fd_.get()); }
  std::string bytes() const { return read_file(name()).value_or(""); }

 private:
  UniqueFd fd_;
};

Record read_of(std::string path, int pid = 7) {
  Record record;
  record.op = Op::kOpenRead;
  record.pid = pid;
  record.path = std::move(path);
  record.mode = 0100644;
  return record;
}

Record write_of(std::string path) {
  Record record = read_of(std::move(path));
  record.op = Op::kOpenWrite;
  return record;
}

std::vector<Record> read_all(const MemoryFile& file, RecordSummary* summary) {
  std::vector<Record> records;
  const auto result =
      read_records(file.name(), [&records](const Record& record) { records.push_back(record); });
  EXPECT_TRUE(result.has_value());
  if (result) *summary = *result;
  return records;
}

std::string sample() {
  const MemoryFile file;
  RecordWriter writer(file.fd());
  writer.add(read_of("/a"));
  writer.add(write_of("/b"));
  Record exec = read_of("/bin/sh");
  exec.op = Op::kExec;
  exec.argv = {"sh", "-c", std::string("a\0b", 3), ""};
  writer.add(exec);
  writer.finish();
  return file.bytes();
}

TEST(RecordFile, GivesBackEveryField) {
  const MemoryFile file;
  RecordWriter writer(file.fd());
  Record record;
  record.op = Op::kRename;
  record.pid = -5;
  record.parent = 2'000'000'000;
  record.path = std::string("/a\n\xff") + std::string(9000, 'x');
  record.path2 = "/b";
  record.result = -4095;
  record.assumed = record.predicted = record.nofollow = true;
  record.flags = 0xffffffffu;
  record.mode = 0120777;
  record.dev = ~0ull;
  record.ino = 1ull << 63;
  record.argv = {"", "x"};
  record.argv_cut = true;
  record.env_digest = std::string(64, 'd');
  record.given = {
      {.kind = Given::Kind::kFile, .dev = ~0ull, .ino = 7, .path = "/in", .at = 1ull << 40},
      {.kind = Given::Kind::kClosed},
      {.kind = Given::Kind::kOther, .flags = O_APPEND}};
  writer.add(record);
  writer.finish();
  RecordSummary summary;
  const std::vector<Record> back = read_all(file, &summary);
  ASSERT_EQ(back.size(), 1u);
  EXPECT_TRUE(summary.complete);
  EXPECT_EQ(summary.records, 1u);
  const Record& got = back[0];
  EXPECT_EQ(got.seq, 1u);
  EXPECT_EQ(
      std::tie(got.op, got.pid, got.parent, got.path, got.path2, got.result),
      std::tie(record.op, record.pid, record.parent, record.path, record.path2, record.result));
  EXPECT_EQ(std::tie(got.flags, got.mode, got.dev, got.ino, got.argv),
            std::tie(record.flags, record.mode, record.dev, record.ino, record.argv));
  EXPECT_TRUE(got.assumed && got.predicted && got.nofollow && got.argv_cut);
  EXPECT_EQ(got.env_digest, record.env_digest);
  EXPECT_EQ(got.given, record.given);
}

TEST(RecordFile, ADigestOrAKindThatIsNoneIsDamage) {
  std::vector<Record> bad(4, read_of("/bin/true"));
  bad[0].env_digest = std::string(63, 'd');
  bad[1].env_digest = std::string(64, 'D');
  bad[2].env_digest = "d";
  bad[3].given.resize(kGiven012);
  bad[3].given[1].kind = static_cast<Given::Kind>(99);
  for (const Record& record : bad) {
    const MemoryFile file;
    RecordWriter writer(file.fd());
    writer.add(record);
    writer.finish();
    RecordSummary summary;
    EXPECT_TRUE(read_all(file, &summary).empty());
    EXPECT_FALSE(summary.complete);
  }
}

TEST(RecordFile, KeepsTheLongestArgumentsThereCanBe) {
  for (const Record& longest : {[] {
                                  Record one = read_of("/bin/true");
                                  one.argv.assign(1, std::string(kMaxArguments - 1, 'x'));
                                  return one;
                                }(),
                                [] {
                                  Record many = read_of("/bin/true");
                                  many.argv.assign(kMaxWords, "seven..");
                                  return many;
                                }()}) {
    const MemoryFile file;
    RecordWriter writer(file.fd());
    writer.add(longest);
    writer.finish();
    RecordSummary summary;
    const std::vector<Record> back = read_all(file, &summary);
    EXPECT_TRUE(summary.complete) << summary.reason;
    ASSERT_EQ(back.size(), 1u);
    EXPECT_TRUE(back[0].argv == longest.argv);
  }
}

TEST(RecordFile, LeavesOutRepeatedReadsUntilSomethingIsWritten) {
  const MemoryFile file;
  RecordWriter writer(file.fd());
  for (int i = 0; i < 3; ++i) writer.add(read_of("/a"));
  writer.add(read_of("/a", 8));  // another process
  Record absent = read_of("/a");
  absent.result = -ENOENT;
  writer.add(absent);  // another answer
  Record failed = write_of("/a");
  failed.result = -EACCES;
  writer.add(failed);  // changed nothing
  writer.add(read_of("/a"));
  writer.add(write_of("/b"));
  writer.add(write_of("/b"));  // writes are never left out
  writer.add(read_of("/a"));
  writer.finish();
  RecordSummary summary;
  const std::vector<Record> back = read_all(file, &summary);
  EXPECT_TRUE(summary.complete);
  std::string order;
  for (const Record& record : back) {
    order += std::string(op_name(record.op)) + record.path + std::to_string(record.pid) +
             (record.result < 0 ? "! " : " ");
  }
  EXPECT_EQ(order,
            "open-read/a7 open-read/a7 open-read/a8 open-read/a7! open-write/a7! "
            "open-write/b7 open-write/b7 open-read/a7 ");
}

TEST(RecordFile, TakesNoProcessForAnother) {
  const MemoryFile file;
  RecordWriter writer(file.fd());
  constexpr int kProcesses = 300;
  for (int i = 1; i <= kProcesses; ++i) {
    // As numbers may come: what tells it from those before is in the same bits as the count of
    // forks and programs.
    const int pid = 4096 ^ (2 * i);
    Record record = read_of("", pid);
    for (const Op op : {Op::kFork, Op::kExec}) {
      record.op = op;
      writer.add(record);
    }
    record = read_of("/src", pid);
    record.op = Op::kList;
    writer.add(record);
  }
  writer.finish();
  RecordSummary summary;
  int lists = 0;
  for (const Record& record : read_all(file, &summary)) lists += record.op == Op::kList ? 1 : 0;
  EXPECT_TRUE(summary.complete);
  EXPECT_EQ(lists, kProcesses);
}

// Names that consist of the same eight bytes in every order, equal halves among them.
TEST(RecordFile, TakesNoPathForAnother) {
  const MemoryFile file;
  RecordWriter writer(file.fd());
  std::size_t added = 0;
  for (unsigned blocks = 1; blocks <= 12; ++blocks) {
    for (unsigned order = 0; order < 1u << blocks; ++order, ++added) {
      std::string path;
      for (unsigned at = 0; at < blocks; ++at) path.append(8, (order >> at & 1u) != 0 ? 'b' : '/');
      writer.add(read_of(path));
    }
  }
  writer.finish();
  RecordSummary summary;
  EXPECT_EQ(read_all(file, &summary).size(), added);
}

TEST(RecordFile, CanBeReadWhileItGrows) {
  const MemoryFile file;
  RecordWriter writer(file.fd());
  RecordSummary summary;
  writer.add(read_of("/a"));
  EXPECT_TRUE(read_all(file, &summary).empty());
  writer.show();
  EXPECT_EQ(read_all(file, &summary).size(), 1u);
  EXPECT_FALSE(summary.complete);
  writer.show();
  writer.add(read_of("/b"));
  writer.finish();
  EXPECT_EQ(read_all(file, &summary).size(), 2u);
  EXPECT_TRUE(summary.complete);
}

TEST(RecordFile, PlainLooksCanBePassedOver) {
  const MemoryFile file(sample());
  std::vector<Record> records;
  const auto keep = [&](const Record& record) { records.push_back(record); };
  const auto summary = read_telling_records(file.name(), keep);
  ASSERT_TRUE(summary.has_value());
  EXPECT_TRUE(summary->complete) << summary->reason;
  EXPECT_EQ(summary->records, 3u);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].path, "/b");
  EXPECT_EQ(records[1].argv.size(), 4u);
  EXPECT_EQ(records[1].seq, 3u);
}

// A link that somebody met may say what another path means.
TEST(RecordFile, ALookThatMetALinkIsNotPassedOver) {
  const MemoryFile file;
  RecordWriter writer(file.fd());
  Record look = read_of("/link");
  look.op = Op::kStat;
  look.mode = 0120777;
  writer.add(look);
  writer.finish();
  std::size_t shown = 0;
  EXPECT_TRUE(read_telling_records(file.name(), [&](const Record&) { ++shown; })->complete);
  EXPECT_EQ(shown, 1u);
}

// The first reading of a trace sees these, and learns from them what earlier paths meant.
TEST(RecordFile, NoPlainLookChangesAPathOrStartsAProcess) {
  using enum Op;
  for (const Op op : {kFork, kExec, kSymlink, kUnlink, kRename, kLink, kWasLink, kMkdir, kRmdir}) {
    EXPECT_FALSE(is_plain_look(Record{.op = op})) << op_name(op);
  }
  EXPECT_TRUE(is_plain_look(read_of("/a")));
}

TEST(RecordFile, DamageOfAPlainLookIsForWhoReadsAll) {
  std::string bytes = sample();
  bytes[bytes.find("/a") + 1] = 'x';
  const MemoryFile file(bytes);
  std::size_t shown = 0;
  const auto count = [&](const Record&) { ++shown; };
  EXPECT_TRUE(read_telling_records(file.name(), count)->complete);
  EXPECT_EQ(shown, 2u);
  EXPECT_FALSE(read_records(file.name(), count)->complete);
}

// Files of transactions that were begun by the version before.
TEST(RecordFile, TheVersionBeforeIsRead) {
  const MemoryFile file;
  RecordWriter writer(file.fd());
  writer.add(write_of("/a"));
  writer.add(write_of("/b"));
  writer.finish();
  std::string bytes = file.bytes();
  bytes[7] = '\x03';
  RecordSummary summary;
  EXPECT_EQ(read_all(MemoryFile(bytes), &summary).size(), 2u);
  EXPECT_TRUE(summary.complete) << summary.reason;
}

// Other records between two plain looks do not change what the two share.
TEST(RecordFile, APlainLookHasWhatThePlainLookBeforeHasNot) {
  Random random(20);
  const MemoryFile file;
  RecordWriter writer(file.fd());
  std::vector<Record> added;
  for (int i = 0; i < 500; ++i) {
    std::string path = "/home/tree";
    for (std::uint64_t left = random.below(4); left > 0; --left) {
      path += "/" + std::string(random.below(6), 'd') + std::to_string(random.below(30));
    }
    Record record = random.below(5) == 0 ? write_of(path) : read_of(path, 7 + i);
    record.path2 = random.below(2) == 0 ? "openat" : "openat2";
    record.dev = random.below(~0ull) >> random.below(64);
    record.ino = std::uint64_t{1} << random.below(64);
    added.push_back(record);
    writer.add(record);
  }
  writer.finish();
  RecordSummary summary;
  const std::vector<Record> back = read_all(file, &summary);
  EXPECT_TRUE(summary.complete) << summary.reason;
  ASSERT_EQ(back.size(), added.size());
  for (std::size_t i = 0; i < back.size(); ++i) {
    EXPECT_EQ(back[i].path, added[i].path);
    EXPECT_EQ(back[i].path2, added[i].path2);
    EXPECT_EQ(back[i].dev, added[i].dev);
    EXPECT_EQ(back[i].ino, added[i].ino);
  }
}

TEST(RecordFile, NoRecordHasTheListsOfTheOneBefore) {
  const MemoryFile file;
  RecordWriter writer(file.fd());
  Record exec = read_of("/bin/sh");
  exec.op = Op::kExec;
  exec.argv = {"sh"};
  exec.env_known = true;
  exec.env = {"LANG=C"};
  exec.env_digest = std::string(64, 'a');
  exec.given.resize(kGiven012);
  writer.add(exec);
  writer.add(read_of("/a"));
  writer.finish();
  RecordSummary summary;
  const auto records = read_all(file, &summary);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].given.size(), kGiven012);
  EXPECT_TRUE(records[1].argv.empty() && records[1].env.empty() && records[1].given.empty());
  EXPECT_EQ(records[1].env_digest, "");
}

TEST(RecordFile, LostRecordsAreSaid) {
  const MemoryFile file;
  RecordWriter writer(file.fd());
  writer.lose("first");
  writer.lose("second");
  writer.finish();
  writer.add(read_of("/late"));
  writer.finish();
  RecordSummary summary;
  EXPECT_TRUE(read_all(file, &summary).empty());
  EXPECT_FALSE(summary.complete);
  EXPECT_EQ(summary.reason, "first");
}

TEST(RecordFile, AFullDiskIsSaid) {
  const UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(full.valid());
  RecordWriter writer(full.get());
  writer.add(read_of("/a"));
  writer.finish();
  EXPECT_NE(writer.lost().find("could not be written"), std::string::npos) << writer.lost();
}

TEST(RecordFile, CutAnywhereIsNotComplete) {
  const std::string whole = sample();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const MemoryFile file(std::string_view(whole).substr(0, size));
    RecordSummary summary;
    read_all(file, &summary);
    EXPECT_FALSE(summary.complete) << size;
    EXPECT_NE(summary.reason, "") << size;
  }
}

TEST(RecordFile, AnyFlippedBitIsSeen) {
  const std::string whole = sample();
  for (std::size_t bit = std::size_t{8} * 8; bit < whole.size() * 8; ++bit) {  // after the header
    std::string bad = whole;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    const MemoryFile file(bad);
    RecordSummary summary;
    read_all(file, &summary);
    EXPECT_FALSE(summary.complete) << bit;
  }
}

class HandClock final : public Clock {
 public:
  std::int64_t wall = 5'000;
  std::int64_t wall_ms() const override { return wall; }
  std::int64_t monotonic_ns() const override { return 0; }
  std::int64_t boot_ms() const override { return 0; }
  std::string boot_id() const override { return "unknown"; }
  void sleep_ms(std::int64_t) override {}
};

TEST(RecordFile, KnowsWhenACallWasMade) {
  const MemoryFile file;
  HandClock clock;
  RecordWriter writer(file.fd(), &clock);
  writer.add(read_of("/a"));
  writer.add(read_of("/b"));
  clock.wall = 5'007;
  writer.add(read_of("/c"));
  Record late = read_of("/d");  // added after it was made, by a ring
  late.time_ms = 5'003;
  writer.add(late);
  writer.finish();
  RecordSummary summary;
  const std::vector<Record> records = read_all(file, &summary);
  ASSERT_TRUE(summary.complete) << summary.reason;
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0].time_ms, 5'000);
  EXPECT_EQ(records[1].time_ms, 5'000);
  EXPECT_EQ(records[2].time_ms, 5'007);
  EXPECT_EQ(records[3].time_ms, 5'003);
}

// Who opens a file again may look for something else in it.
TEST(RecordFile, OpensRepeatedAreToldOnceMore) {
  const MemoryFile file;
  RecordWriter writer(file.fd());
  for (int i = 0; i < 4; ++i) writer.add(read_of("/a"));
  Record look = read_of("/b");
  look.op = Op::kStat;
  for (int i = 0; i < 4; ++i) writer.add(look);
  Record write = read_of("/c");
  write.op = Op::kOpenWrite;
  writer.add(write);
  writer.add(read_of("/a"));
  writer.finish();
  RecordSummary summary;
  std::vector<std::string> told;
  for (const Record& record : read_all(file, &summary)) {
    told.push_back(record.path + (record.again ? " again" : ""));
  }
  EXPECT_TRUE(summary.complete) << summary.reason;
  EXPECT_EQ(told, (std::vector<std::string>{"/a", "/a again", "/b", "/c", "/a"}));
}

TEST(RecordFile, KeepsTheSettingsOfASearcher) {
  const MemoryFile file;
  RecordWriter writer(file.fd());
  Record exec = read_of("/usr/bin/grep");
  exec.op = Op::kExec;
  exec.argv = {"grep", "x"};
  exec.env_known = true;
  exec.env = {"LC_ALL=C", "HOME="};
  writer.add(exec);
  exec.env_known = false;
  writer.add(exec);
  writer.finish();
  RecordSummary summary;
  const std::vector<Record> records = read_all(file, &summary);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_TRUE(records[0].env_known);
  EXPECT_EQ(records[0].env, (std::vector<std::string>{"LC_ALL=C", "HOME="}));
  EXPECT_FALSE(records[1].env_known);
  EXPECT_TRUE(records[1].env.empty());
}

TEST(RecordFile, RandomBytesDoNoHarm) {
  const std::uint64_t seed = Random().next();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int round = 0; round < 200; ++round) {
    std::string bytes = sample().substr(0, 8);
    for (std::uint64_t i = random.below(300); i > 0; --i) {
      bytes.push_back(static_cast<char>(random.below(256)));
    }
    const MemoryFile file(bytes);
    RecordSummary summary;
    read_all(file, &summary);
    EXPECT_FALSE(summary.complete);
  }
}

TEST(RecordFile, RefusesAnotherVersionAndAnAbsentFile) {
  for (const int difference : {1, -2}) {
    std::string other = sample();
    other[7] = static_cast<char>(other[7] + difference);
    const MemoryFile file(other);
    const auto result = read_records(file.name(), [](const Record&) { FAIL(); });
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, Code::kNewer);
  }
  const auto absent = read_records("/nowhere/at/all", [](const Record&) {});
  ASSERT_FALSE(absent.has_value());
  EXPECT_EQ(absent.error().code, Code::kNotFound);
}

}  // namespace
}  // namespace gittxn::capture
