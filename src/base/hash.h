// SHA-256 as lower-case hex, and SHA-1, which git names objects by (OpenSSL). Pure; callable from
// any thread.
#pragma once

#include <openssl/sha.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/ids.h"

namespace gittxn {

std::string hex_of(std::string_view bytes);  // in lower case
Digest sha256(std::string_view bytes);

// Incremental form, for bytes that do not fit in memory.
class Sha256 {
 public:
  Sha256();
  void update(std::string_view bytes);
  Digest finish();  // call once

 private:
  SHA256_CTX state_;
};

class Sha1 {
 public:
  Sha1();
  void update(std::string_view bytes);
  std::string finish();  // its 20 bytes; call once

 private:
  SHA_CTX state_;
};

// Fields joined so that no two different lists have the same bytes (each preceded by its length).
Digest sha256_fields(std::initializer_list<std::string_view> fields);

}  // namespace gittxn
