#include "gates/units/seen.h"

#include <gtest/gtest.h>

#include "gates/testing/unit_world.h"

namespace gittxn::gates {
namespace {

using repo::testing::must;
using testing::kPlain;
using testing::Units;

// "tests/a: src/one", each on a line.
std::string looked(const store::Store& store, const std::set<std::string>& files) {
  std::string said;
  for (const UnitLooked& one : must(units_that_looked(store, files))) {
    said += one.unit + ":";
    for (const std::string& file : one.files) said += " " + file;
    said += "\n";
  }
  return said;
}

TEST_F(Units, SayWhichFilesTheyLookedInto) {
  const store::Store& store = *context().store;
  EXPECT_EQ(looked(store, {"src/one"}), "");  // none has run
  const Policy suite = policy(std::string(kPlain));
  run(suite, next({}));
  EXPECT_EQ(looked(store, {"src/one"}), "tests/a: src/one\ntests/b:\ntests/c:\n");
  EXPECT_EQ(looked(store, {"src/none"}), "tests/a:\ntests/b:\ntests/c:\n");
  // The newest run counts, of those that are carried the one that was.
  run(suite, next({{"tests/b", "grep -q . src/one\n"}}));
  EXPECT_EQ(looked(store, {"src/one"}), "tests/a: src/one\ntests/b: src/one\ntests/c:\n");
}

}  // namespace
}  // namespace gittxn::gates
