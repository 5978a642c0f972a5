// Running a command in a transaction's worktree: under the tracer, with the caller's terminal,
// started in the same sub-directory, and with an environment that points git at nothing but the
// worktree. Whoever has something to say about what the command reads finds the directory for it in
// GIT_TXN_OBSERVED.
//
// If we die: the log has the command's start and no end; the tracer's monitor ends the tree. The
// records then have no end mark, so the read set is unknown. What it had used up is noted
// (usage.h).
#include <fmt/format.h>
#include <unistd.h>

#include <functional>

#include "base/failpoint.h"
#include "gates/gate.h"
#include "store/events.h"
#include "txn/attempt.h"
#include "txn/bounds/confine.h"
#include "txn/bounds/usage.h"
#include "txn/children.h"
#include "txn/running.h"
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

// Calls `visit` for each folder of a PATH until it says true.
bool any_folder(std::string_view path, const std::function<bool(const std::string&)>& visit) {
  while (true) {
    const std::size_t colon = path.find(':');
    const std::string folder(path.substr(0, colon));
    if (visit(folder.empty() ? "." : folder)) return true;
    if (colon == std::string_view::npos) return false;
    path.remove_prefix(colon + 1);
  }
}

}  // namespace

std::string observed_dir(const Attempt& attempt) {
  return join_path(attempt.worktree, "observed");
}

namespace {

bool runnable(const std::string& path) {
  return ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string on_path(const Environment& env, const std::string& program) {
  const auto path = env.find("PATH");
  const std::string folders = path == env.end() ? "/usr/bin:/bin" : path->second;
  std::string file;
  any_folder(folders, [&](const std::string& folder) {
    file = join_path(folder, program);
    if (!runnable(file)) file.clear();
    return !file.empty();
  });
  return file;
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

// The confinement, as it is recorded and as the agent is told; "" for none.
Result<std::string> confine_command(State& state, const Txn& txn, const repo::Worktree& worktree,
                                    const RunOptions& options, capture::TraceSpec& spec,
                                    std::vector<std::string>& notes) {
  std::string confine;
  if (TRY(is_confined(state, options))) {
    const ConfinedPlace place = TRY(confined_place(txn.attempts.back(), worktree));
    spec.confine = TRY(confine_to(state, place, spec.env, notes));
    confine = kConfinedWrites;
  }
  TRY(leave_briefing(state, txn, confine));
  return confine;
}

// The ports of the policy that the transaction was begun under, its own until its command has
// ended.
Result<std::optional<gates::PortBlock>> ports_for(State& state, const Txn& txn,
                                                  const Progress& progress) {
  const land::Context context = TRY(state.context(progress));
  const Policy policy = TRY(state.policy_at(txn.attempts.back().base));
  return gates::reserve_ports(context.gates, policy, txn.id.str());
}

}  // namespace

Result<Executed> execute(State& state, const Txn& txn, const std::vector<std::string>& argv,
                         const RunOptions& options, const Progress& progress) {
  const Attempt& attempt = txn.attempts.back();
  const repo::Worktree worktree = TRY(repo::find_worktree(attempt.worktree));
  const repo::Mount mount = TRY(repo::Mount::open(worktree));
  capture::TraceSpec spec;
  spec.cwd = TRY(start_folder(worktree, txn.subdir));
  spec.env = command_environment(state, txn, spec.cwd);
  const auto ports = TRY(ports_for(state, txn, progress));
  if (ports) spec.env["GIT_TXN_PORT"] = std::to_string(ports->first);
  spec.backend = TRY(capture::backend_from_name(options.trace));
  spec.record_file = fmt::format("{}/trace.{}", attempt.worktree, attempt.traces.size() + 1);
  spec.enter = mount.fds();
  if (state.host.json) spec.stdout_fd = STDERR_FILENO;
  spec.foreground = state.host.stdin_is_terminal;
  spec.timeout_ms = options.timeout_ms;
  spec.keep_running = options.keep_running;

  UsageLimits limits;
  TRY(limits.put_on(state, txn, options, spec));
  TRY(make_dirs(observed_dir(attempt)));
  Executed executed;
  const std::string confine =
      TRY(confine_command(state, txn, worktree, options, spec, executed.notes));
  AgentRun agent = TRY(prepare_agent(state, attempt, argv, options, spec.cwd));
  spec.argv = agent.argv;
  // A record file of a start that was killed before its event; nothing of it was ever counted.
  TRY(remove_file(spec.record_file));
  TRY(state.store->append(
      {events::command_started(txn.id, attempt.number, spec.record_file, spec.argv, confine)}));
  TRY(fp_exec_started.hit());
  const RunningMark mark = TRY(RunningMark::set(attempt));
  const Txn running = TRY(reload(state, txn.id));
  Watch watch(state, running);
  Children children(state, running, progress);
  spec.interrupted = [&] {
    children.look();
    watch.look();
    if (limits.look() || watch.take_interrupt()) return true;
    return progress.interrupted && progress.interrupted();
  };
  if (progress.on_phase) progress.on_phase("running");
  const std::int64_t began = state.host.clock->monotonic_ns();
  TRY(limits.start(state, txn));
  auto trace = capture::run_traced(spec);
  if (!trace) {
    constexpr int kNeverRan = 127;
    TRY(state.store->append({events::command_ended(txn.id, attempt.number, kNeverRan)}));
    return std::unexpected(std::move(trace).error());
  }
  executed.trace = *std::move(trace);
  executed.duration_ms = (state.host.clock->monotonic_ns() - began) / kNsPerMs;
  TRY(state.store->append(
      {events::command_ended(txn.id, attempt.number, executed.trace.exit_status)}));
  TRY(fp_exec_ended.hit());
  TRY(import_agent(attempt, agent));
  TRY(children.finish());
  executed.txn = TRY(reload(state, txn.id));
  executed.over_budget =
      TRY(limits.settle(state, executed.txn, executed.trace, executed.duration_ms));
  TRY(report_agent_usage(state, executed.txn));
  for (std::string& note : agent.notes) executed.notes.push_back(std::move(note));
  if (!executed.over_budget.empty()) executed.notes.push_back(executed.over_budget);
  for (const std::string& note : children.notes()) executed.notes.push_back(note);
  if (spec.confine) TRY(tell_outside(spec.record_file, *spec.confine, executed.notes));
  for (const std::string& note : watch.notes()) executed.notes.push_back(note);
  for (const std::string& note : limits.notes()) executed.notes.push_back(note);
  if (watch.cancelled()) {
    executed.notes.push_back("it was aborted while it ran, see: git txn why " + txn.id.str());
  }
  return executed;
}

}  // namespace gittxn::api
