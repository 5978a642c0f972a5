#include "base/hash.h"

#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <cstdlib>

namespace gittxn {

namespace {

constexpr std::size_t kDigestBytes = 32;

std::string to_hex(const unsigned char* bytes, std::size_t count) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text(count * 2, '0');
  for (std::size_t i = 0; i < count; ++i) {
    text[2 * i] = kHex[bytes[i] >> 4];
    text[2 * i + 1] = kHex[bytes[i] & 15];
  }
  return text;
}

// SHA-256 in memory fails only when OpenSSL has no memory or no such algorithm; going on with a
// wrong digest would be worse than ending, and every caller would have to do the same.
void require(bool ok) {
  if (!ok) std::abort();
}

// Looked up once: with EVP_sha256() every digest looks it up anew, under a lock, which costs more
// than the digest of something small.
const EVP_MD* algorithm() {
  static const EVP_MD* const found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return found;
}

}  // namespace

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  State() { require(context != nullptr && EVP_DigestInit_ex(context, algorithm(), nullptr) == 1); }
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes) {
  require(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1);
}

Digest Sha256::finish() {
  std::array<unsigned char, kDigestBytes> raw{};
  unsigned int length = 0;
  require(EVP_DigestFinal_ex(state_->context, raw.data(), &length) == 1 && length == kDigestBytes);
  return Digest(to_hex(raw.data(), raw.size()));
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
