// What the hammer's processes say that they did, against the log: nothing lost, nothing twice,
// nobody in where somebody was. It believes the log's events and works out all else by itself.
#pragma once

#include <cstdint>
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
};

// What is wrong, each in a sentence; empty: nothing.
std::vector<std::string> judge(const Told& told);

// What an event reports as used up; 0: it is none of those.
std::int64_t reported_in(const Event& event);

struct Wait {
  std::string verb;
  std::size_t count = 0;
  double median_ms = 0;
  double of_100_ms = 0;  // 99 of 100 were not longer
  double longest_ms = 0;
};
// Of every verb, and of the steps that were timed by themselves.
std::vector<Wait> waits_of(const Told& told);

}  // namespace gittxn::hammer
