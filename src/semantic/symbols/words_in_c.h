// Words of C and C++ that stand for nothing that another file declares: for file_footprint.cc
// alone.
#pragma once

#include <string_view>

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// The word, which stands in what is no statement of the symbol, is part of the path of an include,
// says which namespace is opened, or is a parameter of a macro.
bool is_mere_word(const Outline& outline, const Outlined& symbol, std::string_view word);
// `once` in `#pragma once`. Other pragmas may name what is declared.
bool is_once(const Node& leaf);

}  // namespace gittxn::semantic
