// JSON. The library (nlohmann) is wrapped here: exceptions stop at these functions, and the
// canonical form below is the only one that is ever hashed.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gittxn {

using Json = nlohmann::json;

// Parses one JSON value. Bounded: more than `max_depth` levels or `max_bytes` bytes is kCorrupt.
struct JsonLimits {
  std::size_t max_bytes = 64u << 20;
  int max_depth = 64;
};
Result<Json> parse_json(std::string_view text, JsonLimits limits = {});

// Calls `visit` for each line of JSON lines; the last line ends with a newline too.
Status each_json_line(std::string_view lines, std::string_view what,
                      const std::function<Status(const Json&)>& visit);

// Length of the valid UTF-8 sequence at the start of `text`, 0 when there is none. Over-long forms,
// surrogates and code points above U+10FFFF are not valid. `*point` is set when the length is not
// 0.
std::size_t utf8_sequence(std::string_view text, char32_t* point);

// RFC 8785 (JSON Canonicalization Scheme): keys sorted by UTF-16 code units, no white space,
// numbers as ECMAScript prints them. Strings that are not UTF-8 must be made so by encode_path
// first.
std::string canonical_json(const Json& value);
// Pieces of it for who writes a whole text of it themselves, because it is made for every event:
// the same bytes as canonical_json of a value of them.
void append_canonical(std::string* out, std::string_view text);  // quoted
void append_canonical(std::string* out, std::int64_t number);

// One-line output for users: keys in insertion or sorted order, invalid UTF-8 replaced.
std::string dump_json(const Json& value);

// Git paths are bytes; JSON strings are Unicode. Every byte that is not part of valid UTF-8, and
// '%', becomes %XX; everything else stands as it is. decode_path(encode_path(p)) == p for any
// bytes.
std::string encode_path(std::string_view bytes);
std::string decode_path(std::string_view text);
bool is_utf8(std::string_view bytes);

}  // namespace gittxn
