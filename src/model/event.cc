#include "model/event.h"

#include "base/hash.h"
#include "base/json_value.h"

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
  const Json columns{{"seq", event.seq},
                     {"time", encode_path(event.time)},
                     {"type", encode_path(event.type)},
                     {"subject", encode_path(event.subject)},
                     {"schema_version", event.schema_version},
                     {"dedup_key", encode_path(event.dedup_key)},
                     {"payload", encode_path(event.payload)},
                     {"prev_hash", encode_path(event.prev_hash.str())}};
  return sha256(event.prev_hash.str() + canonical_json(columns));
}

}  // namespace gittxn
