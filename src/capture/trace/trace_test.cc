// What both back ends record, and how a run begins and ends.
#include "capture/trace/trace.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/trace/testing/traced.h"

namespace gittxn::capture {
namespace {

using testing::make_spec;
using testing::run;
using testing::run_shell;
using testing::TempDir;
using testing::Traced;

class EachBackend : public ::testing::TestWithParam<Backend> {};
class EachTracer : public ::testing::TestWithParam<Backend> {};
INSTANTIATE_TEST_SUITE_P(Trace, EachBackend,
                         ::testing::Values(Backend::kOff, Backend::kNotify, Backend::kPtrace),
                         [](const auto& p) { return std::string(backend_name(p.param)); });
INSTANTIATE_TEST_SUITE_P(Trace, EachTracer, ::testing::Values(Backend::kNotify, Backend::kPtrace),
                         [](const auto& p) { return std::string(backend_name(p.param)); });

TEST_P(EachBackend, GivesTheExitStatus) {
  const TempDir dir;
  const Traced exited = run_shell(dir, GetParam(), "exit 3");
  ASSERT_TRUE(exited.result) << exited.result.error().message;
  EXPECT_EQ(exited.result->exit_status, 3);
  EXPECT_EQ(exited.result->used, GetParam());
  const Traced killed = run_shell(dir, GetParam(), "kill -TERM $$");
  ASSERT_TRUE(killed.result);
  EXPECT_EQ(killed.result->exit_status, 128 + SIGTERM);
  EXPECT_EQ(killed.summary.complete, GetParam() != Backend::kOff);
}

TEST_P(EachTracer, RecordsReadsWritesAndAbsence) {
  const TempDir dir;
  ASSERT_TRUE(write_file(dir / "there", "x", Sync::kNo));
  const Traced traced =
      run_shell(dir, GetParam(), "cat there; cat missing 2>/dev/null; echo y > made; exit 0");
  ASSERT_TRUE(traced.result) << traced.result.error().message;
  EXPECT_EQ(traced.result->lost, "");
  EXPECT_TRUE(traced.summary.complete) << traced.summary.reason;
  const Record* there = traced.find(Op::kOpenRead, dir / "there");
  ASSERT_NE(there, nullptr);
  EXPECT_EQ(there->result, 0);
  EXPECT_TRUE(S_ISREG(there->mode));
  EXPECT_NE(there->ino, 0u);
  EXPECT_EQ(there->assumed, GetParam() == Backend::kNotify);
  const Record* missing = traced.find(Op::kOpenRead, dir / "missing");
  ASSERT_NE(missing, nullptr);
  EXPECT_EQ(missing->result, -ENOENT);
  const Record* made = traced.find(Op::kOpenCreate, dir / "made");
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->result, 0);
  EXPECT_EQ(made->mode, 0u) << "it was not there before";
  EXPECT_TRUE(made->flags & O_TRUNC);
}

TEST(Probe, SaysWhatWorksHere) {
  const std::vector<Capability> found = probe_backends();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].backend, Backend::kNotify);
  EXPECT_TRUE(found[0].usable) << found[0].detail;
  EXPECT_TRUE(found[1].usable) << found[1].detail;
}

}  // namespace
}  // namespace gittxn::capture
