// UTF-8, and pieces of canonical JSON (base/json.h) for those who write a whole text of it
// themselves, because it is made for every event: the same bytes as canonical_json of a value of
// them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gittxn {

// Length of the valid UTF-8 sequence at the start of `text`, 0 when there is none. Over-long forms,
// surrogates and code points above U+10FFFF are not valid. `*point` is set when the length is not
// 0.
std::size_t utf8_sequence(std::string_view text, char32_t* point);

void append_canonical(std::string* out, std::string_view text);  // quoted
void append_canonical(std::string* out, std::int64_t number);

}  // namespace gittxn
