#include "model/codec.h"

#include <fmt/format.h>

#include <limits>

#include "base/json_value.h"

namespace gittxn {
namespace {

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

Json texts_to_json(const std::vector<std::string>& texts) {
  Json out = Json::array();
  for (const std::string& text : texts) out.push_back(encode_path(text));
  return out;
}

Fields::Fields(const Json& json, std::string_view what) : json_(json), what_(what) {
  if (!json_.is_object()) {
    error_ = Error{Code::kCorrupt, fmt::format("{}: not a JSON object", what_), {}, {}};
  }
}

void Fields::wrong(const char* key, std::string_view reason) {
  if (error_) return;
  error_ = Error{Code::kCorrupt, fmt::format("{}: field '{}': {}", what_, key, reason), {}, {}};
}

const Json* Fields::find(const char* key) {
  asked_.insert(key);
  if (error_) return nullptr;
  const auto found = json_.find(key);
  if (found == json_.end()) {
    wrong(key, "missing");
    return nullptr;
  }
  return &*found;
}

bool Fields::has(const char* key) {
  asked_.insert(key);
  if (error_) return false;
  const auto found = json_.find(key);
  return found != json_.end() && !found->is_null();
}

bool Fields::given(const char* key) {
  const Json* value = find(key);
  return value != nullptr && !value->is_null();
}

void Fields::text(const char* key, std::string& out) {
  const Json* value = find(key);
  if (value == nullptr) return;
  if (!value->is_string()) return wrong(key, "not a string");
  out = decode_path(value->get_ref<const std::string&>());
}

void Fields::texts(const char* key, std::vector<std::string>& out) {
  out.clear();
  each_of(key, Shape::kArray, [&](const Json& value) -> Status {
    if (!value.is_string()) return fail(Code::kCorrupt, "not a string");
    out.push_back(decode_path(value.get_ref<const std::string&>()));
    return {};
  });
}

void Fields::integer(const char* key, std::int64_t& out) {
  const Json* value = find(key);
  if (value == nullptr) return;
  if (!value->is_number_integer()) return wrong(key, "not a whole number");
  const bool too_large = value->is_number_unsigned() &&
                         value->get<std::uint64_t>() >
                             static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (too_large) return wrong(key, "out of range");
  out = value->get<std::int64_t>();
}

void Fields::integer(const char* key, int& out) {
  std::int64_t wide = out;
  integer(key, wide);
  if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max()) {
    return wrong(key, "out of range");
  }
  out = static_cast<int>(wide);
}

void Fields::boolean(const char* key, bool& out) {
  const Json* value = find(key);
  if (value == nullptr) return;
  if (!value->is_boolean()) return wrong(key, "not true or false");
  out = value->get<bool>();
}

void Fields::oid(const char* key, Oid& out) {
  std::string value;
  text(key, value);
  if (error_) return;
  if (!value.empty() && (value.size() != 40 || !is_hex(value))) {
    return wrong(key, "not an object id");
  }
  out = Oid(std::move(value));
}

void Fields::json(const char* key, Json& out) {
  const Json* value = find(key);
  if (value != nullptr) out = *value;
}

void Fields::each_of(const char* key, Shape shape,
                     const std::function<Status(const Json&)>& visit) {
  const Json* value = find(key);
  if (value == nullptr) return;
  if (shape == Shape::kOne) {
    Status status = visit(*value);
    if (!status) wrong(key, status.error().message);
    return;
  }
  if (!value->is_array()) return wrong(key, "not an array");
  std::size_t index = 0;
  for (const Json& element : *value) {
    Status status = visit(element);
    if (!status) return wrong(key, fmt::format("element {}: {}", index, status.error().message));
    ++index;
  }
}

Status Fields::done() {
  if (!error_ && json_.is_object()) {
    // What was asked for need not be there, so that the two are of one size says nothing.
    for (const auto& item : json_.items()) {
      if (!asked_.contains(item.key())) {
        wrong(item.key().c_str(), "unknown field");
        break;
      }
    }
  }
  if (error_) return std::unexpected(*error_);
  return {};
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

}  // namespace gittxn
