// Randomness, passed in so that a test can replay it from a printed seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace gittxn {

class Random {
 public:
  Random() : Random(kernel_seed()) {}
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t next() { return engine_(); }
  std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : engine_() % bound; }
  // Of lower-case letters and digits without 0 1 l o i.
  std::string name(int letters) {
    constexpr std::string_view kAlphabet = "23456789abcdefghjkmnpqrstuvwxyz";
    std::string text;
    for (int i = 0; i < letters; ++i) text += kAlphabet[below(kAlphabet.size())];
    return text;
  }

 private:
  static std::uint64_t kernel_seed() {
    std::random_device device;  // getrandom(2) or rdrand
    return (static_cast<std::uint64_t>(device()) << 32) | device();
  }
  std::mt19937_64 engine_;
};

}  // namespace gittxn
