// Failures that are answers.
#pragma once

#include <optional>
#include <utility>

#include "base/result.h"

namespace gittxn {

// nullopt for this failure, or false where there is no value; any other error as it is.
template <typename T>
Result<std::optional<T>> unless(Code failure, Result<T> tried) {
  if (tried) return std::optional<T>(*std::move(tried));
  if (tried.error().code == failure) return std::optional<T>();
  return std::unexpected(std::move(tried).error());
}
inline Result<bool> unless(Code failure, Status tried) {
  if (tried) return true;
  if (tried.error().code == failure) return false;
  return std::unexpected(std::move(tried).error());
}

// What need not be there.
template <typename T>
Result<std::optional<T>> if_there(Result<T> found) {
  return unless(Code::kNotFound, std::move(found));
}

// Likewise, but what is not there is as an empty one.
template <typename T>
Result<T> or_empty(Result<T> found) {
  if (!found && found.error().code == Code::kNotFound) return T();
  return found;
}

}  // namespace gittxn
