#include "model/event.h"

#include "base/hash.h"
#include "base/json.h"

namespace gittxn {

// The payload is hashed as the text that is stored, not as the value it stands for, so that no
// rewriting of it passes. Every text column went through encode_path or is ASCII, hence is UTF-8; a
// column edited into something else would be, so it is encoded again here instead of trusted.
Digest event_hash(const Event& event) {
  std::string text = event.prev_hash.str();
  constexpr std::size_t kRest = 512;
  text.reserve(event.payload.size() * 5 / 4 + kRest);
  const auto number = [&text](std::string_view before, std::int64_t column) {
    text += before;
    append_canonical(&text, column);
  };
  const auto word = [&text](std::string_view before, std::string_view column) {
    text += before;
    append_canonical(&text, encode_path(column));
  };
  // The columns in their canonical order.
  word("{\"dedup_key\":", event.dedup_key);
  word(",\"payload\":", event.payload);
  word(",\"prev_hash\":", event.prev_hash.str());
  number(",\"schema_version\":", event.schema_version);
  number(",\"seq\":", event.seq);
  word(",\"subject\":", event.subject);
  word(",\"time\":", event.time);
  word(",\"type\":", event.type);
  text += '}';
  return sha256(text);
}

}  // namespace gittxn
