// Variables of a text without a grammar that has them: style sheets and Makefiles.
//
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "semantic/merge/line_merge.h"

namespace gittxn::semantic {

// A variable that one side took away, and the places where the other side says it, of which there
// is one more than before.
struct GoneVariable {
  std::string name;  // empty: there is none
  std::vector<Span> places;
};

// "--gap" and "$gap" of style sheets, "CFLAGS" of a Makefile: the base gives it a value, one side
// says it nowhere, and the other says it once more.
GoneVariable gone_variable(std::string_view path, const Sides<std::string>& texts);

}  // namespace gittxn::semantic
