// Landing on a hub: the branch is a remote's, and every clone that lands there has the same store,
// on a server. Nothing here is this machine's alone: a machine may be cut off while it lands, and
// wake up after others have gone on.
//
// On the hub, beside the branches:
//
//   refs/txn/log              a blob that names the log whose landings these are; `init` makes it
//   refs/txn/fence/<branch>   the fence: a blob, another one with each landing
//
// A landing is one atomic push of the branch and its fence, each from the value that the log has.
// Whoever resolves a landing that somebody else left moves the fence first. From then on the
// other's push cannot happen any more, whatever it knows, and what the hub has is what has
// happened. (The fencing token of Kleppmann, "How to do distributed locking", 2016; here the ref is
// the token and the compare at once.)
//
//   the fence is     the landing
//   its own          happened. The branch has it, or somebody moved it away since
//   as before it     did not happen, and still can: the fence is moved, and the hub asked again
//   closed           was resolved by somebody who died before the log knew: happened when the
//                    branch has it, else not
//   another          is of a log that we do not know: a stop, for a person; but for what closes an
//                    earlier landing that was prepared on the same fence: did not happen
//
// The local branch is nobody's promise here: it follows, where it can (fast_forward, remote.h). The
// hub makes its refs durable as its own git is told to (core.fsync there).
#pragma once

#include <optional>
#include <string>

#include "land/land.h"
#include "land/recover.h"
#include "land/remote.h"

namespace gittxn::land {

struct HubState {
  Oid head;   // of the branch; empty: there is none. The commit is here.
  Oid fence;  // empty: none yet
};
// kTimeout: the hub does not answer. kRefused: the remote is not the hub that was joined, or what
// is pushed there goes elsewhere.
Result<HubState> ask_hub(const Context& context, const RefName& branch);

// The clone's own copy of a hub's branch as it was last asked for; without a hub the branch itself.
// For those who look and do not wait for a network.
RefName seen_ref(const std::optional<Hub>& hub, const RefName& branch);

// Brings the local branch, where there is one, to what has landed, as `git merge --ff-only` does.
// What a person has to know when it could not; "": it is there.
std::string follow_hub(const Context& context, const RefName& branch, const Oid& landed);

// Fills in the fence that a landing sets; writes its blob.
Status raise_fence(const Context& context, const Oid& before, store::PreparedLanding& landing);

// Branch and fence, or neither. kRefused and kMoved: nothing was moved.
Result<PushAnswer> push_landing(const Context& context, const store::PreparedLanding& landing);

// What became of a landing that is in the log and not resolved, by the table above; records it.
// The caller holds the landing lock of the branch. Idempotent; may be killed at any point.
// kTimeout: the hub does not answer. kBusy: it does not let the fence be moved. kStale: somebody
// else has resolved it since.
Result<Resolution> resolve_on_hub(const Context& context, const store::PreparedLanding& landing);
// The same for its own lander, after any answer to its push but "done". One that may still be under
// way is waited for, as long as an exchange may take; one that was refused is given up even where
// the fence may not be moved.
Result<Resolution> resolve_push(const Context& context, const store::PreparedLanding& landing,
                                const PushAnswer& answer);

// The blob of refs/txn/log for a log of this name, written.
Result<Oid> log_mark(const Context& context, const std::string& log);
inline constexpr std::string_view kLogRef = "refs/txn/log";
RefName fence_ref(const RefName& branch);

}  // namespace gittxn::land
