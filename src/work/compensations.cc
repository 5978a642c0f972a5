#include "work/compensations.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/bug.h"
#include "base/failpoint.h"
#include "base/text.h"
#include "gates/process.h"
#include "store/work/compensations.h"
#include "txn/attempt.h"
#include "txn/bounds/confine.h"
#include "txn/serve/ask.h"

namespace gittxn::api {

namespace events = store::events;

namespace {

FAILPOINT(fp_compensation_started, "api.compensation.started");
FAILPOINT(fp_compensation_ran, "api.compensation.ran");
FAILPOINT(fp_compensation_ended, "api.compensation.ended");

constexpr std::int64_t kTimeoutMs = 600'000;
constexpr std::int64_t kRunPatienceMs = 100'000;  // of a confined command, for its run

Status check_user(const State& state) {
  struct stat info{};
  // On a server a store is nobody's in particular; its folder in the clone is.
  const std::string& folder = state.repository.txn_dir();
  const std::string path = state.membership.hub ? folder : folder + "/kernel.db";
  if (::stat(path.c_str(), &info) != 0) return fail_errno(errno, "stat '" + path + "'");
  if (info.st_uid == ::geteuid()) return {};
  return fail(Code::kRefused, "compensations are run for the user to whom the store belongs",
              "let that user run: git txn recover");
}

// Whoever registered it may have been confined, and is not let out by what it leaves to be run.
Result<std::optional<capture::Confine>> confinement_of(State& state, const Txn& txn,
                                                       const Compensation& one,
                                                       gates::ProcessSpec& spec) {
  const auto number = static_cast<std::size_t>(one.attempt);
  const bool confined =
      number < 1 || number > txn.attempts.size() || !txn.attempts[number - 1].confine.empty();
  if (!confined || INJECTED_BUG("compensation.unconfined")) return std::nullopt;
  std::vector<std::string> known;  // told when its command ran
  return TRY(confine_to(state, {{spec.cwd}, join_path(spec.cwd, "tmp")}, spec.env, known));
}

Result<gates::ProcessResult> run_one(State& state, const Txn& txn, const Compensation& one,
                                     const Progress& progress) {
  const TxnId& id = txn.id;
  const std::string folder = fmt::format("{}/{}/{}{}", TRY(state.worktree_root()), id.str(),
                                         kCompensationFolder, one.number);
  TRY(remove_tree(folder));  // of a run that was killed
  const std::string cwd = join_path(folder, "tree");
  TRY(make_dirs(cwd));
  gates::ProcessSpec spec;
  spec.argv = one.argv;
  spec.cwd = cwd;
  spec.env = gates::scrubbed_environment(state.host.env, {});
  spec.env["PWD"] = cwd;
  spec.env["GIT_TXN_COMPENSATES"] = id.str();
  spec.record_file = join_path(folder, "trace");
  spec.trace = capture::Backend::kOff;
  spec.timeout_ms = kTimeoutMs;
  spec.interrupted = progress.interrupted;
  if (progress.on_gate_output) {
    const std::string label = fmt::format("compensation {}", one.number);
    spec.on_output = [&progress, label](std::string_view bytes) {
      progress.on_gate_output(label, bytes);
    };
  }
  spec.confine = TRY(confinement_of(state, txn, one, spec));
  auto ran = gates::run_process(spec, *state.host.clock);
  TRY(remove_tree(folder));
  return ran;
}

std::string not_ended(std::size_t owed, std::size_t all) {
  return fmt::format("{} of its {} compensation{} {} not ended", owed, all, all == 1 ? "" : "s",
                     owed == 1 ? "has" : "have");
}

Status tell_owed(State& state, const Txn& txn) {
  const auto all = TRY(store::compensations(*state.store, txn.id));
  const auto owed = TRY(owed_compensations(state, txn));
  return fail(Code::kInterrupted,
              fmt::format("interrupted: {} is {}, and {}", txn.id.str(), state_name(txn.state),
                          not_ended(owed.size(), all.size())),
              fmt::format("go on with: {}", kRunOwed));
}

std::string told(const TxnId& id, const Compensation& one, const gates::ProcessResult& ran) {
  const std::string what = one.name.empty() ? quote_argv(one.argv) : one.name;
  if (ran.passed()) return fmt::format("{}: compensated: {}", id.str(), what);
  return fmt::format("{}: compensation {} failed ({}): {}", id.str(), one.number,
                     ran.trace.timed_out ? "it took more than ten minutes"
                                         : fmt::format("exit {}", ran.trace.exit_status),
                     what);
}

// The attempt that this process is confined in, by the log and by where its run listens; none where
// it may write the store itself.
Result<std::optional<Attempt>> confined_attempt(State& state, const TxnId& id) {
  const store::Store* store = TRY(state.looking());
  if (store == nullptr) return std::nullopt;
  const auto txn = TRY(store->txn(id));
  if (!txn || txn->attempts.empty() || txn->attempts.back().confine.empty()) return std::nullopt;
  const Attempt& attempt = txn->attempts.back();
  if (state.host.variable("GIT_TXN_OBSERVED") != observed_dir(attempt)) return std::nullopt;
  return attempt;
}

}  // namespace

Result<Compensation> register_compensation(State& state, const Compensation& asked) {
  const TxnId id(state.host.variable("GIT_TXN_ID"));
  if (id.empty()) {
    return fail(Code::kUsage, "this is not inside a transaction",
                "a compensation is registered by the command that has the effect");
  }
  TRY(check_request(asked));
  const auto confined = TRY(confined_attempt(state, id));
  if (!confined) return register_for(state, id, asked);
  const std::string number = TRY(ask(
      observed_dir(*confined), {Ask::Verb::kCompensate, asked.name, asked.argv}, kRunPatienceMs));
  const auto all = TRY(store::compensations(*state.store, id));
  const auto same = [&number](const Compensation& one) {
    return std::to_string(one.number) == number;
  };
  const auto found = std::ranges::find_if(all, same);
  if (found != all.end()) return *found;
  return fail(Code::kFault, "git txn run says that it registered what the log does not have");
}

Result<std::vector<Compensation>> compensations_of(State& state, const std::string& id) {
  const Txn txn = TRY(state.find(id));
  return store::compensations(*state.store, txn.id);
}

Status compensate(State& state, const Txn& txn, const Progress& progress,
                  std::vector<std::string>& notes) {
  const TxnId& id = txn.id;
  for (const Compensation& one : TRY(owed_compensations(state, txn))) {
    TRY(check_user(state));
    if (progress.is_interrupted()) return tell_owed(state, txn);
    events::CompensationRun run;
    run.number = one.number;
    run.run = one.runs + 1;
    TRY(state.store->append({events::compensation_started(id, run.number, run.run)}));
    TRY(fp_compensation_started.hit());
    if (progress.on_phase) progress.on_phase(fmt::format("compensation {}", one.number));
    const auto ran = run_one(state, txn, one, progress);
    if (!ran && ran.error().code == Code::kInterrupted) return tell_owed(state, txn);
    if (!ran) return std::unexpected(ran.error());
    TRY(fp_compensation_ran.hit());
    run.exit_status = ran->trace.exit_status;
    run.timed_out = ran->trace.timed_out;
    run.output = TRY(state.store->put_artifact(ran->output));
    TRY(state.store->append({events::compensation_ended(id, run)}));
    TRY(fp_compensation_ended.hit());
    notes.push_back(told(id, one, *ran));
  }
  return {};
}

// Some of its effects would stand and others not, and one may be in between. None has begun: then
// all of them stand, and are undone when it is given up again.
Status check_not_half_undone(State& state, const Txn& txn) {
  const auto owed = TRY(owed_compensations(state, txn));
  if (owed.empty()) return {};
  const auto all = TRY(store::compensations(*state.store, txn.id));
  const auto next = static_cast<std::size_t>(owed.front().number);  // later ones have ended
  if (owed.front().runs == 0 && next == all.size()) return {};
  return fail(
      Code::kBusy,
      fmt::format("{} is half undone: {}", txn.id.str(), not_ended(owed.size(), all.size())),
      fmt::format("first: {}", kRunOwed));
}

Result<std::string> compensated_note(State& state, const TxnId& id) {
  std::vector<std::string> ran;
  for (const Compensation& one : TRY(store::compensations(*state.store, id))) {
    if (one.runs > 0) ran.push_back(std::to_string(one.number));
  }
  if (ran.empty()) return std::string();
  return fmt::format(
      "compensation{} {} ran when it was aborted; what that undid elsewhere is not done again",
      ran.size() == 1 ? "" : "s", listed(ran));
}

Status compensate_left(State& state, const Progress& progress, std::vector<std::string>& notes) {
  for (const TxnId& id : TRY(store::owing_compensation(*state.store))) {
    const auto held = hold(state, TRY(reload(state, id)));
    if (!held && held.error().code == Code::kBusy) continue;     // who is at it does it
    if (!held && held.error().code == Code::kRefused) continue;  // so does another clone
    if (!held) return std::unexpected(held.error());
    TRY(compensate(state, held->txn, progress, notes));
  }
  return {};
}

}  // namespace gittxn::api
