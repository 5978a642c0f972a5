// What one side did, as commute.h is given it.
#include "semantic/footprint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "semantic/testing/edits.h"

namespace gittxn::semantic {
namespace {

using testing::edit;
using testing::replaced;

// Its place among the symbols is another one in each version.
TEST(Footprint, AMemberIsOfTheTypeItIsInNow) {
  const std::string type = "class A:\n  def f(self):\n    return 1\n";
  const std::string before = "class B:\n  pass\n";
  for (const auto& [was, is] : {std::pair(type, "def g():\n  pass\ndef h():\n  pass\n" + type),
                                std::pair(before + type, type), std::pair(type, before + type)}) {
    const Footprint footprint = edit("a.py", was, replaced(is, "return 1", "return 2"));
    const auto write = std::find_if(footprint.writes.begin(), footprint.writes.end(),
                                    [](const Write& each) { return each.symbol == "a.py/A#f()."; });
    ASSERT_NE(write, footprint.writes.end());
    EXPECT_EQ(write->of_type, "A");
  }
}

}  // namespace
}  // namespace gittxn::semantic
