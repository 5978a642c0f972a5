// SHA-256 (OpenSSL), as lower-case hex. Pure; callable from any thread.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "base/ids.h"

namespace gittxn {

Digest sha256(std::string_view bytes);

// Incremental form, for bytes that do not fit in memory.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  void update(std::string_view bytes);
  Digest finish();  // call once

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Fields joined so that no two different lists have the same bytes (each preceded by its length).
Digest sha256_fields(std::initializer_list<std::string_view> fields);

}  // namespace gittxn
