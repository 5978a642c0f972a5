// The tools as a client sees them: names, schemas, arguments in, text out. What they do is
// api/agents.h.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/agents.h"
#include "base/json.h"
#include "base/result.h"

namespace gittxn::mcp {

struct ToolAnswer {
  std::vector<std::string> texts;  // blocks of text, any bytes
  bool failed = false;             // the tool says so; the model reads why and may do better
};

// The array of tools/list, always the same.
Json tool_list();
// Arguments that make no sense, and whatever the tool refuses, are an answer that failed. Errors:
// kNotFound: there is no such tool; kInterrupted: `stop` said so, and there is no answer.
Result<ToolAnswer> call_tool(api::TreeTools& tools, const std::string& name, const Json& arguments,
                             const api::Caller& caller, const std::function<bool()>& stop);

}  // namespace gittxn::mcp
