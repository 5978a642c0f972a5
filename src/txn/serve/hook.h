// The exchange with an agent's hook while a transaction runs: what it tells, and its answer. It
// opens no repository and no store, because the agent waits for it: one line appended and synced,
// and a look for a brief.
#pragma once

#include <cstdint>
#include <string>

namespace gittxn::api {

struct HookCall {
  std::string event;         // the name it is registered under: "PostToolUse"
  std::string observed;      // where observations go; empty: not in a transaction
  int input = 0;             // descriptor that the event comes from; read to its end
  std::int64_t time_ms = 0;  // since 1970
};

struct HookAnswer {
  std::string output;   // for the hook's standard output; nearly always empty
  std::string trouble;  // what did not work, for the standard error; mostly empty
};

// Never fails, for a hook that fails gets in the agent's way: what could not be recorded is told
// and the trace, which needs no hook, still has every read. Any number may run at once.
HookAnswer answer_hook(const HookCall& call);

}  // namespace gittxn::api
