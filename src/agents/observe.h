// What an agent, or a framework, says of its calls and messages -> observations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "agents/observation.h"
#include "base/json.h"

namespace gittxn::agents {

// --- hook_event.cc: one hook event of Claude Code or Codex. The formats are those of Claude Code
// 2.1.329 and Codex CLI 0.169.0; fields and events that are not known are no error ---

// `event` is what the agent wrote to the hook's standard input; fields may have been cut by
// log_line_of. `time_ms` is when that was (since 1970), for a hook event bears no time. PreToolUse
// gives what is about to happen with Outcome::kAsked; the event after the call repeats it with its
// outcome and the same tool_use_id (HookLogReader joins them). An event that names none is counted
// in tally.damaged.
void observe_hook_event(const Json& event, std::int64_t time_ms, const Sink& sink, Tally& tally);

// --- tools.cc: the meaning of a tool call, the same for hooks and transcripts of both; only for
// agents/ ---

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

// --- otel.cc: OpenTelemetry spans in OTLP's JSON, of source "declared": what a framework says that
// its tools were asked for. Attribute names are those of the GenAI semantic conventions,
// OpenInference and OpenLLMetry; anything else is ignored ---

inline constexpr std::size_t kMaxOtelFile = 64u << 20;

// A whole export: one ExportTraceServiceRequest, or one a line, as the collector's file exporter
// writes them. A span with a tool's name and file arguments gives reads, and writes when the tool's
// name says so; one with token counts gives usage. tally.lines counts spans; a text that is neither
// form, or larger than kMaxOtelFile, is one damaged line.
void observe_otel(std::string_view text, const Sink& sink, Tally& tally);

// --- read_set.cc: the `read_set` block, what an agent says, in its last message, that its change
// depends on. The format is docs/formats/read-set.md. A hint: it is compared with what was seen and
// never replaces it ---

// Emits the entries of every read_set block of a message, with source kDeclared and `base` for the
// rest. A line that is not understood is counted in tally.damaged. Returns the number of blocks.
std::size_t observe_read_set(const Observation& base, std::string_view message, const Sink& sink,
                             Tally& tally);

}  // namespace gittxn::agents
