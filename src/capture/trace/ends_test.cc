// Tests of how every back end records the end of processes. testing/ends.c ends them.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <map>
#include <optional>
#include <set>

#include "base/bug.h"
#include "base/subprocess.h"
#include "capture/trace/decode/tracee.h"
#include "capture/trace/testing/traced.h"

namespace gittxn::capture {
namespace {

using testing::make_spec;
using testing::TempDir;
using testing::Traced;

class Ends : public ::testing::TestWithParam<Backend> {
 protected:
  static void SetUpTestSuite() {
    shared_ = new TempDir();
    for (const bool is_static : {false, true}) {
      Command compile;
      compile.argv = {"cc",
                      "-O1",
                      "-pthread",
                      "-o",
                      program(is_static),
                      parent_dir(__FILE__) + "/testing/ends.c"};
      if (is_static) compile.argv.emplace_back("-static");
      compile.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
      const auto output = gittxn::run(compile);
      ASSERT_TRUE(output && output->exit.success()) << (output ? output->err : "no compiler");
    }
  }
  static void TearDownTestSuite() {
    delete shared_;
    shared_ = nullptr;
  }
  static std::string program(bool is_static) {
    return *shared_ / (is_static ? "ends-static" : "ends");
  }
  void SetUp() override { SKIP_UNUSABLE(GetParam()); }

  bool waits() const {  // for every process, or sees the kernel do it
    return GetParam() == Backend::kBpf || GetParam() == Backend::kPtrace;
  }
  Traced run(std::vector<std::string> argv) {
    TraceSpec spec = make_spec(dir_, std::move(argv));
    spec.backend = GetParam();
    Traced traced = testing::run(spec);
    EXPECT_TRUE(traced.result && traced.result->exit_status == 0);
    EXPECT_TRUE(traced.summary.complete) << traced.summary.reason;
    return traced;
  }
  // The last that was recorded of the end of the process which looked for "end-NAME".
  std::optional<Record> end_of(const Traced& traced, const std::string& name) const {
    const Record* look = traced.find(Op::kAccess, dir_ / ("end-" + name));
    EXPECT_NE(look, nullptr) << name;
    std::optional<Record> end;
    for (const Record& record : traced.records) {
      if (look != nullptr && record.op == Op::kExit && record.pid == look->pid) end = record;
    }
    return end;
  }

  TempDir dir_;

