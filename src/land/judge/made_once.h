// Changes that both sides of a merge made alike and the result has once: one line that both
// appended, one number that both counted up. Of a counter, a list or a log that is an update that
// is lost, so who merges the work of two transactions must not take it for one decision of both.
#pragma once

#include <optional>
#include <string>

#include "semantic/language.h"
#include "semantic/merge/line_merge.h"

namespace gittxn::land {

// Such a line of `merged`, or of what is gone from it. Imports are sets, and which bracket closes
// what is not said by its line: in a known language neither counts. `language` may be nullptr.
std::optional<std::string> made_once(const semantic::Language* language,
                                     const semantic::Sides<std::string>& texts,
                                     const std::string& merged);

}  // namespace gittxn::land
