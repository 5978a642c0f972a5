// The files in C and C++ that a side's files do not include: what only such a file says, a macro or
// a type, none of their names can mean.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "base/result.h"
#include "land/judge/meaning/files.h"
#include "semantic/footprint.h"

namespace gittxn::land {

// Fills `apart` of `side`. Looks only where a name of the other side's files is used, and says
// nothing of a file with an include that leads to no file of the tree and is none of the system's.
Status find_includes(SeenFiles& files, const semantic::Footprint& other, semantic::Footprint* side);

// Lines of `#include`, each with the file that it is in and what it says, with quotes or brackets.
using SaidIncludes = std::set<std::pair<std::string, std::string>>;

// A file and those of the tree that it includes.
struct Included {
  std::set<std::string> paths;
  bool known = false;  // that these are all
};
// Changed lines: those of `gone` count as not there, those of `fresh` as there.
struct OtherIncludes {
  SaidIncludes gone, fresh;
};
Result<Included> included_by(SeenFiles& files, const std::string& path,
                             const OtherIncludes& but = {});

}  // namespace gittxn::land
