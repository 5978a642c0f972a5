#include "certify/overlap.h"

#include <algorithm>

#include "certify/judge.h"

namespace gittxn::certify {
namespace {

// Both sorted: walks the shorter list and looks each of its paths up in what is left of the longer.
void same_path(const Changes& writes, const Changes& head, std::vector<Overlap>& found) {
  const bool ours_shorter = writes.size() <= head.size();
  const Changes& few = ours_shorter ? writes : head;
  const Changes& many = ours_shorter ? head : writes;
  for (const PathChange& change : few) {
    const PathChange* other = find_change(many, change.path);
    if (other == nullptr || other->after == change.after) continue;
    const PathChange& ours = ours_shorter ? change : *other;
    const PathChange& theirs = ours_shorter ? *other : change;
    // Directory entries of two trees have no identity of their own, only that they are there.
    if (shape_of(ours.after) == Shape::kDirectory && shape_of(theirs.after) == Shape::kDirectory) {
      continue;
    }
    found.push_back({change.path, change.path, ours.after, theirs.after});
  }
}

bool became_blocked(const PathChange& change) {
  return change.before.mode == FileMode::kTree && blocks_lookups(shape_of(change.after));
}

// Calls `visit` for each change of `changes` below `root` that leaves something there.
template <typename Visit>
void each_kept_below(const Changes& changes, const std::string& root, Visit visit) {
  for (std::size_t i = first_from(changes, root + "/");
       i < changes.size() && strictly_below(changes[i].path, root); ++i) {
    if (changes[i].after.present()) visit(changes[i]);
  }
}

bool same_outcome(const PathChange& a, const PathChange& b) {
  // Directory entries have no identity of their own here either.
  if (shape_of(a.after) == Shape::kDirectory) return shape_of(b.after) == Shape::kDirectory;
  return a.after == b.after;
}

// Not a directory that came or went.
bool about_a_file(const PathChange& change) {
  return blocks_lookups(shape_of(change.before)) || blocks_lookups(shape_of(change.after));
}

}  // namespace

std::vector<Overlap> overlaps(const Changes& writes, const Changes& head) {
  std::vector<Overlap> found;
  if (writes.empty() || head.empty()) return found;
  same_path(writes, head, found);
  // A directory of the base that one side replaced by a file while the other put something in it.
  // (A file in a directory that the base lacks always meets the other side's entry of the same
  // name.)
  for (const PathChange& theirs : head) {
    if (!became_blocked(theirs)) continue;
    each_kept_below(writes, theirs.path, [&](const PathChange& ours) {
      found.push_back({ours.path, theirs.path, ours.after, theirs.after});
    });
  }
  for (const PathChange& ours : writes) {
    if (!became_blocked(ours)) continue;
    each_kept_below(head, ours.path, [&](const PathChange& theirs) {
      found.push_back({ours.path, theirs.path, ours.after, theirs.after});
    });
  }
  std::ranges::stable_sort(found, {}, &Overlap::path);
  const auto repeats = std::ranges::unique(found, {}, &Overlap::path);
  found.erase(repeats.begin(), repeats.end());
  return found;
}

Changes made_equal(const Changes& writes, const Changes& head) {
  Changes both;
  for (const PathChange& theirs : head) {
    const PathChange* ours = find_change(writes, theirs.path);
    if (ours != nullptr && same_outcome(*ours, theirs)) both.push_back(theirs);
  }
  Changes equal;
  for (std::size_t i = 0; i < both.size(); ++i) {
    bool counts = about_a_file(both[i]);
    for (std::size_t below = first_from(both, both[i].path + "/");
         !counts && below < both.size() && strictly_below(both[below].path, both[i].path);
         ++below) {
      counts = about_a_file(both[below]);
    }
    if (counts) equal.push_back(both[i]);
  }
  return equal;
}

}  // namespace gittxn::certify
