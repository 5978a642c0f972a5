#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "base/json_value.h"

namespace gittxn {

std::size_t utf8_sequence(std::string_view text, char32_t* point) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return 0;
  const unsigned char first = byte(0);
  if (first < 0x80) {
    *point = first;
    return 1;
  }
  std::size_t length = 0;
  char32_t least = 0;
  if ((first & 0xe0) == 0xc0) {
    length = 2, least = 0x80, *point = first & 0x1f;
  } else if ((first & 0xf0) == 0xe0) {
    length = 3, least = 0x800, *point = first & 0x0f;
  } else if ((first & 0xf8) == 0xf0) {
    length = 4, least = 0x10000, *point = first & 0x07;
  }
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    *point = (*point << 6) | (byte(i) & 0x3fu);
  }
  const bool surrogate = *point >= 0xd800 && *point <= 0xdfff;
  return *point < least || *point > 0x10ffff || surrogate ? 0 : length;
}

namespace {

std::u16string to_utf16(std::string_view text) {
  std::u16string units;
  while (!text.empty()) {
    char32_t point = 0;
    std::size_t length = utf8_sequence(text, &point);
    if (length == 0) {
      point = 0xfffd;
      length = 1;
    }
    if (point >= 0x10000) {
      units += static_cast<char16_t>(0xd800 + ((point - 0x10000) >> 10));
      units += static_cast<char16_t>(0xdc00 + ((point - 0x10000) & 0x3ff));
    } else {
      units += static_cast<char16_t>(point);
    }
    text.remove_prefix(length);
  }
  return units;
}

// Of a control character, a quotation mark or a backslash.
void write_escaped(std::string* out, char c) {
  constexpr std::string_view kNamed = "\"\\\b\t\n\f\r";
  constexpr std::string_view kNames = "\"\\btnfr";
  const std::size_t at = kNamed.find(c);
  if (at != kNamed.npos) {
    *out += {'\\', kNames[at]};
  } else {
    *out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
  }
}

// The ASCII bytes that stand for themselves.
template <typename Plain>
constexpr std::array<bool, 256> ascii_where(Plain plain) {
  std::array<bool, 256> table{};
  for (unsigned c = 0; c < 0x80; ++c) table[c] = plain(static_cast<char>(c));
  return table;
}
constexpr auto kPlainInJson =
    ascii_where([](char c) { return c >= 0x20 && c != '"' && c != '\\'; });
constexpr auto kPlainInPath = ascii_where([](char c) { return c != '%'; });
constexpr auto kAscii = ascii_where([](char) { return true; });

// Nearly all text is nothing else: it is copied a run at a time.
std::size_t run_of(const std::array<bool, 256>& plain, std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && plain[static_cast<unsigned char>(text[length])]) ++length;
  return length;
}

