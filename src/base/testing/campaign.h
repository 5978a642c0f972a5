// The seed and the length of a randomised test, from the environment: SEED=N replays a run or makes
// another one, ROUNDS=N makes it longer.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace gittxn::testing {

inline std::uint64_t campaign_seed(std::uint64_t otherwise) {
  const char* text = std::getenv("SEED");
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Another one each time, and printed, so that SEED=N replays what failed.
inline std::uint64_t told_seed() {
  const std::uint64_t seed = campaign_seed(std::random_device{}());
  std::printf("SEED=%llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

inline int campaign_rounds(int otherwise) {
  const char* text = std::getenv("ROUNDS");
  return text == nullptr ? otherwise : static_cast<int>(std::strtol(text, nullptr, 10));
}

}  // namespace gittxn::testing
