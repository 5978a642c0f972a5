// Calls of functions in Python, and the parameters that these have: for events.cc and commute.cc
// alone.
#pragma once

#include <string_view>
#include <vector>

#include "semantic/footprint.h"

namespace gittxn::semantic {

// The call is one of what the function was and of what it is, and gives each argument to the same
// parameter: it does not say the name that is another one, nor count on the value that is.
bool is_call_of_both(const Write& function, const Use& call);

// A new method that has the parameters which one of its name had, and no place for what calls of
// that one give now.
struct Double {
  const Write* changed = nullptr;
  const Write* own = nullptr;
};
std::vector<Double> doubles_in(const std::vector<const Write*>& mine, const Footprint& side,
                               const std::vector<const Write*>& theirs);

}  // namespace gittxn::semantic
