#include "gates/evidence/rows.h"

#include <gtest/gtest.h>

#include <string>

namespace gittxn::gates {
namespace {

constexpr RowsHead kHead{"looks", 2, 3};

TEST(Rows, AreReadAsTheyWereWritten) {
  std::string text = rows_head(kHead, 2);
  add_row(text, {"a", "", "\t\n\\"});
  add_row(text, {"", "", ""});
  std::string seen;
  const auto take = [&seen](std::span<std::string> cells) {
    for (const std::string& cell : cells) seen += cell + ";";
    return true;
  };
  EXPECT_TRUE(each_row(text, kHead, take).has_value());
  EXPECT_EQ(seen, "a;;\t\n\\;;;;");
}

TEST(Rows, OfAnotherShapeAreDamaged) {
  const auto take = [](std::span<std::string>) { return true; };
  for (const std::string wrong :
       {"", "looks 2 0", "looks 1 0\n", "units 2 0\n", "looks 2 x\n", "looks 2 1\n",
        "looks 2 1\na\tb\n", "looks 2 1\na\tb\tc\td\n", "looks 2 1\na\tb\t\\\n",
        "looks 2 1\na\tb\t\\x\n", "looks 2 1\na\tb\tc\na\tb\tc\n"}) {
    EXPECT_EQ(each_row(wrong, kHead, take).error().code, Code::kCorrupt) << wrong;
  }
  const auto refuse = [](std::span<std::string>) { return false; };
  EXPECT_EQ(each_row("looks 2 1\na\tb\tc\n", kHead, refuse).error().message,
            "looks: row 1 is damaged");
}

}  // namespace
}  // namespace gittxn::gates
