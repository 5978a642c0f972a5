// Names in an import statement: modules and the names it binds. A reader a language, over tokens.
// For file_facts.h alone.
#pragma once

#include <vector>

#include "semantic/file_facts.h"
#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// In the order of the file. Scripts' require(), import() and `export from`, modules that Rust
// declares and files that C includes are imports here too.
std::vector<Import> imports_in(const Outline& outline);

}  // namespace gittxn::semantic
