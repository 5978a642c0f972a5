// Code of a side in C++ that has nothing to do with a type whose members the other side added to: a
// plain name there cannot mean one of them, nor be hidden by it; nor a member that is gone or
// changed, where the code's own type has one of that name.
#pragma once

#include "base/result.h"
#include "land/judge/meaning/files.h"
#include "semantic/footprint.h"

namespace gittxn::land {

// Fills `strangers` of `side`. Looks only where a plain name is one that the other side added to a
// type, into the files that are included there, for what the types around it extend. Of code in a
// type with a base that is not found, of the library's own apart, it says nothing.
Status find_strangers(SeenFiles& files, const semantic::Footprint& other,
                      semantic::Footprint* side);

}  // namespace gittxn::land
