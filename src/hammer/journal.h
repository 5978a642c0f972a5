// The journal of a process of the hammer, in a file of its own: the judge believes nothing else of
// it. A line is written before an operation and one after it, each in one write, so that a kill
// leaves what was begun without an end.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/fs.h"
#include "base/ids.h"
#include "base/result.h"

namespace gittxn::hammer {

// A process of the hammer: its place among the eight, and the how manieth that has it.
struct Who {
  int place = 0;
  int life = 0;
};

enum class Ended {
  kMade,     // it is in the log, at `seq` (0: what it changed is no event)
  kRefused,  // the state did not allow it, and nothing is in the log
  kOpen,     // nobody saw it end
};

struct Operation {
  std::string tag;  // "h3g12-57"; in every event that the operation appends
  std::string verb;
  std::int64_t begun_ns = 0;  // of the machine's monotonic clock, which all processes share
  std::int64_t ended_ns = 0;
  Ended ended = Ended::kOpen;
  Seq seq = 0;
  std::map<std::string, std::string> facts;  // what the judge is to know: "on" "w-1", ...
};

class Journal {
 public:
  static Result<Journal> open(const std::string& dir, const Who& who);
  // Gives the tag.
  Result<std::string> begin(std::string_view verb, std::int64_t now_ns);
  Status end(const Operation& operation);

 private:
  Journal(UniqueFd fd, const Who& who) : fd_(std::move(fd)), who_(who) {}
  UniqueFd fd_;
  Who who_;
  int count_ = 0;
};

std::string tag_of(const Who& who, int count);
// Of all processes, as they were begun.
Result<std::vector<Operation>> read_journals(const std::string& dir);
Result<std::vector<Operation>> read_journal(const std::string& path);

}  // namespace gittxn::hammer
