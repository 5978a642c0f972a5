// git txn gc: removes what nobody can need any more, and says what it freed.
//
//   always      worktrees and refs/txn/ of what landed or changed nothing; directories that no
//               transaction knows, and of compensations that were killed; shared checkouts that no
//               worktree names; displaced files that nobody saved into; what killed updates of refs
//               left; what detached runs printed that ended more than seven days ago
//   --force     worktrees of unlanded work that is kept at its ref; refs and worktrees of aborted
//               work; what every detached run printed that has ended
//   never       anything whose owner lives; unlanded work that is kept nowhere else
//
// Others begin and resume transactions meanwhile. So what is removed is decided with the
// transaction held, on what the log says then; a worktree is made after its transaction is in the
// log and while that is held.
//
// If we die: some of it is removed. A worktree that is half removed keeps its mark until it is
// gone, so the next gc goes on.
#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <set>

#include "api/kernel.h"
#include "api/output.h"
#include "asking/ask.h"
#include "base/failpoint.h"
#include "base/fs.h"
#include "base/if_there.h"
#include "land/keep_commits.h"
#include "land/remote.h"
#include "repo/attributes.h"
#include "repo/checkout.h"
#include "repo/checkout/shared_checkout.h"
#include "store/events.h"
#include "store/log/pruning.h"
#include "txn/attempt.h"
#include "txn/bounds/usage.h"
#include "work/compensations.h"
#include "work/events.h"
#include "work/recovery.h"
#include "work/summaries.h"

namespace gittxn::api {

namespace events = store::events;

namespace {

constexpr std::int64_t kLeftoverAgeMs = 3'600'000;  // longer than anybody needs a file open

constexpr std::int64_t kOutputAgeMs = std::int64_t{7} * 24 * 3'600'000;

FAILPOINT(fp_worktree, "api.gc.worktree_removed");
FAILPOINT(fp_refs, "api.gc.refs_dropped");
FAILPOINT(fp_orphan, "api.gc.orphan_removed");

// Bytes on disk below a directory; what cannot be read counts nothing.
std::uint64_t bytes_below(const std::string& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) return 0;
  std::uint64_t bytes = static_cast<std::uint64_t>(info.st_blocks) * 512;
  if (!S_ISDIR(info.st_mode)) return bytes;
  const auto entries = list_dir(path);
  if (!entries) return bytes;
  for (const DirEntry& entry : *entries) bytes += bytes_below(join_path(path, entry.name));
  return bytes;
}

class Collection {
 public:
  Collection(State& state, bool force) : state_(state), force_(force) {}

  Result<GcReport> run() {
    root_ = TRY(state_.worktree_root());
    for (const Txn& txn : TRY(state_.store->txns({}))) TRY(collect(txn.id));
    TRY(orphans());
    TRY(shared_checkouts());
    TRY(askings());
    TRY(displaced());
    TRY(temporaries());
    TRY(outputs());
    return std::move(report_);
  }

 private:
  void keep(const TxnId& id, std::string_view reason) {
    report_.kept.push_back(fmt::format("{}: {}", id.str(), reason));
  }

  Status worktrees(const Txn& txn) {
    TRY(charge_noted(state_, txn));  // it is noted beside the worktrees
    for (const Attempt& attempt : txn.attempts) {
      if (attempt.worktree.empty()) continue;
      const std::uint64_t bytes = bytes_below(attempt.worktree);
      TRY(repo::remove_worktree(attempt.worktree));
      TRY(fp_worktree.hit());
      TRY(state_.store->append({events::worktree_removed(txn.id, attempt.number)}));
      report_.bytes_freed += bytes;
      report_.removed.push_back("worktree " + attempt.worktree);
    }
    return {};
  }

  Status refs(const Txn& txn, int first, int last) {
    std::vector<std::string> names;
    for (int number = first; number <= last; ++number) {
      names.push_back(ref_of_attempt(txn.id, number));
      names.push_back(ref_of_base(txn.id, number));
      names.push_back(land::agent_head_ref(txn.id, number).str());
    }
    names.push_back(land::pull_ref(txn.id).str());
    names.push_back(ref_of_base(txn.id, last + 1));  // of an attempt whose beginning was killed
    const std::string own = fmt::format("refs/txn/{}/", txn.id.str());
    for (const auto& [name, value] : TRY(state_.repository.refs().list(own))) {
      if (!name.str().starts_with(own + "worktree-")) continue;
      if (force_) names.push_back(name.str());
      if (!force_) keep(txn.id, "work of a worktree that it made is kept at " + name.str());
    }
    for (const std::string& name : names) {
      const auto there = state_.repository.refs().read(RefName(name));
      if (!there && there.error().code == Code::kNotFound) continue;
      TRY(set_ref(state_, name, {}));
      TRY(fp_refs.hit());
      report_.removed.push_back(name);
    }
    return {};
  }

