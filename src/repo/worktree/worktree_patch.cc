// With a git directory that the agent never saw, made for the one patch.
//
// On disk if we die: <path>/patch, which the next one removes, and some of the files changed.
#include "repo/worktree/worktree_patch.h"

#include "base/fs.h"
#include "repo/worktree/worktree_gitdir.h"

namespace gittxn::repo {

Status apply_patch(const Repository& repository, const Worktree& worktree,
                   const std::string& patch) {
  const std::string own = worktree.path + "/patch";
  TRY(remove_tree(own));
  const auto inherited = TRY(internal::inherited_config(repository));
  const std::string objects = repository.place().common_dir + "/objects";
  const auto borrowed = TRY(internal::object_directories(objects));
  TRY(internal::make_git_directory(repository, own, RefName("refs/heads/patching"), borrowed,
                                   inherited.entries));
  GitOptions git;
  git.dir = worktree.tree;
  git.extra = {{"GIT_DIR", own}, {"GIT_WORK_TREE", worktree.tree}};
  git.input = patch;
  TRY(repository.git().must({"apply", "--whitespace=nowarn"}, git));
  return remove_tree(own);
}

}  // namespace gittxn::repo
