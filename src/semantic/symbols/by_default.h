// The default export of a module of a script: for outline.cc alone.
#pragma once

#include <optional>
#include <string>

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// The name of what `export default`, `as default` or `module.exports =` says; empty: of something
// without one; none: the module gives nothing so.
std::optional<std::string> given_by_default(const Outline& outline);

}  // namespace gittxn::semantic
