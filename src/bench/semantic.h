// What looking into files costs: parsing, symbols, footprints and merges, in processor time.
#pragma once

#include <string>

#include "base/result.h"
#include "base/subprocess.h"

namespace gittxn::bench {

// Prints a line for each language whose sample is below `sources`, one for the C++ that is there,
// and one for each merge of a 2,000-line file. `sources` is a checkout of this repository;
// programs, `git` and `git-txn`, are those of the PATH in `env`; what is made is made in `dir`.
// kFault when a sample does not parse or a program does not merge.
Status measure_semantic(const std::string& dir, const std::string& sources, const Environment& env);

}  // namespace gittxn::bench
