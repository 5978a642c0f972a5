// Finds in the records what an asking looked for and was not given, and whom it talked to.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "asking/place.h"
#include "base/result.h"

namespace gittxn::asking {

inline constexpr std::size_t kMostNamed = 100;
inline constexpr std::size_t kMostLed = 10'000;

// Called where the asking's places are mounted, when it has ended: links are followed as they are
// then. Looks at what is above the tree, such as each step of a path that is made real, ask for the
// tree and not for what is hidden beside it; a listing does not.
//
// `led`, if it is asked for: paths at or below the tree, or with a "..", that lead elsewhere than
// where they stand, each with where it leads. kRefused: more of them than kMostLed.
struct Wanted {
  std::vector<std::string> hidden, reached;
  std::vector<std::string> led_from, led_to;
};
enum class Links { kNo, kYes };
Result<Wanted> find_wanted(const std::string& record_file, const PlacePlan& plan, Links links);

}  // namespace gittxn::asking
