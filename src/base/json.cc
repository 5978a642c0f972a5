#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

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

// How the text that is hashed and the one that is shown differ.
struct Form {
  bool canonical = true;
  int indent = -1;  // less than 0: all in one line
};

// The bytes at the start of what is not UTF-8 that one U+FFFD stands for: all that could begin a
// character, as the Unicode Standard has it (3.9, U+FFFD substitution of maximal subparts).
std::size_t broken_length(std::string_view text) {
  const auto begins_one = [](const std::string& start) {
    char32_t point = 0;
    const std::size_t rest = 4 - start.size();
    return utf8_sequence(start + std::string(rest, '\x80'), &point) > start.size() ||
           utf8_sequence(start + std::string(rest, '\xbf'), &point) > start.size();
  };
  std::size_t length = 1;
  while (length < text.size() && length < 3 && begins_one(std::string(text.substr(0, length + 1))))
    ++length;
  return length;
}

void write_string(std::string* out, std::string_view text, const Form& form = {}) {
  *out += '"';
  while (true) {
    const std::size_t plain = run_of(kPlainInJson, text);
    out->append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    char32_t point = 0;
    std::size_t length = utf8_sequence(text, &point);
    if (length == 1) {
      write_escaped(out, text[0]);
    } else if (length == 0) {
      *out += "\xef\xbf\xbd";  // U+FFFD: the output stays JSON, whatever a caller forgot to encode
      length = form.canonical ? 1 : broken_length(text);
    } else {
      out->append(text.substr(0, length));
    }
    text.remove_prefix(length);
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

// By UTF-16, which is the map's own order where all keys are ASCII.
std::vector<const Json::Object::value_type*> in_canonical_order(const Json::Object& object) {
  std::vector<const Json::Object::value_type*> members;
  members.reserve(object.size());
  bool ascii = true;
  for (const auto& member : object) {
    ascii = ascii && run_of(kAscii, member.first) == member.first.size();
    members.push_back(&member);
  }
  if (!ascii) std::ranges::sort(members, {}, [](const auto* one) { return to_utf16(one->first); });
  return members;
}

class Writer {
 public:
  Writer(std::string* out, const Form& form) : out_(out), form_(form) {}

  void operator()(std::nullptr_t) { *out_ += "null"; }
  void operator()(bool value) { *out_ += value ? "true" : "false"; }
  template <std::integral Integer>
  void operator()(Integer value) {
    if (form_.canonical) {
      write_integer(out_, value);
    } else {
      *out_ += std::to_string(value);
    }
  }
  void operator()(double value) {
    if (form_.canonical) {
      write_double(out_, value);
    } else {
      *out_ += nlohmann::json(value).dump();
    }
  }
  void operator()(const std::string& value) { write_string(out_, value, form_); }
  void operator()(const Json::Array& array) {
    write_list("[]", array, [&](const Json& element) { std::visit(*this, element.variant()); });
  }
  void operator()(const Json::Object& object) {
    const auto write = [&](const auto& member) {
      write_string(out_, member.first, form_);
      *out_ += form_.indent < 0 ? ":" : ": ";
      std::visit(*this, member.second.variant());
    };
    if (form_.canonical) {
      write_list("{}", in_canonical_order(object), [&](const auto* member) { write(*member); });
    } else {
      write_list("{}", object, write);
    }
  }

 private:
  template <typename Items, typename Write>
  void write_list(std::string_view brackets, const Items& items, const Write& write) {
    *out_ += brackets[0];
    ++depth_;
    bool first = true;
    for (const auto& item : items) {
      if (!first) *out_ += ',';
      first = false;
      break_line();
      write(item);
    }
    --depth_;
    if (!first) break_line();
    *out_ += brackets[1];
  }
  void break_line() {
    if (form_.indent >= 0)
      *out_ += "\n" + std::string(static_cast<std::size_t>(form_.indent * depth_), ' ');
  }

  std::string* out_;
  Form form_;
  int depth_ = 0;
};

std::string written(const Json& value, const Form& form) {
  std::string out;
  std::visit(Writer(&out, form), value.variant());
  return out;
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

// Makes the value of what the library reads in a text.
class Builder {
 public:
  explicit Builder(std::string* repeated) : repeated_(repeated) {}

  Json root;
  std::size_t wrong_at = 0;   // the last byte that was read, where the text is no JSON
  bool out_of_range = false;  // of a number

  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(std::int64_t value) { return put(value); }
  bool number_unsigned(std::uint64_t value) { return put(value); }
  bool number_float(double value, const std::string& /*text*/) { return put(value); }
  bool string(std::string& value) { return put(std::move(value)); }
  bool binary(const nlohmann::json::binary_t& /*value*/) { return false; }  // of no text
  bool start_object(std::size_t /*size*/) { return open(Json::object()); }
  bool start_array(std::size_t /*size*/) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    Json::Object& object = open_.back()->items();
    const std::size_t before = object.size();
    const auto at = object.try_emplace(object.end(), std::move(name));
    if (object.size() == before && open_.size() == 1 && repeated_ != nullptr)
      *repeated_ = at->first;
    member_ = &at->second;
    return true;
  }
  bool parse_error(std::size_t byte, const std::string& /*token*/,
                   const nlohmann::json::exception& error) {
    wrong_at = byte;
    out_of_range = dynamic_cast<const nlohmann::json::parse_error*>(&error) == nullptr;
    return false;
  }

 private:
  Json& next() {
    if (open_.empty()) return root;
    return open_.back()->is_array() ? open_.back()->emplace_back() : *member_;
  }
  bool put(Json value) {
    next() = std::move(value);
    return true;
  }
  bool open(Json empty) {
    open_.push_back(&next());
    *open_.back() = std::move(empty);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string* repeated_;
  std::vector<Json*> open_;  // the outermost first
  Json* member_ = nullptr;   // where the value of the last key goes
};

}  // namespace

Result<Json> parse_json(std::string_view text, JsonLimits limits) {
  if (text.size() > limits.max_bytes) {
    return fail(Code::kCorrupt, fmt::format("JSON of {} bytes is larger than the limit of {}",
                                            text.size(), limits.max_bytes));
  }
  if (nesting_depth(text) > limits.max_depth) {
    return fail(Code::kCorrupt, fmt::format("JSON is nested deeper than {}", limits.max_depth));
  }
  Builder builder(limits.repeated);
  if (nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return std::move(builder.root);
  return fail(Code::kCorrupt,
              "not JSON: " + (builder.out_of_range ? "a number in it is out of range"
                                                   : where_it_ends(text, builder.wrong_at)));
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
  return written(value, {.canonical = true});
}

void append_canonical(std::string* out, std::string_view text) {
  write_string(out, text);
}

void append_canonical(std::string* out, std::int64_t number) {
  write_integer(out, number);
}

std::string dump_json(const Json& value, int indent) {
  return written(value, {.canonical = false, .indent = indent});
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
