// The server on two descriptors: a line in, a line out, until the input ends. One thread: requests
// are answered in the order they came, and while one is worked on what arrives is read, so that it
// can be cancelled. When A/observed/brief.json is written the client is told.
#pragma once

#include <functional>
#include <string>

#include "api/agents.h"
#include "base/result.h"

namespace gittxn::mcp {

struct ServerOptions {
  int in = 0;
  int out = 1;
  std::string version;
  std::function<bool()> interrupted;  // a signal asked to end; seen when poll(2) returns
};

// Returns when the input has ended and every request in it was answered, when the client is gone,
// or when it is interrupted. kFault: the descriptors fail otherwise.
Status serve(api::TreeTools& tools, const ServerOptions& options);

}  // namespace gittxn::mcp