 private:
  static TempDir* shared_;
};
TempDir* Ends::shared_ = nullptr;

INSTANTIATE_TEST_SUITE_P(Trace, Ends,
                         ::testing::Values(Backend::kBpf, Backend::kHybrid, Backend::kNotify,
                                           Backend::kPtrace),
                         [](const auto& p) { return std::string(backend_name(p.param)); });

struct Expected {
  const char* name;
  int status;
  int signal = 0;
  // A back end that does not wait for it is told nothing.
  bool said = true;
};
constexpr Expected kExpected[] = {
    {"code", 7},
    {"wide", 300 & 0xff},
    {"thread", 9},
    {"beside", 10},
    {"one-by-one", 5, 0, false},
    {"signal", 128 + SIGTERM, SIGTERM, false},
    {"fault", 128 + SIGSEGV, SIGSEGV, false},
    {"program", 6},
    {"no-program", 127},
    {"handler", 12},
    {"call", 13},
    {"quick", 14},
    {"vfork", 3},
    {"ignored", 7},
    {"ignoring", 0},
    {"orphan", 128 + SIGKILL, SIGKILL},
};

TEST_P(Ends, AreRecordedWithTheirStatusOrNotAtAll) {
  for (const bool is_static : {false, true}) {
    const Traced traced = run({program(is_static)});
    for (const Expected& expected : kExpected) {
      SCOPED_TRACE(std::string(expected.name) + (is_static ? ", static" : ""));
      const std::optional<Record> end = end_of(traced, expected.name);
      ASSERT_EQ(end.has_value(), expected.said || waits());
      if (!end) continue;
      EXPECT_FALSE(unknown_result(*end));
      EXPECT_EQ(end->result, expected.status);
      EXPECT_EQ(end->flags, static_cast<std::uint32_t>(expected.signal));
      EXPECT_EQ(end->assumed, !waits() && expected.signal == 0) << "else it is the kernel's own";
    }
  }
}

// libc starts the child before its parent has looked for anything itself.
TEST_P(Ends, AChildInItsParentsMemoryIsNotItsParent) {
  const auto right = [this] {
    const Traced traced = run({program(false)});
    const Record* exec = traced.find(Op::kExec, program(false));
    const Record* child = traced.find(Op::kOpenRead, dir_ / "end-spawned");
    if (exec == nullptr || child == nullptr || child->pid == exec->pid) return false;
    std::optional<Record> end;
    for (const Record& record : traced.records) {
      if (record.path == dir_ / "by-the-spawner" && record.pid != exec->pid) return false;
      if (record.op == Op::kExit && record.pid == child->pid) end = record;
    }
    return end && !unknown_result(*end) && end->result == 127 &&
           traced.find(Op::kAccess, dir_ / "by-the-spawner") != nullptr;
  };
  EXPECT_TRUE(right());
#ifdef GIT_TXN_BUGS
  if (GetParam() != Backend::kHybrid) return;
  arm_bug("preload.number_of_a_child");
  EXPECT_FALSE(right()) << "the bug is noticed above";
  arm_bug("");
#endif
}

// Two threads end the process: the kernel believes one, and nobody else knows which.
TEST_P(Ends, OfTwoWordsTheRightOneIsRecordedOrNone) {
  const Traced traced = run({program(false), "together"});
  std::map<pid_t, Record> ends;
  int seen = 0;
  for (const Record& record : traced.records) {
    if (record.op == Op::kExit) ends.insert_or_assign(record.pid, record);
    const std::string name(base_name(record.path));
    if (!name.starts_with("was-")) continue;
    ++seen;
    const std::size_t dash = name.rfind('-');
    const pid_t pid = std::stoi(name.substr(4, dash - 4));
    const int status = std::stoi(name.substr(dash + 1));
    ASSERT_TRUE(ends.contains(pid)) << name;
    EXPECT_TRUE(unknown_result(ends[pid]) || ends[pid].result == status) << name;
    EXPECT_TRUE(!waits() || !unknown_result(ends[pid])) << name;
  }
  EXPECT_EQ(seen, 100);
}

TEST_P(Ends, TheCommandHasTheKernelsOwn) {
  for (const char* script : {"exit 3", "kill -KILL $$"}) {
    TraceSpec spec = make_spec(dir_, {"/bin/sh", "-c", script});
    spec.backend = GetParam();
    const Traced traced = testing::run(spec);
    ASSERT_TRUE(traced.result);
    const Record* shell = traced.find(Op::kExec, "/bin/sh");
    ASSERT_NE(shell, nullptr);
    ASSERT_EQ(traced.records.back().op, Op::kExit) << "and it is the last that is known of it";
    EXPECT_EQ(traced.records.back().pid, shell->pid);
    EXPECT_EQ(traced.records.back().result, traced.result->exit_status);
    EXPECT_FALSE(traced.records.back().assumed);
  }
}

TEST_P(Ends, ComeAfterTheLastLook) {
  const Traced traced = run(
      {"/bin/sh", "-c", "for i in 1 2 3 4 5 6 7 8; do ls -d . absent 2>/dev/null; done; exit 0"});
  std::set<std::int32_t> over;
  for (const Record& record : traced.records) {
    if (record.op == Op::kFork) over.erase(record.pid);
    EXPECT_TRUE(record.op == Op::kExit || !over.contains(record.pid)) << record.path;
    if (record.op == Op::kExit) over.insert(record.pid);
  }
  EXPECT_EQ(over.size(), 9u);
}

#ifdef GIT_TXN_BUGS
TEST_P(Ends, AStatusOfAnotherProcessWouldBeNoticed) {
  if (waits()) GTEST_SKIP() << "the kernel says whose it is";
  arm_bug("trace.status_of_the_parent");
  const Traced traced = run({program(false)});
  arm_bug("");
  const std::optional<Record> end = end_of(traced, "code");
  EXPECT_FALSE(end && end->result == 7);
}
#endif

TEST(EndsOfAFamily, TwoWordsOfOneProcessAreNone) {
  Family family(::getppid());
  std::vector<Record> news;
  EXPECT_TRUE(family.is_new(::getpid()));
  EXPECT_FALSE(family.knows(::getpid()));
  family.of(::getpid(), &news);
  EXPECT_FALSE(family.is_new(::getpid()));
  EXPECT_TRUE(family.knows(::getpid()));
  EXPECT_TRUE(family.ends(::getpid(), 3));
  EXPECT_TRUE(family.ends(::getpid(), 3));
  EXPECT_FALSE(family.ends(::getpid(), 4));
}

}  // namespace
}  // namespace gittxn::capture
