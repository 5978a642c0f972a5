// A git directory for the time of one command, which sees it beside the files of a tree in layers
// (layered_tree.h): HEAD is a branch at a commit, the index is the tree of that commit, and there
// is no other reference, remote, hook or reflog. Objects are borrowed from the repository, under
// the names that the command sees them by. Its rules of what is ignored, its attributes, and where
// its history is cut off are copied; of its settings only those that are given are there.
//
// Nothing is durable: whoever gave the place removes it.
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "repo/checkout/layered_tree.h"
#include "repo/repository.h"

namespace gittxn::repo {

struct BriefGit {
  Oid commit;
  RefName branch;
  std::vector<std::string> settings = {};  // "key=value"
};

// A directory of the repository's objects, and its name for the command.
struct SeenObjects {
  std::string from, as;
};
// All that it borrows from, its own first, which is <below>/objects.
Result<std::vector<SeenObjects>> seen_objects(const Repository& repository,
                                              const std::string& below);

// Makes `git_dir` for the files of `tree`. kNotFound: there is no such commit.
Status make_brief_git(Repository& repository, LayeredTrees& trees, const BriefGit& git,
                      const Oid& tree, const std::vector<SeenObjects>& objects,
                      const std::string& git_dir);

}  // namespace gittxn::repo
