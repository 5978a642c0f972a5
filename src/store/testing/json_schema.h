// Enough of JSON Schema (draft 2020-12) to judge by the schemas of share/schemas. For tests. A
// keyword that it does not know is an error and never passed over; annotations are listed.
#pragma once

#include <string>

#include "base/json.h"

namespace gittxn::store::testing {

// What is wrong with the value, as "/path: reason"; empty: nothing.
std::string schema_problem(const Json& schema, const Json& value);

}  // namespace gittxn::store::testing
