// Words by which a declaration keeps users away: for signatures.cc alone.
#pragma once

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// The declaration lets more use it than before, and nothing else of its signature changed: it is
// visible to more in C, C++, Java, Rust and TypeScript; in Java it may be overridden now, or says
// otherwise what it throws that nobody has to catch, in Rust it is safe now, in TypeScript it may
// be set now.
bool opens_up(const Outlines& pair, const Outlined& was, const Outlined& is);

}  // namespace gittxn::semantic
