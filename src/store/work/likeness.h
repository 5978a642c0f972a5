// Likeness of two proposals, in thousandths. Pure functions; docs/design/0025 says why these.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gittxn::store {

// Where the meaning of a text lies, as a model sees it: only the direction counts, so the largest
// component is scaled to +-32767.
using Embedding = std::vector<int>;
inline constexpr std::size_t kMaxDimensions = 4096;
inline constexpr int kMaxComponent = 32'767;
inline constexpr std::size_t kMaxEmbeddingBytes = 256u << 10;  // as it is given

// A JSON array of numbers. kUsage: it is none, one of them is not finite, all of them are 0, or
// there are too many.
Result<Embedding> parse_embedding(std::string_view json);

// What is compared of a text: its runs of three characters, without regard to case, punctuation and
// space; and the numbers in it.
struct Shingles {
  std::vector<std::uint32_t> runs;   // sorted, each once
  std::vector<std::string> numbers;  // words with a digit, sorted, each once
};
Shingles shingles_of(std::string_view text);
// Whether text_likeness() may be as much as `likeness`, by how much there is of each alone.
bool may_be_alike(const Shingles& a, const Shingles& b, int likeness);
// What both have, of what either has; 0 when they name different numbers.
int text_likeness(const Shingles& a, const Shingles& b);
// The cosine of the angle between them; 0 when they are not of one length, or point apart.
int embedding_likeness(const Embedding& a, const Embedding& b);

}  // namespace gittxn::store
