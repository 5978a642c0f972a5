// Writes of one file by which something has another name, or another id: for file_footprint.cc
// alone.
#pragma once

#include "semantic/footprint.h"
#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// Fills `renamed_from`, `renamed_to` and `with_type` of the writes of a file, and `takes_more`,
// `took` and `receiver` of both writes of a function that is gone and there again, for its id says
// its parameters in C++ and what it is called for in Go and Rust; `takes_more` of what
// `attr_reader` gave a class in Ruby, where it has a method of that name now.
void find_renames(const Outlines& pair, Footprint* footprint);

}  // namespace gittxn::semantic
