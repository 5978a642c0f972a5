// Finds the settings of git that the answer of a reading command depends on, so that it can be
// asked again with these and no others. A closed list: a setting that is not here may change any
// answer.
//
//   matters     goes with the question, and the asking has it
//   harmless    is about what reading commands do not do, or changes nothing that they print
//   upstream    where a branch is pulled from: `git status` counts how far it is away from there
//   filter      drivers that convert files: nothing where no attribute names one
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gittxn::capture {

struct GitSettings {
  std::vector<std::string> matter;  // "key=value", in git's order
  std::string unknown;              // the first that is on no list; "" there is none
  bool upstream = false;
  bool filters = false;
};

// (key as git lists it, value), of all scopes, in git's order.
GitSettings git_settings(const std::vector<std::pair<std::string, std::string>>& values);

// True if an asking may be given the setting: it matters, and its value is on the list.
bool is_git_setting(std::string_view setting);

// True if a process with these variables ("NAME=value") goes by its settings, index and repository
// alone.
bool is_plain_for_git(const std::vector<std::string>& variables);

}  // namespace gittxn::capture
