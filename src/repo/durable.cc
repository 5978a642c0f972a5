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
// Nothing is written; dying between any two syncs leaves only fewer of them done.
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "base/fs.h"
#include "base/if_there.h"
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
  explicit DurableWalk(const ObjectStore& store)
      : store_(store), found_(store, [this](const git_oid& oid, FileMode) { return enter(oid); }) {}

  Status add_commit(const git_oid& oid) {
    const CommitInfo info = TRY(store_.commit(oid));
    std::vector<git_oid> bases;
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
  NewObjects found_;
};

bool is_loose(const std::string& path) {
  struct stat st{};
  return ::lstat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
}

Status add_packs(const ObjectStore& store, const std::string& objects_dir, DurableSet* set) {
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

constexpr std::size_t kMostThreads = 16;

// Signals are for the thread that called us: one that a worker took would interrupt nothing.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

// False when no more threads are to be had: those that run, and the caller, do it all.
template <typename Work>
bool start(std::vector<std::jthread>& workers, const Work& work) {
  try {
    workers.emplace_back(work);
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace

// One fsync after another is the slowest part of a landing: each waits for a flush of the device of
// its own, also when the journal has long been committed by the one before. Asked for at the same
// time they share journal commits and flushes: 17 of them took 73 ms one by one, 8 ms together and
// 10 ms as one syncfs (median of 40 on a busy 2-core machine, ext4), and unlike syncfs they do not
// wait for what other programs write. Kernel AIO is as fast, but costs 35 ms when the process ends;
// io_uring is forbidden in many containers; so it is threads, which live no longer than the call.
Status sync_all(const std::vector<std::string>& paths) {
  std::vector<Status> results(paths.size());
  std::atomic<std::size_t> next{0};
  auto work = [&] {
    for (std::size_t i = next++; i < paths.size(); i = next++) results[i] = fsync_path(paths[i]);
  };
  {
    std::vector<std::jthread> workers;
    {
      const BlockedSignals blocked;
      const std::size_t wanted = std::min(paths.size(), kMostThreads);
      while (workers.size() + 1 < wanted && start(workers, work)) continue;
    }
    work();
  }
  for (Status& result : results) {
    if (!result) return std::move(result);
  }
  return {};
}

Result<DurableSet> durable_set(const ObjectStore& store, const Oid& tip,
                               const std::vector<Oid>& durable) {
  DurableWalk walk(store);
  const std::vector<git_oid> commits =
      TRY(new_commits(store, {TRY(parse_oid(tip))}, TRY(parse_oids(durable))));
  for (const git_oid& commit : commits) TRY(walk.add_commit(commit));
  const std::vector<std::string> object_dirs = TRY(store.object_dirs());
  DurableSet set;
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

Status make_durable(const ObjectStore& store, const Oid& tip, const std::vector<Oid>& durable) {
  if (durable.empty()) {
    const std::vector<std::string> dirs = TRY(store.object_dirs());
    for (const std::string& dir : dirs) TRY(syncfs_path(dir));
    return {};
  }
  for (int attempt = 1;; ++attempt) {
    store.refresh();
    const DurableSet set = TRY(durable_set(store, tip, durable));
    std::vector<std::string> paths = set.files;
    paths.insert(paths.end(), set.directories.begin(), set.directories.end());
    Status synced = sync_all(paths);
    if (!synced && synced.error().code == Code::kNotFound && attempt < kTries) continue;
    if (!synced) return std::unexpected(std::move(synced).error().in("making objects durable"));
    for (const std::string& file : set.files) {
      if (base_name(file).starts_with("pack-")) store.synced_packs().insert(file);
    }
    return {};
  }
}

}  // namespace gittxn::repo::internal
