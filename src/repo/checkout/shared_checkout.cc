// See shared_checkout.h. If we die: <root>/making, or a checkout named "gone-*" that the next
// collection removes; the rename that makes one is of a synced directory.
#include "repo/checkout/shared_checkout.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <set>

#include "base/bug.h"
#include "base/failpoint.h"
#include "base/if_there.h"
#include "repo/worktree/worktree_index.h"

namespace gittxn::repo {
namespace {

FAILPOINT(fp_making, "shared.making");
FAILPOINT(fp_made, "shared.made");
FAILPOINT(fp_set_aside, "shared.set_aside");

constexpr std::string_view kMark = "/git-txn.checkout";
constexpr std::string_view kGone = "gone-";

struct Making {
  std::string path;  // what it will be called: its like are beside it
  Oid commit;
  std::string tree;     // an empty directory, but for an empty .git
  std::string git_dir;  // configured
};

Status make_empty_tree(const std::string& tree) {
  TRY(make_dirs(tree, 0777));
  return make_dirs(tree + "/.git", 0755);
}

// --- growing one from one of another commit ---

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

Result<bool> link_unchanged(const SharedCheckout& older, const Making& making,
                            const std::set<std::string>& changed) {
  const auto index = IndexFile::read(older.tree() + "/.git/index");
  if (!index) return false;
  Linker linker(TRY(open_fd(older.tree(), O_RDONLY | O_DIRECTORY)),
                TRY(open_fd(making.tree, O_RDONLY | O_DIRECTORY)));
  for (const IndexEntry& entry : index->entries()) {
    if (changed.contains(std::string(index->path(entry)))) continue;
    if (entry.stage != 0 || entry.skip_worktree || !TRY(linker.link(*index, entry))) return false;
  }
  return true;
}

Result<bool> grow_from(Repository& repository, const SharedCheckout& older, const Making& making) {
  const auto changed = changed_paths(repository, older.commit, making.commit);
  // Its commit may have been collected: nobody needs it any more.
  if (!changed && changed.error().code == Code::kNotFound) return false;
  if (!changed) return std::unexpected(changed.error());
  if (!*changed || !TRY(link_unchanged(older, making, **changed))) return false;
  TRY(copy_index(older.tree() + "/.git/index", making.tree + "/.git/index"));
  const GitOptions git = internal::checkout_options(making.git_dir, making.tree);
  TRY(repository.git().must({"-c", "submodule.recurse=false", "-c", "core.trustctime=false",
                             "read-tree", "-m", "-u", making.commit.str()},
                            git));
  TRY(internal::settle_index(repository, making.tree, git, &**changed));
  return true;
}

// False, with the tree as it was: there is none to grow from, or it cannot be trusted to be what
// git would write: a .gitattributes differs, a file was changed by hand.
Result<bool> grow_checkout(Repository& repository, const Making& making) {
  const auto older = TRY(latest_shared_checkout(making.path));
  if (!older) return false;
  const auto grown = grow_from(repository, *older, making);
  if (grown && *grown) return true;
  // A failure to grow is no reason against a whole checkout; one that stops both is met there.
  TRY(remove_tree(making.tree));
  TRY(make_empty_tree(making.tree));
  return false;
}

// --- making one ---

Status fill(Repository& repository, const internal::Inherited& inherited, const Making& making) {
  TRY(make_empty_tree(making.tree));
  TRY(internal::make_git_directory(repository, making.git_dir, RefName("refs/heads/shared"),
                                   TRY(internal::object_directories(repository)),
                                   internal::brief_config(inherited)));
  if (!TRY(grow_checkout(repository, making))) {
    TRY(internal::check_out(repository, making.git_dir, making.tree, making.commit));
  }
  TRY(remove_tree(making.git_dir));
  return write_file(parent_dir(making.tree) + std::string(kMark), making.commit.str() + "\n",
                    Sync::kNo);
}

// Best effort: a time that could not be set makes the checkout look older than it is.
void touch(const std::string& path) {
  static_cast<void>(::utimensat(AT_FDCWD, (path + std::string(kMark)).c_str(), nullptr, 0));
}

// The first files that are not as they were written.
Result<std::vector<std::string>> changed_files(const std::string& checkout) {
  constexpr std::size_t kNamed = 3;
  const std::string tree = checkout + "/tree";
  const IndexFile index = TRY(IndexFile::read(tree + "/.git/index"));
  const UniqueFd root = TRY(open_fd(tree, O_RDONLY | O_DIRECTORY));
  std::vector<std::string> changed;
  for (const IndexEntry& entry : index.entries()) {
    if (static_cast<FileMode>(entry.mode) == FileMode::kSubmodule) continue;
    const std::string name(index.path(entry));
    struct stat info{};
    const bool there = ::fstatat(root.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
    if (there && index.stat_matches(entry, info, IndexFile::Ctime::kIgnored)) continue;
    changed.push_back(join_path(tree, name));
    if (changed.size() == kNamed) break;
  }
  return changed;
}

std::uint64_t bytes_of(const std::string& checkout) {
  const auto index = read_file(checkout + "/tree/.git/index");
  const auto parsed = index ? IndexFile::parse(*index) : Result<IndexFile>(IndexFile());
  if (!parsed) return 0;
  std::uint64_t bytes = index->size();
  for (const IndexEntry& entry : parsed->entries()) {
    struct stat info{};
    const std::string path = join_path(checkout + "/tree", parsed->path(entry));
    // Files that another checkout shares stay where they are.
    if (::lstat(path.c_str(), &info) == 0 && info.st_nlink == 1)
      bytes += static_cast<std::uint64_t>(info.st_blocks) * 512;
  }
  return bytes;
}

// By a worktree, now.
Result<bool> is_named(const std::string& path, const SharedPruneOptions& options) {
  const auto used = TRY(options.in_use());
  return std::ranges::find(used, path) != used.end();
}

// One that nobody uses: set aside first, then looked at again, because a worktree names its
// checkout before it looks whether it is there.
Result<bool> collect(const std::string& root, const std::string& name,
                     const SharedPruneOptions& options) {
  const std::string path = join_path(root, name);
  const std::string aside = join_path(root, std::string(kGone) + name);
  TRY(rename_over(path, aside));
  TRY(fp_set_aside.hit());
  if (!TRY(is_named(path, options))) {
    TRY(remove_tree(aside));
    return true;
  }
  TRY(rename_over(aside, path));
  return false;
}

Result<bool> is_unused(const std::string& path, const SharedPruneOptions& options) {
  struct stat info{};
  if (::lstat((path + std::string(kMark)).c_str(), &info) != 0) return false;
  const std::int64_t used_ms = std::int64_t{info.st_mtim.tv_sec} * 1000;
  if (options.now_ms - used_ms < options.unused_ms) return false;
  return !TRY(is_named(path, options));
}

// What a collection that was killed had set aside. It may be named by a worktree that was made
// since.
Status finish_killed(const std::string& root, const std::string& name,
                     const SharedPruneOptions& options) {
  const std::string aside = join_path(root, name);
  const std::string path = join_path(root, name.substr(kGone.size()));
  if (TRY(is_named(path, options)) && !TRY(exists(path))) return rename_over(aside, path);
  return remove_tree(aside);
}

}  // namespace

std::string shared_checkouts_below(const std::string& worktree_root) {
  return join_path(worktree_root, "shared");
}

std::string shared_checkout_path(const Digest& configuration, const Oid& commit,
                                 const std::string& root) {
  return fmt::format("{}/{}-{}", root, commit.str(), configuration.str().substr(0, 12));
}

Result<std::optional<SharedCheckout>> latest_shared_checkout(const std::string& path) {
  const std::string root = parent_dir(path);
  const std::string name = base_name(path);
  const std::size_t dash = name.rfind('-');
  const std::string configuration = name.substr(dash);
  std::optional<SharedCheckout> best;
  timespec used{};
  for (const DirEntry& entry : TRY(or_empty(list_dir(root)))) {
    if (entry.type != DT_DIR || entry.name.size() != name.size()) continue;
    if (entry.name == name || entry.name.substr(dash) != configuration) continue;
    struct stat info{};
    const std::string checkout = join_path(root, entry.name);
    if (::lstat((checkout + std::string(kMark)).c_str(), &info) != 0) continue;
    const bool later = info.st_mtim.tv_sec != used.tv_sec ? info.st_mtim.tv_sec > used.tv_sec
                                                          : info.st_mtim.tv_nsec > used.tv_nsec;
    if (best && !later) continue;
    best = SharedCheckout{checkout, Oid(entry.name.substr(0, dash))};
    used = info.st_mtim;
  }
  return best;
}

void mark_used(const SharedCheckout& checkout) {
  touch(checkout.path);
}

Status make_shared_checkout(Repository& repository, const internal::Inherited& inherited,
                            const Oid& commit, const std::string& path) {
  if (TRY(exists(path))) {
    touch(path);
    return {};
  }
  const std::string root = parent_dir(path);
  TRY(make_dirs(root));
  // Whoever holds it makes one, perhaps this one: worth waiting for.
  const FileLock lock = TRY(FileLock::acquire(root + "/lock", -1));
  if (TRY(exists(path))) return {};
  const std::string making = root + "/making";
  TRY(remove_tree(making));
  TRY(make_dirs(making));
  Status made = fill(repository, inherited, {path, commit, making + "/tree", making + "/git"});
  if (made) made = fp_making.hit();
  if (!made) {
    // The error to report is the first; what cannot be removed now is removed by the next maker.
    static_cast<void>(remove_tree(making));
    return std::unexpected(std::move(made).error().in("the shared checkout of " + commit.str()));
  }
  TRY_IN("making the shared checkout durable", syncfs_path(making));
  TRY(rename_over(making, path));
  TRY(fp_made.hit());
  return fsync_parent(path);
}

Result<SharedPruneReport> prune_shared_checkouts(const std::string& root,
                                                 const SharedPruneOptions& options) {
  SharedPruneReport report;
  if (!TRY(exists(root))) return report;
  const FileLock lock = TRY(FileLock::acquire(root + "/lock", 0));
  for (const DirEntry& entry : TRY(list_dir(root))) {
    const std::string path = join_path(root, entry.name);
    if (entry.type != DT_DIR) continue;
    if (entry.name == "making") {
      TRY(remove_tree(path));
    } else if (entry.name.starts_with(kGone)) {
      TRY(finish_killed(root, entry.name, options));
    } else if (TRY(is_unused(path, options))) {
      const std::uint64_t bytes = bytes_of(path);
      if (!TRY(collect(root, entry.name, options))) continue;
      report.bytes_freed += bytes;
      report.removed.push_back(path);
    } else {
      for (std::string& changed : TRY(changed_files(path))) {
        report.changed.push_back(std::move(changed));
      }
    }
  }
  return report;
}

}  // namespace gittxn::repo
