// The subject of a landing commit that nobody wrote one for: neither --name nor a commit of the
// command's own. It is made from what changed and from nothing else. The command line is never in
// it, because prompts and keys stand there, and what lands is pushed.
#pragma once

#include <string>

#include "txn/symbol_reports.h"

namespace gittxn::api {

inline constexpr std::size_t kSubjectColumns = 72;

// One line of at most kSubjectColumns, without its end: "Change gross() in src/price.js and 2 more
// files". The same for the same change.
std::string subject_of(const FootprintReport& report);

// The same with what a change did looked up first: of the first files alone, so that a change of
// thousands costs no more.
Result<std::string> subject_of_change(const repo::Objects& objects, const Changes& changes);

}  // namespace gittxn::api
