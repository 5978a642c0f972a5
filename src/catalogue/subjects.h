// What a person names a symbol by, found in a tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalogue/catalogue.h"

namespace gittxn::catalogue {

// A symbol of a tree, or a file of it.
struct Subject {
  std::string path;
  std::string symbol;     // id with the path; empty: the file itself
  std::string container;  // id with the path
  std::string kind;
  std::string name;
  std::string language;
  std::vector<std::string> defines;
  std::uint32_t line = 0;
};
Subject subject_of(std::string_view path, const semantic::FileFacts& facts, std::size_t symbol);

struct FoundSubjects {
  std::vector<Subject> subjects;  // what `text` may mean; declared and defined is one, the first
  std::vector<std::string> near;  // when there is nothing: names and paths that are alike
};

// `text`: a path of the tree; an id as symbols prints them ("src/auth.py/Token#validate()."); a
// name, with or without what it is in ("validate", "Token.validate", "shop::Cart::total").
Result<FoundSubjects> find_subjects(Catalogue& catalogue, const Oid& tree, std::string_view text);

// Every symbol of a file, and the file itself in front.
Result<std::vector<Subject>> subjects_in(Catalogue& catalogue, std::string_view path,
                                         const TreeEntry& entry);

// The type or module that a member is of, as its name says it; of C++ also where it is defined out
// of its class. Empty when there is none.
std::string owner_of(const Subject& subject);
// Two of them with the same one are one thing in several places: declared here, defined there; a
// type and its constructors.
std::string entity_of(const Subject& subject);

}  // namespace gittxn::catalogue
