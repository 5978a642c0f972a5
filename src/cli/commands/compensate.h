// What is said of compensations beside the command itself.
#pragma once

#include <string>
#include <vector>

#include "api/work.h"
#include "cli/session.h"

namespace gittxn::cli {

std::string compensation_lines(const std::vector<Compensation>& all);  // "" for none
// Whether what a transaction did elsewhere is undone, where that was to be.
bool undone(const std::vector<Compensation>& all);
// What is said of a transaction, with them where it has any.
Json with_compensations(Json said, const std::vector<Compensation>& all);

}  // namespace gittxn::cli
