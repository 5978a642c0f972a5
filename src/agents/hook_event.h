// One hook event of Claude Code or Codex -> observations. The formats are those of Claude
// Code 2.1.329 and Codex CLI 0.169.0; fields and events that are not known are no error.
#pragma once

#include <cstdint>

#include "agents/observation.h"
#include "base/json.h"

namespace gittxn::agents {

// `event` is what the agent wrote to the hook's standard input; fields may have been cut by
// log_line_of. `time_ms` is when that was (since 1970), for a hook event bears no time. PreToolUse
// gives what is about to happen with Outcome::kAsked; the event after the call repeats it with its
// outcome and the same tool_use_id (HookLogReader joins them). An event that names none is counted
// in tally.damaged.
void observe_hook_event(const Json& event, std::int64_t time_ms, const Sink& sink, Tally& tally);

}  // namespace gittxn::agents
