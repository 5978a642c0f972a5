// git txn reads --explain: for each read who made it, why it counts, and what it stands for.
#pragma once

#include <string>

#include "api/kernel.h"
#include "cli/text.h"

namespace gittxn::cli {

// "holds while the file has these bytes"
std::string why_it_counts(const Read& read);
// "pid 4711, cat src/x.c" or "call toolu_01 of session ...", as far as it is known.
std::string who_made_it(const Read& read);

std::string explained_lines(const ReadSet& reads, const Style& style);
// The lines of reads --json with "why" and "by" in each.
std::string explained_json_lines(const ReadSet& reads);

}  // namespace gittxn::cli
