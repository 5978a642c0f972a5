// Taking an overlay: the index holds what the upper directory touches and nothing else, so that
// git's own work (filters, line ends, modes) is done on exactly that, and the cost grows with the
// change. What the base has and the upper does not touch is in the tree without having been looked
// at.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/fs.h"
#include "repo/worktree/worktree_take.h"

namespace gittxn::repo::internal {
namespace {

bool same_entry(const IndexFile& a, const IndexEntry& x, const IndexFile& b, const IndexEntry& y) {
  return x.mode == y.mode && x.stage == y.stage && a.oid(x) == b.oid(y) &&
         x.intent_to_add == y.intent_to_add;
}

// What the agent's index says that the shared checkout's does not. Both are sorted.
struct OwnEntries {
  std::vector<const IndexEntry*> entries;
  std::vector<std::string> unmerged;
  std::set<std::string, std::less<>> sparse;  // left out on purpose: not there, and not removed
};
OwnEntries own_entries(const IndexFile& agents, const IndexFile& shared, bool agent_is_sparse) {
  OwnEntries own;
  auto other = shared.entries().begin();
  for (const IndexEntry& entry : agents.entries()) {
    const std::string_view path = agents.path(entry);
    if (entry.skip_worktree && agent_is_sparse) own.sparse.emplace(path);
    while (other != shared.entries().end() && shared.path(*other) < path) ++other;
    const bool known = other != shared.entries().end() && shared.path(*other) == path &&
                       same_entry(agents, entry, shared, *other);
    if (!known) own.entries.push_back(&entry);
    if (entry.stage == 0) continue;
    if (own.unmerged.empty() || own.unmerged.back() != path) own.unmerged.emplace_back(path);
  }
  return own;
}

// Bytes and mode of a file of the shared checkout, at another place.
Status copy_file(const std::string& from, const std::string& to) {
  struct stat info{};
  if (::lstat(from.c_str(), &info) != 0) return fail_errno(errno, "stat '" + from + "'");
  TRY(make_dirs(parent_dir(to)));
  if (S_ISLNK(info.st_mode)) {
    const std::string text = TRY(read_link(from));
    if (::symlink(text.c_str(), to.c_str()) != 0) return fail_errno(errno, "link '" + to + "'");
    return {};
  }
  const std::string bytes = TRY(read_file(from));
  return write_file(to, bytes, Sync::kNo, info.st_mode & 0777);
}

}  // namespace

Status make_upper_index(TakeView& view, const IndexFile* agents, Taken* taken) {
  view.upper = TRY(scan_upper(view.worktree, view.repository->objects(), view.base));
  std::map<std::string, std::string> lines;
  for (const auto* some : {&view.upper->touched, &view.upper->attributes}) {
    for (const auto& [path, entry] : *some) lines[path] = index_line(entry, path);
  }
  std::vector<std::string> unmerged;
  if (agents != nullptr) {
    const TreeRoot root = TRY(TreeRoot::open(view.worktree.tree));
    const IndexFile shared = TRY(IndexFile::read(view.shared + "/.git/index"));
    OwnEntries own = own_entries(*agents, shared, view.sparse);
    for (const IndexEntry* entry : own.entries) {
      const std::string path(agents->path(*entry));
      view.named.insert(path);
      const auto info = TRY(root.stat(path));
      if (!info || S_ISCHR(info->st_mode)) continue;
      lines[path] = index_line({static_cast<FileMode>(entry->mode), agents->oid(*entry)}, path);
    }
    for (const std::string& path : own.sparse) view.upper->gone.erase(path);
    unmerged = std::move(own.unmerged);
  }
  TRY(remove_file(view.index));
  std::string input;
  for (const auto& [path, line] : lines) input += line;
  TRY(view.repository->git().feed({"update-index", "-z", "--index-info"}, view.git, input));
  note_unmerged(unmerged, taken);
  return {};
}

Status add_moved(TakeView& view, IgnoreRules& rules, std::vector<std::string>* untracked) {
  if (view.upper->moved.empty()) return {};
  std::vector<std::string> unnamed;
  std::set<std::string> leave;
  for (const auto& [path, source] : view.upper->moved) {
    if (!view.named.contains(path) && !view.upper->touched.contains(path)) unnamed.push_back(path);
  }
  const std::vector<bool> ignored = TRY(rules.ignored(unnamed));
  for (std::size_t i = 0; i < unnamed.size(); ++i) {
    if (ignored[i]) {
      leave.insert(unnamed[i]);
    } else {
      untracked->push_back(unnamed[i]);
    }
  }
  std::sort(untracked->begin(), untracked->end());
  const std::string place = view.dir + "/moved";
  TRY(make_dirs(place));
  GitOptions options = view.git;
  options.dir = place;
  options.extra["GIT_WORK_TREE"] = place;
  std::string input;
  for (const auto& [path, source] : view.upper->moved) {
    if (leave.contains(path)) continue;
    TRY(copy_file(join_path(view.shared, source), join_path(place, path)));
    input += path + '\0';
  }
  return view.repository->git().feed({"update-index", "--add", "-z", "--stdin"}, options, input);
}

Result<Oid> upper_tree(TakeView& view) {
  const Objects& objects = view.repository->objects();
  const Oid base_tree = TRY(objects.tree_of(view.base));
  std::map<std::string, PathChange> changes;
  const auto removed = [&](const std::map<std::string, TreeEntry>& paths) {
    for (const auto& [path, entry] : paths) changes[path] = {path, entry, TreeEntry{}};
  };
  removed(view.upper->gone);
  removed(view.upper->touched);  // unless the index still has it
  const std::string text = TRY(view.repository->git().must({"ls-files", "-s", "-z"}, view.git));
  for (const std::string& line : split_nul(text)) {  // "<mode> <oid> <stage>\t<path>"
    const std::size_t tab = line.find('\t');
    if (tab != 49) return fail(Code::kFault, "git ls-files said '" + line + "'");
    const std::string path = line.substr(tab + 1);
    const TreeEntry after{TRY(mode_from_text(line.substr(0, 6))), Oid(line.substr(7, 40))};
    auto [at, fresh] = changes.try_emplace(path, PathChange{path, TreeEntry{}, after});
    at->second.after = after;
    if (!fresh) continue;
    TreeEntry before = TRY(objects.entry_at(base_tree, path));
    if (before.mode != FileMode::kTree) at->second.before = std::move(before);
  }
  Changes list;
  for (auto& [path, change] : changes) {
    if (change.before != change.after) list.push_back(std::move(change));
  }
  return objects.apply(base_tree, list);
}

}  // namespace gittxn::repo::internal
