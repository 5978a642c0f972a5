// The repository's own hook reference-transaction, for the branches that a landing moves: as git
// runs it (githooks(5)), with "<old> <new> <ref>" on its standard input, in the person's checkout
// or the bare repository. `prepared` may say no; `committed` and `aborted` are told.
//
// The rules of the other hooks hold: which file it is, txn.hooks, the scrubbed environment. It runs
// under the lock of the ref, and where that is landed on under the landing lock; so it has a time
// limit, and git-txn refuses to be called in it.
#pragma once

#include <string_view>

#include "gates/gate.h"
#include "repo/refs.h"

namespace gittxn::gates {

inline constexpr std::string_view kRefHook = "reference-transaction";

// `update` is about to happen, has happened or has not, as `step` says. kRefused, with the hook's
// words: it says no. Ok when there is no hook.
Status run_ref_hook(const GateContext& context, const repo::RefUpdate& update, repo::RefStep step,
                    const TxnId& txn);

}  // namespace gittxn::gates
