#include "catalogue/bytes.h"

#include <algorithm>
#include <functional>

namespace gittxn::catalogue {
namespace {

constexpr unsigned kVarintBits = 64;

int digit_of(char c) {
  return c <= '9' ? c - '0' : c - 'a' + 10;
}

}  // namespace

void put(std::string* out, std::uint64_t value) {
  while (value >= 0x80) {
    *out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *out += static_cast<char>(value);
}

void put_text(std::string* out, std::string_view text) {
  put(out, text.size());
  *out += text;
}

void put_hex(std::string* out, std::string_view hex) {
  put(out, hex.size() / 2);
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    *out += static_cast<char>(digit_of(hex[i]) * 16 + digit_of(hex[i + 1]));
  }
}

void put_hashes(std::string* out, const std::vector<std::uint32_t>& hashes) {
  put(out, hashes.size());
  for (const std::uint32_t name : hashes) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      *out += static_cast<char>((name >> shift) & 0xff);
    }
  }
}

std::unexpected<Error> damaged() {
  return fail(Code::kCorrupt, "an entry of the catalogue is damaged");
}

std::uint64_t Bytes::number(std::uint64_t below) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < kVarintBits; shift += 7) {
    if (rest_.empty()) return refuse();
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value < below ? value : refuse();
  }
  return refuse();
}

std::string_view Bytes::text() {
  const std::size_t size = count();
  if (size > rest_.size()) refuse();
  const std::string_view text = rest_.substr(0, ok_ ? size : 0);
  rest_.remove_prefix(text.size());
  return text;
}

std::string Bytes::hex(std::size_t digits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::string_view raw = text();
  if (!raw.empty() && raw.size() * 2 != digits) refuse();
  std::string out;
  for (const char c : raw) {
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

std::vector<std::uint32_t> Bytes::hashes() {
  const std::size_t size = count();
  if (size > rest_.size() / 4) refuse();
  std::vector<std::uint32_t> hashes(ok_ ? size : 0);
  for (std::uint32_t& hash : hashes) {
    for (unsigned i = 0; i < 4; ++i) {
      hash |= static_cast<std::uint32_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
    }
    rest_.remove_prefix(4);
  }
  if (std::ranges::adjacent_find(hashes, std::greater_equal<>()) != hashes.end()) {
    refuse();
  }
  return hashes;
}

std::uint64_t Bytes::refuse() {
  ok_ = false;
  rest_ = {};
  return 0;
}

}  // namespace gittxn::catalogue
