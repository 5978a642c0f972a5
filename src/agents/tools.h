// Meaning of a tool call, the same for hooks and transcripts of Claude Code and Codex. Only for
// agents/.
#pragma once

#include <string>
#include <string_view>

#include "agents/observation.h"
#include "base/json.h"

namespace gittxn::agents {

struct ToolCall {
  Observation base;  // source, session, tool, times, outcome; the detail is filled in
  const Json* input = nullptr;
  const Json* response = nullptr;  // null: none was seen
  std::string_view error;          // text of a failed call
};

// Emits what the call read, searched, ran and wrote; at least one observation. A field that should
// be there and is not is counted in tally.incomplete, and the call is an OtherTool, never left out.
void observe_tool(const ToolCall& call, const Sink& sink, Tally& tally);

// The answer a model gave, from Anthropic's or OpenAI's usage object.
Usage usage_of(const Json& usage, std::string model);

}  // namespace gittxn::agents
