// The candidate: the commit that would become the new head, built and certified in memory on
// exactly one head. A moved head means a new candidate; nothing of an old one is carried over.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "land/judge/symbols.h"
#include "land/land.h"
#include "model/verdict.h"
#include "repo/objects.h"

namespace gittxn::land {

// What a transaction asks to land, loaded once from the log, the artifacts and its kept commit.
struct Work {
  Txn txn;
  Attempt attempt;  // the last one
  Footprint footprint;
  bool keep_commits = false;  // the agent's own commits land as they are, where that can be done
  repo::CommitInfo
      kept;  // refs/txn/<id>/<attempt>: its tree, its author and message are what lands
};
Result<Work> load_work(const Context& context, const TxnId& id);

using Versions = std::vector<std::pair<std::string, std::string>>;  // subject -> version

struct Candidate {
  Oid head;
  Oid head_tree;
  Oid tree;
  Changes changes;  // head -> tree, directories included
  Policy policy;    // of the head
  Isolation level = Isolation::kStrict;
  std::size_t reads_checked = 0;
  SnapshotDiff moved;                  // what the head changed since the work's base
  certify::Symbols symbols;            // what meets in the two, where the base is not the head
  Versions versions;                   // of what is read beside paths, as it was certified with
  Admission admitted;                  // what semantic let pass, and answers
  std::vector<std::string> notes;      // soft reads that changed, for a person
  std::vector<std::string> merged;     // for a person too, where it is what lands
  std::vector<Mended> mended;          // what of both was mended to be one (judge/mend.h)
  std::vector<repo::NewCommit> parts;  // commits between the head and it (keep_commits.h)
  repo::NewCommit commit;              // its bytes, unsigned
  Oid oid;                             // written once gates, hooks or the branch need it

  std::vector<repo::NewCommit*> commits();  // all, in their order
};

struct Decision {
  enum class Kind { kCandidate, kNothing, kConflict, kRefused } kind = Kind::kCandidate;
  Candidate candidate;
  std::vector<Conflict> conflicts;
};

// Merges base/head/work at tree level, certifies at the level policy demands, and writes the
// message. What adds nothing to the head is certified, too, with what it wrote: it may be an update
// that both made. Only what the branch has as the transaction's own, because somebody merged its
// commit, is nothing without being asked.
// Writes blobs and trees only. `askings` answers questions whose looks do not hold
// (judge/asking/ask_again.h), null: nobody does. Where it leaves some open, the decision counts for
// nothing.
class Askings;
Result<Decision> decide(const Context& context, const Work& work, const Oid& head,
                        Askings* askings = nullptr);

// After a hook has edited the candidate: the new tree or message in its place, certified again. The
// paths it touched count as the transaction's writes.
struct Edits {
  std::optional<Oid> tree;
  std::optional<std::string> message;
};
Result<Decision> decide_again(const Context& context, const Work& work, Candidate candidate,
                              const Edits& edits, Askings* askings = nullptr);

// True while refs and kernel objects that were read are as the candidate was certified with.
// Whoever moves the branch has to ask again: other branches do not wait for its lock.
Result<bool> same_versions(const Context& context, const Work& work, const Candidate& candidate);

// A commit that was decided on before and is to land as it is: an earlier landing has pushed it.
Result<Candidate> candidate_of(const Context& context, const Work& work, const Oid& commit);

// The message of a landing commit: these words and the trailers.
std::string landing_message(const Work& work, const Candidate& candidate, std::string_view message);

// Writes the unsigned commit objects and names the last in the candidate.
Status write_candidate(const Context& context, Candidate& candidate);

}  // namespace gittxn::land
