#include "gates/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace gittxn::gates {
namespace {

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return fail_errno(errno, "pipe");
  Pipe pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
  if (fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK) != 0) return fail_errno(errno, "fcntl");
  // As large as an unprivileged process may have it; a refusal only makes the command wait more
  // often.
  fcntl(pipe.read_end.get(), F_SETPIPE_SZ, 1 << 20);
  return pipe;
}

// Reads what is there now.
void drain(int fd, OutputTail& tail, const std::function<void(std::string_view)>& on_output) {
  std::array<char, 1 << 16> buffer;
  // Bounded, so that a command that prints without end cannot keep us from its time limit.
  for (int round = 0; round < 64; ++round) {
    ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // empty, or every writer has gone
    std::string_view bytes(buffer.data(), static_cast<std::size_t>(n));
    tail.add(bytes);
    if (on_output) on_output(bytes);
  }
}

}  // namespace

Environment scrubbed_environment(const Environment& caller, const std::vector<std::string>& named) {
  Environment out;
  auto pass = [&](const std::string& name) {
    if (auto found = caller.find(name); found != caller.end()) out.insert(*found);
  };
  for (const char* name : {"PATH", "HOME", "LANG", "TERM", "USER", "LOGNAME", "SHELL", "TMPDIR"}) {
    pass(name);
  }
  for (const auto& [name, value] : caller) {
    if (name.starts_with("LC_")) out.emplace(name, value);
  }
  for (const std::string& name : named) pass(name);
  return out;
}

void OutputTail::add(std::string_view bytes) {
  total_ += bytes.size();
  if (bytes.size() > kKeptOutput) bytes.remove_prefix(bytes.size() - kKeptOutput);
  kept_ += bytes;
  // Cut only when twice as much is there, so that each byte is moved once and not at every call.
  if (kept_.size() > 2 * kKeptOutput) kept_.erase(0, kept_.size() - kKeptOutput);
}

std::string OutputTail::text() const {
  std::string_view last = kept_;
  if (last.size() > kKeptOutput) last.remove_prefix(last.size() - kKeptOutput);
  if (last.size() == total_) return std::string(last);
  return fmt::format("[{} bytes before this were not kept]\n{}", total_ - last.size(), last);
}

std::string ProcessResult::how() const {
  return trace.timed_out ? "timed out" : fmt::format("ended with {}", trace.exit_status);
}

Result<ProcessResult> run_process(const ProcessSpec& spec, const Clock& clock) {
  ProcessResult result;
  OutputTail tail;
  UniqueFd null = TRY(open_fd("/dev/null", O_RDONLY));
  Pipe pipe = TRY(make_pipe());
  TRY(remove_file(spec.record_file));

  capture::TraceSpec trace;
  trace.argv = spec.argv;
  trace.cwd = spec.cwd;
  trace.env = spec.env;
  trace.record_file = spec.record_file;
  trace.backend = spec.trace;
  trace.stdin_fd = null.get();
  trace.stdout_fd = trace.stderr_fd = pipe.write_end.get();
  trace.timeout_ms = spec.timeout_ms;
  trace.confine = spec.confine;
  trace.keep_running = spec.keep_running;
  trace.interrupted = [&] {
    drain(pipe.read_end.get(), tail, spec.on_output);
    return spec.interrupted && spec.interrupted();
  };
  const std::int64_t start_ns = clock.monotonic_ns();
  auto traced = capture::run_traced(trace);
  result.duration_ms = (clock.monotonic_ns() - start_ns) / 1'000'000;
  pipe.write_end.reset();
  drain(pipe.read_end.get(), tail, spec.on_output);

  if (traced) {
    result.trace = *std::move(traced);
  } else if (traced.error().code == Code::kNotFound) {
    result.trace.exit_status = 127;  // as a shell says it, so that both ways to write it agree
    result.trace.lost = "the command did not run";
    std::string line = traced.error().message + "\n";
    tail.add(line);
    if (spec.on_output) spec.on_output(line);
  } else {
    return std::unexpected(std::move(traced).error());
  }
  result.output = tail.text();
  if (result.trace.interrupted) return fail(Code::kInterrupted, "interrupted");
  return result;
}

}  // namespace gittxn::gates
