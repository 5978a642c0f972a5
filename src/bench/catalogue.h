// The catalogue of a repository made of real sources: from nothing, after a change of ten files,
// and asked for a name.
#pragma once

#include <string>
#include <vector>

#include "bench/world.h"

namespace gittxn::bench {

struct CatalogueFigures {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  std::size_t threads = 0;
  double cold_ms = 0;
  double cold_cpu_ms = 0;  // of all threads
  double kept_mib = 0;     // on disk
  double look_mb_s = 0;    // of processor time: all that is kept of a file
  double parse_mb_s = 0;   // of processor time: its tree alone
  Measured warm;           // ten files changed, the catalogue opened anew
  Measured warm_cpu;       // the same, of all threads
  Measured same;           // nothing changed
  Measured file;           // symbols of one file that is kept
  Measured impact;         // of one name
};

// `files` files below `dir`, taken in turn from what is below `sources` in a known language; the
// second and later time that a source is used lines are put behind it, so that no two blobs are
// one.
Result<CatalogueFigures> measure_catalogue(const std::string& dir,
                                           const std::vector<std::string>& sources,
                                           std::size_t files, const Environment& caller);

}  // namespace gittxn::bench
