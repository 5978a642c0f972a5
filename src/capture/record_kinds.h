// What one record says by itself, without knowing what is where.
#pragma once

#include "capture/trace/trace.h"

namespace gittxn::capture {

// Whether it came to anything is not known: presence and absence both count.
bool unknown_result(const Record& record);
bool failed(const Record& record);

enum class Outcome { kDone, kNothingThere, kSomethingThere, kOther, kUnknown };
Outcome outcome_of(const Record& record);

bool has_second_path(Op op);
// Calls that name an entry, whether it is a link or not.
bool keeps_last_link(const Record& record);
// A call that changes nothing in the tree.
bool only_looks(Op op);
bool content_open(const Record& record);

}  // namespace gittxn::capture
