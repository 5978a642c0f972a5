#include "certify/certify.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "certify/judge.h"
#include "certify/narrow.h"
#include "certify/questions.h"
#include "certify/witness.h"

namespace gittxn::certify {
namespace {

const SnapshotDiff* diff_of(const Input& input, const Oid& snapshot) {
  const auto found = std::ranges::find(input.diffs, snapshot, &SnapshotDiff::snapshot);
  return found == input.diffs.end() ? nullptr : &*found;
}

const std::string* version_of(const Input& input, const std::string& subject) {
  const auto found = std::ranges::find_if(
      input.kernel, [&](const auto& version) { return version.first == subject; });
  return found == input.kernel.end() ? nullptr : &found->second;
}

bool certifies_reads(Isolation level) {
  return level >= Isolation::kSemantic;
}

bool refines(Isolation level) {
  return !is_exact(level) || INJECTED_BUG("certify.strict_refines");
}

class Certification {
 public:
  Certification(const Input& input, Strength strength)
      : input_(input), strength_(strength), witnesses_(input.history) {
    const SnapshotDiff* diff = diff_of(input, input.txn->base);
    if (diff == nullptr || INJECTED_BUG("certify.equal_is_nothing")) return;
    equal_ = made_equal(input.txn->writes, diff->changes);
  }

  void writes() {
    const Footprint& txn = *input_.txn;
    const SnapshotDiff* diff = diff_of(input_, txn.base);
    if (diff == nullptr) {
      conflicts_.push_back(witnesses_.no_difference(txn.base));
      return;
    }
    for (const Overlap& overlap : overlaps(txn.writes, diff->changes)) {
      if (overlap.path == overlap.cause && is_merged(overlap.path)) continue;
      conflicts_.push_back(witnesses_.overlap(overlap));
    }
    if (!certifies_reads(input_.level)) updates_made_twice();
    if (input_.symbols == nullptr || INJECTED_BUG("certify.ignore_symbols")) return;
    for (const SymbolClash& clash : input_.symbols->clashes) {
      if (stands_in_the_way(clash)) conflicts_.push_back(witnesses_.clash(clash));
    }
  }

  void unknown_reads() {
    const ReadSet& reads = input_.txn->reads;
    if (reads.complete || INJECTED_BUG("certify.ignore_unknown")) return;
    const SnapshotDiff* since = diff_of(input_, reads.unknown_since);  // null: every snapshot
    for (const SnapshotDiff& diff : input_.diffs) {
      if (diff.changes.empty() || (since != nullptr && since != &diff)) continue;
      conflicts_.push_back(witnesses_.everything(reads, diff));
      return;
    }
  }

  void reads() {
    std::map<Oid, Group> groups;
    Group* group = nullptr;
    const Oid* group_of = nullptr;
    std::vector<Conflict> versions;
    for (const Read& read : input_.txn->reads.reads) {
      if (INJECTED_BUG("certify.ignore_reads")) continue;
      if (is_history(read)) {
        history(read, versions);
        continue;
      }
      if (read.strength != strength_) continue;
      if (read.kind == ReadKind::kListing && INJECTED_BUG("certify.ignore_listings")) continue;
      if (lies_in_contents(read)) {
        ++checked_;
        contents(read);
      } else if (is_path_read(read.kind)) {
        if (group == nullptr || *group_of != read.snapshot) {
          const auto at = groups.try_emplace(read.snapshot).first;
          group = &at->second;
          group_of = &at->first;
        }
        group->push_back(&read);
        ++checked_;
      } else if (read.kind == ReadKind::kKernel || read.kind == ReadKind::kRef) {
        ++checked_;
        version(read, versions);
      } else if (read.kind == ReadKind::kSummary && !INJECTED_BUG("certify.ignore_summaries")) {
        ++checked_;
        summary(read, versions);
      }
    }
    for (auto& [snapshot, members] : groups) path_reads(snapshot, members);
    set_answered_apart();
    std::ranges::move(made_from_, std::back_inserter(stale_));
    std::ranges::move(answered_otherwise_, std::back_inserter(conflicts_));
    tell_stale(stale_);
    for (Conflict& conflict : versions) conflicts_.push_back(std::move(conflict));
    const std::size_t others = conflicts_.size();
    tell_stale(unanswered_looks_);
    of_unanswered_ = conflicts_.size() - others;
  }

