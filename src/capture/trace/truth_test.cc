// Ground truth: on real programs every back end records exactly what strace -f sees, path for path
// and result for result; the difference in either direction is empty.
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/subprocess.h"
#include "capture/trace/testing/truth.h"

namespace gittxn::capture {
namespace {

using testing::expect_truth;
using testing::expect_truth_of;
using testing::run_plain;
using testing::TempDir;

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
               {"/bin/sh", "-c", "cat 'a b'/* *; ls -R; rm -r 'a b'; ls -R 'a b'"}, {.status = 2});
}

TEST(Truth, GitStatusAndCommit) {
  const std::string set_up =
      "git init -q -b main .; mkdir d; for i in 1 2 3 4 5; do echo $i > d/f$i; done; git add -A;"
      "git commit -q -m first; touch -d '2 days ago' d/*; git update-index -q --refresh;"
      "echo new > d/f3; echo u > untracked";
  expect_truth(TempDir(), set_up, {"git", "status", "--short"});
  expect_truth(TempDir(), set_up, {"git", "-C", "d", "grep", "-n", "new"});
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

TEST(Truth, Clang) {
  const std::string clang = "/usr/bin/clang-19";  // the one that is built with
  expect_truth_of(
      clang, "echo 'int main(void) { return 0; }' > a.c", {clang, "-c", "a.c", "-o", "a.o"},
      {.aliases = {{"access /proc/PID/exe", "access " + real_path(clang).value_or("")}}});
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
  const char* script =
      "open F, '<in'; print <F>; -e 'absent'; opendir D, 'd'; readdir D;"
      "find(sub { -d $_ }, '.'); symlink 'in', 'l'; readlink 'l'; rename 'l', 'm'";
  expect_truth_of("/usr/bin/perl", "echo x > in; mkdir d",
                  {"perl", "-MFile::Find", "-MPOSIX", "-e", script});
}

TEST(Truth, Tar) {
  expect_truth_of(
      "/usr/bin/tar", "mkdir -p d/e; echo x > d/e/f; ln -s e d/l",
      {"/bin/sh", "-c", "tar cf a.tar d; mkdir o; tar xf a.tar -C o d/e/f; tar tf a.tar"});
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
