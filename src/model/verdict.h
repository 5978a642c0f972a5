// What the certifier decides, and the footprint it decides on. Plain values.
#pragma once

#include <string>
#include <vector>

#include "model/change.h"
#include "model/read.h"
#include "model/txn.h"

namespace gittxn {

// What moved the branch between a snapshot and the head, oldest first.
struct Landed {
  Oid commit;
  TxnId txn;        // empty: an outside move
  std::string who;  // author line of an outside move
  Changes changes;  // against its parent
};

// The difference between one snapshot commit and the head being certified against.
struct SnapshotDiff {
  Oid snapshot;
  Changes changes;
};

struct Footprint {
  TxnId txn;
  ReadSet reads;
  Changes writes;  // against its base
  Oid base;
};

struct Verdict {
  bool commit = false;
  std::vector<Conflict> conflicts;  // the witnesses; empty iff commit
  std::size_t checked = 0;          // reads certified
};

}  // namespace gittxn
