// Changes of files as changes of symbols, and the subject of a landing commit that is made of them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "catalogue/footprints.h"
#include "model/change.h"
#include "repo/objects.h"
#include "semantic/footprint.h"
#include "txn/state.h"

namespace gittxn::api {

struct FootprintReport {
  Changes changes;                       // files
  std::vector<semantic::Write> symbols;  // by path, then by symbol
  std::vector<std::string> notes;        // what was not looked into
};
// Those of what `state` has, by its catalogue. `state` must outlive them.
catalogue::Footprints footprints_in(State& state);
// Versions of more than 4 MiB, and what is over 32 MiB in all, are told by their paths alone.
Result<FootprintReport> footprint_of(catalogue::Footprints& footprints, const Changes& changes);
// That changed: signature visibility body contract build, and comments; none when the symbol was
// added, removed or moved.
std::vector<std::string> capabilities_of(const semantic::Write& write);

// The subject of a landing commit that nobody wrote one for: neither --name nor a commit of the
// command's own. It is made from what changed and from nothing else. The command line is never in
// it, because prompts and keys stand there, and what lands is pushed.
//
// One line of at most kSubjectColumns, without its end: "Change gross() in src/price.js and 2 more
// files". The same for the same change.
inline constexpr std::size_t kSubjectColumns = 72;
std::string subject_of(const FootprintReport& report);
// The same with what a change did looked up first: of the first files alone, so that a change of
// thousands costs no more.
Result<std::string> subject_of_change(catalogue::Footprints& footprints, const Changes& changes);

}  // namespace gittxn::api
