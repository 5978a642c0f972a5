// The functions of OpenSSL's that only hash. Its EVP ones look their algorithm up in a
// configuration and a list of providers first: a millisecond at the first digest, which is most of
// a short run.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/hash.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace gittxn {

std::string hex_of(std::string_view bytes) {
  static constexpr auto kPairs = [] {
    std::array<std::array<char, 2>, 256> pairs{};
    for (std::size_t byte = 0; byte < pairs.size(); ++byte) {
      pairs[byte] = {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
    }
    return pairs;
  }();
  std::string text(bytes.size() * 2, '\0');
  char* out = text.data();
  for (const char c : bytes) {
    std::memcpy(out, kPairs[static_cast<unsigned char>(c)].data(), 2);
    out += 2;
  }
  return text;
}

// They always return 1.
Sha256::Sha256() {
  SHA256_Init(&state_);
}

void Sha256::update(std::string_view bytes) {
  SHA256_Update(&state_, bytes.data(), bytes.size());
}

Digest Sha256::finish() {
  std::string raw(SHA256_DIGEST_LENGTH, '\0');
  SHA256_Final(reinterpret_cast<unsigned char*>(raw.data()), &state_);
  return Digest(hex_of(raw));
}

Sha1::Sha1() {
  SHA1_Init(&state_);
}

void Sha1::update(std::string_view bytes) {
  SHA1_Update(&state_, bytes.data(), bytes.size());
}

std::string Sha1::finish() {
  std::string digest(SHA_DIGEST_LENGTH, '\0');
  SHA1_Final(reinterpret_cast<unsigned char*>(digest.data()), &state_);
  return digest;
}

Digest sha256(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

Digest sha256_fields(std::initializer_list<std::string_view> fields) {
  Sha256 hash;
  for (std::string_view field : fields) {
    std::array<char, 8> length{};
    for (std::size_t i = 0; i < length.size(); ++i) {
      length[i] = static_cast<char>((static_cast<std::uint64_t>(field.size()) >> (8 * i)) & 0xff);
    }
    hash.update({length.data(), length.size()});
    hash.update(field);
  }
  return hash.finish();
}

}  // namespace gittxn
