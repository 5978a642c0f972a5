// From an argument vector to a query. A closed list of options for each program, parsed in full;
// what is outside it, or depends on a setting nobody vouched for, is not refined
// (docs/design/0009).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "search/query.h"

namespace gittxn::search {

enum class Vouched { kNo, kYes };

// What a search depends on besides its arguments and the tree.
struct Surroundings {
  std::string top;  // the absolute path of the worktree
  std::string cwd;  // where it ran, in the repository; "" is the top
  std::map<std::string, std::string> env;
  // No grep.*, core.* or submodule.* setting of git that changes what git grep prints.
  Vouched git_settings = Vouched::kNo;
  // No rule outside the tree that keeps what would be hidden ("!x"): the excludes files of git and
  // fd, .git/info/exclude, and ignore files in the directories above the tree.
  Vouched outside_rules = Vouched::kNo;
  // Whether git takes a word for a revision; unset: any word before "--" may be one.
  std::function<bool(const std::string&)> is_revision;
  // The program is the one that argv[0] names, though its file may have another name.
  Vouched name = Vouched::kNo;
};

// `program`: the path that was executed. It and argv[0] must both name the searcher: a program that
// runs itself under a searcher's name is that searcher only where it is known to be.
Refined<Query> query_from_argv(const std::string& program, const std::vector<std::string>& argv,
                               const Surroundings& around);

}  // namespace gittxn::search
