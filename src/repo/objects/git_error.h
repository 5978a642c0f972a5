// What an error of git's is told as.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace gittxn::repo {

// "git WHAT: SAID", as it stands on git's standard error. Where the system itself says why (a full
// disk), the advice is the system's.
std::unexpected<Error> git_failed(std::string_view what, std::string_view said);

}  // namespace gittxn::repo
