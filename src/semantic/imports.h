// What an import brings into its file.
#pragma once

#include <string>
#include <vector>

#include "semantic/syntax.h"

namespace gittxn::semantic {

// The names, as far as it says them: of a path its last part, of a package in Go whatever it may be
// called. `node` is the import, or one name of it.
void bound_by(const Language& in, const Node& node, std::vector<std::string>* defines);

// The names by which the file's code may call what a whole import brings. None where it does not
// say every one: a header, a wildcard, a package that may be called otherwise than its path ends.
std::vector<std::string> brought_names(const Language& in, const Node& node);

// It brings in more than it says: a header, a wildcard, a module run for its effects; in Rust a
// trait brings its methods.
bool imports_all(const Language& in, const Node& node);

}  // namespace gittxn::semantic