void write_string(std::string* out, std::string_view text) {
  *out += '"';
  while (true) {
    const std::size_t plain = run_of(kPlainInJson, text);
    out->append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    char32_t point = 0;
    const std::size_t length = utf8_sequence(text, &point);
    if (length == 1) {
      write_escaped(out, text[0]);
    } else if (length == 0) {
      *out += "\xef\xbf\xbd";  // U+FFFD: the output stays JSON, whatever a caller forgot to encode
    } else {
      out->append(text.substr(0, length));
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  *out += '"';
}

// ECMA-262 Number::toString: the shortest digits that read back as the same double, with an
// exponent only from 1e21 up and below 1e-6.
void write_double(std::string* out, double value) {
  if (!std::isfinite(value)) {
    *out += "null";  // as JSON.stringify; JSON text cannot hold one, so it never comes from input
    return;
  }
  if (value == 0) {
    *out += '0';
    return;
  }
  if (value < 0) {
    *out += '-';
    value = -value;
  }
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  const std::size_t e = text.find('e');
  std::string digits(text.substr(0, e));
  std::erase(digits, '.');
  int exponent = 0;
  const std::size_t sign = text[e + 1] == '+' ? 1 : 0;  // from_chars takes '-' but not '+'
  std::from_chars(text.data() + e + 1 + sign, text.data() + text.size(), exponent);
  const int count = static_cast<int>(digits.size());
  const int point = exponent + 1;  // value = 0.digits * 10^point
  if (count <= point && point <= 21) {
    *out += digits + std::string(static_cast<std::size_t>(point - count), '0');
  } else if (0 < point && point <= 21) {
    *out += digits.insert(static_cast<std::size_t>(point), 1, '.');
  } else if (-6 < point && point <= 0) {
    *out += "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  } else {
    if (count > 1) digits.insert(1, 1, '.');
    *out += fmt::format("{}e{:+}", digits, exponent);
  }
}

// Integers that a double holds exactly print as they are; others as the double nearest to them
// would.
template <typename Integer>
void write_integer(std::string* out, Integer value) {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  const bool exact = std::cmp_less_equal(value, kExact) && std::cmp_greater_equal(value, -kExact);
  if (exact) {
    *out += std::to_string(value);
  } else {
    write_double(out, static_cast<double>(value));
  }
}

void write_value(std::string* out, const Json& value);

// By UTF-16, which is the map's own order where all keys are ASCII.
std::vector<Json::const_iterator> members_in_order(const Json& object) {
  std::vector<Json::const_iterator> members;
  members.reserve(object.size());
  bool ascii = true;
  for (auto it = object.begin(); it != object.end(); ++it) {
    ascii = ascii && run_of(kAscii, it.key()) == it.key().size();
    members.push_back(it);
  }
  if (!ascii) std::ranges::sort(members, {}, [](const auto& it) { return to_utf16(it.key()); });
  return members;
}

void write_object(std::string* out, const Json& value) {
  *out += '{';
  bool first = true;
  for (const auto& member : members_in_order(value)) {
    if (!first) *out += ',';
    first = false;
    write_string(out, member.key());
    *out += ':';
    write_value(out, member.value());
  }
  *out += '}';
}

void write_value(std::string* out, const Json& value) {
  switch (value.type()) {
    case Json::value_t::object:
      write_object(out, value);
      return;
    case Json::value_t::array: {
      *out += '[';
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (i > 0) *out += ',';
        write_value(out, value[i]);
      }
      *out += ']';
      return;
    }
    case Json::value_t::string:
      write_string(out, value.get_ref<const std::string&>());
      return;
    case Json::value_t::boolean:
      *out += value.get<bool>() ? "true" : "false";
      return;
    case Json::value_t::number_integer:
      write_integer(out, value.get<std::int64_t>());
      return;
    case Json::value_t::number_unsigned:
      write_integer(out, value.get<std::uint64_t>());
      return;
    case Json::value_t::number_float:
      write_double(out, value.get<double>());
      return;
    default:
      *out += "null";
      return;  // null; binary and discarded never come from parse_json
  }
}

// The deepest nesting of the text, by brackets outside strings. Run before the parser, so that no
// input can make it build (and later destroy) a deeper value than allowed.
int nesting_depth(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return deepest;
}

// The parser's own words are for programmers. `byte`: the last one that it read, from 1.
std::string where_it_ends(std::string_view text, std::size_t byte) {
  if (text.find_first_not_of(" \t\r\n") == text.npos) return "it is empty";
  if (byte > text.size()) return "it breaks off in the middle";
  const std::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const auto lines = std::ranges::count(before, '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // 0 when there is none
  return fmt::format("it does not go on as JSON at line {}, column {}", lines + 1,
                     before.size() - line_start + 1);
}

}  // namespace

Result<Json> parse_json(std::string_view text, JsonLimits limits) {
  if (text.size() > limits.max_bytes) {
    return fail(Code::kCorrupt, fmt::format("JSON of {} bytes is larger than the limit of {}",
                                            text.size(), limits.max_bytes));
  }
  if (nesting_depth(text) > limits.max_depth) {
    return fail(Code::kCorrupt, fmt::format("JSON is nested deeper than {}", limits.max_depth));
  }
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const Json::parse_error& error) {
    return fail(Code::kCorrupt, fmt::format("not JSON: {}", where_it_ends(text, error.byte)));
  } catch (const Json::exception&) {
    return fail(Code::kCorrupt, "not JSON: a number in it is out of range");
  }
}

Status each_json_line(std::string_view lines, std::string_view what,
                      const std::function<Status(const Json&)>& visit) {
  std::size_t number = 0;
  while (!lines.empty()) {
    ++number;
    const std::string context = fmt::format("{}, line {}", what, number);
    const std::size_t end = lines.find('\n');
    if (end == std::string_view::npos) {
      return fail(Code::kCorrupt, context + ": the line is cut off");
    }
    const Json json = TRY_IN(context, parse_json(lines.substr(0, end)));
    TRY_IN(context, visit(json));
    lines.remove_prefix(end + 1);
  }
  return {};
}

std::string canonical_json(const Json& value) {
  std::string out;
  write_value(&out, value);
  return out;
}

void append_canonical(std::string* out, std::string_view text) {
  write_string(out, text);
}

void append_canonical(std::string* out, std::int64_t number) {
  write_integer(out, number);
}

std::string dump_json(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string encode_path(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (true) {
    const std::size_t plain = run_of(kPlainInPath, bytes);
    out.append(bytes.substr(0, plain));
    bytes.remove_prefix(plain);
    if (bytes.empty()) return out;
    char32_t point = 0;
    std::size_t length = utf8_sequence(bytes, &point);
    if (length == 0 || bytes[0] == '%') {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(bytes[0]));
      length = 1;
    } else {
      out.append(bytes.substr(0, length));
    }
    bytes.remove_prefix(length);
  }
}

std::string decode_path(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const char* digits = text.data() + i + 1;
    const bool encoded = text[i] == '%' && i + 2 < text.size() &&
                         std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    out += encoded ? static_cast<char>(byte) : text[i];
    if (encoded) i += 2;
  }
  return out;
}

bool is_utf8(std::string_view bytes) {
  char32_t point = 0;
  while (!bytes.empty()) {
    const std::size_t length = utf8_sequence(bytes, &point);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

}  // namespace gittxn

// Of base/json_value.h.
template class nlohmann::basic_json<>;
