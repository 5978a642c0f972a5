#include "txn/go_on.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "base/failpoint.h"
#include "base/fields.h"
#include "base/fs.h"
#include "base/if_there.h"
#include "certify/certify.h"
#include "certify/judge.h"
#include "gates/policy_file.h"
#include "land/keep_commits.h"
#include "land/onto.h"
#include "model/fields.h"
#include "store/events.h"
#include "txn/serve/observed.h"

namespace gittxn::api {

namespace events = store::events;

namespace {

FAILPOINT(fp_merged, "api.go_on.merged");
FAILPOINT(fp_told, "api.go_on.told");

constexpr int kInheritedFormat = 1;
constexpr std::size_t kMostInherited = 16u << 20;
// Limits of one difference, and of all: a longer one is not shown whole, so nobody has judged it.
constexpr std::size_t kMostShown = 64u << 10;
constexpr std::size_t kMostShownInAll = 256u << 10;

struct InheritedRecord {
  int format = kInheritedFormat;
  Inherited is;
};
void fields(FieldIo& io, InheritedRecord& record) {
  io.thing("inherited reads");
  io.integer("format", record.format, {.least = kInheritedFormat, .most = kInheritedFormat});
  io.integer("attempt", record.is.attempt, {.least = 1});
  io.name("reads", record.is.reads);
  io.boolean("complete", record.is.complete);
  io.text("unknown_reason", record.is.unknown_reason);
  io.oid("unknown_since", record.is.unknown_since);
  io.texts("marked", record.is.marked);
  io.text("message", record.is.message);
  io.text("session", record.is.session);
  io.name("told", record.is.told);
}

std::string inherited_file(const Attempt& attempt) {
  return join_path(attempt.worktree, "inherited.json");
}

// Judges reads at a head, each by itself: the change of the transaction is not asked about.
class Carrier {
 public:
  Carrier(State& state, const land::Context& context, const Txn& txn, Oid head)
      : state_(state), context_(context), txn_(txn), head_(std::move(head)) {}

  Status carry(const ReadSet& known, ReadSet& carried, std::vector<StaleRead>& stale) {
    const Changes writes = TRY(recorded_writes(*state_.store, txn_.attempts.back()));
    std::vector<std::string> paths;
    for (const PathChange& change : writes) paths.push_back(change.path);
    // The level is the one that the landing of these paths will have.
    const Policy policy = TRY(state_.policy_at(head_));
    txn_.isolation = gates::required_isolation(policy, txn_.isolation, paths);
    word_counts_ = policy.rejudge && !certify::is_exact(txn_.isolation);
    head_tree_ = TRY(state_.repository.objects().tree_of(head_));
    carried = known;
    carried.reads.clear();
    std::vector<Read> judged;
    const std::vector<Read> reads = TRY(without_stale_questions(known, carried.questions));
    for (const Read& read : reads) {
      if (can_be_judged(read)) {
        judged.push_back(read);
      } else {
        carried.reads.push_back(read);
        if (!is_asked_again(read)) carried.reads.back().snapshot = head_;
      }
    }
    TRY(judge(judged, carried, stale));
    if (!known.complete) TRY(rejudge_everything(known, carried, stale));
    std::ranges::sort(stale, {}, &StaleRead::subject);
    return {};
  }

 private:
  // A question is asked again by the landing, on the state that it ran on; what is not committed
  // holds where the head has exactly that.
  static bool is_asked_again(const Read& read) {
    return read.question != 0 || read.digest.starts_with(kUncommitted);
  }
  // The others refuse nobody, or are judged by what they name and not by a commit.
  static bool can_be_judged(const Read& read) {
    return !is_asked_again(read) && read.strength == Strength::kHard && !read.snapshot.empty() &&
           (certify::is_path_read(read.kind) || read.kind == ReadKind::kSearch);
  }

  Result<Verdict> verdict_of(std::span<const Read> reads) const {
    Footprint footprint;
    footprint.txn = txn_.id;
    footprint.base = txn_.attempts.back().base;
    footprint.reads.complete = true;
    footprint.reads.reads.assign(reads.begin(), reads.end());
    return land::certify_reads(context_, txn_, footprint, head_);
  }

  // True if all is as it was read, and not by what landing lets pass; what an agent read for itself
  // aside.
  static bool holds(const Verdict& verdict) {
    return verdict.commit && std::ranges::all_of(verdict.excused, [](const Excuse& excuse) {
             return excuse.why == Excuse::Why::kHousekeeping;
           });
  }

