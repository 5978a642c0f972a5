// One user's repository as git-txn sees it: where things are, and what it refuses by name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "repo/config.h"
#include "repo/git.h"
#include "repo/objects.h"
#include "repo/refs.h"

namespace gittxn::repo {

// A checkout of this repository: the main one or a linked worktree.
struct CheckoutPlace {
  std::string worktree;  // absolute
  std::string git_dir;   // absolute: the common directory, or .git/worktrees/<name>
  RefName branch;        // what its HEAD points to; empty when detached. In the middle of a rebase
                         // it is the branch that the rebase will move when it ends
};

struct RepositoryPlace {
  std::string common_dir;               // absolute, real path
  std::string git_dir;                  // of the checkout we were called in; common_dir when bare
  std::optional<std::string> worktree;  // of the checkout we were called in
  std::string prefix;                   // sub-directory of it we were called in, "" at the top
  bool bare = false;
};

class Repository {
 public:
  // Discovers from `cwd` with git's own rules (GIT_DIR of the caller's environment honoured), then
  // checks. kUnsupported, each naming the thing and the way out: not a repository, reftable,
  // SHA-256 objects, a network file system. An unborn or empty repository opens.
  static Result<Repository> open(const std::string& cwd, const Environment& caller);

  const RepositoryPlace& place() const { return place_; }
  const Git& git() const { return git_; }
  const Refs& refs() const { return refs_; }
  Objects& objects() { return objects_; }
  std::string txn_dir() const { return place_.common_dir + "/txn"; }  // kernel.db, locks, artifacts

  // Options that make a git command run on exactly this repository and checkout, also where
  // discovery from the directory alone would not find them (GIT_DIR and GIT_WORK_TREE given by the
  // caller).
  GitOptions here() const;

  // The branch to land on: --onto (short or full name), else the current branch. Errors: detached
  // head (needs --onto), unborn branch, unknown branch, a tag or remote branch.
  Result<RefName> target_branch(const std::optional<std::string>& onto) const;
  // One entry per checkout and branch it holds; a rebase --update-refs holds several.
  Result<std::vector<CheckoutPlace>> checkouts() const;
  // git's configuration as the person sees it here, `git -c` on the caller's command line included.
  Config& config() const { return *config_; }
  // All of it, without what the caller gave for this command alone.
  Result<std::vector<ListedConfig>> lasting_config() const;
  // "Name <mail>" with git's own rules (user.*, GIT_COMMITTER_*): who the owner is.
  Result<Identity> identity() const;
  // True when the called-in checkout has staged, unstaged or untracked changes (porcelain status).
  Result<bool> has_uncommitted_changes() const;

 private:
  Repository(RepositoryPlace place, Git git, Environment caller_config, Objects objects);
  Result<std::optional<std::string>> main_worktree() const;
  // Why the branch cannot be landed on; always an error.
  Result<RefName> missing_branch(const RefName& name, const std::optional<std::string>& onto) const;
  Result<Identity> ask_identity() const;
  // The "name" or the "email" that the environment or the configuration says; nothing where git
  // makes one up, or changes what is said.
  Result<std::optional<std::string>> identity_part(const std::string& part) const;
  GitOptions asking() const;  // here(), with the caller's `git -c` settings

  RepositoryPlace place_;
  Git git_;
  Environment caller_config_;
  std::shared_ptr<Config> config_;
  struct KnownIdentity;
  std::shared_ptr<KnownIdentity> identity_;  // as of one state of the configuration
  Refs refs_;
  Objects objects_;
};

}  // namespace gittxn::repo
