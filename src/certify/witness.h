// Witnesses: a Conflict a person can act on. Every field is filled: what was read, what is there
// now, who changed it, and in words what happened. What to do next depends on all conflicts
// together.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "certify/certify.h"
#include "certify/judge.h"
#include "model/verdict.h"

namespace gittxn::certify {

class Witnesses {
 public:
  explicit Witnesses(std::span<const Landed> history) : history_(history) {}

  Conflict stale(const Read& read, const Stale& stale) const;
  // A question that was asked again and is answered otherwise; `read` is one of its looks.
  Conflict answer(const Question& question, const Answer& answer, const Read& read,
                  const Stale& stale) const;
  Conflict overlap(const Overlap& overlap) const;
  Conflict made_twice(const PathChange& head) const;
  Conflict clash(const SymbolClash& clash) const;
  // A kernel object or ref that has another version now; empty: none was given.
  Conflict version(const Read& read, std::string_view now) const;
  // A summary that something it was made from changed under; null: nothing is known of it.
  Conflict summary(const Read& read, const SummaryState* state) const;
  // Everything was read, because it is not known what was; and `cause` changed.
  Conflict everything(const ReadSet& reads, const SnapshotDiff& diff) const;
  // The caller gave no difference for a snapshot: nothing read from it can be certified.
  Conflict no_difference(const Oid& snapshot) const;

 private:
  std::string who_changed(std::string_view path) const;
  std::string last_mover() const;

  std::span<const Landed> history_;
};

}  // namespace gittxn::certify
