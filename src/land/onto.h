// The work of a transaction on another head than the one that it is based on, for whoever goes on
// working on it (txn/go_on.h). What merges is merged as a landing would; where it does not, a file
// has conflict markers. Writes objects and moves nothing.
#pragma once

#include <string>
#include <vector>

#include "land/land.h"

namespace gittxn::land {

struct Onto {
  Oid tree;
  std::vector<std::string> marked;  // files with conflict markers in them, sorted
  // Paths of which the transaction's own side was taken, because no text has both, with the reason:
  // "logo.png is not text and was changed on main, too".
  std::vector<std::string> kept;
};
// kRefused, with the path: a file of the one side is a directory of the other.
Result<Onto> put_onto(const Context& context, const TxnId& txn, const Oid& head);

// The labels of its conflict markers are the transaction's id and the branch.
bool has_markers(std::string_view text);

}  // namespace gittxn::land
