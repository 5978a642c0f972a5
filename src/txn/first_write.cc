#include "txn/first_write.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/fs.h"
#include "base/text.h"
#include "land/judge/leases.h"
#include "store/server/locks.h"
#include "txn/serve/ask.h"

namespace gittxn::api {

namespace {

constexpr std::size_t kMostOthers = 64;          // transactions that are looked at
constexpr std::size_t kMostCompared = 4u << 20;  // bytes of a file
constexpr std::size_t kMostTold = 4000;          // of a difference

// Names whoever brought what the head has at the path: a transaction, or the author of a commit; ""
// nobody knows.
Result<std::string> who_changed(State& state, const Txn& txn, const Oid& head,
                                const std::string& path) {
  const repo::Objects& objects = state.repository.objects();
  const auto landed = TRY(state.store->landed_since(txn.target, txn.attempts.back().base_seq));
  for (auto row = landed.rbegin(); row != landed.rend(); ++row) {
    const TreeEntry before = TRY(objects.entry_at(TRY(objects.tree_of(row->old_head)), path));
    const TreeEntry after = TRY(objects.entry_at(TRY(objects.tree_of(row->new_head)), path));
    if (before == after) continue;
    if (!row->txn.empty()) return with_name(*state.store, row->txn.str());
    break;
  }
  repo::GitOptions git;
  git.dir = state.repository.place().common_dir;
  const std::string range = txn.attempts.back().base.str() + ".." + head.str();
  const std::string author = TRY(state.repository.git().must(
      {"--literal-pathspecs", "log", "-1", "--format=%an <%ae>", range, "--", path}, git));
  return std::string(trimmed(author));
}

Status tell_of_branch(State& state, const Txn& txn, const std::string& path, std::string& told,
                      std::string& diff) {
  const Oid head = TRY(state.seen(txn.target));
  const Oid& base = txn.attempts.back().base;
  const repo::Objects& objects = state.repository.objects();
  const TreeEntry now = TRY(objects.entry_at(TRY(objects.tree_of(head)), path));
  if (now == TRY(objects.entry_at(TRY(objects.tree_of(base)), path))) return {};
  const std::string who = TRY(who_changed(state, txn, head, path));
  const std::string branch = short_branch(txn.target);
  told += fmt::format(
      "- {} {} it since your snapshot{}. The file in your worktree is the old one.\n", branch,
      now.present() ? "has changed" : "has removed", who.empty() ? "" : " (" + who + ")");
  diff = TRY(difference(state, base, head, path));
  if (diff.size() > kMostTold) {
    diff.resize(diff.rfind('\n', kMostTold) + 1);
    diff += fmt::format("... (the rest: git fetch txn-target, then git show txn-target/{}:{})\n",
                        branch, path);
  }
  return {};
}

Status tell_of_leases(State& state, const Txn& txn, const std::string& path, std::string& told) {
  const Progress quiet;
  const land::Context context = TRY(state.context(quiet));
  const TreeEntry some{FileMode::kFile, txn.attempts.back().base};
  const Changes change{{path, {}, some}};
  for (const land::MetLease& met :
       TRY(land::leases_met(context, *state.store, txn, change, land::TouchedSymbols()))) {
    std::string subjects;
    for (const store::LeaseSubject& subject : met.lease.subjects) {
      subjects += (subjects.empty() ? "" : ", ") + store::subject_text(subject);
    }
    const bool mandatory = met.lease.force == store::Force::kMandatory;
    told +=
        fmt::format("- {} holds a lease on {} ({}, {}).\n", met.lease.owner, subjects, met.lease.id,
                    mandatory ? "mandatory: your change lands when it is over" : "advisory");
  }
  return {};
}

// Lines may end otherwise in a worktree than in a commit.
std::string without_returns(std::string text) {
  std::erase(text, '\r');
  return text;
}

// Whether a worktree has something else at a path than its base.
Result<bool> is_changed_in(State& state, const Txn& txn, const std::string& path) {
  const Attempt& attempt = txn.attempts.back();
  const repo::Worktree worktree = TRY(repo::find_worktree(attempt.worktree));
  const repo::Objects& objects = state.repository.objects();
  const TreeEntry entry = TRY(objects.entry_at(TRY(objects.tree_of(attempt.base)), path));
  const auto at = TRY(repo::path_on_disk(worktree, path));
  if (!at || !entry.present()) return at.has_value() != entry.present();
  if (!worktree.shared.empty() && path_below(*at, worktree.shared, nullptr)) return false;
  struct stat info = {};
  if (::lstat(at->c_str(), &info) != 0 || !S_ISREG(info.st_mode) || !entry.is_file()) return false;
  const auto was = objects.blob(entry.oid, kMostCompared);
  const auto is = read_file(*at, kMostCompared);
  return was && is && without_returns(*was) != without_returns(*is);
}

Status tell_of_others(State& state, const Txn& txn, const std::string& path, std::string& told) {
  using enum TxnState;
  std::size_t looked = 0;
  for (const Txn& other : TRY(state.store->txns({{kOpen, kPrepared, kLanding, kRepairing}, 0}))) {
    if (other.id == txn.id || other.target != txn.target || other.id == txn.parent) continue;
    if (other.attempts.empty() || other.attempts.back().worktree.empty()) continue;
    if (!state.require_here(other)) continue;
    if (!TRY(state.store->locks().is_held(store::Slots::kOwners, other.slot))) continue;
    if (++looked > kMostOthers) break;
    const auto changed = is_changed_in(state, other, path);  // it may be gone meanwhile
    if (!changed || !*changed) continue;
    told += fmt::format("- {} ({}) has changed it in its own worktree and has not landed yet.\n",
                        with_name(*state.store, other.id.str()), other.owner);
  }
  return {};
}

}  // namespace

std::string with_name(const store::Store& store, const std::string& id) {
  const auto txn = store.txn(TxnId(id));
  if (!txn || !*txn || (*txn)->name.empty()) return id;  // a name helps, and no more
  return fmt::format("{} \"{}\"", id, (*txn)->name);
}

Result<FirstWriteAnswer> before_first_write(State& state, const Txn& txn, const std::string& path) {
  FirstWriteAnswer answer;
  const FirstWrite rule = TRY(state.policy_on(txn.target)).first_write;
  if (rule == FirstWrite::kIgnore) return answer;
  std::string told, diff;
  TRY(tell_of_branch(state, txn, path, told, diff));
  TRY(tell_of_leases(state, txn, path, told));
  TRY(tell_of_others(state, txn, path, told));
  if (told.empty()) return answer;
  answer.deny = rule == FirstWrite::kDeny;
  answer.text = fmt::format("git-txn: before you change {}:\n{}", path, told);
  answer.text += answer.deny
                     ? "What to do: the policy of this repository refuses this change as long as "
                       "that is so. Do the rest of your work, or stop and say why.\n"
                     : "What to do: make your change fit to that, keep it as small as it can be, "
                       "or leave the file to them. What cannot be merged comes back to you after "
                       "you have ended.\n";
  if (!diff.empty()) answer.text += "\n" + diff;
  answer.text.resize(std::min(answer.text.size(), kMaxSaid));
  return answer;
}

}  // namespace gittxn::api
