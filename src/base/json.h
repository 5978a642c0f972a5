// JSON: the value, its text, and the canonical text, which is the only one that is ever hashed. The
// parser is a library's (json_parse.cc), whose headers and exceptions stay behind these functions.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace gittxn {

// A value of JSON. To look is always allowed: what is not there is a null, and what has no elements
// or members has none of them. To take a value for what it is not (at(), get(), text()) throws what
// std::get() and std::map::at() throw, and so does adding to what is no array or object; a null
// becomes one.
class Json {
 public:
  struct Member;
  using Array = std::vector<Json>;
  using Object = std::map<std::string, Json, std::less<>>;
  // Unsigned are only the numbers that are too large for a signed one.
  using Value = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string,
                             Array, Object>;

  Json() noexcept;  // null
  Json(std::nullptr_t) noexcept;
  template <std::signed_integral T>
  Json(T number) noexcept : value_(std::int64_t{number}) {}
  template <std::unsigned_integral T>
  Json(T number) noexcept {
    if constexpr (std::same_as<T, bool>) {
      value_ = number;
    } else {
      set_unsigned(number);
    }
  }
  Json(double number) noexcept;
  Json(const char* text);
  Json(std::string_view text);
  Json(std::string text) noexcept;
  Json(const std::vector<std::string>& texts);
  // An object: {{"by", name}, {"limits", {{"most", 3}}}}. Of two members with one key the first
  // counts.
  Json(std::initializer_list<Member> members);
  static Json array(std::initializer_list<Json> elements = {});
  static Json object(std::initializer_list<Member> members = {});

  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(Json other) noexcept;  // by value: it may be a part of this one
  ~Json();

  const Value& variant() const { return value_; }
  bool is_null() const { return is<std::nullptr_t>(); }
  bool is_boolean() const { return is<bool>(); }
  bool is_integer() const { return is<std::int64_t>() || is<std::uint64_t>(); }
  bool is_number() const { return is_integer() || is<double>(); }
  bool is_string() const { return is<std::string>(); }
  bool is_array() const { return is<Array>(); }
  bool is_object() const { return is<Object>(); }

  const std::string& text() const;
  // These take it for the other value where it is of another kind.
  std::string text_or(std::string_view other) const;
  std::int64_t integer_or(std::int64_t other) const;
  // T is bool, double, or an integer, which is cut to what T holds of it; a double may be any
  // number.
  template <typename T>
  T get() const;

  // Of an array or object; 0 of a null, 1 of anything else.
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  Array::const_iterator begin() const { return elements().begin(); }
  Array::const_iterator end() const { return elements().end(); }
  Array::iterator begin() { return own(elements()).begin(); }
  Array::iterator end() { return own(elements()).end(); }
  const Json& operator[](std::size_t place) const;
  Json& operator[](std::size_t place) { return own(at(place)); }
  const Json& at(std::size_t place) const;
  void push_back(Json element);
  Json& emplace_back();

  const Object& items() const;
  Object& items();
  const Json& operator[](std::string_view key) const;
  Json& operator[](std::string_view key);  // a null is added where there is none
  const Json& at(std::string_view key) const;
  const Json* find(std::string_view key) const;  // nullptr: there is none
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  void erase(const std::string& key) { items().erase(key); }

  // Numbers are equal by what they count, whole or not.
  friend bool operator==(const Json& a, const Json& b);

 private:
  template <typename T>
  bool is() const {
    return std::holds_alternative<T>(value_);
  }
  template <typename T>
  static T& own(const T& part) {
    return const_cast<T&>(part);
  }
  const Array& elements() const;
  void set_unsigned(std::uint64_t number) noexcept;

  Value value_;
};

struct Json::Member {
  std::string_view key;
  mutable Json value;  // moved from where it is made one of an object's
};

// Parses one JSON value. Bounded: more than `max_depth` levels or `max_bytes` bytes is kCorrupt. Of
// two members with one key the last counts.
struct JsonLimits {
  std::size_t max_bytes = 64u << 20;
  int max_depth = 64;
  std::string* repeated = nullptr;  // set to a key that the outermost object has twice
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

// For users, keys sorted by bytes, invalid UTF-8 replaced: in one line, or `indent` spaces a level.
std::string dump_json(const Json& value, int indent = -1);

// Git paths are bytes; JSON strings are Unicode. Every byte that is not part of valid UTF-8, and
// '%', becomes %XX; everything else stands as it is. decode_path(encode_path(p)) == p for any
// bytes.
std::string encode_path(std::string_view bytes);
std::string decode_path(std::string_view text);
bool is_utf8(std::string_view bytes);

}  // namespace gittxn
