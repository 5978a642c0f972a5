// How long the hammer's processes had to wait, told and never judged.
#pragma once

#include <string>
#include <vector>

#include "hammer/judge.h"

namespace gittxn::hammer {

struct Wait {
  std::string verb;
  std::size_t count = 0;
  double median_ms = 0;
  double of_100_ms = 0;  // 99 of 100 were not longer
  double longest_ms = 0;
};
// Of every verb, and of the steps that were timed by themselves; without those that overlap with a
// stop, since whoever waits for a stopped process waits as long as it is stopped.
std::vector<Wait> waits_of(const Told& told);

// The longest waits of appends, and of each what was under way meanwhile: a line each.
std::vector<std::string> explain_longest(const Told& told, std::size_t most);

}  // namespace gittxn::hammer
