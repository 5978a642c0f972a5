// A query over a tree: what the search had to look at there, and what it printed; and whether a
// change of the tree changes the answer.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "model/change.h"
#include "search/pattern.h"
#include "search/tree.h"

namespace gittxn::search {

struct Answer {
  std::map<std::string, PathAnswer> paths;  // those that print something, or may
  std::vector<std::string> files;           // read by the search, sorted; links are never
  std::vector<std::string> directories;     // listed by it, sorted
  std::vector<std::string> ignore_files;    // rules that governed it
  bool certain = true;                      // false: some path's answer is not

  bool has_file(const std::string& path) const { return std::ranges::binary_search(files, path); }
  bool has_directory(const std::string& path) const {
    return std::ranges::binary_search(directories, path);
  }
};

inline constexpr std::size_t kMaxEntries = 2'000'000;  // listed; more is not refined

// The whole answer on one tree, for proving that the query explains the opens of a trace. Not
// refined when a root is a link, or the tree cannot be read.
Refined<Answer> evaluate(const Query& query, const Tree& tree,
                         std::size_t max_entries = kMaxEntries);

// Files, directories and ignore files alone, without looking into files: what can be laid beside
// the opens of a trace. `paths` is empty.
Refined<Answer> scope_of(const Query& query, const Tree& tree);

struct Judgement {
  bool holds = false;
  std::string reason;  // why it does not: the path whose answer changed, or what is not understood
  std::string path;    // the one whose change did it; "" when it is none in particular
  // The first line about it that the other side does not print; "" when there is none. At most 200
  // bytes.
  std::string was;
  std::string is;
};

// Whether the query, answered on `before`, has the same answer on `after`. `changes` is the
// complete difference of the two. `own` are the paths that the transaction itself writes: rules in
// its own ignore files are in neither tree, and new rules may be about its own files. Looks only at
// what changed, and at what a changed ignore file governs. Fails closed: what cannot be read or
// told does not hold.
Judgement judge(const Query& query, const Tree& before, const Tree& after, const Changes& changes,
                const std::vector<std::string>& own);

// The lines that a query prints about a path on the two trees, in the order of printing.
struct Difference {
  std::string path;
  std::vector<std::string> was, is;
};
// All that judge() compares, where it is otherwise: empty where the answer is the same. Not refined
// where the answers differ in more than what is printed about some paths, or one is not certain.
Refined<std::vector<Difference>> differences(const Query& query, const Tree& before,
                                             const Tree& after, const Changes& changes,
                                             const std::vector<std::string>& own);

}  // namespace gittxn::search
