// After a command has ended: the session files that its hooks named, and those of their sub-agents,
// become one file of observations. They are read a line at a time; what is held is what will be
// written, at most kMaxImported bytes.
//
// A name in a hook event is what somebody wrote: whatever it leads to is only ever parsed as a
// session file, and only when it is a regular file whose name ends in ".jsonl". If we die there is
// the file of the last import, or none; and perhaps a "*.tmp-*" beside it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agents/observation.h"
#include "base/result.h"

namespace gittxn::agents {

inline constexpr std::size_t kMaxSessionFiles = 256;
inline constexpr std::uint64_t kMaxImported = 32u << 20;  // bytes of the observations, all together

struct Imported {
  std::size_t sessions = 0;          // that a hook has seen
  bool sessions_ended = false;       // every one of them has said so
  Tally hooks;                       // of the hook log
  std::uint64_t unparsed_hooks = 0;  // events that the hook could not read
  std::size_t files = 0;             // session files that were read
  std::vector<std::string> missing;  // named, and not readable: "PATH: reason"
  Tally tally;                       // of all session files
  std::uint64_t left_out = 0;        // observations, files or names beyond the bounds
  std::uint64_t observations = 0;    // written
};

// Reads <directory>/hooks.jsonl and writes <directory>/transcripts.jsonl anew; nothing is written
// when no hook named a file. Each session is said to be read (SessionPhase) only when nothing of
// any of them is damaged, missing, left out or not known. An error is of the directory itself,
// never of a session file.
Result<Imported> import_sessions(const std::string& directory);
// Gives out what they say until now, while the agent is at work; writes nothing. Errors as above.
Status read_sessions(const std::string& directory, const Sink& sink);

// Appends what an OTLP export says to <directory>/otel.jsonl. kUsage: it is not one, or too large.
Result<Imported> import_otel(const std::string& directory, const std::string& file);

}  // namespace gittxn::agents
