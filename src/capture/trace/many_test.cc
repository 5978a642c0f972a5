// Much at once: a walk over 100,000 files and 4,000 processes are seen whole by the back ends
// whose programs do not wait for them, so that there is something to overflow; where each call
// waits for its record, and under a sanitizer, a tenth of both.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>

#include "base/fs.h"
#include "base/testing/campaign.h"
#include "capture/trace/testing/traced.h"

namespace gittxn::capture {
namespace {

using testing::make_spec;
using testing::TempDir;
using testing::Traced;

constexpr std::size_t kDirectories = gittxn::testing::kSanitized ? 100 : 1000;
constexpr std::size_t kFiles = 100;      // in each
constexpr std::size_t kFewerTimes = 10;  // where calls wait

class Many : public ::testing::TestWithParam<Backend> {
 protected:
  void SetUp() override { SKIP_UNUSABLE(GetParam()); }
  static void TearDownTestSuite() { tree_.reset(); }

  // Returns the part of `whole` that the back end is tested with.
  static std::size_t share_of(std::size_t whole) {
    const bool waits = GetParam() == Backend::kNotify || GetParam() == Backend::kPtrace;
    return waits && !gittxn::testing::kSanitized ? whole / kFewerTimes : whole;
  }
  // Made once, by the first test that walks.
  static const TempDir& tree() {
    if (tree_ != nullptr) return *tree_;
    tree_ = std::make_unique<TempDir>();
    for (std::size_t d = 0; d < kDirectories; ++d) {
      const std::string directory = *tree_ / ("d" + std::to_string(d));
      EXPECT_TRUE(make_dirs(directory));
      const std::string first = directory + "/f0";
      EXPECT_TRUE(open_fd(first, O_WRONLY | O_CREAT | O_EXCL)) << first;
      // Names of one file: ext4 looks at every inode that was freed in the last minutes before it
      // makes another, so that a hundred thousand of the run before would cost a minute.
      for (std::size_t f = 1; f < kFiles; ++f) {
        const std::string name = directory + "/f" + std::to_string(f);
        EXPECT_EQ(::link(first.c_str(), name.c_str()), 0) << name;
      }
    }
    return *tree_;
  }
  // Which of the tree's files: dD/fF, however the walker names the top.
  static std::size_t number_of(const std::string& path) {
    const std::size_t f = path.rfind("/f");
    const std::size_t d = f == path.npos ? f : path.rfind("/d", f - 1);
    if (d == path.npos) return kDirectories * kFiles;
    return std::strtoul(path.c_str() + d + 2, nullptr, 10) * kFiles +
           std::strtoul(path.c_str() + f + 2, nullptr, 10);
  }
  // How many of the files `op` was done to, with success.
  static std::size_t files(const Traced& traced, Op op) {
    std::vector<bool> seen(kDirectories * kFiles + 1);
    for (const Record& record : traced.records) {
      if (record.op == op && record.result >= 0) seen.at(number_of(record.path)) = true;
    }
    seen.pop_back();
    return static_cast<std::size_t>(std::ranges::count(seen, true));
  }
  Traced run(const TempDir& dir, std::vector<std::string> argv) {
    TraceSpec spec = make_spec(dir, std::move(argv));
    spec.backend = GetParam();
    const UniqueFd null = std::move(open_fd("/dev/null", O_WRONLY).value());
    spec.stdout_fd = null.get();
    Traced traced = testing::run(spec);
    EXPECT_TRUE(traced.result) << traced.result.error().message;
    EXPECT_TRUE(traced.summary.complete) << traced.summary.reason;
    return traced;
  }

  static std::unique_ptr<TempDir> tree_;
};
std::unique_ptr<TempDir> Many::tree_;

INSTANTIATE_TEST_SUITE_P(Trace, Many,
                         ::testing::Values(Backend::kBpf, Backend::kHybrid, Backend::kNotify,
                                           Backend::kPtrace),
                         [](const auto& p) { return std::string(backend_name(p.param)); });

TEST_P(Many, AWalkOverAHundredThousandFiles) {
  const std::size_t directories = share_of(kDirectories);
  std::vector<std::string> argv = {"find"};
  for (std::size_t d = 0; d < directories; ++d) argv.push_back("d" + std::to_string(d));
  argv.insert(argv.end(), {"-size", "+9"});
  const Traced traced = run(tree(), std::move(argv));
  EXPECT_EQ(files(traced, Op::kStat), directories * kFiles);
  std::set<std::string> listed;
  for (const Record& record : traced.records) {
    if (record.op == Op::kList) listed.insert(record.path);
  }
  EXPECT_EQ(listed.size(), directories);
}

// Each tenth runs a program, so that most of the time is the trace's and not the loader's.
TEST_P(Many, ThousandsOfShortProcesses) {
  const std::size_t processes = share_of(gittxn::testing::kSanitized ? 1000 : 4000);
  const TempDir dir;
  const Traced traced = run(
      dir, {"perl", "-e",
            "for my $i (0 .. $ARGV[0] - 1) {\n"
            "  if (fork == 0) { -e \"short-$i\"; exec '/bin/true', $i if $i % 10 == 0; exit 0 }\n"
            "  if ($i % 8 == 7) { 1 while wait != -1 }\n}",
            std::to_string(processes)});
  std::vector<bool> looked(processes);
  std::vector<bool> ran(processes);
  const std::string start = dir / "short-";
  for (const Record& record : traced.records) {
    if (record.op == Op::kStat && record.path.starts_with(start)) {
      looked.at(std::strtoul(record.path.c_str() + start.size(), nullptr, 10)) = true;
    }
    if (record.op == Op::kExec && record.path == "/bin/true") {
      ran.at(std::strtoul(record.argv.at(1).c_str(), nullptr, 10)) = true;
    }
  }
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(looked, true)), processes);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(ran, true)), processes / 10);
  EXPECT_EQ(traced.count(Op::kFork), processes + 1);
}

}  // namespace
}  // namespace gittxn::capture
