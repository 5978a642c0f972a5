// Writes of one file by which something has another name: for file_footprint.cc alone.
#pragma once

#include "semantic/footprint.h"
#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// Fills `renamed_from`, `renamed_to` and `with_type` of the writes of a file.
void find_renames(const Outlines& pair, Footprint* footprint);

}  // namespace gittxn::semantic
