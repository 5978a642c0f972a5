#include "base/random.h"

#include <string_view>

namespace gittxn {

namespace {

std::uint64_t kernel_seed() {
  std::random_device device;  // getrandom(2) or rdrand
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}

}  // namespace

Random::Random() : engine_(kernel_seed()) {}

std::string Random::name(int letters) {
  static constexpr std::string_view kAlphabet = "23456789abcdefghjkmnpqrstuvwxyz";
  std::string text;
  for (int i = 0; i < letters; ++i) text += kAlphabet[below(kAlphabet.size())];
  return text;
}

}  // namespace gittxn
