// What is recorded for calls that a shell does not make, by every back end. testing/helper.c makes
// them.
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/subprocess.h"
#include "capture/trace/testing/traced.h"

namespace gittxn::capture {
namespace {

using testing::make_spec;
using testing::TempDir;
using testing::Traced;

class Calls : public ::testing::TestWithParam<Backend> {
 protected:
  static void SetUpTestSuite() {
    shared_ = new TempDir();
    Command compile;
    compile.argv = {"cc",
                    "-O1",
                    "-pthread",
                    "-o",
                    *shared_ / "helper",
                    parent_dir(parent_dir(__FILE__)) + "/testing/helper.c"};
    compile.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
    const auto output = gittxn::run(compile);
    ASSERT_TRUE(output && output->exit.success()) << (output ? output->err : "no compiler");
  }
  static void TearDownTestSuite() {
    delete shared_;
    shared_ = nullptr;
  }

  void SetUp() override { SKIP_UNUSABLE(GetParam()); }

  Traced helper(const std::string& mode) {
    TraceSpec spec = make_spec(dir_, {*shared_ / "helper", mode});
    spec.backend = GetParam();
    const auto out = open_fd(dir_ / ".out", O_RDWR | O_CREAT | O_TRUNC);
    EXPECT_TRUE(out.has_value());
    spec.stdout_fd = out->get();
    Traced traced = testing::run(spec);
    EXPECT_TRUE(traced.result.has_value());
    EXPECT_EQ(traced.result ? traced.result->exit_status : -1, 0) << mode;
    EXPECT_TRUE(traced.summary.complete) << traced.summary.reason;
    output_ = read_file(dir_ / ".out").value_or("");
    return traced;
  }

  TempDir dir_;
  std::string output_;

