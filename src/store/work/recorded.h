// The reads and writes of a try as it ended, from the artifacts that its attempt names. Of one that
// has not ended there are none, and its reads are not complete.
#pragma once

#include "model/change.h"
#include "model/read.h"
#include "model/txn.h"
#include "store/store.h"

namespace gittxn::store {

Result<ReadSet> recorded_reads(const Store& store, const Attempt& attempt);
Result<Changes> recorded_writes(const Store& store, const Attempt& attempt);

}  // namespace gittxn::store
