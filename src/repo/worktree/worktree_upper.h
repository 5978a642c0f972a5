// The upper directory of an overlay as the tree it makes, without a mount and without a look at
// what was not touched. An entry of the upper directory is what a path is now; a character device
// 0/0 is a path that was removed; a directory is laid over the one below unless its "opaque" mark
// says that it stands for itself; its "redirect" mark names another one below that it is laid over,
// because it was moved (Documentation/filesystems/overlayfs.rst).
//
// What is below is the base's tree, so the object database is asked for it and not the disk.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "repo/objects.h"
#include "repo/worktree.h"

namespace gittxn::repo::internal {

struct UpperScan {
  std::map<std::string, TreeEntry> touched;  // of the base, with something of the upper's there now
  std::map<std::string, TreeEntry> gone;     // of the base, with nothing there now
  std::map<std::string, std::string> moved;  // of a moved directory: path now -> path in the base
  // .gitattributes files of the base that are untouched, in directories that the upper has.
  std::map<std::string, TreeEntry> attributes;
};
Result<UpperScan> scan_upper(const Worktree& worktree, const Objects& objects, const Oid& base);

}  // namespace gittxn::repo::internal
