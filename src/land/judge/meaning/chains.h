// The names that a side uses through modules which hand them on, under these or other names: what
// they are called in the files that the other side changed. Footprints know only the files that a
// side changed, and most modules between are in none.
#pragma once

#include "base/result.h"
#include "land/judge/meaning/files.h"
#include "semantic/footprint.h"

namespace gittxn::land {

// Adds to the uses of `side` those that mean something in a file that `other` changed, and says of
// those that do not which file they mean. Of Python and of scripts.
Status follow_chains(SeenFiles& files, const semantic::Footprint& other, semantic::Footprint* side);

}  // namespace gittxn::land
