// The side of an asking that is forked from the caller: the warden, and the first process of the
// namespaces (ask.h). Both go on without exec, as the caller has one thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "asking/place.h"
#include "asking/wanted.h"
#include "base/result.h"
#include "capture/trace/trace.h"

namespace gittxn::asking {

struct ChildPlan {
  const AskSpec* spec = nullptr;
  PlacePlan places;
  int out = -1, err = -1;  // the command's ends of the two pipes
  int report = -1;         // where the first process says how it went
};

// The report of the first process.
struct Ran {
  capture::TraceResult trace;
  Wanted wanted;
};
// kFault: it was killed before it could say anything.
Result<Ran> ran_in(const std::string& report);

// The warden, a child of ours. When it has ended everything of the asking has; SIGTERM ends it. Its
// ends of the descriptors are ours to close. Dies with us.
Result<pid_t> start_asking(const ChildPlan& plan);

}  // namespace gittxn::asking
