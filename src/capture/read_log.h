// Collects what the interpreter found: each observation once, with the process that made it first.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "capture/git/git_argv.h"
#include "capture/trace/trace.h"
#include "model/change.h"
#include "model/read.h"

namespace gittxn::capture {

struct Node;

// What a searcher looked at, kept back until it has ended and it is known whether its arguments
// explain it (searches.h). Texts are the log's or the model's.
struct HeldLooks {
  // The digest of a look is made of this once it counts after all: a text, or what the snapshot has
  // there.
  enum class Form : std::uint8_t { kText, kContent, kMetadata, kShape, kListing };
  struct Look {
    ReadKind kind = ReadKind::kContent;
    Strength strength = Strength::kHard;
    ReadSource source = ReadSource::kTrace;
    const std::string* snapshot = nullptr;
    const std::string* subject = nullptr;  // kText
    const std::string* digest = nullptr;   // kText
    const Node* node = nullptr;            // all others
    std::string_view op;                   // of a constant
    Form form = Form::kText;
    bool in_scope = false;  // of a file: the search is known to look at it
    std::string path() const;
    std::string_view name() const;  // the last of the path
  };
  std::deque<Look> looks;  // many; none is moved when one more comes
  // Reasons why everything was read, if the search does not explain them.
  std::set<std::string_view> everything;
  bool opened_index = false;
  // Met at paths where the snapshot's entry was not: the transaction's own, or nothing any more.
  std::set<std::string> own;
  std::string spoiled;  // why it cannot be refined, "" so far nothing
};

// The reason for which a program that opened the index has read everything.
inline constexpr std::string_view kReadIndex = "git's index, read by another program than git";

// What is known of a process, from the records.
struct Process {
  // The part of the process in an agent's session (housekeeping.h).
  enum class Part { kOther, kAgent, kAskedByAgent };
  std::int32_t pid = 0;
  std::int32_t parent = 0;
  std::string argv;        // quoted, at most 200 bytes
  std::string cwd;         // where it is; empty: not known
  bool git = false;        // one of git's own programs
  bool helper = false;     // ... started by another that is understood, and explained by it
  bool explained = false;  // `use` has been turned into reads (a fork without exec)
  GitUse use;
  std::string started_in;          // where git looked for its repository first
  bool in_our_repository = false;  // it opened the private git directory
  bool in_other_checkout = false;  // ... the HEAD of the repository itself
  bool opened_objects = false;
  bool in_other_repository = false;  // it opened the HEAD of one that is not ours
  bool served = false;               // ... for another repository that asked for them
  bool exported = false;             // wrote files of a commit where the worktree is not
  bool parent_ours = false;          // started by a git that works on this repository
  bool asked = false;                // this record is of a file that its command line names
  HeldLooks* held = nullptr;         // of a searcher; owned by Searches
  std::int64_t question = 0;         // that its looks may belong to (asked/asked.h); 0: none
  Part part = Part::kOther;
  std::int64_t shown = 0;        // of its listings and searches by names (shown.h); 0: anybody
  std::int64_t shown_files = 0;  // of its contents and metadata
  std::int64_t printed = 0;      // of its looks at the transaction's own files
  std::int64_t program = 0;      // that it runs (agent_processes.h)
  bool edits = false;            // it makes an edit that stands in its arguments, or in a patch

  // An agent that lists every directory uses nothing of what a run of the tests left there.
  bool lists_for_itself(const Record& record) const;
  // Its looks are kept apart from those of other processes at the same path.
  bool is_apart() const {
    return question != 0 || part != Part::kOther || shown != 0 || shown_files != 0 || edits;
  }
  // Its children are explained by it.
  bool explains_helpers() const {
    const bool elsewhere = in_other_repository && !in_our_repository && !in_other_checkout;
    return git && (helper || (use.understood && !elsewhere));
  }
  // Its look-ups are git's own business, not an observation anybody made. For another repository
  // the files here are what any program's are.
  bool quiet() const {
    return git && held == nullptr && !asked && explains_helpers() && (helper || !use.keeps_opens);
  }
};

class ReadLog {
 public:
  // `housekeeping`: whether a look is that, asked of processes that have a part in it.
  using IsHousekeeping = std::function<bool(Process::Part part, ReadKind kind,
                                            std::string_view subject, std::string_view op)>;
  // `listing`: the digest of a listing of this tree at this path, asked of one that was held and
  // counts after all.
  using ListingOf = std::function<std::string(const Oid& tree, std::string_view path)>;
  explicit ReadLog(Oid snapshot, IsHousekeeping housekeeping = {}, ListingOf listing = {})
      : snapshot_(std::move(snapshot)),
        housekeeping_(std::move(housekeeping)),
        listing_(std::move(listing)) {}

