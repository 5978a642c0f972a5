// Differences of two sets of projections, told for a person: the table, the row by its key, and the
// columns with both values, short. Internal to store/. Never writes.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "db/database.h"

namespace gittxn::store {

// Appends at most so many that `problems` has `limit`. All rows of one table are in memory at once.
Status tell_differences(const db::Database& stored, const db::Database& replayed, std::size_t limit,
                        std::vector<std::string>* problems);

}  // namespace gittxn::store
