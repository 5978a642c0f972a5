// Taking what a transaction did. The agent's own git directory is only ever read, as data: its
// index for which paths it names, its refs for which commits it made. Everything that decides
// (configuration, attributes of the repository, ignore rules, object store) comes from the
// repository, through a git directory made for this one call. So an agent whose .git is locked,
// half a merge, sparse, split, damaged or gone loses nothing: then the index of the beginning, or
// the base itself, stands in.
//
// Rejected: `git add -A` in the worktree (the agent's .gitignore, flags and configuration would
// decide, and a lock it left behind would stop it), and hashing everything anew (13 times slower at
// 10k files).
//
// On disk if we die: <path>/take, which the next take() removes, and objects nobody names.
#include "repo/worktree/worktree_take.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "base/failpoint.h"
#include "base/fs.h"
#include "repo/worktree/worktree_gitdir.h"
#include "repo/worktree/worktree_ignore.h"
#include "repo/worktree/worktree_index.h"

namespace gittxn::repo {

using internal::TakeView;

namespace {

FAILPOINT(fp_before_import, "take.before_import");
FAILPOINT(fp_after_import, "take.after_import");

// A copy of the agent's index; of the one the worktree began with when that cannot be read; or the
// base.
Status copy_agents_index(TakeView& view, Taken* taken) {
  const std::string& private_dir = view.worktree.git_dir;
  if (const auto files = list_dir(private_dir)) {
    for (const DirEntry& entry : *files) {  // the other half of a split index
      if (!entry.name.starts_with("sharedindex.") || entry.type != DT_REG) continue;
      TRY(copy_index(private_dir + "/" + entry.name, view.dir + "/" + entry.name));
    }
  }
  auto usable = [&](const std::string& from) -> bool {
    if (!copy_index(from, view.index)) return false;
    const IndexSource source{view.repository->git(), view.git, view.index};
    auto index = load_index(source, view.dir + "/index.whole");
    if (!index) return false;
    // Ours to keep only when it did not have to be written anew.
    const Status whole = rename_over(view.dir + "/index.whole", view.index);
    return whole || whole.error().code == Code::kNotFound;
  };
  if (usable(private_dir + "/index")) return {};
  taken->notes.emplace_back(
      "the index in the worktree's .git was gone or damaged; it was not needed");
  const std::string first =
      view.shared.empty() ? view.worktree.path + "/index" : view.shared + "/.git/index";
  if (usable(first)) return {};
  TRY(remove_file(view.index));
  TRY(view.repository->git().must({"read-tree", view.base.str()}, view.git));
  return {};
}

// Flags that make git look away. In a sparse worktree a file that is not there because it is
// outside the patterns keeps its flag: its absence is no removal.
Status clear_flags(TakeView& view, const TreeRoot& root) {
  IndexFile index = TRY(load_index({view.repository->git(), view.git, view.index}, view.index));
  bool changed = false;
  for (const IndexEntry& entry : index.entries()) {
    if (!entry.assume_unchanged && !entry.skip_worktree) continue;
    if (entry.skip_worktree && view.sparse) {
      const auto there = TRY(root.stat(index.path(entry)));
      if (!there) continue;
    }
    index.clear_flags(entry);
    changed = true;
  }
  return changed ? write_index(view.index, index, IndexTime::kKeep) : Status{};
}

// Of an overlay: its upper directory is a worktree of what was touched, and needs no mount.
Worktree as_on_disk(const Worktree& worktree) {
  Worktree disk = worktree;
  disk.tree = worktree.files;
  disk.git_dir = worktree.files + "/.git";
  return disk;
}

// What the agent's git put in place of the shared checkout's index, if it did.
Status read_upper(TakeView& view, Taken* taken) {
  struct stat info{};
  const std::string own = view.worktree.git_dir + "/index";
  if (::lstat(own.c_str(), &info) != 0) return internal::make_upper_index(view, nullptr, taken);
  TRY(copy_agents_index(view, taken));
  const IndexSource source{view.repository->git(), view.git, view.index};
  const IndexFile agents = TRY(load_index(source, view.dir + "/index.whole"));
  return internal::make_upper_index(view, &agents, taken);
}

Result<TakeView> open_view(Repository& repository, const Worktree& given, const Oid& base,
                           const RefName& target, const std::string& folder, Taken* taken) {
  const Worktree worktree = as_on_disk(given);
  const auto root = TreeRoot::open(worktree.tree);
  struct stat info{};
  if (!root || ::lstat(worktree.tree.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return fail(Code::kNotFound, "the worktree '" + worktree.tree + "' is gone",
                "what was kept of it before is under refs/txn; start again with: git txn resume");
  }
  TakeView view;
  view.repository = &repository;
  view.worktree = worktree;
  view.base = base;
  view.target = target;
  view.dir = folder;
  view.index = view.dir + "/index";
  TRY(remove_tree(view.dir));
  const auto inherited = TRY(internal::inherited_config(repository));
  view.partial_clone = inherited.partial_clone;
  const std::string own = repository.place().common_dir + "/objects";
  std::vector<std::string> directories = TRY(internal::object_directories(repository));
  std::vector<std::string> agents;
  if (const auto found = internal::object_directories(worktree.git_dir + "/objects")) {
    for (const std::string& directory : *found) {
      const bool known =
          std::find(directories.begin(), directories.end(), directory) != directories.end();
      if (!known && directory.find('\n') == directory.npos) agents.push_back(directory);
    }
  }
  directories.insert(directories.end(), agents.begin(), agents.end());
  std::vector<ConfigEntry> config = internal::brief_config(inherited);
  config.push_back({"index.sparse", "false"});
  const RefName nowhere("refs/heads/taking");
  TRY(internal::make_git_directory(repository, view.dir, nowhere, directories, config));
  const auto agents_patterns = exists(worktree.git_dir + "/info/sparse-checkout");
  view.sparse = inherited.sparse || (agents_patterns && *agents_patterns);
  view.git = {.dir = worktree.tree,
              .extra = {{"GIT_DIR", view.dir},
                        {"GIT_WORK_TREE", worktree.tree},
                        {"GIT_INDEX_FILE", view.index},
                        {"GIT_LITERAL_PATHSPECS", "1"},
                        {"GIT_OBJECT_DIRECTORY", own}}};
  if (!agents.empty()) {
    view.git.extra["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = internal::alternates_text(agents);
  }
  if (given.kind == WorktreeKind::kOverlay) {
    view.shared = given.shared;
    TRY(read_upper(view, taken));
    return view;
  }
  TRY(copy_agents_index(view, taken));
  TRY(clear_flags(view, *root));
  return view;
}

Result<Taken> take_in(TakeView& view, Taken taken) {
  Repository& repository = *view.repository;
  const TreeRoot root = TRY(TreeRoot::open(view.worktree.tree));
  const bool untouched = view.upper && view.upper->untouched;
  if (!untouched) TRY(internal::update_index(view, root, &taken));
  if (untouched) {  // its index is empty, and git has nothing to look at
    taken.tree = TRY(repository.objects().tree_of(view.base));
  } else if (view.upper) {
    taken.tree = TRY(internal::upper_tree(view));
  } else {
    std::vector<std::string> write = {"write-tree"};
    if (view.partial_clone) write.emplace_back("--missing-ok");
    taken.tree = Oid(TRY(repository.git().line(write, view.git)));
  }

  const Objects objects = TRY(Objects::open(view.dir, repository.git()));
  taken.base = view.base;
  TRY(internal::read_commits(view, objects, &taken));
  const Oid base_tree = TRY(objects.tree_of(taken.base));
  taken.changes = TRY(objects.diff(base_tree, taken.tree));
  TRY(internal::check_changes(view, objects, taken));
  TRY(fp_before_import.hit());
  // The base is part of the target's history, so all of it is in the repository.
  TRY_IN("importing objects",
         repository.objects().import(objects, taken.tree, taken.tips, taken.base));
  TRY(fp_after_import.hit());
  return taken;
}

}  // namespace

Result<Taken> take(Repository& repository, const Worktree& worktree, const Oid& base,
                   const RefName& target) {
  return take_a_look(repository, worktree, base, target, worktree.path + "/take");
}

Result<Taken> take_a_look(Repository& repository, const Worktree& worktree, const Oid& base,
                          const RefName& target, const std::string& folder) {
  Taken empty;
  auto view = open_view(repository, worktree, base, target, folder, &empty);
  if (!view) return std::unexpected(std::move(view).error().in("taking " + worktree.path));
  auto taken = take_in(*view, std::move(empty));
  const Status removed = remove_tree(view->dir);
  if (!taken) return std::unexpected(std::move(taken).error().in("taking " + worktree.path));
  if (!removed) return std::unexpected(removed.error());
  return taken;
}

}  // namespace gittxn::repo
