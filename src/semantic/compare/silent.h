// Types in Go that are of an interface when they have its methods, and say so nowhere.
#pragma once

#include <string_view>
#include <vector>

#include "semantic/footprint.h"

namespace gittxn::semantic {

struct SilentOne {
  const Write* needed = nullptr;  // the method that the interface has otherwise now
  const Write* method = nullptr;  // the first that the other side gave to the type
  std::string_view type;
};

// The types to which `theirs` gives all methods that an interface had before `mine` changed it.
std::vector<SilentOne> silent_in(const std::vector<const Write*>& mine,
                                 const std::vector<const Write*>& theirs);

}  // namespace gittxn::semantic
