// Step 1 of a landing: whatever the new head reaches and the last durable head did not is on disk
// before the log or the branch may name it. Agents' and people's git writes are not synced by git,
// and an object that exists is written by nobody again, so it is not enough to sync what we wrote.
//
// The set: commits between the two, and of each tree what no parent's tree has at that path. An
// object that is a loose file is synced by name; libgit2 does not say which pack holds an object,
// so one that is packed means all packs that this process has not synced yet. The directories
// that name them belong to the set: fan-out, pack, and objects itself, because a fan-out directory
// may be as new as its file. The order does not matter: nothing refers to any of it yet.
//
// Objects that a durable commit has at the same path are no part of the set either, parent or not:
// of a landing whose work was kept, that leaves the commit and the trees that merging made.
//
// Nothing is written; dying between any two syncs leaves only fewer of them done.
#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/if_there.h"
#include "base/sync.h"
#include "repo/objects/object_store.h"

namespace gittxn::repo::internal {
namespace {

// git gc may pack and remove loose files while we look: then look again.
constexpr int kTries = 3;

std::unexpected<Error> missing(const git_oid& oid) {
  return fail(Code::kCorrupt, "the object " + to_oid(oid).str() + " is missing from the repository",
              "see what else is missing with: git fsck --connectivity-only");
}

class DurableWalk {
 public:
  // `durable`: trees that are on disk with all that they name.
  DurableWalk(const ObjectStore& store, std::vector<git_oid> durable)
      : store_(store),
        durable_(std::move(durable)),
        found_(store, [this](const git_oid& oid, FileMode) { return enter(oid); }) {}

  Status add_commit(const git_oid& oid) {
    const CommitInfo info = TRY(store_.commit(oid));
    std::vector<git_oid> bases = durable_;
    for (const Oid& parent : info.parents) {
      auto parent_info = store_.commit(checked_oid(parent));
      if (parent_info) {
        bases.push_back(checked_oid(parent_info->tree));
      } else if (!store_.is_shallow()) {
        return std::unexpected(std::move(parent_info).error());
      }
    }
    TRY(found_.add_tree(checked_oid(info.tree), bases));
    return found_.add_object(oid, FileMode::kNone);
  }

  const std::vector<git_oid>& found() const { return found_.found(); }

 private:
  // A promised object of a partial clone is the remote's to keep.
  Result<NewObjects::Enter> enter(const git_oid& oid) {
    if (same(oid, empty_tree_oid()) || store_.has(oid)) return NewObjects::Enter::kTake;
    store_.refresh();
    if (store_.has(oid)) return NewObjects::Enter::kTake;
    if (store_.is_partial_clone()) return NewObjects::Enter::kSkip;
    return missing(oid);
  }

  const ObjectStore& store_;
  const std::vector<git_oid> durable_;
  NewObjects found_;
};

Result<std::vector<git_oid>> trees_of(const ObjectStore& store, const std::vector<Oid>& commits) {
  std::vector<git_oid> trees;
  for (const Oid& commit : commits) {
    trees.push_back(checked_oid(TRY(store.commit(TRY(parse_oid(commit)))).tree));
  }
  return trees;
}

bool is_loose(const std::string& path) {
  struct stat st{};
  return ::lstat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
}

Status add_packs(const ObjectStore& store, const std::string& objects_dir, Unsynced* set) {
  const std::string dir = objects_dir + "/pack";
  bool any = false;
  for (const DirEntry& entry : TRY(or_empty(list_dir(dir)))) {
    const std::string path = dir + "/" + entry.name;
    const bool pack = entry.name.starts_with("pack-") || entry.name.starts_with("multi-pack-index");
    if (!pack || store.synced_packs().contains(path)) continue;
    set->files.push_back(path);
    any = true;
  }
  if (any) set->directories.push_back(dir);
  return {};
}

}  // namespace

Result<Unsynced> unsynced(const ObjectStore& store, const Oid& tip,
                          const std::vector<Oid>& durable) {
  store.refresh();
  const std::vector<git_oid> commits =
      TRY(new_commits(store, {TRY(parse_oid(tip))}, TRY(parse_oids(durable))));
  DurableWalk walk(store, TRY(trees_of(store, durable)));
  for (const git_oid& commit : commits) TRY(walk.add_commit(commit));
  const std::vector<std::string> object_dirs = TRY(store.object_dirs());
  Unsynced set{tip, durable, {}, {}};
  std::set<std::string> fan_out;
  std::set<std::string> named_by;
  bool packed = false;
  for (const git_oid& oid : walk.found()) {
    const auto dir = std::ranges::find_if(
        object_dirs, [&](const std::string& each) { return is_loose(loose_path(each, oid)); });
    if (dir == object_dirs.end()) {
      packed = packed || !same(oid, empty_tree_oid());
      continue;
    }
    set.files.push_back(loose_path(*dir, oid));
    fan_out.insert(parent_dir(set.files.back()));
    named_by.insert(*dir);
  }
  set.directories.assign(fan_out.begin(), fan_out.end());
  if (packed) {
    for (const std::string& dir : object_dirs) TRY(add_packs(store, dir, &set));
  }
  set.directories.insert(set.directories.end(), named_by.begin(), named_by.end());
  return set;
}

Status sync(const ObjectStore& store, const Unsynced& unsynced,
            const std::vector<std::string>& also) {
  Unsynced set = unsynced;
  for (int attempt = 1;; ++attempt) {
    std::vector<std::string> paths = set.files;
    paths.insert(paths.end(), set.directories.begin(), set.directories.end());
    paths.insert(paths.end(), also.begin(), also.end());
    Status synced = fsync_all(paths);
    if (!synced && synced.error().code == Code::kNotFound && attempt < kTries) {
      set = TRY(internal::unsynced(store, set.tip, set.durable));
      continue;
    }
    if (!synced) return std::unexpected(std::move(synced).error().in("making objects durable"));
    for (const std::string& file : set.files) {
      if (base_name(file).starts_with("pack-")) store.synced_packs().insert(file);
    }
    return {};
  }
}

Status make_durable(const ObjectStore& store, const Oid& tip, const std::vector<Oid>& durable) {
  if (durable.empty()) {
    const std::vector<std::string> dirs = TRY(store.object_dirs());
    for (const std::string& dir : dirs) TRY(syncfs_path(dir));
    return {};
  }
  return sync(store, TRY(unsynced(store, tip, durable)), {});
}

}  // namespace gittxn::repo::internal
