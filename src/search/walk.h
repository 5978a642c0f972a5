// Entries of a tree that a query looks at: the rules of hidden names, globs, ignore files and
// depth, asked one path at a time, so that a judge can ask about changed paths alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "search/glob.h"
#include "search/query.h"
#include "search/tree.h"

namespace gittxn::search {

// What a tree answered; not refined when it could not be read.
template <typename T>
Refined<T> readable(Result<T> answer) {
  if (!answer) return not_refined("cannot read the tree: " + answer.error().message);
  return *std::move(answer);
}

bool is_ignore_file(const Query& query, std::string_view path);

// What a root names: its entry, which must not be reached through a link or be one.
Refined<TreeEntry> root_entry(const Root& root, const Tree& tree);

// What an entry counts for below one root.
struct Place {
  bool enters = false;      // a directory that is listed
  bool counts = false;      // a file that is read, or a name that is printed
  bool certain = true;      // false: whether it does depends on rules that are not understood
  std::uint32_t depth = 0;  // 0: the root
  // What the ignore files of the tree say on the way there. Rules outside the tree may hide more,
  // or less where this says nothing, but the same on every tree that has the same trail.
  std::string trail;
};

class Walk {
 public:
  // Both must outlive it. `tree` must not change: ignore files are read once.
  Walk(const Query& query, const Tree& tree) : query_(query), tree_(tree) {}

  // `path` is below `root` (or the root itself), and its ancestors are directories.
  Refined<Place> place(const Root& root, const std::string& path, const TreeEntry& entry);
  // The same of an entry in a directory that is entered, whose place is `above`.
  Refined<Place> place_in(const Root& root, const Place& above, const std::string& path,
                          const TreeEntry& entry);
  // As the tool prints the path.
  std::string shown(const Root& root, const std::string& path, const TreeEntry& entry) const;
  // The ignore files that were read, sorted.
  std::vector<std::string> ignore_files() const;

 private:
  struct Step;  // one name on the way from the root
  Refined<void> step(const Root& root, const Step& at, Place& place);
  Refined<void> step_filtered(const Step& at, Place& place);
  void step_grep(const Step& at, Place& place) const;
  void step_find(const Root& root, const Step& at, Place& place) const;
  void step_ls(const Step& at, Place& place) const;
  Refined<Ruling> tree_ruling(const Step& at, Place& place);
  Ruling override_ruling(const Step& at) const;
  Refined<const IgnoreRules*> rules_at(const std::string& directory, std::string_view name);

  const Query& query_;
  const Tree& tree_;
  std::map<std::string, IgnoreRules> cache_;  // by path; of files that are not there too
};

}  // namespace gittxn::search
