// run, begin, exec, commit, abort, resume, open.
#include <fmt/format.h>

#include <algorithm>

#include "base/json_value.h"
#include "cli/commands/compensate.h"
#include "cli/json_out.h"
#include "cli/render.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

api::RunOptions options_of(const Session& session) {
  const Parsed& args = session.args;
  api::RunOptions options;
  options.onto = args.text("--onto");
  options.isolation = args.text("--isolation");
  options.name = args.text("--name").value_or("");
  options.trace = args.text("--trace").value_or("auto");
  options.owner = args.text("--owner").value_or("");
  options.key = args.text("--key").value_or("");
  options.author = args.text("--author");
  options.instead = args.text("--instead");
  options.workflow = args.text("--workflow");
  options.phase = args.text("--phase");
  options.worktree = args.text("--worktree");
  options.confine = args.text("--confine");
  options.retries = static_cast<int>(std::min<std::int64_t>(args.number("--retries", 2), 1000));
  options.priority = static_cast<int>(std::min<std::int64_t>(args.number("--priority", 0), 1000));
  options.timeout_ms = args.duration_ms("--timeout").value_or(-1);
  options.wait_ms = args.duration_ms("--wait");
  options.leases = args.texts("--lease");
  options.budget = args.texts("--budget");
  options.no_land = args.has("--no-land");
  options.keep = args.has("--keep");
  options.keep_commits = args.has("--keep-commits");
  options.keep_running = args.has("--keep-running");
  options.inject = !args.has("--no-inject");
  options.command = args.rest;
  return options;
}

// Whether what a transaction did elsewhere is undone, where that was to be.
bool undone(const std::vector<Compensation>& compensations) {
  return std::ranges::all_of(compensations, [](const Compensation& one) {
    return one.ended && !one.timed_out && one.exit_status == 0;
  });
}

// The end of run and commit.
Result<int> tell(Session& session, api::Kernel& kernel, api::Outcome outcome) {
  int status = api::exit_code(outcome);
  const bool failed = api::outcome_name(outcome) == "command-failed";
  if (failed && session.args.has("--exit-code")) status = outcome.command_exit;
  if (outcome.txn.state == TxnState::kNothing && outcome.txn.landed_commit.empty() &&
      !undone(TRY(api::compensations_of(kernel, outcome.txn.id.str())))) {
    status = kExitNo;
  }
  if (session.quiet()) outcome.next.clear();
  if (session.json()) {
    session.reporter->finish();
    session.out->json(api::to_json(outcome));
    return status;
  }
  for (const std::string& note : outcome_notes(outcome)) session.reporter->note(note);
  session.reporter->finish();
  if (!session.quiet() || status != kExitDone)
    session.out->text(outcome_lines(outcome, session.style));
  return status;
}

}  // namespace

Result<int> run_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  api::Progress progress = session.reporter->progress();
  return tell(session, kernel, TRY(kernel.run(options_of(session), progress)));
}

namespace {

// Each by itself, as if it were named: one that does not land keeps no other from it.
Result<int> commit_all(Session& session, api::Kernel& kernel) {
  api::RunOptions options = options_of(session);
  options.wait_ms = options.wait_ms.value_or(0);  // for ever would be for the first alone
  const std::vector<TxnId> waiting = TRY(kernel.waiting());
  if (waiting.empty() && !session.json() && !session.quiet()) {
    session.reporter->finish();
    session.out->text("no transaction waits to land\n");
  }
  int worst = kExitDone;
  for (const TxnId& id : waiting) {
    api::Progress progress = session.reporter->progress();
    auto outcome = kernel.commit(id.str(), options, progress);
    if (!outcome && outcome.error().code != Code::kBusy) return std::unexpected(outcome.error());
    if (!outcome) {  // somebody else is landing it
      session.reporter->note(fmt::format("{}: {}", id.str(), outcome.error().message));
      worst = std::max<int>(worst, kExitNo);
      continue;
    }
    worst = std::max(worst, TRY(tell(session, kernel, *std::move(outcome))));
  }
  return worst;
}

}  // namespace

