// The words that differ between two versions of a file that cannot be looked into as code. Pure.
#pragma once

#include <set>
#include <string_view>

#include "semantic/footprint.h"

namespace gittxn::semantic {

// In lines that one of the two does not have; of prose only what stands there as code; of binary
// files none. Views into `change`.
std::set<std::string_view> changed_words(const FileChange& change);

}  // namespace gittxn::semantic