  // A command that only printed something is no question any more where what it looked at has
  // changed: its looks are reads like others, and whoever sees the difference judges it. A test run
  // is left to the landing, which asks it again.
  Result<std::vector<Read>> without_stale_questions(const ReadSet& known,
                                                    std::vector<Question>& questions) const {
    std::set<std::int64_t> stale;
    for (const Question& question : known.questions) {
      if (question.kind != Question::Kind::kPure) continue;
      std::vector<Read> looks;
      for (const Read& read : known.reads) {
        if (read.question == question.number) looks.push_back(read);
      }
      for (Read& look : looks) look.question = 0;
      if (!holds(TRY(verdict_of(looks)))) stale.insert(question.number);
    }
    std::vector<Read> reads = known.reads;
    for (Read& read : reads) {
      if (stale.contains(read.question)) read.question = 0;
    }
    std::erase_if(questions,
                  [&](const Question& question) { return stale.contains(question.number); });
    return reads;
  }

  // Halves what does not hold as a whole, down to single reads.
  Status judge(std::span<const Read> reads, ReadSet& carried, std::vector<StaleRead>& stale) {
    if (reads.empty()) return {};
    const Verdict verdict = TRY(verdict_of(reads));
    if (holds(verdict)) {
      for (const Read& read : reads) carried.reads.push_back(TRY(at_head(read)));
      return {};
    }
    if (reads.size() > 1) {
      const std::size_t half = reads.size() / 2;
      TRY(judge(reads.subspan(0, half), carried, stale));
      return judge(reads.subspan(half), carried, stale);
    }
    const Read& read = reads.front();
    return verdict.commit ? show_excused(read, carried, stale)
                          : rejudge(read, verdict.conflicts, carried, stale);
  }

  // What landing lets pass is not known to whoever goes on: a listing is short of the names that
  // came. So it is shown, and read at the head from then on; what is too long is let pass as
  // before, judged from where it was read.
  Status show_excused(const Read& read, ReadSet& carried, std::vector<StaleRead>& stale) {
    const std::size_t before = stale.size();
    TRY(rejudge(read, {}, carried, stale));
    if (stale.size() > before && !stale.back().rejudged) stale.pop_back();
    return {};
  }

  // A part of a file may be at another place there, and is judged from where it was read.
  Result<Read> at_head(Read read) const {
    if (read.kind != ReadKind::kSearch && certify::lies_in_contents(read)) return read;
    read.snapshot = head_;
    if (read.kind != ReadKind::kContent) return read;
    const TreeEntry entry = TRY(state_.repository.objects().entry_at(head_tree_, read.subject));
    if (entry.present() && entry.mode != FileMode::kTree) read.digest = entry.oid.str();
    return read;
  }

  // A read of all that the head has at the path.
  Result<Read> read_at_head(Read read) const {
    const TreeEntry entry = TRY(state_.repository.objects().entry_at(head_tree_, read.subject));
    const bool file = entry.present() && entry.mode != FileMode::kTree;
    read.snapshot = head_;
    read.op = kJudged;
    read.lines = {};
    const bool of_a_path = read.kind == ReadKind::kContent || read.kind == ReadKind::kMetadata ||
                           read.kind == ReadKind::kAbsence;
    if (!of_a_path) return read;  // a search or a listing is asked of the head from now on
    read.kind = file              ? ReadKind::kContent
                : entry.present() ? ReadKind::kMetadata
                                  : ReadKind::kAbsence;
    read.digest = file              ? entry.oid.str()
                  : entry.present() ? std::string(mode_text(entry.mode))
                                    : "";
    return read;
  }

  void judge_by_its_difference(StaleRead& one, std::size_t most) {
    const bool whole = one.diff.size() <= most && shown_ + one.diff.size() <= kMostShownInAll;
    if (whole) shown_ += one.diff.size();
    if (!whole) one.diff.clear();
    one.rejudged = whole && word_counts_;
  }

  Status rejudge(const Read& read, const std::vector<Conflict>& conflicts, ReadSet& carried,
                 std::vector<StaleRead>& stale) {
    const auto known = std::ranges::find(stale, read.subject, &StaleRead::subject);
    StaleRead one{.subject = read.subject};
    if (known == stale.end()) {
      if (!conflicts.empty()) {
        one.changed_by = conflicts.front().changed_by;
        one.read_by = conflicts.front().read_by;
      }
      one.diff = TRY(difference(state_, read.snapshot, head_, read.subject));
      judge_by_its_difference(one, kMostShown);
      stale.push_back(one);
    } else {
      one = *known;
    }
    carried.reads.push_back(one.rejudged ? TRY(read_at_head(read)) : read);
    return {};
  }

