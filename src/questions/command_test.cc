// Words that are a command's own.
#include <gtest/gtest.h>

#include "questions/question.h"

namespace gittxn::questions {
namespace {

TEST(Commands, AreTheRunsOwnAsAListOrAsALineThatAShellTakesAsItIs) {
  const std::vector<std::string> argv{"python3", "-m", "pytest", "tests/test_a.py::Case"};
  EXPECT_TRUE(is_command(argv, argv));
  EXPECT_TRUE(is_command({"sh", "-c", " python3  -m pytest tests/test_a.py::Case"}, argv));
}

TEST(Commands, AreOthersWhereAShellDoesMoreWithThem) {
  const std::vector<std::string> argv{"pytest", "-q"};
  for (const char* line : {"pytest -q || true", "pytest -q; true", "pytest -q tests", "pytest", "",
                           "pytest '-q'", "pytest -q # x", "pytest -q\n", "X=1 pytest -q",
                           "pytest -q > log", "pytest $A", "pytest -?", "cd d && pytest -q"}) {
    EXPECT_FALSE(is_command({"sh", "-c", line}, argv)) << line;
  }
  EXPECT_FALSE(is_command({"bash", "-c", "pytest -q"}, argv));
  EXPECT_FALSE(is_command({"pytest"}, argv));
}

}  // namespace
}  // namespace gittxn::questions
