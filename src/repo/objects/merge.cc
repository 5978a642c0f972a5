// Three-way merge of trees. Only sub-trees that differ on all three sides are opened, so the cost
// is that of the change. Nothing inside a file is ever merged: a path that both sides changed to
// different things is a conflict, whatever the bytes would say.
//
// Every name has a file part and a directory part on each side (one of them nothing). The file
// parts follow the three-way rule; the directory parts are merged below; a file and a non-empty
// directory that both survive under one name are a conflict. Deletions, a directory that became a
// file and files added below a deleted directory all follow from that, with no case of their own.
//
// Trees are written bottom up, and not at all after the first conflict. A kill leaves stray trees
// that git gc removes.
#include <algorithm>

#include "repo/objects/object_store.h"

namespace gittxn::repo::internal {
namespace {

const RawEntry& file_part(const RawEntry& entry) {
  return entry.is_tree() ? kNoEntry : entry;
}
const git_oid& tree_part(const RawEntry& entry) {
  return entry.is_tree() ? entry.oid : empty_tree_oid();
}

// The three-way rule; nullptr is a conflict.
const RawEntry* three_way(const RawEntry& base, const RawEntry& ours, const RawEntry& theirs) {
  if (ours == theirs || base == theirs) return &ours;
  if (base == ours) return &theirs;
  return nullptr;
}

class Merger {
 public:
  explicit Merger(const ObjectStore& store) : store_(store) {}

  // The merged tree; meaningless once there is a conflict.
  Result<git_oid> merge(const git_oid& base, const git_oid& ours, const git_oid& theirs,
                        int depth) {
    if (same(ours, theirs) || same(base, theirs)) return ours;
    if (same(base, ours)) return theirs;
    TRY(check_depth(depth));
    const Tree b = TRY(store_.read_tree(base));
    const Tree o = TRY(store_.read_tree(ours));
    const Tree t = TRY(store_.read_tree(theirs));
    std::vector<RawEntry> merged;
    merged.reserve(std::max(o.entries.size(), t.entries.size()));
    for (InStep step({b.entries, o.entries, t.entries}); step.next();) {
      TRY(merge_name(step, depth, &merged));
    }
    if (merged.empty()) return empty_tree_oid();
    // Any tree that is not empty will do now: it only says that there is a directory.
    if (!conflicts_.empty()) return same(ours, empty_tree_oid()) ? theirs : ours;
    if (merged == o.entries && same_names(merged, o.entries)) return ours;
    if (merged == t.entries && same_names(merged, t.entries)) return theirs;
    return store_.write_tree(std::move(merged));
  }

  std::vector<MergeConflict> take_conflicts() {
    std::ranges::sort(conflicts_, {}, &MergeConflict::path);
    return std::move(conflicts_);
  }

 private:
  static bool same_names(const std::vector<RawEntry>& a, const std::vector<RawEntry>& b) {
    auto equal = [](const RawEntry& x, const RawEntry& y) {
      return x.name == y.name && x.raw_mode == y.raw_mode;
    };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), equal);
  }

  Status merge_name(const InStep& step, int depth, std::vector<RawEntry>* merged) {
    const RawEntry &base = *step.at[0], &ours = *step.at[1], &theirs = *step.at[2];
    if (const RawEntry* whole = three_way(base, ours, theirs)) {
      if (whole->present()) merged->push_back(*whole);
      return {};
    }
    const RawEntry* file = three_way(file_part(base), file_part(ours), file_part(theirs));
    if (file == nullptr) {
      TRY(conflict(step));
      file = &kNoEntry;
    }
    const std::size_t length = path_.size();
    path_ += (length == 0 ? "" : "/");
    path_ += step.name;
    const git_oid below =
        TRY(merge(tree_part(base), tree_part(ours), tree_part(theirs), depth + 1));
    path_.resize(length);
    const bool has_directory = !same(below, empty_tree_oid());
    if (file->present() && has_directory) return conflict(step);
    if (file->present()) merged->push_back(*file);
    if (has_directory) merged->push_back(directory_entry(step.name, below));
    return {};
  }

  Status conflict(const InStep& step) {
    if (conflicts_.size() >= kMaxChanges) return fail(Code::kUnsupported, "too many conflicts");
    std::string path = path_.empty() ? std::string() : path_ + "/";
    path += step.name;
    conflicts_.push_back(
        {std::move(path), to_entry(*step.at[0]), to_entry(*step.at[1]), to_entry(*step.at[2])});
    return {};
  }

  const ObjectStore& store_;
  std::string path_;
  std::vector<MergeConflict> conflicts_;
};

}  // namespace
}  // namespace gittxn::repo::internal

namespace gittxn::repo {

Result<MergeOutcome> Objects::merge(const Oid& base, const Oid& ours, const Oid& theirs) const {
  const internal::ObjectStore& store = state_->store;
  const git_oid b = TRY(store.tree_of(base));
  const git_oid o = TRY(store.tree_of(ours));
  const git_oid t = TRY(store.tree_of(theirs));
  internal::Merger merger(store);
  git_oid tree = TRY(merger.merge(b, o, t, 0));
  MergeOutcome outcome;
  outcome.conflicts = merger.take_conflicts();
  if (!outcome.conflicts.empty()) return outcome;
  if (internal::same(tree, internal::empty_tree_oid())) tree = TRY(store.write_tree({}));
  outcome.tree = internal::to_oid(tree);
  return outcome;
}

}  // namespace gittxn::repo
