// A file of a language merged, for the tests of what is merged and what is not.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "semantic/merge.h"

namespace gittxn::semantic {

inline Merged merged_as(std::string_view language, const Sides<std::string>& texts) {
  auto merged = merge_file(find_language(language), texts, {});
  EXPECT_TRUE(merged);
  return merged ? *merged : Merged{};
}

// The reason of the conflict that there has to be, whose side is which.
inline std::string why_not_as(std::string_view language, const Sides<std::string>& texts) {
  const Merged merged = merged_as(language, texts);
  EXPECT_FALSE(merged.clean()) << rule_name(merged.rule) << "\n" << merged.text;
  const Merged turned = merged_as(language, {texts[kBase], texts[kRight], texts[kLeft]});
  EXPECT_FALSE(turned.clean()) << rule_name(turned.rule) << "\n" << turned.text;
  return merged.why;
}

// A function, of which one side writes something else in `was`, and what stands behind it.
struct CalledAnew {
  std::string_view language;
  std::string head, was, now, body, call, apart, end = {};

  Sides<std::string> sides(const std::string& behind) const {
    return {head + was + body + end, head + now + body + end, head + was + body + behind + end};
  }
};

}  // namespace gittxn::semantic
