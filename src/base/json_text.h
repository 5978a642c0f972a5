// Pieces of canonical JSON (base/json.h) for those who write a whole text of it themselves, because
// it is made for every event: the same bytes as canonical_json of a value of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gittxn {

void append_canonical(std::string* out, std::string_view text);  // quoted
void append_canonical(std::string* out, std::int64_t number);

}  // namespace gittxn
