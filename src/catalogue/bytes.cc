#include "catalogue/bytes.h"

#include <algorithm>
#include <functional>

#include "base/hash.h"

namespace gittxn::catalogue {
namespace {

constexpr unsigned kVarintBits = 64;

int digit_of(char c) {
  return c <= '9' ? c - '0' : c - 'a' + 10;
}

}  // namespace

void Writer::number(std::uint64_t value, std::uint64_t /*below*/) {
  while (value >= 0x80) {
    out_ += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out_ += static_cast<char>(value);
}

void Writer::text(std::string_view value) {
  number(value.size());
  out_ += value;
}

void Writer::name(std::string_view value) {
  const auto [found, added] = places_.try_emplace(value, names_.size());
  if (added) names_.push_back(value);
  number(found->second);
}

void Writer::put_hex(std::string_view hex) {
  number(hex.size() / 2);
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out_ += static_cast<char>(digit_of(hex[i]) * 16 + digit_of(hex[i + 1]));
  }
}

void Writer::hashes(const std::vector<std::uint32_t>& values) {
  number(values.size());
  for (const std::uint32_t value : values) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      out_ += static_cast<char>((value >> shift) & 0xff);
    }
  }
}

std::unexpected<Error> damaged() {
  return fail(Code::kCorrupt, "an entry of the catalogue is damaged");
}

std::uint64_t Reader::take_number(std::uint64_t below) {
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

std::string_view Reader::take_text() {
  const std::size_t size = take_count();
  if (size > rest_.size()) refuse();
  const std::string_view text = rest_.substr(0, ok_ ? size : 0);
  rest_.remove_prefix(text.size());
  return text;
}

void Reader::take_names() {
  for (std::size_t n = take_count(); n > 0 && ok_; --n) names_.push_back(take_text());
}

void Reader::name(std::string& value) {
  const std::size_t at = take_number(names_.size());
  if (ok_) value = names_[at];
}

std::string Reader::take_hex(std::size_t digits) {
  const std::string_view raw = take_text();
  if (!raw.empty() && raw.size() * 2 != digits) refuse();
  return hex_of(raw);
}

void Reader::hashes(std::vector<std::uint32_t>& values) {
  const std::size_t size = take_count();
  if (size > rest_.size() / 4) refuse();
  values.assign(ok_ ? size : 0, 0);
  for (std::uint32_t& value : values) {
    for (unsigned i = 0; i < 4; ++i) {
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
    }
    rest_.remove_prefix(4);
  }
  if (std::ranges::adjacent_find(values, std::greater_equal<>()) != values.end()) refuse();
}

std::uint64_t Reader::refuse() {
  ok_ = false;
  rest_ = {};
  return 0;
}

}  // namespace gittxn::catalogue
