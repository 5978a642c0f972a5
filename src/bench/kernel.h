// Costs of the kernel's store: appending against the disk's own rate, alone and in groups, on a
// small log and on a large one, reading the log as a stream, pruning, and bytes an event.
#pragma once

#include <string>

#include "base/result.h"

namespace gittxn::bench {

// `dir`: of the larger store, its folder as Store::open takes it; the smaller one is beside it.
// `url`: a PostgreSQL server, "" the files. Prints its figures.
Status measure_kernel(const std::string& dir, int events, const std::string& url);

}  // namespace gittxn::bench
