// Changes of files as changes of symbols.
#pragma once

#include "base/result.h"
#include "repo/objects.h"
#include "txn/symbol_reports.h"

namespace gittxn::api {

// Files of more than 4 MiB, and what is over 32 MiB in all, are told by their paths alone.
Result<FootprintReport> footprint_of(const repo::Objects& objects, const Changes& changes);

}  // namespace gittxn::api
