#include "txn/serve/agent_run.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "agents/import.h"
#include "base/fs.h"
#include "txn/attempt.h"

namespace gittxn::api {

namespace {

std::string hook_log(const Attempt& attempt) {
  return join_path(observed_dir(attempt), "hooks.jsonl");
}

std::uint64_t size_of(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

// The real file of a word of the command, as the command itself would find it.
std::string file_of(const Environment& env, const std::string& cwd, const std::string& word) {
  const std::string path =
      word.find('/') == std::string::npos ? on_path(env, word) : join_path(cwd, word);
  if (path.empty()) return {};
  auto real = real_path(path);
  return real ? *std::move(real) : std::string();
}

Status write_files(const std::string& folder, const agents::Injection& injection) {
  TRY(remove_tree(folder));  // of the command before
  for (const auto& [name, content] : injection.files) {
    const std::string path = join_path(folder, name);
    TRY(make_dirs(parent_dir(path)));
    TRY(write_file(path, content, Sync::kNo));
  }
  return {};
}

void note_sessions(const agents::Imported& imported, AgentRun& run) {
  if (imported.sessions > 0 && !imported.sessions_ended) {
    run.notes.emplace_back(
        "a session of the agent has no end on record: it was killed, or hooks were lost");
  }
  for (const std::string& missing : imported.missing) {
    run.notes.push_back("a session file of the agent is not there: " + missing);
  }
  const std::uint64_t damaged =
      imported.hooks.damaged + imported.unparsed_hooks + imported.tally.damaged;
  if (damaged > 0) {
    run.notes.push_back(fmt::format("{} damaged line{} of the agent's records {} skipped", damaged,
                                    damaged == 1 ? "" : "s", damaged == 1 ? "was" : "were"));
  }
  if (imported.left_out > 0) {
    run.notes.push_back(fmt::format("{} of the agent's records were left out, beyond what is kept",
                                    imported.left_out));
  }
}

Result<Txn> only_open(State& state) {
  store::Store* store = TRY(state.looking());
  std::vector<Txn> open;
  if (store != nullptr) open = TRY(store->txns({{TxnState::kOpen}, 2}));
  if (open.size() == 1) return std::move(open.front());
  return fail(Code::kUsage,
              open.empty() ? "no transaction is open" : "more than one transaction is open",
              "say which: git txn capture import --otel FILE ID");
}

}  // namespace

Result<std::optional<agents::FoundAgent>> agent_in(State& state,
                                                   const std::vector<std::string>& argv,
                                                   const RunOptions& options,
                                                   const std::string& cwd) {
  if (!options.inject) return std::nullopt;
  const auto found = agents::find_agent(
      argv, [&](const std::string& word) { return file_of(state.host.env, cwd, word); });
  if (!found || !TRY(state.repository.config().flag("txn.inject")).value_or(true)) {
    return std::nullopt;
  }
  return found;
}

Result<AgentRun> prepare_agent(State& state, const Attempt& attempt,
                               const std::vector<std::string>& argv, const RunOptions& options,
                               const std::string& cwd) {
  AgentRun run;
  run.argv = argv;
  run.hooks_before = size_of(hook_log(attempt));
  const auto found = TRY(agent_in(state, argv, options, cwd));
  if (!found) return run;
  if (state.host.program.empty()) {
    run.notes.emplace_back("its hooks could not be added: the file of git-txn is not known");
    return run;
  }
  const std::string folder = join_path(attempt.worktree, "plugin");
  const auto injection = agents::injection_for(
      *found, argv, {state.host.program, GIT_TXN_VERSION, observed_dir(attempt)}, folder);
  if (!injection) {
    run.notes.push_back("its hooks could not be added: " + injection.error().message);
    return run;
  }
  TRY_IN("the agent's plugin", write_files(folder, *injection));
  if (!injection->switched_off.empty()) run.notes.push_back(injection->switched_off);
  run.agent = agents::program_name(found->program);
  run.argv.insert(run.argv.begin() + static_cast<std::ptrdiff_t>(found->at) + 1,
                  injection->options.begin(), injection->options.end());
  return run;
}

Status import_agent(const Attempt& attempt, AgentRun& run) {
  const bool reported = size_of(hook_log(attempt)) > run.hooks_before;
  if (!run.agent.empty() && !reported) {
    run.notes.push_back(
        fmt::format("no hook of {} has reported: its settings may switch hooks off; what it read "
                    "is known from system calls alone",
                    run.agent));
  }
  if (!reported) return {};
  const agents::Imported imported =
      TRY_IN("the agent's session files", agents::import_sessions(observed_dir(attempt)));
  note_sessions(imported, run);
  return {};
}

Result<ImportReport> import_otel(State& state, const std::optional<std::string>& id,
                                 const std::string& file) {
  ImportReport report;
  std::string observed = id ? "" : state.host.variable("GIT_TXN_OBSERVED");
  report.txn = TxnId(state.host.variable("GIT_TXN_ID"));
  if (observed.empty()) {
    const Txn txn = id ? TRY(state.find(*id)) : TRY(only_open(state));
    if (is_final(txn.state) || txn.attempts.empty() || txn.attempts.back().worktree.empty()) {
      return fail(
          Code::kUsage,
          fmt::format("{} is {}: what it read is settled", txn.id.str(), state_name(txn.state)),
          "import while it is open: git txn status lists those");
    }
    report.txn = txn.id;
    observed = observed_dir(txn.attempts.back());
  }
  TRY(make_dirs(observed));
  const agents::Imported imported =
      TRY(agents::import_otel(observed, join_path(state.host.cwd, file)));
  report.observations = imported.observations;
  report.damaged = imported.tally.damaged;
  report.left_out = imported.left_out;
  return report;
}

}  // namespace gittxn::api
