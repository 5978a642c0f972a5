// Running gates: each on exactly the candidate that would land, in a checkout of its own at a fixed
// path, with a scrubbed environment, a time limit and streamed output. Evidence is a Certificate.
// It counts for this tree and parent, and for every tree on which what the gate looked at is the
// same (evidence/); always for this version of the gate and this environment.
//
// Checkouts are <worktree root>/gates/<branch>/<gate>/tree, one at a time by a file lock beside it.
// A run that finds it locked (a gate run by hand, while a landing runs it too) waits, or takes the
// next lane, whose evidence counts for this run alone.
//
// If we die: a checkout that the next run of the gate removes first, no certificate, and processes
// that die with us (capture/trace). Called from one thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/fs.h"
#include "base/result.h"
#include "capture/trace/trace.h"
#include "model/policy.h"
#include "repo/refs.h"
#include "repo/repository.h"
#include "repo/worktree.h"
#include "store/store.h"

namespace gittxn::gates {

struct Candidate {
  Oid commit;  // an object in the repository (unsigned draft is fine: only tree+parent bind)
  Oid tree;
  Oid parent;
  RefName branch;
  TxnId txn;
};

struct GateContext {
  repo::Repository* repository = nullptr;
  store::Store* store = nullptr;
  Clock* clock = nullptr;
  Environment caller;         // only the scrubbed part and named variables are passed on
  std::string worktree_root;  // gate checkouts go to <root>/gates/...
  std::string main_checkout;  // source of [worktree] copy and share; empty: none
  capture::Backend trace = capture::Backend::kAuto;
  std::function<void(const GateName&, std::string_view bytes)> on_output;
  // kFailed: the end of what a gate printed, once it is known not to have passed.
  enum class Shown { kFailed, kAll } shown = Shown::kFailed;
  std::function<void(std::string_view phrase)> on_phase = {};  // "gate test: 3 of 40 units"
  std::function<bool()> interrupted;
  int jobs = 2;  // gates that run at a time beside turns
};

inline constexpr std::int64_t kLeastToldMs = 2000;  // what takes less needs no estimate

struct GateReport {
  Certificate certificate;
  bool reused = false;
  bool in_log = false;  // its event is

  bool carried() const { return reused && !certificate.carried_from.empty(); }
};

// "it passed", "exit status 3", "it tested PATH, not the candidate"
std::string outcome_of(const Certificate& certificate);

// Runs (or reuses a certificate for) each gate in order; stops at the first that fails. Each
// evaluation is an event before this returns, and each certificate that was carried over from
// another tree is one.
//
// A landing that does not hold the turn of the branch runs a gate only when one of the `jobs` slots
// of the repository is free, and waits while another process runs the same gate, since that
// certificate may count for both. kInterrupted also ends the waiting.
enum class Turn { kHeld, kNotHeld };
Result<std::vector<GateReport>> run_gates(const GateContext& context, const Policy& policy,
                                          const Candidate& candidate, Turn turn = Turn::kHeld);
// Returns the reports if no gate has to run, and nullopt otherwise. Those that were carried over
// from another tree are not in the log: the caller appends not_in_log() of them with what it
// appends next, which costs no sync of its own, and no later than what relies on them.
Result<std::optional<std::vector<GateReport>>> known_gates(const GateContext& context,
                                                           const Policy& policy,
                                                           const Candidate& candidate);
std::vector<NewEvent> not_in_log(const std::vector<GateReport>& reports);
// One gate, always run.
Result<GateReport> run_gate(const GateContext& context, const Policy& policy, const GateSpec& gate,
                            const Candidate& candidate);

// The repository's own pre-commit and commit-msg hooks on the candidate, as gates named
// "pre-commit" and "commit-msg". A hook that edits files or the message makes a new candidate tree
// or message.
struct HookOutcome {
  std::vector<GateReport> reports;
  std::optional<Oid> new_tree;
  std::optional<std::string> new_message;
};
Result<HookOutcome> run_commit_hooks(const GateContext& context, const Policy& policy,
                                     const Candidate& candidate, const std::string& message);
// The text of the hooks that would run now, as a digest: while it is the same, so are they.
Result<Digest> commit_hooks_version(const GateContext& context, const Oid& parent);
// post-commit, post-merge after a landing, in the person's checkout. Their failure is a note.
Status run_post_hooks(const GateContext& context, const Oid& landed, const std::string& checkout);

// The repository's own hook reference-transaction, for the branches that a landing moves: as git
// runs it (githooks(5)), with "<old> <new> <ref>" on its standard input, in the person's checkout
// or the bare repository. `prepared` may say no; `committed` and `aborted` are told.
//
// The rules of the other hooks hold: which file it is, txn.hooks, the scrubbed environment. It runs
// under the lock of the ref, and where that is landed on under the landing lock; so it has a time
// limit, and git-txn refuses to be called in it.
inline constexpr std::string_view kRefHook = "reference-transaction";

// `update` is about to happen, has happened or has not, as `step` says. kRefused, with the hook's
// words: it says no. Ok when there is no hook.
Status run_ref_hook(const GateContext& context, const repo::RefUpdate& update, repo::RefStep step,
                    const TxnId& txn);

// [worktree] set-up of a fresh worktree: copy, share, run. Paths are confined to the repository. A
// folder that is shared is mounted (repo/worktree/worktree_share.h), or copied: for whoever comes
// to the tree from another mount namespace, and where nothing can be mounted, which a note tells. A
// worktree that needs a mount is mounted now, so that one that cannot be is refused before anything
// runs.
enum class Sharing { kMount, kCopy };
Status prepare_worktree(const GateContext& context, const Policy& policy,
                        const repo::Worktree& worktree, Sharing sharing,
                        std::vector<std::string>& notes);

// Ports of the policy's range that nobody listens on, reserved while the lock lives. The first is
// given to commands as GIT_TXN_PORT. nullopt: the policy names none; kBusy: none is free.
inline constexpr int kPortsPerBlock = 10;
struct PortBlock {
  int first = 0;
  SlotLock lock;
};
Result<std::optional<PortBlock>> reserve_ports(const GateContext& context, const Policy& policy,
                                               const std::string& seed);

}  // namespace gittxn::gates
