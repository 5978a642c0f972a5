// Undoing what came of a transaction, or running its command again: a transaction of its own, like
// any other run.
#include <fmt/format.h>

#include "api/kernel.h"
#include "store/work/workflows.h"
#include "txn/state.h"

namespace gittxn::api {

Result<Outcome> Kernel::retry(const std::string& id, RunOptions options, const Progress& progress) {
  const Txn txn = TRY(state_->find(id));
  if (txn.command.empty()) {
    return fail(Code::kUsage,
                txn.id.str() + " was begun in steps: there is no command to run again",
                "go on with it: git txn resume " + txn.id.str());
  }
  options.command = txn.command;
  options.instead = txn.id.str();
  options.onto = short_branch(txn.target);
  options.subdir = txn.subdir;
  options.name = txn.name;
  options.isolation = std::string(isolation_name(txn.isolation));
  if (!txn.attempts.empty() && !txn.attempts.back().confine.empty()) {
    options.confine = txn.attempts.back().confine;
  }
  if (!txn.workflow.empty()) {
    const auto workflow = TRY(store::workflow(*state_->store, WorkflowId(txn.workflow)));
    const bool goes_on = workflow && !workflow->cancelled && workflow->open() != nullptr;
    if (goes_on) options.workflow = txn.workflow;
  }
  return run(options, progress);
}

Result<Outcome> Kernel::undo(const std::string& id, RunOptions options, const Progress& progress) {
  const Txn txn = TRY(state_->find(id));
  if (txn.state != TxnState::kLanded) {
    return fail(
        Code::kUsage,
        fmt::format("{} is {}: there is no landing to undo", txn.id.str(), state_name(txn.state)),
        is_final(txn.state) ? "" : "give it up with: git txn abort " + txn.id.str());
  }
  std::string commits = txn.landed_commit.str();
  for (const store::LandedRow& row : TRY(state_->store->landed_since(txn.target, 0))) {
    // It landed as several with --keep-commits.
    if (row.txn == txn.id) commits = row.old_head.str() + ".." + row.new_head.str();
  }
  const Oid head = TRY(state_->seen(txn.target));
  if (!TRY(state_->repository.objects().is_ancestor(txn.landed_commit, head))) {
    return fail(
        Code::kUsage,
        fmt::format("the commit of {} is no longer on {}", txn.id.str(), short_branch(txn.target)),
        "find what became of it with: git txn log");
  }
  options.command = {"git", "revert", "--no-edit", commits};
  options.onto = short_branch(txn.target);
  options.subdir = "";
  return run(options, progress);
}

}  // namespace gittxn::api
