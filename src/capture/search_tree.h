// A commit's tree as a search sees it. The bytes of a blob are the worktree's only where nothing
// converts them at checkout; whoever asks about contents makes sure of that (search_settings.h).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "repo/objects.h"
#include "search/tree.h"

namespace gittxn::capture {

class SearchTree final : public search::Tree {
 public:
  // `objects` must outlive it.
  SearchTree(const repo::Objects& objects, Oid tree) : objects_(objects), tree_(std::move(tree)) {}

  Result<TreeEntry> entry(const std::string& path) const override {
    if (path.empty()) return TreeEntry{FileMode::kTree, tree_};
    return objects_.entry_at(tree_, path);
  }
  Result<std::vector<search::NamedEntry>> list(const std::string& path) const override {
    const TreeEntry directory = TRY(entry(path));
    std::vector<repo::NamedEntry> listed = TRY(objects_.list(directory.oid));
    std::vector<search::NamedEntry> entries;
    entries.reserve(listed.size());
    for (repo::NamedEntry& named : listed) {
      entries.push_back({std::move(named.name), std::move(named.entry)});
    }
    return entries;
  }
  Result<std::string> blob(const Oid& oid) const override { return objects_.blob(oid, kMaxBlob); }

 private:
  static constexpr std::size_t kMaxBlob = 256u << 20;  // larger is not read, so it does not hold
  const repo::Objects& objects_;
  Oid tree_;
};

}  // namespace gittxn::capture
