// What is special to the eBPF back end: losses are counted, nothing is left in the ring, nobody
// loses a bit; and its two pure halves, which need no rights.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/bug.h"
#include "capture/trace/bpf/event.h"
#include "capture/trace/bpf/join.h"
#include "capture/trace/decode/calls.h"
#include "capture/trace/testing/traced.h"

namespace gittxn::capture {
namespace {

using testing::make_spec;
using testing::run;
using testing::TempDir;
using testing::Traced;

class Bpf : public ::testing::Test {
 protected:
  void SetUp() override { SKIP_UNUSABLE(Backend::kBpf); }
  TraceSpec shell(const std::string& script) {
    TraceSpec spec = make_spec(dir_, {"/bin/sh", "-c", script});
    spec.backend = Backend::kBpf;
    return spec;
  }
  TempDir dir_;
};

TEST_F(Bpf, IsUsableHere) {
  const Traced traced = run(shell("true"));
  ASSERT_TRUE(traced.result);
  EXPECT_EQ(traced.result->used, Backend::kBpf);
}

TEST_F(Bpf, AFullRingIsSaidWithTheCount) {
  TraceSpec spec = shell("i=0; while [ $i -lt 2000 ]; do [ -e absent-$i ]; i=$((i+1)); done");
  spec.ring_bytes = 4096;
  const Traced traced = run(spec);
  ASSERT_TRUE(traced.result);
  EXPECT_EQ(traced.result->exit_status, 0);
  EXPECT_FALSE(traced.summary.complete);
  EXPECT_GT(std::stoul(traced.summary.reason), 0u) << traced.summary.reason;
  EXPECT_NE(traced.summary.reason.find("events of the trace were lost"), std::string::npos);
}

TEST_F(Bpf, TheLastCallsOfACommandAreNotLeftInTheRing) {
  const Traced traced =
      run(shell("i=0; while [ $i -lt 3000 ]; do [ -e absent-$i ]; i=$((i+1)); done"));
  ASSERT_TRUE(traced.result);
  EXPECT_TRUE(traced.summary.complete) << traced.summary.reason;
  for (int i = 0; i < 3000; ++i) {
    const std::string name = "absent-" + std::to_string(i);
    ASSERT_NE(traced.find(Op::kStat, dir_ / name), nullptr) << name;
  }
}

#ifdef GIT_TXN_BUGS
TEST_F(Bpf, ARingThatIsNotEmptiedWouldBeNoticed) {
  arm_bug("trace.bpf_ring_left");
  const Traced traced = run(shell("[ -e absent ]; exit 0"));
  arm_bug("");
  ASSERT_TRUE(traced.result);
  EXPECT_EQ(traced.find(Op::kStat, dir_ / "absent"), nullptr);
}
#endif

TEST_F(Bpf, ASetuidProgramKeepsItsBit) {
  struct statvfs info{};
  if (::geteuid() != 0 || ::statvfs(dir_.path().c_str(), &info) != 0 ||
      (info.f_flag & ST_NOSUID) != 0) {
    GTEST_SKIP() << "needs root and a file system that honours setuid";
  }
  ASSERT_EQ(::chmod(dir_.path().c_str(), 0755), 0);
  ASSERT_TRUE(run(shell("cp /usr/bin/id id; chmod 4755 id;"
                        "setpriv --reuid 65534 --clear-groups ./id -u > out"))
                  .result);
  EXPECT_EQ(read_file(dir_ / "out").value_or(""), "0\n");
}

TEST_F(Bpf, AnEnvironmentBeyondTheBoundIsUnknownAndNothingElseIs) {
  TraceSpec spec = shell("echo a > f; grep a f");
  for (int i = 0; i < 12; ++i) spec.env["A" + std::to_string(i)] = std::string(100'000, 'x');
  const Traced traced = run(spec);
  ASSERT_TRUE(traced.result);
  EXPECT_TRUE(traced.summary.complete) << traced.summary.reason;
  EXPECT_EQ(traced.count(Op::kBlind), 0u);
  const Record* grep = traced.find(Op::kExec, "/usr/bin/grep");
  ASSERT_NE(grep, nullptr);
  EXPECT_EQ(grep->argv.size(), 3u);
  EXPECT_EQ(grep->path2, dir_.path());
  EXPECT_FALSE(grep->env_known);
  EXPECT_TRUE(grep->env.empty());
}

TEST_F(Bpf, OthersAreNotRecorded) {
  TempDir elsewhere;
  const std::string marker = elsewhere / "not-of-the-tree";
  TraceSpec spec = shell("while [ ! -e go ]; do :; done");
  spec.interrupted = [&] {
    (void)::access(marker.c_str(), F_OK);
    EXPECT_TRUE(write_file(dir_ / "go", "", Sync::kNo));
    return false;
  };
  const Traced traced = run(spec);
  ASSERT_TRUE(traced.result);
  EXPECT_EQ(traced.find(Op::kAccess, marker), nullptr);
  EXPECT_NE(traced.find(Op::kStat, dir_ / "go"), nullptr);
}

TEST_F(Bpf, TwoRunsAtOnceSeeTheirOwn) {
  TempDir other;
  TraceSpec outer = shell("while [ ! -e go ]; do :; done; cat mine");
  outer.interrupted = [&] {
    if (exists(dir_ / "go").value_or(true)) return false;
    TraceSpec inner = make_spec(other, {"/bin/sh", "-c", "cat theirs; exit 0"});
    inner.backend = Backend::kBpf;
    const Traced traced = run(inner);
    EXPECT_NE(traced.find(Op::kOpenRead, other / "theirs"), nullptr);
    EXPECT_EQ(traced.find(Op::kStat, dir_ / "go"), nullptr);
    EXPECT_TRUE(write_file(dir_ / "go", "", Sync::kNo));
    return false;
  };
  const Traced traced = run(outer);
  ASSERT_TRUE(traced.result);
  EXPECT_NE(traced.find(Op::kOpenRead, dir_ / "mine"), nullptr);
  EXPECT_EQ(traced.find(Op::kOpenRead, other / "theirs"), nullptr);
}

TEST(BpfSettings, EveryCallIsRead) {
  const BpfSettings settings = bpf_settings();
  for (const Call& call : all_calls()) {
    const BpfCall& row = settings.calls[call.number];
    if (call.shape == Shape::kListener || call.shape == Shape::kUnshare ||
        call.shape == Shape::kEnd) {
      EXPECT_EQ(row.flags & kBpfNative, 0) << call.name;
      continue;
    }
    EXPECT_NE(row.flags & kBpfNative, 0) << call.name;
    const bool address = call.shape == Shape::kAddress || call.shape == Shape::kMessage;
    EXPECT_EQ(address ? row.bytes : row.text, call.path + 1) << call.name;
    EXPECT_EQ(row.text2, call.path2 + 1) << call.name;
    for (const int position : {+row.text, +row.dir, +row.text2, +row.dir2, +row.bytes}) {
      EXPECT_LE(position, 6) << call.name;
    }
  }
  EXPECT_EQ(settings.calls[SYS_newfstatat].buffer, 3);
  EXPECT_EQ(settings.calls[SYS_statx].buffer, 5);
  for (const std::uint32_t number : compat_calls()) {
    EXPECT_NE(settings.calls[number].flags & kBpfCompat, 0) << number;
  }
  EXPECT_EQ(settings.calls[SYS_read].flags & kBpfNative, 0);
  EXPECT_NE(settings.uring_paths & (1u << 18), 0u) << "openat";
}

// Events as the kernel would send them.
class Join : public ::testing::Test {
 protected:
  struct Part {
    BpfPartType type;
    std::string bytes;
    int argument = 0;
    BpfPartState state = kBpfGood;
    int descriptor = AT_FDCWD;
    int cut = 0;
    __u32 place = 0;
  };
  static std::string event(BpfEvent head, const std::vector<Part>& parts) {
    std::string data;
    for (const Part& part : parts) {
      BpfPart& out = head.parts[head.parts_used++];
      out.type = static_cast<__u8>(part.type);
      out.state = static_cast<__u8>(part.state);
      out.argument = static_cast<__u8>(part.argument);
      out.size = static_cast<__u16>(part.bytes.size());
      out.cut = static_cast<__u16>(part.cut);
      out.place = part.place;
      out.descriptor = part.descriptor;
      if (part.type == kBpfDirectory) out.flags = kBpfIsDirectory;
      data += part.bytes;
    }
    return std::string(reinterpret_cast<const char*>(&head), sizeof head) + data;
  }
  static BpfEvent head(BpfEventType type, long number = 0) {
    BpfEvent out{};
    out.type = static_cast<__u8>(type);
    out.number = static_cast<__u16>(number);
    out.process = 7;
    out.thread = 8;
    return out;
  }
  void enter_open(const std::vector<Part>& parts) {
    BpfEvent open = head(kBpfEnter, SYS_openat);
    open.args[0] = static_cast<__u64>(AT_FDCWD);
    open.args[1] = 0x1000;
    join_.take(event(open, parts));
  }
  void leave(std::int64_t result, const std::vector<Part>& parts = {}) {
    BpfEvent back = head(kBpfReturn, SYS_openat);
    back.out.result = result;
    join_.take(event(back, parts));
  }
  static std::string text(const char* words) { return std::string(words) + '\0'; }
  void tell(__u32 number, const std::string& names, BpfPartState state = kBpfGood) {
    BpfEvent place = head(kBpfPlace);
    place.out.place = number;
    join_.take(event(place, {{kBpfDirectory, names, 0, state}}));
  }
  void SetUp() override { tell(3, std::string("deep\0place\0", 11)); }
  const Part cwd_{kBpfDirectory, "", 0, kBpfGood, AT_FDCWD, 0, 3};

  std::vector<Record> seen_;
  BpfJoin join_{[this](Record record) { seen_.push_back(std::move(record)); }};
};

TEST_F(Join, EntryAndReturnAreOneRecord) {
  enter_open({{kBpfText, text("a.txt"), 1}, cwd_});
  EXPECT_TRUE(seen_.empty());
  leave(-ENOENT);
  ASSERT_EQ(seen_.size(), 1u);
  EXPECT_EQ(seen_[0].path, "/place/deep/a.txt");
  EXPECT_EQ(seen_[0].result, -ENOENT);
  EXPECT_EQ(seen_[0].pid, 7);
  EXPECT_FALSE(seen_[0].assumed);
  leave(0);
  EXPECT_EQ(seen_.size(), 1u) << "a return alone says nothing";
}

TEST_F(Join, ACallThatWillBeMadeAgainIsNone) {
  enter_open({{kBpfText, text("/a"), 1}});
  leave(-512);
  EXPECT_TRUE(seen_.empty());
}

TEST_F(Join, WhatWasNotInMemoryIsReadAtTheReturn) {
  enter_open({{kBpfText, "", 1, kBpfFault}, cwd_});
  leave(3, {{kBpfText, text("late"), 1}});
  ASSERT_EQ(seen_.size(), 1u);
  EXPECT_EQ(seen_[0].path, "/place/deep/late");
}

TEST_F(Join, WhatCouldNeverBeReadIsNothingOrUnknown) {
  enter_open({{kBpfText, "", 1, kBpfFault}, cwd_});
  leave(-EFAULT, {{kBpfText, "", 1, kBpfFault}});
  EXPECT_TRUE(seen_.empty());
  enter_open({{kBpfText, "", 1, kBpfFault}, cwd_});
  leave(3, {{kBpfText, "", 1, kBpfFault}});
  ASSERT_EQ(seen_.size(), 1u);
  EXPECT_EQ(seen_[0].op, Op::kBlind);
}

TEST_F(Join, ADirectoryWithoutAPathIsUnknown) {
  tell(4, "", kBpfDetached);
  for (const __u32 number : {4u, 5u, 0u, 3u + 2 * kBpfPlacesUsed}) {
    Part directory = cwd_;
    directory.place = number;
    enter_open({{kBpfText, text("a"), 1}, directory});
    leave(3);
    EXPECT_EQ(seen_.back().op, Op::kBlind) << number;
  }
  enter_open({{kBpfText, text("b"), 1}});  // nobody looked
  leave(3);
  ASSERT_EQ(seen_.size(), 5u);
  EXPECT_EQ(seen_[4].op, Op::kBlind);
}

TEST_F(Join, AnAliasIsWhatItLedToAtTheCall) {
  tell(9, std::string("src\0repo\0", 9));
  Part alias{kBpfAlias, "", 1};
  alias.place = 9;
  alias.descriptor = 5;
  alias.cut = static_cast<int>(std::strlen("/proc/self/fd/5"));
  enter_open({{kBpfText, text("/proc/self/fd/5/x.c"), 1}, alias});
  leave(3);
  ASSERT_EQ(seen_.size(), 1u);
  EXPECT_EQ(seen_[0].path, "/repo/src/x.c");
}

TEST_F(Join, OfAnEnvironmentOnlySettingsAreKept) {
  const auto execute = [this](const std::vector<Part>& environment) {
    seen_.clear();
    join_.take(event(head(kBpfArguments), {{kBpfBytes, text("grep") + text("x")}}));
    for (const Part& part : environment) join_.take(event(head(kBpfEnvironment), {part}));
    BpfEvent exec = head(kBpfExec);
    exec.out.former = exec.thread;
    join_.take(event(exec, {{kBpfText, text("/bin/grep")}, {kBpfText, text("/bin/grep")}, cwd_}));
    return seen_.size() == 1 ? seen_[0] : Record();
  };
  Part first{kBpfBytes, text("A_KEY=secret") + "LC_A"};
  first.cut = 1;
  Record grep = execute({first, {kBpfBytes, text("LL=C") + text("HOMELY=1") + text("HOME")}});
  EXPECT_TRUE(grep.env_known);
  EXPECT_EQ(grep.env, (std::vector<std::string>{"LC_ALL=C", "HOME"}));
  EXPECT_EQ(grep.path2, "/place/deep");
  EXPECT_EQ(grep.argv, (std::vector<std::string>{"grep", "x"}));
  EXPECT_TRUE(execute({}).env_known) << "there was none";
  for (const Record& record :
       {execute({first}), execute({{kBpfBytes, "", 0, kBpfFault}}),
        execute({{kBpfBytes, text(("LC_ALL=" + std::string(5000, 'x')).c_str())}})}) {
    EXPECT_EQ(record.op, Op::kExec);
    EXPECT_FALSE(record.env_known);
    EXPECT_TRUE(record.env.empty());
  }
}

TEST_F(Join, TellsWhereDescriptorsLead) {
  std::array<BpfGiven, kGiven012> files{};
  files[0] = {
      .inode = 5, .at = 2, .mode = S_IFREG | 0644, .open_flags = O_RDWR, .minor = 9, .place = 3};
  files[2] = {.inode = 6, .mode = S_IFCHR | 0666, .device_major = 1, .device_minor = 3};
  const auto execute = [&](std::size_t size) {
    const std::string bytes(reinterpret_cast<const char*>(files.data()), size);
    join_.take(event(head(kBpfGiven), {{kBpfBytes, bytes}}));
    BpfEvent exec = head(kBpfExec);
    exec.out.former = exec.thread;
    join_.take(event(exec, {{kBpfText, text("/bin/cat")}, {kBpfText, text("/bin/cat")}, cwd_}));
    return seen_.back().given;
  };
  const std::vector<Given> given = execute(sizeof files);
  ASSERT_EQ(given.size(), kGiven012);
  EXPECT_EQ(given[0], (Given{.kind = Given::Kind::kFile,
                             .dev = 9,
                             .ino = 5,
                             .path = "/place/deep",
                             .at = 2,
                             .flags = O_RDWR}));
  EXPECT_EQ(given[1], Given{.kind = Given::Kind::kClosed});
  EXPECT_EQ(given[2].kind, Given::Kind::kNull);
  EXPECT_TRUE(execute(sizeof files - 1).empty());
  files[0].place = 99;  // never told
  EXPECT_EQ(execute(sizeof files)[0], Given{});
}

TEST_F(Join, DamagedEventsAreUnknownAndDoNoHarm) {
  std::string good = event(head(kBpfEnter, SYS_openat), {{kBpfText, text("/a"), 1}});
  for (std::size_t size = 0; size < good.size(); ++size) {
    seen_.clear();
    join_.take(std::string_view(good).substr(0, size));
    ASSERT_EQ(seen_.size(), 1u) << size;
    EXPECT_EQ(seen_[0].op, Op::kBlind);
  }
  BpfEvent unknown = head(kBpfEnter);
  unknown.type = 99;
  join_.take(event(unknown, {}));
  EXPECT_EQ(seen_.back().op, Op::kBlind);
  join_.take(event(head(kBpfExec), {}));
  EXPECT_EQ(seen_.back().op, Op::kBlind);
}

}  // namespace
}  // namespace gittxn::capture
