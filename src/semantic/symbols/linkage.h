// Macros of C and C++ that say how something is linked: for file_footprint.cc alone.
#pragma once

#include <string_view>

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// Each macro of the name says of what it stands at how others are linked with it or call it, and
// nothing that its code can tell: which words of storage, such as `static`, and of which type, is
// as it was. So it is in both versions of the file.
bool stays_linkage(const Outlines& pair, std::string_view name);

}  // namespace gittxn::semantic
