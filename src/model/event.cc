#include "model/event.h"

#include "base/hash.h"
#include "base/json_text.h"

namespace gittxn {

NewEvent new_event(std::string_view type, std::string subject, const Json& payload,
                   std::string dedup_key) {
  return NewEvent{std::string(type), std::move(subject), canonical_json(payload),
                  std::move(dedup_key)};
}

// The payload is hashed as the text that is stored, not as the value it stands for, so that no
// rewriting of it passes. Every text column went through encode_path or is ASCII, hence is UTF-8; a
// column edited into something else would be, so it is encoded again here instead of trusted.
Digest event_hash(const Event& event) {
  std::string text = event.prev_hash.str();
  constexpr std::size_t kRest = 512;
  text.reserve(event.payload.size() * 5 / 4 + kRest);
  // The columns in their canonical order.
  text += "{\"dedup_key\":";
  append_canonical(&text, encode_path(event.dedup_key));
  text += ",\"payload\":";
  append_canonical(&text, encode_path(event.payload));
  text += ",\"prev_hash\":";
  append_canonical(&text, encode_path(event.prev_hash.str()));
  text += ",\"schema_version\":";
  append_canonical(&text, std::int64_t{event.schema_version});
  text += ",\"seq\":";
  append_canonical(&text, event.seq);
  text += ",\"subject\":";
  append_canonical(&text, encode_path(event.subject));
  text += ",\"time\":";
  append_canonical(&text, encode_path(event.time));
  text += ",\"type\":";
  append_canonical(&text, encode_path(event.type));
  text += '}';
  return sha256(text);
}

}  // namespace gittxn
