#include "base/json.h"

namespace gittxn {
namespace {

// What `value` holds where it is to grow: an empty T in place of a null.
template <typename T>
T& grown(Json::Value& value) {
  if (std::holds_alternative<std::nullptr_t>(value)) value.emplace<T>();
  return std::get<T>(value);
}

template <typename T>
const T& held_or_empty(const Json::Value& value) {
  static const T kEmpty;
  const T* held = std::get_if<T>(&value);
  return held != nullptr ? *held : kEmpty;
}

const Json& none() {
  static const Json kNone;
  return kNone;
}

}  // namespace

Json::Json() noexcept = default;
Json::Json(std::nullptr_t) noexcept {}
Json::Json(double number) noexcept : value_(number) {}
Json::Json(const char* text) : value_(std::string(text)) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}
Json::Json(std::string text) noexcept : value_(std::move(text)) {}
Json::Json(const std::vector<std::string>& texts) : value_(Array(texts.begin(), texts.end())) {}
Json::Json(std::initializer_list<Member> members) : Json(object(members)) {}
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json::~Json() = default;

Json& Json::operator=(Json other) noexcept {
  value_ = std::move(other.value_);
  return *this;
}

Json Json::array(std::initializer_list<Json> elements) {
  Json made;
  made.value_ = Array(elements);
  return made;
}

Json Json::object(std::initializer_list<Member> members) {
  Json made;
  Object& object = made.value_.emplace<Object>();
  for (const Member& member : members) {
    object.try_emplace(std::string(member.key), std::move(member.value));
  }
  return made;
}

void Json::set_unsigned(std::uint64_t number) noexcept {
  if (std::in_range<std::int64_t>(number)) {
    value_ = static_cast<std::int64_t>(number);
  } else {
    value_ = number;
  }
}

const std::string& Json::text() const {
  return std::get<std::string>(value_);
}

std::string Json::text_or(std::string_view other) const {
  return is_string() ? text() : std::string(other);
}

std::int64_t Json::integer_or(std::int64_t other) const {
  return is_integer() ? get<std::int64_t>() : other;
}

template <typename T>
T Json::get() const {
  if constexpr (std::same_as<T, bool>) return std::get<bool>(value_);
  if constexpr (std::same_as<T, double>) {
    if (is<double>()) return std::get<double>(value_);
  }
  const auto* large = std::get_if<std::uint64_t>(&value_);
  return large != nullptr ? static_cast<T>(*large) : static_cast<T>(std::get<std::int64_t>(value_));
}
template bool Json::get() const;
template int Json::get() const;
template unsigned Json::get() const;
template std::int64_t Json::get() const;
template std::uint64_t Json::get() const;
template double Json::get() const;

std::size_t Json::size() const {
  if (is_array()) return elements().size();
  return is_object() ? items().size() : is_null() ? 0 : 1;
}

const Json::Array& Json::elements() const {
  return held_or_empty<Array>(value_);
}

void Json::push_back(Json element) {
  grown<Array>(value_).push_back(std::move(element));
}

Json& Json::emplace_back() {
  return grown<Array>(value_).emplace_back();
}

const Json& Json::operator[](std::size_t place) const {
  return place < elements().size() ? elements()[place] : none();
}

const Json& Json::at(std::size_t place) const {
  return elements().at(place);
}

const Json::Object& Json::items() const {
  return held_or_empty<Object>(value_);
}

Json::Object& Json::items() {
  return grown<Object>(value_);
}

const Json* Json::find(std::string_view key) const {
  const auto at = items().find(key);
  return at != items().end() ? &at->second : nullptr;
}

const Json& Json::operator[](std::string_view key) const {
  const Json* found = find(key);
  return found != nullptr ? *found : none();
}

Json& Json::operator[](std::string_view key) {
  Object& object = items();
  const auto at = object.lower_bound(key);
  if (at != object.end() && at->first == key) return at->second;
  return object.emplace_hint(at, key, Json())->second;
}

const Json& Json::at(std::string_view key) const {
  return items().at(std::string(key));
}

bool operator==(const Json& a, const Json& b) {
  const bool whole = a.is_integer() && b.is_integer();
  if (a.is_number() && b.is_number() && !whole) return a.get<double>() == b.get<double>();
  return a.value_ == b.value_;
}

}  // namespace gittxn
