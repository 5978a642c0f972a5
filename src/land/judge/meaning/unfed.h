// Names in C and C++ that a file of one side has from a header alone which the other side lets it
// include no more.
#pragma once

#include "base/result.h"
#include "land/judge/meaning/files.h"
#include "semantic/footprint.h"

namespace gittxn::land {

// Fills `unfed` of `side`. `both` are the files with the changes of both sides, where a file that
// both changed is that of `side`. Looks only where the other side took out an include of a file
// that is included there, and says nothing of headers that are not the tree's.
Status find_unfed(SeenFiles& files, SeenFiles& both, const semantic::Footprint& other,
                  semantic::Footprint* side);

}  // namespace gittxn::land
