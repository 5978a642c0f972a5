// The preloaded library in real processes: what it records is who, where and when it was, whatever
// the process does; and a process it cannot work in is traced all the same.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/bug.h"
#include "base/subprocess.h"
#include "capture/trace/preload_file.h"
#include "capture/trace/testing/traced.h"

namespace gittxn::capture {
namespace {

using testing::make_spec;
using testing::TempDir;
using testing::Traced;

class Hybrid : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new TempDir();
    build({}, "helper");
    build({"-static"}, "helper-static");
    build({"-fsanitize=address"}, "helper-asan");
    build({"-fsanitize=address"}, "helper-asan-static", "clang-19");
  }
  static void TearDownTestSuite() {
    delete shared_;
    shared_ = nullptr;
  }
  static void build(const std::vector<std::string>& options, const std::string& name,
                    const char* compiler = "cc") {
    Command compile;
    compile.argv = {compiler, "-O1",           "-pthread",
                    "-o",     *shared_ / name, parent_dir(__FILE__) + "/testing/helper.c"};
    compile.argv.insert(compile.argv.end(), options.begin(), options.end());
    compile.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
    const auto output = gittxn::run(compile);
    ASSERT_TRUE(output && output->exit.success()) << (output ? output->err : "no compiler");
  }

  Traced trace(std::vector<std::string> argv, const Environment& more = {}) {
    TraceSpec spec = make_spec(dir_, std::move(argv));
    spec.backend = Backend::kHybrid;
    for (const auto& [name, value] : more) spec.env[name] = value;
    const UniqueFd out = std::move(open_fd(dir_ / ".out", O_RDWR | O_CREAT | O_TRUNC).value());
    spec.stdout_fd = out.get();
    Traced traced = testing::run(spec);
    EXPECT_TRUE(traced.result.has_value()) << traced.result.error().message;
    output_ = read_file(dir_ / ".out").value_or("");
    EXPECT_FALSE(exists(preload_path(spec.record_file)).value()) << "gone with the run";
    return traced;
  }
  Traced helper(const std::string& mode, const std::string& program = "helper") {
    Traced traced = trace({*shared_ / program, mode});
    EXPECT_EQ(traced.result ? traced.result->exit_status : -1, 0) << mode;
    EXPECT_TRUE(traced.summary.complete) << traced.summary.reason;
    return traced;
  }
  // The paths below the directory that were asked for by access(), in order, without repetitions.
  std::vector<std::string> looks(const Traced& traced, Op op = Op::kAccess) {
    std::vector<std::string> names;
    for (const Record& record : traced.records) {
      std::string below;
      if (record.op != op || !path_below(record.path, dir_.path(), &below)) continue;
      if (names.empty() || names.back() != below) names.push_back(below);
    }
    return names;
  }
  static std::size_t own_results(const Traced& traced) {
    return static_cast<std::size_t>(std::ranges::count_if(traced.records, [](const Record& record) {
      return record.op != Op::kFork && record.op != Op::kExit && !record.assumed;
    }));
  }
  // What `check` says with a bug in the library or the monitor, in a process of its own.
  // The check fails once the bug is there; it is in no build but the one of tests/negative.
  void expect_noticed(const char* bug, const std::function<bool()>& check) {
#ifdef GIT_TXN_BUGS
    EXPECT_FALSE(with_bug(bug, check)) << bug;
#else
    static_cast<void>(bug);
    static_cast<void>(check);
#endif
  }
  bool with_bug(const char* name, const std::function<bool()>& check) {
    const pid_t child = ::fork();
    if (child == 0) {
      arm_bug(name);
      ::_exit(check() ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  TempDir dir_;
  std::string output_;
  static TempDir* shared_;
};
TempDir* Hybrid::shared_ = nullptr;

TEST_F(Hybrid, RecordsWithTheKernelsOwnResults) {
  const Traced traced = helper("many");
  std::set<std::string> seen;
  std::size_t own = 0;
  for (const Record& record : traced.records) {
    if (record.op != Op::kAccess || !record.path.starts_with(dir_ / "many-")) continue;
    seen.insert(record.path);
    EXPECT_EQ(record.result, -ENOENT);
    own += record.assumed ? 0 : 1;
  }
  EXPECT_EQ(seen.size(), 3000u);
  EXPECT_GT(own, 2900u) << "nearly all";
}

TEST_F(Hybrid, FilesHaveTheirTypes) {
  ASSERT_TRUE(write_file(dir_ / "f", "x", Sync::kNo));
  ASSERT_TRUE(make_dirs(dir_ / "d"));
  ASSERT_EQ(::mkfifo((dir_ / "p").c_str(), 0600), 0);
  const int pipe = ::open((dir_ / "p").c_str(), O_RDWR | O_CLOEXEC);  // so that cat does not wait
  ASSERT_GE(pipe, 0);
  ASSERT_EQ(::write(pipe, "x", 1), 1);
  const Traced traced = trace({"sh", "-c", "cat absent f f d; head -c 1 f p"});
  ::close(pipe);
  std::map<std::string, std::uint32_t> types;
  for (const Record& record : traced.records) {
    if (!record.assumed && record.op == Op::kOpenRead) types[record.path] = record.mode & S_IFMT;
  }
  EXPECT_EQ(types[dir_ / "f"], std::uint32_t{S_IFREG});
  EXPECT_EQ(types[dir_ / "d"], std::uint32_t{S_IFDIR});
  EXPECT_EQ(types[dir_ / "p"], std::uint32_t{S_IFIFO});
}

TEST_F(Hybrid, AFileThatWasSeenHasTheTypeItIsOpenedWith) {
  const auto has_types = [this] {
    std::map<std::string, std::uint32_t> types;
    for (const Record& record : helper("retyped").records) {
      if (!record.assumed && record.op == Op::kOpenRead) types[record.path] = record.mode & S_IFMT;
    }
    return types[dir_ / "seen"] == S_IFIFO && types[dir_ / "listed"] == S_IFIFO;
  };
  EXPECT_TRUE(has_types());
  expect_noticed("trace.changes_uncounted", has_types);
}

TEST_F(Hybrid, NothingIsReadOfAFileThatWasSeen) {
  std::size_t files = 0;
  for (const Record& record : helper("met").records) {
    if (record.op == Op::kOpenRead && record.path.starts_with(dir_ / "met-")) {
      EXPECT_EQ(record.mode & S_IFMT, std::uint32_t{S_IFREG}) << record.path;
      ++files;
    }
  }
  EXPECT_GE(files, 100u);
}

TEST_F(Hybrid, LoadingTheLibraryIsNoRead) {
  for (const Record& record : trace({"cat", "/dev/null"}).records) {
    EXPECT_EQ(record.path.find("libasan"), std::string::npos) << record.path;
  }
}

TEST_F(Hybrid, WhatACallLeavesInARegisterIsNobodysNumber) {
  const Traced traced = helper("leftovers");
  std::map<std::string, pid_t> who;
  for (const Record& record : traced.records) {
    if (record.op == Op::kAccess) who[base_name(record.path)] = record.pid;
  }
  EXPECT_NE(who["by-the-parent"], 0) << "it is there at all";
  EXPECT_EQ(who["by-the-parent"], who["made-2"]);
  EXPECT_NE(who["by-the-parent"], who["by-the-child"]);
}

TEST_F(Hybrid, EachProcessIsItself) {
  const auto check = [this] {
    const Traced traced = helper("forks");
    std::map<std::string, int> said;
    for (std::size_t at = 0; at < output_.size();) {
      const std::size_t end = output_.find('\n', at);
      const std::size_t blank = output_.find(' ', at);
      said[output_.substr(blank + 1, end - blank - 1)] = std::stoi(output_.substr(at, blank - at));
      at = end + 1;
    }
    bool right = said.size() == 3;
    for (const auto& [name, pid] : said) {
      const Record* record = traced.find(Op::kAccess, dir_ / name);
      right = right && record != nullptr && record->pid == pid;
    }
    return right;
  };
  EXPECT_TRUE(check());
  expect_noticed("preload.parents_number", check);
}

TEST_F(Hybrid, AChildInItsParentsMemoryIsItself) {
  const Traced traced = helper("borrowed");
  const Record* before = traced.find(Op::kAccess, dir_ / "parent-before");
  const Record* a = traced.find(Op::kAccess, dir_ / "inner/child-a");
  const Record* b = traced.find(Op::kAccess, dir_ / "inner/child-b");
  const Record* after = traced.find(Op::kAccess, dir_ / "parent-after");
  ASSERT_TRUE(before != nullptr && a != nullptr && b != nullptr && after != nullptr);
  EXPECT_EQ(before->pid, after->pid);
  EXPECT_EQ(a->pid, b->pid);
  EXPECT_NE(a->pid, before->pid);
}

TEST_F(Hybrid, RelativePathsAreWhereTheProcessIs) {
  const auto check = [this] {
    const Traced traced = helper("wandering");
    for (const char* name : {"a", "b", "c", "moved"}) EXPECT_TRUE(remove_tree(dir_ / name));
    return looks(traced) == std::vector<std::string>{"warm-up", "a/in-a", "b/in-b",
                                                     "in-top",  "c/in-c", "by-descriptor"} &&
           looks(traced, Op::kStat) ==
               std::vector<std::string>{"by-descriptor", "a/by-same-number", "moved/by-moved"};
  };
  EXPECT_TRUE(check());
  expect_noticed("preload.old_directory", check);
  expect_noticed("trace.directory_of_the_command", check);
}

TEST_F(Hybrid, ADescriptorIsTheDirectoryItIsNow) {
  const auto check = [this] {
    const Traced traced = helper("renumbered");
    for (const char* name : {"one", "two"}) EXPECT_TRUE(remove_tree(dir_ / name));
    std::vector<std::string> names = looks(traced, Op::kStat);
    std::erase(names, "one/known");
    return names == std::vector<std::string>{"two/close",
                                             "two/close-and-dup",
                                             "two/closedir-and-dup",
                                             "two/close_range-and-dup",
                                             "two/dup2",
                                             "two/dup3",
                                             "two/syscall-dup2",
                                             "two/syscall-dup3",
                                             "two/syscall-close",
                                             "two/syscall-close_range",
                                             "two/opened-unseen",
                                             "two/closed-unseen",
                                             "two/dup2-in-child",
                                             "one/in-parent"};
  };
  EXPECT_TRUE(check());
  expect_noticed("preload.kept_descriptors", check);
}

TEST_F(Hybrid, AThreadsOwnDescriptorsAreItsOwn) {
  std::vector<std::string> names = looks(helper("parted"), Op::kStat);
  std::erase(names, "one/known");
  EXPECT_EQ(names, (std::vector<std::string>{"two/own", "one/ranged", "two/own", "one/unshared"}));
}

TEST_F(Hybrid, ADescriptorThatIsKnownIsNotAskedFor) {
  const Traced traced = helper("standing");
  std::size_t own = 0;
  for (const Record& record : traced.records) {
    if (record.path.starts_with(dir_ / "one/unasked-") && !record.assumed) ++own;
  }
  EXPECT_GE(own, 99u) << "the monitor would have been asked";
}

TEST_F(Hybrid, ReadsAndWritesAreInTheirOrder) {
  const auto check = [this] {
    const Traced traced = helper("order");
    int right = 0;
    for (int i = 0; i < 200; ++i) {
      std::string told;
      for (const Record& record : traced.records) {
        if (record.path != dir_ / ("step-" + std::to_string(i))) continue;
        told += std::string(op_name(record.op)) + (record.result < 0 ? "! " : " ");
      }
      right += told == "access! open-create access unlink " ? 1 : 0;
    }
    return right == 200;
  };
  EXPECT_TRUE(check());
  expect_noticed("trace.ring_drained_late", check);
}

TEST_F(Hybrid, WhatFindsNoPlaceInTheRingIsNotified) {
  const auto check = [this] {
    const Traced traced = helper("many");
    std::set<std::string> seen;
    for (const Record& record : traced.records) {
      if (record.path.starts_with(dir_ / "many-")) seen.insert(record.path);
    }
    return seen.size() == 3000;
  };
  EXPECT_TRUE(check());
  expect_noticed("preload.drop_when_full", check);
}

TEST_F(Hybrid, ManyProcessesFillItTogether) {
  const Traced traced =
      trace({"/bin/sh", "-c",
             "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do (mkdir $i; cd $i; \"$0\" many) & "
             "done; wait",
             *shared_ / "helper"});
  EXPECT_TRUE(traced.summary.complete) << traced.summary.reason;
  std::set<std::string> seen;
  for (const Record& record : traced.records) {
    if (record.path.find("/many-") != std::string::npos) seen.insert(record.path);
  }
  EXPECT_EQ(seen.size(), 12u * 3000u);
}

TEST_F(Hybrid, ACallKilledInTheMiddleIsAssumed) {
  const Traced traced = helper("killed");
  const Record* fifo = traced.find(Op::kOpenRead, dir_ / "fifo");
  ASSERT_NE(fifo, nullptr);
  EXPECT_TRUE(fifo->assumed);
}

TEST_F(Hybrid, ADamagedRingMakesTheTraceIncomplete) {
  const Traced traced = trace({*shared_ / "helper", "vandal"});
  ASSERT_TRUE(traced.result);
  EXPECT_EQ(traced.result->exit_status, 0) << "and the command goes on";
  EXPECT_FALSE(traced.summary.complete);
  EXPECT_NE(traced.result->lost.find("ring"), std::string::npos) << traced.result->lost;
  EXPECT_NE(traced.find(Op::kAccess, dir_ / "after-the-damage"), nullptr) << "notified";
}

TEST_F(Hybrid, ErrnoIsAsLibcLeavesIt) {
  helper("errno");
}

TEST_F(Hybrid, ASandboxInsideSeesNoOtherCallThanItsOwn) {
  for (const char* mode : {"sandbox-prctl", "sandbox-seccomp"}) {
    const Traced traced = helper(mode);
    EXPECT_NE(traced.find(Op::kAccess, dir_ / "in-sandbox"), nullptr);
  }
}

TEST_F(Hybrid, ClosedDescriptorsChangeNothing) {
  const Traced traced = helper("closes-all");
  EXPECT_NE(traced.find(Op::kAccess, dir_ / "still"), nullptr);
}

TEST_F(Hybrid, HandlersLookTooAndMayNotComeBack) {
  const Traced traced = helper("handlers");
  std::set<std::string> seen;
  for (const Record& record : traced.records) seen.insert(record.path);
  for (int i = 0; i < 3000; ++i) {
    const std::string name = dir_ / ("handled-" + std::to_string(i));
    EXPECT_TRUE(seen.contains(name)) << name;
  }
  EXPECT_NE(traced.find(Op::kAccess, dir_ / "in-handler"), nullptr);
}

// Whoever is told while it works that a read is stale has to be known to have read it.
TEST_F(Hybrid, WhatAnIdleProgramLookedAtCanBeReadMeanwhile) {
  TraceSpec spec = make_spec(dir_, {"perl", "-e", "-e 'looked-at'; <STDIN>; -e 'done'"});
  spec.backend = Backend::kHybrid;
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd in(ends[0]);
  UniqueFd out(ends[1]);
  spec.stdin_fd = in.get();
  // A process, because the trace forks; the program goes on when nobody has the other end.
  const pid_t person = ::fork();
  if (person == 0) {
    bool seen = false;
    const auto look = [&](const Record& record) {
      seen = seen || record.path == dir_ / "looked-at";
    };
    for (int i = 0; i < 400 && !seen; ++i) {
      ::usleep(50'000);
      static_cast<void>(
          read_records(spec.record_file, look).has_value());  // not there yet, at first
    }
    ::_exit(seen ? 0 : 1);
  }
  out.reset();
  const Traced traced = testing::run(spec);
  int status = -1;
  ASSERT_EQ(::waitpid(person, &status, 0), person);
  EXPECT_EQ(status, 0) << "it was not seen while it waited";
  EXPECT_NE(traced.find(Op::kStat, dir_ / "done"), nullptr);
  EXPECT_TRUE(traced.summary.complete) << traced.summary.reason;
}

TEST_F(Hybrid, ProgramsThatDoNotLoadItAreNotified) {
  const Traced plain = helper("order", "helper-static");
  EXPECT_EQ(looks(plain).size(), 201u);
  EXPECT_EQ(own_results(plain), 0u);
  const Traced clean = trace({"env", "-i", *shared_ / "helper", "order"});
  EXPECT_EQ(looks(clean).size(), 201u);
  EXPECT_TRUE(clean.summary.complete);
}

TEST_F(Hybrid, ProgramsWithLittleMemoryRun) {
  ASSERT_TRUE(write_file(dir_ / "f", "x", Sync::kNo));
  for (const char* kib : {"2000", "3000", "4000", "6000"}) {
    const Traced traced =
        trace({"/bin/sh", "-c", "ulimit -v $0; exec cat f f f", std::string(kib)});
    if (!traced.result || traced.result->exit_status != 0) continue;  // too little for cat itself
    EXPECT_NE(traced.find(Op::kOpenRead, dir_ / "f"), nullptr) << kib;
  }
}

TEST_F(Hybrid, SanitizedProgramsStart) {
  for (const char* program : {"helper-asan", "helper-asan-static"}) {
    const Traced traced =
        trace({*shared_ / program, "order"}, {{"ASAN_OPTIONS", "detect_leaks=0"}});
    ASSERT_TRUE(traced.result);
    EXPECT_EQ(traced.result->exit_status, 0) << program;
    EXPECT_EQ(looks(traced).size(), 201u) << program;
  }
}

// As valgrind looks for the symbols of all that is mapped, by the names that the kernel has for it.
TEST_F(Hybrid, TheLibraryIsNoReadByEitherName) {
  const Traced traced =
      trace({"bash-static", "-c",
             "file=$(readlink -f \"$LD_PRELOAD\"); read -r x <\"$LD_PRELOAD\"; echo $x $file;"
             "read -r x <\"$file\""});
  ASSERT_TRUE(traced.result);
  EXPECT_EQ(traced.result->exit_status, 0);
  ASSERT_TRUE(output_.find("ELF") != std::string::npos) << output_;
  const std::string file =
      output_.substr(output_.rfind(' ') + 1, output_.size() - output_.rfind(' ') - 2);
  ASSERT_TRUE(file.ends_with(".so")) << file;
  const std::string stem = file.substr(0, file.size() - 3);
  for (const Record& record : traced.records) {
    EXPECT_FALSE(record.op == Op::kOpenRead && record.path.starts_with(stem)) << record.path;
  }
}

TEST_F(Hybrid, PreloadsOfOthersStay) {
  const Traced traced = trace({"/bin/sh", "-c", "echo \"$LD_PRELOAD\""},
                              {{"LD_PRELOAD", "/nonexistent/libother.so"}});
  EXPECT_TRUE(output_.starts_with("/nonexistent/libother.so:/")) << output_;
}

TEST_F(Hybrid, APlaceThatCannotBePreloadedFromIsRefused) {
  for (const char* name : {"with blank", "with:colon"}) {
    ASSERT_TRUE(make_dirs(dir_ / name));
    TraceSpec spec = make_spec(dir_, {"true"});
    spec.record_file = dir_ / name + "/records";
    spec.backend = Backend::kHybrid;
    const Traced refused = testing::run(spec);
    ASSERT_FALSE(refused.result);
    EXPECT_EQ(refused.result.error().code, Code::kUnsupported);
    spec.backend = Backend::kAuto;
    const Traced other = testing::run(spec);
    ASSERT_TRUE(other.result);
    const bool kernel = testing::why_unusable(Backend::kBpf).empty();
    EXPECT_EQ(other.result->used, kernel ? Backend::kBpf : Backend::kNotify);
    EXPECT_TRUE(other.summary.complete);
  }
}

TEST_F(Hybrid, IsTheFirstChoice) {
  TraceSpec spec = make_spec(dir_, {"true"});
  const Traced traced = testing::run(spec);
  ASSERT_TRUE(traced.result);
  EXPECT_EQ(traced.result->used, Backend::kHybrid);
}

}  // namespace
}  // namespace gittxn::capture
