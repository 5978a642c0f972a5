// Beginning: a transaction in the log, then a snapshot, a worktree and an attempt.
//
// If we die: after the transaction is recorded, it is open with no attempt and a dead owner (abort
// it); while the worktree is made, there is a directory that no attempt names (gc removes it);
// after the attempt is recorded, everything is there and the work can be resumed.
#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>

#include "base/failpoint.h"
#include "base/hash.h"
#include "gates/gate.h"
#include "gates/trust.h"
#include "land/remote.h"
#include "repo/checkout/shared_checkout.h"
#include "repo/worktree.h"
#include "store/events.h"
#include "store/server/locks.h"
#include "store/work/workflows.h"
#include "txn/attempt.h"
#include "txn/bounds/budget_values.h"
#include "txn/bounds/limits.h"
#include "txn/bounds/usage.h"

namespace gittxn::api {

namespace events = store::events;

namespace {

FAILPOINT(fp_begun, "api.begin.recorded");
FAILPOINT(fp_pinned, "api.begin.pinned");
FAILPOINT(fp_checked_out, "api.begin.checked_out");
FAILPOINT(fp_begin_started, "api.begin.started");

constexpr int kTxnIdLetters = 4;
constexpr int kTxnIdTries = 64;

Result<Isolation> level_of(const RunOptions& options, const Policy& policy) {
  if (!options.isolation) return policy.default_isolation.value_or(kDefaultIsolation);
  auto level = isolation_from_name(*options.isolation);
  if (level) return *level;
  return fail(Code::kUsage, level.error().message,
              "the levels are read-committed, snapshot, semantic, serializable and strict");
}

constexpr std::size_t kMaxKey = 500;
constexpr int kKeyLetters = 12;

Result<TxnId> id_for(const store::Store& store, Random& random, const std::string& key) {
  if (!key.empty()) return TxnId("t-" + TRY(name_of_key(key)));
  for (int i = 0; i < kTxnIdTries; ++i) {
    TxnId id("t-" + random.name(kTxnIdLetters + i / 8));
    if (!TRY(store.txn(id))) return id;
  }
  return fail(Code::kFault, "no free transaction id was found");
}

// Nothing is begun where nobody can say what the branch is.
Result<Oid> head_to_begin_at(const land::Context& context, const RefName& branch) {
  auto head = land::current_head(context, branch);
  if (!head && head.error().code == Code::kTimeout) head.error().code = Code::kFault;
  return head;
}

// The policy of the head, refused where its commands are not trusted.
Result<Policy> trusted_policy(State& state, const RefName& branch, const Oid& head) {
  Policy policy = TRY_IN("the policy of " + short_branch(branch), state.policy_at(head));
  TRY(gates::require_trust(*state.store, policy, state.host.variable("GIT_TXN_TRUST")));
  return policy;
}

// git looks at every file for the answer, which in a large tree takes longer than all of beginning.
Status tell_uncommitted(State& state, const std::string& snapshot,
                        std::vector<std::string>& notes) {
  constexpr std::int64_t kLargeIndex = 4 << 20;  // some 40,000 files
  struct stat info{};
  const std::string index = state.repository.place().git_dir + "/index";
  if (state.repository.place().worktree && ::stat(index.c_str(), &info) == 0 &&
      info.st_size > kLargeIndex) {
    notes.push_back(
        fmt::format("the snapshot is {}; uncommitted changes, if there are any, are not "
                    "in it (git txn status looks)",
                    snapshot));
  } else if (TRY(state.repository.has_uncommitted_changes())) {
    notes.push_back(
        fmt::format("the checkout has uncommitted changes; the snapshot is {} and does "
                    "not contain them",
                    snapshot));
  }
  return {};
}

// The open phase of the workflow it is begun in, with the versions it reads. Under the write lock.
Result<PhaseMember> join(const store::View& view, const RunOptions& options, const Txn& txn,
                         const Policy& policy) {
  PhaseMember member;
  member.workflow = WorkflowId(*options.workflow);
  const auto workflow = TRY(store::workflow(view, member.workflow));
  if (!workflow) {
    return fail(Code::kNotFound, fmt::format("there is no workflow '{}'", *options.workflow),
                "git txn workflow list names them");
  }
  if (workflow->branch != txn.target) {
    return fail(Code::kUsage,
                fmt::format("workflow {} is of {}, not of {}", workflow->id.str(),
                            short_branch(workflow->branch), short_branch(txn.target)),
                "begin it with: --onto " + short_branch(workflow->branch));
  }
  const std::string status = "git txn workflow status " + workflow->id.str();
  if (options.phase && workflow->phase(*options.phase) == nullptr) {
    return fail(Code::kUsage,
                fmt::format("workflow {} has no phase '{}'", workflow->id.str(), *options.phase),
                status);
  }
  if (workflow->cancelled) return was_cancelled(*workflow);
  const Phase* open = workflow->open();
  if (open == nullptr) {
    return fail(Code::kRefused, fmt::format("workflow {} is finished", workflow->id.str()), status);
  }
  if (options.phase && *options.phase != open->name) {
    return fail(
        Code::kRefused,
        fmt::format("phase {} of {} is {}; the open one is {}", *options.phase, workflow->id.str(),
                    phase_state_name(workflow->phase(*options.phase)->state), open->name),
        status);
  }
  const WorkflowSpec* spec = policy.workflow(workflow->name);
  const PhaseSpec* phase = spec == nullptr ? nullptr : spec->phase(open->name);
  if (phase == nullptr) {
    return fail(Code::kNotFound,
                fmt::format("the policy of {} has no phase {} of workflow {} any more",
                            short_branch(txn.target), open->name, workflow->name),
                "put it back in .gittxn.toml there");
  }
  member.phase = open->name;
  member.workflow_version = workflow->version;
  member.phase_version = open->version;
  member.gates = phase->version;
  return member;
}

// In one step with its beginning: it is never without them.
void add_budgets(const TxnId& id, const std::vector<BudgetValue>& values,
                 std::vector<NewEvent>& appended) {
  for (const BudgetValue& value : values) {
    if (!value.amount) continue;  // "none", which is what a new one has
    const store::Budget budget{{store::Scope::Of::kTxn, id.str()},
                               value.kind,
                               *value.amount,
                               0,
                               store::Budget::Level::kWithin};
    appended.push_back(events::budget_set(budget, value.amount));
  }
}

// What the options, the caller and the policy say of it; it has no id yet.
Result<Txn> new_txn(State& state, const RunOptions& options, const RefName& target,
                    const Policy& policy) {
  Txn txn;
  txn.name = options.name;
  txn.isolation = TRY(level_of(options, policy));
  txn.target = target;
  txn.command = options.command;
  txn.subdir = options.subdir.value_or(state.repository.place().prefix);
  txn.committer = TRY(state.repository.identity());
  if (options.author) txn.author = TRY(parse_identity(*options.author));
  txn.owner = options.owner.empty() ? txn.committer.email : options.owner;
  if (!txn.owner.empty()) TRY(check_owner(txn.owner));
  txn.priority = options.priority;
  if (state.membership.hub) txn.clone = state.membership.hub->clone;
  if (const auto parent = TRY(parent_of(state, policy))) {
    txn.parent = parent->id;
    txn.depth = parent->depth + 1;
  }
  txn.created_wall_ms = state.host.clock->wall_ms();
  return txn;
}

constexpr std::uint64_t kMaxAttributes = 1u << 20;

// Notes, before the command runs, on files that the worktree lacks or that cannot land from it.
Status tell_what_is_lacking(State& state, const RefName& target, const Oid& base,
                            std::vector<std::string>& notes) {
  const repo::Objects& objects = state.repository.objects();
  const Oid tree = TRY(objects.tree_of(base));
  if (TRY(objects.entry_at(tree, ".gitmodules")).present()) {
    notes.emplace_back(
        "the folders of submodules are empty in the worktree, and changes to submodules cannot be "
        "landed");
  }
  const TreeEntry attributes = TRY(objects.entry_at(tree, ".gitattributes"));
  if (!attributes.present() || !attributes.is_file_or_absent()) return {};
  const auto text = objects.blob(attributes.oid, kMaxAttributes);
  if (!text || text->find("filter=lfs") == std::string::npos) return {};  // too large for a note
  const repo::LfsTrouble trouble = TRY(repo::lfs_trouble(state.repository, target));
  if (trouble.why.empty()) return {};
  notes.push_back("git-lfs keeps some files here, and " + trouble.why +
                  ": a change to one of them cannot land; " + trouble.next);
  return {};
}

}  // namespace

Result<repo::WorktreeSpec> place_worktree(State& state, const Txn& txn, Attempt& attempt,
                                          const std::optional<std::string>& kind) {
  const std::string root = TRY(state.worktree_root());
  attempt.worktree = fmt::format("{}/{}/{}", root, txn.id.str(), attempt.number);
  TRY(repo::remove_worktree(attempt.worktree));  // of a resume that was killed
  TRY(make_dirs(parent_dir(attempt.worktree)));
  repo::WorktreeSpec spec{attempt.worktree, attempt.base, txn.target, txn.id};
  const auto set = TRY(state.repository.config().get("txn.worktree"));
  const std::string name = kind ? *kind : set.value_or(std::string(kAutomaticKind));
  if (name == kAutomaticKind) {
    spec.kind = TRY(repo::automatic_kind(state.repository, attempt.base, root));
  } else if (kind) {
    spec.kind = TRY(repo::kind_from_name(name));
  } else {
    spec.kind = TRY_IN("txn.worktree", repo::kind_from_name(name));
  }
  spec.shared = repo::shared_checkouts_below(root);
  return spec;
}

Status set_ref(State& state, const std::string& name, const Oid& desired,
               repo::RefDurable durable) {
  repo::RefUpdate update;
  update.ref = RefName(name);
  const auto old = state.repository.refs().read(update.ref);
  if (!old && old.error().code != Code::kNotFound) return std::unexpected(old.error());
  if (old) update.expected = *old;
  update.desired = desired;
  update.durable = durable;
  if (update.expected == update.desired) return {};
  return state.repository.refs().update_held(update);
}

Status pin_base(State& state, const TxnId& id, const Attempt& attempt) {
  return set_ref(state, ref_of_base(id, attempt.number), attempt.base, repo::RefDurable::kBytes);
}

Result<Txn> reload(State& state, const TxnId& id) {
  ++state.loads;
  auto txn = TRY(state.store->txn(id));
  if (!txn) return fail(Code::kCorrupt, "the transaction " + id.str() + " has gone from the store");
  return *std::move(txn);
}

std::unexpected<Error> was_cancelled(const Workflow& workflow) {
  const std::string& why = workflow.cancelled->reason;
  return fail(Code::kRefused,
              fmt::format("workflow {} was cancelled by {}{}", workflow.id.str(),
                          workflow.cancelled->actor, why.empty() ? "" : ": " + why),
              "that is its end; make another one: git txn workflow create " + workflow.name);
}

Result<std::string> name_of_key(std::string_view key) {
  if (key.empty() || key.size() > kMaxKey) {
    return fail(Code::kUsage, "a key is empty, or longer than 500 bytes");
  }
  std::uint64_t seed = 0;
  const std::string digest = sha256(key).str();
  std::from_chars(digest.data(), digest.data() + 16, seed, 16);
  return Random(seed).name(kKeyLetters);
}

Result<std::optional<Txn>> begun_before(State& state, const RunOptions& options) {
  if (options.key.empty()) return std::nullopt;
  const TxnId id("t-" + TRY(name_of_key(options.key)));
  const store::Store* store = TRY(state.looking());
  auto txn = store == nullptr ? std::optional<Txn>() : TRY(store->txn(id));
  if (txn && txn->command != options.command) {
    return fail(
        Code::kUsage,
        fmt::format("the key '{}' is that of {}, which had another command", options.key, id.str()),
        "a key stands for one request; give this one a key of its own");
  }
  return txn;
}

Result<Held> begin_txn(State& state, const RunOptions& options, Ownership ownership,
                       const Progress& progress, std::vector<std::string>& notes) {
  if (options.phase && !options.workflow) {
    return fail(Code::kUsage, "a phase is of a workflow", "say which with: --workflow ID");
  }
  const std::vector<BudgetValue> budget = TRY(parse_budget(options.budget));
  const RefName target = TRY(state.target(options.onto));  // before anything is created
  const land::Context context = TRY(state.context(progress));
  const Oid head = TRY(head_to_begin_at(context, target));
  const Policy policy = TRY(trusted_policy(state, target, head));

  Held begun{TRY(new_txn(state, options, target, policy)), {}};
  Txn& txn = begun.txn;
  txn.attached = ownership == Ownership::kAttached;
  TRY(land::remote_rule(context, txn));  // a setting that makes no sense, before anything is run
  txn.slot = TRY(state.store->next_slot());
  begun.owner = TRY(state.store->locks().try_slot(store::Slots::kOwners, txn.slot));
  txn.id = TRY(id_for(*state.store, *state.host.random, options.key));
  const auto decision = [&](const store::View& view) -> Result<std::vector<NewEvent>> {
    if (!options.key.empty() && TRY(view.txn(txn.id))) {
      return fail(
          Code::kBusy,
          fmt::format("{} was begun under the key '{}' just now", txn.id.str(), options.key),
          "ask again");
    }
    TRY(check_limits(state, policy.limits, txn));
    std::vector<NewEvent> appended;
    if (options.workflow) {
      const PhaseMember member = TRY(join(view, options, txn, policy));
      txn.workflow = member.workflow.str();
      txn.phase = member.phase;
      appended.push_back(events::phase_joined(txn.id, member));
    }
    appended.insert(appended.begin(), events::txn_begun(txn));
    add_budgets(txn.id, budget, appended);
    return appended;
  };
  TRY(confirm_runs(state, policy.limits));
  // Its attempt, or that there is none, is on record next; where its id is told before that, the id
  // has to stay.
  using enum store::Store::Durable;
  TRY(state.store->decide(decision, progress.on_begun ? kNow : kSoon));
  TRY(fp_begun.hit());

  if (txn.isolation == Isolation::kSerializable) {
    notes.emplace_back("serializable runs as strict: its own check is not built yet");
  }
  TRY(tell_uncommitted(state, fmt::format("{} at {}", short_branch(target), short_oid(head)),
                       notes));
  return begun;
}

Result<Attempt> start_attempt(State& state, const Txn& txn, const RunOptions& options,
                              const Progress& progress, std::vector<std::string>& notes,
                              store::Store::Durable durable) {
  if (progress.on_phase) progress.on_phase("checking out");
  const land::Context context = TRY(state.context(progress));
  Attempt attempt;
  attempt.number = static_cast<int>(txn.attempts.size()) + 1;
  attempt.base = TRY(head_to_begin_at(context, txn.target));
  attempt.base_seq = TRY(state.store->head());
  const Policy policy = TRY(trusted_policy(state, txn.target, attempt.base));
  TRY(land::make_head_durable(context, txn.target, attempt.base));
  TRY(pin_base(state, txn.id, attempt));
  TRY(fp_pinned.hit());

  const auto spec = TRY(place_worktree(state, txn, attempt, options.worktree));
  auto made = repo::create_worktree(state.repository, spec);
  if (!made) {
    TRY(set_ref(state, ref_of_base(txn.id, attempt.number), {}));
    return std::unexpected(std::move(made).error().in("the worktree"));
  }
  const repo::Worktree worktree = *std::move(made);
  TRY(fp_checked_out.hit());
  Status prepared =
      gates::prepare_worktree(context.gates, policy, worktree, gates::Sharing::kMount, notes);
  if (prepared) {
    auto started = state.store->append({events::attempt_started(txn.id, attempt)}, {}, durable);
    if (!started) prepared = std::unexpected(std::move(started).error());
  }
  if (!prepared) {
    if (!options.keep) TRY(repo::remove_worktree(attempt.worktree));
    TRY(set_ref(state, ref_of_base(txn.id, attempt.number), {}));
    return std::unexpected(std::move(prepared).error());
  }
  TRY(fp_begin_started.hit());
  if (attempt.number == 1) TRY(tell_what_is_lacking(state, txn.target, attempt.base, notes));
  if (!txn.subdir.empty() && !TRY(repo::path_on_disk(worktree, txn.subdir))) {
    notes.push_back("the folder " + txn.subdir +
                    " is not in the snapshot; the command starts in "
                    "the nearest one that is");
  }
  return attempt;
}

std::unexpected<Error> could_not_start(State& state, const Txn& txn, const Error& error) {
  const auto told = state.store->append(
      {events::aborted(txn.id, "it could not start: " + error.message, txn.owner)});
  return std::unexpected(told ? error : told.error());
}

Status remove_worktrees(State& state, const Txn& txn) {
  TRY(charge_noted(state, txn));
  bool removed = false;
  for (const Attempt& attempt : txn.attempts) {
    if (attempt.worktree.empty()) continue;
    TRY(repo::remove_worktree(attempt.worktree));
    // A worktree that is gone is found to be gone, should a power cut take the event back.
    TRY(state.store->append_soon({events::worktree_removed(txn.id, attempt.number)}));
    removed = true;
  }
  if (!removed) return {};
  const std::string root = TRY(state.worktree_root());
  return remove_tree(join_path(root, txn.id.str()));
}

}  // namespace gittxn::api
