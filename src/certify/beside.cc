#include "certify/beside.h"

#include <algorithm>

#include "base/bug.h"
#include "certify/judge.h"

namespace gittxn::certify {

bool is_beside(const Read& read, const SnapshotDiff& diff, const OnlyCame& only_came,
               const NameRules& rules) {
  const Footprint& txn = *rules.txn;
  const bool search = read.kind == ReadKind::kSearch;
  const bool of_file = read.kind == ReadKind::kContent || read.kind == ReadKind::kMetadata;
  const bool whole =
      of_file && read.lines == LineSpan{} && find_change(txn.writes, read.subject) == nullptr;
  const bool shown = read.reader == ReaderClass::kShown || INJECTED_BUG("certify.beside_anybody");
  if ((!search && !whole) || !shown || !only_came) return false;
  if (read.digest.starts_with(kUncommitted)) return false;
  const Question* question = question_of(txn.reads, read.question);
  const std::optional<Came> came = only_came(read, question, diff, txn.writes);
  if (!came) return false;
  if (search && !INJECTED_BUG("certify.beside_nothing")) {
    const bool found = question != nullptr && question->status == 0;
    if (!found && !came->found_before) return false;
  }
  if (INJECTED_BUG("certify.beside_named")) return true;
  return std::ranges::none_of(
      came->names, [&](const std::string& name) { return !rules.named || rules.named(name); });
}

}  // namespace gittxn::certify
