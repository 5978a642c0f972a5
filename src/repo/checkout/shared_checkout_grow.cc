#include "repo/checkout/shared_checkout_grow.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <set>
#include <vector>

#include "base/bug.h"
#include "base/fs.h"
#include "repo/worktree/worktree_gitdir.h"
#include "repo/worktree/worktree_index.h"

namespace gittxn::repo::internal {
namespace {

struct OlderCheckout {
  Oid commit;
  std::string tree;
};

// The one of the same configuration that was used last.
Result<std::optional<OlderCheckout>> older_beside(const std::string& path) {
  const std::string root = parent_dir(path);
  const std::string name = base_name(path);
  const std::size_t dash = name.rfind('-');
  const std::string configuration = name.substr(dash);
  std::optional<OlderCheckout> best;
  timespec used{};
  for (const DirEntry& entry : TRY(list_dir(root))) {
    if (entry.type != DT_DIR || entry.name.size() != name.size()) continue;
    if (entry.name == name || entry.name.substr(dash) != configuration) continue;
    struct stat info{};
    const std::string checkout = join_path(root, entry.name);
    if (::lstat((checkout + "/git-txn.checkout").c_str(), &info) != 0) continue;
    const bool later = info.st_mtim.tv_sec != used.tv_sec ? info.st_mtim.tv_sec > used.tv_sec
                                                          : info.st_mtim.tv_nsec > used.tv_nsec;
    if (best && !later) continue;
    best = OlderCheckout{Oid(entry.name.substr(0, dash)), checkout + "/tree"};
    used = info.st_mtim;
  }
  return best;
}

// Paths that differ; nullopt: so may what is written of the others.
Result<std::optional<std::set<std::string>>> changed_paths(Repository& repository,
                                                           const Oid& before, const Oid& after) {
  std::set<std::string> changed;
  for (const PathChange& change : TRY(repository.objects().diff(before, after))) {
    if (base_name(change.path) == ".gitattributes" && !INJECTED_BUG("shared.grown_by_old_rules")) {
      return std::optional<std::set<std::string>>{};
    }
    changed.insert(change.path);
  }
  return std::optional(std::move(changed));
}

class Linker {
 public:
  Linker(UniqueFd from, UniqueFd to) : from_(std::move(from)), to_(std::move(to)) {}

  // False: it is not what the index says, or can have no further name.
  Result<bool> link(const IndexFile& index, const IndexEntry& entry) {
    const std::string name(index.path(entry));
    TRY(make_folders(parent_dir(name)));
    if (static_cast<FileMode>(entry.mode) == FileMode::kSubmodule) {
      TRY(make_folders(name));
      return true;
    }
    struct stat info{};
    if (::fstatat(from_.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return false;
    if (!index.stat_matches(entry, info, IndexFile::Ctime::kIgnored)) return false;
    return ::linkat(from_.get(), name.c_str(), to_.get(), name.c_str(), 0) == 0;
  }

 private:
  Status make_folders(const std::string& folder) {
    if (folder == "." || !made_.insert(folder).second) return {};
    TRY(make_folders(parent_dir(folder)));
    if (::mkdirat(to_.get(), folder.c_str(), 0777) == 0 || errno == EEXIST) return {};
    return fail_errno(errno, "make '" + folder + "'");
  }

  UniqueFd from_, to_;
  std::set<std::string> made_;
};

Result<bool> link_unchanged(const OlderCheckout& older, const GrowRequest& request,
                            const std::set<std::string>& changed) {
  auto bytes = read_file(older.tree + "/.git/index");
  if (!bytes) return false;
  const auto index = IndexFile::parse(*std::move(bytes));
  if (!index) return false;
  Linker linker(TRY(open_fd(older.tree, O_RDONLY | O_DIRECTORY)),
                TRY(open_fd(request.tree, O_RDONLY | O_DIRECTORY)));
  for (const IndexEntry& entry : index->entries()) {
    if (changed.contains(std::string(index->path(entry)))) continue;
    if (entry.stage != 0 || entry.skip_worktree || !TRY(linker.link(*index, entry))) return false;
  }
  return true;
}

Result<bool> grow_from(Repository& repository, const OlderCheckout& older,
                       const GrowRequest& request) {
  const auto changed = changed_paths(repository, older.commit, request.commit);
  // Its commit may have been collected: nobody needs it any more.
  if (!changed && changed.error().code == Code::kNotFound) return false;
  if (!changed) return std::unexpected(changed.error());
  if (!*changed || !TRY(link_unchanged(older, request, **changed))) return false;
  TRY(copy_index(older.tree + "/.git/index", request.tree + "/.git/index"));
  const GitOptions git = checkout_options(request.git_dir, request.tree);
  TRY(repository.git().must({"-c", "submodule.recurse=false", "-c", "core.trustctime=false",
                             "read-tree", "-m", "-u", request.commit.str()},
                            git));
  TRY(settle_index(repository, request.tree, git, &**changed));
  return true;
}

}  // namespace

Result<bool> grow_checkout(Repository& repository, const GrowRequest& request) {
  const auto older = TRY(older_beside(request.path));
  if (!older) return false;
  const auto grown = grow_from(repository, *older, request);
  if (grown && *grown) return true;
  // A failure to grow is no reason against a whole checkout; one that stops both is met there.
  TRY(remove_tree(request.tree));
  TRY(make_dirs(request.tree, 0777));
  TRY(make_dirs(request.tree + "/.git", 0755));
  return false;
}

}  // namespace gittxn::repo::internal
