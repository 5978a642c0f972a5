#include "repo/checkout/layered_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>

#include "base/fs.h"
#include "base/if_there.h"
#include "repo/checkout/shared_checkout.h"
#include "repo/worktree/worktree_gitdir.h"
#include "repo/worktree/worktree_index.h"

namespace gittxn::repo {
namespace {

constexpr std::string_view kAttributes = ".gitattributes";

// The content of a layer, sorted out of the differences.
struct LayerPlan {
  std::vector<std::string> files, submodules;
  std::set<std::string> gone;  // of a directory that is gone, itself and nothing below it
};

// The highest of `path` and the directories above it that the tree has not; "" where it has a file
// above, which hides whatever was below.
Result<std::string> highest_gone(const Objects& objects, const Oid& tree, const std::string& path) {
  for (std::size_t end = 0; end != path.npos;) {
    end = path.find('/', end + 1);
    const std::string above = path.substr(0, end);
    const TreeEntry entry = TRY(objects.entry_at(tree, above));
    if (!entry.present()) return above;
    if (entry.mode != FileMode::kTree) return std::string();
  }
  return std::string();
}

Result<LayerPlan> plan_layer(const Objects& objects, const Oid& tree, const Changes& changes) {
  LayerPlan plan;
  for (const PathChange& change : changes) {
    if (change.after.mode == FileMode::kSubmodule) {
      plan.submodules.push_back(change.path);
    } else if (change.after.mode != FileMode::kTree && change.after.present()) {
      plan.files.push_back(change.path);
    } else if (!change.after.present()) {
      std::string gone = TRY(highest_gone(objects, tree, change.path));
      if (!gone.empty()) plan.gone.insert(std::move(gone));
    }
  }
  return plan;
}

// An index of these files and of the rules that say how they are written, as git takes it.
Result<std::string> index_of(const Objects& objects, const Oid& tree,
                             const std::vector<std::string>& files) {
  std::set<std::string> names(files.begin(), files.end());
  for (const std::string& file : files) {
    for (std::string dir = parent_dir(file); dir != "."; dir = parent_dir(dir)) {
      names.insert(join_path(dir, kAttributes));
    }
  }
  names.emplace(kAttributes);
  std::string text;
  for (const std::string& name : names) {
    const TreeEntry entry = TRY(objects.entry_at(tree, name));
    if (!entry.present() || entry.mode == FileMode::kTree) continue;
    text += fmt::format("{} {}\t{}", mode_text(entry.mode), entry.oid.str(), name);
    text += '\0';
  }
  return text;
}

Status mark_gone(const std::string& above, const std::string& path) {
  const std::string mark = join_path(above, path);
  TRY(make_dirs(parent_dir(mark), 0777));
  if (::mknod(mark.c_str(), S_IFCHR, 0) == 0) return {};
  if (errno != EPERM && errno != EOPNOTSUPP && errno != EINVAL) {
    return fail_errno(errno, "mark '" + path + "' as gone");
  }
  return fail(Code::kUnsupported, "the file system of '" + above + "' has no whiteouts",
              "choose another place with: git config txn.worktreeRoot /absolute/path");
}

Status give_time(const std::string& path, const timespec& time) {
  const timespec times[2] = {time, time};
  if (::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) == 0) return {};
  return fail_errno(errno, "set the time of '" + path + "'");
}

// Gives each file the times of its namesake below, and the rest those of `usual`.
Status give_times(const std::string& above, const std::string& below, const timespec& usual) {
  struct stat info{};
  for (const DirEntry& entry : TRY(list_dir(above))) {
    const std::string here = join_path(above, entry.name);
    const std::string there = join_path(below, entry.name);
    if (entry.type == DT_CHR) continue;
    if (entry.type == DT_DIR) TRY(give_times(here, there, usual));
    const bool known = ::lstat(there.c_str(), &info) == 0;
    TRY(give_time(here, known ? info.st_mtim : usual));
  }
  return {};
}

}  // namespace

Result<LayeredTrees> LayeredTrees::open(Repository& repository, const std::string& shared,
                                        const std::string& dir) {
  LayeredTrees trees(repository, shared, dir);
  const internal::Inherited inherited = TRY(internal::inherited_config(repository));
  if (inherited.sparse) {
    return fail(Code::kUnsupported, "nothing can be asked of the trees of a sparse checkout");
  }
  trees.configuration_ = inherited.checkout;
  TRY(make_dirs(dir + "/none"));
  TRY(internal::make_git_directory(repository, trees.git_dir(), RefName("refs/heads/asking"),
                                   TRY(internal::object_directories(repository)),
                                   internal::brief_config(inherited)));
  return trees;
}

Result<std::optional<LayeredTrees::Base>> LayeredTrees::shared_base(const Oid& tree) const {
  const auto found =
      TRY(latest_shared_checkout(shared_checkout_path(configuration_, tree, shared_)));
  if (!found) return std::optional<Base>();
  // Its commit may have been collected, as nobody needs it any more; so may itself be just now.
  const auto of_commit = TRY(if_there(repository_->objects().tree_of(found->commit)));
  struct stat info{};
  if (!of_commit || ::lstat(found->tree().c_str(), &info) != 0) return std::optional<Base>();
  mark_used(*found);
  return std::optional(Base{found->tree(), *of_commit, info.st_ino});
}

