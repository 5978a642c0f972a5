// What moved a branch between a snapshot and its head: names for the witnesses of a refusal.
#pragma once

#include <vector>

#include "land/land.h"
#include "model/verdict.h"

namespace gittxn::land {

// Oldest first, since the oldest of the snapshots. Where history was rewritten and no path leads
// from a snapshot to the head, one entry stands for the rewrite: its author is that of the new
// head. At most kMaxHistory commits, the newest; an older writer is then unnamed, never missed.
inline constexpr std::size_t kMaxHistory = 2000;
Result<std::vector<Landed>> history_between(const Context& context,
                                            const std::vector<SnapshotDiff>& diffs,
                                            const Oid& head);

// The transaction that a commit landed by our log, empty for anybody else's (also one that copies
// our trailers).
Result<TxnId> landed_by(const Context& context, const repo::CommitInfo& commit);

// "Name <mail>" of a raw identity.
std::string who_of(const std::string& raw);

}  // namespace gittxn::land
