// Finds in real files what came beside something that an agent alone was shown (certify/beside.h).
//
// A file of code: the head declares more in it, functions, types and imports, by names that stand
// nowhere in the file as it was. Values are none: others copy them, and they run when the file is
// loaded; and so are names that a language looks for by itself (__eq__, operator+, init).
//
// A search of contents, in code and in prose: all that it found stands, and it finds more. Not
// where what it found more of is a declaration that it looked for; and not where the search was a
// list of work, because the transaction changed a line that was found, or one beside it, or, where
// files alone were shown, one of these files.
#pragma once

#include "certify/beside.h"
#include "repo/objects.h"

namespace gittxn::land {

// `head_tree` is what the differences lead to. `objects` must outlive it. Reads the files that
// differ, of at most 4 MiB each, and those that the transaction has changed. Fails closed: where
// something cannot be read, something that was seen is otherwise.
certify::OnlyCame only_came(const repo::Objects& objects, Oid head_tree);

}  // namespace gittxn::land
