// The journal of a process of the hammer, in a file of its own: the judge believes nothing else of
// it. A line is written before an operation and one after it, each in one write, so that a kill
// leaves what was begun without an end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fields.h"
#include "base/fs.h"
#include "base/ids.h"
#include "base/json.h"
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
  Json facts = Json::object();  // what the judge is to know: {"on": "w-1"}
};
void fields(FieldIo& io, Operation& operation);

Result<UniqueFd> open_journal(const std::string& dir, const Who& who);
Status record(const UniqueFd& journal, const Operation& operation);
// Of all processes, as they were begun.
Result<std::vector<Operation>> read_journals(const std::string& dir);

}  // namespace gittxn::hammer
