#include "hammer/judge_parts.h"

#include "base/json_value.h"

namespace gittxn::hammer {

Json payload_of(const Event& event) {
  return parse_json(event.payload).value_or(Json::object());
}

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t number_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

std::int64_t number_of(const Operation& op, const char* key) {
  const auto found = op.facts.find(key);
  return found == op.facts.end() ? 0 : std::stoll(found->second);
}

std::string fact(const Operation& op, const char* key) {
  const auto found = op.facts.find(key);
  return found == op.facts.end() ? std::string() : found->second;
}

}  // namespace gittxn::hammer
