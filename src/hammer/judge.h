// The judge of what the hammer's processes say they did, against the log: nothing lost, nothing
// twice, nobody in where somebody was. It believes the log's events and works out all else by
// itself. How long they had to wait is told here as well, and never judged.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "hammer/journal.h"
#include "model/event.h"

namespace gittxn::hammer {

struct Told {
  std::vector<Event> log;  // from the first event on, as a consumer got them
  std::vector<Operation> operations;
  std::set<std::pair<int, int>> killed;  // place, life
  // When a process was stopped: whoever waited meanwhile waited for that.
  std::vector<std::pair<std::int64_t, std::int64_t>> stops_ns;
  std::vector<std::pair<std::int64_t, std::string>> disturbances;  // when, and what was done
  std::vector<Event> member;  // the log of the portfolio's member, when all was relayed
};

// What is wrong, each in a sentence; empty: nothing.
std::vector<std::string> judge(const Told& told);

// What an event reports as used up; 0: it is none of those.
std::int64_t reported_in(const Event& event);
// Of each name the artifact that the log says was stored last.
std::map<std::string, std::string> last_summaries(const Told& told);

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