 private:
  static TempDir* shared_;
};
TempDir* Calls::shared_ = nullptr;

INSTANTIATE_TEST_SUITE_P(Trace, Calls,
                         ::testing::Values(Backend::kBpf, Backend::kHybrid, Backend::kNotify,
                                           Backend::kPtrace),
                         [](const auto& p) { return std::string(backend_name(p.param)); });

TEST_P(Calls, AliasesOfTheProcessItselfAreReplaced) {
  const Traced traced = helper("aliases");
  std::size_t opens = 0;
  for (const Record& record : traced.records) {
    opens += record.op == Op::kOpenRead && record.path == dir_ / "aliased" ? 1 : 0;
  }
  EXPECT_GE(opens, 1u) << "also through /dev/fd";
  EXPECT_NE(traced.find(Op::kOpenRead, dir_ / "by-descriptor"), nullptr);
  EXPECT_NE(traced.find(Op::kOpenRead, dir_ / "by-cwd"), nullptr);
  EXPECT_NE(traced.find(Op::kOpenRead, "/nowhere"), nullptr);
  bool own_link = false;
  for (const Record& record : traced.records) {
    own_link = own_link || (record.op == Op::kReadlink && record.path.ends_with("/exe"));
    EXPECT_FALSE(record.path.starts_with("/proc/self/")) << record.path;
    EXPECT_FALSE(record.path.starts_with("/dev/fd/")) << record.path;
  }
  EXPECT_TRUE(own_link) << "the text of a link is its own subject";
}

TEST_P(Calls, ADirectoryThatMovesUnderAProcessIsFollowed) {
  const Traced traced = helper("moving");
  EXPECT_NE(traced.find(Op::kAccess, dir_ / "one/1"), nullptr);
  EXPECT_NE(traced.find(Op::kAccess, dir_ / "two/2"), nullptr);
  EXPECT_NE(traced.find(Op::kAccess, dir_ / "two/3"), nullptr);
  EXPECT_NE(traced.find(Op::kAccess, dir_ / "three/4"), nullptr);
  EXPECT_NE(traced.find(Op::kAccess, dir_ / "three/down/5"), nullptr);
  EXPECT_EQ(traced.find(Op::kOpenCreate, dir_ / "three/down/6"), nullptr);
  const Record* removed = traced.find(Op::kOpenCreate, dir_ / "three/down (deleted)/6");
  ASSERT_NE(removed, nullptr);
  EXPECT_EQ(removed->result, -ENOENT);
}

TEST_P(Calls, PathsBeyondPathMaxAreWhole) {
  const Traced traced = helper("deep");
  const std::string name(200, 'x');
  std::string deep = dir_.path();
  for (int i = 0; i < 22; ++i) deep += "/" + name;
  const Record* file = traced.find(Op::kOpenRead, deep + "/file");
  ASSERT_NE(file, nullptr);
  EXPECT_GT(file->path.size(), 4096u);
  EXPECT_EQ(file->result, 0);
  EXPECT_NE(file->ino, 0u) << "too long for the ring";
  const Record* absent = traced.find(Op::kOpenRead, deep + "/file-absent");
  ASSERT_NE(absent, nullptr);
  EXPECT_EQ(absent->result, -ENOENT);
}

TEST_P(Calls, ADirectoryDeeperThanPathMaxMakesTheTraceBlind) {
  EXPECT_GT(helper("too-deep").count(Op::kBlind), 0u);
}

TEST_P(Calls, SocketsAndFifosAreNamedAndNeverOpenedByUs) {
  const Traced traced = helper("odd");
  const Record* fifo = traced.find(Op::kOpenCreate, dir_ / "fifo");
  ASSERT_NE(fifo, nullptr);
  EXPECT_EQ(fifo->path2, "mknodat");
  EXPECT_EQ(fifo->mode, 0u);
  const Record* bound = traced.find(Op::kOpenCreate, dir_ / "sock");
  ASSERT_NE(bound, nullptr);
  EXPECT_EQ(bound->path2, "bind");
  EXPECT_NE(traced.find(Op::kConnect, "unix:" + (dir_ / "no-sock")), nullptr);
  EXPECT_NE(traced.find(Op::kConnect, "unix:@abstract"), nullptr);
  const Record* link = traced.find(Op::kSymlink, dir_ / "link");
  ASSERT_NE(link, nullptr);
  EXPECT_EQ(link->path2, "file");
  const Record* truncated = traced.find(Op::kOpenWrite, dir_ / "renamed");
  ASSERT_NE(truncated, nullptr);
  EXPECT_TRUE(truncated->flags & O_TRUNC);
  EXPECT_NE(traced.find(Op::kOpenReadWrite, dir_ / "renamed"), nullptr);
}

TEST_P(Calls, AProgramStartedByAThreadKeepsItsRecords) {
  const Traced traced = helper("thread-exec");
  const Record* cat = traced.find(Op::kExec, "/bin/cat");
  ASSERT_NE(cat, nullptr);
  EXPECT_EQ(cat->argv, (std::vector<std::string>{"cat", "from-thread"}));
  const Record* read = traced.find(Op::kOpenRead, dir_ / "from-thread");
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->pid, cat->pid);
  EXPECT_EQ(traced.count(Op::kFork), 1u) << "a thread is no process";
}

TEST_P(Calls, ThreadsLoseNothing) {
  for (int t = 0; t < 4; ++t) {
    for (int i = 0; i < 50; ++i) {
      const std::string name = "thread-" + std::to_string(t) + "-" + std::to_string(i);
      ASSERT_TRUE(write_file(dir_ / name, "x", Sync::kNo));
    }
  }
  const Traced traced = helper("threads");
  for (int t = 0; t < 4; ++t) {
    for (int i = 0; i < 50; ++i) {
      const std::string name = "thread-" + std::to_string(t) + "-" + std::to_string(i);
      EXPECT_NE(traced.find(Op::kOpenRead, dir_ / name), nullptr) << name;
    }
  }
}

TEST_P(Calls, SignalsNeitherDoubleNorLoseACall) {
  const Traced traced = helper("signals");
  std::size_t made = 0;
  for (const Record& record : traced.records) {
    made += record.op == Op::kOpenCreate && record.result == 0 &&
                    record.path.starts_with(dir_ / "signal-")
                ? 1
                : 0;
  }
  EXPECT_EQ(made, 1000u);
}

TEST_P(Calls, IoUringIsRefusedOrItsPathsMakeTheTraceBlind) {
  const Traced traced = helper("uring");
  if (GetParam() != Backend::kBpf) {
    EXPECT_EQ(output_, "refused\n");
    return;
  }
  if (output_ == "refused\n") GTEST_SKIP() << "this kernel has no io_uring for us";
  EXPECT_EQ(output_, "-2\n") << "it looked for a file that is not there";
  EXPECT_EQ(traced.count(Op::kBlind), 1u) << "the no-op before it hides nothing";
}

TEST_P(Calls, AListenerOfItsOwnIsSaid) {
  const Traced traced = helper("listener");
  const bool has_room = GetParam() == Backend::kBpf;  // it has no filter itself
  EXPECT_EQ(output_, has_room ? "listens\n" : "busy\n");
  EXPECT_EQ(traced.count(Op::kNote), has_room ? 0u : 1u);
}

TEST_P(Calls, A32BitCallMakesTheTraceBlind) {
  const Traced traced = helper("compat");
  if (output_.empty()) GTEST_SKIP() << "this kernel has no 32-bit calls";
  EXPECT_GE(std::stol(output_), 0) << "and it works";
  ASSERT_EQ(traced.count(Op::kBlind), 1u);
}

TEST_P(Calls, ArgumentsThatAreNotInMemoryYet) {
  const Traced traced = helper("cold");
  EXPECT_NE(traced.find(Op::kAccess, dir_ / "a"), nullptr);
  const Record* absent = traced.find(Op::kOpenRead, dir_ / "cold-absent");
  ASSERT_NE(absent, nullptr);
  EXPECT_EQ(absent->result, -ENOENT);
  const Record* renamed = traced.find(Op::kRename, dir_ / "a");
  ASSERT_NE(renamed, nullptr);
  EXPECT_EQ(renamed->path2, dir_ / "b");
  const Record* link = traced.find(Op::kSymlink, dir_ / "link");
  ASSERT_NE(link, nullptr);
  EXPECT_EQ(link->path2, "text");
  EXPECT_NE(traced.find(Op::kOpenRead, dir_ / "b"), nullptr) << "through /proc/self/cwd";
  EXPECT_NE(traced.find(Op::kOpenCreate, dir_ / "sub/made"), nullptr);
  EXPECT_NE(traced.find(Op::kConnect, "unix:" + (dir_ / "cold-socket")), nullptr);
  const Record* program = traced.find(Op::kExec, "/bin/true");
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(program->argv, (std::vector<std::string>{"true", "first word"}));
  EXPECT_EQ(traced.count(Op::kBlind), 0u) << "a bad address is seen by nobody";
}

TEST_P(Calls, ProcessesThatAreNotBelowTheirMaker) {
  const Traced traced = helper("orphans");
  for (const char* name : {"by-sibling", "by-orphan"}) {
    const Record* read = traced.find(Op::kOpenRead, dir_ / name);
    ASSERT_NE(read, nullptr) << name;
    bool known = false;
    for (const Record& record : traced.records) {
      if (record.seq < read->seq)
        known = known || (record.op == Op::kFork && record.pid == read->pid);
    }
    EXPECT_TRUE(known) << name;
  }
}

TEST_P(Calls, AProcessThatHidesItsMemoryIsSeenByRootAndElseMakesTheTraceBlind) {
  const Traced traced = helper("undumpable");
  const bool seen = traced.find(Op::kOpenRead, dir_ / "hidden") != nullptr;
  EXPECT_TRUE(seen || traced.count(Op::kBlind) > 0);
  EXPECT_TRUE(seen || ::geteuid() != 0);
}

}  // namespace
}  // namespace gittxn::capture
