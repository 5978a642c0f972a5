// The walk over one tree that gives every token to a symbol and a capability, and how symbols are
// called and hashed on it. For outline.cc and outliner.cc alone.
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

// How a symbol is printed, behind the path and what its containers print: the descriptors of SCIP.
// "Token#", "validate(int).", "LIMIT.", "shop/", "MIN!", "DEBUG:"; of an implementation
// "impl#[Cart][Priced]". Two different declarations of one container have different ones.
std::string descriptor(std::string_view kind, std::string_view name, std::string_view detail);

// Fills outline->symbols from its tree; what is in `opaque` is taken whole. The symbols that errors
// are in, by index.
std::vector<std::size_t> outline_tree(Outline* outline,
                                      const std::unordered_set<const Node*>& opaque);

}  // namespace gittxn::semantic
