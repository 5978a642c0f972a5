// The writes of a side that count by where they are: for commute.cc alone.
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

// The writes of each container that count by their places, by its id.
std::map<std::string, Here> places_in(const std::vector<const Write*>& writes);

}  // namespace gittxn::semantic
