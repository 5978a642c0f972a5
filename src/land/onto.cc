#include "land/onto.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "land/candidate.h"
#include "land/judge/symbols.h"
#include "semantic/language.h"
#include "semantic/merge.h"

namespace gittxn::land {
namespace {

// One path that both sides changed, as it is on both from here on.
struct Settled {
  TreeEntry is;
  bool marked = false;
  std::string kept;  // why it is the transaction's own
};

class Settler {
 public:
  Settler(repo::Objects& objects, const SymbolFindings& findings, const Txn& txn,
          semantic::ConflictText style)
      : objects_(objects), txn_(txn), style_(style) {
    for (const MergedFile& file : findings.files) merged_.emplace(file.path, &file);
  }

  // `conflict`: ours is the head's.
  Result<Settled> settle(const repo::MergeConflict& conflict) {
    if (const auto known = merged_.find(conflict.path); known != merged_.end()) {
      const MergedFile& file = *known->second;
      const std::string* text = std::get_if<std::string>(&file.contents);
      const Oid oid = text ? TRY(objects_.write_blob(*text)) : std::get<Oid>(file.contents);
      return Settled{{file.mode, oid}, false, ""};
    }
    const TreeEntry& head = conflict.ours;
    const TreeEntry& work = conflict.theirs;
    const std::string branch = repo::short_branch(txn_.target);
    if (!work.present()) {
      return Settled{
          head, false,
          fmt::format("{} was removed here and changed on {}; it is there as it is on {}",
                      conflict.path, branch, branch)};
    }
    if (!head.present()) {
      return Settled{work, false,
                     fmt::format("{} was changed here and removed on {}", conflict.path, branch)};
    }
    if (!head.is_file() || !work.is_file()) {
      return Settled{work, false, fmt::format("{} is not a file on both sides", conflict.path)};
    }
    return merge(conflict);
  }

 private:
  Result<Settled> merge(const repo::MergeConflict& conflict) {
    semantic::Sides<std::string> texts;
    if (conflict.base.is_file()) texts[semantic::kBase] = TRY(objects_.blob(conflict.base.oid));
    texts[semantic::kLeft] = TRY(objects_.blob(conflict.theirs.oid));
    texts[semantic::kRight] = TRY(objects_.blob(conflict.ours.oid));
    semantic::MergeLabels labels;
    labels.style = style_;
    labels.left = txn_.id.str();
    labels.right = repo::short_branch(txn_.target);
    const semantic::MergeAs as(conflict.path, texts[semantic::kLeft]);
    const semantic::Merged merged = TRY(semantic::merge_file(as, texts, labels));
    const FileMode mode =
        conflict.theirs.mode == conflict.base.mode ? conflict.ours.mode : conflict.theirs.mode;
    Settled settled{{mode, TRY(objects_.write_blob(merged.text))}, !merged.clean(), ""};
    if (!merged.clean() && merged.conflicts.empty()) {
      settled = {conflict.theirs, false,
                 fmt::format("{} is not text and was changed on {}, too", conflict.path,
                             repo::short_branch(txn_.target))};
    }
    return settled;
  }

  repo::Objects& objects_;
  const Txn& txn_;
  semantic::ConflictText style_;
  std::map<std::string, const MergedFile*> merged_;
};

// The style that git's merge.conflictStyle names. A value that git refuses is no reason to stop.
Result<semantic::ConflictText> shown_conflicts(const Context& context) {
  const auto name = TRY(context.repository->config().get("merge.conflictStyle"));
  return semantic::conflict_style(name.value_or("")).value_or(semantic::ConflictText::kMarkers);
}

}  // namespace

Result<Onto> put_onto(const Context& context, const TxnId& txn, const Oid& head) {
  const Work work = TRY(load_work(context, txn));
  repo::Objects& objects = context.repository->objects();
  const Oid base_tree = TRY(objects.tree_of(work.footprint.base));
  const Oid head_tree = TRY(objects.tree_of(head));
  repo::MergeOutcome merged = TRY(objects.merge(base_tree, head_tree, work.kept.tree));
  Onto onto;
  if (!merged.conflicts.empty()) {
    const Changes moved = TRY(objects.diff(base_tree, head_tree));
    const SymbolFindings findings =
        TRY(look_into(objects, moved, work.footprint.writes, around(context, objects, head)));
    Settler settler(objects, findings, work.txn, TRY(shown_conflicts(context)));
    Changes on_head, on_work;
    for (const repo::MergeConflict& conflict : merged.conflicts) {
      Settled settled = TRY(settler.settle(conflict));
      if (settled.marked) onto.marked.push_back(conflict.path);
      if (!settled.kept.empty()) onto.kept.push_back(std::move(settled.kept));
      if (settled.is != conflict.ours) {
        on_head.push_back({conflict.path, conflict.ours, settled.is});
      }
      if (settled.is != conflict.theirs) {
        on_work.push_back({conflict.path, conflict.theirs, settled.is});
      }
    }
    // Both sides with the same file in them, which is no conflict.
    merged = TRY(objects.merge(base_tree, TRY(objects.apply(head_tree, std::move(on_head))),
                               TRY(objects.apply(work.kept.tree, std::move(on_work)))));
  }
  if (!merged.conflicts.empty()) {
    return fail(Code::kRefused,
                fmt::format("'{}' cannot be merged: the branch and {} made something else of it",
                            merged.conflicts.front().path, txn.str()),
                "give it another name in the worktree: git txn open " + txn.str());
  }
  onto.tree = std::move(merged.tree);
  return onto;
}

bool has_markers(std::string_view text) {
  bool begun = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with("<<<<<<< ")) begun = true;
    if (begun && line.starts_with(">>>>>>> ")) return true;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return false;
}

}  // namespace gittxn::land
