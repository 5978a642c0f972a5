// Units of gates that looked into a file when they last ran: what `impact` knows of tests beside
// names. A unit that reads what a build made of the file did not look into the file.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "store/store.h"

namespace gittxn::gates {

struct UnitLooked {
  GateName gate;
  std::string unit;
  Oid tree;                        // the candidate that it ran on
  std::vector<std::string> files;  // those of the asked that it looked into; none: at none of them
};

// Each unit of the newest certificates once, as it last ran with its looks recorded; sorted by gate
// and name. What is no longer there of a certificate is left out. Looks at the newest 64
// certificates of any gate, and at 5,000 units at most.
Result<std::vector<UnitLooked>> units_that_looked(const store::Store& store,
                                                  const std::set<std::string>& files);

}  // namespace gittxn::gates
