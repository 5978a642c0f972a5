// Whole-tree system-call trace: runs a command and records every path operation of every process it
// starts, with the real result where the back end knows it.
//
// Process shape: caller ── monitor (forked, tiny, a child subreaper) ── command and its tree. The
// monitor writes the records; if it dies the caller kills the tree, if the caller dies the monitor does.
// Both are told by a pipe, and the command itself by a parent-death signal. A record file without its
// end mark (a killed monitor) makes the read set unknown, never silently shorter.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/subprocess.h"

namespace gittxn::capture {

enum class Backend { kAuto, kNotify, kPtrace, kOff };
std::string_view backend_name(Backend backend);
Result<Backend> backend_from_name(std::string_view name);  // names later back ends, refused by name

struct Capability {
  Backend backend;
  bool usable = false;
  std::string detail;        // why not, or what this kernel lacks ("no synchronous wake-up: needs 6.6")
};
std::vector<Capability> probe_backends();   // best first; runs a tiny child for each

// What a process asked the kernel. `path` is absolute and lexically as the process meant it (dirfd and
// cwd resolved, links not): interpret.h resolves the rest against the snapshot.
enum class Op : std::uint8_t {
  kExec, kOpenRead, kOpenWrite, kOpenReadWrite, kOpenCreate, kStat, kAccess, kReadlink, kList, kMkdir,
  kUnlink, kRmdir, kRename, kLink, kSymlink, kChmod, kTruncate, kSetTimes, kChdir, kConnect, kMount,
  kOther, kFork, kExit,
};
std::string_view op_name(Op op);

struct Record {
  std::uint64_t seq = 0;
  Op op = Op::kOther;
  std::int32_t pid = 0;           // thread group
  std::int32_t parent = 0;        // kFork, kExec
  std::string path;               // kExec: the program; kConnect: "unix:/path", "inet:host:port"
  std::string path2;              // rename's, link's destination; symlink's target text
  std::int32_t result = 0;        // >= 0, or -errno
  bool assumed = false;           // the result is not known: presence and absence both count
  std::uint32_t flags = 0;        // open flags as passed (O_TRUNC, O_APPEND, ...), or AT_ flags
  std::uint64_t dev = 0, ino = 0; // of what was opened, when known
  std::vector<std::string> argv;  // kExec only, each cut to 4096 bytes, at most 256
  bool nofollow = false;
};

struct TraceSpec {
  std::vector<std::string> argv;
  std::string cwd;
  Environment env;
  std::string record_file;        // created, mode 0600
  Backend backend = Backend::kAuto;
  int stdin_fd = 0, stdout_fd = 1, stderr_fd = 2;  // given to the command as they are
  bool foreground = false;        // the command becomes the terminal's foreground process group
  std::int64_t timeout_ms = -1;
  std::int64_t grace_ms = 2000;   // between SIGTERM and SIGKILL of what is left of the tree
  bool keep_running = false;      // leave what is left (a choice with a warning)
  std::function<bool()> interrupted;  // polled; true once: SIGINT to the command, twice: end the tree
};

struct TraceResult {
  Backend used = Backend::kOff;
  int exit_status = 0;            // or 128 + signal
  bool timed_out = false;
  bool interrupted = false;
  std::string lost;               // why the records are not complete; empty: they are
  std::vector<std::string> left_running;  // processes ended after the command (argv), or kept
};

// Returns when the whole tree is gone (or kept). kNotFound: the program does not exist; nothing ran.
Result<TraceResult> run_traced(const TraceSpec& spec);

struct RecordSummary {
  std::uint64_t records = 0;
  bool complete = false;          // has its end mark and nothing was lost
  std::string reason;             // when not
};
// Streams a record file in order; bounded memory. A damaged tail is reported, not an error.
Result<RecordSummary> read_records(const std::string& record_file,
                                   const std::function<void(const Record&)>& sink);

}  // namespace gittxn::capture
