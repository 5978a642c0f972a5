// Taking what a transaction did: the change as `git add -A` sees it, and the reads that the traces
// of all its commands show. Everything is durable before the log names it.
//
// If we die: stray objects, perhaps refs/txn/<id>/<attempt> with work that the log does not know
// yet. The worktree is as it was, so the next commit takes it again.
#include <fmt/format.h>

#include <memory>

#include "base/failpoint.h"
#include "certify/certify.h"
#include "land/judge/phase.h"
#include "land/judge/rules.h"
#include "land/keep_commits.h"
#include "repo/worktree/worktree_ignore.h"
#include "store/events.h"
#include "txn/attempt.h"
#include "txn/bounds/usage.h"
#include "txn/children.h"
#include "txn/footprints.h"
#include "txn/footprints_ahead.h"
#include "txn/go_on.h"
#include "txn/reads.h"
#include "txn/serve/observed.h"

namespace gittxn::api {

namespace events = store::events;

namespace {

FAILPOINT(fp_kept, "api.take.kept");
FAILPOINT(fp_recorded, "api.take.recorded");

// Whose name the landing commit carries, unless --author says another.
Signature author_of(const State& state, const Txn& txn, const repo::Taken& taken) {
  if (taken.author) {
    if (auto signature = parse_raw_identity(*taken.author)) return *std::move(signature);
  }
  return {txn.author.value_or(txn.committer), state.host.clock->wall_ms()};
}

// Beside the kept commit, because that goes when the transaction has landed.
Status name_linked(State& state, const TxnId& id, const Attempt& attempt,
                   const std::vector<repo::LinkedWork>& linked, std::vector<std::string>& notes) {
  for (std::size_t i = 0; i < linked.size(); ++i) {
    const std::string ref = ref_of_linked(id, attempt.number, i + 1);
    TRY(set_ref(state, ref, linked[i].tip));
    notes.push_back(
        fmt::format("it made the worktree {}, and what is in it does not land; it is kept, look at "
                    "it with: git log -p {}",
                    linked[i].path, ref));
  }
  return {};
}

Result<bool> may_leave_reads(const State& state, const Txn& txn) {
  const Attempt& attempt = txn.attempts.back();
  const bool ended_well = txn.state == TxnState::kOpen && attempt.command_exit == 0;
  return ended_well && !state.membership.hub && !TRY(is_observed(attempt));
}

// The commit that the work is a change of, and the one that it was kept as.
struct Commits {
  Oid base, kept;
};
Status record(State& state, const Txn& txn, const TakenWork& work, const Commits& commits) {
  events::Taken event;
  event.attempt = txn.attempts.back().number;
  event.base = commits.base;
  event.kept = commits.kept;
  const std::string reads = reads_to_lines(work.reads);
  const std::string writes = changes_to_lines(work.changes);
  const std::vector<Digest> put = TRY(state.store->put_artifacts_soon({reads, writes}));
  event.reads = put[0];
  event.reads_complete = work.reads.complete;
  event.unknown_reason = work.reads.unknown_reason;
  event.writes = put[1];
  event.tool_env = work.reads.tool_env_digest;
  event.reads_left = work.reads_left;
  TRY(state.store->append_soon({events::taken(txn.id, event)}));
  return state.store->make_durable();
}

// The message of its own last commit, or of the attempt that it goes on from; else its name; else a
// subject made from the change.
Result<std::string> message_of(State& state, const Txn& txn, const repo::Taken& taken) {
  const bool said =
      taken.message && taken.message->find_first_not_of(" \t\r\n") != std::string::npos;
  if (said) return *taken.message;
  const auto inherited = TRY(inherited_by(txn.attempts.back()));
  if (inherited && !inherited->message.empty()) return inherited->message;
  if (!txn.name.empty()) return txn.name + "\n";
  catalogue::Footprints footprints = footprints_in(state);
  return TRY(subject_of_change(footprints, taken.changes)) + "\n";
}

}  // namespace

std::string_view unknown_words(Unknown why) {
  switch (why) {
    case Unknown::kUntraced:
      return "the worktree was changed outside a traced command";
    case Unknown::kKilled:
      return "the command was killed, or its end could not be recorded";
    case Unknown::kElse:
      break;
  }
  return "";
}

Unknown unknown_of(const ReadSet& reads) {
  for (const Unknown why : {Unknown::kUntraced, Unknown::kKilled}) {
    if (!reads.complete && reads.unknown_reason == unknown_words(why)) return why;
  }
  return Unknown::kElse;
}

Result<Oid> snapshot_of(State& state, const Txn& txn) {
  const Attempt& last = txn.attempts.back();
  auto pinned = state.repository.refs().read(RefName(ref_of_base(txn.id, last.number)));
  if (!pinned && pinned.error().code == Code::kNotFound) return last.base;
  return pinned;
}

Result<TakenWork> take_work(State& state, const Txn& txn, Untraced untraced,
                            const Progress& progress, MakeReads when) {
  if (progress.on_phase) progress.on_phase("taking the change");
  TRY(charge_noted(state, txn));
  const Attempt& attempt = txn.attempts.back();
  const repo::Worktree worktree = TRY(repo::find_worktree(attempt.worktree));
  const Oid snapshot = TRY(snapshot_of(state, txn));
  TakenWork work;
  work.reads_left = when == MakeReads::kMayBeLeft && TRY(may_leave_reads(state, txn));
  ReadsAhead ahead(state, txn, snapshot, worktree);
  if (!work.reads_left) ahead.begin();
  const repo::Taken taken = TRY_IN("taking the change of " + txn.id.str(),
                                   repo::take(state.repository, worktree, snapshot, txn.target));
  work.changes = taken.changes;
  const repo::Objects& objects = state.repository.objects();
  work.nothing = certify::changed_nothing(taken.tree, TRY(objects.tree_of(taken.base)),
                                          TRY(objects.tree_of(snapshot)));
  work.untracked = taken.untracked;
  work.notes = taken.notes;
  const std::string message = TRY(message_of(state, txn, taken));
  FootprintsAhead meaning;
  meaning.begin(state, txn, taken);
  const Signature author = author_of(state, txn, taken);
  const land::Context context = TRY(state.context(progress));
  std::vector<Oid> durable = TRY(land::durable_heads(context, txn.target));
  // Work that was taken before was on disk when the log named it.
  const bool before = !attempt.kept.empty() && TRY(objects.contains(attempt.kept));
  if (!durable.empty() && before) durable.push_back(attempt.kept);
  const Oid kept = TRY(repo::keep(state.repository, txn.id, attempt.number, taken, message,
                                  author.who, author.wall_ms, durable));
  // Reachable through the kept commit already; named for a landing that keeps the agent's commits.
  TRY(set_ref(state, land::agent_head_ref(txn.id, attempt.number).str(),
              taken.head.value_or(Oid())));
  TRY(name_linked(state, txn.id, attempt, taken.linked, work.notes));
  TRY(fp_kept.hit());
  // Making the reads takes longest: all else is done meanwhile.
  if (!work.reads_left) {
    work.reads = TRY(ahead.reads(taken));
    TRY(add_child_reads(state, txn, snapshot, taken.changes, work.reads));
  }
  for (Read& read : land::left_out(taken.ignored, snapshot)) work.reads.reads.push_back(read);
  normalize(work.reads);
  if (untraced == Untraced::kCheck && !attempt.kept.empty()) {
    if (TRY(objects.tree_of(attempt.kept)) != taken.tree) untraced = Untraced::kYes;
  }
  if (untraced == Untraced::kYes || attempt.unknown_reason == unknown_words(Unknown::kUntraced)) {
    mark_unknown(work.reads, unknown_words(Unknown::kUntraced));
  }
  if (work.reads.complete) work.reads.unknown_since = Oid();
  TRY(record(state, txn, work, {taken.base, kept}));
  TRY(fp_recorded.hit());
  return work;
}

Result<bool> changed_since_taken(State& state, const Txn& txn) {
  const Attempt& attempt = txn.attempts.back();
  const Oid snapshot = TRY(snapshot_of(state, txn));
  const repo::Worktree worktree = TRY(repo::find_worktree(attempt.worktree));
  const repo::Taken taken = TRY(repo::take(state.repository, worktree, snapshot, txn.target));
  const Oid known = attempt.kept.empty() ? snapshot : attempt.kept;
  return taken.tree != TRY(state.repository.objects().tree_of(known));
}

}  // namespace gittxn::api
