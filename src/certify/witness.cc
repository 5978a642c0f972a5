#include "certify/witness.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/workflow.h"

namespace gittxn::certify {
namespace {

std::string name_of(const Landed& landed) {
  if (!landed.txn.empty()) return landed.txn.str();
  // "Name <mail> 1700000000 +0100": the time says nothing here.
  const std::size_t mail_end = landed.who.find('>');
  const std::string who =
      landed.who.substr(0, mail_end == std::string::npos ? mail_end : mail_end + 1);
  return fmt::format("commit {} by {}", landed.commit.str().substr(0, 7),
                     who.empty() ? "an unknown author" : who);
}

std::string entry_text(const TreeEntry& entry) {
  if (!entry.present()) return "nothing";
  if (entry.mode == FileMode::kTree) return "directory";
  return entry.oid.str();
}

// What the transaction did to the subject, and what became of it, for the hint.
std::string what_happened(const Read& read, const Stale& stale) {
  switch (read.kind) {
    case ReadKind::kAbsence:
      return stale.cause == read.subject
                 ? fmt::format("'{}' was looked for and not there; it is now", read.subject)
                 : fmt::format("'{}' was looked for; '{}' on the way to it changed", read.subject,
                               stale.cause);
    case ReadKind::kListing:
      return fmt::format("the directory '{}' was listed and has other entries now", read.subject);
    case ReadKind::kSearch:
      return fmt::format("`{}` has another answer now: {}", read.argv,
                         stale.detail.empty() ? "'" + stale.cause + "' changed" : stale.detail);
    case ReadKind::kTree:
      return fmt::format("everything below '{}' was read, and '{}' changed", read.subject,
                         stale.cause);
    default:
      break;
  }
  if (read.lines != LineSpan{}) {
    return fmt::format("lines {} to {} of '{}' were read and {}", read.lines.first,
                       read.lines.first + read.lines.count - 1, read.subject,
                       stale.detail.empty() ? "have changed" : stale.detail);
  }
  if (read.kind == ReadKind::kContent && stale.cause != read.subject) {
    return fmt::format("'{}' was read, and '{}', which it is made from, changed", read.subject,
                       stale.cause);
  }
  if (read.digest.starts_with(kUncommitted)) {
    return fmt::format("'{}' was read with an edit in it that is not committed", read.subject);
  }
  return fmt::format("'{}' was read and has {} now{}{}", read.subject,
                     stale.digest_now.empty() ? "been removed" : "changed",
                     stale.detail.empty() ? "" : "; ", stale.detail);
}

std::string shown(const std::string& subject) {
  return subject.empty() ? "." : subject;
}

}  // namespace

std::string Witnesses::who_changed(std::string_view path) const {
  for (auto landed = history_.rbegin(); landed != history_.rend(); ++landed) {
    if (find_change(landed->changes, path) != nullptr) return name_of(*landed);
  }
  return "nobody on record";
}

std::string Witnesses::last_mover() const {
  return history_.empty() ? "nobody on record" : name_of(history_.back());
}

Conflict Witnesses::stale(const Read& read, const Stale& stale) const {
  if (read.kind == ReadKind::kRef) {
    Conflict conflict = version(read, stale.digest_now);
    conflict.read_by = maker_of(read);
    return conflict;
  }
  return {.kind = ConflictKind::kReadStale,
          // Of a search it is the path that made the difference which people want to see.
          .subject = shown(read.kind == ReadKind::kSearch ? stale.cause : read.subject),
          .read_digest = read.digest,
          .head_digest = stale.digest_now,
          .changed_by = who_changed(stale.cause),
          .hint = what_happened(read, stale),
          .read_by = maker_of(read)};
}

Conflict Witnesses::answer(const Question& question, const Answer& answer, const Read& read,
                           const Stale& stale) const {
  Conflict conflict = this->stale(read, stale);
  conflict.hint = fmt::format("{}; {}", answer.why, conflict.hint);
  conflict.question = argv_text(question.argv);
  conflict.answer = answer.why;
  conflict.shown = answer.shown;
  return conflict;
}

Conflict Witnesses::overlap(const Overlap& overlap) const {
  return {.kind = ConflictKind::kWriteWrite,
          .subject = overlap.path,
          .read_digest = entry_text(overlap.ours),
          .head_digest = entry_text(overlap.head),
          .changed_by = who_changed(overlap.cause),
          .hint = overlap.cause == overlap.path
                      ? fmt::format("both changed '{}'; resolve the conflict with the branch",
                                    overlap.path)
                      : fmt::format("'{}' and '{}' cannot both be there, a file is in the way of "
                                    "a directory",
                                    overlap.path, overlap.cause)};
}

Conflict Witnesses::made_twice(const PathChange& head) const {
  return {.kind = ConflictKind::kWriteWrite,
          .subject = head.path,
          .read_digest = entry_text(head.after),
          .head_digest = entry_text(head.after),
          .changed_by = who_changed(head.path),
          .hint = fmt::format("'{}' was read, and both made the same of it; run again, it may "
                              "become something else",
                              head.path)};
}

Conflict Witnesses::clash(const SymbolClash& clash) const {
  return {.kind = ConflictKind::kSymbol,
          .subject = clash.subject,
          .changed_by = who_changed(clash.cause),
          .hint = clash.why,
          .cause = clash.cause};
}

Conflict Witnesses::version(const Read& read, std::string_view now) const {
  const bool kernel = read.kind == ReadKind::kKernel;
  Conflict conflict{
      .kind = kernel ? ConflictKind::kKernel : ConflictKind::kReadStale,
      .subject = read.subject,
      .read_digest = read.digest,
      .head_digest = std::string(now),
      .changed_by = kernel ? "the kernel" : last_mover(),
      .hint = fmt::format("'{}' {}", read.subject,
                          now.empty() ? "is not there any more" : "has another version now")};
  if (read.subject == kWorkflowsSubject) {  // none is ever removed
    conflict.changed_by = "git txn workflow create";
    conflict.hint = "a workflow was created after they were listed";
  }
  return conflict;
}

Conflict Witnesses::summary(const Read& read, const SummaryState* state) const {
  if (state == nullptr) {
    return {
        .kind = ConflictKind::kReadStale,
        .subject = read.subject,
        .read_digest = read.digest,
        .hint = fmt::format("the summary '{}' was read, and is not in the store", read.subject)};
  }
  return {
      .kind = ConflictKind::kReadStale,
      .subject = shown(state->source),
      .read_digest = state->source_digest,
      .head_digest = state->source_now,
      .changed_by = who_changed(state->source),
      .hint = fmt::format("the summary '{}' was read, and '{}', which it was made from, changed",
                          read.subject, shown(state->source))};
}

Conflict Witnesses::everything(const ReadSet& reads, const SnapshotDiff& diff) const {
  return {
      .kind = ConflictKind::kReadStale,
      .subject = "(everything)",
      .read_digest = diff.snapshot.str(),
      .head_digest = history_.empty() ? "another commit" : history_.back().commit.str(),
      .changed_by = last_mover(),
      .hint = fmt::format("what the transaction read is unknown ({}), so it counts as "
                          "everything, and '{}' changed",
                          reads.unknown_reason.empty() ? "no reason given" : reads.unknown_reason,
                          diff.changes.front().path)};
}

Conflict Witnesses::no_difference(const Oid& snapshot) const {
  return {.kind = ConflictKind::kReadStale,
          .subject = fmt::format("(snapshot {})", snapshot.str()),
          .read_digest = snapshot.str(),
          .head_digest = "unknown",
          .changed_by = "nobody on record",
          .hint = "what changed since this snapshot is unknown"};
}

}  // namespace gittxn::certify
