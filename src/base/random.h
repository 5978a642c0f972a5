// Randomness, passed in so that a test can replay it from a printed seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace gittxn {

class Random {
 public:
  Random();  // seeded by the kernel
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t next() { return engine_(); }
  std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : engine_() % bound; }
  std::string name(int letters);  // lower-case letters and digits without 0 1 l o i

 private:
  std::mt19937_64 engine_;
};

}  // namespace gittxn
