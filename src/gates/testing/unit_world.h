// A repository and a gate of units for tests, whose candidates come after each other as if each had
// landed.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "asking/testing/world.h"
#include "base/fs.h"
#include "gates/testing/gate_world.h"
#include "gates/units/table.h"

namespace gittxn::gates::testing {

inline constexpr std::string_view kPlain = "units = [\"tests/*\"]\nrun = [\"sh\", \"{unit}\"]\n";

// Three units: two that look at a module each, and one that looks at none.
inline const std::map<std::string, std::string> kSuite = {
    {"src/one", "1\n"},
    {"src/two", "2\n"},
    {"tests/a", "grep -q . src/one\n"},
    {"tests/b", "grep -q . src/two\n"},
    {"tests/c", "true\n"},
};

class Units : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { SystemClock().sleep_ms(100); }

  void SetUp() override {
    const std::string why = asking::testing::missing_for_asking();
    if (!why.empty()) GTEST_SKIP() << why;
    repo::testing::must(make_dirs(home("")));
  }
  // Outside of what is private to a unit.
  std::string home(const std::string& name) const { return join_path(outside_ / "home", name); }
  GateContext context() {
    GateContext context = world_.context();
    context.caller["HOME"] = outside_ / "home";
    context.worktree_root = outside_ / "state";
    return context;
  }
  static Policy policy(const std::string& keys, const std::string& more = "") {
    return repo::testing::must(parse_policy("[[gate]]\nname = \"suite\"\n" + keys + more));
  }
  // A candidate on top of the one before it, as if that had landed.
  Candidate next(std::map<std::string, std::string> files) {
    std::map<std::string, std::string> all = kSuite;
    for (auto& [path, bytes] : files) all[path] = std::move(bytes);
    std::erase_if(all, [](const auto& file) { return file.second.empty(); });
    Candidate made = world_.candidate(all);
    if (!last_.empty()) made.parent = last_;
    last_ = made.commit;
    return made;
  }
  GateReport run(const Policy& policy, const Candidate& candidate) {
    auto reports = repo::testing::must(run_gates(context(), policy, candidate));
    return reports.front();
  }
  UnitTable table(const GateReport& report) {
    return repo::testing::must(
        units_from_lines(repo::testing::must(world_.store().artifact(report.certificate.units))));
  }
  // The units that ran, "a b".
  std::string ran(const GateReport& report) {
    std::string names;
    for (const UnitSaid& said : table(report)) {
      if (!said.ran) continue;
      const std::string name = said.part == UnitSaid::Part::kPrepared ? "+build"
                               : said.part == UnitSaid::Part::kListed ? "+list"
                                                                      : said.unit;
      names += (names.empty() ? "" : " ") + name;
    }
    return names;
  }
  std::string limits(const GateReport& report) {
    std::string text;
    for (const UnitSaid& said : table(report)) text += said.unit + ": " + said.limited + "\n";
    return text;
  }

  asking::testing::PlaceOutside outside_;
  GateWorld world_;
  Oid last_;
};

}  // namespace gittxn::gates::testing
