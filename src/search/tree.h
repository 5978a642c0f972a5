// A tree as the evaluator sees it: listed and read on demand, by repository path.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/change.h"

namespace gittxn::search {

struct NamedEntry {
  std::string name;
  TreeEntry entry;
};

class Tree {
 public:
  virtual ~Tree() = default;
  // What is at `path` ("" is the top); mode kNone when nothing is, also below a file.
  virtual Result<TreeEntry> entry(const std::string& path) const = 0;
  // The entries of a directory in any order.
  virtual Result<std::vector<NamedEntry>> list(const std::string& path) const = 0;
  // The same, where it costs less without the names of objects, and nobody asks for them.
  virtual Result<std::vector<NamedEntry>> list_modes(const std::string& path) const {
    return list(path);
  }
  // The bytes as the worktree has them: a repository that converts at checkout (eol, filter,
  // encoding, ident, core.autocrlf) must convert here too, or fail.
  virtual Result<std::string> blob(const Oid& oid) const = 0;
};

}  // namespace gittxn::search
