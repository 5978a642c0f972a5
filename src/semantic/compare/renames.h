// Writes of one file by which something has another name, and what of a signature changed: for
// file_footprint.cc alone.
#pragma once

#include "semantic/footprint.h"
#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// Fills `renamed_from`, `renamed_to` and `with_type` of the writes of a file.
void find_renames(const Outlines& pair, Footprint* footprint);

// The signature of a function changed in nothing but the names of its parameters, each in its
// place, in a language whose callers cannot say them.
bool only_names_parameters(const Outlines& pair, const Outlined* was, const Outlined* is);

// The type that a function says it gives is another one.
bool gives_another_type(const Outlined* was, const Outlined* is);

}  // namespace gittxn::semantic
