// The files of a tree as one side of a landing sees them, looked into one by one as names and
// imports lead to them, up to a number: what judges of meaning know beside the files that changed.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "catalogue/footprints.h"
#include "model/change.h"
#include "repo/objects.h"
#include "semantic/footprint.h"

namespace gittxn::land {

// The files as the side sees them: its own changes on the base of both.
struct SeenTree {
  const repo::Objects& objects;
  const Oid& tree;  // of the base but for what either changed
  const Changes& own;
  const Changes& others;
  std::size_t most = 0;  // bytes of a file
  catalogue::Footprints& footprints;
};

class SeenFiles {
 public:
  explicit SeenFiles(const SeenTree& seen) : seen_(seen) {}

  Result<bool> is_file(const std::string& path) const;
  // The first file that an import of `module` in the file at `from` may be, of Python and of
  // scripts; empty: none of the tree.
  Result<std::string> file_of(const std::string& module, const std::string& from);
  // Paths of the files in a folder whose names end so, in order, up to a number; none where there
  // is no such folder, or too many.
  Result<std::vector<std::string>> files_in(const std::string& folder, std::string_view ending);
  // All that a file declares, what it imports, and the types that it says its types are of, as if
  // it had been added; nullptr where it is not looked into: for it is large, or one too many.
  Result<const semantic::Footprint*> look_into(const std::string& path);
  // Its bytes; empty where it is no file, or large.
  Result<std::string> text_of(const std::string& path) const;

 private:
  Result<TreeEntry> entry_at(const std::string& path) const;

  const SeenTree& seen_;
  std::map<std::pair<std::string, std::string>, std::string> files_;  // by module and importer
  std::map<std::string, std::optional<semantic::Footprint>> known_;
};

}  // namespace gittxn::land