Result<int> commit_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  if (session.args.has("--all")) {
    if (session.args.operands.empty()) return commit_all(session, kernel);
    return fail(Code::kUsage, "git txn commit --all takes no transaction",
                "name one, or write --all for those that wait");
  }
  if (session.args.operands.empty()) {
    return fail(Code::kUsage, "git txn commit needs a transaction",
                "git txn status lists them; git txn commit --all lands those that wait");
  }
  api::Progress progress = session.reporter->progress();
  return tell(session, kernel, TRY(kernel.commit(session.id(), options_of(session), progress)));
}

Result<int> begin_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  api::Progress progress = session.reporter->progress();
  Txn txn = TRY(kernel.begin(options_of(session), progress));
  session.reporter->finish();
  if (session.json())
    session.out->json(txn_json(txn));
  else if (session.quiet())
    session.out->text(clean(txn.id.str()) + "\n");
  else
    session.out->text(begun_lines(txn, session.style));
  return kExitDone;
}

Result<int> exec_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  api::Progress progress = session.reporter->progress();
  int status = TRY(kernel.exec(session.id(), session.args.rest, options_of(session), progress));
  session.reporter->finish();
  if (session.json()) {
    const TxnId id = TRY(kernel.id_of(session.id()));
    session.out->json({{"txn", encode_path(id.str())}, {"command_exit", status}});
  }
  return status;
}

Result<int> abort_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  api::Progress progress = session.reporter->progress();
  Txn txn = TRY(kernel.abort(session.id(), session.flag("--reason").value_or(""), progress));
  session.reporter->finish();
  const auto compensations = TRY(api::compensations_of(kernel, txn.id.str()));
  const int status = undone(compensations) ? kExitDone : kExitNo;
  if (session.json()) {
    Json json = txn_json(txn);
    if (!compensations.empty()) json["compensations"] = compensations_json(compensations);
    session.out->json(json);
    return status;
  }
  if (session.quiet()) return status;
  session.out->text(state_sentence(txn, session.style) + compensation_lines(compensations));
  bool kept = !txn.attempts.empty() && !txn.attempts.back().kept.empty();
  if (kept) {
    session.out->text(fmt::format("its work stays at refs/txn/{}/{} until git txn gc --force\n",
                                  clean(txn.id.str()), txn.attempts.back().number));
  }
  return status;
}

Result<int> stop_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  api::Progress progress = session.reporter->progress();
  Txn txn = TRY(kernel.stop(session.id(), progress));
  session.reporter->finish();
  if (session.json()) {
    session.out->json(txn_json(txn));
  } else if (!session.quiet()) {
    session.out->text(state_sentence(txn, session.style));
    if (!is_final(txn.state)) {
      session.out->text(
          fmt::format("its work is kept; to land it: git txn commit {0}, to give it "
                      "up: git txn abort {0}\n",
                      clean(txn.id.str())));
    }
  }
  return kExitDone;
}

Result<int> resume_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  api::Progress progress = session.reporter->progress();
  Txn txn = TRY(kernel.resume(session.id(), progress));
  session.reporter->finish();
  if (session.json())
    session.out->json(txn_json(txn));
  else if (!session.quiet())
    session.out->text(begun_lines(txn, session.style));
  return kExitDone;
}

Result<int> open_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  const std::vector<std::string>& operands = session.args.operands;
  if (operands.size() > 1) {
    session.reporter->finish();
    return kernel.enter(operands.front(), {operands.begin() + 1, operands.end()});
  }
  if (session.args.has("--shell")) {
    auto shell = session.host.env.find("SHELL");
    bool has_shell = shell != session.host.env.end() && !shell->second.empty();
    api::Progress progress = session.reporter->progress();
    session.reporter->note("a shell in its worktree; leave it to come back");
    return kernel.exec(session.id(), {has_shell ? shell->second : "sh"}, options_of(session),
                       progress);
  }
  std::string path = TRY(kernel.worktree_of(session.id()));
  if (session.json()) {
    const TxnId id = TRY(kernel.id_of(session.id()));
    session.out->json({{"txn", encode_path(id.str())}, {"worktree", encode_path(path)}});
    return kExitDone;
  }
  // On a terminal it is read, elsewhere it is used: then it must be the path itself.
  session.out->text((session.output_is_terminal ? clean(path) : path) + "\n");
  if (session.output_is_terminal) {
    session.reporter->note(
        fmt::format("reads of a shell there are not recorded; git txn open {} "
                    "--shell records them",
                    session.id()));
  }
  return kExitDone;
}

}  // namespace gittxn::cli
