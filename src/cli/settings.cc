// What may be set beside the command line, and what exit statuses mean, as data (commands.h).
#include "cli/commands.h"

namespace gittxn::cli {
namespace {

constexpr Setting kConfig[] = {
    {"txn.retention", "how long events are kept, such as 90d (default: for ever)"},
    {"txn.handlerRetry",
     "how long after its first failure a handler is tried again; six times longer each time "
     "(default: 10s)"},
    {"txn.consumerStale",
     "how long a durable consumer may stand still while events wait for it (default: 7d)"},
    {"txn.worktreeRoot",
     "where private worktrees are made: an absolute path outside the repository (default: "
     "$XDG_STATE_HOME/git-txn, else ~/.local/state/git-txn)"},
    {"txn.instructions",
     "a text file to give agents instead of what `git txn instructions` prints"},
    {"txn.worktree",
     "the kind of worktree where --worktree names none: auto (default), plain, overlay, "
     "reflink; git txn doctor says what works here"},
    {"txn.confine",
     "whether a command is confined where --confine says nothing: off (default), or writes"},
    {"txn.confineWrite",
     "where a confined command may write besides: paths separated by ':', absolute or from ~/"},
    {"txn.hooks",
     "whether the repository's own pre-commit and commit-msg hooks judge a landing, and "
     "post-commit "
     "and post-merge follow it (default: true)"},
    {"txn.inject",
     "whether run and exec add hooks to the agents they know, for that run alone (default: true)"},
    {"txn.remote",
     "what landing does to the remote of the branch: local (default), nothing; push, move the same "
     "branch there as part of landing; branch, push txn/NAME for a pull request and land nothing "
     "here"},
    {"txn.<branch>.remote", "the same for one branch"},
    {"txn.member.<name>.place",
     "where a member of the portfolio is for this clone (default: as the list has it)"},
    {"txn.hub",
     "the remote that this clone lands on with others; txn.store, txn.storeSchema, txn.log and "
     "txn.clone belong to it: git txn init writes them"},
    {"txn.remoteTimeout", "how long a remote may take to answer (default: 60s)"},
};
constexpr Setting kEnvironment[] = {
    {"GIT_TXN_ID", "set for the command of a transaction: the transaction's id"},
    {"GIT_TXN_OBSERVED",
     "set for the command of a transaction: where its hooks say what the agent reads"},
    {"GIT_TXN_LEASE", "set for the command of a lease: its id; GIT_TXN_FENCE has its fence"},
    {"GIT_TXN_GATE", "set for a gate: its name"},
    {"GIT_TXN_COMPENSATES", "set for a compensation: the id of the transaction that it undoes"},
    {"GIT_TXN_HANDLER", "set for a handler: its name"},
    {"GIT_TXN_EVENT",
     "set for a handler: the event as CloudEvents JSON, up to 64 KiB; its standard input has all"},
    {"GIT_TXN_PORT", "set when the policy gives ports: the first of ten free ones"},
    {"GIT_TXN_TRUST",
     "a policy hash that is trusted for this process, as `git txn trust` prints it"},
    {"NO_COLOR", "when set and not empty, nothing is coloured"},
    {"SHELL", "what `git txn open --shell` starts"},
};
constexpr Setting kExits[] = {
    {"0", "landed, or nothing to land, or done"},
    {"1", "not landed, for a stated reason; the work is kept"},
    {"2", "a fault of the machine or the program; nothing is half done"},
    {"3", "the request makes no sense or is refused; nothing was changed"},
};

}  // namespace

std::span<const Setting> config_settings() {
  return kConfig;
}
std::span<const Setting> environment_settings() {
  return kEnvironment;
}
std::span<const Setting> exit_statuses() {
  return kExits;
}

}  // namespace gittxn::cli
