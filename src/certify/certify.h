// The certifier: decides whether a transaction may land on a head. A pure function: no clock, no
// disk, no git. It judges by paths; what symbols say of two changes is given to it.
//
//   read-committed  write-write overlap only
//   snapshot        write-write, and symbols that one changed and the other relies on
//   semantic        every hard read still holds at the head it lands on, by what it means
//   serializable    runs as strict until its graph is built; the caller says so
//   strict          every read still holds at the head it lands on, byte by byte
//
// A write-write overlap is a path that the transaction and the head both changed since the
// transaction's base, to different results; or a file against a directory of the same name. Up to
// semantic a path whose two changes were merged is one only where their symbols meet. The same
// result on both sides is no overlap, unless something that the transaction has read shows it: then
// it may be an update that was made twice and is there once (a counter, a number that was free), so
// it is one at every level. Equal bytes hide nothing, and neither do the transaction's own paths.
//
// A question (model/read.h) holds while its looks do, and otherwise when it was asked again and its
// answer is the same. Nothing is asked here: a verdict names the questions to ask, and the caller
// certifies again with their answers.
//
// At exact levels a pure question is asked again where the history moved that it showed; a runner
// is not, for its status says nothing of it.
//
// What semantic excuses, and says so in the verdict: a file of code that was read, not written, and
// only laid out anew, and a file that both changed without meeting, each where an agent alone was
// shown it or an edit was made in it (ReaderClass); history (soft reads of references);
// a run of the tests or of the build that the transaction repeated later, or that passes on what
// would land, made by a gate or again; what an agent's own program looked at by itself; names of a
// directory that an agent alone was shown, and that the transaction cannot have depended on
// (listings.h); what came beside something that an agent alone was shown (beside.h).
// Unknown read set: from semantic on, any change of the head since the snapshot is a conflict.
//
// When a read holds and what commutes is said in judge.h; docs/design/0002-reads.md says why. It
// fails closed: a read from a snapshot without a difference in `diffs`, or of a kernel object that
// the caller did not give a version for, is a conflict. Callable from any thread.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bug.h"
#include "certify/beside.h"
#include "certify/judge.h"
#include "certify/listings.h"
#include "model/verdict.h"

namespace gittxn::certify {

// How a summary that was read stands at the head: the first of what it was made from that changed.
// Whoever has the store and the head's tree finds that out.
struct SummaryState {
  std::string subject;        // of the read: its name
  std::string digest;         // of the read
  std::string source;         // the path that changed; empty with `holds`
  std::string source_digest;  // what the summary was made from
  std::string source_now;     // what is there
  bool holds = false;
};

// At these levels reads are bytes, and nothing is refined by what it means.
constexpr bool is_exact(Isolation level) {
  return level >= Isolation::kSerializable;
}

// Of the trees of a transaction's work, its base and its snapshot: whether it is over without being
// asked, because alone, at its snapshot, it comes to the same. A base that it moved to is another
// matter: what it then took back to the snapshot's is a change of what the branch has.
template <typename Tree>
bool changed_nothing(const Tree& work, const Tree& base, const Tree& snapshot) {
  return work == snapshot && (work == base || INJECTED_BUG("certify.moved_base"));
}

// Judges a read whose answer lies in contents, a search or a part of a file, against the difference
// between its snapshot and the head: nothing when it holds. Given by the caller, because nothing
// here looks into files. `own` are the transaction's writes, for the rules in ignore files of its
// own; they hide nothing.
using JudgeContents = std::function<std::optional<Stale>(const Read& read, const SnapshotDiff& diff,
                                                         const Changes& own)>;

// Something of the transaction's change and of the head's that meet in a symbol.
struct SymbolClash {
  // kBlocks: one changed what the other relies on. kNeedsChecks: they merge, and only the gates can
  // say whether the result works.
  enum class Weight { kBlocks, kNeedsChecks } weight = Weight::kBlocks;
  std::string path;     // of the transaction's change
  std::string cause;    // of the head's
  std::string subject;  // the symbol, as people see it
  std::string why;      // a sentence
  // kBuild: a manifest's symbol and what is made with it. Such a one needs checks in whatever files
  // the two are, for nobody else looks at them together.
  enum class Tie { kCode, kBuild } tie = Tie::kCode;
};

// What symbols say, found by whoever looks into files: land/judge/symbols.h.
struct Symbols {
  // Paths that both changed, as files on every side, whose merge is what would land. Sorted.
  std::vector<std::string> merged;
  std::vector<SymbolClash> clashes;
  enum class Checks { kNone, kGates } checks = Checks::kNone;  // that will judge what lands
};

// Whether a file that was read and not edited still says the same to its reader, though its bytes
// changed (a reformatted one). Asked at semantic, for whole files only, with an entry of the same
// mode on both sides.
using SaysTheSame = std::function<bool(const Read& read, const PathChange& change)>;

// A file that policy says is made from others, one of which changed without it. With a slash at its
// end it is everything below.
struct OutOfDate {
  std::string artifact;
  std::string source;
  std::string source_now;  // the blob; empty when it is gone
};
using FindOutOfDate = std::function<std::vector<OutOfDate>(const Changes& changes)>;

// The outcome of a question whose looks do not hold. Its asker knows the level, and what policy
// declares to be an answer.
struct Answer {
  std::int64_t question = 0;
  enum class How {
    kSame,       // it was asked on the head, and answers as it did
    kGate,       // a gate runs it on what would land, which lands only when that passes
    kCandidate,  // a runner that cannot be asked as it was: it was run on what would land, and
                 // passed
    kOther,      // it answers otherwise, or could not be asked
  } how = How::kOther;
  // kOther, for people: a sentence, "the test run `pytest` fails now (test_login)", and the lines
  // of what it printed that show it.
  std::string why = {};
  std::string shown = {};
  std::int64_t took_ms = 0;  // kSame, kCandidate
};

struct Input {
  const Footprint* txn = nullptr;
  // For the base and each snapshot that occurs in the reads: what differs between it and the head.
  std::span<const SnapshotDiff> diffs = {};
  // What moved the branch since the oldest snapshot, oldest first: names who changed a path.
  std::span<const Landed> history = {};
  // Current version of kernel objects and refs (subject -> version), for kernel and ref reads.
  std::span<const std::pair<std::string, std::string>> kernel = {};
  Isolation level = Isolation::kStrict;
  // For each summary read; one that is not here does not hold.
  std::span<const SummaryState> summaries = {};
  JudgeContents contents = {};       // without it no such read holds
  const Symbols* symbols = nullptr;  // without them every overlap is a conflict
  SaysTheSame says_the_same = {};    // without it every changed file is another one
  FindOutOfDate out_of_date = {};    // without it no file is made from another
  std::span<const Answer> answers = {};
  NameRules names = {};     // its `txn` is not looked at
  OnlyCame only_came = {};  // without it nothing came beside what was seen
};

Verdict certify(const Input& input);

// The soft reads that no longer hold, as the witnesses they would be if they were hard. Reported to
// a person; they refuse nothing. History is not among them: exact levels demand it, semantic
// excuses it, and the others do not ask.
std::vector<Conflict> stale_soft_reads(const Input& input);

}  // namespace gittxn::certify
