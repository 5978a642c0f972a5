// Finds in the records what an asking looked for and was not given, and whom it talked to.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "asking/place.h"
#include "base/result.h"

namespace gittxn::asking {

inline constexpr std::size_t kMostNamed = 100;

// Called where the asking's places are mounted, when it has ended: links are followed as they are
// then. Looks at what is above the tree, such as each step of a path that is made real, ask for the
// tree and not for what is hidden beside it; a listing does not.
Status find_wanted(const std::string& record_file, const PlacePlan& plan,
                   std::vector<std::string>* hidden, std::vector<std::string>* reached);

}  // namespace gittxn::asking
