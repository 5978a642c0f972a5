// The seed and the length of a randomised test, from the environment: SEED=N replays a run or makes
// another one, ROUNDS=N makes it longer.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace gittxn::testing {

inline std::uint64_t campaign_seed(std::uint64_t otherwise) {
  const char* text = std::getenv("SEED");
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

inline int campaign_rounds(int otherwise) {
  const char* text = std::getenv("ROUNDS");
  return text == nullptr ? otherwise : static_cast<int>(std::strtol(text, nullptr, 10));
}

}  // namespace gittxn::testing
