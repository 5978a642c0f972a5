// Words for people that both sides changed.
#include "semantic/merge/prose.h"

#include <gtest/gtest.h>

#include <string>

namespace gittxn::semantic {
namespace {

const std::string kOpen = "\"\"\"Edits a file.\n\n", kClose = "    \"\"\"";
const std::string kFile = "    :param file: the file,\n                 which is opened.\n";
const std::string kMoreOfFile =
    "    :param file: the file,\n                 which is opened, or several.\n";
const std::string kSince = "\n    .. versionchanged:: 8.2\n        Takes several.\n";
const std::string kSize = "    :param size: how large it is.\n";

std::string merged(const std::string& left, const std::string& right) {
  const std::string base = kOpen + kFile + kClose;
  const std::string ours = kOpen + left + kClose, theirs = kOpen + right + kClose;
  const auto one = merge_prose({base, ours, theirs}), turned = merge_prose({base, theirs, ours});
  EXPECT_EQ(one, turned);
  return one.value_or("");
}

TEST(Prose, WhatOneSideAddsStandsBehindTheParagraphThatTheOtherChanged) {
  EXPECT_EQ(merged(kMoreOfFile, kFile + kSize), kOpen + kMoreOfFile + kSize + kClose);
  EXPECT_EQ(merged(kMoreOfFile + kSince, kFile + kSize),
            kOpen + kMoreOfFile + kSize + kSince + kClose);
  // A paragraph of its own stands behind all that the other side wrote.
  const std::string note = "\n    .. note::\n        Slow.\n";
  EXPECT_EQ(merged(kMoreOfFile + kSince, kFile + note),
            kOpen + kMoreOfFile + kSince + note + kClose);
}

TEST(Prose, WhatBothChangedIsLeft) {
  EXPECT_EQ(merged(kMoreOfFile, "    :param file: its name,\n                 or none.\n"), "");
  EXPECT_EQ(merged(kMoreOfFile, kSize), "");
  EXPECT_EQ(merged("", kFile + kSize), "");
}

}  // namespace
}  // namespace gittxn::semantic
