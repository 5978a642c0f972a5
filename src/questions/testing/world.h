// A small folder, and the same folder made in another order and at another time, for asking the
// programs themselves.
#pragma once

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/fs.h"
#include "base/subprocess.h"

namespace gittxn::questions::testing {

inline Environment plain_environment() {
  return {{"PATH", "/usr/bin:/bin"},
          {"HOME", "/nonexistent"},
          {"LC_ALL", "C.UTF-8"},
          {"TZ", "UTC"},
          {"GIT_CONFIG_NOSYSTEM", "1"},
          {"GIT_AUTHOR_NAME", "A"},
          {"GIT_AUTHOR_EMAIL", "a@x"},
          {"GIT_AUTHOR_DATE", "2026-01-02T03:04:05Z"},
          {"GIT_COMMITTER_NAME", "A"},
          {"GIT_COMMITTER_EMAIL", "a@x"},
          {"GIT_COMMITTER_DATE", "2026-01-02T03:04:05Z"}};
}

inline Output run_in(const std::string& cwd, const std::vector<std::string>& argv) {
  Result<Output> ran = run({argv, cwd, plain_environment(), {}, 120'000, 1 << 22, {}});
  if (!ran) return {{127, false}, ran.error().message, {}};
  return *std::move(ran);
}

enum class Made { kFirst, kLater };  // kLater: the last file first, and with other times

inline void make_world(const std::string& top, Made made) {
  std::vector<std::pair<std::string, std::string>> files{
      {"a.txt", "one 1\ntwo 2\nthree 3\n"},
      {"b.txt", "one 1\n2 two\n"},
      {"sums", "d41d8cd98f00b204e9800998ecf8427e  empty\n"},
      {"data.json", "{\"a\": [1, 2], \"b\": \"x\"}\n"},
      {"empty", ""},
      {".hidden", "one\n"},
      {"sub/c.txt", "one\n"},
      {"sub/d.py", "x = 1\n"},
      {"sub/e/f.txt", "two one\n"},
      {"build.ninja", "rule t\n command = true\nbuild all: t\n"},
      {"Makefile", "all test check:\n\t@true\n"},
      {"CMakeLists.txt",
       "cmake_minimum_required(VERSION 3.20)\nproject(x NONE)\nenable_testing()\n"
       "add_test(NAME t COMMAND true)\n"},
      {"test_x.py",
       "import unittest\n\n\nclass X(unittest.TestCase):\n    def test_x(self):\n        pass\n"},
      {"x.test.js", "require('node:test')('x', () => {});\n"}};
  if (made == Made::kLater) std::ranges::reverse(files);
  for (const auto& [path, text] : files) {
    const std::string file = join_path(top, path);
    ASSERT_TRUE(make_dirs(parent_dir(file), 0755));
    ASSERT_TRUE(write_file(file, text, Sync::kNo, 0644));
    const timespec time{made == Made::kFirst ? 1'700'000'000 : 1'710'000'123, 0};
    const timespec times[] = {time, time};
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  }
}

inline void make_repository(const std::string& top) {
  using Line = std::vector<std::string>;
  for (const Line& line :
       {Line{"init", "-q", "-b", "main"}, Line{"config", "user.name", "A"}, Line{"add", "-A"},
        Line{"commit", "-q", "-m", "first"}, Line{"tag", "v1"}, Line{"rm", "-q", "b.txt"},
        Line{"commit", "-q", "-m", "second"}, Line{"branch", "other"}}) {
    Line argv{"git"};
    argv.insert(argv.end(), line.begin(), line.end());
    const Output ran = run_in(top, argv);
    ASSERT_TRUE(ran.exit.success()) << quote_argv(argv) << ran.out << ran.err;
  }
  ASSERT_TRUE(write_file(join_path(top, "a.txt"), "one 1\ntwo\n", Sync::kNo, 0644));
}

// All files but git's index, which git refreshes: path to mode, time and bytes.
inline std::map<std::string, std::string> everything_in(const std::string& top) {
  std::map<std::string, std::string> all;
  std::vector<std::string> folders{""};
  while (!folders.empty()) {
    const std::string folder = folders.back();
    folders.pop_back();
    const auto entries = list_dir(join_path(top, folder));
    if (!entries) {
      ADD_FAILURE() << folder << ": " << entries.error().message;
      return all;
    }
    for (const DirEntry& entry : *entries) {
      const std::string path = folder.empty() ? entry.name : folder + "/" + entry.name;
      struct stat about{};
      EXPECT_EQ(::lstat(join_path(top, path).c_str(), &about), 0) << path;
      std::string& text = all[path];
      text = std::to_string(about.st_mode);
      if (entry.type == DT_DIR) folders.push_back(path);
      if (entry.type != DT_REG) continue;
      text += " " + std::to_string(about.st_mtim.tv_sec) + "\n";
      text += read_file(join_path(top, path)).value_or("unreadable");
    }
  }
  all.erase(".git/index");
  return all;
}

}  // namespace gittxn::questions::testing
