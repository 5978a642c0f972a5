// Trees as layers for an overlay: a checkout that is there anyway, and over it the little that the
// tree has otherwise. So after the first one a tree costs as much as it differs, and not as many
// files as it has.
//
//   <dir>/above.N   what the Nth tree has otherwise than what is below it: files as git would check
//                   them out, and the kernel's marks for what is not there (whiteouts; .git always)
//   <dir>/whole.N   a checkout of our own, where none of those that worktrees share (below
//                   `shared`) is near enough: more than kMostLayered paths differ, or a
//                   .gitattributes, which decides what is written of every file
//   <dir>/git       a git directory that borrows the repository's objects; <dir>/none is empty
//
// Nothing is durable, and a kill leaves some of it: who gave `dir` removes it.
//
// A shared checkout may be collected while it is used. That is not kept from happening; it is found
// afterwards (check), and then nothing that was seen in the layers counts.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/change.h"
#include "repo/repository.h"

namespace gittxn::repo {

inline constexpr std::size_t kMostLayered = 2000;

class LayeredTrees {
 public:
  // `dir` is empty. kUnsupported: the repository's checkouts are sparse.
  static Result<LayeredTrees> open(Repository& repository, const std::string& shared,
                                   const std::string& dir);

  struct Layers {
    std::string above, below;  // directories; stay as they are for as long as `dir` is there
  };
  // The files of the tree and nothing else, without .git. Files that two trees have in common have
  // the same time in both. kUnsupported: the file system knows no whiteouts.
  Result<Layers> layers_of(const Oid& tree);
  // An index of `committed`, a tree, that knows of `tree`'s files as its layers have them which
  // ones it has: git then looks into no other. It has their times and sizes, and is for a git with
  // core.checkStat=minimal and core.trustCtime=false.
  Status write_index(const Oid& committed, const Oid& tree, const std::string& file);
  // kStale: somebody has collected what is below. The next layers_of makes them anew.
  Status check() const;

 private:
  struct Base {
    std::string dir;
    Oid tree;
    ino_t inode;
  };
  LayeredTrees(Repository& repository, std::string shared, std::string dir)
      : repository_(&repository), shared_(std::move(shared)), dir_(std::move(dir)) {}
  Result<std::optional<Base>> shared_base(const Oid& tree) const;
  Result<Base> whole_base(const Oid& tree);
  Result<std::optional<Changes>> changes_over(const Base& base, const Oid& tree) const;
  Result<Layers> layer(const Base& base, const Oid& tree, const Changes& changes);
  std::string git_dir() const { return dir_ + "/git"; }

  Repository* repository_;
  std::string shared_, dir_;
  Digest configuration_;
  bool looked_ = false;  // for a shared checkout
  std::vector<Base> bases_;
  std::map<Oid, Layers> made_;
  int number_ = 0;
};

}  // namespace gittxn::repo