  // Unknown reads may have been of anything, so all that the branch has changed is to be judged.
  Status rejudge_everything(const ReadSet& known, ReadSet& carried, std::vector<StaleRead>& stale) {
    const Oid& since =
        known.unknown_since.empty() ? txn_.attempts.back().base : known.unknown_since;
    StaleRead all{.subject = std::string(kAnything),
                  .changed_by = "",
                  .diff = TRY(difference(state_, since, head_, ""))};
    judge_by_its_difference(all, kMostShownInAll);
    if (all.rejudged) carried.unknown_since = head_;
    stale.push_back(std::move(all));
    return {};
  }

  State& state_;
  const land::Context& context_;
  Txn txn_;
  Oid head_, head_tree_;
  bool word_counts_ = false;  // nobody's does at exact levels, or where policy says so
  std::size_t shown_ = 0;
};

// Observations of the attempt before have been taken, and are no reads of this one.
Status put_observations_away(const Attempt& before) {
  const std::string observed = observed_dir(before);
  const std::string away = observed_before(before, before.number);
  TRY(make_dirs(observed));
  if (TRY(list_dir(observed)).empty()) return {};  // they are away since we were killed
  TRY(remove_tree(away));
  TRY(rename_over(observed, away));
  return make_dirs(observed);
}

Result<bool> is_judged(const Attempt& attempt, const Inherited& inherited) {
  if (inherited.session.empty()) return true;
  return was_told(attempt, inherited.session, inherited.told);
}

// The message of the agent's last commit, whose branch is at the head from here on.
Result<std::string> message_said(State& state, const Txn& txn) {
  const Attempt& last = txn.attempts.back();
  const auto tip =
      TRY(if_there(state.repository.refs().read(land::agent_head_ref(txn.id, last.number))));
  if (tip) return TRY(state.repository.objects().commit(*tip)).message;
  const auto before = TRY(inherited_by(last));
  return before ? before->message : "";
}

// What the agent's conversation was going to judge and was not told, of the head that the last
// attempt began at. `session` is going to be told now.
Result<std::vector<StaleRead>> not_judged_yet(State& state, const land::Context& context,
                                              const Txn& txn, const std::string& session) {
  std::vector<StaleRead> stale;
  const Attempt& last = txn.attempts.back();
  auto inherited = TRY(inherited_by(last));
  if (!inherited || TRY(is_judged(last, *inherited)) || txn.attempts.size() < 2) return stale;
  Txn before = txn;
  before.attempts.pop_back();
  ReadSet carried;
  const ReadSet known = TRY(recorded_reads(*state.store, txn.id, before.attempts.back()));
  TRY(Carrier(state, context, before, last.base).carry(known, carried, stale));
  inherited->session = session;
  inherited->told = Digest();
  TRY(write_inherited(last, *inherited));
  return stale;
}

}  // namespace

Result<std::optional<Inherited>> inherited_by(const Attempt& attempt) {
  if (attempt.worktree.empty()) return std::nullopt;
  const auto text = TRY(if_there(read_file(inherited_file(attempt), kMostInherited)));
  if (!text) return std::nullopt;
  InheritedRecord record;
  TRY(read_text(*text, "inherited reads", field_list(record)));
  if (record.is.attempt != attempt.number) return std::nullopt;
  return std::optional(std::move(record.is));
}

Status write_inherited(const Attempt& attempt, const Inherited& inherited) {
  const InheritedRecord record{.is = inherited};
  return write_file(inherited_file(attempt), canonical_text(field_list(record)), Sync::kYes);
}

// The earlier questions come first: one that was asked again later is replaced.
Status add_inherited(State& state, const Inherited& inherited, ReadSet& reads) {
  ReadSet before = TRY(reads_from_lines(TRY(state.store->artifact(inherited.reads))));
  if (!inherited.complete) {
    if (reads.complete) reads.unknown_reason = inherited.unknown_reason;
    reads.complete = false;
    reads.unknown_since = inherited.unknown_since;
  }
  ReadSet own;
  std::swap(own.reads, reads.reads);
  std::swap(own.questions, reads.questions);
  std::swap(own.no_questions, reads.no_questions);
  reads.questions = std::move(before.questions);
  reads.reads = std::move(before.reads);
  reads.no_questions = std::move(before.no_questions);
  add_reads(reads, std::move(own));
  return {};
}

Result<std::optional<WentOn>> go_on(State& state, const Txn& txn, const Progress& progress,
                                    const std::string& session) {
  const land::Context context = TRY(state.context(progress));
  const Oid head = TRY(land::current_head(context, txn.target));
  std::vector<StaleRead> unjudged = TRY(not_judged_yet(state, context, txn, session));
  if (head == TRY(snapshot_of(state, txn))) {
    if (unjudged.empty()) return std::nullopt;
    return WentOn{head, TRY(markers_left(state, txn)), {}, std::move(unjudged)};
  }
  if (progress.on_phase) progress.on_phase("merging " + short_branch(txn.target));
  const Attempt& last = txn.attempts.back();
  const land::Onto onto = TRY(land::put_onto(context, txn.id, head));
  WentOn went;
  went.head = head;
  went.marked = onto.marked;
  went.kept = onto.kept;

  const ReadSet known = TRY(recorded_reads(*state.store, txn.id, last));
  ReadSet carried;
  TRY(Carrier(state, context, txn, head).carry(known, carried, went.stale));
  std::ranges::move(unjudged, std::back_inserter(went.stale));
  normalize(carried);
  Attempt attempt;
  attempt.number = last.number + 1;
  attempt.base = head;
  attempt.base_seq = TRY(state.store->head());
  attempt.worktree = last.worktree;
  Inherited inherited;
  inherited.attempt = attempt.number;
  inherited.reads = TRY(state.store->put_artifact(reads_to_lines(carried)));
  inherited.complete = known.complete;
  inherited.unknown_reason = known.unknown_reason;
  inherited.unknown_since = carried.unknown_since;
  inherited.marked = went.marked;
  inherited.message = TRY(message_said(state, txn));
  if (!went.stale.empty()) inherited.session = session;

  TRY(land::make_head_durable(context, txn.target, head));
  TRY(set_ref(state, ref_of_base(txn.id, attempt.number), head));
  const repo::Worktree worktree = TRY(repo::find_worktree(last.worktree));
  const repo::Mount mount = TRY(repo::Mount::open(worktree));
  repo::WorktreeSpec spec;
  spec.path = worktree.path;
  spec.base = head;
  spec.target = txn.target;
  spec.txn = txn.id;
  spec.kind = worktree.kind;
  TRY_IN("merging the branch into the worktree", repo::inside(mount, [&] {
           return repo::put_worktree_onto(state.repository, spec, worktree, last.kept, onto.tree);
         }));
  TRY(fp_merged.hit());
  TRY(write_inherited(attempt, inherited));
  TRY(put_observations_away(last));
  TRY(fp_told.hit());
  TRY(state.store->append({events::attempt_started(txn.id, attempt)}));
  TRY(take_work(state, TRY(reload(state, txn.id)), Untraced::kNo, progress));
  return std::optional(std::move(went));
}

Result<std::vector<std::string>> markers_left(State& state, const Txn& txn) {
  std::vector<std::string> left;
  const Attempt& attempt = txn.attempts.back();
  const auto inherited = TRY(inherited_by(attempt));
  if (!inherited || attempt.kept.empty()) return left;
  const repo::Objects& objects = state.repository.objects();
  const Oid tree = TRY(objects.tree_of(attempt.kept));
  for (const std::string& path : inherited->marked) {
    const TreeEntry entry = TRY(objects.entry_at(tree, path));
    if (!entry.is_file() || !land::has_markers(TRY(objects.blob(entry.oid)))) continue;
    left.push_back(path);
  }
  return left;
}

std::string observed_before(const Attempt& attempt, int number) {
  return fmt::format("{}.{}", observed_dir(attempt), number);
}

Result<bool> is_unjudged(const Txn& txn) {
  const auto inherited = TRY(inherited_by(txn.attempts.back()));
  return inherited ? !TRY(is_judged(txn.attempts.back(), *inherited)) : Result<bool>(false);
}

Status check_judged(State& state, const Txn& txn) {
  if (TRY(is_unjudged(txn))) {
    return fail(Code::kRefused,
                "its agent has not been told what has changed, which it was going to judge",
                "let it go on, or see it and judge it yourself: git txn resume " + txn.id.str());
  }
  const std::vector<std::string> left = TRY(markers_left(state, txn));
  if (left.empty()) return {};
  return fail(
      Code::kRefused, fmt::format("there are conflict markers in {}", fmt::join(left, ", ")),
      fmt::format("resolve them in its worktree (git txn open {0}), then: git txn commit {0}",
                  txn.id.str()));
}

}  // namespace gittxn::api
