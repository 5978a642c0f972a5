// Running one command of a policy or a hook: scrubbed environment, standard input from /dev/null, a
// time limit on the whole process tree, output streamed and its end kept.
//
// There is no reader thread, because the tracer's monitor is a fork of the caller that goes on
// without exec: output goes through a pipe that is emptied whenever the tracer polls us (every 50
// ms). A full pipe makes the command wait for the next poll, which bounds our memory as well.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/subprocess.h"
#include "capture/trace/trace.h"

namespace gittxn::gates {

inline constexpr std::size_t kKeptOutput = 1u << 20;

// PATH, HOME, LANG, LC_*, TERM, USER, LOGNAME, SHELL, TMPDIR and the named ones, from the caller's.
Environment scrubbed_environment(const Environment& caller, const std::vector<std::string>& named);

// The last kKeptOutput bytes of a stream, and how many there were.
class OutputTail {
 public:
  void add(std::string_view bytes);
  std::uint64_t total() const { return total_; }
  // What was kept, after a line that says so when something was not.
  std::string text() const;

 private:
  std::string kept_;
  std::uint64_t total_ = 0;
};

struct ProcessSpec {
  std::vector<std::string> argv;
  std::string cwd;
  Environment env;
  std::string record_file;  // replaced when there is one
  capture::Backend trace = capture::Backend::kAuto;
  std::int64_t timeout_ms = 600'000;
  std::optional<capture::Confine> confine = {};
  bool keep_running = false;  // what it leaves in the background lives on
  std::function<void(std::string_view bytes)> on_output;
  std::function<bool()> interrupted;
};

struct ProcessResult {
  capture::TraceResult trace;  // exit status 127 when there is no such program
  std::string output;
  std::int64_t duration_ms = 0;
  bool passed() const { return trace.exit_status == 0 && !trace.timed_out; }
  std::string how() const;  // it ended: "timed out", "ended with 2"
};

// kInterrupted when the caller's `interrupted` said so: then nothing was decided.
Result<ProcessResult> run_process(const ProcessSpec& spec, const Clock& clock);

}  // namespace gittxn::gates
