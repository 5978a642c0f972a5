// Reading fields of JSON that somebody else wrote: nothing here fails, throws or trusts a type.
// Only for agents/.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace gittxn::agents {

inline constexpr std::size_t kMaxEvent = 16u << 20;  // bytes of one event or line

// parse_json, with a bound on the number of values as well, so that a text of N bytes never becomes
// a tree of 60 N. A lone surrogate escape, which JavaScript writes where it cut a string, becomes
// U+FFFD. kCorrupt otherwise.
Result<Json> parse_foreign(std::string_view text, std::size_t max_bytes = kMaxEvent);

bool flag_at(const Json& object, std::string_view key);  // it is there, and true
// "" when absent, not a string, or longer than `max` bytes.
std::string text_at(const Json& object, std::string_view key, std::size_t max);
std::string name_at(const Json& object, std::string_view key);  // at most 1 KiB
// A string that could be a path: not empty, no NUL, at most kMaxPath bytes.
std::optional<std::string> path_at(const Json& object, std::string_view key);
std::optional<std::string> as_path(std::string_view text);
// An integer of at least 0 and at most 2^53 (also when written as a string or a float); none else.
std::optional<std::int64_t> count_at(const Json& object, std::string_view key);
std::int64_t count_or(const Json& object, std::string_view key, std::int64_t fallback);

// "2026-11-21T09:18:01.340Z" -> milliseconds since 1970; 0 when it is anything else.
std::int64_t parse_utc(std::string_view text);
// "file:///a%20b" -> "/a b"; anything else stays.
std::string from_file_url(std::string_view text);
bool among(std::span<const std::string_view> names, std::string_view name);
// Whether the text of an error says that a file or directory is not there.
bool says_absent(std::string_view error);

// A string that was cut out of a logged event: {"cut_bytes":N,"sha256":"..."} stands for it.
Json cut_marker(std::string_view text);
bool is_text_or_cut(const Json& value);

}  // namespace gittxn::agents
