// Paths in another checkout of the same repository, usually the person's own, and in the private
// worktrees of other transactions. A read there is a read of the repository path, with the digest
// of the bytes that are there: where they are the snapshot's it is a read like any other, where
// they are not it holds only if a landing made them the head's. What the snapshot's rules ignore is
// nobody's. A write there lands nowhere and is reported.
//
// git looks at files there for its index, when it works there: then everything was read. One that
// works elsewhere opens a file because it was told to.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "capture/paths/path_resolver.h"
#include "capture/paths/tree_model.h"
#include "capture/read_log.h"

namespace gittxn::capture {

class OtherCheckout {
 public:
  using Ignored = std::function<Result<bool>(const std::string& path)>;
  // `traced_ns`: when the trace began. A file that changed since is not what the process saw, or
  // may not be; its bytes are unknown and match nothing.
  OtherCheckout(TreeModel& model, ReadLog& log, Ignored ignored, std::int64_t traced_ns)
      : model_(model), log_(log), ignored_(std::move(ignored)), traced_ns_(traced_ns) {}
  Status on(const Record& record, Process& process, const Resolved& at);

 private:
  TreeEntry entry_on_disk(const std::string& path);
  Result<bool> is_ignored(const std::string& path);
  Status there(const Record& record, const Resolved& at, const ReadLog::Seen& seen);
  Status listing(const Resolved& at, const TreeEntry& entry, const ReadLog::Seen& seen);
  Result<bool> names_differ(const Resolved& at, const std::vector<repo::NamedEntry>& names);
  void git_works_there(Process& process, const Resolved& at);

  TreeModel& model_;
  ReadLog& log_;
  Ignored ignored_;
  std::int64_t traced_ns_;
  std::map<std::string, bool> asked_;        // whether it is ignored
  std::map<std::string, TreeEntry> hashed_;  // by path on disk
};

// The id git would give these bytes as a blob; empty when the file cannot be read.
Oid blob_id_of_file(const std::string& path);

}  // namespace gittxn::capture
