#include "gates/suggest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "gates/policy_file.h"

namespace gittxn::gates {
namespace {

using Files = std::map<std::string, std::string>;

std::vector<SuggestedGate> gates_of(const Files& files) {
  std::vector<std::string> names;
  for (const auto& [path, text] : files) names.push_back(path);
  return suggested_gates(
             names, [&](const std::string& path) -> Result<std::string> { return files.at(path); })
      .value();
}

// "tests: pytest" or "tests: `make test`"
std::string in_short(const Files& files) {
  std::string text;
  for (const SuggestedGate& gate : gates_of(files)) {
    text += (text.empty() ? "" : ", ") + gate.name + ": " +
            (gate.preset.empty() ? "`" + gate.run + "`" : gate.preset) + " by " + gate.why;
  }
  return text;
}

TEST(Suggested, GatesAreOfTheRunnersThatARepositoryHas) {
  const std::vector<std::pair<Files, std::string>> cases = {
      {{{"README", ""}}, ""},
      {{{"go.mod", ""}, {"a_test.go", ""}}, "tests: go by go.mod"},
      {{{"go.mod", ""}, {"a.go", ""}}, ""},
      {{{"CMakeLists.txt", "enable_testing()\n"}}, "tests: ctest by CMakeLists.txt"},
      {{{"CMakeLists.txt", "project(x)\n"}}, ""},
      {{{"package.json", R"({"scripts": {"test": "node --test"}})"}},
       "tests: node-test by package.json"},
      {{{"package.json", R"({"scripts": {"test": "jest"}})"}}, "tests: `npm test` by package.json"},
      {{{"package.json", "{}"}}, ""},
      {{{"test_a.py", "import unittest\n"}}, "tests: unittest by test_a.py"},
      {{{"test_a.py", "import unittest\n"}, {"test_b.py", "import pytest\n"}},
       "tests: pytest by test_b.py"},
      {{{"t/test_a.py", "def test(): pass\n"}}, "tests: pytest by t/test_a.py"},
      {{{"t/conftest.py", ""}, {"t/a_test.py", "import unittest\n"}},
       "tests: pytest by t/conftest.py"},
      {{{"a_test.py", "import unittest\n"}, {"pyproject.toml", "[tool.pytest.ini_options]\n"}},
       "tests: pytest by pyproject.toml"},
      {{{"Makefile", "all:\n\ncheck: all\n"}}, "tests: `make check` by Makefile"},
      {{{"Makefile", "testing:\n"}}, ""},
      {{{"Cargo.toml", ""}, {"Makefile", "test:\n"}}, "tests: `cargo test` by Cargo.toml"},
      {{{"a_test.go", ""}, {"go.mod", ""}, {"test_a.py", "import pytest\n"}},
       "tests: go by go.mod, tests-pytest: pytest by test_a.py"},
  };
  for (const auto& [files, expected] : cases) EXPECT_EQ(in_short(files), expected);
}

TEST(Suggested, APolicyIsOneThatCanBeRead) {
  const Files files = {
      {"Cargo.toml", ""}, {"a_test.go", ""}, {"go.mod", ""}, {"t/test_\n.py", "import pytest\n"}};
  const std::string text = suggested_policy(gates_of(files));
  const auto parsed = parse_policy(text);
  ASSERT_TRUE(parsed.has_value()) << text << parsed.error().message;
  const Policy& policy = *parsed;
  ASSERT_EQ(policy.gates.size(), 3u);
  EXPECT_EQ(policy.gates[0].name, GateName("tests"));
  EXPECT_TRUE(policy.gates[0].units.has_value());
  EXPECT_TRUE(policy.gates[1].units.has_value());
  EXPECT_FALSE(policy.gates[2].units.has_value());
  EXPECT_TRUE(parse_policy(suggested_policy({})).value().gates.empty());
  const auto below_src =
      parse_policy(suggested_policy(gates_of({{"src/x/__init__.py", ""}, {"t/conftest.py", ""}})));
  EXPECT_EQ(below_src.value().gates.front().command.at(1), "PYTHONPATH=src");
}

}  // namespace
}  // namespace gittxn::gates
