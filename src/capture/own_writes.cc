#include "capture/own_writes.h"

#include <algorithm>

#include "base/bug.h"

namespace gittxn::capture {
namespace {

constexpr const char* kEmptyBlob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

}  // namespace

const PathChange* OwnWrites::change_of(std::string_view path) const {
  const auto at = std::ranges::lower_bound(writes_, path, {}, &PathChange::path);
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

void OwnWrites::finish() {
  for (const auto& [path, entry] : in_place_) {
    if (!has(path) && fate_ == Fate::kTaken) continue;
    // Another reader of the file has a read of its own.
    log_.add(ReadKind::kContent, path, entry.oid.str(),
             {.op = "changed in place", .reader = ReaderClass::kEdits});
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
    const Node* node = model_.at(path);
    const bool stands =
        node != nullptr && node->origin != Origin::kGit && node->snapshot_path() != path;
    if (!stands && !overtaken_.contains(path)) continue;
    const std::string blob = model_.snapshot_entry(path).oid.str();
    log_.add(ReadKind::kContent, path, blob, {.op = "rewritten unchanged"});
  }
}

}  // namespace gittxn::capture
