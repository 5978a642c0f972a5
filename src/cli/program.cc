#include "cli/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "base/bug.h"
#include "base/failpoint.h"
#include "cli/detach.h"
#include "cli/help.h"
#include "cli/json_out.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

bool colours(const Environment& env, int fd) {
  return isatty(fd) && variable(env, "NO_COLOR").empty() && variable(env, "TERM") != "dumb";
}

// Where it cannot be written there is nobody to tell.
void to_stderr(const std::string& text) {
  Printer(2).text(text);
}

int tell_error(const Error& error, Printer& out, bool json) {
  std::string text = "git txn: " + clean_lines(error.message);
  if (!error.where.empty()) text += fmt::format(" ({})", clean(error.where));
  text += "\n";
  if (!error.hint.empty()) text += "hint: " + clean_lines(error.hint) + "\n";
  to_stderr(text);
  if (json) out.json(kErrorJson(error));
  return exit_status(error.code);
}

// A result that could not be written is a fault, unless it was about a change that stands.
int written(const Printer& out, int status, const CommandSpec& command) {
  if (!out.failure()) return status;
  to_stderr("git txn: " + clean(out.failure()->message) + "\n");
  return command.effect == Effect::kWrites || status != kExitDone ? status : kExitFault;
}

// Help is asked for in three ways: of everything, of one command, and by giving no command at all.
bool tell_help(const Parsed& parsed, Printer& out) {
  if (parsed.command && !parsed.has("--help")) return false;
  out.text(parsed.command ? help_text(*parsed.command) : help_text(parsed.topic));
  return true;
}

Result<std::string> current_dir() {
  std::unique_ptr<char, void (*)(void*)> dir(getcwd(nullptr, 0), free);
  if (!dir) {
    return fail(Code::kUsage, "the current directory is gone", "cd to one that exists");
  }
  return std::string(dir.get());
}

}  // namespace

int run_program(Process process) {
  const std::vector<std::string>& argv = process.arguments;
  Environment& env = process.env;
  Printer out(1);
  bool json = wants_json(argv);
  if (std::string point = variable(env, "GIT_TXN_FAILPOINT"); !point.empty()) {
    if (Status armed = Failpoint::arm(point); !armed) return tell_error(armed.error(), out, json);
  }
  arm_bug(variable(env, "GIT_TXN_BUG"));
  Result<Parsed> parsed = parse(argv);
  if (!parsed) return tell_error(parsed.error(), out, json);
  json = parsed->has("--json");  // the word may have been the value of another option
  for (const std::string& former : parsed->former) to_stderr("git txn: " + clean(former) + "\n");
  if (tell_help(*parsed, out)) return kExitDone;
  Result<std::string> cwd = current_dir();
  // A hook must work in whatever its agent has left of its directory.
  if (!cwd && parsed->command->name == "hook") cwd = std::string("/");
  if (!cwd) return tell_error(cwd.error(), out, json);

  Session session;
  session.args = *std::move(parsed);
  session.arguments = argv;
  session.supervisor = take_supervisor(env);
  session.host.cwd = *std::move(cwd);
  session.host.program = std::move(process.program);
  session.host.clock = process.clock;
  session.host.random = process.random;
  session.host.stdin_is_terminal = isatty(0);
  session.host.json = session.json();
  session.output_is_terminal = isatty(1);
  session.style.colour = colours(env, 1);
  ReporterOptions options;
  options.terminal = isatty(2) && variable(env, "TERM") != "dumb";
  options.style.colour = colours(env, 2);
  options.loudness = session.quiet() ? Loudness::kQuiet : Loudness::kPlain;
  options.clock = process.clock;
  options.pending = process.interrupts;
  options.asks = session.host.stdin_is_terminal && options.terminal && !session.json();
  Reporter reporter(options);
  session.host.env = std::move(env);
  session.out = &out;
  session.reporter = &reporter;

  Result<int> status = dispatch(session);
  reporter.finish();
  if (!status) return tell_error(status.error(), out, json);
  return written(out, *status, *session.args.command);
}

}  // namespace gittxn::cli
