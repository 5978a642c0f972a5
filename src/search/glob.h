// Globs of names, and files of ignore rules, in the part of their languages that every tool reads
// alike: letters, digits, a few signs, '*' and, between slashes, '**'. What is outside is not
// matched by guess: a rule that is not understood makes its whole file opaque.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/query.h"

namespace gittxn::search {

// A glob without '/', matched against one name; '*' matches any bytes, a leading dot too.
Refined<void> check_name_glob(std::string_view glob);
// As check_name_glob, but '/' may stand in it; find's -path, where '*' matches '/' too.
Refined<void> check_path_glob(std::string_view glob);
enum class Letters { kAsTheyAre, kAnyCase };  // of ASCII
bool glob_matches(std::string_view glob, std::string_view text,
                  Letters letters = Letters::kAsTheyAre);

enum class Target { kFile, kDirectory };  // what a path names; a link is a file

// One rule of gitignore(5); also a --glob of rg without its '!'.
struct IgnoreRule {
  bool negated = false;
  bool directories_only = false;
  bool anchored = false;
  std::vector<std::string> segments;
  bool matches(std::string_view path, std::string_view last, Target target) const;
};
Refined<IgnoreRule> parse_rule(std::string_view line);

enum class Ruling { kNone, kIgnored, kKept };

// A .gitignore, .ignore, .rgignore or .fdignore.
struct IgnoreRules {
  bool opaque = false;  // something in it is not understood
  std::vector<IgnoreRule> rules;
  bool anchored() const;  // a rule of it is about a path, not a name
  // `path` relative to the directory of the file. The last rule that matches decides.
  Ruling ruling(std::string_view path, Target target) const;
};
IgnoreRules parse_ignore_file(std::string_view text);

}  // namespace gittxn::search
