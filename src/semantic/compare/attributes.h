// Members of a class in Python or JavaScript that have no declaration, for its methods alone give
// them to what is made of it: `self.total = total`. They are no symbols; for file_footprint.cc
// alone.
#pragma once

#include "semantic/footprint.h"
#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// Adds writes of the kind "attribute" for those that came or went, and counts all of them among the
// definitions. One that is another member of the class in the other version came or went as that.
void add_attributes(const Outlines& pair, Footprint* footprint);

}  // namespace gittxn::semantic
