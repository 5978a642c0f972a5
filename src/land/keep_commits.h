// The agent's own commits as they are (--keep-commits), instead of one that has all of them.
//
// They are replayed on the head, first parent by first parent, each as the change it was, with its
// author and its message. The last one, or one more when something was left uncommitted (or a hook
// edits), has the tree that was certified and that the gates saw; it alone carries the trailers,
// and all of them land at once: together they are the one change that was certified. Where this
// cannot be done they land as one, with a note that says why: merges among them, a commit that does
// not apply by itself to a head that has moved, more than a thousand, something that was mended.
#pragma once

#include "land/candidate.h"

namespace gittxn::land {

// Fills candidate.parts, and the message and author of candidate.commit. Writes tree objects only.
Status keep_commits(const Context& context, const Work& work, Candidate& candidate);

// Names refs/txn/<id>/head-<attempt>, where the agent's HEAD is kept.
RefName agent_head_ref(const TxnId& txn, int attempt);

}  // namespace gittxn::land
