// .gittxn.toml: parsing, normalising and hashing. Untrusted input: bounded, strict, unknown keys
// refused with their line.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/policy.h"

namespace gittxn::gates {

inline constexpr std::string_view kPolicyPath = ".gittxn.toml";

// An empty text is the empty policy. Errors are kUsage with "line:column" and what was expected.
Result<Policy> parse_policy(std::string_view toml);
// The isolation a change of these paths needs at least.
Isolation required_isolation(const Policy& policy, Isolation asked,
                             const std::vector<std::string>& paths);

}  // namespace gittxn::gates
