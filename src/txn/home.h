// The repository that a local store belongs to. `cp -a` of a repository copies its store, and with
// it the paths of worktrees that are the original's: what is removed, taken or run there would be
// the original's live work. So <txn dir>/home says where the store is at home: the folder, as its
// inode and when it was made, and its path.
//
// A copy is told by the original being there still. It lets go of the worktrees: in its log they
// are gone, on disk nothing is touched. A repository that was moved, or put back in its place from
// a backup, has no original beside it and goes on. Clones of a hub have marks of their own
// (clone.h).
//
// If we die: some of the events that let go of worktrees, and the old mark; the next command goes
// on.
#pragma once

#include "txn/state.h"

namespace gittxn::api {

// The store is open. Notes of what was done go to state.home_notes.
Status settle_home(State& state);

}  // namespace gittxn::api
