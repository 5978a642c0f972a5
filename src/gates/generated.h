// Files that are made from others and are kept in the repository: a schema, an API description,
// code that a tool writes. The policy says from which; who reads such a file reads those.
//
// Paths and globs of the policy are checked when it is parsed (policy_rules.h), so that nothing
// here fails. A glob is as in a .gitignore that begins with a slash: '*' within a name, '**' over
// any number of directories, and at its end a slash for everything below.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/policy.h"
#include "search/glob.h"

namespace gittxn::gates {

class Generated {
 public:
  explicit Generated(const Policy& policy);

  struct File {
    std::string artifact;  // ends with '/' when it is everything below
    std::vector<search::IgnoreRule> from;
    std::vector<std::size_t>
        through;  // others that it is made from, or those are: places in files()
    bool is(std::string_view path) const;
  };
  const std::vector<File>& files() const { return files_; }
  // Made from `path`, directly or by way of another one.
  bool is_made_from(const File& file, std::string_view path) const;

 private:
  std::vector<File> files_;
};

// A glob that nothing is wrong with, and whether a file is one of its.
std::optional<search::IgnoreRule> parse_glob(std::string_view glob);
bool is_one_of(const search::IgnoreRule& glob, std::string_view path);
// What is wrong with a glob, as the rest of a sentence; nullopt: nothing.
std::optional<std::string> glob_problem(std::string_view glob);
// What is wrong with all of them together: one that is made from itself, alone or in a circle.
std::optional<std::string> generated_problem(const Policy& policy);

}  // namespace gittxn::gates
