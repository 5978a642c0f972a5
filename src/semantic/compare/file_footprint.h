// The footprint of one changed file: its symbols before and after, compared one by one.
//
// Not yet in the order that footprint.h promises; together() makes it.
#pragma once

#include "semantic/footprint.h"
#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

struct ChangedFile : Outlines {
  const FileChange* change = nullptr;
};

// Adds the file's writes and uses to `out`.
void compare_file(const ChangedFile& file, Footprint* out);

}  // namespace gittxn::semantic
