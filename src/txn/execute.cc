// Running a command in a transaction's worktree: under the tracer, with the caller's terminal,
// started in the same sub-directory, and with an environment that points git at nothing but the
// worktree. Whoever has something to say about what the command reads finds the directory for it in
// GIT_TXN_OBSERVED.
//
// If we die: the log has the command's start and no end; the tracer's monitor ends the tree. The
// records then have no end mark, so the read set is unknown. What it had used up is noted
// (usage.h).
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/failpoint.h"
#include "gates/gate.h"
#include "store/events.h"
#include "txn/attempt.h"
#include "txn/bounds/confine.h"
#include "txn/bounds/usage.h"
#include "txn/children.h"
#include "txn/serve/agent_run.h"
#include "txn/serve/instructions.h"
#include "txn/watch.h"

namespace gittxn::api {

namespace events = store::events;

namespace {

FAILPOINT(fp_exec_started, "api.exec.started");
FAILPOINT(fp_exec_ended, "api.exec.ended");

// The nearest existing folder at or above `subdir` in the tree.
Result<std::string> start_folder(const repo::Worktree& worktree, std::string subdir) {
  while (!subdir.empty() && subdir != ".") {
    if (TRY(repo::path_on_disk(worktree, subdir))) return join_path(worktree.tree, subdir);
    subdir = parent_dir(subdir);
  }
  return worktree.tree;
}

Environment command_environment(const State& state, const Txn& txn, const std::string& cwd) {
  Environment env = repo::without_repository(state.host.env);
  env.erase("GIT_TXN_FAILPOINT");
  env.erase("GIT_TXN_BUG");
  env.erase("GIT_TXN_TRUST");
  env.erase("OLDPWD");
  env["PWD"] = cwd;
  env["GIT_TXN_ID"] = txn.id.str();
  env["GIT_TXN_OBSERVED"] = observed_dir(txn.attempts.back());
  return env;
}

// The worktree, what its observers append to, and the worktrees of its sub-agents.
Result<ConfinedPlace> confined_place(const Attempt& attempt, const repo::Worktree& worktree) {
  const std::string children = join_path(attempt.worktree, "children");
  TRY(make_dirs(children));
  const std::string temp = join_path(attempt.worktree, "tmp");
  return ConfinedPlace{{worktree.tree, observed_dir(attempt), children, temp}, temp};
}

bool runnable(const std::string& path) {
  return ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string observed_dir(const Attempt& attempt) {
  return join_path(attempt.worktree, "observed");
}

std::string on_path(const Environment& env, const std::string& program) {
  const auto path = env.find("PATH");
  std::string_view folders = "/usr/bin:/bin";
  if (path != env.end()) folders = path->second;
  while (true) {
    const std::size_t colon = folders.find(':');
    const std::string_view folder = folders.substr(0, colon);
    std::string file = join_path(folder.empty() ? "." : folder, program);
    if (runnable(file)) return file;
    if (colon == std::string_view::npos) return "";
    folders.remove_prefix(colon + 1);
  }
}

Status find_program(const Host& host, const std::string& program) {
  const bool there = program.find('/') == std::string::npos
                         ? !on_path(host.env, program).empty()
                         : !program.starts_with('/') || runnable(program);
  if (there) return {};
  return fail(Code::kUsage, "there is no program '" + program + "'",
              "check its name and PATH; nothing was run");
}

Result<int> enter(State& state, const std::string& id, const std::vector<std::string>& command) {
  if (TRY(state.looking()) != nullptr) TRY(state.writing());  // a copy has no worktree
  const Txn txn = TRY(state.find(id));
  TRY(state.require_here(txn));
  if (txn.attempts.empty() || txn.attempts.back().worktree.empty()) {
    return fail(Code::kUsage, "the worktree of " + txn.id.str() + " is gone",
                "bring it back with: git txn resume " + txn.id.str());
  }
  const repo::Worktree worktree = TRY(repo::find_worktree(txn.attempts.back().worktree));
  const repo::Mount mount = TRY(repo::Mount::open(worktree));
  capture::TraceSpec spec;
  spec.argv = command;
  spec.cwd = TRY(start_folder(worktree, txn.subdir));
  spec.env = repo::without_repository(state.host.env);
  spec.env["PWD"] = spec.cwd;
  spec.backend = capture::Backend::kOff;
  spec.record_file = fmt::format("{}/entered.{}", worktree.path, ::getpid());
  spec.enter = mount.fds();
  spec.foreground = state.host.stdin_is_terminal;
  if (state.host.json) spec.stdout_fd = STDERR_FILENO;
  TRY(remove_file(spec.record_file));
  auto ran = capture::run_traced(spec);
  TRY(remove_file(spec.record_file));
  if (!ran && ran.error().code == Code::kNotFound) ran.error().code = Code::kUsage;
  if (!ran) return std::unexpected(std::move(ran).error());
  return ran->exit_status;
}

namespace {

// One command, and what its companions keep for it.
struct Command {
  State& state;
  const Txn& txn;  // before its start
  const std::vector<std::string>& argv;
  const RunOptions& options;
  const Progress& progress;
  const repo::Worktree& worktree;
  capture::TraceSpec spec = {};
  Txn running = {};  // once its start is on record
  Executed executed = {};
  std::string confine = {};  // as it is recorded; "" for none
  std::optional<gates::PortBlock> ports = {};
  AgentRun agent = {};
  UniqueFd mark = {};
  std::optional<Children> children = {};
  std::optional<Watch> watch = {};
  UsageLimits limits = {};

  const Attempt& attempt() const { return txn.attempts.back(); }
  void tell(const std::vector<std::string>& notes) {
    executed.notes.insert(executed.notes.end(), notes.begin(), notes.end());
  }
};

// The ports of the policy that the transaction was begun under, its own until its command has
// ended.
Status reserve_ports(Command& command) {
  State& state = command.state;
  const land::Context context = TRY(state.context(command.progress));
  const Policy policy = TRY(state.policy_at(command.attempt().base));
  command.ports = TRY(gates::reserve_ports(context.gates, policy, command.txn.id.str()));
  if (command.ports) {
    command.spec.env["GIT_TXN_PORT"] = std::to_string(command.ports->first);
  }
  return {};
}

Status add_agent(Command& command) {
  command.agent = TRY(prepare_agent(command.state, command.attempt(), command.argv, command.options,
                                    command.spec.cwd));
  command.spec.argv = command.agent.argv;
  return {};
}

Status tell_agent(Command& command) {
  TRY(import_agent(command.attempt(), command.agent));
  command.tell(command.agent.notes);
  return {};
}

Status mark_process(Command& command) {
  command.mark = TRY(mark_running(command.attempt()));
  return {};
}

Status serve_children(Command& command) {
  command.children.emplace(command.state, command.running, command.progress);
  return {};
}

Status join_children(Command& command) {
  TRY(command.children->finish());
  command.tell(command.children->notes());
  return {};
}

// And the agent is told that it is.
Status confine(Command& command) {
  if (TRY(is_confined(command.state, command.options))) {
    const ConfinedPlace place = TRY(confined_place(command.attempt(), command.worktree));
    command.spec.confine =
        TRY(confine_to(command.state, place, command.spec.env, command.executed.notes));
    command.confine = kConfinedWrites;
  }
  return leave_briefing(command.state, command.txn, command.confine);
}

Status tell_confined(Command& command) {
  if (!command.spec.confine) return {};
  return tell_outside(command.spec.record_file, *command.spec.confine, command.executed.notes);
}

Status watch_reads(Command& command) {
  command.watch.emplace(command.state, command.running);
  return {};
}

Status tell_watched(Command& command) {
  command.tell(command.watch->notes());
  if (command.watch->cancelled()) {
    command.tell({"it was aborted while it ran, see: git txn why " + command.txn.id.str()});
  }
  return {};
}

Status limit_usage(Command& command) {
  return command.limits.put_on(command.state, command.txn, command.options, command.spec);
}

Status settle_usage(Command& command) {
  Executed& executed = command.executed;
  executed.txn = TRY(reload(command.state, command.txn.id));
  executed.over_budget =
      TRY(command.limits.settle(command.state, executed.txn, executed.trace, executed.duration_ms));
  TRY(report_agent_usage(command.state, executed.txn));
  if (!executed.over_budget.empty()) command.tell({executed.over_budget});
  command.tell(command.limits.notes());
  return {};
}

// Everything beside the command itself. Of each moment the list is gone through from the first.
struct Companion {
  Status (*before)(Command&) = nullptr;   // nothing is on record; it may refuse the command
  Status (*started)(Command&) = nullptr;  // the start is on record
  bool (*during)(Command&) = nullptr;     // called often; true: the command is to end
  Status (*after)(Command&) = nullptr;    // the end is on record
};
constexpr Companion kCompanions[] = {
    {.before = reserve_ports},
    {.started = mark_process},
    {.before = add_agent, .after = tell_agent},
    {.started = serve_children,
     .during = [](Command& command) { return command.children->look(), false; },
     .after = join_children},
    {.before = confine, .after = tell_confined},
    {.started = watch_reads,
     .during =
         [](Command& command) { return command.watch->look(), command.watch->take_interrupt(); },
     .after = tell_watched},
    {.before = limit_usage,
     .started = [](Command& command) { return command.limits.start(command.state, command.txn); },
     .during = [](Command& command) { return command.limits.look(); },
     .after = settle_usage},
};

Status each(Status (*Companion::*moment)(Command&), Command& command) {
  for (const Companion& one : kCompanions) {
    if (one.*moment != nullptr) TRY((one.*moment)(command));
  }
  return {};
}

bool is_to_end(Command& command) {
  for (const Companion& one : kCompanions) {
    if (one.during != nullptr && one.during(command)) return true;
  }
  return command.progress.is_interrupted();
}

Status shape(Command& command) {
  capture::TraceSpec& spec = command.spec;
  const State& state = command.state;
  const Attempt& attempt = command.attempt();
  spec.cwd = TRY(start_folder(command.worktree, command.txn.subdir));
  spec.env = command_environment(state, command.txn, spec.cwd);
  spec.backend = TRY(capture::backend_from_name(command.options.trace));
  spec.record_file = fmt::format("{}/trace.{}", attempt.worktree, attempt.traces.size() + 1);
  if (state.host.json) spec.stdout_fd = STDERR_FILENO;
  spec.foreground = state.host.stdin_is_terminal;
  spec.timeout_ms = command.options.timeout_ms;
  spec.keep_running = command.options.keep_running;
  spec.started = command.progress.on_started;
  spec.interrupted = [&command] { return is_to_end(command); };
  return make_dirs(observed_dir(attempt));
}

}  // namespace

Result<Executed> execute(State& state, const Txn& txn, const std::vector<std::string>& argv,
                         const RunOptions& options, const Progress& progress) {
  const int attempt = txn.attempts.back().number;
  const repo::Worktree worktree = TRY(repo::find_worktree(txn.attempts.back().worktree));
  repo::Mount mount = TRY(repo::Mount::open(worktree));
  Command command{state, txn, argv, options, progress, worktree};
  capture::TraceSpec& spec = command.spec;
  spec.enter = mount.fds();
  TRY(shape(command));
  UniqueFd input;
  if (!options.input.empty()) {
    input = TRY(open_fd(options.input, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    spec.stdin_fd = input.get();
  }
  TRY(each(&Companion::before, command));
  // A record file of a start that was killed before its event; nothing of it was ever counted.
  TRY(remove_file(spec.record_file));
  TRY(state.store->append_soon(
      {events::command_started(txn.id, attempt, spec.record_file, spec.argv, command.confine)}));
  TRY(state.store->make_durable());
  TRY(fp_exec_started.hit());
  command.running = TRY(reload(state, txn.id));
  TRY(each(&Companion::started, command));
  if (progress.on_phase) progress.on_phase("running");
  const std::int64_t began = state.host.clock->monotonic_ns();
  auto trace = capture::run_traced(spec);
  if (!trace) {
    constexpr int kNeverRan = 127;
    TRY(state.store->append({events::command_ended(txn.id, attempt, kNeverRan)}));
    return std::unexpected(std::move(trace).error());
  }
  Executed& executed = command.executed;
  executed.trace = *std::move(trace);
  executed.duration_ms = (state.host.clock->monotonic_ns() - began) / kNsPerMs;
  // Its work is taken next; a command whose end is not known lands only when that is asked for.
  TRY(state.store->append_soon(
      {events::command_ended(txn.id, attempt, executed.trace.exit_status)}));
  TRY(fp_exec_ended.hit());
  TRY(each(&Companion::after, command));
  executed.mount = std::move(mount);
  return std::move(executed);
}

}  // namespace gittxn::api
