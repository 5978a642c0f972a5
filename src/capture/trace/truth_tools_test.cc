// Ground truth on what agents use and build besides the usual: cmake, node, npm, rsync, and
// programs whose libc is none that a library could be preloaded into. What is not in the packages
// of the tests is held to it where it is installed.
#include <gtest/gtest.h>
#include <unistd.h>

#include "capture/trace/testing/truth.h"

namespace gittxn::capture {
namespace {

using testing::expect_truth;
using testing::expect_truth_of;
using testing::run_plain;
using testing::TempDir;

TEST(Truth, CmakeAndNinja) {
  expect_truth_of(
      "/usr/bin/cmake",
      "echo 'int one(void) { return 0; }' > one.c; mkdir inc; echo '#define X' > inc/x.h;"
      "printf '#include \"x.h\"\\nint one(void);\\nint main(void) { return one(); }\\n' "
      "> two.c; printf '%s\\n' 'cmake_minimum_required(VERSION 3.20)' 'project(p C)' "
      "'find_path(ABSENT absent.h)' 'include_directories(inc)' "
      "'add_library(one one.c)' 'add_executable(two two.c)' "
      "'target_link_libraries(two one)' > CMakeLists.txt",
      {"/bin/sh", "-ec",
       "cmake -G Ninja -S . -B b; cmake --build b; touch one.c; ninja -C b; b/two"});
}

constexpr const char* kNodeTree =
    "mkdir -p lib node_modules/dep data; echo '{\"b\": 1}' > lib/b.json;"
    "echo \"module.exports = require('./b.json')\" > lib/a.js;"
    "echo 'import \"./n.mjs\"; export const m = 1' > lib/m.mjs; echo > lib/n.mjs;"
    "echo '{\"name\":\"dep\",\"version\":\"1.0.0\",\"main\":\"i.js\"}' > "
    "node_modules/dep/package.json;"
    "echo > node_modules/dep/i.js; for i in $(seq 0 15); do echo $i > data/f$i; done;"
    "printf '{\"name\":\"p\",\"version\":\"1.0.0\",\"dependencies\":{\"dep\":\"1.0.0\"},"
    "\"scripts\":{\"go\":\"cat data/f1 absent; true\"}}' > package.json;";

// V8 may look into its own program, depending on where its memory came to lie, and libc may count
// the processors, depending on which threads allocate at once.
testing::Expected node_may() {
  return {.by_chance = {"open-read " + real_path("/usr/bin/node").value_or("") + " 0",
                        "open-read /sys/devices/system/cpu/online 0"},
          .not_predicted = {"rmdir $W/x ENOTEMPTY"}};
}

TEST(Truth, Node) {
  const char* script =
      "const fs = require('fs');"
      "require('./lib/a'); require('dep'); try { require('absent') } catch (e) {}"
      "(async () => {"
      "  await import('./lib/m.mjs');"
      "  for (const name of fs.readdirSync('data')) fs.readFileSync('data/' + name);"
      "  for (const e of await fs.promises.readdir('data', {withFileTypes: true}))"
      "    await fs.promises.stat('data/' + e.name);"
      "  await Promise.all([...Array(64).keys()].map("
      "    (i) => fs.promises.readFile('data/f' + i).catch((e) => 0)));"
      "  fs.existsSync('no'); fs.accessSync('lib'); fs.writeFileSync('out', 'x');"
      "  fs.renameSync('out', 'moved'); fs.symlinkSync('moved', 'l'); fs.readlinkSync('l');"
      "  fs.realpathSync('l'); fs.mkdirSync('x/y', {recursive: true});"
      "  fs.cpSync('lib', 'copy', {recursive: true}); fs.rmSync('x', {recursive: true});"
      "  require('child_process').execFileSync('cat', ['moved', 'data/f1']);"
      "})()";
  expect_truth_of("/usr/bin/node",
                  std::string(kNodeTree) + "cat > main.js <<'E'\n" + script + "\nE",
                  {"node", "main.js"}, node_may());
}

TEST(Truth, Npm) {
  const std::string quiet = "--offline --logs-max=0 --update-notifier=false ";
  expect_truth_of("/usr/bin/npm", kNodeTree, {"/bin/sh", "-ec", "npm run go " + quiet}, node_may());
  expect_truth_of("/usr/bin/npm", kNodeTree, {"/bin/sh", "-ec", "npm pack " + quiet}, node_may());
}

TEST(Truth, Rsync) {
  expect_truth_of("/usr/bin/rsync",
                  "mkdir -p d/e; echo x > d/e/f; ln -s e d/l; mkdir copy; echo old > copy/old;"
                  "touch -h -d '2 days ago' d/l d/e/f d/e d",
                  {"rsync", "-a", "--delete", "d/", "copy"});
}

// A shell and its tools in one file, linked to no library.
TEST(Truth, StaticShell) {
  expect_truth_of(
      "/bin/bash-static", "mkdir -p a/b; for i in 1 2 3; do echo x$i > a/b/$i; done",
      {"bash-static", "-c",
       "for f in */*/*; do read -r line < $f; done; [ -e absent ]; cd a; [ b/1 -nt .. ];"
       "echo new > b/new; (cd b; . ./../absent; cat < 1); cat b/2 | while read l; do :; "
       "done; pwd -P"},
      {.not_predicted = {"open-read-write /dev/tty ENXIO"}});
}

TEST(Truth, Busybox) {
  expect_truth_of(
      "/bin/busybox", "mkdir -p a/b; for i in 1 2 3; do echo x$i > a/b/$i; done",
      {"busybox", "sh", "-c",
       "find . -type f | xargs grep x2; ls -lR; cp -r a c; mv c/b d; rm -r c; cat no;"
       "tar cf t.tar a; tar xf t.tar -C d; true"},
      {.aliases = {{"exec /proc/PID/exe", "exec " + real_path("/bin/busybox").value_or("")}}});
}

// Builds `source` with `compiler` and holds what came out to the truth.
void expect_truth_of_built(const std::string& compiler, const std::string& source,
                           const std::vector<std::string>& options) {
  if (::access(compiler.c_str(), X_OK) != 0) GTEST_SKIP() << "there is no " << compiler;
  const TempDir dir;
  ASSERT_TRUE(make_dirs(dir / "w"));
  ASSERT_TRUE(make_dirs(dir / "home"));
  const std::string name = dir / (source.starts_with("package") ? "source.go" : "source.c");
  ASSERT_TRUE(write_file(name, source, Sync::kNo));
  std::vector<std::string> argv = {compiler};
  argv.insert(argv.end(), options.begin(), options.end());
  argv.insert(argv.end(), {"-o", dir / "program", name});
  const Output built = run_plain(dir, argv);
  ASSERT_EQ(built.exit.status, 0) << built.err;
  expect_truth(dir, "mkdir -p d/e; for i in $(seq 0 15); do echo $i > d/f$i; done",
               {dir / "program"});
}

TEST(Truth, Musl) {
  const char* source =
      "#include <dirent.h>\n#include <fcntl.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
      "#include <sys/stat.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"
      "int main(void) {\n"
      "  char name[32], path[4096];\n  struct stat st;\n  DIR* d = opendir(\"d\");\n"
      "  while (readdir(d)) continue;\n  closedir(d);\n"
      "  for (int i = 0; i < 20; ++i) {\n    snprintf(name, sizeof name, \"d/f%d\", i);\n"
      "    stat(name, &st);\n    access(name, R_OK);\n"
      "    FILE* f = fopen(name, \"r\");\n    if (f) fclose(f);\n  }\n"
      "  if (!realpath(\"d/../d/e\", path) || chdir(\"d\")) return 1;\n"
      "  if (fork() == 0) {\n    open(\"absent\", O_RDONLY);\n    _exit(0);\n  }\n  wait(NULL);\n"
      "  return system(\"cat f1 f2 >/dev/null\");\n}\n";
  expect_truth_of_built("/usr/bin/musl-gcc", source, {});
  expect_truth_of_built("/usr/bin/musl-gcc", source, {"-static"});
}

TEST(Truth, Go) {
  expect_truth_of_built(
      "/usr/bin/go",
      "package main\n\nimport (\n\"fmt\"\n\"io/fs\"\n\"os\"\n\"os/exec\"\n\"path/filepath\"\n"
      "\"sync\"\n)\n\nfunc main() {\n"
      "filepath.WalkDir(\".\", func(p string, d fs.DirEntry, err error) error { os.Stat(p); return "
      "err })\nvar all sync.WaitGroup\nfor i := 0; i < 32; i++ {\nall.Add(1)\n"
      "go func(i int) { defer all.Done(); os.ReadFile(fmt.Sprintf(\"d/f%d\", i)) }(i)\n}\n"
      "all.Wait()\nos.Rename(\"d/f1\", \"d/moved\")\nos.Symlink(\"e\", \"d/l\")\n"
      "filepath.EvalSymlinks(\"d/l\")\nexec.Command(\"cat\", \"d/moved\").Run()\n}\n",
      {"build"});
}

TEST(Truth, Valgrind) {
  expect_truth_of("/usr/bin/valgrind", "echo x > in; mkdir d",
                  {"valgrind", "-q", "/bin/ls", "-l", "in", "d"});
}

}  // namespace
}  // namespace gittxn::capture
