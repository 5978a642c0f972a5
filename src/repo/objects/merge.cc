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
#include <array>

#include "repo/objects/object_store.h"

namespace gittxn::repo::internal {
namespace {

const RawEntry kNoEntry;

struct Sides {
  const RawEntry* base = &kNoEntry;
  const RawEntry* ours = &kNoEntry;
  const RawEntry* theirs = &kNoEntry;
  std::string_view name;
};

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

// Walks three sorted lists of names in step.
class Cursor {
 public:
  Cursor(const Tree& base, const Tree& ours, const Tree& theirs)
      : trees_{&base.entries, &ours.entries, &theirs.entries} {}

  bool next(Sides* sides) {
    const RawEntry* first = nullptr;
    for (std::size_t i = 0; i < 3; ++i) {
      if (at_[i] == trees_[i]->size()) continue;
      const RawEntry& entry = (*trees_[i])[at_[i]];
      if (first == nullptr || entry.name < first->name) first = &entry;
    }
    if (first == nullptr) return false;
    sides->name = first->name;
    const std::array<const RawEntry**, 3> out = {&sides->base, &sides->ours, &sides->theirs};
    for (std::size_t i = 0; i < 3; ++i) {
      *out[i] = &kNoEntry;
      if (at_[i] == trees_[i]->size() || (*trees_[i])[at_[i]].name != sides->name) continue;
      *out[i] = &(*trees_[i])[at_[i]++];
    }
    return true;
  }

 private:
  std::array<const std::vector<RawEntry>*, 3> trees_;
  std::array<std::size_t, 3> at_ = {};
};

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
    Cursor cursor(b, o, t);
    for (Sides sides; cursor.next(&sides);) TRY(merge_name(sides, depth, &merged));
    if (merged.empty()) return empty_tree_oid();
    // Any tree that is not empty will do now: it only says that there is a directory.
    if (!conflicts_.empty()) return same(ours, empty_tree_oid()) ? theirs : ours;
    if (merged == o.entries && same_names(merged, o.entries)) return ours;
    if (merged == t.entries && same_names(merged, t.entries)) return theirs;
    return store_.write_tree(std::move(merged));
  }

  std::vector<MergeConflict> take_conflicts() {
    auto by_path = [](const MergeConflict& a, const MergeConflict& b) { return a.path < b.path; };
    std::sort(conflicts_.begin(), conflicts_.end(), by_path);
    return std::move(conflicts_);
  }

 private:
  static bool same_names(const std::vector<RawEntry>& a, const std::vector<RawEntry>& b) {
    auto equal = [](const RawEntry& x, const RawEntry& y) {
      return x.name == y.name && x.raw_mode == y.raw_mode;
    };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), equal);
  }

  Status merge_name(const Sides& sides, int depth, std::vector<RawEntry>* merged) {
    if (const RawEntry* whole = three_way(*sides.base, *sides.ours, *sides.theirs)) {
      if (whole->present()) merged->push_back(*whole);
      return {};
    }
    const RawEntry* file =
        three_way(file_part(*sides.base), file_part(*sides.ours), file_part(*sides.theirs));
    if (file == nullptr) {
      TRY(conflict(sides));
      file = &kNoEntry;
    }
    const std::size_t length = path_.size();
    path_ += (length == 0 ? "" : "/");
    path_ += sides.name;
    const git_oid below = TRY(
        merge(tree_part(*sides.base), tree_part(*sides.ours), tree_part(*sides.theirs), depth + 1));
    path_.resize(length);
    const bool has_directory = !same(below, empty_tree_oid());
    if (file->present() && has_directory) return conflict(sides);
    if (file->present()) merged->push_back(*file);
    if (has_directory) {
      RawEntry entry;
      entry.name = sides.name;
      entry.raw_mode = static_cast<std::uint32_t>(FileMode::kTree);
      entry.mode = FileMode::kTree;
      entry.oid = below;
      merged->push_back(entry);
    }
    return {};
  }

  Status conflict(const Sides& sides) {
    if (conflicts_.size() >= kMaxChanges) return fail(Code::kUnsupported, "too many conflicts");
    std::string path = path_.empty() ? std::string() : path_ + "/";
    path += sides.name;
    conflicts_.push_back(
        {std::move(path), to_entry(*sides.base), to_entry(*sides.ours), to_entry(*sides.theirs)});
    return {};
  }

  const ObjectStore& store_;
  std::string path_;
  std::vector<MergeConflict> conflicts_;
};

}  // namespace

Result<MergeOutcome> merge_trees(const ObjectStore& store, const git_oid& base, const git_oid& ours,
                                 const git_oid& theirs) {
  Merger merger(store);
  git_oid tree = TRY(merger.merge(base, ours, theirs, 0));
  MergeOutcome outcome;
  outcome.conflicts = merger.take_conflicts();
  if (!outcome.conflicts.empty()) return outcome;
  if (same(tree, empty_tree_oid())) tree = TRY(store.write_tree({}));
  outcome.tree = to_oid(tree);
  return outcome;
}

}  // namespace gittxn::repo::internal