  std::vector<Conflict> take() { return std::move(conflicts_); }
  Verdict take_verdict() {
    Verdict verdict;
    verdict.conflicts = take();
    verdict.commit = verdict.conflicts.empty();
    verdict.checked = checked_;
    verdict.unanswered = std::move(unanswered_);
    verdict.of_unanswered = of_unanswered_;
    const auto key = [](const Excuse& one) { return std::tie(one.subject, one.why); };
    std::ranges::sort(excused_, {}, key);
    excused_.erase(std::ranges::unique(excused_).begin(), excused_.end());
    verdict.excused = std::move(excused_);
    verdict.held = std::move(held_);
    return verdict;
  }

 private:
  using StaleRead = std::pair<const Read*, Stale>;

  void tell_stale(std::vector<StaleRead>& all) {
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return std::pair(std::string_view(a.first->subject), a.first->kind) <
             std::pair(std::string_view(b.first->subject), b.first->kind);
    });
    // One witness a subject: a file that was looked up, opened and read is stale once.
    const Read* last = nullptr;
    for (const auto& [read, stale] : all) {
      if (last != nullptr && last->subject == read->subject && last->kind != ReadKind::kSearch &&
          read->kind != ReadKind::kSearch) {
        continue;
      }
      last = read;
      conflicts_.push_back(witnesses_.stale(*read, stale));
      const Question* question = question_of(input_.txn->reads, read->question);
      if (question != nullptr) conflicts_.back().question = argv_text(question->argv);
    }
  }

  // Takes the looks of questions out of the stale reads, and judges each question by its answer.
  void set_answered_apart() {
    std::map<std::int64_t, std::vector<StaleRead>> asked;
    for (StaleRead& one : stale_) {
      if (one.first->question != 0) asked[one.first->question].push_back(std::move(one));
    }
    std::erase_if(stale_, [](const StaleRead& one) { return one.first->question != 0; });
    ask_about_merges(asked);
    for (auto& [number, looks] : asked) {
      const Question* question = question_of(input_.txn->reads, number);
      const bool may_be = refines(input_.level) || INJECTED_BUG("certify.replaced_at_strict");
      if (may_be && asked_again_later(question, input_.txn->reads.questions))
        held(Held::How::kReplaced, Excuse::Why::kReplaced, *question);
      else
        answered(number, question, looks);
    }
  }

  void ask_about_merges(std::map<std::int64_t, std::vector<StaleRead>>& asked) {
    const SnapshotDiff* diff = diff_of(input_, input_.txn->base);
    if (strength_ == Strength::kSoft || !refines(input_.level)) return;
    if (diff == nullptr || input_.symbols == nullptr) return;
    for (const Question& question : input_.txn->reads.questions) {
      const auto look = look_at_a_merge(question, input_.symbols->merged);
      if (!look || asked.contains(question.number)) continue;
      if (auto stale = judge(of_merges_.emplace_back(*look), diff->changes))
        asked[question.number].emplace_back(&of_merges_.back(), *std::move(stale));
    }
  }

  void answered(std::int64_t number, const Question* question, std::vector<StaleRead>& looks) {
    using How = Answer::How;
    const auto answer = std::ranges::find(input_.answers, number, &Answer::question);
    const bool given = question != nullptr && answer != input_.answers.end();
    if (INJECTED_BUG("certify.answers_unasked") && question != nullptr) return;
    if (given && answer->how == How::kGate && refines(input_.level))
      return held(Held::How::kGate, Excuse::Why::kGate, *question);
    if (given && answer->how == How::kCandidate && refines(input_.level))
      return held(Held::How::kCandidate, Excuse::Why::kCandidate, *question, answer->took_ms);
    if (given && answer->how == How::kSame) {
      const bool by_status = question->kind == Question::Kind::kRunner;
      return held(Held::How::kAsked, by_status ? std::optional(Excuse::Why::kStatus) : std::nullopt,
                  *question, answer->took_ms);
    }
    if (given && answer->how == How::kOther) {
      const auto& [read, stale] = most_telling(looks);
      return answered_otherwise_.push_back(witnesses_.answer(*question, *answer, *read, stale));
    }
    unanswered_.push_back(number);
    std::ranges::move(looks, std::back_inserter(unanswered_looks_));
  }

