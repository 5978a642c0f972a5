// What the transaction did to files in the tree, and what of that counts as a read at the end, when
// it is known what was taken.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "capture/paths/tree_model.h"
#include "capture/read_log.h"
#include "model/change.h"

namespace gittxn::capture {

class OwnWrites {
 public:
  // `writes`: what was taken, sorted by path.
  enum class Fate { kTaken, kThrownAway };  // of what is written, whatever it is
  OwnWrites(const Changes& writes, Fate fate, TreeModel& model, ReadLog& log)
      : writes_(writes), fate_(fate), model_(model), log_(log) {}

  // A path the transaction writes, as it was taken.
  bool has(std::string_view path) const { return change_of(path) != nullptr; }

  // The snapshot's file was opened to be changed where it is.
  void changes_in_place(const Node& node) { in_place_.emplace(node.snapshot_path(), node.entry()); }
  bool changed_in_place(const std::string& path) const { return in_place_.contains(path); }
  bool has_none() const { return writes_.empty() && in_place_.empty(); }
  // A path that the snapshot lacks was made without looking; then opened to be gone on with.
  void created(const std::string& path) { created_.insert(path); }
  void begun(const std::string& path);
  // Somebody but git wrote the snapshot's file anew; then a merge replaced it.
  void rewrote(const std::string& path) { rewritten_.insert(path); }
  void overtaken(const std::string& path);

  // What no write-write check will see, although the transaction did it. What was changed in place
  // builds on what was there. What it made and took away again, or what is ignored, was not in the
  // way of it. A file written anew with the very bytes of the snapshot is no change, so no
  // write-write check sees it; yet what the transaction put there says what should be there. It
  // counts as a read of the old content. So does each change in place of what is thrown away.
  void finish();

 private:
  const PathChange* change_of(std::string_view path) const;
  bool is_kept_empty(std::string_view path) const;

  const Changes& writes_;
  Fate fate_;
  TreeModel& model_;
  ReadLog& log_;
  std::map<std::string, TreeEntry> in_place_;
  std::set<std::string> created_, begun_, rewritten_, overtaken_;
};

}  // namespace gittxn::capture
