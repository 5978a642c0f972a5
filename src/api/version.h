// What this program speaks, for `git txn version`.
#pragma once

#include <string>
#include <vector>

namespace gittxn::api {

int schema_version();                    // of the store it writes; older ones are migrated
std::vector<std::string> event_types();  // every type that the log may hold, sorted

}  // namespace gittxn::api
