// Rules for what a name cannot mean in Go. These leave little open: a package's names are reached
// by its own files and behind the name of the package, members only behind a value, and nothing
// whose name begins with a small letter from another package. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "catalogue/sight.h"
#include "catalogue/subjects.h"

namespace gittxn::catalogue {

// Types of the fields that a file declares, by the name of the field: "sync.Pool".
using FieldTypes = std::map<std::string, std::set<std::string>, std::less<>>;
FieldTypes field_types_of(const semantic::FileFacts& facts);

struct GoUse {
  const UsedIn& use;
  const std::vector<semantic::Import>& imports;  // of the file
  const Linked& link;                            // to the subject's file
  Near package;                                  // kYes: the subject's own
  const FieldTypes& fields;                      // of the file
};
// The files that declare something of the name, by language family and then by entity_of.
using Entities = std::map<std::string, std::map<std::string, std::set<std::string>>>;

// True if the use may mean the subject, which has the name.
bool may_mean_in_go(const GoUse& in, const Subject& subject, const Entities& entities);

// The standard library calls it on whatever value it is given: ServeHTTP, Write, Len.
bool is_called_by_libraries_of_go(std::string_view member);

// The value in front of the name is a parameter or receiver of the subject's own type.
bool is_of_its_type(const GoUse& in, const Subject& subject);

}  // namespace gittxn::catalogue
