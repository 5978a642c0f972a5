#include "land/judge/judge_contents.h"

#include <fmt/format.h>

#include <vector>

#include "capture/lines.h"
#include "capture/search_tree.h"
#include "search/evaluate.h"
#include "semantic/read/text_lines.h"

namespace gittxn::land {
namespace {

using certify::Stale;

std::string detail_of(const search::Judgement& judgement) {
  if (!judgement.is.empty()) return fmt::format("now it prints '{}'", judgement.is);
  if (!judgement.was.empty()) return fmt::format("it no longer prints '{}'", judgement.was);
  return judgement.reason;
}

Result<std::optional<Stale>> stale_search(const repo::Objects& objects, const Oid& head_tree,
                                          const Read& read, const SnapshotDiff& diff,
                                          const Changes& own) {
  if (diff.changes.empty()) return std::nullopt;
  const search::Query query = TRY(search::query_from_text(read.query));
  const Oid tree = TRY(objects.tree_of(read.snapshot));
  std::vector<std::string> own_paths;
  for (const PathChange& change : own) own_paths.push_back(change.path);
  const search::Judgement judgement =
      search::judge(query, capture::SearchTree(objects, tree),
                    capture::SearchTree(objects, head_tree), diff.changes, own_paths);
  if (judgement.holds) return std::nullopt;
  return Stale{judgement.path.empty() ? read.subject : judgement.path, "another answer",
               detail_of(judgement)};
}

// Lines that stand elsewhere now, because of what happened above them. Of lines that reach the end
// of the file it is part of what was read that nothing follows them.
Result<bool> only_moved(const std::string& before, const std::string& after, const Read& read) {
  bool whole = false;
  const bool some = !capture::lines_text(before, read.lines, &whole).empty();
  if (!some || capture::lines_digest(before, read.lines).str() != read.digest) return false;
  const auto first = static_cast<std::size_t>(read.lines.first - 1);
  const auto last = first + static_cast<std::size_t>(read.lines.count);  // behind it
  for (const semantic::LineHunk& hunk : TRY(semantic::line_difference(before, after))) {
    const bool above = hunk.before.to <= first, below = whole && hunk.before.from >= last;
    if (!above && !below) return false;
  }
  return true;
}

// The lines are the same bytes, at the same place or moved as they were.
Result<std::optional<Stale>> stale_part(const repo::Objects& objects, const Read& read,
                                        const SnapshotDiff& diff, Isolation level) {
  // Where a directory on the way became something else, the file below is among the changes too.
  const PathChange* change = certify::find_change(diff.changes, read.subject);
  if (change == nullptr) return std::nullopt;
  if (!change->after.is_file()) return Stale{read.subject, "", "it is no file any more"};
  if (change->before.oid == change->after.oid) return std::nullopt;
  const std::string text = TRY(objects.blob(change->after.oid));
  const std::string now = capture::lines_digest(text, read.lines).str();
  if (now == read.digest) return std::nullopt;
  if (!certify::is_exact(level)) {
    const std::string was = TRY(objects.blob(change->before.oid));
    if (TRY(only_moved(was, text, read))) return std::nullopt;
  }
  return Stale{read.subject, now, "have changed"};
}

}  // namespace

certify::JudgeContents judge_contents(const repo::Objects& objects, Oid head_tree,
                                      Isolation level) {
  return [&objects, head_tree = std::move(head_tree), level](
             const Read& read, const SnapshotDiff& diff,
             const Changes& own) -> std::optional<Stale> {
    auto stale = read.kind == ReadKind::kSearch ? stale_search(objects, head_tree, read, diff, own)
                                                : stale_part(objects, read, diff, level);
    if (!stale) return Stale{read.subject, "unknown", stale.error().message};
    return *std::move(stale);
  };
}

}  // namespace gittxn::land
