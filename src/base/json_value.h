// The whole of Json, for the files that build values or look into them; base/json.h is enough for
// those that pass them on. Slow to compile, so only .cc files include it, and nobody the library's
// header itself: what every file needs of it is compiled once, in json.cc.
#pragma once

#include <nlohmann/json.hpp>

#include "base/json.h"

extern template class nlohmann::basic_json<>;
