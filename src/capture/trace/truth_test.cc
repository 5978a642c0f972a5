// Ground truth: on real programs every back end records exactly what strace -f sees, path for path
// and result for result; the difference in either direction is empty.
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "base/subprocess.h"
#include "capture/trace/testing/strace_truth.h"
#include "capture/trace/testing/traced.h"

namespace gittxn::capture {
namespace {

using testing::Lines;
using testing::make_spec;
using testing::StraceReader;
using testing::TempDir;
using testing::Traced;

constexpr const char* kCalls =
    "%file,getdents64,fchdir,clone,clone3,fork,vfork,connect,bind,openat2";

Environment test_environment(const std::string& home) {
  return {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
          {"LC_ALL", "C"},
          {"HOME", home},
          {"GIT_CONFIG_NOSYSTEM", "1"},
          {"GIT_AUTHOR_DATE", "1700000000 +0000"},
          {"GIT_COMMITTER_DATE", "1700000000 +0000"},
          {"GIT_AUTHOR_NAME", "A"},
          {"GIT_AUTHOR_EMAIL", "a@example.org"},
          {"GIT_COMMITTER_NAME", "A"},
          {"GIT_COMMITTER_EMAIL", "a@example.org"},
          {"PYTHONDONTWRITEBYTECODE", "1"}};
}

Output run_plain(const TempDir& dir, std::vector<std::string> argv) {
  Command command;
  command.argv = std::move(argv);
  command.cwd = dir / "w";
  command.env = test_environment(dir / "home");
  auto output = run(command);
  EXPECT_TRUE(output.has_value()) << output.error().message;
  return output.value_or(Output{});
}

// The same start for every run: a fresh directory under the same name.
void fresh(const TempDir& dir, const std::string& set_up) {
  ASSERT_TRUE(remove_tree(dir / "w"));
  ASSERT_TRUE(make_dirs(dir / "w", 0755));
  ASSERT_TRUE(make_dirs(dir / "home", 0755));
  const Output out = run_plain(dir, {"/bin/sh", "-ec", set_up});
  ASSERT_EQ(out.exit.status, 0) << out.err;
}

std::string errno_text(int result) {
  return result >= 0 || result == -ENODATA ? "0" : std::string(::strerrorname_np(-result));
}

Lines lines_of(const Traced& traced) {
  Lines lines;
  for (const Record& record : traced.records) {
    // Not a call of the program: the kernel reads the first line of a script.
    if (record.path2 == "#!") continue;
    if (record.op == Op::kFork || record.op == Op::kExit || record.op == Op::kNote) continue;
    if (record.op == Op::kConnect || record.path2 == "bind") continue;  // strace's form differs
    std::string line = std::string(op_name(record.op)) + " " + record.path;
    if (record.op == Op::kRename || record.op == Op::kLink || record.op == Op::kSymlink) {
      line += " -> " + record.path2;
    }
    lines.insert(testing::without_chance(line + " " + errno_text(record.result)));
  }
  return lines;
}

std::string difference(const Lines& a, const Lines& b) {
  std::string text;
  for (const std::string& line : a) {
    if (!b.contains(line)) text += "  " + line + "\n";
  }
  return text;
}

// What strace prints as it was passed and the trace resolves: names below /proc/self.
using Aliases = std::vector<std::pair<std::string, std::string>>;

Lines without(const Aliases& aliases, const Lines& lines) {
  Lines out;
  for (std::string line : lines) {
    for (const auto& [alias, path] : aliases) {
      if (const std::size_t at = line.find(alias); at != line.npos) {
        line.replace(at, alias.size(), path);
      }
    }
    out.insert(line);
  }
  return out;
}

void expect_truth(const TempDir& dir, const std::string& set_up,
                  const std::vector<std::string>& argv, const Aliases& aliases = {}) {
  fresh(dir, set_up);
  const std::string prefix = dir / "strace/out";
  ASSERT_TRUE(remove_tree(dir / "strace"));
  ASSERT_TRUE(make_dirs(dir / "strace"));
  std::vector<std::string> strace = {"strace", "-ff",         "-y",
                                     "-s",     "5000",        "-v",
                                     "-qq",    "-e",          std::string("trace=") + kCalls,
                                     "-e",     "signal=none", "-o",
                                     prefix};
  strace.insert(strace.end(), argv.begin(), argv.end());
  const Output truth_run = run_plain(dir, strace);
  const Lines truth = without(aliases, StraceReader().read(prefix, dir / "w"));
  ASSERT_GT(truth.size(), 3u) << truth_run.err;
  for (const Backend backend :
       {Backend::kBpf, Backend::kHybrid, Backend::kNotify, Backend::kPtrace}) {
    SCOPED_TRACE(backend_name(backend));
    if (!testing::why_unusable(backend).empty()) continue;  // Bpf.IsUsableHere says so
    fresh(dir, set_up);
    TraceSpec spec = make_spec(dir, argv);
    spec.cwd = dir / "w";
    spec.env = test_environment(dir / "home");
    spec.backend = backend;
    const UniqueFd out = std::move(open_fd(dir / "out", O_WRONLY | O_CREAT | O_TRUNC).value());
    spec.stdout_fd = out.get();
    const Traced traced = testing::run(spec);
    ASSERT_TRUE(traced.result) << traced.result.error().message;
    EXPECT_EQ(traced.result->exit_status, truth_run.exit.status);
    EXPECT_TRUE(traced.summary.complete) << traced.summary.reason;
    const Lines seen = lines_of(traced);
    EXPECT_EQ(difference(truth, seen), "") << "strace saw these, the trace did not";
    EXPECT_EQ(difference(seen, truth), "") << "the trace has these, strace did not see them";
  }
}

// Compiles the helper next to the test's own sources.
std::string build_helper(const TempDir& dir, const std::vector<std::string>& options) {
  std::string out = dir / (options.empty() ? "helper" : "helper-static");
  std::vector<std::string> argv = {
      "cc", "-O1", "-pthread",
      "-o", out,   real_path(parent_dir(__FILE__) + "/testing/helper.c").value_or("")};
  argv.insert(argv.end(), options.begin(), options.end());
  EXPECT_TRUE(make_dirs(dir / "w"));
  const Output output = run_plain(dir, argv);
  EXPECT_EQ(output.exit.status, 0) << output.err;
  return out;
}

TEST(Truth, ShellPipelines) {
  expect_truth(
      TempDir(), "printf 'b\\na\\n' > in; mkdir sub",
      {"/bin/sh", "-c",
       "cat in | sort | head -1 > out; cat missing; cd sub; ls -la ..; (cd ..; wc -l in); "
       "test -e nothing; mv ../in ../in2; ln -s ../in2 l; cat l; rm l; sed -i s/a/c/ ../in2;"
       "cp -r .. /dev/null; mkdir -p x/y; rmdir x/y x; find .. -name 'in*'; touch ../t"});
}

TEST(Truth, ShellScriptWithOddNames) {
  expect_truth(TempDir(),
               "mkdir 'a b'; printf x > 'a b/n\tl'; printf y > \"$(printf '\\303\\244')\"",
               {"/bin/sh", "-c", "cat 'a b'/* *; ls -R; rm -r 'a b'; ls -R 'a b'"});
}

TEST(Truth, GitStatusAndCommit) {
  const std::string set_up =
      "git init -q -b main .; mkdir d; for i in 1 2 3 4 5; do echo $i > d/f$i; done; git add -A;"
      "git commit -q -m first; touch -d '2 days ago' d/*; git update-index -q --refresh;"
      "echo new > d/f3; echo u > untracked";
  expect_truth(TempDir(), set_up, {"git", "status", "--short"});
  expect_truth(TempDir(), set_up, {"git", "-C", "d", "grep", "-n", "3"});
  expect_truth(TempDir(), set_up, {"git", "commit", "-q", "-a", "-m", "second"});
}

TEST(Truth, Compiler) {
  expect_truth(TempDir(),
               "mkdir inc; echo '#define X 1' > inc/x.h;"
               "printf '#include \"x.h\"\\n#include <stdio.h>\\nint main(void){return X-1;}' > a.c",
               {"gcc", "-Iinc", "-Inowhere", "a.c", "-o", "a"});
}

TEST(Truth, Python) {
  Command which;
  which.argv = {"python3", "-c", "import sys; print(sys.executable)"};
  which.env = environment_from(environ);
  const auto python = run(which);
  if (!python || !python->exit.success()) GTEST_SKIP() << "there is no python3";
  const std::string program = python->out.substr(0, python->out.find('\n'));
  expect_truth(TempDir(), "echo 'X = 1' > mod.py; mkdir pkg; echo > pkg/__init__.py",
               {program, "-c",
                "import sys; sys.path.insert(0, '.')\nimport mod, pkg, json, os, shutil\n"
                "os.listdir('.'); os.stat('mod.py'); os.path.exists('no')\n"
                "shutil.copytree('pkg', 'copy'); os.rename('copy', 'moved')\n"
                "open('moved/w', 'w').write('x'); os.symlink('w', 'moved/l')\n"
                "os.readlink('moved/l'); shutil.rmtree('moved')"});
}

// Programs that are not everywhere.
void expect_truth_of(const std::string& program, const std::string& set_up,
                     const std::vector<std::string>& argv, const Aliases& aliases = {}) {
  if (::access(program.c_str(), X_OK) != 0) GTEST_SKIP() << "there is no " << program;
  expect_truth(TempDir(), set_up, argv, aliases);
}

TEST(Truth, Clang) {
  expect_truth_of("/usr/bin/clang", "echo 'int main(void) { return 0; }' > a.c",
                  {"clang", "-c", "a.c", "-o", "a.o"},
                  {{"access /proc/PID/exe", "access " + real_path("/usr/bin/clang").value_or("")}});
}

TEST(Truth, Make) {
  expect_truth_of("/usr/bin/make",
                  "printf 'a.o: a.c a.h\n\tcc -c a.c -o a.o\nb: a.o\n\tcp a.o b\n' > Makefile;"
                  "echo 'int x;' > a.c; echo > a.h",
                  {"make", "-r", "b"});
}

TEST(Truth, Ninja) {
  expect_truth_of("/usr/bin/ninja",
                  "printf 'rule cc\n  command = cc -c $in -o $out\nbuild a.o: cc a.c\n' > "
                  "build.ninja; echo 'int x;' > a.c",
                  {"ninja", "-j1"});
}

TEST(Truth, Perl) {
  expect_truth_of("/usr/bin/perl", "echo x > in; mkdir d",
                  {"perl", "-MFile::Find", "-MPOSIX", "-e",
                   "open F, '<in'; print <F>; -e 'absent'; opendir D, 'd'; readdir D;"
                   "find(sub { -d $_ }, '.'); symlink 'in', 'l'; readlink 'l'; rename 'l', 'm'"});
}

TEST(Truth, Tar) {
  expect_truth_of(
      "/usr/bin/tar", "mkdir -p d/e; echo x > d/e/f; ln -s e d/l",
      {"/bin/sh", "-c", "tar cf a.tar d; mkdir o; tar xf a.tar -C o d/e/f; tar tf a.tar"});
}

TEST(Truth, Rsync) {
  expect_truth_of("/usr/bin/rsync", "mkdir -p d/e; echo x > d/e/f; ln -s e d/l",
                  {"rsync", "-a", "d/", "copy"});
}

TEST(Truth, Vim) {
  expect_truth_of(
      "/usr/bin/vim", "echo x > in",
      {"vim", "-u", "NONE", "-i", "NONE", "-n", "-es", "-c", "s/x/y/", "-c", "wq", "in"});
}

TEST(Truth, GitGrepAndLog) {
  expect_truth(TempDir(),
               "git init -q -b main .; for i in 1 2 3 4 5 6 7 8 9; do echo $i > f$i; done;"
               "git add -A; git commit -q -m first; touch -d '2 days ago' f*; git update-index "
               "-q --refresh",
               {"/bin/sh", "-c", "git grep -c 3 | sort; git log --oneline; git show HEAD:f1"});
}

TEST(Truth, Searches) {
  expect_truth(TempDir(), "mkdir -p a/b c; for i in 1 2 3 4; do echo x$i > a/b/$i; done; ln -s a l",
               {"/bin/sh", "-c",
                "grep -r x2 . ; find . -type f | xargs cat; find -L l -name 1; ls -R; "
                "for f in */*/*; do :; done; du -s . ; readlink -f l/b; realpath l/b/1"});
}

TEST(Truth, HelperPrograms) {
  const TempDir dir;
  std::string set_up =
      "for t in 0 1 2 3; do for i in 0 1 2 3 4; do echo > thread-$t-$i; done; done";
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{}, std::vector<std::string>{"-static"}}) {
    const std::string helper = build_helper(dir, options);
    for (const char* mode : {"threads", "spawn", "raw", "directories", "odd", "thread-exec"}) {
      SCOPED_TRACE(std::string(mode) + (options.empty() ? "" : " static"));
      expect_truth(dir, set_up, {helper, mode});
    }
  }
}

}  // namespace
}  // namespace gittxn::capture
