// Independent checks of what the kernel says against what is really there, for `git txn verify`. It
// never sees land/, so that it cannot share a mistake with it, and never writes.
//
//   log        every event's hash and link; optionally the projections derived again (store/)
//   branches   the log's moves of a branch join up; each landing is the commit it says, with the
//              tree that was certified and the parent it was certified on; commits that claim a
//              landing of this repository (trailer, reflog) are in the log
//   hub        where a hub's fence is of another log, so are the landings that the log lacks
//   work       the objects under refs/txn/ exist, and work that has not landed is kept by its ref
//   artifacts  every file that an event names exists and is what its name says
//
// A problem is something that must not be; a note is something that a person may want to know, such
// as a move of a branch that no command has recorded yet. Landings may go on while it runs: the log
// is read before the repository, so what is newer in the repository is never a problem.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "repo/repository.h"
#include "store/store.h"

namespace gittxn::audit {

enum class Replay { kNo, kYes };

struct Report {
  Seq events = 0;           // checked
  std::size_t commits = 0;  // of the branches' histories
  std::size_t artifacts = 0;
  std::vector<std::string> problems;  // empty: all holds
  std::vector<std::string> notes;
  std::size_t of_log = 0;  // so many of the problems, from the first: the store's own log or tables
  std::set<std::size_t> newer = {};  // which of these are no damage: a newer program wrote that
};

// The clone of a hub, where a log is of several clones.
struct Place {
  std::string clone;   // whose work is kept here; "": all that the log knows
  std::string remote;  // where landings go, as it was last asked; "": this repository
  // The fence of each branch as the hub has it now, where it answered; empty: it has none.
  std::map<RefName, Oid> fences = {};
};
Result<Report> verify(repo::Repository& repository, const store::Store& store, Replay replay,
                      const Place& place = {});

// Where no store is in the place that it would have. A repository in which landings were made, or
// work is kept, had one; what else is there says nothing about that.
Result<Report> verify_without_store(repo::Repository& repository);

}  // namespace gittxn::audit
