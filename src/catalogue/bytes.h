// Numbers, texts and digests as bytes, and back: what codec.h and footprints.h are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gittxn::catalogue {

inline constexpr std::size_t kHexOid = 40;
inline constexpr std::size_t kHexDigest = 64;

void put(std::string* out, std::uint64_t value);  // seven bits a byte, the lowest first
void put_text(std::string* out, std::string_view text);
// Lower-case hex digits as half as many bytes; an empty one as nothing but its length.
void put_hex(std::string* out, std::string_view hex);
void put_hashes(std::string* out, const std::vector<std::uint32_t>& hashes);  // sorted, each once

std::unexpected<Error> damaged();  // kCorrupt

// Reads what was put; after the first thing that does not fit every answer is empty and ok() false.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}
  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && rest_.empty(); }

  std::uint64_t number(std::uint64_t below);
  // Of things that take a byte each at least.
  std::size_t count() { return number(rest_.size() + 1); }
  std::string_view text();
  std::string hex(std::size_t digits);
  std::vector<std::uint32_t> hashes();

 private:
  std::uint64_t refuse();
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace gittxn::catalogue
