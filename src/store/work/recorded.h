// The reads and writes of a try as it ended, from the artifacts that its attempt names. Of one that
// has not ended there are none, and its reads are not complete.
//
// Reads that were left to be made when somebody asks (Attempt::reads_left) are made by whoever set
// Store::set_left_reads, and are on record nowhere. Without one they are not complete.
#pragma once

#include "model/change.h"
#include "model/read.h"
#include "model/txn.h"
#include "store/store.h"

namespace gittxn::store {

Result<ReadSet> recorded_reads(const Store& store, const TxnId& txn, const Attempt& attempt);
Result<Changes> recorded_writes(const Store& store, const Attempt& attempt);

}  // namespace gittxn::store
