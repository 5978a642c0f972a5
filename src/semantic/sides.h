// The three versions of anything that is merged.
#pragma once

#include <array>
#include <cstddef>

namespace gittxn::semantic {

enum Side : std::size_t { kBase = 0, kLeft = 1, kRight = 2 };

// x[kBase], x[kLeft], x[kRight].
template <typename T>
using Sides = std::array<T, 3>;

// The other of the two sides.
constexpr Side other(Side side) {
  return side == kLeft ? kRight : kLeft;
}

}  // namespace gittxn::semantic
