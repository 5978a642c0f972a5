// The languages of the fuzzers, by the first byte of their input; fuzz/seeds knows the order.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

struct FuzzedLanguage {
  std::string_view name, path;
};

inline const FuzzedLanguage& fuzzed(std::uint8_t byte) {
  static constexpr FuzzedLanguage kAll[] = {
      {"c", "a.c"},       {"cpp", "a.cc"},        {"python", "a.py"},     {"go", "a.go"},
      {"java", "a.java"}, {"javascript", "a.js"}, {"typescript", "a.ts"}, {"rust", "a.rs"},
      {"json", "a.json"}, {"yaml", "a.yaml"},     {"toml", "a.toml"},     {"csharp", "a.cs"},
      {"ruby", "a.rb"},   {"php", "a.php"},       {"kotlin", "a.kt"},     {"bash", "a.sh"},
      {"tsx", "a.tsx"},
  };
  return kAll[byte % std::size(kAll)];
}
