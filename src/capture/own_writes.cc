#include "capture/own_writes.h"

#include <algorithm>

#include "base/bug.h"

namespace gittxn::capture {
namespace {

constexpr const char* kEmptyBlob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

}  // namespace

const PathChange* OwnWrites::change_of(std::string_view path) const {
  const auto at = std::lower_bound(
      writes_.begin(), writes_.end(), path,
      [](const PathChange& change, std::string_view wanted) { return change.path < wanted; });
  return at != writes_.end() && at->path == path ? &*at : nullptr;
}

bool OwnWrites::is_kept_empty(std::string_view path) const {
  const PathChange* change = change_of(path);
  return change != nullptr && change->after.oid == Oid(kEmptyBlob);
}

void OwnWrites::begun(const std::string& path) {
  if (created_.contains(path)) begun_.insert(path);
}

void OwnWrites::overtaken(const std::string& path) {
  if (rewritten_.contains(path)) overtaken_.insert(path);
}

const Node* OwnWrites::node_at(const std::string& path) {
  Node* node = &model_.root();
  for (std::size_t start = 0; node != nullptr && start <= path.size();) {
    const std::size_t slash = std::min(path.find('/', start), path.size());
    node = node->directory() ? model_.child(*node, path.substr(start, slash - start)) : nullptr;
    start = slash + 1;
  }
  return node;
}

void OwnWrites::finish() {
  for (const auto& [path, entry] : in_place_) {
    if (!has(path)) continue;
    log_.add(ReadKind::kContent, path, entry.oid.str(), {.op = "changed in place"});
  }
  for (const std::string& path : created_) {
    if (!has(path)) log_.add(ReadKind::kAbsence, path, "", {.op = "made and not kept"});
  }
  for (const std::string& path : begun_) {
    // One that was only touched would have stayed as it is.
    if (!has(path) || is_kept_empty(path) || INJECTED_BUG("interpret.appends_unread")) continue;
    log_.add(ReadKind::kAbsence, path, "", {.op = "begun by appending"});
  }
  for (const std::string& path : rewritten_) {
    if (has(path)) continue;
    const TreeEntry entry = model_.snapshot_entry(path);
    if (overtaken_.contains(path)) {
      log_.add(ReadKind::kContent, path, entry.oid.str(), {.op = "rewritten unchanged"});
      continue;
    }
    const Node* node = node_at(path);
    if (node == nullptr || node->origin == Origin::kGit || node->snapshot_path == path) continue;
    log_.add(ReadKind::kContent, path, entry.oid.str(), {.op = "rewritten unchanged"});
  }
}

}  // namespace gittxn::capture
