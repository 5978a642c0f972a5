// ls, tree and find.
#include <gtest/gtest.h>

#include "questions/question.h"
#include "questions/testing/ask.h"

namespace gittxn::questions {
namespace {

using testing::expect_none;
using testing::expect_pure;

constexpr testing::NoneRow kNoPureNamesAreListed[] = {
    {"ls -l", "-l shows times"},
    {"ls -la", "-l shows times"},
    {"ls -S", "-S shows"},
    {"ls --sort=time", "'time'"},
    {"ls --sort=size", "'size'"},
    {"ls --format=long", "'long'"},
    {"ls -U", "-U shows the order of a directory"},
    {"ls -f", "order of a directory"},
    {"ls -i", "shows"},
    {"ls -s", "shows"},
    {"ls --hyperlink", "shows"},
    {"ls --full-time", "shows"},
    {"tree -D", "shows"},
    {"tree -Lo 2 x", "-Lo is not understood"},
    {"tree -L 2 -o x", "writes files"},
    {"tree -o x", "writes files"},
    {"tree -U", "order"},
    {"find . -delete", "-delete writes files"},
    {"find . -exec cat {} ;", "-exec runs other programs"},
    {"find . -execdir cat {} +", "runs other programs"},
    {"find . -newer a", "depends on the time"},
    {"find . -newermt now", "depends on the time"},
    {"find . -newerXY x", "not on the list"},
    {"find . -mtime -1", "depends on the time"},
    {"find . -ls", "shows"},
    {"find . -fprintf x %p", "writes files"},
    {"find . -perm 644", "shows"},
    {"find . -size +1", "shows"},
    {"find . -quit", "order"},
    {"find . -printf %t", "-printf %t"},
    {"find . -printf %", "-printf %"},
    {"find . -name", "lacks its value"},
    {"find -D exec .", "not on the list"},
    {"find -files0-from x", "from a file"}};

TEST(PureNames, AreListed) {
  expect_pure({"ls", "ls -1aF src", "ls -R --color=always", "ls -Ad */", "ls --sort=version",
               "ls --group-directories-first -p", "tree -a -L 2 --noreport", "tree -I build -F",
               "find . -name '*.c' -type f", "find", "find a b -maxdepth 2 ! -path './x/*' -print0",
               "find . ( -name a -o -name b ) -prune -o -print", "find -L . -regex '.*x' -empty",
               "find . -regextype posix-extended -iregex x", "find . -printf '%P %y\\n'",
               "find . -name -delete"});
  expect_none(kNoPureNamesAreListed);
  EXPECT_EQ(classify({"find"})->order, Order::kAny);
  EXPECT_EQ(classify({"ls"})->order, Order::kItsOwn);
}

TEST(ListsNames, WhateverElseLsShows) {
  for (const std::vector<std::string>& argv : std::vector<std::vector<std::string>>{
           {"ls"},
           {"/usr/bin/ls", "-la", "--time-style=full-iso", "a b"},
           {"dir", "-S"},
           {"find", ".", "-name", "*.c"},
           {"tree", "-L", "2"},
           {"bfs", "-S", "dfs", "-regextype", "findutils-default", ".", "-name", "*.c"}}) {
    EXPECT_TRUE(lists_names(argv)) << argv[0];
  }
  for (const std::vector<std::string>& argv : std::vector<std::vector<std::string>>{
           {},
           {""},
           {"cat", "a"},
           {"git", "ls-files"},
           {"rg", "--files"},
           {"ls", "-lL"},
           {"ls", "--dereference"},
           {"ls", "-H", "a"},
           {"find", "-L", "."},
           {"find", ".", "-exec", "x", ";"},
           {"find", ".", "-delete"},
           {"find", ".", "-newer", "a"},
           {"tree", "-o", "x"},
           {"tree", "-D"},
           {"bfs", "."},
           {"bfs", "-S", "dfs", "-regextype", "findutils-default", "-L", "."},
           {"bfs", "-S", "dfs", "-regextype", "findutils-default", ".", "-delete"}}) {
    EXPECT_FALSE(lists_names(argv)) << (argv.empty() ? "" : argv[0]);
  }
}

}  // namespace
}  // namespace gittxn::questions
