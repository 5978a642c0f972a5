// Footprints of a change, made before its landing asks for them.
#pragma once

#include "base/threads.h"
#include "repo/worktree.h"
#include "txn/attempt.h"

namespace gittxn::api {

// Makes the footprints of a change on a thread of its own while the change is kept, which waits for
// the disk, and leaves them in the catalogue: a landing holds the turn of its branch and would make
// them there. Only where others have landed since the base of the change, for nobody asks
// otherwise; of so much as takes about as long as keeping does. What is missing is made by the
// landing.
class FootprintsAhead {
 public:
  // A failure is left to the landing. `taken` must outlive this, whose end waits for the thread.
  void begin(State& state, const Txn& txn, const repo::Taken& taken);

 private:
  Beside<void> made_;
};

}  // namespace gittxn::api
