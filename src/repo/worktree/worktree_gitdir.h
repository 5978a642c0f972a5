// A private git directory: one that borrows the repository's objects and has everything else for
// itself. Two kinds are made: the agent's own (<tree>/.git), and for the time of take() one that
// the agent never saw, so that nothing it did to its own .git decides how its work is taken.
//
// The configuration is flattened: what the person sees in the repository (includes, those that
// depend on the directory, config.worktree) is written out as plain values, because the private
// directory is somewhere else and of a kind where those conditions would not hold.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "repo/repository.h"
#include "repo/worktree.h"

namespace gittxn::repo::internal {

struct Inherited {
  std::vector<ConfigEntry> entries;       // without what has no meaning in a private directory
  std::optional<std::string> hooks_path;  // core.hooksPath as the person sees it
  bool partial_clone = false;
  bool sparse = false;
  // Of everything in it, from wherever, that decides which bytes a checkout of a commit has.
  Digest checkout;
};
Result<Inherited> inherited_config(const Repository& repository);
// In double quotes, as a configuration file and a list of directories have it.
std::string in_quotes(std::string_view text);
// The text of a configuration file that says the same.
std::string config_text(const std::vector<ConfigEntry>& entries);

// Every object directory that this one borrows from, followed as git does, absolute, itself first.
// (git ignores relative entries in the list of a directory that is itself borrowed.)
Result<std::vector<std::string>> object_directories(const std::string& objects);
Result<std::vector<std::string>> object_directories(const Repository& repository);
// What GIT_ALTERNATE_OBJECT_DIRECTORIES says of them: in quotes, as a ':' would end one.
std::string alternates_text(const std::vector<std::string>& directories);

// objects/ and refs/ that are empty but for the alternates, HEAD, info/ and shallow as in the
// repository, and a configuration.
Status make_git_directory(const Repository& repository, const std::string& git_dir,
                          const RefName& head, const std::vector<std::string>& borrowed,
                          const std::vector<ConfigEntry>& config);
// The configuration of one that lives for a moment: inherited, and nothing that writes beside it.
std::vector<ConfigEntry> brief_config(const Inherited& inherited);
// Branches, tags, remote branches and notes as they are now, the target at `base`.
Status copy_refs(const Repository& repository, const std::string& git_dir, const RefName& target,
                 const Oid& base);
// The repository's hooks, and a pre-push that refuses. Returns what the configuration has to say.
Result<std::string> install_hooks(const Repository& repository, const WorktreeSpec& spec,
                                  const Worktree& worktree, const Inherited& inherited);
// Writes the files of a commit below `tree`, and their index at <tree>/.git/index, clean: see
// worktree.h. `git_dir` says how (filters, line ends, sparse patterns).
Status check_out(const Repository& repository, const std::string& git_dir, const std::string& tree,
                 const Oid& commit);
// For a git that works there.
GitOptions checkout_options(const std::string& git_dir, const std::string& tree);
// Back-dates the files of an index at <tree>/.git/index and tells it so. `written`: only these were
// written, the others are as old as they should be; null: all were.
Status settle_index(const Repository& repository, const std::string& tree, const GitOptions& git,
                    const std::set<std::string>* written = nullptr);

// The files of a reflink worktree, from its shared checkout. kUnsupported: not on this file system.
Status reflink_checkout(const Repository& repository, const Worktree& worktree);

// The program that answers a push to "txn-target".
std::string refusal_path(const std::string& git_dir);

}  // namespace gittxn::repo::internal
