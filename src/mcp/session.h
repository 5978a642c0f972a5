// The protocol, one message at a time, without any I/O of its own. Both eras are spoken on one
// connection: a request that names its version in `_meta` is of 2026-07-28 and stands alone; others
// need the `initialize` handshake of 2025-11-25 or 2025-06-18 first.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/agents.h"
#include "mcp/message.h"

namespace gittxn::mcp {

class Session {
 public:
  // `tools` must outlive it. `version` is the program's.
  Session(api::TreeTools& tools, std::string version);

  // The line to send back, "" when none is due: notifications, answers, a request that was
  // cancelled. `stop` says that this request was.
  std::string answer(const Message& message, const std::function<bool()>& stop);

  // The line that tells a client of the older era about a new brief, "" when it is not to be told:
  // no handshake yet, or it asked for graver messages only. The newer era has no such messages. In
  // both the next tool's answer carries the brief, which is where a model reads it.
  std::string news_line(const api::TreeTools::News& news) const;

 private:
  std::string initialize(const Message& message);
  std::string request(const Message& message, const std::function<bool()>& stop);
  std::string call(const Message& message, const std::function<bool()>& stop);
  std::string set_level(const Message& message);
  std::string finish(const Message& message, Json result) const;
  api::Caller caller_of(const Message& message) const;

  api::TreeTools& tools_;
  std::string version_;
  bool initialized_ = false;
  std::string client_;     // of the handshake
  std::size_t level_ = 0;  // least grave that is sent; index of the list of levels
  int told_ = 0;           // number of the brief that went out with a tool's answer
};

}  // namespace gittxn::mcp
