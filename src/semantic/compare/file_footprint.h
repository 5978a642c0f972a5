// The footprint of one changed file: its symbols before and after, compared one by one.
//
// Not yet in the order that footprint.h promises; together() makes it.
#pragma once

#include <set>
#include <string_view>

#include "semantic/footprint.h"
#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

struct ChangedFile : Outlines {
  const FileChange* change = nullptr;
};

// Adds the file's writes and uses to `out`.
void compare_file(const ChangedFile& file, Footprint* out);

// The words that differ between two versions of a file that cannot be looked into as code: in lines
// that one of the two does not have; of prose only what stands there as code; of binary files none.
// Views into `change`.
std::set<std::string_view> changed_words(const FileChange& change);

}  // namespace gittxn::semantic
