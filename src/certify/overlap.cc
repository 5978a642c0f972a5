// Writes that do not commute: see judge.h.
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
  const auto add = [&found](const PathChange& ours, const PathChange& theirs) {
    found.push_back({ours.path, theirs.path, ours.after, theirs.after});
  };
  // A directory of the base that one side replaced by a file while the other put something in it.
  // (A file in a directory that the base lacks always meets the other side's entry of the same
  // name.)
  for (const PathChange& theirs : head) {
    if (!became_blocked(theirs)) continue;
    for (const PathChange& ours : below(writes, theirs.path)) {
      if (ours.after.present()) add(ours, theirs);
    }
  }
  for (const PathChange& ours : writes) {
    if (!became_blocked(ours)) continue;
    for (const PathChange& theirs : below(head, ours.path)) {
      if (theirs.after.present()) add(ours, theirs);
    }
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
  for (const PathChange& change : both) {
    const bool counts =
        about_a_file(change) || std::ranges::any_of(below(both, change.path), about_a_file);
    if (counts) equal.push_back(change);
  }
  return equal;
}

}  // namespace gittxn::certify
