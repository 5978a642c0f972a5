#include "mcp/session.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json.h"
#include "mcp/tools.h"

namespace gittxn::mcp {

namespace {

constexpr std::string_view kModern = "2026-07-28";
constexpr std::array<std::string_view, 2> kLegacy = {"2025-11-25", "2025-06-18"};  // newest first
constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* kClientKey = "io.modelcontextprotocol/clientInfo";
constexpr const char* kServerKey = "io.modelcontextprotocol/serverInfo";
constexpr std::array<std::string_view, 8> kLevels = {"debug", "info",     "notice", "warning",
                                                     "error", "critical", "alert",  "emergency"};
constexpr std::size_t kWarning = 3;
constexpr std::size_t kMaxName = 256;

std::string name_of(const Json& value) {
  std::string text = value.text_or("");
  return text.size() <= kMaxName ? text : "";
}

const Json& meta_of(const Message& message) {
  return (*message.params)["_meta"];
}

// A request of the newer era names its version itself.
bool is_modern(const Message& message) {
  return !meta_of(message)[kVersionKey].is_null();
}

Json versions() {
  Json all = Json::array({kModern});
  for (const std::string_view each : kLegacy) all.push_back(each);
  return all;
}

Json server_info(const std::string& version) {
  return {{"name", "git-txn"}, {"title", "git-txn"}, {"version", version}};
}

void add_cache_hints(Json& result) {
  result["ttlMs"] = 0;
  result["cacheScope"] = "private";
}

}  // namespace

Session::Session(api::TreeTools& tools, std::string version)
    : tools_(tools), version_(std::move(version)) {}

std::string Session::answer(const Message& message, const std::function<bool()>& stop) {
  switch (message.kind) {
    case Message::Kind::kInvalid:
      return error_line(message.id, message.code, message.error);
    case Message::Kind::kResponse:      // we ask nothing
    case Message::Kind::kNotification:  // "initialized" opens nothing that was closed; cancelling
                                        // is
      return "";                        // seen by whoever holds the queue; others mean nothing here
    case Message::Kind::kRequest:
      break;
  }
  if (message.method == "initialize") return initialize(message);
  if (!is_modern(message)) {
    if (message.method == "ping") return reply_line(message.id, Json::object());
    if (initialized_) return request(message, stop);
    // A client that tries what we speak gets the list and may go on either way.
    return error_line(message.id, kInvalidParams,
                      "no protocol version: send initialize first, or name the version in _meta",
                      {{"supported", versions()}});
  }
  const Json& named = meta_of(message)[kVersionKey];
  if (named != kModern) {
    const std::string requested = name_of(named);
    return error_line(message.id, kUnsupportedVersion, "unsupported protocol version",
                      {{"supported", versions()}, {"requested", requested}});
  }
  if (!meta_of(message)[kCapabilitiesKey].is_object()) {
    return error_line(message.id, kInvalidParams,
                      std::string("_meta needs the object ") + kCapabilitiesKey);
  }
  return request(message, stop);
}

std::string Session::initialize(const Message& message) {
  const std::string asked = name_of((*message.params)["protocolVersion"]);
  if (asked.empty()) {
    return error_line(message.id, kInvalidParams, "initialize names a protocolVersion");
  }
  // What we do not speak is answered with the newest that has a handshake; the client decides.
  const bool known = std::find(kLegacy.begin(), kLegacy.end(), asked) != kLegacy.end();
  initialized_ = true;
  client_ = name_of((*message.params)["clientInfo"]["name"]);
  return reply_line(message.id,
                    {{"protocolVersion", known ? std::string_view(asked) : kLegacy.front()},
                     {"capabilities", {{"tools", Json::object()}, {"logging", Json::object()}}},
                     {"serverInfo", server_info(version_)},
                     {"instructions", tools_.instructions()}});
}

std::string Session::request(const Message& message, const std::function<bool()>& stop) {
  const bool modern = is_modern(message);
  if (message.method == "tools/call") return call(message, stop);
  if (message.method == "tools/list") {
    if (!(*message.params)["cursor"].is_null()) {
      return error_line(message.id, kInvalidParams, "there is one page of tools, and no cursor");
    }
    Json result{{"tools", tool_list()}};
    if (modern) add_cache_hints(result);
    return finish(message, std::move(result));
  }
  if (modern && message.method == "server/discover") {
    Json result{{"supportedVersions", versions()},
                {"capabilities", {{"tools", Json::object()}}},
                {"serverInfo", server_info(version_)},
                {"instructions", tools_.instructions()}};
    add_cache_hints(result);
    return finish(message, std::move(result));
  }
  if (!modern && message.method == "logging/setLevel") return set_level(message);
  return error_line(message.id, kMethodNotFound,
                    "no method '" + message.method.substr(0, kMaxName) + "'");
}

std::string Session::call(const Message& message, const std::function<bool()>& stop) {
  const Json& name = (*message.params)["name"];
  if (!name.is_string()) return error_line(message.id, kInvalidParams, "a call names its tool");
  static const Json none = Json::object();
  const Json& given = (*message.params)["arguments"];
  const Json& arguments = given.is_null() ? none : given;
  auto answer = call_tool(tools_, name.text(), arguments, caller_of(message), stop);
  if (!answer) {
    if (answer.error().code == Code::kInterrupted) return "";  // nobody waits for it any more
    return error_line(message.id, kInvalidParams, answer.error().message);
  }
  // Once, and in the place that a model looks at.
  api::TreeTools::News news = tools_.news();
  if (news.number > told_) {
    told_ = news.number;
    answer->texts.push_back(std::move(news.text));
  }
  Json content = Json::array();
  for (const std::string& text : answer->texts) {
    content.push_back({{"type", "text"}, {"text", text}});
  }
  return finish(message, {{"content", std::move(content)}, {"isError", answer->failed}});
}

std::string Session::set_level(const Message& message) {
  const std::string asked = name_of((*message.params)["level"]);
  const auto* const level = std::find(kLevels.begin(), kLevels.end(), asked);
  if (level == kLevels.end())
    return error_line(message.id, kInvalidParams, "there is no such level");
  level_ = static_cast<std::size_t>(level - kLevels.begin());
  return reply_line(message.id, Json::object());
}

std::string Session::finish(const Message& message, Json result) const {
  if (is_modern(message)) {
    result["resultType"] = "complete";
    result["_meta"] = {{kServerKey, server_info(version_)}};
  }
  return reply_line(message.id, result);
}

api::Caller Session::caller_of(const Message& message) const {
  const Json& meta = meta_of(message);
  api::Caller caller;
  caller.program = is_modern(message) ? name_of(meta[kClientKey]["name"]) : client_;
  for (const char* key : {"claudecode/toolUseId", "callId"}) {
    if (caller.tool_use_id.empty()) caller.tool_use_id = name_of(meta[key]);
  }
  return caller;
}

std::string Session::news_line(const api::TreeTools::News& news) const {
  if (!initialized_ || level_ > kWarning || news.number == 0) return "";
  return notification_line("notifications/message",
                           {{"level", "warning"}, {"logger", "git-txn"}, {"data", news.text}});
}

}  // namespace gittxn::mcp
