// Observations of an agent by sources other than the trace, one a fact. It is what somebody wrote,
// not what happened: it may explain a traced open and never excuses one (0008).
//
// Nothing here is checked against a file system. Paths are as the agent wrote them: absolute or
// relative to `cwd`, with "..", through links, outside the tree, not there. They hold no NUL byte
// and at most kMaxPath bytes; whoever uses one resolves it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/fields.h"
#include "base/result.h"
#include "model/read.h"

namespace gittxn::agents {

inline constexpr std::size_t kMaxPath = 4096;       // no system call takes more
inline constexpr std::size_t kMaxText = 256 << 10;  // of a command, pattern or URL
inline constexpr std::size_t kMaxFiles = 4096;      // of a query's answer; options: kMaxOptions
inline constexpr std::size_t kMaxOptions = 64;

enum class Program { kUnknown, kClaudeCode, kCodex, kOtel };

enum class Outcome {
  kAsked,   // the call was begun; no answer was seen, so it may or may not have happened
  kDone,    // the tool answered; a shell command may still have failed where no exit code is given
  kFailed,  // refused or failed; what it looked at may have been seen
  kAbsent,  // failed, and the text says that something does not exist
};

// Lines first .. first+count-1, counted from 1; count 0 is to the end. {1, 0} is the whole file.
struct LineRange {
  std::int64_t first = 1;
  std::int64_t count = 0;
  bool whole() const { return first <= 1 && count == 0; }
  bool operator==(const LineRange&) const = default;
};

enum class Via { kTool, kMention, kEdit };
struct FileRead {  // with Outcome::kAbsent: it was looked for and was not there
  std::string path;
  LineRange lines;
  Via via = Via::kTool;
  bool operator==(const FileRead&) const = default;
};
struct Listing {  // the names in a directory
  std::string path;
  Via via = Via::kTool;
  bool operator==(const Listing&) const = default;
};
enum class WriteHow { kUnknown, kCreated, kChanged, kReplaced, kRemoved };
struct FileWrite {
  std::string path;
  WriteHow how = WriteHow::kUnknown;
  bool operator==(const FileWrite&) const = default;
};
enum class QueryKind { kGrep, kGlob, kWeb };
struct Query {
  QueryKind kind = QueryKind::kGrep;
  std::string pattern;
  std::string root;  // "" is the working directory
  // As the tool was given them, without pattern and root; values are JSON text. Sorted by name.
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<std::string> files;  // the answer, where the tool names it and it is not cut
  bool files_known = false;        // `files` is the whole answer
  bool operator==(const Query&) const = default;
};
struct Command {
  std::string text;               // for a shell; "" when only argv is known
  std::vector<std::string> argv;  // when the source has it
  int exit_code = -1;             // -1 unknown
  // Observation::cwd is where it began. Otherwise it may be where the command's cd led.
  bool cwd_exact = false;
  bool background = false;  // went on after the call returned
  bool operator==(const Command&) const = default;
};
struct Url {
  std::string url;
  bool operator==(const Url&) const = default;
};
struct Usage {  // of one answer of the model; tokens
  std::string model;
  std::int64_t input = 0;  // without what a cache gave or took
  std::int64_t cache_read = 0;
  std::int64_t cache_write = 0;
  std::int64_t output = 0;
  bool operator==(const Usage&) const = default;
};
struct Prompt {
  Digest digest;  // SHA-256 of its UTF-8 bytes
  std::int64_t bytes = 0;
  bool operator==(const Prompt&) const = default;
};
struct Instructions {  // a file that the agent put in front of the model by itself
  std::string path;
  std::string reason;  // "session_start", "include", "nested", ... as the agent calls it
  std::string parent;  // the file that imports it
  bool operator==(const Instructions&) const = default;
};
enum class Phase { kLaunched, kStarted, kStopped };
struct SubAgent {
  Phase phase = Phase::kLaunched;
  std::string id;
  std::string type;
  std::string transcript;  // path, "" unknown
  std::string worktree;    // path or name of one of its own, "" none or unknown
  bool operator==(const SubAgent&) const = default;
};
// kRead: all that it said of itself was read, from its beginning to its end (import.h).
enum class SessionPhase { kStarted, kTurnEnded, kEnded, kMoved, kRead };
struct Session {
  SessionPhase phase = SessionPhase::kStarted;
  std::string reason;      // "startup", "resume", "other", ...; of kMoved the new directory
  std::string parent;      // session that began it, "" none
  std::string transcript;  // path, "" unknown
  bool operator==(const Session&) const = default;
};
struct SummaryUse {    // a stored summary was put in front of the model
  std::string name;    // of the summary
  std::string digest;  // of the artifact that says what it was made from
  bool operator==(const SummaryUse&) const = default;
};
struct OtherTool {  // a call that says nothing here; Observation::tool has its name
  bool operator==(const OtherTool&) const = default;
};

using Detail = std::variant<OtherTool, FileRead, Listing, FileWrite, Query, Command, Url, Usage,
                            Prompt, Instructions, SubAgent, Session, SummaryUse>;

struct Observation {
  ReadSource source = ReadSource::kHook;
  Program program = Program::kUnknown;
  std::string session;     // an opaque name: it may hold slashes, and is never part of a path
  std::string agent;       // sub-agent's id, "" is the session's own agent
  std::string agent_type;  // of the sub-agent
  std::string cwd;         // "" unknown
  std::string tool;
  std::string tool_use_id;    // joins what several sources say about one call; of Usage, the answer
  std::string note;           // the agent's own words on why, "" none
  std::int64_t start_ms = 0;  // since 1970, UTC; 0 unknown
  std::int64_t end_ms = 0;
  Outcome outcome = Outcome::kDone;
  Detail detail;
  bool operator==(const Observation&) const = default;
};

using Sink = std::function<void(Observation&&)>;

// What a parser met. Everything that was not turned into observations is in one of these.
struct Tally {
  std::uint64_t lines = 0;       // without empty ones
  std::uint64_t damaged = 0;     // not JSON, not the shape expected, longer than allowed
  std::uint64_t unknown = 0;     // well-formed, of an event or line type not known here
  std::uint64_t incomplete = 0;  // known, but a field that matters is missing, cut or absurd
  bool operator==(const Tally&) const = default;
  Tally& operator+=(const Tally& other);
};

// Who gives out what one event, line or call says.
struct Emitter {
  Observation base;
  const Sink& sink;
  Tally& tally;

  void emit(Detail detail) const;
};

std::string_view kind_name(const Detail& detail);  // "read", "list", "write", "query", ...
std::string_view outcome_name(Outcome outcome);
std::string_view program_name(Program program);

// docs/formats/observations.md. Free strings are written by encode_path. kCorrupt for anything that
// its list does not name; fields that are not known are refused too.
void fields(FieldIo& io, Observation& seen);

}  // namespace gittxn::agents