  struct Seen {  // how it was observed
    const Process* process = nullptr;
    std::string_view op;
    Strength strength = Strength::kHard;
    ReadSource source = ReadSource::kTrace;
    ReaderClass reader = ReaderClass::kAny;  // where no process says more
  };
  void add(ReadKind kind, std::string_view subject, std::string_view digest, const Seen& seen) {
    add_at(snapshot_, kind, subject, digest, seen);
  }
  // Of a process whose looks are held it is kept there.
  void add_at(const Oid& snapshot, ReadKind kind, std::string_view subject, std::string_view digest,
              const Seen& seen);
  // A look at what the snapshot has, by a process whose looks are held: most are explained by a
  // search, and then nobody needs a digest. `node` must outlive the log.
  void hold(HeldLooks::Form form, const Node& node, const Seen& seen);
  // A read that is made as it is; `shown` as a process has it.
  void add(Read read, std::int64_t shown = 0) {
    if (shown != 0) shown_.emplace_back(reads_.size(), shown);
    reads_.push_back(std::move(read));
  }
  // Records that a question met a path of the transaction's own, or one that is gone: no read.
  void met_own(const Process& process, std::string path) {
    if (process.question != 0) met_own_[process.question].insert(std::move(path));
  }
  const std::map<std::int64_t, std::set<std::string>>& met_own() const { return met_own_; }
  // A look at the content of a file that the transaction has changed. It is no read; but most of
  // such a file is what the snapshot has of it.
  struct OwnLook {
    std::string path;
    std::int64_t question = 0, shown = 0, program = 0, pid = 0;
    std::string argv;
    auto operator<=>(const OwnLook&) const = default;
  };
  void looked_at_own(const Process& process, std::string path) {
    if (process.edits) return;  // it was written down before anybody looked
    const std::int64_t shown = process.printed != 0 ? process.printed : process.shown_files;
    own_looks_.insert(
        {std::move(path), process.question, shown, process.program, process.pid, process.argv});
  }
  // Makes the reads of an edited file anybody's where a process may have computed with the file
  // after the edit, and names that process.
  void settle_own(const std::function<bool(const OwnLook&)>& computes_nothing, ReadSet& set) const;
  // Says of reads by the numbers of their processes whether an agent alone was shown them.
  void settle_shown(const std::function<bool(std::int64_t shown)>& to_agent_alone);
  // What was held counts after all.
  void release(const HeldLooks::Look& look, const Process& process);
  const std::vector<Read>& reads() const { return reads_; }
  const Oid& snapshot() const { return snapshot_; }
  void note(std::string text) { notes_.insert(std::move(text)); }
  // The read set is not complete. The first reason is the set's, the others are notes.
  void unknown(std::string reason);

  // `belong`: gives reads the questions that they belong to, which are the set's.
  ReadSet finish(const std::function<std::vector<Question>(std::vector<Read>&)>& belong);

 private:
  const std::string* keep(std::string_view text) { return &texts_.emplace_back(text); }
  const std::string* keep_snapshot(const Oid& snapshot);
  std::string digest_of(const HeldLooks::Look& look) const;

  Oid snapshot_;
  IsHousekeeping housekeeping_;
  ListingOf listing_;
  std::vector<Read> reads_;
  std::vector<std::pair<std::size_t, std::int64_t>> shown_;  // read, number of its process
  std::unordered_set<std::string> keys_;
  std::deque<std::string> texts_;                          // of held looks
  std::map<std::int64_t, std::set<std::string>> met_own_;  // by question
  std::set<OwnLook> own_looks_;
  std::set<std::string> notes_;
  std::string unknown_reason_;
};

}  // namespace gittxn::capture
