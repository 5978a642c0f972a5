// The languages of fuzz/merge.cc and fuzz/declarations.cc; fuzz/seeds knows their order.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

inline std::string_view fuzzed_language(std::uint8_t byte) {
  constexpr std::string_view kNames[] = {"c",    "cpp",        "python",     "go",
                                         "java", "javascript", "typescript", "rust",
                                         "json", "yaml",       "toml",       "tsx"};
  return kNames[byte % std::size(kNames)];
}
