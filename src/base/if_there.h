// What need not be there: nullopt for kNotFound, any other error as it is.
#pragma once

#include <optional>
#include <utility>

#include "base/result.h"

namespace gittxn {

template <typename T>
Result<std::optional<T>> if_there(Result<T> found) {
  if (found) return std::optional<T>(*std::move(found));
  if (found.error().code == Code::kNotFound) return std::optional<T>();
  return std::unexpected(std::move(found).error());
}

// Likewise, but what is not there is as an empty one.
template <typename T>
Result<T> or_empty(Result<T> found) {
  if (!found && found.error().code == Code::kNotFound) return T();
  return found;
}

}  // namespace gittxn