  Status collect(const TxnId& id) {
    const auto held = hold(state_, TRY(reload(state_, id)));
    if (held) return collect_held(held->txn);
    if (held.error().code == Code::kRefused) return {};  // another clone's
    if (held.error().code != Code::kBusy) return std::unexpected(held.error());
    keep(id, "it is being worked on");
    return {};
  }

  Status collect_held(const Txn& txn) {
    const int last = static_cast<int>(txn.attempts.size());
    TRY(publish_summaries(state_, txn, report_.kept));
    switch (txn.state) {
      case TxnState::kLanded:
        TRY(worktrees(txn));
        // What earlier attempts did has not landed.
        if (last > 1 && !force_)
          keep(txn.id, "earlier attempts are kept at refs/txn/" + txn.id.str());
        return refs(txn, force_ ? 1 : last, last);
      case TxnState::kNothing:
        TRY(worktrees(txn));
        if (last > 1 && !force_) return {};
        return refs(txn, 1, last);
      case TxnState::kAborted:
        if (force_) {
          TRY(worktrees(txn));
          return refs(txn, 1, last);
        }
        keep(txn.id, "aborted and not landed; --force removes it");
        return {};
      default:
        break;
    }
    if (last == 0) return {};
    if (force_ && !txn.attempts.back().kept.empty()) {
      if (const Status kept = keep_work(state_, txn, Progress{}); !kept) {
        keep(txn.id, "its work could not be taken: " + kept.error().message);
        return {};
      }
      keep(txn.id, "its work is kept at " + ref_of_attempt(txn.id, last));
      return worktrees(txn);
    }
    keep(txn.id, fmt::format("{}, not landed", state_name(txn.state)));
    return {};
  }

  // <root>/<id>/<attempt> that the log does not name: of a start or a resume that was killed.
  Status orphans() {
    if (!TRY(exists(root_))) return {};
    for (const DirEntry& entry : TRY(list_dir(root_))) {
      if (entry.name.starts_with("t-")) TRY(orphans_of(TxnId(entry.name)));
    }
    return {};
  }

  Status orphans_of(const TxnId& id) {
    std::optional<Held> held;
    std::set<std::string> named;  // and so not removed
    if (auto known = TRY(state_.store->txn(id))) {
      auto had = hold(state_, *std::move(known));
      if (!had && had.error().code == Code::kBusy) return {};
      // Of another clone: what this one was called before it left the hub and joined it again.
      if (!had && had.error().code == Code::kRefused) return {};
      if (!had) return std::unexpected(std::move(had).error());
      held = *std::move(had);
      for (const Attempt& attempt : held->txn.attempts) named.insert(base_name(attempt.worktree));
      // Of one that is owed: what it left there is for whoever looks until it is run again.
      for (const Compensation& owed : TRY(owed_compensations(state_, held->txn))) {
        named.insert(fmt::format("{}{}", kCompensationFolder, owed.number));
      }
    }
    const std::string folder = join_path(root_, id.str());
    for (const DirEntry& attempt : TRY(list_dir(folder))) {
      if (named.contains(attempt.name)) continue;
      const std::string path = join_path(folder, attempt.name);
      const std::uint64_t bytes = bytes_below(path);
      // That of a compensation is no worktree, and has no mark.
      const bool compensation = attempt.name.starts_with(kCompensationFolder);
      TRY(compensation ? remove_tree(path) : repo::remove_worktree(path));
      TRY(fp_orphan.hit());
      report_.bytes_freed += bytes;
      report_.removed.push_back("orphaned directory " + path);
    }
    if (TRY(list_dir(folder)).empty()) TRY(remove_tree(folder));
    return {};
  }

  // Of every worktree that is there, whether the log knows it or not.
  Result<std::vector<std::string>> shared_in_use() const {
    std::vector<std::string> used;
    for (const DirEntry& txn : TRY(list_dir(root_))) {
      if (txn.type != DT_DIR || !txn.name.starts_with("t-")) continue;
      for (const DirEntry& attempt : TRY(list_dir(join_path(root_, txn.name)))) {
        const auto worktree = repo::find_worktree(join_path(root_, txn.name + "/" + attempt.name));
        if (!worktree && worktree.error().code == Code::kNotFound) continue;
        if (!worktree) return std::unexpected(worktree.error());
        if (!worktree->shared.empty()) used.push_back(parent_dir(worktree->shared));
      }
    }
    return used;
  }

