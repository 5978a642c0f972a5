// Trust: commands of a repository run only after their owner said yes to exactly these commands.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/policy.h"
#include "store/store.h"

namespace gittxn::gates {

// Ok when the policy runs nothing, or its trust hash is on record, or equals `offered` (CI passes
// it in, GIT_TXN_TRUST). Otherwise kRefused (exit 3) with the exact line to run: `git txn trust
// --yes <hash>`.
Status require_trust(const store::Store& store, const Policy& policy, const std::string& offered);
// The refusal itself, for a caller that asked is_trusted() where no store exists yet.
std::unexpected<Error> untrusted(const Policy& policy);
// The commands a yes would allow, one per line, for a person to read.
std::vector<std::string> trusted_commands(const Policy& policy);
Status grant_trust(store::Store& store, const Policy& policy, const std::string& actor);

}  // namespace gittxn::gates
