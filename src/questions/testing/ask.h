// Command lines as the tests write them: words parted by blanks, single quotes hold them together.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "questions/question.h"

namespace gittxn::questions::testing {

inline std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  bool quoted = false;
  bool open = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    if (c != '\'') words.back() += c;
  }
  return words;
}

// The name and kind of the question, or why it is none.
inline std::string said_of(std::string_view line) {
  const Classified asked = classify(words_of(line));
  if (!asked) return "no: " + asked.error().reason;
  return (asked->kind == Kind::kPure ? "pure: " : "runner: ") + asked->name;
}

inline void expect_all(std::string_view kind, const std::vector<std::string_view>& lines) {
  for (const std::string_view line : lines)
    EXPECT_TRUE(said_of(line).starts_with(kind)) << line << "\n" << said_of(line);
}

inline void expect_pure(const std::vector<std::string_view>& lines) {
  expect_all("pure: ", lines);
}

inline void expect_runner(const std::vector<std::string_view>& lines) {
  expect_all("runner: ", lines);
}

// Each line, and a part of the reason.
using NoneRow = std::pair<std::string_view, std::string_view>;

inline void expect_none(std::span<const NoneRow> lines) {
  for (const auto& [line, reason] : lines) {
    const std::string said = said_of(line);
    EXPECT_TRUE(said.starts_with("no: ") && said.contains(reason)) << line << "\n" << said;
  }
}

}  // namespace gittxn::questions::testing
