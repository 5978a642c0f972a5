// What of the writes of a side counts by where it is: for commute.cc alone.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "semantic/footprint.h"

namespace gittxn::semantic {

struct Here {
  const Write* placed = nullptr;  // added or moved where the order has a meaning
  const Write* runs = nullptr;
};

// By the container.
std::map<std::string, Here> places_in(const std::vector<const Write*>& writes);

}  // namespace gittxn::semantic
