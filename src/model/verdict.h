// What the certifier decides, and the footprint it decides on. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/change.h"
#include "model/read.h"
#include "model/txn.h"

namespace gittxn {

class FieldIo;  // base/fields.h

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

// A read, or the looks of a question, that hold for what they mean, though what was looked at is
// different at the head: strict would have refused it, but for what policy declares.
struct Excuse {
  enum class Why {
    kLayout,        // a file of code that the transaction left alone was only laid out anew
    kMerged,        // a file that both changed, whose changes do not meet
    kHistory,       // which commits there are: ids, subjects, counts, the names of references
    kStatus,        // a runner that was run again on the head, and passed as it did
    kReplaced,      // ... that the transaction ran again later, and it passed
    kGate,          // ... that a gate runs on what would land
    kHousekeeping,  // a look of an agent's own program, by itself, that it showed to nobody
    kListing,       // names of a directory that an agent alone was shown, and cannot depend on
    kCandidate,     // a runner that was run on what would land, and passed
    kBeside,        // what an agent alone was shown stands, and something new is beside it
  } why = Why::kLayout;
  std::string subject;  // a path, a reference, or the command line of a question
  bool operator==(const Excuse&) const = default;
};

// A question whose looks do not hold, and by what its answer does.
struct Held {
  enum class How {
    kAsked,      // it was run again on the head, and answers as it did
    kGate,       // a gate runs it on what would land
    kReplaced,   // the transaction ran it again later
    kCandidate,  // it was run on what would land, and passed
  } how = How::kAsked;
  std::string question;      // its command line, as argv_text (model/read.h) has it
  std::int64_t took_ms = 0;  // kAsked, kCandidate
  bool operator==(const Held&) const = default;
};

// A path that a landing mended, in the words of its trailer: "Txn-Mended: RULE PATH".
struct Mended {
  std::string rule;  // "rename" or "rerere", as in the policy
  std::string path;
  bool operator==(const Mended&) const = default;
};

// The excuses and answers by which a transaction landed, kept with its landing.
struct Admission {
  std::vector<Excuse> excused;
  std::vector<Held> held;
  std::int64_t more = 0;      // of both, that are not listed
  std::int64_t asked_ms = 0;  // what asking took, with all that was asked for other heads
  bool operator==(const Admission&) const = default;
};
// Returns it as the log keeps it: with at most a hundred of each.
Admission to_be_kept(Admission admission);

struct Verdict {
  bool commit = false;
  std::vector<Conflict> conflicts;  // the witnesses; empty iff commit
  std::size_t checked = 0;          // reads certified
  std::vector<Excuse> excused;      // sorted by subject, each once
  std::vector<Held> held = {};      // in the order of asking
  // Questions whose looks do not hold and to which no answer was given, by number; and how many of
  // the conflicts, the last of them, are these looks. The caller may ask, and certify again.
  std::vector<std::int64_t> unanswered = {};
  std::size_t of_unanswered = 0;
  // Command lines of those that landing would run again, where the caller only looks.
  std::vector<std::string> to_ask = {};
};

void fields(FieldIo& io, Excuse& excuse);
void fields(FieldIo& io, Held& held);
void fields(FieldIo& io, Admission& admission);

}  // namespace gittxn
