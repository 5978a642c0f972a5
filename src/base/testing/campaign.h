// The seed and the length of a randomised test, from the environment: SEED=N replays a run or makes
// another one, ROUNDS=N makes it longer. Under a sanitizer a test is an eighth as long: there it
// looks for memory that is used wrongly, which few rounds show, and each takes four times as long.
// With a store on a server it is a quarter: each statement takes as much longer, and the rules are
// the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>

namespace gittxn::testing {

#if defined(__has_feature)  // clang
constexpr bool kThreadSanitizer = __has_feature(thread_sanitizer);
constexpr bool kSanitized = kThreadSanitizer || __has_feature(address_sanitizer);
#elif defined(__SANITIZE_THREAD__)  // g++
constexpr bool kThreadSanitizer = true;
constexpr bool kSanitized = true;
#elif defined(__SANITIZE_ADDRESS__)
constexpr bool kThreadSanitizer = false;
constexpr bool kSanitized = true;
#else
constexpr bool kThreadSanitizer = false;
constexpr bool kSanitized = false;
#endif

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
  if (text != nullptr) return static_cast<int>(std::strtol(text, nullptr, 10));
  const char* store = std::getenv("GIT_TXN_TEST_STORE");
  const bool is_on_server = store != nullptr && std::string_view(store) == "postgres";
  const int share = kSanitized ? 8 : is_on_server ? 4 : 1;
  return std::max(1, otherwise / share);
}

}  // namespace gittxn::testing
