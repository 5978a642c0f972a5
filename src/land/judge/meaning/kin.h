// The types that a side means without naming them: those that a type which it names extends or
// embeds, and those that a function or a variable which it names gives, where only files that
// neither side changed say so.
#pragma once

#include "base/result.h"
#include "land/judge/meaning/files.h"
#include "semantic/footprint.h"

namespace gittxn::land {

// Adds uses of types whose members `other` changed to the uses of `side` (Use::kin), and fills its
// `elsewhere`. Of C, C++, Go, Java, Python, Rust and scripts. Looks only where the side uses a
// member that the other one changed, or makes a new type of another, into the files that its names
// lead to, up to a number.
Status find_kin(SeenFiles& files, const semantic::Footprint& other, semantic::Footprint* side);

}  // namespace gittxn::land
