// The walk over one tree that gives every token to a symbol and a capability. For outline.cc alone.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// Appends one part of a tree as it is hashed: "\0" and lengths keep two different trees from the
// same bytes.
void put_code(std::string* out, char sign, std::string_view kind, std::string_view text);

// Fills outline->symbols from its tree; what is in `opaque` is taken whole. The symbols that errors
// are in, by index.
std::vector<std::size_t> outline_tree(Outline* outline,
                                      const std::unordered_set<const Node*>& opaque);

}  // namespace gittxn::semantic
