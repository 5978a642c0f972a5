// Collects what the interpreter found: each observation once, with the process that made it first.
#pragma once

#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "capture/git/git_argv.h"
#include "capture/trace/trace.h"
#include "model/read.h"

namespace gittxn::capture {

// What a searcher looked at, kept back until it has ended and it is known whether its arguments
// explain it (searches.h). Texts are the log's.
struct HeldLooks {
  struct Look {
    ReadKind kind = ReadKind::kContent;
    Strength strength = Strength::kHard;
    ReadSource source = ReadSource::kTrace;
    const std::string* snapshot = nullptr;
    const std::string* subject = nullptr;
    const std::string* digest = nullptr;
    std::string_view op;  // of a constant
  };
  std::vector<Look> looks;
  // Reasons why everything was read, if the search does not explain them.
  std::set<std::string_view> everything;
  bool opened_index = false;
  // Met at paths where the snapshot's entry was not: the transaction's own, or nothing any more.
  std::set<std::string> own;
  std::string spoiled;  // why it cannot be refined, "" so far nothing
};

// What is known of a process, from the records.
struct Process {
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
  explicit ReadLog(Oid snapshot) : snapshot_(std::move(snapshot)) {}

  struct Seen {  // how it was observed
    const Process* process = nullptr;
    std::string_view op;
    Strength strength = Strength::kHard;
    ReadSource source = ReadSource::kTrace;
  };
  void add(ReadKind kind, std::string_view subject, std::string_view digest, const Seen& seen) {
    add_at(snapshot_, kind, subject, digest, seen);
  }
  // Of a process whose looks are held it is kept there.
  void add_at(const Oid& snapshot, ReadKind kind, std::string_view subject, std::string_view digest,
              const Seen& seen);
  // A read that is made as it is.
  void add(Read read) { reads_.push_back(std::move(read)); }
  // What was held counts after all.
  void release(const HeldLooks::Look& look, const Process& process);
  const std::vector<Read>& reads() const { return reads_; }
  const Oid& snapshot() const { return snapshot_; }
  void note(std::string text) { notes_.insert(std::move(text)); }
  // The read set is not complete. The first reason is the set's, the others are notes.
  void unknown(std::string reason);

  ReadSet finish();

 private:
  const std::string* keep(std::string_view text) { return &*texts_.emplace(text).first; }

  Oid snapshot_;
  std::vector<Read> reads_;
  std::unordered_set<std::string> keys_;
  std::unordered_set<std::string> texts_;  // of held looks
  std::set<std::string> notes_;
  std::string unknown_reason_;
};

// argv for people: quoted, cut to 200 bytes but never inside a UTF-8 character.
std::string argv_text(const std::vector<std::string>& argv);

}  // namespace gittxn::capture
