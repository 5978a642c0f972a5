// The default export of a module of a script: for bound.cc alone.
#pragma once

#include "semantic/footprint.h"
#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// Adds "default" to what a write defines where it is of that, and to what is gone where the module
// gives something else by it, or nothing.
void note_default(const Outlines& pair, const Outlined* was, const Outlined* is, Write* write);

}  // namespace gittxn::semantic
