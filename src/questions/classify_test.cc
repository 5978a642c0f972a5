// Tests of what holds for all programs.
#include <gtest/gtest.h>

#include <set>

#include "questions/runners.h"
#include "questions/testing/ask.h"

namespace gittxn::questions {
namespace {

using testing::said_of;

// git's commands have names of their own.
std::vector<std::vector<Program>> families() {
  std::vector<std::vector<Program>> all(2);
  for (const auto table : {coreutils_programs(), text_programs(), name_programs(),
                           search_programs(), script_runners(), build_runners()})
    all[0].insert(all[0].end(), table.begin(), table.end());
  for (const auto table : {git_commands(), git_history_commands()})
    all[1].insert(all[1].end(), table.begin(), table.end());
  return all;
}

// Each name of a program once in all tables, each option of a program with one meaning.
TEST(QuestionTables, HaveEachNameOnce) {
  for (const auto& family : families()) {
    std::set<std::string_view> programs;
    for (const Program& program : family) {
      for (const OptionRow& one : rows_of(program.names))
        EXPECT_TRUE(programs.insert(one.names.front()).second) << one.names.front();
      for (const std::string_view options : program.options) {
        std::set<std::string_view> here;  // two texts of git's may both have an option
        for (const OptionRow& row : rows_of(options)) {
          for (const std::string_view name : row.names) {
            EXPECT_NE(name, "") << program.names << ": " << options;
            EXPECT_TRUE(here.insert(name).second) << program.names << ": " << name;
          }
        }
      }
      for (const Refused& refused : program.refused) {
        EXPECT_EQ(refused.why.empty(), refused.options.empty()) << program.names;
        for (const OptionRow& row : rows_of(refused.options)) {
          for (const std::string_view name : row.names) EXPECT_NE(name, "") << program.names;
        }
      }
    }
  }
}

TEST(Classify, KnowsAProgramByItsName) {
  EXPECT_EQ(said_of("/usr/bin/cat a"), "pure: cat");
  EXPECT_EQ(said_of("./cat a"), "pure: cat");  // which cat that is, is for the caller
  EXPECT_EQ(said_of("cat2 a"), "no: the program cat2 is not on the list");
  EXPECT_EQ(said_of("awk 1 a"), "no: awk can run programs and write files");
  EXPECT_EQ(said_of("go:test a"), "no: the program go:test is not on the list");
  EXPECT_FALSE(classify({}));
  EXPECT_FALSE(classify({""}));
  EXPECT_FALSE(classify({"cat head"}));
  EXPECT_FALSE(classify({"/"}));
}

TEST(Classify, ReadsNoVectorOfVeryManyWords) {
  std::vector<std::string> argv(70'000, "a");
  argv[0] = "cat";
  const Classified asked = classify(argv);
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().reason, "cat has too many arguments");
}

}  // namespace
}  // namespace gittxn::questions
