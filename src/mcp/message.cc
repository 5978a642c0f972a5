#include "mcp/message.h"

#include <utility>

namespace gittxn::mcp {

namespace {

constexpr int kMaxDepth = 32;

Message invalid(int code, std::string error, std::string id = "null") {
  Message message;
  message.id = std::move(id);
  message.params = std::make_shared<const Json>(Json::object());
  message.code = code;
  message.error = std::move(error);
  return message;
}

bool is_id(const Json& id) {
  if (id.is_string()) return id.text().size() <= kMaxId;
  return id.is_integer();
}

std::string line_of(Json message) {
  message["jsonrpc"] = "2.0";
  return dump_json(message);
}

}  // namespace

Message parse_message(std::string_view line) {
  if (line.size() > kMaxLine) return oversized_message();
  auto parsed = parse_json(line, {kMaxLine, kMaxDepth});
  if (!parsed) return invalid(kParseError, "not JSON: " + parsed.error().message);
  if (parsed->is_array()) return invalid(kInvalidRequest, "batches are not part of this protocol");
  if (!parsed->is_object()) return invalid(kInvalidRequest, "a message is an object");
  const Json& json = *parsed;
  const Json* id_at = json.find("id");
  const bool has_id = id_at != nullptr;
  if (has_id && !is_id(*id_at)) {
    // An answer to nothing has no use for us, whatever its id.
    const bool answer = !json.contains("method");
    Message wrong = invalid(kInvalidRequest, "an id is a string of at most 1 KiB, or an integer");
    if (answer) wrong.kind = Message::Kind::kResponse;
    return wrong;
  }
  const std::string id = has_id ? dump_json(*id_at) : "null";
  if (json["jsonrpc"] != "2.0") return invalid(kInvalidRequest, "jsonrpc is \"2.0\"", id);
  const Json* method = json.find("method");
  if (method == nullptr) {
    if (!has_id || (!json.contains("result") && !json.contains("error"))) {
      return invalid(kInvalidRequest, "a message has a method", id);
    }
    Message response = invalid(0, "", id);
    response.kind = Message::Kind::kResponse;
    return response;
  }
  if (!method->is_string()) return invalid(kInvalidRequest, "a method is a string", id);
  const Json* params = json.find("params");
  if (params != nullptr && !params->is_object()) {
    return invalid(kInvalidParams, "params is an object", id);
  }
  Message message;
  message.kind = has_id ? Message::Kind::kRequest : Message::Kind::kNotification;
  message.id = id;
  message.method = method->text();
  message.params = std::make_shared<const Json>(params == nullptr ? Json::object() : *params);
  return message;
}

Message oversized_message() {
  return invalid(kParseError, "a message of more than 4 MiB");
}

std::string reply_line(const std::string& id, const Json& result) {
  return line_of({{"id", parse_json(id).value_or(Json())}, {"result", result}});
}

std::string error_line(const std::string& id, int code, const std::string& text, const Json& data) {
  Json error{{"code", code}, {"message", text}};
  if (!data.is_null()) error["data"] = data;
  return line_of({{"id", parse_json(id).value_or(Json())}, {"error", std::move(error)}});
}

std::string notification_line(const std::string& method, const Json& params) {
  return line_of({{"method", method}, {"params", params}});
}

}  // namespace gittxn::mcp