  void held(Held::How how, std::optional<Excuse::Why> why, const Question& question,
            std::int64_t took_ms = 0) {
    if (strength_ != Strength::kHard) return;
    held_.push_back({how, argv_text(question.argv), took_ms});
    if (why) excused_.push_back({*why, held_.back().question});
  }

  // A file says more than the directory that it is in.
  static const StaleRead& most_telling(const std::vector<StaleRead>& looks) {
    const auto of_file = std::ranges::find(looks, ReadKind::kContent,
                                           [](const StaleRead& one) { return one.first->kind; });
    return of_file == looks.end() ? looks.front() : *of_file;
  }

  // At exact levels a path that both changed is a conflict, however it merges.
  bool is_merged(const std::string& path) const {
    return input_.symbols != nullptr && refines(input_.level) &&
           std::binary_search(input_.symbols->merged.begin(), input_.symbols->merged.end(), path);
  }

  // Below semantic reads are not certified. But of what both made the same, and the transaction has
  // read, one update would be lost without a trace.
  void updates_made_twice() {
    if (equal_.empty()) return;
    const ReadSet& reads = input_.txn->reads;
    if (!reads.complete) {
      conflicts_.push_back(witnesses_.made_twice(equal_.front()));
      return;
    }
    std::set<std::string> told;
    for (const Read& read : reads.reads) {
      if (read.strength != Strength::kHard || read.reader == ReaderClass::kItself) continue;
      const auto stale = shown_by(read);
      if (!stale || !told.insert(*stale).second) continue;
      if (const PathChange* change = find_change(equal_, *stale)) {
        conflicts_.push_back(witnesses_.made_twice(*change));
      }
    }
  }

  // The path of what both made the same that would have given the read another answer.
  std::optional<std::string> shown_by(const Read& read) const {
    if (read.kind == ReadKind::kContent && read.lines != LineSpan{}) {
      return part_of_equal(read) ? std::optional(read.subject) : std::nullopt;
    }
    if (read.kind != ReadKind::kSearch && !is_path_read(read.kind)) return std::nullopt;
    const SnapshotDiff* diff = diff_of(input_, read.snapshot);
    if (diff == nullptr) return equal_.front().path;
    SnapshotDiff only{diff->snapshot, {}};
    for (const PathChange& change : diff->changes) {
      if (find_change(equal_, change.path) != nullptr) only.changes.push_back(change);
    }
    std::optional<Stale> stale;
    if (read.kind != ReadKind::kSearch) {
      stale = judge(read, only.changes);
    } else if (input_.contents) {
      stale = input_.contents(read, only, input_.txn->writes);
    }
    if (!stale) return std::nullopt;
    return find_change(equal_, stale->cause) != nullptr ? stale->cause : equal_.front().path;
  }

  // An edit of a file that was read in part was made for what stood there.
  bool part_of_equal(const Read& read) const {
    const PathChange* change = find_change(equal_, read.subject);
    return change != nullptr && change->before.oid != change->after.oid;
  }

  // Where both changed one file it is the write-write check that symbols take the place of, at
  // every level; elsewhere they are what one side relied on, which read-committed does not ask.
  // What only checks can tell stands in the way of levels that settle nothing by checks alone.
  bool stands_in_the_way(const SymbolClash& clash) const {
    const bool one_manifest = clash.tie == SymbolClash::Tie::kBuild && clash.path == clash.cause;
    const bool overlap = is_merged(clash.path) || is_merged(clash.cause) || one_manifest;
    if (clash.weight == SymbolClash::Weight::kBlocks) {
      return overlap || input_.level != Isolation::kReadCommitted;
    }
    if (input_.level == Isolation::kReadCommitted && !overlap) return false;
    return (overlap || clash.tie == SymbolClash::Tie::kBuild) &&
           (certifies_reads(input_.level) || input_.symbols->checks == Symbols::Checks::kNone);
  }