  // A checkout that was used a moment ago is likely to be wanted again.
  Status shared_checkouts() {
    const repo::SharedPruneOptions options{state_.host.clock->wall_ms(),
                                           force_ ? 0 : kLeftoverAgeMs,
                                           [this] { return shared_in_use(); }};
    auto pruned = repo::prune_shared_checkouts(repo::shared_checkouts_below(root_), options);
    if (!pruned && pruned.error().code == Code::kBusy) {
      report_.kept.emplace_back("shared checkouts: one is being made");
      return {};
    }
    if (!pruned) return std::unexpected(std::move(pruned).error());
    report_.bytes_freed += pruned->bytes_freed;
    for (std::string& path : pruned->removed) {
      report_.removed.push_back("shared checkout " + path);
    }
    for (const std::string& path : pruned->changed) {
      report_.kept.push_back(
          "a shared checkout was changed by hand: " + path +
          "; its transactions see that. When they are over, gc --force removes it");
    }
    return {};
  }

  // Removes what landings left that were killed while they asked a question again.
  Status askings() const {
    const std::string root = asking::root_below(root_);
    if (!TRY(exists(root))) return {};
    TRY(unless(Code::kBusy, asking::collect_askings(root)));  // somebody asks: the next gc
    return {};
  }

  // What landings moved out of checkouts. Young ones stay: an editor may still have them open.
  Status displaced() {
    const repo::PruneOptions options{state_.host.clock->wall_ms(), force_ ? 0 : kLeftoverAgeMs};
    for (const repo::CheckoutPlace& place : TRY(state_.repository.checkouts())) {
      repo::PruneReport pruned = TRY(repo::prune_displaced(place, options));
      report_.bytes_freed += pruned.bytes_freed;
      for (std::string& path : pruned.removed) report_.removed.push_back("displaced files " + path);
      for (const repo::LateSave& save : pruned.kept) {
        report_.kept.push_back(save.path + ": saved after a landing had moved it, at " + save.kept);
      }
    }
    return {};
  }

  // Leftovers of an update of a ref that was killed before it took the ref's lock, the index of
  // a question about attributes, and what a look at a worktree needed. Whoever wrote a young one
  // may be alive, so --force does not take it either.
  Status temporaries() {
    const std::string folder = state_.repository.txn_dir() + "/tmp";
    if (!TRY(exists(folder))) return {};
    for (const DirEntry& entry : TRY(list_dir(folder))) {
      const std::string path = join_path(folder, entry.name);
      struct stat info{};
      const bool ours = entry.name.starts_with("ref-") || entry.name.starts_with("look-") ||
                        entry.name.starts_with(repo::kAttributesIndex);
      if (!ours || ::lstat(path.c_str(), &info) != 0) continue;
      const std::int64_t changed_ms = std::int64_t{info.st_mtim.tv_sec} * 1000;
      if (state_.host.clock->wall_ms() - changed_ms <= kLeftoverAgeMs) continue;
      report_.bytes_freed += bytes_below(path);
      TRY(remove_tree(path));
      report_.removed.push_back("leftover " + path);
    }
    return {};
  }

  // Output of detached runs. Somebody may want to read it for some days after the end.
  Status outputs() {
    const std::string root = parent_dir(output_folder(state_, TxnId("t-any")));
    if (!TRY(exists(root))) return {};
    for (const DirEntry& entry : TRY(list_dir(root))) {
      const std::string path = join_path(root, entry.name);
      const auto txn = TRY(state_.store->txn(TxnId(entry.name)));
      struct stat info{};
      const bool open = (txn && !is_final(txn->state)) || is_written(path);
      if (open || ::lstat(path.c_str(), &info) != 0) continue;
      const std::int64_t changed_ms = std::int64_t{info.st_mtim.tv_sec} * 1000;
      if (!force_ && state_.host.clock->wall_ms() - changed_ms <= kOutputAgeMs) continue;
      report_.bytes_freed += bytes_below(path);
      TRY(remove_tree(path));
      report_.removed.push_back("output of " + entry.name);
    }
    return {};
  }

  State& state_;
  bool force_;
  std::string root_;
  GcReport report_;
};

// What txn.retention lets go.
Status prune_by_retention(State& state, GcReport& report) {
  const auto keep_ms = TRY(retention_ms(state));
  if (!keep_ms) return {};
  const store::PrunePlan plan = TRY(store::prune(
      *state.store, {.before = {}, .older_than_ms = keep_ms, .actor = std::string(kRetention)}));
  if (plan.last >= plan.first) {
    report.removed.push_back(fmt::format("events {} to {}", plan.first, plan.last));
  }
  for (const store::PruneHold& hold : plan.holds) {
    report.kept.push_back(fmt::format("events from {} on: held by {}", hold.from, hold.what));
  }
  return {};
}

}  // namespace

Result<GcReport> Kernel::gc(bool force, const Progress& progress) {
  TRY(refuse_inside(state_->host, "gc"));
  GcReport report;
  if (TRY(state_->looking()) == nullptr) return report;
  std::vector<std::string> notes;
  TRY(recover_first(*state_, progress, notes));
  report = TRY(Collection(*state_, force).run());
  TRY(prune_by_retention(*state_, report));
  for (std::string& note : notes) report.kept.push_back(std::move(note));
  return report;
}

}  // namespace gittxn::api
