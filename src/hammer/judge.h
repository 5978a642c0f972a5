// The judge of what the hammer's processes say they did, against the log: nothing lost, nothing
// twice, nobody in where somebody was. It believes the log's events and works out all else by
// itself. How long they had to wait is told here as well, and never judged.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
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

class Wrongs {
 public:
  template <typename... Values>
  void operator()(fmt::format_string<Values...> text, Values&&... values) {
    constexpr std::size_t kMost = 40;
    if (lines_.size() < kMost) lines_.push_back(fmt::format(text, std::forward<Values>(values)...));
  }
  std::vector<std::string> take() { return std::move(lines_); }

 private:
  std::vector<std::string> lines_;
};

// The part about proposals, portfolios, what was relayed, compensations, handlers, who was created,
// and the limit.
void judge_others(const Told& told, Wrongs& wrong);

// What events and facts are read with: an object, and what it has not is "" and 0.
Json payload_of(const Event& event);
std::string text_of(const Json& json, const char* key);
std::int64_t number_of(const Json& json, const char* key);

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
