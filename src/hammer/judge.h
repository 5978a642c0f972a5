// The judge of what the hammer's processes say they did, against the log: nothing lost, nothing
// twice, nobody in where somebody was. It believes the log's events and works out all else by
// itself.
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

}  // namespace gittxn::hammer