Result<LayeredTrees::Base> LayeredTrees::whole_base(const Oid& tree) {
  const std::string dir = fmt::format("{}/whole.{}", dir_, number_++);
  TRY(make_dirs(dir + "/.git", 0777));
  TRY(internal::check_out(*repository_, git_dir(), dir, tree));
  struct stat info{};
  if (::lstat(dir.c_str(), &info) != 0) return fail_errno(errno, "stat '" + dir + "'");
  return Base{dir, tree, info.st_ino};
}

// nullopt: it is not near enough.
Result<std::optional<Changes>> LayeredTrees::changes_over(const Base& base, const Oid& tree) const {
  Changes changes = TRY(repository_->objects().diff(base.tree, tree));
  bool near = changes.size() <= kMostLayered;
  for (const PathChange& change : changes) near = near && base_name(change.path) != kAttributes;
  return near ? std::optional(std::move(changes)) : std::nullopt;
}

Result<LayeredTrees::Layers> LayeredTrees::layer(const Base& base, const Oid& tree,
                                                 const Changes& changes) {
  const std::string above = fmt::format("{}/above.{}", dir_, number_++);
  TRY(make_dirs(above, 0777));
  const Objects& objects = repository_->objects();
  const LayerPlan plan = TRY(plan_layer(objects, tree, changes));
  const std::string index = above + ".index";
  const GitOptions git{
      .dir = dir_ + "/none",
      .extra = {
          {"GIT_DIR", git_dir()}, {"GIT_WORK_TREE", dir_ + "/none"}, {"GIT_INDEX_FILE", index}}};
  std::string names;
  for (const std::string& file : plan.files) names += file + '\0';
  if (!names.empty()) {
    TRY(repository_->git().feed({"update-index", "-z", "--index-info"}, git,
                                TRY(index_of(objects, tree, plan.files))));
    TRY(repository_->git().feed({"checkout-index", "-z", "--stdin", "--prefix=" + above + "/"}, git,
                                names));
    TRY(remove_file(index));
  }
  for (const std::string& path : plan.submodules) TRY(make_dirs(join_path(above, path), 0777));
  for (const std::string& path : plan.gone) TRY(mark_gone(above, path));
  TRY(mark_gone(above, ".git"));
  struct stat info{};
  if (::lstat(base.dir.c_str(), &info) != 0) return fail_errno(errno, "stat '" + base.dir + "'");
  TRY(give_times(above, base.dir, info.st_mtim));
  TRY(give_time(above, info.st_mtim));
  return made_.emplace(tree, Layers{above, base.dir}).first->second;
}

Result<LayeredTrees::Layers> LayeredTrees::layers_of(const Oid& tree) {
  if (!check()) {
    bases_.clear();
    made_.clear();
    looked_ = false;
  }
  if (const auto found = made_.find(tree); found != made_.end()) return found->second;
  if (!looked_) {
    looked_ = true;
    if (auto base = TRY(shared_base(tree))) bases_.push_back(*std::move(base));
  }
  for (const Base& base : bases_) {
    const auto changes = TRY(changes_over(base, tree));
    if (changes) return layer(base, tree, *changes);
  }
  bases_.push_back(TRY(whole_base(tree)));
  return layer(bases_.back(), tree, {});
}

Status LayeredTrees::write_index(const Oid& committed, const Oid& tree, const std::string& file) {
  const Layers layers = TRY(layers_of(tree));
  const GitOptions git{
      .dir = dir_ + "/none",
      .extra = {
          {"GIT_DIR", git_dir()}, {"GIT_WORK_TREE", dir_ + "/none"}, {"GIT_INDEX_FILE", file}}};
  TRY_IN("the index of an asking",
         repository_->git().must({"read-tree", "--no-sparse-checkout", committed.str()}, git));
  IndexFile index = TRY(load_index({repository_->git(), git, file}, file + ".whole"));
  const Changes changes = TRY(repository_->objects().diff(committed, tree));
  std::set<std::string, std::less<>> others;
  for (const PathChange& change : changes) others.insert(change.path);
  for (const IndexEntry& entry : index.entries()) {
    const std::string_view path = index.path(entry);
    // Without a time git looks into the file.
    if (others.contains(path) || static_cast<FileMode>(entry.mode) == FileMode::kSubmodule)
      continue;
    struct stat info{};
    const std::string name(path);
    const bool here = ::lstat(join_path(layers.above, name).c_str(), &info) == 0 ||
                      ::lstat(join_path(layers.below, name).c_str(), &info) == 0;
    if (!here) return fail_errno(errno, "stat '" + name + "'");
    index.set_stat(entry, info);
  }
  return repo::write_index(file, index, IndexTime::kNow);
}

Status LayeredTrees::check() const {
  for (const Base& base : bases_) {
    struct stat info{};
    if (::lstat(base.dir.c_str(), &info) == 0 && info.st_ino == base.inode) continue;
    return fail(Code::kStale, "the shared checkout '" + base.dir + "' was collected meanwhile");
  }
  return {};
}

}  // namespace gittxn::repo
