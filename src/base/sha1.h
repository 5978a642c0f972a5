// SHA-1, which git names objects by. Pure; callable from any thread.
#pragma once

#include <string>
#include <string_view>

#include <openssl/sha.h>

namespace gittxn {

class Sha1 {
 public:
  Sha1();
  void update(std::string_view bytes);
  std::string finish();  // its 20 bytes; call once

 private:
  SHA_CTX state_;
};

}  // namespace gittxn
