// What the certifier decides, and the footprint it decides on. Plain values.
#pragma once

#include <string>
#include <string_view>
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

// A read that holds for what it means, though what was shown is different at the head: strict would
// have refused it.
struct Excuse {
  enum class Why {
    kLayout,   // a file of code that the transaction left alone was only laid out anew
    kMerged,   // a file that both changed, whose changes do not meet
    kHistory,  // which commits there are: ids, subjects, counts, the names of references
  } why = Why::kLayout;
  std::string subject;
  bool operator==(const Excuse&) const = default;
};

struct Verdict {
  bool commit = false;
  std::vector<Conflict> conflicts;  // the witnesses; empty iff commit
  std::size_t checked = 0;          // reads certified
  std::vector<Excuse> excused;      // sorted by subject, each once; only of semantic
};

}  // namespace gittxn