  // A file that both changed is read in the symbols that were used, which are the clashes; another
  // one as a whole. Who may have computed with it has read its bytes, and is told so.
  bool released(const Read& read, Stale& stale, const Changes& changes) {
    if (!refines(input_.level)) return false;
    if (read.reader == ReaderClass::kItself) return excused(Excuse::Why::kHousekeeping, read);
    if (stale.cause != read.subject) return false;
    if (read.kind != ReadKind::kContent && read.kind != ReadKind::kMetadata) return false;
    if (read.digest.starts_with(kUncommitted)) return false;
    const PathChange* change = find_change(changes, read.subject);
    if (change == nullptr || shape_of(change->after) != Shape::kFile) return false;
    const bool other_mode = change->before.mode != change->after.mode;
    if (other_mode && read.kind == ReadKind::kMetadata) return false;
    const bool merged = is_merged(read.subject);
    const bool written = find_change(input_.txn->writes, read.subject) != nullptr;
    const bool judged = !other_mode && !written && input_.says_the_same;
    if (!merged && (!judged || !input_.says_the_same(read, *change))) return false;
    const auto why = merged ? Excuse::Why::kMerged : Excuse::Why::kLayout;
    if (reads_for_an_edit(read)) return excused(why, read);
    if (read.question != 0) return false;
    stale.detail = merged ? "both changes merge" : "only its layout has changed";
    stale.detail += ", but the program that read it may have used all of it";
    return false;
  }

  // True if an agent was shown it and cannot have depended on what is different.
  bool is_only_shown(const Read& read, const SnapshotDiff& diff) {
    if (!refines(input_.level)) return false;
    NameRules rules = input_.names;
    rules.txn = input_.txn;
    if (is_context(read, diff.changes, rules)) return excused(Excuse::Why::kListing, read);
    return is_beside(read, diff, input_.only_came, rules) && excused(Excuse::Why::kBeside, read);
  }

  bool excused(Excuse::Why why, const Read& read) {
    if (read.strength == Strength::kHard || why == Excuse::Why::kHistory) {
      excused_.push_back({why, read.subject});
    }
    return true;
  }

  // A reference that git was asked for as history. Where a value is not known it moved. At exact
  // levels what a question showed of it may be what it would show now: it is a look like any other.
  void history(const Read& read, std::vector<Conflict>& conflicts) {
    if (strength_ == Strength::kSoft || !certifies_reads(input_.level)) return;
    const std::string* now = version_of(input_, read.subject);
    if (now != nullptr && *now == read.digest) return;
    if (!is_exact(input_.level) || INJECTED_BUG("certify.history_excused")) {
      if (now != nullptr) excused(Excuse::Why::kHistory, read);
      return;
    }
    ++checked_;
    if (now != nullptr && is_of_pure(read)) {
      stale_.emplace_back(&read, Stale{read.subject, *now});
      return;
    }
    conflicts.push_back(witnesses_.version(read, now == nullptr ? std::string_view{} : *now));
  }

  // A runner's answer is its status, which says nothing of the history that it may have shown.
  bool is_of_pure(const Read& read) const {
    const Question* question = question_of(input_.txn->reads, read.question);
    return question != nullptr && question->kind == Question::Kind::kPure;
  }

  void version(const Read& read, std::vector<Conflict>& conflicts) const {
    const std::string* now = version_of(input_, read.subject);
    if (now == nullptr ? strength_ == Strength::kSoft : *now == read.digest) return;
    conflicts.push_back(witnesses_.version(read, now == nullptr ? std::string_view{} : *now));
  }

  void summary(const Read& read, std::vector<Conflict>& conflicts) const {
    const SummaryState* found = nullptr;
    for (const SummaryState& state : input_.summaries) {
      if (state.subject == read.subject && state.digest == read.digest) found = &state;
    }
    if (found != nullptr && found->holds) return;
    conflicts.push_back(witnesses_.summary(read, found));
  }

  void contents(const Read& read) {
    if (read.kind == ReadKind::kSearch && INJECTED_BUG("certify.ignore_searches")) return;
    const bool merged = read.kind == ReadKind::kContent && is_merged(read.subject);
    if (merged && reads_for_an_edit(read)) {  // as the whole file
      excused(Excuse::Why::kMerged, read);
      return;
    }
    const SnapshotDiff* diff = diff_of(input_, read.snapshot);
    if (diff == nullptr) {
      conflicts_.push_back(witnesses_.no_difference(read.snapshot));
    } else if (!input_.contents) {
      stale_.emplace_back(&read,
                          Stale{read.subject, "unknown", "nobody could look into the files"});
    } else if (auto stale = input_.contents(read, *diff, input_.txn->writes)) {
      if (INJECTED_BUG("certify.searches_masked") &&
          find_change(input_.txn->writes, stale->cause) != nullptr) {
        return;
      }
      if (!is_only_shown(read, *diff)) stale_.emplace_back(&read, *std::move(stale));
    } else if (read.kind == ReadKind::kContent && part_of_equal(read)) {
      stale_.emplace_back(&read, Stale{read.subject, "", "the branch has the same edit"});
    } else {
      sources(read, *diff);
    }
  }

