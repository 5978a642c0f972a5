// Ignored paths by the rules of one commit: its .gitignore files, the repository's info/exclude and
// the person's core.excludesFile. A change cannot hide its own writes by editing .gitignore,
// because the .gitignore files of its worktree are never asked. The matching is git's own
// (check-ignore), in an empty directory that holds nothing but the .gitignore files of the commit.
// The trees of the commit are searched for these files when the first path is asked about, because
// most commands leave no untracked file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "repo/repository.h"

namespace gittxn::repo {

class IgnoreRules {
 public:
  // `scratch`: a directory of its own, made for the first question and removed with the object.
  // Leftovers of a process that was killed are removed first.
  IgnoreRules(Repository& repository, Oid commit, std::string scratch);
  // The same from the parts of a repository that it needs, so that a thread may have its own.
  // `objects` must outlive it; git runs as `here` says.
  IgnoreRules(const Objects& objects, Git git, GitOptions here, Oid commit, std::string scratch);
  IgnoreRules(const IgnoreRules&) = delete;
  IgnoreRules& operator=(const IgnoreRules&) = delete;
  ~IgnoreRules();

  // Repository paths of things that are not tracked; a directory ends with '/'. One git process for
  // all; the answers come in the order of the questions.
  Result<std::vector<bool>> ignored(const std::vector<std::string>& paths);
  // The rule that decides about a path, as "<file>:<line>:<pattern>"; "" when there is none.
  Result<std::string> rule_for(const std::string& path);
  // One path; remembers every directory above it that it had to ask about.
  Result<bool> ignored(const std::string& path);

 private:
  Status write_rules();
  Result<std::vector<std::string>> check_ignore(const std::vector<std::string>& more,
                                                const std::vector<std::string>& paths);

  const Objects& objects_;
  Git git_;
  GitOptions options_;
  Oid commit_;
  std::string scratch_;
  bool written_ = false;
  std::map<std::string, bool> directories_;
};

// The untracked files of a worktree that these rules do not ignore.
struct Untracked {
  std::vector<std::string> files;         // regular files and links, sorted
  std::vector<std::string> repositories;  // directories that are repositories of their own
  std::vector<std::string> scratch;       // directories that ignore themselves (worktree.h)
  std::vector<std::string> ignored;       // what the rules keep out; a directory ends with '/'
};
// `git`: GIT_DIR, GIT_WORK_TREE and GIT_INDEX_FILE of the worktree and of what is tracked in it.
// `base`: the commit whose directories are never scratch.
Result<Untracked> list_untracked(Repository& repository, const GitOptions& git,
                                 const std::string& tree, const Oid& base, IgnoreRules& rules);

}  // namespace gittxn::repo
