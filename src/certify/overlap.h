// Writes of a transaction and of the head that do not commute, both against the transaction's base.
#pragma once

#include <string>
#include <vector>

#include "model/change.h"

namespace gittxn::certify {

struct Overlap {
  std::string path;   // of the transaction's write
  std::string cause;  // of the head's
  TreeEntry ours;     // what the transaction makes of `path`
  TreeEntry head;     // what the head made of `cause`
};

// Sorted by path. A path that both changed to different results; and a write below something the
// other side turned into a file. Two sides that removed or made the same directory agree about it.
std::vector<Overlap> overlaps(const Changes& writes, const Changes& head);

// Of what the head changed: the paths of which both made the same, and the directories that came or
// went with them on both sides. Sorted by path.
Changes made_equal(const Changes& writes, const Changes& head);

}  // namespace gittxn::certify