  // Who reads what is generated reads what it is made from. What of that both changed and was
  // merged is for the check of writes, and what was made again is judged as it is.
  void sources(const Read& read, const SnapshotDiff& diff) {
    if (!input_.out_of_date || diff.changes.empty() || read.kind != ReadKind::kContent) return;
    if (INJECTED_BUG("certify.ignore_generated")) return;
    const auto [known, fresh] = out_of_date_.try_emplace(diff.snapshot);
    if (fresh) known->second = input_.out_of_date(diff.changes);
    for (const OutOfDate& file : known->second) {
      const bool below = file.artifact.ends_with('/') && read.subject.starts_with(file.artifact);
      if (!below && read.subject != file.artifact) continue;
      if (find_change(diff.changes, read.subject) != nullptr) return;
      if (is_merged(file.source)) continue;
      made_from_.emplace_back(&read, Stale{file.source, file.source_now});
      return;
    }
  }

  void path_reads(const Oid& snapshot, Group& members) {
    const SnapshotDiff* diff = diff_of(input_, snapshot);
    if (diff == nullptr) {
      conflicts_.push_back(witnesses_.no_difference(snapshot));
      return;
    }
    // Binary searches in what is not sorted would miss a stale read, so this is never taken on
    // trust.
    if (!std::ranges::is_sorted(members, {}, &Read::subject)) {
      std::ranges::stable_sort(members, {}, &Read::subject);
    }
    const Changes& changes = diff->changes;
    for (const Read* read : perhaps_stale(members, changes)) {
      auto stale = judge(*read, changes);
      if (stale && INJECTED_BUG("certify.wide_masks") &&
          find_change(input_.txn->writes, stale->cause) != nullptr) {
        continue;
      }
      if (!stale || released(*read, *stale, changes) || is_only_shown(*read, *diff)) continue;
      stale_.emplace_back(read, *std::move(stale));
    }
    for (const Read* read : members) sources(*read, *diff);
  }

  const Input& input_;
  Strength strength_;
  Witnesses witnesses_;
  Changes equal_;  // what the head and the transaction made the same of
  std::vector<Conflict> conflicts_;
  std::vector<StaleRead> stale_, made_from_, unanswered_looks_;  // made_from_: whatever is answered
  std::deque<Read> of_merges_;                                   // looks that are in no read set
  std::map<Oid, std::vector<OutOfDate>> out_of_date_;            // by snapshot
  std::vector<Excuse> excused_;
  std::vector<Held> held_;
  std::vector<Conflict> answered_otherwise_;
  std::vector<std::int64_t> unanswered_;  // questions
  std::size_t of_unanswered_ = 0;         // conflicts
  std::size_t checked_ = 0;
};

Verdict decide(const Input& input) {
  Certification certification(input, Strength::kHard);
  certification.writes();
  if (certifies_reads(input.level)) {
    certification.unknown_reads();
    certification.reads();
  }
  return certification.take_verdict();
}

// Runs `decide` on the input with every list of changes sorted, copying only what is not.
template <typename Decide>
auto with_sorted(const Input& input, Decide decide_on) {
  const auto sorted = [](const Changes& changes) {
    return std::ranges::is_sorted(changes, {}, &PathChange::path);
  };
  if (sorted(input.txn->writes) &&
      std::ranges::all_of(input.diffs, sorted, &SnapshotDiff::changes)) {
    return decide_on(input);
  }
  Footprint txn = *input.txn;
  std::ranges::sort(txn.writes, {}, &PathChange::path);
  std::vector<SnapshotDiff> diffs(input.diffs.begin(), input.diffs.end());
  for (SnapshotDiff& diff : diffs) std::ranges::sort(diff.changes, {}, &PathChange::path);
  Input copy = input;
  copy.txn = &txn;
  copy.diffs = diffs;
  return decide_on(copy);
}

}  // namespace

Verdict certify(const Input& input) {
  return with_sorted(input, decide);
}

std::vector<Conflict> stale_soft_reads(const Input& input) {
  return with_sorted(input, [](const Input& sorted) {
    Certification certification(sorted, Strength::kSoft);
    certification.reads();
    return certification.take();
  });
}

}  // namespace gittxn::certify
