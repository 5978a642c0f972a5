// The index of a checkout that a landing moves: read to see what is clean, and copied with the new
// entries. git writes the copy (split, sparse, whatever it learns next); only stat data is put in
// by us afterwards, for files that are provably the ones we staged.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "base/fs.h"
#include "base/random.h"
#include "repo/checkout/checkout_stage.h"

namespace gittxn::repo::internal {
namespace {

// Written whole, and without what is bound to the person's own index file or asks a daemon.
std::vector<std::string> whole_index(std::vector<std::string> command) {
  std::vector<std::string> args = {"-c", "core.splitIndex=false", "-c", "index.sparse=false",
                                   "-c", "core.fsmonitor=false"};
  args.insert(args.end(), command.begin(), command.end());
  return args;
}

struct IndexPlan {
  std::string removals;
  std::string entries;
  std::string skip;  // flags to put back, NUL-terminated paths
  std::string assume;
};

// What to tell git about each touched path: nothing where the person has staged something else.
IndexPlan plan_index(const IndexFile& index, const CheckoutMove& move,
                     const std::vector<std::string>& outside) {
  IndexPlan plan;
  const std::set<std::string> skip(outside.begin(), outside.end());
  for (const PathChange& change : move.files) {
    const IndexEntry* entry = index.find(change.path);
    if (change.before.present()) {
      if (entry == nullptr || entry->stage != 0 || index.oid(*entry) != change.before.oid ||
          entry->mode != static_cast<std::uint32_t>(change.before.mode)) {
        continue;
      }
    } else if (entry != nullptr || index.has_below(change.path)) {
      continue;
    }
    (change.after.present() ? plan.entries : plan.removals) +=
        index_line(change.after, change.path);
    if (!change.after.present()) continue;
    if ((entry != nullptr && entry->skip_worktree) || skip.contains(change.path)) {
      plan.skip += change.path + '\0';
    }
    if (entry != nullptr && entry->assume_unchanged) plan.assume += change.path + '\0';
  }
  return plan;
}

Status feed(Repository& repository, const GitOptions& git, std::vector<std::string> command,
            std::string input) {
  return repository.git().feed(whole_index(std::move(command)), git, std::move(input));
}

// A directory that git lists as a file in the index is turned into entries below it only after the
// file is out; so removals come first. A change from directory to file is a set of removals and an
// addition, which plan_index sees as blocked by what is below: that is looked at again here.
std::string freed_by_removals(const IndexFile& index, const CheckoutMove& move) {
  std::set<std::string> removed;
  for (const PathChange& change : move.files) {
    if (!change.after.present()) removed.insert(change.path);
  }
  std::string entries;
  for (const PathChange& change : move.files) {
    if (change.before.present() || !change.after.present()) continue;
    if (index.find(change.path) != nullptr || !index.has_below(change.path)) continue;
    const std::string prefix = change.path + '/';
    bool freed = true;
    for (const IndexEntry& entry : index.entries()) {
      const std::string_view path = index.path(entry);
      if (path.starts_with(prefix) && !removed.contains(std::string(path))) freed = false;
    }
    if (freed) entries += index_line(change.after, change.path);
  }
  return entries;
}

}  // namespace

std::string index_path(const CheckoutPlace& place) {
  return place.git_dir + "/index";
}

std::string staged_index_path(const CheckoutPlace& place, const TxnId& txn) {
  return place.git_dir + "/txn/index-" + txn.str();
}

Result<std::string> index_state(const CheckoutPlace& place) {
  struct stat info{};
  if (::lstat(index_path(place).c_str(), &info) != 0) {
    return fail_errno(errno, "stat '" + index_path(place) + "'");
  }
  return fmt::format("{}:{}:{}:{}.{:09}:{}.{:09}", info.st_dev, info.st_ino, info.st_size,
                     info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_ctim.tv_sec,
                     info.st_ctim.tv_nsec);
}

Result<IndexFile> load_checkout_index(Repository& repository, const CheckoutPlace& place) {
  TRY(make_dirs(place.git_dir + "/txn"));
  const std::string scratch =
      fmt::format("{}/txn/index-probe-{}", place.git_dir, Random().name(10));
  auto index = load_index({repository.git(), checkout_options(place), index_path(place)}, scratch);
  TRY(remove_file(scratch));
  if (!index && index.error().code == Code::kNotFound) {
    return fail(Code::kFault, "the checkout " + place.worktree + " has no index",
                "make it again with: git -C " + place.worktree + " reset");
  }
  return index;
}

Status stage_index(Repository& repository, const TxnId& txn, const CheckoutMove& move,
                   const std::vector<std::string>& outside) {
  const IndexFile index = TRY(load_checkout_index(repository, move.place));
  const std::string staged = staged_index_path(move.place, txn);
  TRY(copy_index(index_path(move.place), staged));
  GitOptions git = checkout_options(move.place);
  git.extra["GIT_INDEX_FILE"] = staged;
  IndexPlan plan = plan_index(index, move, outside);
  plan.entries += freed_by_removals(index, move);
  TRY_IN("staging the index", feed(repository, git, {"update-index", "-z", "--index-info"},
                                   plan.removals + plan.entries));
  TRY(feed(repository, git, {"update-index", "--skip-worktree", "-z", "--stdin"}, plan.skip));
  return feed(repository, git, {"update-index", "--assume-unchanged", "-z", "--stdin"},
              plan.assume);
}

Result<std::vector<std::string>> outside_sparse(Repository& repository, const CheckoutPlace& place,
                                                const std::string& scratch,
                                                const std::vector<std::string>& paths) {
  if (paths.empty() || !TRY(exists(place.git_dir + "/info/sparse-checkout"))) {
    return std::vector<std::string>{};
  }
  GitOptions git = checkout_options(place);
  const Output on =
      TRY(repository.git().run({"config", "--type=bool", "core.sparseCheckout"}, git));
  if (on.out != "true\n") return std::vector<std::string>{};
  // An index of these paths alone, in an empty directory: git itself says which it would leave out.
  TRY(make_dirs(scratch + "/tree"));
  git.dir = scratch + "/tree";
  git.extra["GIT_WORK_TREE"] = git.dir;
  git.extra["GIT_INDEX_FILE"] = scratch + "/index";
  std::string input;
  const Oid empty("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");  // any name will do
  for (const std::string& path : paths) input += index_line({FileMode::kFile, empty}, path);
  TRY(feed(repository, git, {"update-index", "-z", "--index-info"}, std::move(input)));
  TRY_IN("asking which files are outside the sparse checkout",
         repository.git().must({"-c", "index.sparse=false", "sparse-checkout", "reapply"}, git));
  const IndexFile index =
      TRY(load_index({repository.git(), git, scratch + "/index"}, scratch + "/index.whole"));
  std::vector<std::string> outside;
  for (const IndexEntry& entry : index.entries()) {
    if (entry.skip_worktree) outside.emplace_back(index.path(entry));
  }
  TRY(remove_tree(scratch));
  return outside;
}

Result<std::vector<Oid>> hash_paths(Repository& repository, const CheckoutPlace& place,
                                    const std::vector<std::string>& paths) {
  std::vector<Oid> oids;
  if (paths.empty()) return oids;
  GitOptions git = checkout_options(place);
  for (const std::string& path : paths) git.input += quote_path(path) + '\n';
  const std::string text = TRY(repository.git().must({"hash-object", "--stdin-paths"}, git));
  for (std::string_view rest = text; rest.size() >= 41; rest.remove_prefix(41)) {
    oids.emplace_back(std::string(rest.substr(0, 40)));
  }
  if (oids.size() == paths.size()) return oids;
  return fail(Code::kFault, "git hash-object did not name every file");
}

}  // namespace gittxn::repo::internal
