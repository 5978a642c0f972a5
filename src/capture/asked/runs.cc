// Runs of the tests or of the build, whether or not they can be asked again.
#include <algorithm>

#include "capture/asked/asked.h"

namespace gittxn::capture {

bool Asked::is_run(std::int64_t number) {
  const auto [known, fresh] = runs_.try_emplace(number, false);
  if (!fresh) return known->second;
  for (; !known->second && number != 0; number = candidate(number)->outer) {
    const auto wrote = [&](const PathChange& change) {
      const auto at = touches_.find(change.path);
      const auto by_it = [&](const Touch& touch) { return inside(touch.by, number); };
      return at != touches_.end() && std::ranges::any_of(at->second, by_it);
    };
    known->second = candidate(number)->question.kind == Question::Kind::kRunner &&
                    std::ranges::none_of(input_.writes, wrote);
  }
  return known->second;
}

}  // namespace gittxn::capture
