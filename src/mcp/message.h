// One line of standard input as a message of JSON-RPC 2.0, in the subset that MCP uses: no batches
// (2025-06-18 ended them), ids are strings or integers. Pure; the line is whatever a client wrote.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"

namespace gittxn::mcp {

inline constexpr std::size_t kMaxLine = 4u << 20;
inline constexpr std::size_t kMaxId = 1024;

// Codes of JSON-RPC, and of MCP 2026-07-28.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kUnsupportedVersion = -32022;

struct Message {
  enum class Kind { kRequest, kNotification, kResponse, kInvalid };
  Kind kind = Kind::kInvalid;
  std::string id = "null";  // JSON text; "null": there is none that could be named
  std::string method;
  std::shared_ptr<const Json> params;  // never null; an object
  int code = 0;                        // kInvalid: why
  std::string error;
};

Message parse_message(std::string_view line);
// For a line that was longer than kMaxLine and never held.
Message oversized_message();

// Lines to send, without their end. `id` and `result` are JSON texts.
std::string reply_line(const std::string& id, const Json& result);
std::string error_line(const std::string& id, int code, const std::string& text,
                       const Json& data = nullptr);
std::string notification_line(const std::string& method, const Json& params);

}  // namespace gittxn::mcp
