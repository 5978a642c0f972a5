// Places for those who lost: a transaction that was refused twice because others landed what it
// depends on, and that is at work again, has a place before those who would do that to it a third
// time. A landing whose changes meet its reads or writes waits until it has landed, ended or died,
// at most for the `[queue] patience` of the policy since it lost last. So nobody is starved by
// others who are faster, in this clone or in another one that shares the store.
//
// One whose reads are unknown has no place, since everybody would have to wait for it; and nobody
// waits for a transaction that it was begun inside of.
//
// The one that lost more often goes first, and of equals the older one, so that no two wait for
// each other.
// Decided by the log and by the owners' locks alone; a crash ends a place with its owner.
#pragma once

#include <optional>

#include "land/candidate.h"
#include "land/land.h"

namespace gittxn::land {

// The transaction that the landing of `candidate` has to let go first; nullopt: none.
Result<std::optional<Txn>> loser_in_the_way(const Context& context, const Work& work,
                                            const Candidate& candidate);

}  // namespace gittxn::land
