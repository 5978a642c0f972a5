// The table of what is enforced names all that the kernel promises, so that what is added without a
// row fails here.
#include "api/kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "gates/policy_file.h"

namespace gittxn::api {
namespace {

std::set<std::string> words_of(std::string_view list) {
  std::set<std::string> words;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(", "), list.size());
    words.emplace(list.substr(0, end));
    list.remove_prefix(std::min(end + 2, list.size()));
  }
  return words;
}

std::set<std::string> answered() {
  std::set<std::string> all;
  for (const Enforced& row : enforces()) all.merge(words_of(row.answers));
  return all;
}

// The sections of .gittxn.toml, as its reader names them to whoever misspells one.
std::set<std::string> sections() {
  constexpr std::string_view kBefore = "known keys are ";
  const auto refused = gates::parse_policy("no-such-section = 1\n");
  if (refused || !refused.error().hint.starts_with(kBefore)) return {};
  std::set<std::string> all;
  for (const std::string& one : words_of(refused.error().hint.substr(kBefore.size()))) {
    all.insert(fmt::format("[{}]", one));
  }
  return all;
}

TEST(Enforces, AnswersEachFindingAndEachInvariantOfTheKernel) {
  constexpr int kFindings = 12;
  constexpr int kInvariants = 9;
  const std::set<std::string> all = answered();
  for (int i = 1; i <= kFindings; ++i) EXPECT_TRUE(all.contains(fmt::format("F{}", i))) << i;
  for (int i = 1; i <= kInvariants; ++i) EXPECT_TRUE(all.contains(fmt::format("K{}", i))) << i;
}

TEST(Enforces, SaysOfEachSectionOfThePolicyWhatItDoes) {
  const std::set<std::string> known = sections();
  EXPECT_GE(known.size(), 9u) << "the reader does not name them";
  const std::set<std::string> all = answered();
  for (const std::string& one : known) EXPECT_TRUE(all.contains(one)) << one;
  for (const std::string& one : all) {
    const bool section = one.starts_with('[');
    EXPECT_TRUE(!section || known.contains(one)) << one << " is no section";
  }
}

TEST(Enforces, EachRowIsWholeAndThereOnce) {
  std::set<std::string_view> seen;
  for (const Enforced& row : enforces()) {
    EXPECT_TRUE(seen.insert(row.what).second) << row.what;
    EXPECT_FALSE(row.enforced.empty() || row.mechanism.empty() || row.since.empty()) << row.what;
    for (const std::string_view cell : {row.what, row.enforced, row.mechanism, row.answers}) {
      EXPECT_EQ(cell.find_first_of("|\n"), std::string_view::npos) << row.what;
    }
  }
}

}  // namespace
}  // namespace gittxn::api
