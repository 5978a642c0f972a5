// Internal to repo/: the files that references are kept in, as gitrepository-layout(5) and
// git-pack-refs(1) say. Reading only, and the reflog's appending.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "repo/refs.h"

namespace gittxn::repo::internal {

// One file below refs/, or HEAD; nullopt also for a directory of that name. kCorrupt for anything
// that is neither value nor pointer.
Result<std::optional<HeadValue>> read_loose(const std::string& dir, const RefName& name);

// The file packed-refs as it was when it was read; empty when there is none.
class PackedRefs {
 public:
  static Result<PackedRefs> read(const std::string& dir);
  Result<std::optional<Oid>> find(const RefName& name) const;
  // Calls `each` for every ref whose name starts with `prefix`.
  Status each(std::string_view prefix, const std::function<void(RefName, Oid)>& each) const;

 private:
  explicit PackedRefs(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

// Loose over packed, not following symbolic refs (the caller knows it is none).
Result<std::optional<Oid>> current_value(const std::string& dir, const RefName& name);

// Appends "<old> <new> <who>\t<message>" to the logs of the ref and of every HEAD that points to
// it. A missing log is begun where `git` (core.logAllRefUpdates) would begin it.
Status append_reflogs(const std::string& dir, Config& config, const RefUpdate& update);

// Removes a tree of directories that holds nothing else. False when something is in it.
bool remove_empty_dirs(const std::string& path);

}  // namespace gittxn::repo::internal
