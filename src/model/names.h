// Enumerations and their names in JSON, on the command line and in the documentation: one table
// each.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace gittxn {

template <typename T, std::size_t N>
using NameTable = std::array<std::pair<T, std::string_view>, N>;

template <typename T, std::size_t N>
std::string_view name_in(const NameTable<T, N>& table, T value) {
  for (const auto& [entry, name] : table) {
    if (entry == value) return name;
  }
  return "unknown";
}

template <typename T, std::size_t N>
Result<T> value_in(const NameTable<T, N>& table, std::string_view what, std::string_view name) {
  for (const auto& [entry, entry_name] : table) {
    if (entry_name == name) return entry;
  }
  std::string names;
  for (const auto& [entry, entry_name] : table) {
    if (!names.empty()) names += ", ";
    names += entry_name;
  }
  return fail(Code::kCorrupt, fmt::format("unknown {} '{}'", what, name), "one of: " + names);
}

}  // namespace gittxn
