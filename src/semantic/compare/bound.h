// The names at the top of a file, and who may see or has to have a symbol: found in an outline, for
// footprints.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "semantic/footprint.h"
#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

std::vector<Bound> bound_in(const Outline& outline);

// The names that a symbol defines, without those of one declaration that are symbols of their own.
std::vector<std::string> own_names(const Outline& outline, const Outlined& symbol);

// Names that the file has at its top and that are another one's: imported, or made of something
// that is.
std::set<std::string> borrowed_in(const Outline& outline);

// The names of the types that a type extends or implements.
std::vector<std::string> bases_of(const Outline& outline, const Outlined& type);

// Fills `bases`, `gone`, `beside`, `hidden` and `needed`, and adds to `defines` what is gone.
void note_sight(const Outlines& pair, const Outlined* was, const Outlined* is, Write* write);

}  // namespace gittxn::semantic
